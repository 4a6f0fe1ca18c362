"""Requests of one address have a budget, and those of an address with many do not keep others waiting."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from litestar.types import HTTPRequestEvent, Receive, Scope, Send

from liarsdice.server.http.limits import BYTES_PER_REQUEST, RateLimits
from liarsdice.server.http.request_limits import MAX_AT_ONCE, RequestLimits
from tests.server.running_server import run_server


class SlowApp:
    """An application that takes `steps` more steps of the event loop for a request, and notes who was answered."""

    def __init__(self, body: bytes = b"", steps: int = 3) -> None:
        self.body, self.steps = body, steps
        self.at_work = self.most_at_work = 0
        self.answered: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002  the shape of ASGI
        self.at_work += 1
        self.most_at_work = max(self.most_at_work, self.at_work)
        for _ in range(self.steps):
            await asyncio.sleep(0)
        self.at_work -= 1
        assert scope["client"] is not None
        self.answered.append(scope["client"][0])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": self.body, "more_body": False})


async def no_body() -> HTTPRequestEvent:
    return {"type": "http.request", "body": b"", "more_body": False}


async def ask(limits: RequestLimits, address: str) -> int:
    """Send a request; return the status of the answer."""
    statuses: list[int] = []

    async def send(message: object) -> None:
        assert isinstance(message, dict)
        statuses.extend([message["status"]] if "status" in message else [])

    scope: Any = {"type": "http", "client": (address, 1)}  # as little of a request as it needs
    await limits(scope, no_body, send)
    return statuses[0]


@pytest.mark.parametrize(
    "addresses", [["192.0.2.1", "192.0.2.2"], ["2001:db8:0:1::1", "2001:db8:0:2::1"]], ids=["ipv4", "ipv6"]
)
@pytest.mark.parametrize("steps", [0, 3])
async def test_a_new_visitor_does_not_wait_for_the_requests_of_all_other_connections(
    addresses: list[str], steps: int
) -> None:
    app = SlowApp(steps=steps)
    limits = RequestLimits(app, RateLimits())
    crowd = [asyncio.create_task(ask(limits, addresses[place % 2])) for place in range(400)]
    await asyncio.sleep(0)
    assert await ask(limits, "198.51.100.7") == 200
    assert len(app.answered) <= 1 + 4 * MAX_AT_ONCE
    await asyncio.gather(*crowd)
    assert len(app.answered) == 401
    assert app.most_at_work <= 1 + 2 * MAX_AT_ONCE


async def test_a_request_over_the_budget_is_refused_without_asking_the_application() -> None:
    app = SlowApp()
    limits = RequestLimits(app, RateLimits(requests_per_minute=2, now_s=lambda: 0.0))
    assert [await ask(limits, "192.0.2.1") for _ in range(3)] == [200, 200, 429]
    assert await ask(limits, "192.0.2.2") == 200
    assert len(app.answered) == 3


async def test_long_responses_are_paid_from_the_budget_too_and_the_debt_ends() -> None:
    now_s = [0.0]
    limits = RequestLimits(
        SlowApp(b" " * 100 * BYTES_PER_REQUEST), RateLimits(requests_per_minute=60, now_s=lambda: now_s[0])
    )
    assert [await ask(limits, "192.0.2.1") for _ in range(2)] == [200, 429]
    now_s[0] = 30.0
    assert await ask(limits, "192.0.2.1") == 429
    now_s[0] = 62.0
    assert await ask(limits, "192.0.2.1") == 200


async def test_a_refusal_closes_the_connection_and_has_the_headers_of_any_response(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db", RateLimits(requests_per_minute=1)) as server:
        client = server.browser()
        assert (await client.get("/healthz")).status_code == 200
        refused = await client.get("/api/presets")
        assert refused.status_code == 429
        assert refused.json()["code"] == "too_fast"
        assert refused.headers["connection"] == "close"
        assert refused.headers["retry-after"] == "60"
        assert "content-security-policy" in refused.headers
