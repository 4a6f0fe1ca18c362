"""Which actions are legal in a match, as `core.engine.legal` has it."""

from __future__ import annotations

from liarsdice.sim import array_schema as schema
from liarsdice.sim.array_schema import BatchState, RuleArrays
from liarsdice.sim.kernels.compilation import inlined


@inlined
def next_seat(state: BatchState, i: int, seat: int, step: int) -> int:
    """The nearest seat with dice in a direction (`step` +1 or -1)."""
    count = state.seats.shape[1]
    for _ in range(count):
        seat += step
        if seat == count:
            seat = 0
        elif seat < 0:
            seat = count - 1
        if state.seats[i, seat, schema.DICE] > 0:
            break
    return seat


@inlined
def update_bid_ranges(rules: RuleArrays, state: BatchState, i: int) -> None:
    """Write the quantities that the seat on turn may bid into `bid_ranges`; bids already made are not excluded."""
    match, params, ranges = state.matches[i], rules.params, state.bid_ranges[i]
    places = rules.faces.size
    standing, highest = match[schema.STANDING_BID], match[schema.HIGHEST_QUANTITY]
    if params[schema.MAX_BIDS] >= 0 and match[schema.BID_COUNT] >= params[schema.MAX_BIDS]:
        for place in range(places):
            ranges[0, place], ranges[1, place] = 1, 0
    elif standing < 0:
        min_open = int(params[schema.MIN_OPEN])
        if min_open == schema.HALF_MORE_THAN_PLAYERS:
            min_open = (3 * int(match[schema.ALIVE_COUNT]) + 1) // 2
        elif min_open < 0:
            min_open = int(match[schema.ALIVE_COUNT]) - 1 - min_open
        low = min(min_open, int(highest))
        high = int(highest) if params[schema.MAX_OPEN] < 0 else max(low, min(params[schema.MAX_OPEN], int(highest)))
        opens = rules.opens[int(match[schema.SPECIAL_SEAT] >= 0)]
        for place in range(places):
            ranges[0, place], ranges[1, place] = low, high if opens[place] else 0
    else:
        exempt = state.seats[i, match[schema.TURN], schema.EXEMPT]
        locked = match[schema.SPECIAL_SEAT] >= 0 and params[schema.FACE_LOCKED] == 1 and exempt == 0
        for place in range(places):
            ranges[0, place] = rules.raises[standing, 0, place]
            ranges[1, place] = min(rules.raises[standing, 1, place], highest)
            if locked and place != standing % places:
                ranges[1, place] = 0


@inlined
def bid_was_made(state: BatchState, i: int, bid: int) -> bool:
    """Whether a bid was made before in this round."""
    for number in range(state.matches[i, schema.BID_COUNT]):  # noqa: SIM110  `any` does not compile
        if state.bid_history[i, number, 1] == bid:
            return True
    return False


@inlined
def can_bid(rules: RuleArrays, state: BatchState, i: int, bid: int) -> bool:
    """Whether the seat on turn may make this bid."""
    places = rules.faces.size
    quantity, place = bid // places + 1, bid % places
    if quantity < state.bid_ranges[i, 0, place] or quantity > state.bid_ranges[i, 1, place]:
        return False
    return rules.params[schema.NO_REPEAT] == 0 or not bid_was_made(state, i, bid)


@inlined
def can_challenge(rules: RuleArrays, state: BatchState, i: int, seat: int) -> bool:
    """Whether a seat may challenge the standing bid."""
    match = state.matches[i]
    if (
        match[schema.PHASE] != schema.BIDDING
        or match[schema.STANDING_BID] < 0
        or state.seats[i, seat, schema.DICE] == 0
    ):
        return False
    out_of_turn = rules.params[schema.ANYONE_MAY_CHALLENGE] == 1 and seat != match[schema.STANDING_BIDDER]
    return bool(seat == match[schema.TURN] or out_of_turn)


@inlined
def can_call_exact(rules: RuleArrays, state: BatchState, i: int, seat: int) -> bool:
    """Whether a seat may call the standing bid exact."""
    match, own, params = state.matches[i], state.seats[i, seat], rules.params
    if params[schema.HAS_EXACT_CALL] == 0 or own[schema.DICE] == 0:
        return False
    if match[schema.PHASE] != schema.BIDDING or match[schema.STANDING_BID] < 0:
        return False
    if seat == match[schema.TURN]:
        if params[schema.NEXT_MAY_NOT_CALL_EXACT] == 1:
            return False
    elif params[schema.ANYONE_MAY_CALL_EXACT] == 0 or seat == match[schema.STANDING_BIDDER]:
        return False
    if match[schema.SPECIAL_SEAT] >= 0 and params[schema.EXACT_IN_SPECIAL_ROUND] == 0:
        return False
    if match[schema.ALIVE_COUNT] < params[schema.EXACT_MIN_PLAYERS]:
        return False
    if params[schema.EXACT_BUDGET] >= 0 and own[schema.EXACT_CALLS] >= params[schema.EXACT_BUDGET]:
        return False
    return not (params[schema.EXACT_FORBIDDEN_AT_CAP] == 1 and 0 <= params[schema.EXACT_GAIN_CAP] <= own[schema.DICE])


@inlined
def can_choose_direction(rules: RuleArrays, state: BatchState, i: int, seat: int) -> bool:
    """Whether a seat may choose the direction of play, as the starter before the first bid."""
    match = state.matches[i]
    if match[schema.PHASE] != schema.BIDDING or seat != match[schema.TURN]:
        return False
    undecided = match[schema.STANDING_BID] < 0 and match[schema.DIRECTION_CHOSEN] == 0
    return bool(undecided and rules.params[schema.STARTER_MAY_REVERSE] == 1)


@inlined
def is_legal(rules: RuleArrays, state: BatchState, i: int, seat: int, action: int) -> bool:
    """Whether a seat may take an action now. Any integer is accepted as an action id."""
    if action == schema.CHALLENGE:
        return can_challenge(rules, state, i, seat)
    if action == schema.EXACT:
        return can_call_exact(rules, state, i, seat)
    if action in (schema.CLOCKWISE, schema.ANTICLOCKWISE):
        return can_choose_direction(rules, state, i, seat)
    match = state.matches[i]
    if match[schema.PHASE] != schema.BIDDING or seat != match[schema.TURN]:
        return False
    return action - schema.FIRST_BID < rules.raises.shape[0] and can_bid(rules, state, i, action - schema.FIRST_BID)
