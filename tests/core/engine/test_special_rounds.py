"""The opener's choice of the kind of a round, before anybody looks at dice."""

from typing import cast

import msgspec
import pytest

from liarsdice.core.actions import ChooseKind, Deal, DeclareSpecial, Penalise
from liarsdice.core.engine.engine import decide, evolve_all, start
from liarsdice.core.engine.evolve import choose_kind, may_be_declared, may_declare
from liarsdice.core.engine.legal import legal
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.events import KindChosen
from liarsdice.core.records.position import read_position, write_position
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import RoundKind
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset

OBLIGO = preset("perudo+obligo-chosen").ruleset
HANDS = ((4,), (2, 2), (3, 3))


def dealt(rules: Ruleset = OBLIGO, hands: tuple[tuple[int, ...], ...] = HANDS) -> State:
    """A round that seat 0 opens, right after the deal."""
    waiting = msgspec.structs.replace(
        start(rules, ("Ann", "Bo", "Ines")), phase=Phase.DEAL, rolling=(), dice=tuple(map(len, hands))
    )
    return evolve_all(waiting, decide(waiting, None, Deal(hands)))


def test_only_an_opener_with_one_die_chooses_the_kind_of_a_declared_round() -> None:
    assert dealt().kinds == tuple(RoundKind)
    assert dealt().blind == (0, 1, 2)
    assert dealt(hands=((4, 4), (2,), (3, 3))).kinds == ()
    assert dealt(hands=((4, 4), (2,), (3, 3))).blind == ()


def test_a_round_is_declared_by_the_choice_of_its_kind_and_not_beside_it() -> None:
    assert may_be_declared(dealt(), 0)
    assert not may_declare(dealt())
    with pytest.raises(IllegalActionError, match="no special round that a player declares"):
        decide(dealt(), 0, DeclareSpecial())


@pytest.mark.parametrize(
    "kind, blind, special",
    [(RoundKind.CLOSED, (1, 2), 0), (RoundKind.OPEN, (0, 1, 2), 0), (RoundKind.ORDINARY, (), None)],
)
def test_the_choice_says_who_looks_and_whether_the_round_is_special(
    kind: RoundKind, blind: tuple[int, ...], special: int | None
) -> None:
    events = choose_kind(dealt(), 0, ChooseKind(kind))
    assert events == [KindChosen(0, kind, blind)]
    after = evolve_all(dealt(), events)
    assert (after.blind, after.special_seat, after.open_hands) == (blind, special, kind is RoundKind.OPEN)
    assert after.had_special == (() if special is None else (0,))
    assert after.kinds == ()
    assert read_position(write_position(after)) == after


def test_until_the_choice_nothing_else_is_legal() -> None:
    moves = legal(dealt())
    assert moves.moves(0) == tuple(map(ChooseKind, RoundKind))
    assert moves.moves(1) == ()
    with pytest.raises(IllegalActionError, match="Ann says first which kind"):
        decide(dealt(), 0, Bid(1, 2))


@pytest.mark.parametrize("seat, kind", [(1, RoundKind.OPEN), (2, RoundKind.CLOSED)])
def test_only_the_opener_chooses(seat: int, kind: RoundKind) -> None:
    with pytest.raises(IllegalActionError, match="only the opener"):
        choose_kind(dealt(), seat, ChooseKind(kind))


def test_what_is_no_kind_is_malformed() -> None:
    with pytest.raises(MalformedError, match="closed, open, ordinary"):
        choose_kind(dealt(), 0, ChooseKind(cast("RoundKind", "half")))  # what a program may send


def test_rules_without_the_choice_say_so() -> None:
    with pytest.raises(IllegalActionError, match="do not let a player choose"):
        decide(dealt(preset("perudo+obligo-open").ruleset), 0, ChooseKind(RoundKind.OPEN))


def test_a_penalty_that_is_taken_at_once_waits_for_the_choice() -> None:
    penalties = (Penalty(trigger=c.PenaltyTrigger.ASKS_WHOSE_TURN),)
    state = dealt(patched(OBLIGO, penalties=penalties, penalty_timing=c.PenaltyTiming.IMMEDIATE))
    assert legal(state).penalties == ()
    with pytest.raises(IllegalActionError, match="no penalty"):
        decide(state, 0, Penalise(c.PenaltyTrigger.ASKS_WHOSE_TURN, (0,)))
    assert legal(evolve_all(state, choose_kind(state, 0, ChooseKind(RoundKind.OPEN)))).penalties != ()
