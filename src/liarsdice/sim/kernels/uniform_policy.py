"""The uniform random policy: the compiled twin of the bot `random`."""

from __future__ import annotations

from liarsdice.sim import array_schema as schema
from liarsdice.sim.array_schema import BatchState, RuleArrays
from liarsdice.sim.kernels.compilation import inlined
from liarsdice.sim.kernels.legality import bid_was_made, can_choose_direction
from liarsdice.sim.kernels.random_numbers import random_below

OUT_OF_TURN_ODDS = 20
"""The policy calls out of turn one time in so many, as the bot does."""


@inlined
def uniform_action(rules: RuleArrays, state: BatchState, i: int, calls: tuple[bool, bool]) -> int:
    """A uniformly random legal action id of the seat on turn. `calls`: whether it may challenge, and call exact."""
    may_challenge, may_call_exact = calls
    ranges, seat, places = state.bid_ranges[i], state.matches[i, schema.TURN], rules.faces.size
    bids = repeats = 0
    for place in range(places):
        bids += max(0, ranges[1, place] - ranges[0, place] + 1)
    if rules.params[schema.NO_REPEAT] == 1:
        for number in range(state.matches[i, schema.BID_COUNT]):
            bid = state.bid_history[i, number, 1]
            quantity, place = bid // places + 1, bid % places
            repeats += ranges[0, place] <= quantity <= ranges[1, place]
    may_turn = can_choose_direction(rules, state, i, seat)
    drawn = random_below(state, i, bids - repeats + 2 * may_turn + may_challenge + may_call_exact)
    if drawn >= bids - repeats:
        drawn -= bids - repeats
        if may_turn:
            return schema.CLOCKWISE + drawn
        return schema.CHALLENGE if may_challenge and drawn == 0 else schema.EXACT
    if rules.params[schema.BIDS_ARE_ORDERED] == 1:
        standing = state.matches[i, schema.STANDING_BID]
        first = standing + 1 if state.matches[i, schema.BID_COUNT] else (ranges[0, 0] - 1) * places
        if bids == ranges[1, 0] * places - first:  # no face is left out
            return int(schema.FIRST_BID + first + drawn)
    while True:
        if repeats:
            drawn = random_below(state, i, bids)
        for place in range(places):
            size = max(0, ranges[1, place] - ranges[0, place] + 1)
            if drawn < size:
                bid = (ranges[0, place] + drawn - 1) * places + place
                if repeats == 0 or not bid_was_made(state, i, bid):
                    return int(schema.FIRST_BID + bid)
                break
            drawn -= size


@inlined
def uniform_call_out_of_turn(state: BatchState, i: int, calls: tuple[bool, bool]) -> int:
    """A call out of turn with probability 1 / `OUT_OF_TURN_ODDS`, else `NO_ACTION`. `calls`: as `uniform_action`."""
    may_challenge, may_call_exact = calls
    if not (may_challenge or may_call_exact) or random_below(state, i, OUT_OF_TURN_ODDS):
        return schema.NO_ACTION
    if may_challenge and may_call_exact:
        return schema.EXACT if random_below(state, i, 2) else schema.CHALLENGE
    return schema.CHALLENGE if may_challenge else schema.EXACT
