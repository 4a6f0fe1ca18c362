"""Rules whose bids are totally ordered, for which random rounds have a fast path (`kernels.ordered_rounds`)."""

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
from liarsdice.sim import array_schema as schema
from liarsdice.sim.compile import CompiledRules


def ordered_bids(compiled: CompiledRules, starter: int, special: int) -> schema.OrderedBids | None:
    """The arrays of a round with totally ordered bids, or None if the round is not of that kind.

    It is if the bids are ordered, any bid may open, only the next player calls, the only call is the challenge, and
    every die counts for itself. `starter`: the seat that opens. `special`: whose special round it is, -1 for none.
    """
    params, arrays, face_count = compiled.arrays.params, compiled.arrays, compiled.ruleset.dice.faces
    in_special, fixed_cap = int(special >= 0), int(params[schema.FIXED_CAP])
    max_quantity = int(arrays.cap_per_dice[list(compiled.dice)].sum()) if fixed_cap < 0 else fixed_cap
    any_bid_opens = bool(
        params[schema.BIDS_ARE_ORDERED] == 1
        and params[schema.MIN_OPEN] == 1
        and params[schema.MAX_OPEN] == params[schema.MAX_BIDS] == -1
        and arrays.opens[in_special].all()
    )
    other_actions = (schema.ANYONE_MAY_CHALLENGE, schema.HAS_EXACT_CALL, schema.STARTER_MAY_REVERSE)
    other_counts = (schema.STAIRS_BONUS, schema.NEEDS_NATURAL)
    face_locked = in_special and params[schema.FACE_LOCKED]
    wild = bool(arrays.wild_at_start[in_special])
    wilds_change = wild and not arrays.wild_after.all()
    if not any_bid_opens or params[[*other_actions, *other_counts]].any() or face_locked or wilds_change:
        return None
    return schema.OrderedBids(
        places=len(arrays.faces),
        max_quantity=max_quantity,
        dice=sum(compiled.dice),
        face_count=face_count,
        wild_face=int(params[schema.SPECIAL_FACE]) if wild else face_count,
        faces=arrays.faces,
        outcomes=_outcomes(compiled, starter, special, max_quantity),
    )


def _outcomes(compiled: CompiledRules, starter: int, special: int, max_quantity: int) -> NDArray[np.int16]:
    """`OrderedBids.outcomes`, for which the engine settles one challenge of each kind."""
    rules, dice = compiled.ruleset, compiled.dice
    begun = evolve_all(
        msgspec.structs.replace(start(rules, [str(seat) for seat in range(compiled.seat_count)]), dice=dice),
        [RoundStarted(1, starter, dice, rules.turn.direction, None if special < 0 else special)],
    )
    bidders = [starter]
    while (after := next_seat(dice, bidders[-1], rules.turn.direction)) != starter:
        bidders.append(after)
    outcomes = np.zeros((len(bidders), max_quantity + sum(dice) + 1, 4 + compiled.seat_count), np.int16)
    for player, bidder in enumerate(bidders):
        caller = next_seat(dice, bidder, rules.turn.direction)
        for surplus in range(-max_quantity, sum(dice)):
            bid = Bid(max(1, -surplus), rules.dice.special_face)
            state = msgspec.structs.replace(
                evolve(begun, BidMade(bidder, bid)), hands=_hands(rules, dice, surplus + bid.quantity)
            )
            ended = evolve_all(state, settle(state, Challenged(caller, bidder, bid)))
            goes_on = ended.phase is not Phase.OVER
            outcomes[player, surplus + max_quantity, :4] = (
                ended.starter if goes_on else -1,
                ended.special_seat if goes_on and ended.special_seat is not None else -1,
                bidder if surplus < 0 else caller,
                caller,
            )
            outcomes[player, surplus + max_quantity, 4:] = ended.dice
    return outcomes


def _hands(rules: Ruleset, dice: tuple[int, ...], count: int) -> tuple[Hand, ...]:
    """Hands of these sizes with `count` dice of the special face in all; a bid on that face counts no other die."""
    special = rules.dice.special_face
    sides = [special] * count + [1 if special > 1 else 2] * (sum(dice) - count)
    return tuple(tuple(sides[sum(dice[:seat]) : sum(dice[: seat + 1])]) for seat in range(len(dice)))
