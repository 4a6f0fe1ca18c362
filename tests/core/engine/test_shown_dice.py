"""Dice that are shown with a bid: refusals that say why, odds that know them, and a roll of the dealer alone."""

from __future__ import annotations

from fractions import Fraction

import pytest

from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.core.actions import BidAndShow, Challenge, Deal, PlayerAction, RollAgain
from liarsdice.core.bids.odds import odds
from liarsdice.core.engine.engine import decide, evolve_all, start
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import view
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.events import StarterFound
from liarsdice.core.records.position import read_position, write_position
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import ShowDice, StarterMethod
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.text.answer import read_answer
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
    with pytest.raises(IllegalActionError, match="the bidder rolls dice again first"):
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
