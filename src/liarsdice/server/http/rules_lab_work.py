"""Simulations of rules for the page, a part at a time. Its functions run in worker processes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec

from liarsdice.analysis.rules_lab.measures import LabFigures
from liarsdice.core.rules.overlay import Plain
from liarsdice.core.rules.rule_costs import check_simulation
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.server.http.review_work import ReviewFailed
from liarsdice.server.rules.rules_api import ruleset_of
from liarsdice.server.table.table_config import MAX_PLAYERS

BATCHES, BATCH_MATCHES = 8, 125
"""Into how many calls a simulation is divided, and how many matches each plays under each rules."""
SEED = 20_261_126

Seats = Annotated[int, msgspec.Meta(ge=2, le=MAX_PLAYERS)]


class LabForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A request to simulate matches. `rules`, `changes`: as in `RulesForm`; the changes make the new rules."""

    rules: str
    changes: Plain = {}
    seats: Seats


class LabProgress(msgspec.Struct, frozen=True, tag="progress"):
    """What the matches so far show; `total` are played under each rules. The old rules are those without changes."""

    figures: LabFigures
    total: int


class LabOffer(msgspec.Struct, frozen=True):
    """Whether the server simulates rules, and what is known of a preset without it, None if that is nothing."""

    offered: bool
    figures: LabFigures | None


LabLine = LabProgress | ReviewFailed


def lab_batch(form: LabForm, parts: Sequence[bytes], number: int) -> tuple[bytes, bytes]:
    """Return the part of a simulation with this number, and the line of progress after it and the `parts` before.

    Raises `UnavailableError` for an unknown preset and for rules with more bids than the simulator compiles,
    `CostlyRulesError` as `check_simulation`, `MalformedError` for changes that cannot be read and for seats that the
    rules do not allow, and `RulesetError` if the rules conflict.
    """
    from liarsdice.analysis.rules_lab.estimate import lab_figures  # noqa: PLC0415  it loads numba
    from liarsdice.analysis.rules_lab.simulate import (  # noqa: PLC0415
        join_samples,
        pack_samples,
        simulate_batch,
        unpack_samples,
    )

    rulesets = _rulesets(form)
    matches = range(BATCH_MATCHES * number, BATCH_MATCHES * (number + 1))
    part = [simulate_batch(rules, form.seats, matches, SEED) for rules in rulesets]
    samples = zip(*map(unpack_samples, parts), part, strict=True)
    figures = lab_figures(rulesets[-1], *map(join_samples, samples))
    line = msgspec.json.encode(LabProgress(figures, BATCHES * BATCH_MATCHES))
    return pack_samples(part), line + b"\n"


def _rulesets(form: LabForm) -> list[Ruleset]:
    """Return the rules without changes, and those with them if they differ. Raises as `lab_batch`."""
    old, new = ruleset_of(form.rules, {}), ruleset_of(form.rules, form.changes)
    for rules in (old, new):
        check_simulation(rules, form.seats)
    return [old] if old == new else [old, new]
