"""Who plays in each seat of a simulated match: policies that run in the kernels, or actions from outside."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from liarsdice.core.arguments import check_fields
from liarsdice.core.errors import MalformedError, described
from liarsdice.core.rules.choices import Destination
from liarsdice.sim import array_schema as schema
from liarsdice.sim.compile import CompiledRules
from liarsdice.sim.odds_tables import empty_odds_tables, make_odds_tables


class UniformPolicy(msgspec.Struct, frozen=True):
    """Takes a uniformly random legal action; out of turn it calls one time in twenty. The twin of the bot `random`."""


class ThresholdPolicy(msgspec.Struct, frozen=True):
    """Challenges bids whose probability is below `t` (0..1), else makes the safest raise. The bot `threshold`.

    `credit`: how many dice it credits each opponent with, of the face that they bid on last; 0.7 is the bot
    `inference`.
    """

    t: float = 0.4
    credit: float = 0.0

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
    needs_odds = any(isinstance(policy, ThresholdPolicy) for policy in by_seat)
    return schema.PolicyArrays(
        np.array([POLICY_KINDS[type(policy)] for policy in by_seat], np.int32),
        np.array([policy.t if isinstance(policy, ThresholdPolicy) else 0.0 for policy in by_seat]),
        np.array([policy.credit if isinstance(policy, ThresholdPolicy) else 0.0 for policy in by_seat]),
        _odds_tables(rules) if needs_odds else empty_odds_tables(),
    )


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
