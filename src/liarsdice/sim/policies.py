"""Who plays in each seat of a simulated match: policies that run in the kernels, or actions from outside."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations_with_replacement

import msgspec
import numpy as np

from liarsdice.core.arguments import check_fields
from liarsdice.core.bids.odds import p_true
from liarsdice.core.errors import MalformedError, UnavailableError, described
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Destination, HandBonus
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.sim import array_schema as schema
from liarsdice.sim.array_schema import OddsTables
from liarsdice.sim.compile import CompiledRules

MAX_DICE = 100
"""With more dice on the table than this, the tables would take too long to compute."""
NEARLY = 0.5, 0.1
"""How probable a bid seems that needs up to one die more than the average, and more, to who takes that for certain."""
MAX_ROWS = 1_000_000
"""The most combinations of the opponents' hand sizes where whole hands earn a bonus."""


def empty_odds_tables() -> OddsTables:
    """Tables for policies that never look at them."""
    empty = np.zeros((1, 1, 1))
    return OddsTables(np.zeros(1, np.int64), np.zeros(1, np.int32), empty, empty, np.zeros((1, 2), np.int32))


@lru_cache(maxsize=64)
def make_odds_tables(rules: Ruleset, faces: tuple[int, ...], seats: int, max_hand: int, max_dice: int) -> OddsTables:
    """Tables of the probabilities of all bids on `faces`.

    `max_hand`: the most dice of one player. `max_dice`: the most dice on the table. Raises `UnavailableError` if there
    may be more than `MAX_DICE` dice, or if the hand sizes combine in more than `MAX_ROWS` ways.
    """
    if max_dice > MAX_DICE:
        raise UnavailableError(f"odds are worked out for at most {MAX_DICE} dice, and here there may be {max_dice}")
    if rules.count.hand_bonus is HandBonus.STAIRS:
        return _tables_by_hand_sizes(rules, faces, seats, max_hand, max_dice)
    special = rules.dice.special_face
    ordinary = next(face for face in (1, 2) if face != special)
    p_at_least = np.zeros((max_dice + 1, 2, max_dice + 2))
    for others in range(max_dice + 1):
        for kind in (0, 1):
            for needed in range(1, others + 1):
                # the own die of the face makes sure that a natural one is there, where the rules ask for one
                bid = Bid(needed + 1, ordinary)
                p_at_least[others, kind, needed] = p_true(rules, bid, (ordinary,), (others,), wilds_count=kind == 1)
    without_natural = np.zeros((1, 1, 1))
    if rules.wilds.needs_natural:
        without_natural = np.zeros((max_dice + 1, max_dice + 1, max_dice + 2))
        for others in range(max_dice + 1):
            for held in range(min(max_hand, max_dice - others) + 1):
                without_natural[others, held, 0] = 1.0
                for quantity in range(1, held + others + 1):
                    bid, hand = Bid(quantity, ordinary), (special,) * held
                    without_natural[others, held, quantity] = p_true(rules, bid, hand, (others,), wilds_count=True)
    face_kinds = np.array([[0, int(face != special)] for face in faces], np.int32)
    codes = np.arange(max_dice + 1)
    return OddsTables(codes, codes.astype(np.int32), p_at_least, without_natural, face_kinds)


def _tables_by_hand_sizes(
    rules: Ruleset, faces: tuple[int, ...], seats: int, max_hand: int, max_dice: int
) -> OddsTables:
    """Tables for rules under which whole hands earn a bonus, so that the sizes of the single hands matter.

    A combination of hand sizes is coded as a number to the base `seats`: its digit `d - 1` counts the hands of d dice.
    """
    if rules.wilds.needs_natural:
        raise UnavailableError("odds of hands with a bonus are not compiled where wild ones need a natural one")
    if (seats - 1) * seats ** (max_hand - 1) > MAX_ROWS:
        raise UnavailableError(f"{seats} hands of up to {max_hand} dice with a bonus are too many to tell apart")
    codes = np.zeros(max_dice + 1, np.int64)
    codes[1 : max_hand + 1] = [seats**digit for digit in range(min(max_hand, max_dice))]
    combinations = [
        sizes for sizes in combinations_with_replacement(range(max_hand + 1), seats - 1) if sum(sizes) <= max_dice
    ]
    rows = np.zeros((seats - 1) * seats ** (max_hand - 1) + 1, np.int32)
    p_at_least = np.zeros((len(combinations), 2 * len(faces), max_dice + seats + 1))
    for row, sizes in enumerate(combinations):
        rows[codes[list(sizes)].sum()] = row
        others = tuple(dice for dice in sizes if dice)
        for place, face in enumerate(faces):
            for wild in (0, 1):
                for needed in range(1, sum(others) + len(others) + 1):
                    p = p_true(rules, Bid(needed, face), (), others, wilds_count=wild == 1)
                    p_at_least[row, 2 * place + wild, needed] = p
    face_kinds = np.array([[2 * place, 2 * place + 1] for place in range(len(faces))], np.int32)
    return OddsTables(codes, rows, p_at_least, np.zeros((1, 1, 1)), face_kinds)


