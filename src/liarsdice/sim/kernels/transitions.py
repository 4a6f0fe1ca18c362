"""State transitions of one match: reset, start of a round, roll of the dice, and legal actions."""

from liarsdice.sim import array_schema as schema
from liarsdice.sim.array_schema import BatchState, Int32Array, RuleArrays
from liarsdice.sim.kernels.compilation import inlined, random_below


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
    return bool(undecided and match[schema.ROUND] <= rules.params[schema.REVERSAL_ROUNDS])


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


@inlined
def is_stairs(hand: Int32Array, dice: int) -> bool:
    """Whether a hand (int32 [face]) of `dice` dice shows each face from the first up once."""
    if dice == 0 or dice > hand.size:
        return False
    for face in range(dice):  # noqa: SIM110  `all` does not compile
        if hand[face] != 1:
            return False
    return True


@inlined
def count_matching_dice(rules: RuleArrays, state: BatchState, i: int, face: int) -> int:
    """How many dice of all hands count for a bid on a face."""
    params, special = rules.params, rules.params[schema.SPECIAL_FACE]
    wild = state.matches[i, schema.WILDS_COUNT] == 1 and face != special
    if wild and params[schema.NEEDS_NATURAL] == 1:
        wild = False
        for seat in range(state.seats.shape[1]):
            wild |= state.hands[i, seat, face] > 0
    count = 0
    for seat in range(state.seats.shape[1]):
        hand, dice = state.hands[i, seat], state.seats[i, seat, schema.DICE]
        if params[schema.STAIRS_BONUS] == 1 and is_stairs(hand, dice):
            count += dice + 1
        else:
            count += hand[face] + (hand[special] if wild else 0)
    return count


@inlined
def take_dice(rules: RuleArrays, state: BatchState, i: int, seat: int, dice: int, receiver: int) -> None:
    """Take `dice` dice from a seat, at most what it holds; `receiver` gets them if the rules hand them over."""
    seats = state.seats[i]
    dice = min(dice, int(seats[seat, schema.DICE]))
    seats[seat, schema.DICE] -= dice
    if rules.params[schema.LOST_DICE_TO_OPPONENT] == 1:
        seats[receiver, schema.DICE] += dice


@inlined
def take_from_payers(rules: RuleArrays, state: BatchState, i: int, loser: int, winner: int, dice: int) -> None:
    """Take `dice` dice from the loser of a call, or from those who shed instead."""
    shed_by = rules.params[schema.SHED_BY]
    for seat in range(state.seats.shape[1]):
        if shed_by == schema.WINNER_SHEDS:
            pays = seat == winner
        elif shed_by == schema.ALL_BUT_LOSER_SHED:
            pays = seat != loser
        else:
            pays = seat == loser
        if pays:
            take_dice(rules, state, i, seat, dice, winner)


@inlined
def settle_challenge(rules: RuleArrays, state: BatchState, i: int, surplus: int) -> int:
    """Take dice after a challenge; returns the losing seat. `surplus`: the count minus the quantity of the bid."""
    match, params = state.matches[i], rules.params
    caller, bidder = match[schema.CALL_SEAT], match[schema.CALL_BIDDER]
    loser, winner = (bidder, caller) if surplus < 0 else (caller, bidder)
    dice = params[schema.FIXED_LOSS]
    if params[schema.LOSS_BY_DIFFERENCE] == 1:
        dice = abs(surplus) if surplus != 0 else params[schema.LOSS_ON_EXACT_COUNT]
    if match[schema.CALL_OUT_OF_TURN]:
        dice *= params[schema.OUT_OF_TURN_FACTOR]
    if surplus == 0 and params[schema.ALL_BUT_BIDDER_LOSE] == 1:
        for seat in range(state.seats.shape[1]):
            if seat != bidder:
                take_dice(rules, state, i, seat, dice, winner)
    else:
        take_from_payers(rules, state, i, loser, winner, dice)
    return int(loser)


