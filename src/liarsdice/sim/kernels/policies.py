"""The uniform random policy: the compiled twin of the bot `random`."""

from liarsdice.sim import array_schema as schema
from liarsdice.sim.array_schema import BatchState, OddsTables, PolicyArrays, RuleArrays
from liarsdice.sim.kernels.compilation import inlined, random_below
from liarsdice.sim.kernels.transitions import bid_was_made, can_choose_direction, is_stairs

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


MIN_EXACT_VALUE = 0.5
"""The expected gain, in dice, above which the policy calls exact out of turn, as the bot does."""


@inlined
def odds_row(state: BatchState, odds: OddsTables, i: int, seat: int) -> int:
    """The row of `odds` for the dice that a seat's opponents hold."""
    code = 0
    for other in range(state.seats.shape[1]):
        if other != seat:
            code += odds.hand_codes[state.seats[i, other, schema.DICE]]
    return int(odds.rows[code])


@inlined
def p_true(
    rules: RuleArrays, state: BatchState, odds: OddsTables, i: int, seat: int, row: int, quantity: int, place: int
) -> float:
    """The probability of a bid given a seat's own hand, if wilds count to the end of the round as they do now."""
    params, hand, face = rules.params, state.hands[i, seat], rules.faces[place]
    wild = state.matches[i, schema.WILDS_COUNT] == 1 and face != params[schema.SPECIAL_FACE]
    kind, dice = odds.face_kinds[place, int(wild)], state.seats[i, seat, schema.DICE]
    own = hand[face]
    if params[schema.STAIRS_BONUS] == 1 and is_stairs(hand, dice):
        own = dice + 1
    elif wild:
        held = hand[params[schema.SPECIAL_FACE]]
        if params[schema.NEEDS_NATURAL] == 1 and own == 0:
            return odds.p_without_natural[row, held, quantity] if quantity < odds.p_without_natural.shape[2] else 0.0
        own += held
    needed = quantity - own
    if needed <= 0:
        return 1.0
    return odds.p_at_least[row, kind, needed] if needed < odds.p_at_least.shape[2] else 0.0


@inlined
def credited_dice(rules: RuleArrays, state: BatchState, i: int, seat: int, place: int, credit: float) -> float:
    """How many dice of a face a seat credits its opponents with, because they bid on it last."""
    total = 0.0
    if credit and not (state.matches[i, schema.SPECIAL_SEAT] >= 0 and rules.params[schema.FACE_LOCKED] == 1):
        for other in range(state.seats.shape[1]):
            latest = state.seats[i, other, schema.LATEST_BID]
            if other != seat and latest >= 0 and latest % rules.faces.size == place:
                total += credit
    return total


@inlined
def p_true_with_credit(
    rules: RuleArrays, state: BatchState, policies: PolicyArrays, i: int, seat: int, row: int, quantity: int, place: int
) -> float:
    """`p_true` of a quantity reduced by the credited dice, interpolated linearly between whole dice.

    The twin of `bots.simple.bid_odds`.
    """
    credit = credited_dice(rules, state, i, seat, place, policies.credits[seat])
    needed = max(quantity - credit, 0.0)
    below = int(needed)
    p_uncredited = p_below = 0.0
    # one call of `p_true` in a loop: three calls would triple the inlined code and its compile time
    for step in range(3 if credit else 1):
        dice = quantity if step == 0 else below + step - 1
        p = p_true(rules, state, policies.odds, i, seat, row, dice, place)
        if step == 0:
            p_uncredited = p
            if p_uncredited == 0:
                break
        elif step == 1:
            p_below = p
        else:
            fraction = needed - below
            return p_below + fraction * (p - p_below) if fraction else p_below
    return p_uncredited


@inlined
def lowest_legal_quantity(rules: RuleArrays, state: BatchState, i: int, place: int) -> int:
    """The lowest quantity of a face that the seat on turn may bid, 0 if none."""
    places, ranges = rules.faces.size, state.bid_ranges[i]
    for quantity in range(ranges[0, place], ranges[1, place] + 1):
        if rules.params[schema.NO_REPEAT] == 0 or not bid_was_made(state, i, (quantity - 1) * places + place):
            return quantity
    return 0


@inlined
def exact_call_value(rules: RuleArrays, state: BatchState, i: int, seat: int, p_exactly: float) -> float:
    """The expected gain of an exact call, in dice, if it is right with probability `p_exactly`."""
    params = rules.params
    gain = params[schema.EXACT_GAIN]
    if params[schema.EXACT_GAIN_CAP] >= 0:
        gain = max(min(gain, params[schema.EXACT_GAIN_CAP] - state.seats[i, seat, schema.DICE]), 0)
    if_right = gain + params[schema.EXACT_OTHERS_LOSS] + params[schema.EXACT_BIDDER_LOSS]
    return float(p_exactly * if_right - (1 - p_exactly) * params[schema.EXACT_FAILURE_LOSS])


@inlined
def threshold_action(
    rules: RuleArrays, state: BatchState, policies: PolicyArrays, i: int, seat: int, calls: tuple[bool, bool]
) -> int:
    """The action id of the threshold policy, on turn or out of turn. `calls`: whether it may challenge, call exact.

    The twin of the bot `threshold`.
    """
    match, params, places, t = state.matches[i], rules.params, rules.faces.size, policies.thresholds[seat]
    on_turn, standing = seat == match[schema.TURN], match[schema.STANDING_BID]
    may_challenge, may_call_exact = calls
    row = odds_row(state, policies.odds, i, seat)
    p_standing = p_one_more = 0.0
    best_p, best_quantity, best_place = -1.0, 0, 0
    # the bids that it may make, then the standing one, and then one die more for an exact call
    last = places if standing < 0 else places + 1 + may_call_exact
    for candidate in range(0 if on_turn else places, last):
        if candidate < places:
            quantity, place = lowest_legal_quantity(rules, state, i, candidate), candidate
            if quantity == 0:
                continue
        else:
            quantity, place = standing // places + 1 + candidate - places, standing % places
        p = p_true_with_credit(rules, state, policies, i, seat, row, quantity, place)
        if candidate == places:
            p_standing = p
        elif candidate > places:
            p_one_more = p
        elif p > best_p or (p == best_p and quantity < best_quantity):
            best_p, best_quantity, best_place = p, quantity, place
    exact_value = exact_call_value(rules, state, i, seat, p_standing - p_one_more)
    if not on_turn:
        if may_challenge and p_standing < t / (params[schema.OUT_OF_TURN_FACTOR] * (match[schema.ALIVE_COUNT] - 1)):
            return schema.CHALLENGE
        return schema.EXACT if may_call_exact and exact_value > MIN_EXACT_VALUE else schema.NO_ACTION
    if may_call_exact:
        stake = 1 if params[schema.LOSS_BY_DIFFERENCE] == 1 else params[schema.FIXED_LOSS]
        other_value = (1 - 2 * p_standing) * stake
        if best_quantity:
            other_value = max(other_value, (2 * best_p - 1) * stake)
        if exact_value > other_value:
            return schema.EXACT
    if may_challenge and (best_quantity == 0 or p_standing < t or (best_p == 0 and p_standing < 1)):
        return schema.CHALLENGE
    return int(schema.FIRST_BID + (best_quantity - 1) * places + best_place)
