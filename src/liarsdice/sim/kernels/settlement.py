"""Settling a call: the count, who loses or wins dice, who is out and who opens the next round.

The twin of `core.engine.settle`.
"""

from __future__ import annotations

from liarsdice.sim import array_schema as schema
from liarsdice.sim.array_schema import BatchState, Int32Array, RuleArrays
from liarsdice.sim.kernels.compilation import inlined
from liarsdice.sim.kernels.legality import next_seat


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
        take_dice(rules, state, i, loser, dice, winner)
    return int(loser)


@inlined
def settle_exact_call(rules: RuleArrays, state: BatchState, i: int, surplus: int) -> int:
    """Take and give dice after an exact call; returns the losing seat. `surplus`: as for `settle_challenge`."""
    match, params, seats = state.matches[i], rules.params, state.seats[i]
    caller, bidder = match[schema.CALL_SEAT], match[schema.CALL_BIDDER]
    if surplus != 0:
        take_dice(rules, state, i, caller, params[schema.EXACT_FAILURE_LOSS], bidder)
        return int(caller)
    gain = params[schema.EXACT_GAIN]
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
def end_match(state: BatchState, i: int, reason: int) -> None:
    """End a match: the seats with the most dice have won."""
    match, most = state.matches[i], 0
    for seat in range(state.seats.shape[1]):
        most = max(most, state.seats[i, seat, schema.DICE])
    for seat in range(state.seats.shape[1]):
        state.seats[i, seat, schema.WON] = state.seats[i, seat, schema.DICE] == most
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
        end_match(state, i, schema.LAST_PLAYER)
        return
    starter, special = next_starter(rules, state, i), next_special_seat(rules, state, i)
    if 0 <= params[schema.MAX_ROUNDS] <= match[schema.ROUND]:
        end_match(state, i, schema.ROUND_LIMIT)
        return
    match[schema.SPECIAL_SEAT], match[schema.PHASE] = special, schema.DEAL
    match[schema.STARTER] = starter if special < 0 else special
    match[schema.TURN] = match[schema.STARTER]
    if params[schema.REVERSAL_PERSISTS] == 0:
        match[schema.STEP] = params[schema.START_STEP]
