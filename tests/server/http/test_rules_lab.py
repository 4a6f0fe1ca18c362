"""The rules lab of the page: figures of presets, and simulations of changed rules within limits."""

import asyncio
import json
from typing import Any

import pytest

from liarsdice.analysis.rules_lab.measures import Measure
from liarsdice.core.errors import CostlyRulesError, RulesetError, UnavailableError
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.rule_costs import check_simulation
from liarsdice.runtime.processes import DeadlineError
from liarsdice.server.errors import RateLimitError, TryAgainError
from liarsdice.server.http.address_limits import RateLimits
from liarsdice.server.http.costly_work import LAB_COST
from liarsdice.server.http.rules_lab import BATCH_MATCHES, BATCHES, MAX_AT_ONCE, LabForm, RulesLab, lab_batch
from tests.server.live_tables import SharedPool
from tests.server.running_server import RunningServer

HERE = "192.0.2.1"
FORM = LabForm(rules="perudo", changes={"exact_call": None}, seats=3)


class FakeWorkers(SharedPool):
    """Simulates nothing: the calls from number `stops_at` on wait until they may go on, and fail from `fails_at` on."""

    def __init__(self, *, stops_at: int = 0, fails_at: int = BATCHES) -> None:
        super().__init__(1, max_calls=1, name="fake")
        self.calls: list[int] = []
        self.deadlines_s: list[float] = []
        self.go_on = asyncio.Event()
        self.stops_at, self.fails_at = stops_at, fails_at

    async def run(self, *arguments: Any, deadline_s: float, **_: Any) -> Any:  # type: ignore[override]  # noqa: ANN401  any call
        function, form, parts, number = arguments
        self.deadlines_s.append(deadline_s)
        if form.rules == "unknown":
            raise UnavailableError("no such rules")
        assert function is lab_batch
        assert len(parts) == number
        self.calls.append(number)
        if number >= self.stops_at:
            await self.go_on.wait()
        if number >= self.fails_at:
            raise DeadlineError("late")
        return b"part", b'{"type":"progress"}\n'


def lab_with(workers: FakeWorkers, limits: RateLimits | None = None, *, offered: bool = True) -> RulesLab:
    return RulesLab(limits or RateLimits(), workers, offered=offered)


def going_on(workers: FakeWorkers) -> FakeWorkers:
    workers.go_on.set()
    return workers


async def test_what_is_known_of_presets_comes_over_http_without_a_simulation(server: RunningServer) -> None:
    client = server.browser()
    known = (await client.get("/api/rules-lab?rules=perudo&seats=4")).json()
    assert known["offered"] is True
    assert [row["measure"] for row in known["figures"]["measures"]] == [measure.value for measure in Measure]
    assert (await client.get("/api/rules-lab?rules=unknown&seats=4")).json() == {"offered": True, "figures": None}
    server.services.rules_lab.offered = False
    assert not (await client.get("/api/rules-lab?rules=perudo&seats=4")).json()["offered"]
    refused = await client.post("/api/rules-lab", json={"rules": "perudo", "seats": 2})
    assert refused.status_code == 404


