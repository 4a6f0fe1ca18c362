"""Playing compiled rules: bids, calls, deals and whole matches; one file, since compiled callers remember callees.

Every function works on one match of a table. Nothing is allocated, and no reference is counted (`_nrt`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from liarsdice.sim.array_schema import (
    ACTIONS,
    AFTER_LOSER,
    ALIVE,
    ALL_BUT_BIDDER,
    ANTICLOCKWISE,
    ANYONE_CHALLENGES,
    ANYONE_EXACT,
    ASKED,
    BEFORE,
    BIDDER,
    BIDDER_LOSS,
    BIDDING,
    BIDS,
    BUDGET,
    BY_DIFFERENCE,
    CALLED,
    CALLED_BID,
    CALLED_BIDDER,
    CALLED_BY,
    CALLER,
    CHALLENGE,
    CHANGE,
    CHOSEN,
    CLOCKWISE,
    COUNTED,
    DEAL,
    DICE,
    DIRECTION,
    ENDED_BY,
    EXACT,
    EXACT_CALLS,
    EXACT_IN_SPECIAL,
    EXACT_INSTEAD,
    EXACT_PLAYERS,
    EXACT_STARTS,
    EXEMPT,
    FACE_LOCKED,
    FAILURE_LOSS,
    FIRST_BID,
    FIXED_CAP,
    FULL_FORBIDDEN,
    GAIN,
    GAIN_LIMIT,
    HAD_SPECIAL,
    HAS_EXACT,
    HAS_SPECIAL,
    IN_LINE,
    LAST_PLAYER,
    LATE,
    LATE_FACTOR,
    LATEST,
    LEAST_OPEN,
    LOCK_EXEMPT,
    LOSER,
    LOSS,
    LOSS_EXACT,
    LOST_BY,
    MAY_REVERSE,
    MOST_BIDS,
    MOST_OPEN,
    MOST_ROUNDS,
    NEEDS_NATURAL,
    NO_REPEAT,
    ONCE,
    OPPONENT,
    OTHERS_LOSS,
    OUT_IN,
    OVER,
    PERSISTS,
    PHASE,
    PREVIOUS,
    ROUND,
    ROUND_ACTIONS,
    ROUNDS_OVER,
    SILENT,
    SPECIAL,
    SPECIAL_FACE,
    SPECIAL_PLAYERS,
    STAIRS,
    STANDING,
    STARTED_BY,
    STARTER,
    STARTS,
    STARTS_INSTEAD,
    STEP,
    STOOD_BY,
    THRESHOLD,
    TO_OPPONENT,
    TOP,
    TURN,
    UNIFORM,
    WAS_SPECIAL,
    WAS_WILD,
    WILD,
    WINNER,
    WON,
    Chances,
    Found,
    Ints,
    Line,
    Minds,
    RuleArrays,
    TableArrays,
)

F = TypeVar("F", bound=Callable[..., Any])

GAMMA = np.uint64(0x9E3779B97F4A7C15)
FIRST_MIX = np.uint64(0xBF58476D1CE4E5B9)
SECOND_MIX = np.uint64(0x94D049BB133111EB)
ONE_IN_TWENTY = 20
"""How often the uniform mind calls out of turn, as the random bot does."""
CLEARLY = 0.5
"""The worth, in dice, from which the threshold mind calls exact out of turn, as the bot does."""

_HOW: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}


def _compiled(function: F) -> F:
    return cast("F", njit(cache=True, **_HOW)(function))


def _within(function: F) -> F:
    """Compiled into whatever calls it: handing over a dozen arrays would cost more than the work."""
    return cast("F", njit(forceinline=True, **_HOW)(function))


@_within
def _mix(x: Any) -> Any:  # noqa: ANN401  an unsigned number, which Python has no type for
    """SplitMix64's finaliser: Steele, Lea and Flood, *Fast Splittable Pseudorandom Number Generators* (2014)."""
    x = (x ^ (x >> np.uint64(30))) * FIRST_MIX
    x = (x ^ (x >> np.uint64(27))) * SECOND_MIX
    return x ^ (x >> np.uint64(31))


