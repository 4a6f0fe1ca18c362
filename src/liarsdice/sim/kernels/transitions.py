"""State transitions of one match: reset, start of a round, roll of the dice, and legal actions."""

from __future__ import annotations

from liarsdice.sim import array_schema as schema
from liarsdice.sim.array_schema import BatchState, Int32Array, RuleArrays
from liarsdice.sim.kernels.compilation import inlined
from liarsdice.sim.kernels.legality import next_seat, update_bid_ranges
from liarsdice.sim.kernels.random_numbers import random_below
from liarsdice.sim.kernels.settlement import settle_call


@inlined
def reset_match(rules: RuleArrays, state: BatchState, i: int, starter: int, start_dice: Int32Array) -> None:
    """Reset a match to before its first deal. `starter`: -1 for a random seat with dice. `start_dice`: int32 [seat]."""
    match, alive = state.matches[i], 0
    for seat in range(start_dice.size):
        dice = start_dice[seat]
        for field in range(state.seats.shape[2]):
            state.seats[i, seat, field] = 0
        state.seats[i, seat, schema.DICE] = dice
        alive += dice > 0
    if starter < 0:
        skipped = random_below(state, i, alive)
        for seat in range(start_dice.size):
            if start_dice[seat] > 0:
                if skipped == 0:
                    starter = seat
                skipped -= 1
    for field in range(match.size):
        match[field] = 0
    match[schema.PHASE], match[schema.STEP] = schema.DEAL, rules.params[schema.START_STEP]
    match[schema.STARTER], match[schema.TURN], match[schema.ALIVE_COUNT] = starter, starter, alive
    match[schema.SPECIAL_SEAT], match[schema.CALL] = -1, -1
    match[schema.STANDING_BID], match[schema.STANDING_BIDDER] = -1, -1


@inlined
def start_round(rules: RuleArrays, state: BatchState, i: int) -> None:
    """Begin the next round: everything but the roll of the dice."""
    match, params = state.matches[i], rules.params
    special = int(match[schema.SPECIAL_SEAT] >= 0)
    highest = alive = 0
    for seat in range(rules.start_dice.size):
        own = state.seats[i, seat]
        own[schema.LATEST_BID] = own[schema.PREVIOUS_BID] = -1
        own[schema.EXEMPT] = own[schema.HAD_SPECIAL] if special == 1 and params[schema.LOCK_EXEMPT] == 1 else 0
        highest += rules.cap_per_dice[own[schema.DICE]]
        alive += own[schema.DICE] > 0
    if special:
        state.seats[i, match[schema.SPECIAL_SEAT], schema.HAD_SPECIAL] = 1
    match[schema.ROUND] += 1
    match[schema.TURN], match[schema.DIRECTION_CHOSEN] = match[schema.STARTER], 0
    match[schema.BID_COUNT], match[schema.STANDING_BID], match[schema.STANDING_BIDDER] = 0, -1, -1
    match[schema.HIGHEST_QUANTITY] = highest if params[schema.FIXED_CAP] < 0 else params[schema.FIXED_CAP]
    match[schema.WILDS_COUNT] = rules.wild_at_start[special]
    match[schema.ALIVE_COUNT], match[schema.ROUND_ACTION_COUNT] = alive, 0
    match[schema.PHASE] = schema.BIDDING
    update_bid_ranges(rules, state, i)


@inlined
def roll_dice(state: BatchState, i: int) -> None:
    """Roll the dice of every seat with the match's own random numbers."""
    faces = state.hands.shape[2]
    for seat in range(state.seats.shape[1]):
        hand = state.hands[i, seat]
        for face in range(faces):
            hand[face] = 0
        for _ in range(state.seats[i, seat, schema.DICE]):
            hand[random_below(state, i, faces)] += 1


@inlined
def apply_bid(rules: RuleArrays, state: BatchState, i: int, seat: int, bid: int) -> None:
    """Make a legal bid, by bid id."""
    match = state.matches[i]
    number = match[schema.BID_COUNT]
    if match[schema.WILDS_COUNT] == 1:
        match[schema.WILDS_COUNT] = rules.wild_after[int(number == 0), bid % rules.faces.size]
    state.bid_history[i, number, 0], state.bid_history[i, number, 1] = seat, bid
    state.seats[i, seat, schema.PREVIOUS_BID] = state.seats[i, seat, schema.LATEST_BID]
    state.seats[i, seat, schema.LATEST_BID] = bid
    match[schema.BID_COUNT] += 1
    match[schema.STANDING_BID], match[schema.STANDING_BIDDER] = bid, seat
    match[schema.TURN] = next_seat(state, i, seat, match[schema.STEP])
    update_bid_ranges(rules, state, i)


@inlined
def apply_action(rules: RuleArrays, state: BatchState, i: int, seat: int, action: int) -> None:
    """Apply a legal action of a seat."""
    match = state.matches[i]
    match[schema.ACTION_COUNT] += 1
    match[schema.ROUND_ACTION_COUNT] += 1
    if action >= schema.FIRST_BID:
        apply_bid(rules, state, i, seat, action - schema.FIRST_BID)
    elif action in (schema.CLOCKWISE, schema.ANTICLOCKWISE):
        match[schema.STEP], match[schema.DIRECTION_CHOSEN] = 1 if action == schema.CLOCKWISE else -1, 1
    else:
        settle_call(rules, state, i, seat, action)