@inlined
def settle_exact_call(rules: RuleArrays, state: BatchState, i: int, surplus: int) -> int:
    """Take and give dice after an exact call; returns the losing seat. `surplus`: as for `settle_challenge`."""
    match, params, seats = state.matches[i], rules.params, state.seats[i]
    caller, bidder = match[schema.CALL_SEAT], match[schema.CALL_BIDDER]
    if surplus != 0:
        take_from_payers(rules, state, i, caller, bidder, params[schema.EXACT_FAILURE_LOSS])
        return int(caller)
    gain = params[schema.EXACT_GAIN]
    if params[schema.SHED_BY] != schema.NOBODY_SHEDS:
        take_dice(rules, state, i, caller, gain, bidder)
        return int(bidder)
    if params[schema.EXACT_GAIN_CAP] >= 0:
        gain = min(gain, params[schema.EXACT_GAIN_CAP] - seats[caller, schema.DICE])
    if gain > 0:
        seats[caller, schema.DICE] += gain
    for seat in range(seats.shape[0]):
        if seat != caller:
            dice = params[schema.EXACT_OTHERS_LOSS] + (params[schema.EXACT_BIDDER_LOSS] if seat == bidder else 0)
            take_dice(rules, state, i, seat, dice, caller)
    return int(bidder)


@inlined
def next_starter(rules: RuleArrays, state: BatchState, i: int) -> int:
    """The seat that opens the next round, unless it is a special round."""
    match, params, seats = state.matches[i], rules.params, state.seats[i]
    exact = match[schema.CALL] == schema.EXACT
    rule = params[schema.EXACT_NEXT_STARTER] if exact else params[schema.NEXT_STARTER]
    fallback = params[schema.EXACT_STARTER_IF_ELIMINATED] if exact else params[schema.STARTER_IF_ELIMINATED]
    caller, bidder, loser = match[schema.CALL_SEAT], match[schema.CALL_BIDDER], match[schema.CALL_LOSER]
    step = match[schema.STEP]
    starter = int(loser)
    if rule == schema.WINNER:
        starter = int(bidder if loser == caller else caller)
    elif rule == schema.CALLER:
        starter = int(caller)
    elif rule == schema.BIDDER:
        starter = int(bidder)
    elif rule != schema.LOSER:
        starter = next_seat(state, i, loser if rule == schema.AFTER_LOSER else match[schema.STARTER], step)
    if seats[starter, schema.DICE] == 0:
        if fallback == schema.OPPONENT:  # who cannot be out as well
            starter = int(bidder if starter == caller else caller)
        else:
            starter = next_seat(state, i, starter, -step if fallback == schema.PREVIOUS else step)
            if fallback == schema.FEWEST_DICE:
                seat = starter
                for _ in range(match[schema.ALIVE_COUNT] - 1):
                    seat = next_seat(state, i, seat, step)
                    if seats[seat, schema.DICE] < seats[starter, schema.DICE]:
                        starter = seat
    return starter


@inlined
def next_special_seat(rules: RuleArrays, state: BatchState, i: int) -> int:
    """The seat whose special round comes next: the first that fell to one die, from the caller on; -1 for none."""
    match, params = state.matches[i], rules.params
    if params[schema.HAS_SPECIAL_ROUND] == 0 or match[schema.ALIVE_COUNT] < params[schema.SPECIAL_MIN_PLAYERS]:
        return -1
    count, seat = state.seats.shape[1], int(match[schema.CALL_SEAT])
    for _ in range(count):
        own = state.seats[i, seat]
        used_up = params[schema.SPECIAL_ONCE_PER_PLAYER] == 1 and own[schema.HAD_SPECIAL] == 1
        if own[schema.DICE] == 1 and own[schema.DICE_CHANGE] < 0 and not used_up:
            return seat
        seat += match[schema.STEP]
        seat = 0 if seat == count else count - 1 if seat < 0 else seat
    return -1


