"""The rules lab of the page: figures of presets at once, and simulations of changed rules, which are streamed.

Simulations run in the worker processes of reviews, a part at a time, so that reviews go on between the parts. The
docstrings of the handlers appear in the API's description at `/docs`.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, Sequence
from typing import Annotated

import msgspec
from litestar import get, post
from litestar.params import FromQuery, JSONBody
from litestar.response import Stream

from liarsdice.analysis.rules_lab.measures import LabFigures, packaged_figures
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.overlay import Plain
from liarsdice.core.rules.rule_costs import check_simulation
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.runtime.processes import WorkerPool
from liarsdice.server.errors import RateLimitError, TryAgainError
from liarsdice.server.http.address_limits import AddressCounter, RateLimits, client_address
from liarsdice.server.http.app_state import AppRequest, AppState
from liarsdice.server.http.costly_work import CACHED_COST, LAB_COST, ResponseCache
from liarsdice.server.http.error_responses import ERRORS, responses_with
from liarsdice.server.http.reviews import LINES, ReviewFailed, begun, stream_of
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
    from liarsdice.analysis.rules_lab.simulate import (  # noqa: PLC0415  it loads numba
        join_samples,
        lab_figures,
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


MAX_PER_ADDRESS = 1
MAX_AT_ONCE = 8
FIRST_DEADLINE_S = 90.0
"""The first part after an installation compiles the simulator."""
BATCH_DEADLINE_S = 30.0
"""Of each further part."""
KEPT_BYTES = 512 * 1024
NO_LAB = "this server simulates no rules; the command `liarsdice rules lab` does"


class RulesLab:
    """All simulations of rules of a server, at most `MAX_AT_ONCE`. Used on the event loop only.

    `workers`: the processes of reviews. `offered`: whether there are simulations.
    """

    def __init__(self, rate_limits: RateLimits, workers: WorkerPool, *, offered: bool) -> None:
        self.offered = offered
        self._rate_limits, self._workers = rate_limits, workers
        self._finished = ResponseCache(KEPT_BYTES)
        self._by_address = AddressCounter(MAX_PER_ADDRESS)
        self._running_count = 0

    async def open(self, address: str, form: LabForm) -> AsyncGenerator[bytes]:
        """Return the lines of a simulation, which come while it runs; of a known one the last line alone.

        Raises `UnavailableError` if the server offers none, `RateLimitError` if the address has one in progress or its
        budget is used up, `TryAgainError` if there are too many or no process answers, and as `lab_batch`.
        """
        if not self.offered:
            raise UnavailableError(NO_LAB)
        key = hashlib.sha256(msgspec.json.encode(form, order="sorted")).digest()
        known = self._finished.get(key)
        if known is not None:
            self._rate_limits.check_work(address, CACHED_COST)
            return _one_line(known)
        return await begun(self._simulate(address, key, form), "simulation_failed")

    async def _simulate(self, address: str, key: bytes, form: LabForm) -> AsyncGenerator[bytes]:
        """Yield the lines of a simulation, and keep the last one."""
        if self._running_count >= MAX_AT_ONCE:
            raise TryAgainError("many rules are being simulated just now; try again in a minute")
        if not self._by_address.add(address):
            raise RateLimitError("your address has another simulation in progress; wait until it is finished")
        self._running_count += 1
        try:
            self._rate_limits.check_work(address, LAB_COST / BATCHES)
            parts: list[bytes] = []
            for number in range(BATCHES):
                deadline_s = BATCH_DEADLINE_S if parts else FIRST_DEADLINE_S
                part, line = await self._workers.run(lab_batch, form, tuple(parts), number, deadline_s=deadline_s)
                if not parts:
                    self._rate_limits.check_work(address, LAB_COST - LAB_COST / BATCHES)
                parts.append(part)
                if len(parts) == BATCHES:
                    self._finished.put(key, line)
                yield line
        finally:
            self._running_count -= 1
            self._by_address.remove(address)


async def _one_line(line: bytes) -> AsyncGenerator[bytes]:
    yield line


@get("/api/rules-lab", responses=ERRORS, sync_to_thread=False)
def lab_offer(state: AppState, rules: FromQuery[str], seats: FromQuery[int]) -> LabOffer:
    """Return what is known of a preset without a simulation, and whether the server simulates changed rules."""
    lab: RulesLab = state.rules_lab
    known = packaged_figures().get((rules, seats))
    return LabOffer(lab.offered, known.figures if known else None)


@post("/api/rules-lab", responses=responses_with(LabProgress, LINES), status_code=200)
async def simulate_rules(request: AppRequest, state: AppState, data: JSONBody[LabForm]) -> Stream:
    """Play 1,000 matches by a preset, and as many by the changed rules on the same seeds."""
    lab: RulesLab = state.rules_lab
    return stream_of(await lab.open(client_address(request), data))
