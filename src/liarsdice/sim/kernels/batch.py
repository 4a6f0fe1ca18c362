"""The kernels that Python calls: they reset, inspect and advance many matches at once."""

import numpy as np
from numpy.typing import NDArray

from liarsdice.sim import array_schema as schema
from liarsdice.sim.array_schema import BatchState, Int32Array, OrderedBids, PolicyArrays, RoundArrays, RuleArrays
from liarsdice.sim.kernels.compilation import GAMMA, entry_point, first_state, inlined, mix_bits
from liarsdice.sim.kernels.policies import threshold_action, uniform_action, uniform_call_out_of_turn
from liarsdice.sim.kernels.transitions import (
    apply_action,
    can_call_exact,
    can_challenge,
    can_choose_direction,
    is_legal,
    next_seat,
    reset_match,
    roll_dice,
    start_round,
)


@entry_point
def seed_matches(state: BatchState, seed: int, first: int) -> None:
    """Seed the generator of every match: match `i` of the batch gets that of match `first + i` of the seed."""
    for i in range(state.rng.size):
        state.rng[i] = first_state(seed, first + i)


@entry_point
def reset_matches(
    rules: RuleArrays,
    state: BatchState,
    selected: NDArray[np.bool_],
    starters: Int32Array,
    dice: Int32Array,
    special: int,
) -> None:
    """Reset the selected matches to before their first deal.

    `selected`: bool [match]. `starters`: int32 [match], -1 for a random seat. `dice`: int32 [match, seat]. `special`:
    the seat whose special round the first round is, -1 for none.
    """
    for i in range(selected.size):
        if selected[i]:
            reset_match(rules, state, i, starters[i], dice[i])
            state.matches[i, schema.SPECIAL_SEAT] = special


@entry_point
def fill_action_mask(rules: RuleArrays, state: BatchState, seats: Int32Array, mask: NDArray[np.bool_]) -> None:
    """Write into `mask` (bool [match, action id]) what one seat of each match may do.

    `seats`: int32 [match]; a row stays False for a seat that does not exist. A column after those of the bids says
    whether the seat may be silent, as it may out of turn.
    """
    places, bids, is_ordered = rules.faces.size, rules.raises.shape[0], rules.params[schema.BIDS_ARE_ORDERED] == 1
    for i in range(seats.size):
        row, seat, ranges, match = mask[i], seats[i], state.bid_ranges[i], state.matches[i]
        is_playing = 0 <= seat < state.seats.shape[1] and match[schema.PHASE] == schema.BIDDING
        on_turn, standing = is_playing and seat == match[schema.TURN], match[schema.STANDING_BID]
        first, last = ranges[0, 0], ranges[1, 0]  # the quantities that may be bid on every face
        for place in range(1, places):
            first, last = max(first, ranges[0, place]), min(last, ranges[1, place])
        begin, end = schema.FIRST_BID + (first - 1) * places, schema.FIRST_BID + last * places
        if is_ordered and standing >= 0 and last > 0:
            begin = schema.FIRST_BID + standing + 1
        if not on_turn:
            end = 0
        for action in range(row.size):
            row[action] = (begin <= action) & (action < end)
        if not is_playing:
            continue
        row[schema.CHALLENGE] = can_challenge(rules, state, i, seat)
        row[schema.EXACT] = can_call_exact(rules, state, i, seat)
        row[schema.CLOCKWISE] = row[schema.ANTICLOCKWISE] = can_choose_direction(rules, state, i, seat)
        if not on_turn:
            if row.size > schema.FIRST_BID + bids:
                row[schema.FIRST_BID + bids] = True
            continue
        if not (is_ordered and last > 0):
            for place in range(places):
                low, high = ranges[0, place], ranges[1, place]
                split = first if first <= last else high + 1
                for quantity in range(low, min(split, high + 1)):
                    row[schema.FIRST_BID + (quantity - 1) * places + place] = True
                for quantity in range(max(last, split) + 1, high + 1):
                    row[schema.FIRST_BID + (quantity - 1) * places + place] = True
        if rules.params[schema.NO_REPEAT] == 1:
            for number in range(match[schema.BID_COUNT]):
                row[schema.FIRST_BID + state.bid_history[i, number, 1]] = False


