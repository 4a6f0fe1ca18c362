"""Reviews over HTTP: line by line, of records of matches that are over, and stopped when their reader leaves."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from liarsdice.analysis.review.results import WhatIfBatch
from liarsdice.server.http import reviews as reviews_module
from liarsdice.server.http.auth import hash_token
from liarsdice.server.http.connections import ConnectionLimits
from liarsdice.server.http.costly_work import CostlyWork
from liarsdice.server.http.reviews import (
    MAX_RECORD_BYTES,
    MatchReviews,
    OpenedReview,
    account_line,
    decision_line,
    finished_line,
    started_line,
    what_if_part,
)
from liarsdice.server.http.rules_lab import RulesLab, lab_batch
from liarsdice.server.table import commands as c
from tests.server.live_tables import PATIENCE_S, SharedPool, begin_match, is_over, make_table, wait_until
from tests.server.match_records import record_of
from tests.server.running_server import run_server


async def test_a_review_comes_over_http_line_by_line_and_is_counted(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db") as server:
        async with server.browser().stream("POST", "/api/reviews", content=record_of(4)) as answer:
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith("application/x-ndjson")
            lines = [json.loads(line) async for line in answer.aiter_lines()]
        assert [lines[place]["type"] for place in (0, 1, -1)] == ["started", "account", "finished"]
        assert b'liarsdice_reviews_total{outcome="finished"} 1.0' in server.services.metrics.text()
        for body, status in ((b"nothing", 400), (b"x" * (MAX_RECORD_BYTES + 1), 413)):
            assert (await server.browser().post("/api/reviews", content=body)).status_code == status


async def test_the_record_of_a_match_at_a_table_is_reviewed_and_one_of_a_running_match_is_not_to_be_had(
    tmp_path: Path,
) -> None:
    async with run_server(tmp_path / "db") as server:
        running = await make_table(server.registry, "Ann", "Bo")
        await begin_match(server.registry, running)
        assert (await server.browser().get(f"/api/tables/{running.code}/matches/1")).status_code == 403
        live_table = await make_table(server.registry, "Ann", bots=("random",))
        await server.registry.submit(live_table, hash_token("Ann"), "begin", c.Begin())
        await server.registry.submit(live_table, hash_token("Ann"), "bot", c.StandIn(1, bot=True))
        await wait_until(live_table, is_over)
        record = (await server.browser().get(f"/api/tables/{live_table.code}/matches/1")).content
        review = await server.services.reviews.open("192.0.2.1", record)
        assert json.loads(review.started)["match"]["names"][0] == "Ann (bot)"
        server.services.reviews.close()


async def test_another_move_is_played_on_over_http_with_progress_and_impossible_ones_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("liarsdice.server.http.reviews.BATCHES", 2)
    bid = next(
        fact for fact in json.loads(started_line(record_of(4)).line)["match"]["decisions"] if fact["bid"] is None
    )
    form = {"record": record_of(4).decode(), "decision": bid["number"], "move": bid["move"]}
    async with run_server(tmp_path / "db") as server:
        async with server.browser().stream("POST", "/api/reviews/what-if", json=form) as answer:
            assert answer.status_code == 200
            lines = [json.loads(line) async for line in answer.aiter_lines()]
        assert [line["comparison"]["deals"] for line in lines] == [50, 100]
        assert {line["total"] for line in lines} == {100}
        assert lines[-1]["comparison"]["difference"] == 0
        for move, status in (({"type": "exact"}, 409), ({"type": "nonsense"}, 400)):
            refused = await server.browser().post("/api/reviews/what-if", json={**form, "move": move})
            assert refused.status_code == status
        first, *events = form["record"].splitlines()
        spaces = " " * (MAX_RECORD_BYTES - len(form["record"]))
        for longer, status in ((spaces, 200), (spaces + " ", 400)):
            long_form = {**form, "record": "\n".join([first[:-1] + longer + first[-1], *events]) + "\n"}
            assert (await server.browser().post("/api/reviews/what-if", json=long_form)).status_code == status


async def test_the_page_learns_whether_the_server_reviews_matches(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db") as server:
        assert (await server.browser().get("/api/reviews")).json() == {"offered": True}
        server.services.reviews.at_once = 0
        assert (await server.browser().get("/api/reviews")).json() == {"offered": False}


async def test_habits_come_over_http_and_other_bodies_are_refused(tmp_path: Path) -> None:
    seen = {"match": 0, "kind": "opening", "band": 0, "did": 0.3, "usual": 0.2, "cost": 0.01}
    form = {"matches": [{"gain": 0.25, "costs": [0.01], "observations": [seen]}] * 2}
    async with run_server(tmp_path / "db") as server:
        report = (await server.browser().post("/api/habits", json=form)).json()
        assert (report["matches"], report["decisions"], report["habits"][0]["kind"]) == (2, 2, "opening")
        assert report["habits"][0]["more_matches"] == 198
        assert report["skill"] == {"matches": 2, "gain": None, "error": None, "more_matches": 28}
        form["matches"] *= 15
        report = (await server.browser().post("/api/habits", json=form)).json()
        assert report["skill"] == {"matches": 30, "gain": 0.25, "error": 0, "more_matches": 0}
        assert (await server.browser().post("/api/habits", content=b"nothing")).status_code == 400


JOBS = {
    "/api/reviews": ("record {}", 2),
    "/api/reviews/what-if": ('{"record":"","decision":0,"move":null}', 4),
    "/api/rules-lab": ('{"rules":"perudo","changes":{"exact_call":null},"seats":{}}', 1),
}
"""What asks for each long job, and how many of them an address may have in progress."""
RESULTS: dict[object, object] = {
    started_line: OpenedReview(b'{"type":"started"}\n', 9, by_engine=False),
    account_line: b'{"type":"account"}\n',
    decision_line: b'{"type":"decision"}\n',
    finished_line: b'{"type":"finished"}\n',
    what_if_part: WhatIfBatch(50, 20.0, 25.0, 5.0, ()),
    lab_batch: (b"part", b'{"type":"progress"}\n'),
}


class GatedWorkers(SharedPool):
    """Computes nothing: each call waits for a permit. `running`: how many calls wait; `asked`: there was one."""

    def __init__(self) -> None:
        super().__init__(1, max_calls=1, name="fake")
        self.permits = asyncio.Semaphore(0)
        self.asked = asyncio.Event()
        self.running = 0

    async def run(self, *arguments: Any, **_: Any) -> Any:  # type: ignore[override]  # noqa: ANN401  any call
        self.asked.set()
        self.running += 1
        try:
            await self.permits.acquire()
        finally:
            self.running -= 1
        timed = arguments[0] not in RESULTS  # the call that is charged by its seconds, around another one
        return (0.0, RESULTS[arguments[1]]) if timed else RESULTS[arguments[0]]


@pytest.mark.parametrize("path", JOBS)
@pytest.mark.parametrize("line_count", [0, 1, 2, 3, None], ids=["0", "1", "2", "3", "all"])
async def test_a_long_job_whose_reader_leaves_at_any_point_stops_and_leaves_nothing(
    path: str, line_count: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The address asks once more than it may have jobs in progress, so a job that went on would make it wait."""
    monkeypatch.setattr(reviews_module, "LEFT_S", 0.01)
    limits, workers, ended = ConnectionLimits(), GatedWorkers(), list[str]()
    form, most = JOBS[path]
    async with run_server(tmp_path / "db", limits=limits) as server, asyncio.timeout(PATIENCE_S):
        state, rate_limits = server.app.state, server.services.rate_limits
        state.costly_work = CostlyWork(rate_limits, workers)
        state.reviews = MatchReviews(state.costly_work, rate_limits, at_once=1, workers=workers, on_end=ended.append)
        state.rules_lab = RulesLab(rate_limits, workers, offered=True)
        address = urlsplit(server.address)
        for count in range(most + 1):
            workers.asked.clear()
            reader, writer = await asyncio.open_connection(address.hostname, address.port)
            body = form.replace("{}", str(count + 2))
            head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
            await workers.asked.wait()
            for _ in range(99 if line_count is None else line_count):
                workers.permits.release()
            for _ in range(line_count or 0):
                await reader.readuntil(b"}\n")
            if line_count is None:
                await reader.readuntil(b"\r\n0\r\n\r\n")
            writer.transport.abort()
            while len(limits):  # noqa: ASYNC110  the server notices the end later
                await asyncio.sleep(0)
            workers.permits.release()  # the call in progress ends
            while workers.running or (path == "/api/reviews" and len(ended) <= count):  # noqa: ASYNC110  as above
                await asyncio.sleep(0.001)
            workers.permits = asyncio.Semaphore(0)
