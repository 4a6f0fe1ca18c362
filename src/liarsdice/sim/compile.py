"""Compile a ruleset into arrays: all that the simulator's kernels know of the rules.

Relations are tabulated by calling the core's own functions; numbers are copied.
"""

from collections.abc import Mapping

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.core.actions import Challenge, Exact, Move, SetDirection
from liarsdice.core.engine.engine import evolve, evolve_all, require_seat_count, start
from liarsdice.core.engine.settle import settle
from liarsdice.core.engine.state import Phase, next_seat
from liarsdice.core.errors import MalformedError, UnavailableError, described
from liarsdice.core.events import BidMade, Challenged, RoundStarted
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.bid_space import max_quantity, may_open_on, quantity_for
from liarsdice.core.rules.bids import Bid, face_order, raise_relation
from liarsdice.core.rules.meaning import forbids_repeats, reversal_persists, reversal_rounds, sheds
from liarsdice.core.rules.parts import ExactCall, SpecialRound
from liarsdice.core.rules.rule_costs import most_dice, require_simulated
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand, wilds_after_bid, wilds_at_start
from liarsdice.runtime.public_api import checked
from liarsdice.sim import array_schema as schema

MAX_BIDS = 20_000
"""The most bids that a ruleset may have here; `RuleArrays.raises` has a row for each of them."""
MAX_TABLE_DICE = 20_000
"""The most dice that exact calls may bring to the table; `RuleArrays.cap_per_dice` has a number for each of them."""

ACTION_IDS: Mapping[Move, int] = {
    Challenge(): schema.CHALLENGE,
    Exact(): schema.EXACT,
    SetDirection(c.Direction.CLOCKWISE): schema.CLOCKWISE,
    SetDirection(c.Direction.ANTICLOCKWISE): schema.ANTICLOCKWISE,
}


class CompiledRules(msgspec.Struct, frozen=True):
    """A ruleset for a number of seats, as arrays.

    `dice`: by seat, the dice at the start of a match. `bids`: every bid that can ever be made, by bid id. `has_cap`:
    whether the rules set the highest quantity; if not, quantities end at the most dice that can be on the table.
    `max_round_bids`: the most bids of a round.
    """

    ruleset: Ruleset
    dice: tuple[int, ...]
    bids: tuple[Bid, ...]
    has_cap: bool
    max_round_bids: int
    arrays: schema.RuleArrays

    @property
    def seat_count(self) -> int:
        """The number of seats."""
        return len(self.dice)

    @property
    def action_count(self) -> int:
        """The number of action ids: two calls, two directions and the bids."""
        return schema.FIRST_BID + len(self.bids)

    def action_id(self, action: Move) -> int:
        """The id of an action. Raises `MalformedError` for an action that these rules do not have.

        >>> from liarsdice.core.rules.presets import preset
        >>> rules = compile_rules(preset("openspiel").ruleset, 2)
        >>> rules.action_id(Challenge()), rules.action_id(Bid(1, 1)), rules.action_id(Bid(2, 1))
        (0, 4, 10)
        """
        if isinstance(action, Challenge | Exact | SetDirection) and action in ACTION_IDS:
            return ACTION_IDS[action]
        if not isinstance(action, Bid):
            raise MalformedError(f"{described(action)} is no action of these rules (a bid, a call or a direction)")
        faces = face_order(self.ruleset)
        highest = len(self.bids) // len(faces)
        if action.face in faces and 1 <= action.quantity <= highest:
            return schema.FIRST_BID + (action.quantity - 1) * len(faces) + faces.index(action.face)
        raise MalformedError(f"{described(action)} is no bid of these rules (1 to {highest} dice of the faces {faces})")

    @checked
    def action_from_id(self, action_id: int) -> Move:
        """The action with an id. Raises `MalformedError` if there is none."""
        if not 0 <= action_id < self.action_count:
            raise MalformedError(f"action ids go from 0 to {self.action_count - 1}, not {action_id!r}")
        is_bid = action_id >= schema.FIRST_BID
        return self.bids[action_id - schema.FIRST_BID] if is_bid else list(ACTION_IDS)[action_id]


