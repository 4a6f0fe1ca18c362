"""The charts of odds over HTTP: computed once, paid from the budget of the address, and refused for what cannot be."""

from __future__ import annotations

from pathlib import Path

from liarsdice.server.http.costly_work import RULES_COST
from liarsdice.server.http.limits import RateLimits
from tests.server.running_server import run_server


async def test_charts_are_computed_once_and_paid_from_the_budget(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db", RateLimits(work_per_minute=RULES_COST + 5)) as server:
        client = server.browser()
        first = await client.post("/api/odds", json={"rules": "perudo", "hand": [1, 4]})
        assert first.status_code == 200
        assert [chart["wilds"] for chart in first.json()["charts"]] == [True, False]
        again = await client.post("/api/odds", json={"rules": "perudo", "hand": [1, 4]})
        assert again.content == first.content
        assert (await client.post("/api/odds", json={"rules": "perudo"})).status_code == 429


async def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db") as server:
        client = server.browser()
        assert (await client.post("/api/odds", json={"face": 9})).status_code == 400
        assert (await client.post("/api/odds", json={"rules": "nothing"})).status_code == 404
