"""Which rounds of random play are a walk along one line of bids, and what a call leads to in them."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.core.engine.engine import evolve, evolve_all, start
from liarsdice.core.engine.settle import settle
from liarsdice.core.engine.state import Phase, next_seat
from liarsdice.core.events import BidMade, Challenged, RoundStarted
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.sim import array_schema as f
from liarsdice.sim.compile import Compiled


def line_of(book: Compiled, starter: int, special: int) -> f.Line | None:
    """The line of a round opened by `starter` (`special` -1: nobody's special round); None where there is none.

    There is one where bids are ordered, the opening one is any of them, only the next player calls, and that call is
    the challenge; and where each die counts for itself.
    """
    numbers, arrays = book.arrays.numbers, book.arrays
    places, in_special = len(arrays.faces), int(special >= 0)
    top = int(arrays.tops[list(book.dice)].sum() if numbers[f.FIXED_CAP] < 0 else numbers[f.FIXED_CAP])
    free = (numbers[[f.IN_LINE, f.LEAST_OPEN, f.MOST_OPEN, f.MOST_BIDS]] == [1, 1, -1, -1]).all()
    other_ways = numbers[[f.ANYONE_CHALLENGES, f.HAS_EXACT, f.MAY_REVERSE, f.STAIRS, f.NEEDS_NATURAL]].any()
    locked = in_special and numbers[f.FACE_LOCKED]
    wild = bool(arrays.wild_at_start[in_special])
    kept = bool(arrays.wild_after.all()) or not wild
    if not free or other_ways or locked or not kept or not arrays.opens[in_special].all():
        return None
    return f.Line(
        places=places,
        top=top,
        dice=sum(book.dice),
        faces=book.ruleset.dice.faces,
        wild=int(numbers[f.SPECIAL_FACE]) if wild else book.ruleset.dice.faces,
        order=arrays.faces,
        outcomes=_outcomes(book, starter, special, top),
    )


def _outcomes(book: Compiled, starter: int, special: int, top: int) -> NDArray[np.int16]:
    """What the core makes of a challenge, by the bidder's place after the starter and by the difference."""
    rules, dice = book.ruleset, book.dice
    begun = evolve_all(
        msgspec.structs.replace(start(rules, [str(seat) for seat in range(book.seats)]), dice=dice),
        [RoundStarted(1, starter, dice, rules.turn.direction, None if special < 0 else special)],
    )
    bidders = [starter]
    while (after := next_seat(dice, bidders[-1], rules.turn.direction)) != starter:
        bidders.append(after)
    found = np.zeros((len(bidders), top + sum(dice) + 1, 4 + book.seats), np.int16)
    for player, bidder in enumerate(bidders):
        caller = next_seat(dice, bidder, rules.turn.direction)
        for over in range(-top, sum(dice)):
            bid = Bid(max(1, -over), rules.dice.special_face)
            state = msgspec.structs.replace(
                evolve(begun, BidMade(bidder, bid)), hands=_hands(rules, dice, over + bid.quantity)
            )
            ended = evolve_all(state, settle(state, Challenged(caller, bidder, bid)))
            on = ended.phase is not Phase.OVER
            found[player, over + top, :4] = (
                ended.starter if on else -1,
                ended.special_seat if on and ended.special_seat is not None else -1,
                bidder if over < 0 else caller,
                caller,
            )
            found[player, over + top, 4:] = ended.dice
    return found


def _hands(rules: Ruleset, dice: tuple[int, ...], count: int) -> tuple[Hand, ...]:
    """Hands with so many dice of the special face, on which nothing else is wild."""
    special = rules.dice.special_face
    sides = [special] * count + [1 if special > 1 else 2] * (sum(dice) - count)
    return tuple(tuple(sides[sum(dice[:seat]) : sum(dice[: seat + 1])]) for seat in range(len(dice)))