class UniformPolicy(msgspec.Struct, frozen=True):
    """Takes a uniformly random legal action; out of turn it calls one time in twenty. The twin of the bot `random`."""


class ThresholdPolicy(msgspec.Struct, frozen=True):
    """Challenges bids whose probability is below `t` (0..1), else makes the safest raise. The bot `threshold`.

    `credit`: how many dice it credits each opponent with, of the face that they bid on last; 0.7 is the bot
    `inference`. `guesses`: it takes the average of the others' dice without wild ones for certain, and one die more for
    possible; with `t` 0.6 these are most decisions of the bot `regular`.
    """

    t: float = 0.4
    credit: float = 0.0
    guesses: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
        if not (0 <= self.t <= 1 and self.credit >= 0):
            raise MalformedError(f"t is a probability and credit at least 0 dice, not {self.t} and {self.credit}")


class ExternalPolicy(msgspec.Struct, frozen=True):
    """Its actions on turn come from the caller of the simulator; it makes no calls out of turn by itself."""


Policy = UniformPolicy | ThresholdPolicy | ExternalPolicy
POLICY_KINDS = {
    UniformPolicy: schema.UNIFORM,
    ThresholdPolicy: schema.THRESHOLD,
    ExternalPolicy: schema.EXTERNAL,
}


def make_policy_arrays(rules: CompiledRules, policies: Sequence[Policy]) -> schema.PolicyArrays:
    """The policies by seat, repeated in their order until every seat has one.

    Raises `MalformedError` for none or more than there are seats, and `UnavailableError` if a threshold policy needs
    odds that are not compiled for these rules.
    """
    if not 0 < len(policies) <= rules.seat_count:
        raise MalformedError(f"{rules.seat_count} seats have 1 to {rules.seat_count} policies, not {len(policies)}")
    if unknown := [policy for policy in policies if type(policy) not in POLICY_KINDS]:
        kinds = ", ".join(kind.__name__ for kind in POLICY_KINDS)
        raise MalformedError(f"a policy is one of {kinds}, not {described(unknown[0])}")
    by_seat = [policies[seat % len(policies)] for seat in range(rules.seat_count)]
    guesses = {policy.guesses for policy in by_seat if isinstance(policy, ThresholdPolicy)}
    if len(guesses) > 1:
        raise MalformedError("players who guess and players who go by the odds do not sit at one table")
    return schema.PolicyArrays(
        np.array([POLICY_KINDS[type(policy)] for policy in by_seat], np.int32),
        np.array([policy.t if isinstance(policy, ThresholdPolicy) else 0.0 for policy in by_seat]),
        np.array([policy.credit if isinstance(policy, ThresholdPolicy) else 0.0 for policy in by_seat]),
        _tables(rules, guesses),
    )


def _tables(compiled: CompiledRules, guesses: set[bool]) -> OddsTables:
    if not guesses:
        return empty_odds_tables()
    tables = _odds_tables(compiled)
    return _guessed(compiled, tables) if True in guesses else tables


def _guessed(compiled: CompiledRules, tables: OddsTables) -> OddsTables:
    """Return tables of what seems probable to players who guess. Raises `UnavailableError` for hands with a bonus."""
    if compiled.ruleset.count.hand_bonus is HandBonus.STAIRS:
        raise UnavailableError("nobody guesses where hands have a bonus")
    others, _, needed = np.indices(tables.p_at_least.shape)
    average = others / compiled.ruleset.dice.faces
    seems = np.where(needed <= average, 1.0, np.where(needed <= average + 1, *NEARLY))
    certain = (tables.p_at_least == 0) | (tables.p_at_least == 1)
    return tables._replace(p_at_least=np.where(certain, tables.p_at_least, seems))


def _odds_tables(compiled: CompiledRules) -> schema.OddsTables:
    rules, max_dice = compiled.ruleset, len(compiled.arrays.cap_per_dice) - 1
    call, max_hand = rules.exact_call, max(compiled.dice)
    hands_grow = call is not None and call.success_gain > 0
    without_cap = hands_grow and call is not None and call.gain_cap is None
    if rules.loss.destination is Destination.OPPONENT or without_cap:
        max_hand = max_dice
    elif hands_grow:
        max_hand = max(max_hand, rules.dice.per_player)
    faces = tuple(bid.face for bid in compiled.bids[: len(compiled.arrays.faces)])
    return make_odds_tables(rules, faces, compiled.seat_count, max_hand, max_dice)
