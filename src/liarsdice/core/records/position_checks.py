"""Checks of what a position says about doubled challenges, dice in the open, and passes."""

from __future__ import annotations

from liarsdice.core.engine.state import Phase, State
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.meaning import has_passes, may_show_dice


def require(condition: bool, demand: str) -> None:  # noqa: FBT001  the condition is what is required
    """Raise `MalformedError` that says what a position needs, if a condition does not hold."""
    if not condition:
        raise MalformedError(f"a position that contradicts itself or its rules (needed: {demand})")


def check_doubling(state: State) -> None:
    """Raise `MalformedError` unless an answer to a challenge for twice the stake can be given by the player on turn."""
    require(state.doubled_by is not None or not state.redoubled, "only a doubled challenge is redoubled")
    if state.doubled_by is None:
        return
    require(bool(state.answers) and state.phase is Phase.BIDDING, "the rules have answers to a doubled challenge")
    require(bool(state.bids) and 0 <= state.doubled_by < len(state.dice), "a player doubled a challenge of a bid")
    require(state.dice[state.doubled_by] > 0 and state.doubled_by != state.bidder, "another player than the bidder")
    require(state.turn == (state.doubled_by if state.redoubled else state.bidder), "the opponent answers")


def check_shown_dice(state: State) -> None:
    """Raise `MalformedError` unless dice in the open come first in their hands, with others under the cup."""
    require(not state.shown or may_show_dice(state.ruleset), "nobody shows dice under these rules")
    require(not state.shown or len(state.shown) == len(state.hands), "shown has the dice of each seat")
    for hand, shown in zip(state.hands, state.shown, strict=False):
        require(hand[: len(shown)] == shown and (not shown or len(shown) < len(hand)), "a hand has shown dice first")
    require(
        state.phase is not Phase.ROLL_AGAIN or bool(state.shown and state.bids), "a bidder who rolls has shown dice"
    )


def check_passes(state: State) -> None:
    """Raise `MalformedError` unless each seat passed at most once, after a bid."""
    require(not state.passes or has_passes(state.ruleset), "nobody passes under these rules")
    seats, places = {seat for seat, _ in state.passes}, [place for _, place in state.passes]
    require(len(seats) == len(places) and places == sorted(places), "each player passes once a round, in order")
    require(all(1 <= place <= len(state.bids) for place in places), "a round opens with a bid")
