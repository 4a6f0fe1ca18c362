"""The kernels of the environments: they step matches and write observations into arrays of the caller.

`Selection` says which seat of each match acts next, as `AgentSelector` defines it for seats that all act from
outside: before a bid of the seat on turn counts, each other seat that may call out of turn is asked.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.runtime.kernel_cache import cached_kernel
from liarsdice.runtime.source_digest import source_digest
from liarsdice.sim import array_schema as schema
from liarsdice.sim.array_schema import BatchState, Int32Array, PolicyArrays, RuleArrays
from liarsdice.sim.kernels.compilation import OPTIONS, SOURCES, inlined
from liarsdice.sim.kernels.policies import threshold_action, uniform_action, uniform_call_out_of_turn
from liarsdice.sim.kernels.transitions import (
    apply_action,
    can_call_exact,
    can_challenge,
    is_legal,
    is_stairs,
    merit,
    reset_match,
    roll_dice,
    start_round,
)

MATCH, ROUND, DICE, PLACING = range(4)
"""Kinds of rewards, in the order of `envs.in_place.REWARDS`."""

_entry_point = cached_kernel(source_digest(*SOURCES, "liarsdice_lab.envs.kernels"), OPTIONS)


class Selection(NamedTuple):
    """Who acts next, int32 [match] each.

    `seats`: the seat that acts next, -1 after the end. `callers`: the same seat if it is asked out of turn, else -1.
    `pending_actions`: the bid of the seat on turn that waits for the callers.
    """

    seats: Int32Array
    callers: Int32Array
    pending_actions: Int32Array


@inlined
def next_caller(rules: RuleArrays, state: BatchState, i: int, after: int) -> int:
    """The next seat after `after` that may call before the bid of the seat on turn counts, -1 for none."""
    match, count = state.matches[i], state.seats.shape[1]
    seat = after
    for _ in range(count - 1):
        seat += match[schema.STEP]
        seat = 0 if seat == count else count - 1 if seat < 0 else seat
        if seat == match[schema.TURN]:
            break
        if can_challenge(rules, state, i, seat) or can_call_exact(rules, state, i, seat):
            return int(seat)
    return -1


@inlined
def add_rewards(rules: RuleArrays, state: BatchState, i: int, kind: int, rewards: NDArray[np.float32]) -> None:
    """Add the rewards (float32 [seat]) of a round that has been settled, and of its match if that is over."""
    match, seats, count = state.matches[i], state.seats[i], state.seats.shape[1]
    if kind == ROUND:
        caller, bidder, loser = match[schema.CALL_SEAT], match[schema.CALL_BIDDER], match[schema.CALL_LOSER]
        rewards[loser] -= 1
        rewards[bidder if loser == caller else caller] += 1
    elif kind == DICE:
        total = 0
        for seat in range(count):
            total += seats[seat, schema.DICE_CHANGE]
        for seat in range(count):
            change = seats[seat, schema.DICE_CHANGE]
            kept = change - (total - change) / (count - 1)
            rewards[seat] += kept if rules.params[schema.SHED_BY] == schema.NOBODY_SHEDS else -kept
    elif match[schema.PHASE] == schema.OVER and kind == MATCH:
        winners = 0
        for seat in range(count):
            winners += seats[seat, schema.WON]
        for seat in range(count):
            if winners < count:
                rewards[seat] += 1 / winners if seats[seat, schema.WON] == 1 else -1 / (count - winners)
    elif match[schema.PHASE] == schema.OVER:
        for seat in range(count):
            ahead = 0
            own = merit(rules, state, i, seat)
            for other in range(count):
                theirs = merit(rules, state, i, other)
                ahead += 1 if theirs > own else -1 if theirs < own else 0
            rewards[seat] -= ahead / (count - 1)


@_entry_point
def step_matches(
    rules: RuleArrays,
    state: BatchState,
    selection: Selection,
    actions: Int32Array,
    rewards: NDArray[np.float32],
    terminals: NDArray[np.bool_],
    options: tuple[int, bool],
) -> int:
    """Apply the actions of the selected seats, and select the next ones.

    `actions`: int32 [match], `NO_ACTION` leaves a match as it is. `rewards`: float32 [match, seat], added to.
    `terminals`: bool [match], set where a match ends. `options`: the kind of rewards, and whether matches that have
    ended begin again at once. Returns the first match with an illegal action, in which case nothing is changed, or -1.
    """
    kind, resets = options
    params = rules.params
    silence = schema.FIRST_BID + rules.raises.shape[0]
    others_may_call = params[schema.ANYONE_MAY_CHALLENGE] + params[schema.ANYONE_MAY_CALL_EXACT] != 0
    for i in range(actions.size):
        action = actions[i]
        if action != schema.NO_ACTION:
            seat = selection.seats[i]
            is_silence = action == silence and selection.callers[i] >= 0
            if seat < 0 or not (is_silence or is_legal(rules, state, i, seat, action)):
                return i
    for i in range(actions.size):
        action = int(actions[i])
        if action == schema.NO_ACTION:
            continue
        match, seat, caller = state.matches[i], int(selection.seats[i]), -1
        if others_may_call:
            if action == silence:
                action = int(selection.pending_actions[i])
                caller = next_caller(rules, state, i, seat)
                seat = int(match[schema.TURN])
            elif selection.callers[i] < 0 and action >= schema.FIRST_BID and match[schema.STANDING_BID] >= 0:
                selection.pending_actions[i] = action
                caller = next_caller(rules, state, i, seat)
            selection.callers[i] = caller
            if caller >= 0:
                selection.seats[i] = caller
                continue
        apply_action(rules, state, i, seat, action)
        if match[schema.PHASE] != schema.BIDDING:
            add_rewards(rules, state, i, kind, rewards[i])
            if match[schema.PHASE] == schema.OVER:
                terminals[i] = True
                if resets:
                    reset_match(rules, state, i, -1, rules.start_dice)
            if match[schema.PHASE] == schema.DEAL:
                start_round(rules, state, i)
                roll_dice(state, i)
        selection.seats[i] = match[schema.TURN] if match[schema.PHASE] == schema.BIDDING else -1
    return -1


@_entry_point
def choose_actions(
    rules: RuleArrays,
    state: BatchState,
    policies: PolicyArrays,
    selection: Selection,
    matches: NDArray[np.intp],
    actions: Int32Array,
) -> None:
    """Write what the selected seats of some matches do by compiled policies into `actions`, int32 [match]."""
    for k in range(matches.size):
        i = matches[k]
        seat, on_turn = selection.seats[i], selection.callers[i] < 0
        calls = can_challenge(rules, state, i, seat), can_call_exact(rules, state, i, seat)
        action = schema.NO_ACTION
        if policies.kinds[seat] == schema.THRESHOLD:
            action = int(threshold_action(rules, state, policies, i, seat, calls))
        elif on_turn:
            action = int(uniform_action(rules, state, i, calls))
        else:
            action = int(uniform_call_out_of_turn(state, i, calls))
        actions[i] = schema.FIRST_BID + rules.raises.shape[0] if action == schema.NO_ACTION else action


@inlined
def write_bid(bids: NDArray[np.int16], bid: int, row: NDArray[np.int16], at: int) -> None:
    """Write the quantity and the face of a bid id, or nothing for -1, at a place of a row, int16 [row size]."""
    if bid >= 0:
        row[at], row[at + 1] = bids[bid, 0], bids[bid, 1]


@_entry_point
def write_observations(
    rules: RuleArrays,
    state: BatchState,
    selection: Selection,
    bids: NDArray[np.int16],
    rows: NDArray[np.int16],
) -> None:
    """Write what the selected seats observe into `rows`, int16 [match, row size], as `envs.layout` lists the fields.

    `bids`: int16 [bid id, 0 or 1], the quantity and the face of each bid.
    """
    faces, count, params = state.hands.shape[2], state.seats.shape[1], rules.params
    for i in range(rows.shape[0]):
        row, seat, match = rows[i], selection.seats[i], state.matches[i]
        for at in range(row.size):
            row[at] = 0
        if seat < 0:
            continue
        own, step, bid_count = state.hands[i, seat], match[schema.STEP], match[schema.BID_COUNT]
        row[0], row[1], row[2] = seat, selection.callers[i] < 0, match[schema.ROUND]
        row[3], row[4] = step > 0, match[schema.DIRECTION_CHOSEN]
        row[7], row[9] = match[schema.WILDS_COUNT], bid_count
        if params[schema.STAIRS_BONUS] == 1:
            row[8] = is_stairs(own, state.seats[i, seat, schema.DICE])
        write_bid(bids, match[schema.STANDING_BID], row, 10)
        at = 13
        for face in range(faces):
            row[at + face] = own[face]
        at += faces
        if match[schema.WILDS_COUNT] == 1:
            for place in range(rules.faces.size):
                row[at + rules.faces[place]] = rules.wild_after[int(bid_count == 0), place]
        at += faces
        other = seat
        for slot in range(count):
            seat_fields = state.seats[i, other]
            if other == match[schema.STARTER]:
                row[5] = slot
            if other == match[schema.SPECIAL_SEAT]:
                row[6] = 1 + slot
            if other == match[schema.STANDING_BIDDER]:
                row[12] = 1 + slot
            row[at + slot] = seat_fields[schema.DICE]
            row[at + count + slot] = seat_fields[schema.EXACT_CALLS]
            row[at + 2 * count + slot] = seat_fields[schema.HAD_SPECIAL]
            row[at + 3 * count + slot] = seat_fields[schema.EXEMPT]
            write_bid(bids, seat_fields[schema.LATEST_BID], row, at + 4 * count + 2 * slot)
            write_bid(bids, seat_fields[schema.PREVIOUS_BID], row, at + 6 * count + 2 * slot)
            other += step
            other = 0 if other == count else count - 1 if other < 0 else other
        at += 8 * count
        for number in range(bid_count):
            row[at + state.bid_history[i, number, 1]] = bid_count - number
