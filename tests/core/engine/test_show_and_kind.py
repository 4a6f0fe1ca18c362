"""Dice that are shown with a bid, and the opener's choice of the kind of a round."""

from fractions import Fraction
from typing import cast

import msgspec
import pytest

from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.core.actions import (
    BidAndShow,
    Challenge,
    ChooseKind,
    Deal,
    DeclareSpecial,
    Penalise,
    PlayerAction,
    RollAgain,
)
from liarsdice.core.bids.odds import odds
from liarsdice.core.engine.engine import decide, evolve_all, start
from liarsdice.core.engine.legal import legal, may_be_declared, may_declare
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import view
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.events import KindChosen, StarterFound
from liarsdice.core.records.position import read_position, write_position
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import RoundKind, ShowDice, StarterMethod
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.move_reader import read_answer
from liarsdice.core.text.turn_text import turn_text

RULES = patched(preset("bluff").ruleset, bidding__show_dice=ShowDice.COUNTING)


def dealt(*hands: tuple[int, ...]) -> State:
    state = evolve_all(start(RULES, ("Ann", "Bo")), [StarterFound(0, StarterMethod.HIGH_ROLL)])
    return evolve_all(state, decide(state, None, Deal(hands)))


def after(state: State, action: PlayerAction | RollAgain) -> State:
    return evolve_all(state, decide(state, None if isinstance(action, RollAgain) else state.turn, action))


ROUND = dealt((3, 3, 1, 2, 6), (3, 2, 4, 5, 6))
SHOWN = after(after(ROUND, BidAndShow(Bid(3, 3), (3, 1))), RollAgain((5, 5, 3)))


@pytest.mark.parametrize(
    "shown, why",
    [
        ((), "no dice to show were named"),
        ((2,), "have to count for it"),
        ((3, 3, 3), "have to be under the cup"),
        ((3, 3, 1, 2, 6), "at least one die has to stay under the cup"),
    ],
)
def test_a_refusal_says_which_dice_may_be_shown(shown: tuple[int, ...], why: str) -> None:
    with pytest.raises(IllegalActionError, match=why):
        decide(ROUND, 0, BidAndShow(Bid(3, 3), shown))


def test_shown_dice_come_first_and_the_others_stay_as_they_are_where_the_rules_say_so() -> None:
    kept = patched(RULES, bidding__show_dice=ShowDice.COUNTING_KEPT)
    state = evolve_all(start(kept, ("Ann", "Bo")), [StarterFound(0, StarterMethod.HIGH_ROLL)])
    state = evolve_all(state, decide(state, None, Deal(((2, 3, 6, 3, 5), (4,) * 5))))
    after = evolve_all(state, decide(state, 0, BidAndShow(Bid(3, 3), (3, 3))))
    assert (after.hands[0], after.shown_by(0), after.turn) == ((3, 3, 2, 6, 5), (3, 3), 1)
    assert view(after, 1).known == (4, 4, 4, 4, 4, 3, 3)
    again = evolve_all(state, decide(state, 0, Bid(3, 3)))
    with pytest.raises(IllegalActionError, match=r"stay under the cup \("):
        decide(again, 1, BidAndShow(Bid(4, 4), (4,) * 5))


def test_dice_are_shown_by_rules_that_have_it_and_with_legal_bids_alone() -> None:
    plain = patched(RULES, bidding__show_dice=None)
    state = evolve_all(start(plain, ("Ann", "Bo")), [StarterFound(0, StarterMethod.HIGH_ROLL)])
    state = evolve_all(state, decide(state, None, Deal(((3,) * 5, (4,) * 5))))
    with pytest.raises(IllegalActionError, match="let nobody show dice"):
        decide(state, 0, BidAndShow(Bid(3, 3), (3,)))
    with pytest.raises(IllegalActionError, match="more than may be bid"):
        decide(ROUND, 0, BidAndShow(Bid(11, 3), (3,)))
    with pytest.raises(MalformedError, match="shown with a bid"):
        decide(ROUND, 0, BidAndShow(Bid(3, 3), ("3",)))  # type: ignore[arg-type]


def test_the_match_waits_for_the_roll_and_the_dealer_rolls_the_hidden_dice_alone() -> None:
    waiting = after(ROUND, BidAndShow(Bid(3, 3), (3, 1)))
    assert waiting.phase is Phase.ROLL_AGAIN
    with pytest.raises(IllegalActionError, match="a player rolls dice again first"):
        decide(waiting, 1, Challenge())
    with pytest.raises(MalformedError, match="has 3 dice to roll, but 2 came"):
        decide(waiting, None, RollAgain((5, 5)))
    with pytest.raises(IllegalActionError, match="nobody rolls dice again now"):
        decide(ROUND, None, RollAgain((5,)))
    assert read_position(write_position(waiting)) == waiting


