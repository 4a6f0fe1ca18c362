"""From a ruleset and its seats to arrays: what the simulator's kernels read, and all that they know of rules.

Where the core has a function, it fills the array; where it has a number, the number is copied.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np

from liarsdice.core.actions import Challenge, Exact, Move, SetDirection
from liarsdice.core.engine.engine import seated
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.bid_space import may_open_on
from liarsdice.core.rules.bids import Bid, beats, face_order, highest_quantity
from liarsdice.core.rules.ruleset import ExactCall, Ruleset, SpecialRound
from liarsdice.core.rules.tally import wilds_after_bid, wilds_at_start
from liarsdice.sim import array_schema as f

MOST_MENU = 20_000
"""Bids on one menu: a table of what beats what is kept for all of them."""

CALLS: Mapping[Move, int] = {
    Challenge(): f.CHALLENGE,
    Exact(): f.EXACT,
    SetDirection(c.Direction.CLOCKWISE): f.CLOCKWISE,
    SetDirection(c.Direction.ANTICLOCKWISE): f.ANTICLOCKWISE,
}


class Compiled(msgspec.Struct, frozen=True):
    """A ruleset for so many seats as arrays.

    `dice`: by seat, what a match begins with. `menu`: every bid that can ever be made, in the order of its number.
    `bounded`: whether the rules themselves set the highest quantity; where they set none, more than all dice that can
    be on the table is not offered. `longest_round`: the most bids of a round.
    """

    ruleset: Ruleset
    dice: tuple[int, ...]
    menu: tuple[Bid, ...]
    bounded: bool
    longest_round: int
    arrays: f.RuleArrays

    @property
    def seats(self) -> int:
        """How many play."""
        return len(self.dice)

    @property
    def actions(self) -> int:
        """How many actions have a number: two calls, two directions, and the menu."""
        return f.FIRST_BID + len(self.menu)

    def number_of(self, action: Move) -> int:
        """The number of an action. Raises `MalformedError` for a bid that is on no menu.

        >>> from liarsdice.core.rules.presets import preset
        >>> rules = compiled(preset("openspiel").ruleset, 2)
        >>> rules.number_of(Challenge()), rules.number_of(Bid(1, 1)), rules.number_of(Bid(2, 1))
        (0, 4, 10)
        """
        if not isinstance(action, Bid):
            return CALLS[action]
        faces = face_order(self.ruleset)
        most = len(self.menu) // len(faces)
        if action.face in faces and 1 <= action.quantity <= most:
            return f.FIRST_BID + (action.quantity - 1) * len(faces) + faces.index(action.face)
        raise MalformedError(f"{action!r} is not on the menu (1 to {most} dice of the faces {faces})")

    def action_at(self, number: int) -> Move:
        """The action of a number. Raises `MalformedError` for a number that no action has."""
        if not 0 <= number < self.actions:
            raise MalformedError(f"actions have numbers from 0 to {self.actions - 1}, not {number!r}")
        return self.menu[number - f.FIRST_BID] if number >= f.FIRST_BID else list(CALLS)[number]


def compiled(rules: Ruleset, seats: int, dice: tuple[int, ...] | None = None) -> Compiled:
    """The arrays of a ruleset for so many seats. `dice`: what each begins with, None for what the rules say.

    Penalties are no moves and nobody reports any here; how the first starter is found makes no difference, since all
    dice are alike: one is drawn. Raises `MalformedError` for seats that the rules don't have, and `UnavailableError`
    where the menu would be too long.
    """
    seated(rules, [str(seat) for seat in range(seats)])
    dice = (rules.dice.per_player,) * seats if dice is None else dice
    if len(dice) != seats or min(dice) < 0 or sum(held > 0 for held in dice) < 2:
        raise MalformedError(f"a match of {seats} seats begins with dice for each, at least two with some, not {dice}")
    on_table = _most_dice(rules, dice)
    cap, bounded = _cap(rules, on_table, seats)
    places = face_order(rules)
    if cap * len(places) > MOST_MENU:
        raise UnavailableError(
            f"under these rules {cap} dice may be bid on {len(places)} faces; a menu holds at most {MOST_MENU} bids"
        )
    menu = tuple(Bid(quantity, face) for quantity in range(1, cap + 1) for face in places)
    limit = rules.guards.max_bids_per_round
    raises = _raises(rules, places, cap)
    fixed = -1 if bounded and rules.bidding.cap is c.Cap.DICE_IN_PLAY else cap
    arrays = f.RuleArrays(
        numbers=_numbers(rules, fixed, in_line=_in_line(raises, cap)),
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
        tops=_ints([highest_quantity(rules, (held,)) or 0 for held in range(on_table + 1)]),
        starting=_ints(dice),
    )
    # a bid may come back only where it could come back for ever, and that is refused
    longest = len(menu) if limit is None else min(limit, len(menu))
    return Compiled(rules, dice, menu, bounded, longest, arrays)


def _ints(values: object) -> f.Ints:
    return np.array(values, np.int32)


def _most_dice(rules: Ruleset, dice: tuple[int, ...]) -> int:
    """The most dice that can ever be on the table."""
    call = rules.exact_call
    if call is None or call.success_gain == 0:
        return sum(dice)
    if call.gain_cap is c.GainCap.STARTING_DICE and rules.loss.destination is c.Destination.DISCARD:
        return sum(max(held, rules.dice.per_player) for held in dice if held)
    rounds = rules.guards.max_rounds
    calls = len(dice) * call.budget if call.budget is not None else rounds
    assert calls is not None, "the validator asks for a limit"
    return sum(dice) + call.success_gain * (calls if rounds is None else min(calls, rounds))


def _cap(rules: Ruleset, on_table: int, seats: int) -> tuple[int, bool]:
    """The highest quantity that can ever be bid, and whether the rules say so."""
    bonus = seats if rules.count.hand_bonus is c.HandBonus.STAIRS else 0
    match rules.bidding.cap:
        case None:
            least, most = rules.bidding.min_open, rules.bidding.max_open
            return max(on_table + bonus, least if isinstance(least, int) else 1, most or 1), False
        case c.Cap.DICE_IN_PLAY:
            return on_table + bonus, True
        case int() as cap:
            return cap, True


def _raises(rules: Ruleset, places: tuple[int, ...], cap: int) -> f.Ints:
    """By bid, the fewest and the most dice of each face that beat it.

    They are without gaps, and the fewest never fall as the standing bid grows, so that one walk up finds them all.
    """
    found = np.empty((cap * len(places), 2, len(places)), np.int32)
    for at, old in enumerate(places):
        for place, new in enumerate(places):
            least = 1
            for quantity in range(1, cap + 1):
                standing = Bid(quantity, old)
                while least <= cap and not beats(rules, standing, Bid(least, new)):
                    least += 1
                most = least if least <= cap and not beats(rules, standing, Bid(cap, new)) else cap
                while most < cap and beats(rules, standing, Bid(most + 1, new)):
                    most += 1
                found[(quantity - 1) * len(places) + at, :, place] = least, most
    return found


def _in_line(raises: f.Ints, cap: int) -> bool:
    """Whether each bid of the menu beats all before it, and no other."""
    places = raises.shape[2]
    quantity, place = np.divmod(np.arange(len(raises)), places)
    least = 1 + quantity[:, None] + (np.arange(places) <= place[:, None])
    return bool((raises[:, 0] == least).all() and (raises[:, 1] == cap).all())


def _opens(rules: Ruleset, places: tuple[int, ...]) -> f.Ints:
    return _ints([[may_open_on(rules, face, special_round=special) for face in places] for special in (False, True)])


def _numbers(rules: Ruleset, fixed_cap: int, *, in_line: bool) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    numbers = np.full(f.RULE_NUMBERS, -1, np.int64)
    bidding, loss, guards, turn = rules.bidding, rules.loss, rules.guards, rules.turn
    said: dict[int, int | None] = {
        f.SPECIAL_FACE: rules.dice.special_face - 1,
        f.FIXED_CAP: fixed_cap,
        f.LEAST_OPEN: bidding.min_open if isinstance(bidding.min_open, int) else None,
        f.MOST_OPEN: bidding.max_open,
        f.NO_REPEAT: bidding.no_repeat,
        f.MOST_BIDS: guards.max_bids_per_round,
        f.MOST_ROUNDS: guards.max_rounds,
        f.NEEDS_NATURAL: rules.wilds.needs_natural,
        f.STAIRS: rules.count.hand_bonus is c.HandBonus.STAIRS,
        f.ANYONE_CHALLENGES: rules.challenge.who is c.WhoCalls.ANYONE_BUT_BIDDER,
        f.BY_DIFFERENCE: loss.mode is c.LossMode.DIFFERENCE,
        f.LOSS: loss.fixed,
        f.LOSS_EXACT: loss.exact,
        f.LATE_FACTOR: loss.out_of_turn_factor,
        f.ALL_BUT_BIDDER: loss.on_exact is c.OnExact.ALL_BUT_BIDDER,
        f.TO_OPPONENT: loss.destination is c.Destination.OPPONENT,
        f.STARTS: list(c.NextStarter).index(rules.next_starter.rule),
        f.STARTS_INSTEAD: list(c.IfEliminated).index(rules.next_starter.if_eliminated),
        f.MAY_REVERSE: turn.starter_may_reverse,
        f.DIRECTION: turn.direction.step,
        f.PERSISTS: turn.reversal_persists,
        f.IN_LINE: in_line,
    }
    said |= _exact_numbers(rules, rules.exact_call) | _special_numbers(rules.special_round)
    for place, number in said.items():
        if number is not None:
            numbers[place] = number
    return numbers


def _exact_numbers(rules: Ruleset, call: ExactCall | None) -> dict[int, int | None]:
    if call is None:
        return {f.HAS_EXACT: False, f.ANYONE_EXACT: False}
    return {
        f.HAS_EXACT: True,
        f.ANYONE_EXACT: call.who is c.WhoCalls.ANYONE_BUT_BIDDER,
        f.GAIN: call.success_gain,
        f.GAIN_LIMIT: rules.dice.per_player if call.gain_cap is c.GainCap.STARTING_DICE else None,
        f.FULL_FORBIDDEN: call.at_cap is c.AtCap.FORBIDDEN,
        f.FAILURE_LOSS: call.failure_loss,
        f.BIDDER_LOSS: call.bidder_loss,
        f.OTHERS_LOSS: call.others_loss,
        f.EXACT_PLAYERS: call.min_players,
        f.EXACT_IN_SPECIAL: call.in_special_round,
        f.EXACT_STARTS: list(c.NextStarter).index(call.next_starter),
        f.EXACT_INSTEAD: list(c.IfEliminated).index(call.if_eliminated),
        f.BUDGET: call.budget,
    }


def _special_numbers(special: SpecialRound | None) -> dict[int, int | None]:
    if special is None:
        return {f.HAS_SPECIAL: False, f.FACE_LOCKED: False, f.LOCK_EXEMPT: False}
    return {
        f.HAS_SPECIAL: True,
        f.FACE_LOCKED: special.face_locked,
        f.LOCK_EXEMPT: special.lock_exempt is c.LockExempt.HAD_SPECIAL,
        f.ONCE: special.repeat is c.Repeat.ONCE_PER_PLAYER,
        f.SPECIAL_PLAYERS: special.min_players,
    }