async def test_changed_rules_are_simulated_over_http_beside_the_preset_with_progress(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("liarsdice.server.http.rules_lab.BATCHES", 2)
    form = {"rules": "basic", "changes": {"dice.per_player": 2}, "seats": 2}
    async with server.browser().stream("POST", "/api/rules-lab", json=form) as answer:
        assert answer.headers["content-type"].startswith("application/x-ndjson")
        lines = [json.loads(line) async for line in answer.aiter_lines()]
    assert [line["figures"]["matches"] for line in lines] == [BATCH_MATCHES, 2 * BATCH_MATCHES]
    rounds = {row["measure"]: row for row in lines[-1]["figures"]["measures"]}["rounds"]
    assert rounds["changed"]
    assert rounds["new"]["value"] < rounds["old"]["value"]
    again = await server.browser().post("/api/rules-lab", json=form)
    assert [json.loads(line) for line in again.text.splitlines()] == lines[-1:]
    for wrong, status in (({"rules": "unknown"}, 404), ({"seats": 21}, 400), ({"changes": {"dice.faces": 0}}, 400)):
        assert (await server.browser().post("/api/rules-lab", json={**form, **wrong})).status_code == status


async def test_a_simulation_runs_in_parts_and_is_kept() -> None:
    workers = going_on(FakeWorkers())
    lab = lab_with(workers, RateLimits(work_per_minute=LAB_COST + 1))
    assert len([line async for line in await lab.open(HERE, FORM)]) == BATCHES
    assert workers.calls == list(range(BATCHES))
    assert len([line async for line in await lab.open(HERE, FORM)]) == 1
    with pytest.raises(RateLimitError, match="asked for very much"):
        await lab.open(HERE, LabForm(rules="perudo", seats=4))


async def test_rules_that_are_not_simulated_pay_for_one_part_and_further_parts_have_less_time() -> None:
    workers = going_on(FakeWorkers())
    lab = lab_with(workers, RateLimits(work_per_minute=LAB_COST + LAB_COST // BATCHES))
    with pytest.raises(UnavailableError):
        await lab.open(HERE, LabForm(rules="unknown", seats=4))
    assert len([line async for line in await lab.open(HERE, FORM)]) == BATCHES
    first, *further = workers.deadlines_s[1:]
    assert max(further) < first


async def test_one_address_has_one_simulation_in_progress_and_a_left_one_stops_and_counts_no_more() -> None:
    workers = FakeWorkers(stops_at=1)
    lab = lab_with(workers)
    lines = await lab.open(HERE, FORM)
    assert await anext(lines)
    with pytest.raises(RateLimitError, match="another simulation in progress"):
        await lab.open(HERE, FORM)
    await lines.aclose()
    assert workers.calls == [0]
    workers.go_on.set()
    assert len([line async for line in await lab.open(HERE, FORM)]) == BATCHES


async def test_a_simulation_whose_answer_is_never_read_counts_no_more() -> None:
    workers = FakeWorkers(stops_at=1)
    lab = lab_with(workers)
    lines = await lab.open(HERE, FORM)
    del lines
    workers.go_on.set()
    for _ in range(3):  # the event loop closes what was left
        await asyncio.sleep(0)
    assert len([line async for line in await lab.open(HERE, FORM)]) == BATCHES


async def test_too_many_simulations_at_once_are_refused() -> None:
    lab = lab_with(FakeWorkers(stops_at=1))
    opened = [await lab.open(f"198.51.100.{number}", FORM) for number in range(MAX_AT_ONCE)]
    with pytest.raises(TryAgainError, match="many rules are being simulated"):
        await lab.open(HERE, FORM)
    assert len(opened) == MAX_AT_ONCE


async def test_a_part_that_takes_too_long_ends_the_simulation_with_a_message() -> None:
    lab = lab_with(going_on(FakeWorkers(fails_at=2)))
    lines = [json.loads(line) async for line in await lab.open(HERE, FORM)]
    assert [line["type"] for line in lines] == ["progress", "progress", "failed"]
    with pytest.raises(TryAgainError, match="busy"):
        await lab_with(going_on(FakeWorkers(fails_at=0))).open(HERE, FORM)


async def test_a_server_that_offers_none_says_so() -> None:
    with pytest.raises(UnavailableError, match="simulates no rules"):
        await lab_with(FakeWorkers(), offered=False).open(HERE, FORM)


def test_only_rules_that_can_be_simulated_in_time_are() -> None:
    with pytest.raises(CostlyRulesError, match="at most 20 faces"):
        check_simulation(patched(preset("basic").ruleset, dice__faces=21), 2)
    with pytest.raises(CostlyRulesError, match="at most 60 dice"):
        lab_batch(LabForm(rules="perudo", changes={"dice.per_player": 7}, seats=10), (), 0)
    with pytest.raises(RulesetError):
        lab_batch(LabForm(rules="perudo", changes={"dice.per_player": 6, "bidding.raise": "product"}, seats=3), (), 0)