def compile_rules(rules: Ruleset, seats: int, dice: tuple[int, ...] | None = None) -> CompiledRules:
    """Compile a ruleset for `seats` players. `dice`: by seat, the dice at the start; None for what the rules say.

    Penalties are not simulated. The first starter is drawn at random, whatever rule chooses it, since all dice are
    fair. Raises `MalformedError` for a number of seats or dice that the rules do not allow, and `UnavailableError` if
    there would be more than `MAX_BIDS` bids or `MAX_TABLE_DICE` dice, or under rules that the
    simulator does not know.
    """
    require_simulated(rules, "matches are simulated")
    require_seat_count(rules, seats)
    dice = (rules.dice.per_player,) * seats if dice is None else dice
    if len(dice) != seats or min(dice) < 0 or sum(held > 0 for held in dice) < 2:
        raise MalformedError(f"a match of {seats} seats begins with dice for each, at least two with some, not {dice}")
    max_dice = most_dice(rules, dice)
    if max_dice > MAX_TABLE_DICE:
        raise UnavailableError(
            f"under these rules there may be {max_dice} dice on the table; at most {MAX_TABLE_DICE} are compiled"
        )
    cap, has_cap = _cap(rules, max_dice, seats)
    places = face_order(rules)
    if cap * len(places) > MAX_BIDS:
        raise UnavailableError(
            f"under these rules {cap} dice may be bid on {len(places)} faces; at most {MAX_BIDS} bids are compiled"
        )
    bids = tuple(Bid(quantity, face) for quantity in range(1, cap + 1) for face in places)
    limit = rules.guards.max_bids_per_round
    raises = _raises(rules, places, cap)
    fixed_cap = -1 if has_cap and rules.bidding.cap is c.Cap.DICE_IN_PLAY else cap
    arrays = schema.RuleArrays(
        params=_params(rules, fixed_cap, ordered=_is_ordered(raises, cap)),
        raises=raises,
        opens=_opens(rules, places),
        wild_at_start=_ints([wilds_at_start(rules, special_round=special) for special in (False, True)]),
        wild_after=_ints(
            [
                [wilds_after_bid(rules, face, wilds_count=True, opening=opening) for face in places]
                for opening in (False, True)
            ]
        ),
        faces=_ints([face - 1 for face in places]),
        cap_per_dice=_ints([max_quantity(rules, (held,)) or 0 for held in range(max_dice + 1)]),
        start_dice=_ints(dice),
    )
    # a bid may come back only where it could come back for ever, and that is refused
    max_round_bids = len(bids) if limit is None else min(limit, len(bids))
    return CompiledRules(rules, dice, bids, has_cap, max_round_bids, arrays)


def _ints(values: object) -> schema.Int32Array:
    return np.array(values, np.int32)


def _cap(rules: Ruleset, max_dice: int, seats: int) -> tuple[int, bool]:
    """The highest quantity that can ever be bid, and whether the rules set it."""
    bonus = seats if rules.count.hand_bonus is c.HandBonus.STAIRS else 0
    match rules.bidding.cap:
        case None:
            least, most = rules.bidding.min_open, rules.bidding.max_open
            lowest = least if isinstance(least, int) else quantity_for(least, seats)
            return max(max_dice + bonus, lowest, most or 1), False
        case c.Cap.DICE_IN_PLAY:
            return max_dice + bonus, True
        case int() as cap:
            return cap, True


def _raises(rules: Ruleset, places: tuple[int, ...], cap: int) -> schema.Int32Array:
    """`RuleArrays.raises`: int32 [bid id, 0 or 1, place], the lowest and the highest quantity that beats each bid.

    The quantities of one face that beat a bid have no gaps, and the lowest never falls as the quantity of the standing
    bid grows, so that one pass upwards finds them all.
    """
    beats = raise_relation(rules)
    ranges = np.empty((cap * len(places), 2, len(places)), np.int32)
    for old_place, old_face in enumerate(places):
        for new_place, new_face in enumerate(places):
            low = 1
            for quantity in range(1, cap + 1):
                standing = Bid(quantity, old_face)
                while low <= cap and not beats(standing, Bid(low, new_face)):
                    low += 1
                high = low if low <= cap and not beats(standing, Bid(cap, new_face)) else cap
                while high < cap and beats(standing, Bid(high + 1, new_face)):
                    high += 1
                ranges[(quantity - 1) * len(places) + old_place, :, new_place] = low, high
    return ranges


def _is_ordered(raises: schema.Int32Array, cap: int) -> bool:
    """Whether each bid beats exactly the bids with a lower id."""
    places = raises.shape[2]
    quantity, place = np.divmod(np.arange(len(raises)), places)
    low = 1 + quantity[:, None] + (np.arange(places) <= place[:, None])
    return bool((raises[:, 0] == low).all() and (raises[:, 1] == cap).all())


def _opens(rules: Ruleset, places: tuple[int, ...]) -> schema.Int32Array:
    return _ints([[may_open_on(rules, face, special_round=special) for face in places] for special in (False, True)])


