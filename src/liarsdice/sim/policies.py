"""Who plays compiled: a mind for each seat, and what it needs to know."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.choices import Destination
from liarsdice.sim import array_schema as f
from liarsdice.sim.compile import Compiled
from liarsdice.sim.odds_tables import chances_of, no_chances


class Uniform(msgspec.Struct, frozen=True):
    """Draws one of its moves, all alike; out of turn it calls one time in twenty. The bot `random`."""


class Threshold(msgspec.Struct, frozen=True):
    """Challenges what is true with a chance below `t` (0..1), else makes the safest raise. The bot `threshold`.

    `credit`: dice that it believes each opponent to hold of the face that they bid on last; 0.7 is the bot `inference`.
    """

    t: float = 0.4
    credit: float = 0.0


class Asked(msgspec.Struct, frozen=True):
    """Is asked from outside what to do on its turn, and makes no call out of turn by itself."""


Mind = Uniform | Threshold | Asked
KINDS = {Uniform: f.UNIFORM, Threshold: f.THRESHOLD, Asked: f.ASKED}


def minds_of(rules: Compiled, minds: Sequence[Mind]) -> f.Minds:
    """The minds by seat, repeated in their order until every seat has one.

    Raises `MalformedError` for none or too many, and `UnavailableError` where odds of these rules are not compiled.
    """
    if not 0 < len(minds) <= rules.seats:
        raise MalformedError(f"{rules.seats} seats have 1 to {rules.seats} minds, not {len(minds)}")
    seated = [minds[seat % len(minds)] for seat in range(rules.seats)]
    asks = any(isinstance(mind, Threshold) for mind in seated)
    return f.Minds(
        np.array([KINDS[type(mind)] for mind in seated], np.int32),
        np.array([mind.t if isinstance(mind, Threshold) else 0.0 for mind in seated]),
        np.array([mind.credit if isinstance(mind, Threshold) else 0.0 for mind in seated]),
        _chances(rules) if asks else no_chances(),
    )


def _chances(rules: Compiled) -> f.Chances:
    asked, on_table = rules.ruleset, len(rules.arrays.tops) - 1
    call, held = asked.exact_call, max(rules.dice)
    grows = call is not None and call.success_gain > 0
    if asked.loss.destination is Destination.OPPONENT or (grows and call is not None and call.gain_cap is None):
        held = on_table
    elif grows:
        held = max(held, asked.dice.per_player)
    faces = tuple(bid.face for bid in rules.menu[: len(rules.arrays.faces)])
    return chances_of(asked, faces, rules.seats, held, on_table)
