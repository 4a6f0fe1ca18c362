"""Bots that act together: policies and face-offs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.resources import files

import numpy as np
import pytest
from numpy.typing import NDArray

from liarsdice.bots.face_offs import FACE_OFF_FILE, face_off_policy, packaged_face_off
from liarsdice.bots.policy import policy_of, probs_one_by_one
from liarsdice.bots.registry import bot_names, make_bot
from liarsdice.core.actions import Challenge, PlayerAction
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.round_game import with_faces
from liarsdice_lab.best_response import exploitability
from tests.bots.positions import dealt_state, position

HOUSE_BOTS = (*bot_names(), "champion:bold")
DRAWS = 400
POSITIONS = [
    view(state, state.turn)
    for state in (
        position(preset("perudo").ruleset, ((1, 4, 4, 5, 6), (2, 2, 3, 4, 6))),
        position(preset("perudo").ruleset, ((1, 4, 4), (2, 2, 3)), "2x4 3x4"),
        position(preset("basic").ruleset, ((3, 3), (5, 6)), "1x3"),
    )
]


class RemembersAllBids:
    """A bot under another memory: asked after every sequence of bids by itself."""

    def __init__(self, name: str) -> None:
        self._policy = policy_of(make_bot(name, 1))
        self.memory = None

    def act(self, view: View) -> PlayerAction | None:
        raise AssertionError(view)

    def action_probs(self, view: View) -> Mapping[PlayerAction | None, float]:
        return self._policy.action_probs(view)

    def probs_by_hand(
        self, views: Sequence[View], hands: Sequence[Hand], actions: Sequence[PlayerAction]
    ) -> NDArray[np.float64]:
        return probs_one_by_one(self, views, hands, actions)


@pytest.mark.parametrize("name", HOUSE_BOTS)
def test_a_bot_depends_on_no_more_bids_than_its_memory_says(name: str) -> None:
    rules = with_faces(preset("perudo").ruleset, 4)
    measured = exploitability(make_bot(name, 1), rules, (1, 1))
    with_all_bids = exploitability(RemembersAllBids(name), rules, (1, 1))
    assert measured.as_first == pytest.approx(with_all_bids.as_first, abs=1e-5)
    assert measured.as_second == pytest.approx(with_all_bids.as_second, abs=1e-5)


@pytest.mark.parametrize("name", HOUSE_BOTS)
def test_a_bot_makes_its_moves_as_often_as_it_says(name: str) -> None:
    bot = make_bot(name, 3)
    for shown in POSITIONS:
        named = policy_of(bot).action_probs(shown)
        assert sum(named.values()) == pytest.approx(1)
        made = Counter(bot.act(shown) for _ in range(DRAWS))
        assert made.keys() <= named.keys()
        for action, prob in named.items():
            assert made[action] / DRAWS == pytest.approx(prob, abs=5 * (prob * (1 - prob) / DRAWS) ** 0.5 + 1e-9)


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