@inlined
def choose_action(
    rules: RuleArrays, state: BatchState, policies: PolicyArrays, i: int, external_action: int
) -> tuple[int, int]:
    """The next seat to act by the policies, and its action id.

    A call of the seat on turn comes before calls out of turn, and those in the order of play. `external_action`: what
    the seat on turn does if its policy is `EXTERNAL`; such a policy does not call out of turn.
    """
    match, params = state.matches[i], rules.params
    turn = int(match[schema.TURN])
    seat, action = turn, schema.NO_ACTION
    others_may_call = params[schema.ANYONE_MAY_CHALLENGE] + params[schema.ANYONE_MAY_CALL_EXACT] != 0
    for _ in range(match[schema.ALIVE_COUNT] - 1):
        calls = can_challenge(rules, state, i, seat), can_call_exact(rules, state, i, seat)
        choice = schema.NO_ACTION
        if policies.kinds[seat] == schema.THRESHOLD:
            choice = int(threshold_action(rules, state, policies, i, seat, calls))
        elif policies.kinds[seat] == schema.UNIFORM and seat == turn:
            choice = int(uniform_action(rules, state, i, calls))
        elif policies.kinds[seat] == schema.UNIFORM:
            choice = int(uniform_call_out_of_turn(state, i, calls))
        elif seat == turn:
            choice = int(external_action)
        if seat == turn:
            action = choice
            if match[schema.STANDING_BID] < 0 or action < schema.FIRST_BID or not others_may_call:
                break
        elif choice != schema.NO_ACTION:
            return seat, choice
        seat = int(next_seat(state, i, seat, match[schema.STEP]))
    return turn, action


@entry_point
def advance_matches(
    rules: RuleArrays,
    state: BatchState,
    policies: PolicyArrays,
    seats: Int32Array,
    actions: Int32Array,
    mode: tuple[bool, bool, bool, bool, int],
) -> int:
    """Advance every match: choose actions, apply them, deal; once or until the match waits.

    There is one kernel for all modes, since it takes seconds to compile. `mode`: whether policies choose, whether
    actions are applied, whether matches go on until they wait, whether dice are rolled, and the round after which no
    further round is dealt. `seats`, `actions`: int32 [match]. If policies do not choose, they are the actions to apply
    (`NO_ACTION` for none). If they choose, `actions` holds on entry the actions of `EXTERNAL` seats on turn, and both
    hold afterwards what was chosen.

    Returns the first match with an illegal action, in which case no match is changed, or -1.
    """
    chooses, applies, goes_on, rolls, last_round = mode
    for i in range(actions.size):
        if actions[i] != schema.NO_ACTION:
            seat = state.matches[i, schema.TURN] if chooses else seats[i]
            if not 0 <= seat < state.seats.shape[1] or (chooses and policies.kinds[seat] != schema.EXTERNAL):
                return i
            if not is_legal(rules, state, i, seat, actions[i]):
                return i
    for i in range(actions.size):
        match = state.matches[i]
        while True:
            applied = False
            if match[schema.PHASE] == schema.BIDDING:
                if chooses:
                    seats[i], actions[i] = choose_action(rules, state, policies, i, actions[i])
                applied = applies and actions[i] != schema.NO_ACTION
                if applied:
                    apply_action(rules, state, i, seats[i], actions[i])
                    if goes_on:
                        actions[i] = schema.NO_ACTION
            elif chooses:
                seats[i], actions[i] = -1, schema.NO_ACTION
            dealt = match[schema.PHASE] == schema.DEAL and match[schema.ROUND] < last_round
            if dealt:
                start_round(rules, state, i)
                if rolls:
                    roll_dice(state, i)
            if not (goes_on and (applied or dealt)):
                break
    return -1


@entry_point
def play_ordered_rounds(game: OrderedBids, count: int, first: tuple[int, int], results: RoundArrays) -> None:
    """Play `count` rounds of uniform random play; the same rounds that `advance_matches` plays from the same seed.

    `first`: the seed, and the number of the first round. `results`: filled in place. The generator's numbers can be
    computed in any order, so dice are rolled only when they are counted: numbers 1 to `game.dice` are the dice, the
    next ones the bids.
    """
    places, bid_count = np.uint64(game.places), np.uint64(game.places * game.max_quantity)
    faces, wild_face, one = np.uint64(game.face_count), np.uint64(game.wild_face), np.uint64(1)
    for i in range(count):
        start = first_state(first[0], first[1] + i)
        x = start + np.uint64(game.dice + 1) * GAMMA
        higher_bids = bid_count - one - ((mix_bits(x) >> np.uint64(32)) * bid_count >> np.uint64(32))
        bids = 1
        while True:
            x += GAMMA
            drawn = (mix_bits(x) >> np.uint64(32)) * (higher_bids + one) >> np.uint64(32)
            if drawn == higher_bids:  # the last of all actions is the challenge
                break
            higher_bids -= drawn + one
            bids += 1
        standing = bid_count - one - higher_bids
        quantity = standing // places
        face, matching = np.uint64(game.faces[standing - quantity * places]), 0
        for die in range(1, game.dice + 1):
            side = (mix_bits(start + np.uint64(die) * GAMMA) >> np.uint64(32)) * faces >> np.uint64(32)
            matching += (side == face) | (side == wild_face)
        bidder = (bids - 1) % game.outcomes.shape[0]
        outcome = game.outcomes[bidder, matching - 1 - int(quantity) + game.max_quantity]
        results.starter[i], results.special[i] = outcome[0], outcome[1]
        results.loser[i], results.caller[i], results.actions[i] = outcome[2], outcome[3], bids + 1
        for seat in range(results.dice.shape[1]):
            results.dice[i, seat] = outcome[4 + seat]
