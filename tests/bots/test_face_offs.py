"""The solved face-off in the package, and which face-offs it is for."""

from __future__ import annotations

from hashlib import sha256
from importlib.resources import files

import pytest

from liarsdice.bots.face_offs import FACE_OFF_FILE, face_off_policy, packaged_face_off
from liarsdice.core.actions import Challenge
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from tests.bots.positions import dealt_state

DIGEST = "4ff052fe9312be13ae52e15d9b7d9a284c85e6887b28ec99b40dfaf2a6122897"
"""The SHA-256 of the file, which never changes, as a champion plays it."""
RULES = preset("perudo+face-off").ruleset


def shown(rules: Ruleset, hands: tuple[tuple[int, ...], ...], *sums: int) -> View:
    """The view of the seat on turn after bids on these sums."""
    state = dealt_state(rules, hands, tuple(Bid(total, SUM_FACE) for total in sums))
    return view(state, state.turn)


def test_the_file_stays_what_it_is() -> None:
    content = (files("liarsdice.bots") / "models" / FACE_OFF_FILE).read_bytes()
    assert sha256(content).hexdigest() == DIGEST


def test_a_best_response_wins_less_than_one_match_in_ten_thousand() -> None:
    strategy = packaged_face_off()
    assert strategy.faces == (6, 6)
    assert strategy.exploitability < 1e-4
    assert strategy.value == pytest.approx(0.5, abs=1e-4)


def test_probabilities_are_those_of_legal_moves() -> None:
    for sums in ((), (2,), (6, 7), (2, 9, 10), (12,), (3, 5, 11)):
        for die in range(1, 7):
            seen = shown(RULES, ((die,), (die,)), *sums)
            policy = face_off_policy(seen)
            assert policy is not None
            assert set(policy) <= set(seen.moves)
            assert sum(policy.values()) == pytest.approx(1)


def test_a_sum_that_the_own_die_makes_false_is_challenged() -> None:
    assert face_off_policy(shown(RULES, ((4,), (3,)), 10)) == {Challenge(): 1.0}
    certain = face_off_policy(shown(RULES, ((4,), (6,)), 7))
    assert certain is not None
    assert Challenge() not in certain
    assert certain[Bid(8, SUM_FACE)] > 0.9


def test_dice_lie_apart_between_players_who_are_out() -> None:
    three = shown(RULES, ((4,), (), (3,)), 10)
    assert three.seat == 2
    assert face_off_policy(three) == {Challenge(): 1.0}


@pytest.mark.parametrize(
    "rules",
    [
        preset("perudo").ruleset,
        patched(RULES, dice__faces=8),
        patched(RULES, exact_call__min_players=2),
        patched(preset("basic").ruleset, bidding__face_off="sum", dice__per_player=1, loss__lives=3),
    ],
    ids=["no face-off", "other dice", "exact calls", "lives"],
)
def test_other_rounds_are_not_solved(rules: Ruleset) -> None:
    assert face_off_policy(shown(rules, ((4,), (3,)))) is None


def test_who_is_not_on_turn_has_no_policy() -> None:
    state = dealt_state(RULES, ((4,), (3,)), (Bid(7, SUM_FACE),))
    assert face_off_policy(view(state, 0)) is None
