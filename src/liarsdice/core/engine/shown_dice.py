"""Dice that a bidder shows with a bid: which these may be, and what becomes of the hand."""

from __future__ import annotations

from liarsdice.core.actions import BidAndShow
from liarsdice.core.bids.hands import remove_dice
from liarsdice.core.engine.state import PublicState
from liarsdice.core.errors import IllegalActionError, MalformedError, described
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.meaning import may_show_dice
from liarsdice.core.rules.tally import Hand, counts_for_bid

MIN_HIDDEN_DICE = 2
"""The fewest dice under the cup of a bidder who may show some: one to show, and one to roll again."""


def may_show(state: PublicState) -> bool:
    """Return whether the seat on turn may show dice with a bid, as far as everybody can know."""
    return may_show_dice(state.ruleset) and state.hidden_count(state.turn) >= MIN_HIDDEN_DICE


def showable_dice(state: PublicState, hand: Hand, bid: Bid) -> Hand:
    """Return the dice that the seat on turn, which holds `hand`, may show with a bid, if one is left to roll again.

    `hand` has the dice in the open first.
    """
    return tuple(hand[place] for place in showable_places(state, hand, bid))


def showable_places(state: PublicState, hand: Hand, bid: Bid) -> tuple[int, ...]:
    """Return the places in a hand of its `showable_dice`."""
    if not may_show(state):
        return ()
    counts = counts_for_bid(state.ruleset, bid, wilds_count=state.wilds_count, opening=not state.bids)
    return tuple(place for place in range(len(state.shown_by(state.turn)), len(hand)) if hand[place] in counts)


def may_be_shown(state: PublicState, hand: Hand, action: BidAndShow) -> bool:
    """Return whether the seat on turn, which holds `hand`, may show these dice with its bid."""
    try:
        require_showable(state, hand, action)
    except IllegalActionError:
        return False
    return True


def require_showable(state: PublicState, hand: Hand, action: BidAndShow) -> None:
    """Raise `IllegalActionError` unless the seat on turn, which holds `hand`, may show these dice with its bid."""
    bid, shown = action.bid, action.shown
    if not may_show_dice(state.ruleset):
        raise IllegalActionError(f"these rules let nobody show dice (bid {bid} alone)")
    hidden = hand[len(state.shown_by(state.turn)) :]
    if not shown:
        raise IllegalActionError(f"no dice to show were named (bid {bid} alone, or name at least one)")
    if remove_dice(hidden, shown) is None:
        raise IllegalActionError(f"dice that are shown with {bid} have to be under the cup")
    if len(shown) == len(hidden):
        raise IllegalActionError(f"at least one die has to stay under the cup, to be rolled again ({bid} shows all)")
    if remove_dice(showable_dice(state, hand, bid), shown) is None:
        raise IllegalActionError(f"dice that are shown with {bid} have to count for it")


def require_show_types(action: BidAndShow) -> None:
    """Raise `MalformedError` unless an action has a bid, and faces as whole numbers."""
    if (
        type(action.bid) is not Bid
        or type(action.shown) is not tuple
        or any(type(die) is not int for die in action.shown)
    ):
        raise MalformedError(f"dice are shown with a bid, as faces in a tuple, not {described(action)}")


def with_shown_first(hand: Hand, shown_before: int, shown: Hand) -> Hand:
    """Return a hand with newly `shown` dice after the first `shown_before`, which were in the open already."""
    hidden = remove_dice(hand[shown_before:], shown)
    assert hidden is not None
    return (*hand[:shown_before], *shown, *hidden)