def _params(rules: Ruleset, fixed_cap: int, *, ordered: bool) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    params = np.full(schema.RULE_FIELDS, -1, np.int64)
    bidding, loss, guards, turn = rules.bidding, rules.loss, rules.guards, rules.turn
    values: dict[int, int | None] = {
        schema.SPECIAL_FACE: rules.dice.special_face - 1,
        schema.FIXED_CAP: fixed_cap,
        schema.MIN_OPEN: least if isinstance(least := bidding.min_open, int) else -1 - list(c.MinOpen).index(least),
        schema.MAX_OPEN: bidding.max_open,
        schema.NO_REPEAT: forbids_repeats(rules),
        schema.MAX_BIDS: guards.max_bids_per_round,
        schema.MAX_ROUNDS: guards.max_rounds,
        schema.NEEDS_NATURAL: rules.wilds.needs_natural,
        schema.STAIRS_BONUS: rules.count.hand_bonus is c.HandBonus.STAIRS,
        schema.ANYONE_MAY_CHALLENGE: rules.challenge.who is c.WhoCalls.ANYONE_BUT_BIDDER,
        schema.LOSS_BY_DIFFERENCE: loss.mode is c.LossMode.DIFFERENCE,
        schema.FIXED_LOSS: loss.fixed,
        schema.LOSS_ON_EXACT_COUNT: loss.exact,
        schema.OUT_OF_TURN_FACTOR: loss.out_of_turn_factor,
        schema.ALL_BUT_BIDDER_LOSE: loss.on_exact is c.OnExact.ALL_BUT_BIDDER,
        schema.SHED_BY: list(c.ShedBy).index(loss.shed_by) if isinstance(loss.shed_by, c.ShedBy) else None,
        schema.LOST_DICE_TO_OPPONENT: loss.destination is c.Destination.OPPONENT,
        schema.NEXT_STARTER: list(c.NextStarter).index(rules.next_starter.rule),
        schema.STARTER_IF_ELIMINATED: list(c.IfEliminated).index(rules.next_starter.if_eliminated),
        schema.REVERSAL_ROUNDS: reversal_rounds(rules),
        schema.START_STEP: turn.direction.step,
        schema.REVERSAL_PERSISTS: reversal_persists(rules),
        schema.BIDS_ARE_ORDERED: ordered,
    }
    values |= _exact_call_params(rules, rules.exact_call) | _special_round_params(rules.special_round)
    for field, value in values.items():
        if value is not None:
            params[field] = value
    return params


def _exact_call_params(rules: Ruleset, call: ExactCall | None) -> dict[int, int | None]:
    if call is None:
        return {
            schema.HAS_EXACT_CALL: False,
            schema.ANYONE_MAY_CALL_EXACT: False,
            schema.NEXT_MAY_NOT_CALL_EXACT: False,
        }
    shed = sheds(rules)  # then a right call costs the others nothing, and players may hold all their dice
    return {
        schema.HAS_EXACT_CALL: True,
        schema.ANYONE_MAY_CALL_EXACT: call.who is not c.WhoCallsExact.NEXT_PLAYER,
        schema.NEXT_MAY_NOT_CALL_EXACT: call.who is c.WhoCallsExact.OUT_OF_TURN,
        schema.EXACT_GAIN: call.success_gain,
        schema.EXACT_GAIN_CAP: rules.dice.per_player if call.gain_cap is c.GainCap.STARTING_DICE and not shed else None,
        schema.EXACT_FORBIDDEN_AT_CAP: call.at_cap is c.AtCap.FORBIDDEN,
        schema.EXACT_FAILURE_LOSS: call.failure_loss,
        schema.EXACT_BIDDER_LOSS: 0 if shed else call.bidder_loss,
        schema.EXACT_OTHERS_LOSS: 0 if shed else call.others_loss,
        schema.EXACT_MIN_PLAYERS: call.min_players,
        schema.EXACT_IN_SPECIAL_ROUND: call.in_special_round,
        schema.EXACT_NEXT_STARTER: list(c.NextStarter).index(call.next_starter),
        schema.EXACT_STARTER_IF_ELIMINATED: list(c.IfEliminated).index(call.if_eliminated),
        schema.EXACT_BUDGET: call.budget,
    }


def _special_round_params(special: SpecialRound | None) -> dict[int, int | None]:
    if special is None:
        return {schema.HAS_SPECIAL_ROUND: False, schema.FACE_LOCKED: False, schema.LOCK_EXEMPT: False}
    return {
        schema.HAS_SPECIAL_ROUND: True,
        schema.FACE_LOCKED: special.face_locked,
        schema.LOCK_EXEMPT: special.lock_exempt is c.LockExempt.HAD_SPECIAL,
        schema.SPECIAL_ONCE_PER_PLAYER: special.repeat is c.Repeat.ONCE_PER_PLAYER,
        schema.SPECIAL_MIN_PLAYERS: special.min_players,
    }


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
    other_actions = (schema.ANYONE_MAY_CHALLENGE, schema.HAS_EXACT_CALL, schema.REVERSAL_ROUNDS)
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