@inlined
def merit(rules: RuleArrays, state: BatchState, i: int, seat: int) -> int:
    """A number that is higher for the better place if the match ends now.

    Who holds dice is before all others, with more dice before fewer, and who went out later before those who went out
    earlier; where players shed, it is the other way round.
    """
    own = state.seats[i, seat]
    left = int(own[schema.OUT_ROUND])
    if own[schema.DICE] > 0:
        left = int(state.matches[i, schema.ROUND] + own[schema.DICE])
    return left if rules.params[schema.SHED_BY] == schema.NOBODY_SHEDS else -left


@inlined
def end_match(rules: RuleArrays, state: BatchState, i: int, reason: int) -> None:
    """End a match: the seats with the most dice have won, or where players shed, those that were safe first."""
    match, best = state.matches[i], merit(rules, state, i, 0)
    for seat in range(1, state.seats.shape[1]):
        best = max(best, merit(rules, state, i, seat))
    for seat in range(state.seats.shape[1]):
        state.seats[i, seat, schema.WON] = merit(rules, state, i, seat) == best
    match[schema.PHASE], match[schema.END_REASON], match[schema.SPECIAL_SEAT] = schema.OVER, reason, -1


@inlined
def record_call(rules: RuleArrays, state: BatchState, i: int, seat: int, action: int) -> None:
    """Write the fields of a match that describe its latest call, all but the loser."""
    match, bid = state.matches[i], state.matches[i, schema.STANDING_BID]
    match[schema.CALL], match[schema.CALL_SEAT] = action, seat
    match[schema.CALL_BID], match[schema.CALL_BIDDER] = bid, match[schema.STANDING_BIDDER]
    match[schema.CALL_OUT_OF_TURN] = seat != match[schema.TURN]
    match[schema.CALL_SPECIAL_SEAT] = match[schema.SPECIAL_SEAT]
    match[schema.CALL_WILDS_COUNT] = match[schema.WILDS_COUNT]
    match[schema.CALL_STARTER] = match[schema.STARTER]
    match[schema.CALL_COUNT] = count_matching_dice(rules, state, i, rules.faces[bid % rules.faces.size])


@inlined
def settle_call(rules: RuleArrays, state: BatchState, i: int, seat: int, action: int) -> None:
    """Settle a legal call: move dice, then end the match or await the deal of the next round."""
    match, params, seats = state.matches[i], rules.params, state.seats[i]
    record_call(rules, state, i, seat, action)
    surplus = match[schema.CALL_COUNT] - (match[schema.CALL_BID] // rules.faces.size + 1)
    for player in range(seats.shape[0]):
        seats[player, schema.DICE_CHANGE] = -seats[player, schema.DICE]
    if action == schema.EXACT:
        seats[seat, schema.EXACT_CALLS] += 1
        match[schema.CALL_LOSER] = settle_exact_call(rules, state, i, surplus)
    else:
        match[schema.CALL_LOSER] = settle_challenge(rules, state, i, surplus)
    alive = 0
    for player in range(seats.shape[0]):
        seats[player, schema.DICE_CHANGE] += seats[player, schema.DICE]
        alive += seats[player, schema.DICE] > 0
        if seats[player, schema.DICE] == 0 and seats[player, schema.DICE_CHANGE] < 0:
            seats[player, schema.OUT_ROUND] = match[schema.ROUND]
    match[schema.ALIVE_COUNT] = alive
    if alive == 1:
        end_match(rules, state, i, schema.LAST_PLAYER)
        return
    starter, special = next_starter(rules, state, i), next_special_seat(rules, state, i)
    if 0 <= params[schema.MAX_ROUNDS] <= match[schema.ROUND]:
        end_match(rules, state, i, schema.ROUND_LIMIT)
        return
    match[schema.SPECIAL_SEAT], match[schema.PHASE] = special, schema.DEAL
    match[schema.STARTER] = starter if special < 0 else special
    match[schema.TURN] = match[schema.STARTER]
    if params[schema.REVERSAL_PERSISTS] == 0:
        match[schema.STEP] = params[schema.START_STEP]


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