def test_shown_dice_are_known_to_everybody() -> None:
    seen = view(SHOWN, 1)
    assert (seen.shown, seen.known, seen.others) == (((3, 1), ()), (3, 2, 4, 5, 6, 3, 1), (3,))
    expected = odds(RULES, Bid(4, 3), seen.known, (3,), wilds_count=True).p_true
    assert expected == 1 - Fraction(2, 3) ** 3
    assert BidOdds(seen).p_bid(Bid(4, 3)) == pytest.approx(float(expected))
    assert SHOWN.hands[0] == (3, 1, 5, 5, 3)
    assert read_position(write_position(SHOWN)) == SHOWN


def test_the_text_for_language_models_names_shown_dice_and_reads_such_bids() -> None:
    text = turn_text(view(SHOWN, 1))
    assert "Dice in the open, which stay there until the round ends: Ann: 1 3." in text
    assert "write them after a plus" in text
    assert read_answer("[4x3+3]", view(SHOWN, 1)) == BidAndShow(Bid(4, 3), (3,))
    assert read_answer("I bid four threes, show 3", view(SHOWN, 1)) == BidAndShow(Bid(4, 3), (3,))


OBLIGO = preset("perudo+obligo-chosen").ruleset
HANDS = ((4,), (2, 2), (3, 3))


def special_rounds_dealt(rules: Ruleset = OBLIGO, hands: tuple[tuple[int, ...], ...] = HANDS) -> State:
    """A round that seat 0 opens, right after the deal."""
    waiting = msgspec.structs.replace(
        start(rules, ("Ann", "Bo", "Ines")), phase=Phase.DEAL, rolling=(), dice=tuple(map(len, hands))
    )
    return evolve_all(waiting, decide(waiting, None, Deal(hands)))


def test_only_an_opener_with_one_die_chooses_the_kind_of_a_declared_round() -> None:
    assert special_rounds_dealt().kinds == tuple(RoundKind)
    assert special_rounds_dealt().blind == (0, 1, 2)
    assert special_rounds_dealt(hands=((4, 4), (2,), (3, 3))).kinds == ()
    assert special_rounds_dealt(hands=((4, 4), (2,), (3, 3))).blind == ()


def test_a_round_is_declared_by_the_choice_of_its_kind_and_not_beside_it() -> None:
    assert may_be_declared(special_rounds_dealt(), 0)
    assert not may_declare(special_rounds_dealt())
    with pytest.raises(IllegalActionError, match="no special round that a player declares"):
        decide(special_rounds_dealt(), 0, DeclareSpecial())


@pytest.mark.parametrize(
    "kind, blind, special",
    [(RoundKind.CLOSED, (1, 2), 0), (RoundKind.OPEN, (0, 1, 2), 0), (RoundKind.ORDINARY, (), None)],
)
def test_the_choice_says_who_looks_and_whether_the_round_is_special(
    kind: RoundKind, blind: tuple[int, ...], special: int | None
) -> None:
    events = decide(special_rounds_dealt(), 0, ChooseKind(kind))
    assert events == [KindChosen(0, kind, blind)]
    after = evolve_all(special_rounds_dealt(), events)
    assert (after.blind, after.special_seat, after.open_hands) == (blind, special, kind is RoundKind.OPEN)
    assert after.had_special == (() if special is None else (0,))
    assert after.kinds == ()
    assert read_position(write_position(after)) == after


def test_until_the_choice_nothing_else_is_legal() -> None:
    moves = legal(special_rounds_dealt())
    assert moves.moves(0) == tuple(map(ChooseKind, RoundKind))
    assert moves.moves(1) == ()
    with pytest.raises(IllegalActionError, match="Ann says first which kind"):
        decide(special_rounds_dealt(), 0, Bid(1, 2))


@pytest.mark.parametrize("seat, kind", [(1, RoundKind.OPEN), (2, RoundKind.CLOSED)])
def test_only_the_opener_chooses(seat: int, kind: RoundKind) -> None:
    with pytest.raises(IllegalActionError, match="only the opener"):
        decide(special_rounds_dealt(), seat, ChooseKind(kind))


def test_what_is_no_kind_is_malformed() -> None:
    with pytest.raises(MalformedError, match="closed, open, ordinary"):
        decide(special_rounds_dealt(), 0, ChooseKind(cast("RoundKind", "half")))  # what a program may send


def test_rules_without_the_choice_say_so() -> None:
    with pytest.raises(IllegalActionError, match="do not let a player choose"):
        decide(special_rounds_dealt(preset("perudo+obligo-open").ruleset), 0, ChooseKind(RoundKind.OPEN))


def test_a_penalty_that_is_taken_at_once_waits_for_the_choice() -> None:
    penalties = (Penalty(trigger=c.PenaltyTrigger.ASKS_WHOSE_TURN),)
    state = special_rounds_dealt(patched(OBLIGO, penalties=penalties, penalty_timing=c.PenaltyTiming.IMMEDIATE))
    assert legal(state).penalties == ()
    with pytest.raises(IllegalActionError, match="no penalty"):
        decide(state, 0, Penalise(c.PenaltyTrigger.ASKS_WHOSE_TURN, (0,)))
    assert legal(evolve_all(state, decide(state, 0, ChooseKind(RoundKind.OPEN)))).penalties != ()