@_within
def _below(table: TableArrays, i: int, count: int) -> int:
    """A number of 0..count-1, all alike likely up to one part in 2^32 / count."""
    table.chance[i] += GAMMA
    return int(((_mix(table.chance[i]) >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32))


@_within
def _seed(table: TableArrays, i: int, seed: int, number: int) -> None:
    """Chance for match `number` of a seed, whoever plays it."""
    table.chance[i] = _mix(_mix(np.uint64(seed) + GAMMA) ^ _mix(np.uint64(number) * GAMMA + FIRST_MIX))


@_within
def _neighbour(table: TableArrays, i: int, seat: int, step: int) -> int:
    """The nearest seat with dice in a direction."""
    count = table.seats.shape[1]
    for _ in range(count):
        seat += step
        if seat == count:
            seat = 0
        elif seat < 0:
            seat = count - 1
        if table.seats[i, seat, DICE] > 0:
            break
    return seat


@_within
def _reset(rules: RuleArrays, table: TableArrays, i: int, starter: int, starting: Ints) -> None:
    """A match before its first deal; `starter` -1: one of those with dice, by chance."""
    now, alive = table.now[i], 0
    for seat in range(starting.size):
        dice = starting[seat]
        for number in range(table.seats.shape[2]):
            table.seats[i, seat, number] = 0
        table.seats[i, seat, DICE] = dice
        alive += dice > 0
    if starter < 0:
        drawn = _below(table, i, alive)
        for seat in range(starting.size):
            if starting[seat] > 0:
                if drawn == 0:
                    starter = seat
                drawn -= 1
    for number in range(now.size):
        now[number] = 0
    now[PHASE], now[STARTER], now[TURN], now[STEP] = DEAL, starter, starter, rules.numbers[DIRECTION]
    now[SPECIAL], now[CALLED], now[STANDING], now[STOOD_BY], now[ALIVE] = -1, -1, -1, -1, alive


@_within
def _start_round(rules: RuleArrays, table: TableArrays, i: int) -> None:
    """Everything of a round but its dice."""
    now, numbers = table.now[i], rules.numbers
    special = int(now[SPECIAL] >= 0)
    top = alive = 0
    for seat in range(rules.starting.size):
        own = table.seats[i, seat]
        own[LATEST] = own[BEFORE] = -1
        own[EXEMPT] = own[HAD_SPECIAL] if special == 1 and numbers[LOCK_EXEMPT] == 1 else 0
        top += rules.tops[own[DICE]]
        alive += own[DICE] > 0
    if special:
        table.seats[i, now[SPECIAL], HAD_SPECIAL] = 1
    now[ROUND] += 1
    now[TURN], now[CHOSEN], now[BIDS], now[STANDING], now[STOOD_BY] = now[STARTER], 0, 0, -1, -1
    now[TOP] = top if numbers[FIXED_CAP] < 0 else numbers[FIXED_CAP]
    now[WILD], now[ALIVE], now[ROUND_ACTIONS] = rules.wild_at_start[special], alive, 0
    now[PHASE] = BIDDING
    _open_bids(rules, table, i)


@_within
def _roll(table: TableArrays, i: int) -> None:
    """Dice for everybody, from the match's own chance."""
    faces = table.hands.shape[2]
    for seat in range(table.seats.shape[1]):
        hand = table.hands[i, seat]
        for face in range(faces):
            hand[face] = 0
        for _ in range(table.seats[i, seat, DICE]):
            hand[_below(table, i, faces)] += 1


@_within
def _open_bids(rules: RuleArrays, table: TableArrays, i: int) -> None:
    """Put down which bids the seat on turn may make, face by face; repeats are looked for elsewhere."""
    now, numbers, limits = table.now[i], rules.numbers, table.open[i]
    places = rules.faces.size
    standing, top = now[STANDING], now[TOP]
    if numbers[MOST_BIDS] >= 0 and now[BIDS] >= numbers[MOST_BIDS]:
        for place in range(places):
            limits[0, place], limits[1, place] = 1, 0
    elif standing < 0:
        least = min(int(now[ALIVE]) if numbers[LEAST_OPEN] < 0 else numbers[LEAST_OPEN], int(top))
        most = int(top) if numbers[MOST_OPEN] < 0 else max(least, min(numbers[MOST_OPEN], int(top)))
        opens = rules.opens[int(now[SPECIAL] >= 0)]
        for place in range(places):
            limits[0, place], limits[1, place] = least, most if opens[place] else 0
    else:
        locked = now[SPECIAL] >= 0 and numbers[FACE_LOCKED] == 1 and table.seats[i, now[TURN], EXEMPT] == 0
        for place in range(places):
            limits[0, place] = rules.raises[standing, 0, place]
            limits[1, place] = min(rules.raises[standing, 1, place], top)
            if locked and place != standing % places:
                limits[1, place] = 0


@_within
def _was_made(table: TableArrays, i: int, bid: int) -> bool:
    for made in range(table.now[i, BIDS]):  # noqa: SIM110  `any` does not compile
        if table.history[i, made, 1] == bid:
            return True
    return False


@_within
def _may_bid(rules: RuleArrays, table: TableArrays, i: int, bid: int) -> bool:
    """Whether the seat on turn may make this bid."""
    places = rules.faces.size
    quantity, place = bid // places + 1, bid % places
    if quantity < table.open[i, 0, place] or quantity > table.open[i, 1, place]:
        return False
    return rules.numbers[NO_REPEAT] == 0 or not _was_made(table, i, bid)


@_within
def _may_challenge(rules: RuleArrays, table: TableArrays, i: int, seat: int) -> bool:
    now = table.now[i]
    if now[PHASE] != BIDDING or now[STANDING] < 0 or table.seats[i, seat, DICE] == 0:
        return False
    return bool(seat == now[TURN] or (rules.numbers[ANYONE_CHALLENGES] == 1 and seat != now[STOOD_BY]))


@_within
def _may_call_exact(rules: RuleArrays, table: TableArrays, i: int, seat: int) -> bool:
    now, own, numbers = table.now[i], table.seats[i, seat], rules.numbers
    if numbers[HAS_EXACT] == 0 or now[PHASE] != BIDDING or now[STANDING] < 0 or own[DICE] == 0:
        return False
    if seat != now[TURN] and (numbers[ANYONE_EXACT] == 0 or seat == now[STOOD_BY]):
        return False
    if (now[SPECIAL] >= 0 and numbers[EXACT_IN_SPECIAL] == 0) or now[ALIVE] < numbers[EXACT_PLAYERS]:
        return False
    if numbers[BUDGET] >= 0 and own[EXACT_CALLS] >= numbers[BUDGET]:
        return False
    return not (numbers[FULL_FORBIDDEN] == 1 and 0 <= numbers[GAIN_LIMIT] <= own[DICE])


@_within
def _may_turn(rules: RuleArrays, table: TableArrays, i: int, seat: int) -> bool:
    """Whether the seat may choose the direction."""
    now = table.now[i]
    starts = now[PHASE] == BIDDING and now[STANDING] < 0 and now[CHOSEN] == 0 and seat == now[TURN]
    return bool(starts and rules.numbers[MAY_REVERSE] == 1)


@_within
def _may(rules: RuleArrays, table: TableArrays, i: int, seat: int, action: int) -> bool:
    """Whether an action may be done by a seat now."""
    if action == CHALLENGE:
        return _may_challenge(rules, table, i, seat)
    if action == EXACT:
        return _may_call_exact(rules, table, i, seat)
    if action in (CLOCKWISE, ANTICLOCKWISE):
        return _may_turn(rules, table, i, seat)
    now = table.now[i]
    if now[PHASE] != BIDDING or seat != now[TURN]:
        return False
    return action - FIRST_BID < rules.raises.shape[0] and _may_bid(rules, table, i, action - FIRST_BID)


@_within
def _is_stairs(hand: Ints, dice: int) -> bool:
    """Whether a hand is one die of each face up to as many as it holds."""
    if dice == 0 or dice > hand.size:
        return False
    for face in range(dice):  # noqa: SIM110  `all` does not compile
        if hand[face] != 1:
            return False
    return True


@_within
def _count(rules: RuleArrays, table: TableArrays, i: int, face: int) -> int:
    """How many dice on the table are on the side of a bid."""
    numbers, special = rules.numbers, rules.numbers[SPECIAL_FACE]
    wild = table.now[i, WILD] == 1 and face != special
    if wild and numbers[NEEDS_NATURAL] == 1:
        wild = False
        for seat in range(table.seats.shape[1]):
            wild |= table.hands[i, seat, face] > 0
    count = 0
    for seat in range(table.seats.shape[1]):
        hand, dice = table.hands[i, seat], table.seats[i, seat, DICE]
        if numbers[STAIRS] == 1 and _is_stairs(hand, dice):
            count += dice + 1
        else:
            count += hand[face] + (hand[special] if wild else 0)
    return count


@_within
def _lose(rules: RuleArrays, table: TableArrays, i: int, seat: int, dice: int, to: int) -> None:
    """Take at most what is held; `to` gets them where the rules say so."""
    seats = table.seats[i]
    dice = min(dice, int(seats[seat, DICE]))
    seats[seat, DICE] -= dice
    if rules.numbers[TO_OPPONENT] == 1:
        seats[to, DICE] += dice


@_within
def _pay_challenge(rules: RuleArrays, table: TableArrays, i: int, over: int) -> int:
    """Who loses a challenge pays; `over`: how many dice more there were than bid. The answer is who lost."""
    now, numbers = table.now[i], rules.numbers
    caller, bidder = now[CALLED_BY], now[CALLED_BIDDER]
    loser, winner = (bidder, caller) if over < 0 else (caller, bidder)
    dice = numbers[LOSS]
    if numbers[BY_DIFFERENCE] == 1:
        dice = abs(over) if over != 0 else numbers[LOSS_EXACT]
    if now[LATE]:
        dice *= numbers[LATE_FACTOR]
    if over == 0 and numbers[ALL_BUT_BIDDER] == 1:
        for seat in range(table.seats.shape[1]):
            if seat != bidder:
                _lose(rules, table, i, seat, dice, winner)
    else:
        _lose(rules, table, i, loser, dice, winner)
    return int(loser)


@_within
def _pay_exact(rules: RuleArrays, table: TableArrays, i: int, over: int) -> int:
    """Who is wrong pays; who is right gains, and the others may pay. The answer is who lost."""
    now, numbers, seats = table.now[i], rules.numbers, table.seats[i]
    caller, bidder = now[CALLED_BY], now[CALLED_BIDDER]
    if over != 0:
        _lose(rules, table, i, caller, numbers[FAILURE_LOSS], bidder)
        return int(caller)
    gain = numbers[GAIN]
    if numbers[GAIN_LIMIT] >= 0:
        gain = min(gain, numbers[GAIN_LIMIT] - seats[caller, DICE])
    if gain > 0:
        seats[caller, DICE] += gain
    for seat in range(seats.shape[0]):
        if seat != caller:
            dice = numbers[OTHERS_LOSS] + (numbers[BIDDER_LOSS] if seat == bidder else 0)
            _lose(rules, table, i, seat, dice, caller)
    return int(bidder)


@_within
def _next_starter(rules: RuleArrays, table: TableArrays, i: int) -> int:
    """Who opens the next round, special rounds apart."""
    now, numbers, seats = table.now[i], rules.numbers, table.seats[i]
    exact = now[CALLED] == EXACT
    rule = numbers[EXACT_STARTS] if exact else numbers[STARTS]
    instead = numbers[EXACT_INSTEAD] if exact else numbers[STARTS_INSTEAD]
    caller, bidder, loser, step = now[CALLED_BY], now[CALLED_BIDDER], now[LOST_BY], now[STEP]
    starter = int(loser)
    if rule == WINNER:
        starter = int(bidder if loser == caller else caller)
    elif rule == CALLER:
        starter = int(caller)
    elif rule == BIDDER:
        starter = int(bidder)
    elif rule != LOSER:
        starter = _neighbour(table, i, loser if rule == AFTER_LOSER else now[STARTER], step)
    if seats[starter, DICE] == 0:
        if instead == OPPONENT:  # who cannot be out as well
            starter = int(bidder if starter == caller else caller)
        else:
            starter = _neighbour(table, i, starter, -step if instead == PREVIOUS else step)
    return starter


@_within
def _special_seat(rules: RuleArrays, table: TableArrays, i: int) -> int:
    """Whose special round comes next: the first who fell to one die, from the caller on; -1 for nobody's."""
    now, numbers = table.now[i], rules.numbers
    if numbers[HAS_SPECIAL] == 0 or now[ALIVE] < numbers[SPECIAL_PLAYERS]:
        return -1
    count, seat = table.seats.shape[1], int(now[CALLED_BY])
    for _ in range(count):
        own = table.seats[i, seat]
        if own[DICE] == 1 and own[CHANGE] < 0 and not (numbers[ONCE] == 1 and own[HAD_SPECIAL] == 1):
            return seat
        seat += now[STEP]
        seat = 0 if seat == count else count - 1 if seat < 0 else seat
    return -1


@_within
def _end(table: TableArrays, i: int, reason: int) -> None:
    """The match is over: who holds most dice has won."""
    now, most = table.now[i], 0
    for seat in range(table.seats.shape[1]):
        most = max(most, table.seats[i, seat, DICE])
    for seat in range(table.seats.shape[1]):
        table.seats[i, seat, WON] = table.seats[i, seat, DICE] == most
    now[PHASE], now[ENDED_BY], now[SPECIAL] = OVER, reason, -1


@_within
def _settle(rules: RuleArrays, table: TableArrays, i: int, seat: int, action: int) -> None:
    """A call: the count, who pays, who is out, who opens the next round, and whether it is over."""
    now, numbers, seats = table.now[i], rules.numbers, table.seats[i]
    bid, places = now[STANDING], rules.faces.size
    now[CALLED], now[CALLED_BY], now[CALLED_BID], now[CALLED_BIDDER] = action, seat, bid, now[STOOD_BY]
    now[LATE], now[WAS_SPECIAL], now[WAS_WILD], now[STARTED_BY] = (
        seat != now[TURN],
        now[SPECIAL],
        now[WILD],
        now[STARTER],
    )
    now[COUNTED] = _count(rules, table, i, rules.faces[bid % places])
    over = now[COUNTED] - (bid // places + 1)
    for one in range(seats.shape[0]):
        seats[one, CHANGE] = -seats[one, DICE]
    if action == EXACT:
        seats[seat, EXACT_CALLS] += 1
        now[LOST_BY] = _pay_exact(rules, table, i, over)
    else:
        now[LOST_BY] = _pay_challenge(rules, table, i, over)
    alive = 0
    for one in range(seats.shape[0]):
        seats[one, CHANGE] += seats[one, DICE]
        alive += seats[one, DICE] > 0
        if seats[one, DICE] == 0 and seats[one, CHANGE] < 0:
            seats[one, OUT_IN] = now[ROUND]
    now[ALIVE] = alive
    if alive == 1:
        _end(table, i, LAST_PLAYER)
        return
    starter, special = _next_starter(rules, table, i), _special_seat(rules, table, i)
    if 0 <= numbers[MOST_ROUNDS] <= now[ROUND]:
        _end(table, i, ROUNDS_OVER)
        return
    now[SPECIAL], now[PHASE] = special, DEAL
    now[STARTER] = starter if special < 0 else special
    now[TURN] = now[STARTER]
    if numbers[PERSISTS] == 0:
        now[STEP] = numbers[DIRECTION]


@_within
def _do(rules: RuleArrays, table: TableArrays, i: int, seat: int, action: int) -> None:
    """Do what was judged to be legal."""
    now = table.now[i]
    now[ACTIONS] += 1
    now[ROUND_ACTIONS] += 1
    if action >= FIRST_BID:
        bid = action - FIRST_BID
        if now[WILD] == 1:
            now[WILD] = rules.wild_after[int(now[BIDS] == 0), bid % rules.faces.size]
        table.history[i, now[BIDS], 0], table.history[i, now[BIDS], 1] = seat, bid
        table.seats[i, seat, BEFORE] = table.seats[i, seat, LATEST]
        table.seats[i, seat, LATEST] = bid
        now[BIDS] += 1
        now[STANDING], now[STOOD_BY] = bid, seat
        now[TURN] = _neighbour(table, i, seat, now[STEP])
        _open_bids(rules, table, i)
    elif action in (CLOCKWISE, ANTICLOCKWISE):
        now[STEP], now[CHOSEN] = 1 if action == CLOCKWISE else -1, 1
    else:
        _settle(rules, table, i, seat, action)


@_within
def _drawn(rules: RuleArrays, table: TableArrays, i: int, calls: tuple[bool, bool]) -> int:
    """An action of the seat on turn, all alike likely."""
    may_challenge, may_call = calls
    limits, seat, places = table.open[i], table.now[i, TURN], rules.faces.size
    bids = repeats = 0
    for place in range(places):
        bids += max(0, limits[1, place] - limits[0, place] + 1)
    if rules.numbers[NO_REPEAT] == 1:
        for made in range(table.now[i, BIDS]):
            bid = table.history[i, made, 1]
            quantity, place = bid // places + 1, bid % places
            repeats += limits[0, place] <= quantity <= limits[1, place]
    may_turn = _may_turn(rules, table, i, seat)
    left = _below(table, i, bids - repeats + 2 * may_turn + may_challenge + may_call)
    if left >= bids - repeats:
        left -= bids - repeats
        if may_turn:
            return CLOCKWISE + left
        return CHALLENGE if may_challenge and left == 0 else EXACT
    if rules.numbers[IN_LINE] == 1:
        first = table.now[i, STANDING] + 1 if table.now[i, BIDS] else (limits[0, 0] - 1) * places
        if bids == limits[1, 0] * places - first:  # no face is left out
            return int(FIRST_BID + first + left)
    while True:
        if repeats:
            left = _below(table, i, bids)
        for place in range(places):
            size = max(0, limits[1, place] - limits[0, place] + 1)
            if left < size:
                bid = (limits[0, place] + left - 1) * places + place
                if repeats == 0 or not _was_made(table, i, bid):
                    return int(FIRST_BID + bid)
                break
            left -= size


@_within
def _drawn_call(table: TableArrays, i: int, calls: tuple[bool, bool]) -> int:
    """A call out of turn, one time in twenty."""
    may_challenge, may_call = calls
    if not (may_challenge or may_call) or _below(table, i, ONE_IN_TWENTY):
        return SILENT
    if may_challenge and may_call:
        return EXACT if _below(table, i, 2) else CHALLENGE
    return CHALLENGE if may_challenge else EXACT


@_within
def _others(table: TableArrays, chances: Chances, i: int, seat: int) -> int:
    """The row of what the others hold, as a seat sees them."""
    code = 0
    for other in range(table.seats.shape[1]):
        if other != seat:
            code += chances.codes[table.seats[i, other, DICE]]
    return int(chances.rows[code])


@_within
def _p_true(
    rules: RuleArrays, table: TableArrays, chances: Chances, i: int, seat: int, row: int, quantity: int, place: int
) -> float:
    """How likely it is to a seat that there are so many dice of a face, if what is wild stays so."""
    numbers, hand, face = rules.numbers, table.hands[i, seat], rules.faces[place]
    wild = table.now[i, WILD] == 1 and face != numbers[SPECIAL_FACE]
    kind, dice = chances.kinds[place, int(wild)], table.seats[i, seat, DICE]
    own = hand[face]
    if numbers[STAIRS] == 1 and _is_stairs(hand, dice):
        own = dice + 1
    elif wild:
        held = hand[numbers[SPECIAL_FACE]]
        if numbers[NEEDS_NATURAL] == 1 and own == 0:
            return chances.bare[row, held, quantity] if quantity < chances.bare.shape[2] else 0.0
        own += held
    needed = quantity - own
    if needed <= 0:
        return 1.0
    return chances.sure[row, kind, needed] if needed < chances.sure.shape[2] else 0.0


@_within
def _credit(rules: RuleArrays, table: TableArrays, i: int, seat: int, place: int, credit: float) -> float:
    """How many dice of a face the others are believed to hold, beyond chance, since they bid on it last."""
    total = 0.0
    if credit and not (table.now[i, SPECIAL] >= 0 and rules.numbers[FACE_LOCKED] == 1):
        for other in range(table.seats.shape[1]):
            latest = table.seats[i, other, LATEST]
            if other != seat and latest >= 0 and latest % rules.faces.size == place:
                total += credit
    return total


@_within
def _p_listening(
    rules: RuleArrays, table: TableArrays, minds: Minds, i: int, seat: int, row: int, quantity: int, place: int
) -> float:
    """`_p_true` to a seat that believes others, as `bots.outlook` has it: between whole dice on a straight line."""
    credit = _credit(rules, table, i, seat, place, minds.credit[seat])
    needed = max(quantity - credit, 0.0)
    below = int(needed)
    plain = low = 0.0
    for asked in range(3 if credit else 1):
        dice = quantity if asked == 0 else below + asked - 1
        p = _p_true(rules, table, minds.chances, i, seat, row, dice, place)
        if asked == 0:
            plain = p
            if plain == 0:
                break
        elif asked == 1:
            low = p
        else:
            share = needed - below
            return low + share * (p - low) if share else low
    return plain


@_within
def _lowest(rules: RuleArrays, table: TableArrays, i: int, place: int) -> int:
    """The fewest dice of a face that the seat on turn may bid, 0 where it may bid none."""
    places, limits = rules.faces.size, table.open[i]
    for quantity in range(limits[0, place], limits[1, place] + 1):
        if rules.numbers[NO_REPEAT] == 0 or not _was_made(table, i, (quantity - 1) * places + place):
            return quantity
    return 0


@_within
def _exact_worth(rules: RuleArrays, table: TableArrays, i: int, seat: int, p_exactly: float) -> float:
    """The worth of an exact call, in dice."""
    numbers = rules.numbers
    gain = numbers[GAIN]
    if numbers[GAIN_LIMIT] >= 0:
        gain = max(min(gain, numbers[GAIN_LIMIT] - table.seats[i, seat, DICE]), 0)
    right = gain + numbers[OTHERS_LOSS] + numbers[BIDDER_LOSS]
    return float(p_exactly * right - (1 - p_exactly) * numbers[FAILURE_LOSS])


@_within
def _threshold(rules: RuleArrays, table: TableArrays, minds: Minds, i: int, seat: int, calls: tuple[bool, bool]) -> int:
    """What the threshold bot does: see `bots.threshold`, and for calls out of turn `bots.calls`."""
    now, numbers, places, t = table.now[i], rules.numbers, rules.faces.size, minds.t[seat]
    on_turn, standing = seat == now[TURN], now[STANDING]
    may_challenge, may_call = calls
    row = _others(table, minds.chances, i, seat)
    p_standing = p_more = 0.0
    best_p, best_quantity, best_place = -1.0, 0, 0
    # the bids that it may make, then the standing one, and then one die more for an exact call
    for one in range(0 if on_turn else places, places if standing < 0 else places + 1 + may_call):
        if one < places:
            quantity, place = _lowest(rules, table, i, one), one
            if quantity == 0:
                continue
        else:
            quantity, place = standing // places + 1 + one - places, standing % places
        p = _p_listening(rules, table, minds, i, seat, row, quantity, place)
        if one == places:
            p_standing = p
        elif one > places:
            p_more = p
        elif p > best_p or (p == best_p and quantity < best_quantity):
            best_p, best_quantity, best_place = p, quantity, place
    exact_worth = _exact_worth(rules, table, i, seat, p_standing - p_more)
    if not on_turn:
        if may_challenge and p_standing < t / (numbers[LATE_FACTOR] * (now[ALIVE] - 1)):
            return CHALLENGE
        return EXACT if may_call and exact_worth > CLEARLY else SILENT
    if may_call:
        stake = 1 if numbers[BY_DIFFERENCE] == 1 else numbers[LOSS]
        instead = (1 - 2 * p_standing) * stake
        if best_quantity:
            instead = max(instead, (2 * best_p - 1) * stake)
        if exact_worth > instead:
            return EXACT
    if may_challenge and (best_quantity == 0 or p_standing < t):
        return CHALLENGE
    return int(FIRST_BID + (best_quantity - 1) * places + best_place)


@_within
def _decide(rules: RuleArrays, table: TableArrays, minds: Minds, i: int, asked: int) -> tuple[int, int]:
    """Who does what: a call of the seat on turn stands before those out of turn, and these in the order of play.

    `asked`: what the seat on turn does if its mind is asked from outside; such a mind does not call out of turn.
    """
    now, numbers = table.now[i], rules.numbers
    turn = int(now[TURN])
    seat, action = turn, SILENT
    for _ in range(now[ALIVE] - 1):
        calls = _may_challenge(rules, table, i, seat), _may_call_exact(rules, table, i, seat)
        choice = SILENT
        if minds.kinds[seat] == THRESHOLD:
            choice = int(_threshold(rules, table, minds, i, seat, calls))
        elif minds.kinds[seat] == UNIFORM and seat == turn:
            choice = int(_drawn(rules, table, i, calls))
        elif minds.kinds[seat] == UNIFORM:
            choice = int(_drawn_call(table, i, calls))
        elif seat == turn:
            choice = int(asked)
        if seat == turn:
            action = choice
            if now[STANDING] < 0 or action < FIRST_BID or numbers[ANYONE_CHALLENGES] + numbers[ANYONE_EXACT] == 0:
                break
        elif choice != SILENT:
            return seat, choice
        seat = int(_neighbour(table, i, seat, now[STEP]))
    return turn, action


@_compiled
def begin_all(
    rules: RuleArrays, table: TableArrays, which: NDArray[np.bool_], starters: Ints, dice: Ints, special: int
) -> None:
    """Begin the matches chosen anew, up to their first deal.

    `starters[match]`: -1 by chance; `dice[match, seat]`; `special`: whose special round the first one is, -1: nobody's.
    """
    for i in range(which.size):
        if which[i]:
            _reset(rules, table, i, starters[i], dice[i])
            table.now[i, SPECIAL] = special


@_compiled
def seed_all(table: TableArrays, seed: int, first: int) -> None:
    """Give every match its own chance: that of match `first`, and so on."""
    for i in range(table.chance.size):
        _seed(table, i, seed, first + i)


@_compiled
def legal_all(rules: RuleArrays, table: TableArrays, seats: Ints, found: NDArray[np.bool_]) -> None:
    """Mark in `found[match, action]` what one seat of each match may do; -1: nobody is asked."""
    places = rules.faces.size
    for i in range(seats.size):
        seat, marks = seats[i], found[i]
        for action in range(marks.size):
            marks[action] = False
        if not 0 <= seat < table.seats.shape[1] or table.now[i, PHASE] != BIDDING:
            continue
        marks[CHALLENGE] = _may_challenge(rules, table, i, seat)
        marks[EXACT] = _may_call_exact(rules, table, i, seat)
        marks[CLOCKWISE] = marks[ANTICLOCKWISE] = _may_turn(rules, table, i, seat)
        if seat == table.now[i, TURN]:
            for place in range(places):
                for quantity in range(table.open[i, 0, place], table.open[i, 1, place] + 1):
                    marks[FIRST_BID + (quantity - 1) * places + place] = True
            if rules.numbers[NO_REPEAT] == 1:
                for made in range(table.now[i, BIDS]):
                    marks[FIRST_BID + table.history[i, made, 1]] = False


@_compiled
def play_all(
    rules: RuleArrays,
    table: TableArrays,
    minds: Minds,
    seats: Ints,
    actions: Ints,
    how: tuple[bool, bool, bool, bool, int],
) -> int:
    """Do what matches wait for: decide, act, deal; once, or on and on. One kernel, since it takes long to compile.

    `how`: whether minds decide, whether actions are done, whether play goes on, whether dice are rolled, and the number
    of rounds after which nothing is dealt. Where no minds decide, `actions[match]` of `seats[match]` are done, or
    nothing where they are `SILENT`. Where they do, both are what was decided, and on entry `actions` is what seats on
    turn do that are asked. Play goes on until such a seat is on turn, until nothing is dealt, or to the end.

    The answer is the first match with an illegal action, and then nothing is done anywhere; -1 when all was legal.
    """
    decides, acts, goes_on, rolls, rounds = how
    for i in range(actions.size):
        if actions[i] != SILENT:
            seat = table.now[i, TURN] if decides else seats[i]
            if not 0 <= seat < table.seats.shape[1] or (decides and minds.kinds[seat] != ASKED):
                return i
            if not _may(rules, table, i, seat, actions[i]):
                return i
    for i in range(actions.size):
        now = table.now[i]
        while True:
            acted = False
            if now[PHASE] == BIDDING:
                if decides:
                    seats[i], actions[i] = _decide(rules, table, minds, i, actions[i])
                acted = acts and actions[i] != SILENT
                if acted:
                    _do(rules, table, i, seats[i], actions[i])
                    if goes_on:
                        actions[i] = SILENT
            elif decides:
                seats[i], actions[i] = -1, SILENT
            dealt = now[PHASE] == DEAL and now[ROUND] < rounds
            if dealt:
                _start_round(rules, table, i)
                if rolls:
                    _roll(table, i)
            if not (goes_on and (acted or dealt)):
                break
    return -1


@_compiled
def play_line(line: Line, number: int, chance: tuple[int, int], found: Found) -> None:
    """Play random rounds of rules under which every bid beats all before it, as `play_all` does from the same seed.

    `chance`: the seed, and the number of the first round. Dice are rolled when they are looked at: what a number of a
    match's chance is does not depend on when it is asked for.
    """
    places, menu, faces = np.uint64(line.places), np.uint64(line.places * line.top), np.uint64(line.faces)
    special, one = np.uint64(line.wild), np.uint64(1)
    for i in range(number):
        first = _mix(_mix(np.uint64(chance[0]) + GAMMA) ^ _mix(np.uint64(chance[1] + i) * GAMMA + FIRST_MIX))
        x = first + np.uint64(line.dice + 1) * GAMMA
        left = menu - one - ((_mix(x) >> np.uint64(32)) * menu >> np.uint64(32))
        bids = 1
        while True:
            x += GAMMA
            drawn = (_mix(x) >> np.uint64(32)) * (left + one) >> np.uint64(32)
            if drawn == left:  # the last of all actions is the challenge
                break
            left -= drawn + one
            bids += 1
        standing = menu - one - left
        quantity = standing // places
        face, counted = np.uint64(line.order[standing - quantity * places]), 0
        for die in range(1, line.dice + 1):
            side = (_mix(first + np.uint64(die) * GAMMA) >> np.uint64(32)) * faces >> np.uint64(32)
            counted += (side == face) | (side == special)
        outcome = line.outcomes[(bids - 1) % line.outcomes.shape[0], counted - 1 - int(quantity) + line.top]
        found.starter[i], found.special[i] = outcome[0], outcome[1]
        found.loser[i], found.caller[i], found.actions[i] = outcome[2], outcome[3], bids + 1
        for seat in range(found.dice.shape[1]):
            found.dice[i, seat] = outcome[4 + seat]
