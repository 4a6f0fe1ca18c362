"""The HTTP API does what its OpenAPI description says: schemathesis finds no undocumented response."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.core.result import Ok

from tests.server.live_tables import PATIENCE_S
from tests.server.running_server import RunningServer, run_server

COSTLY = ("/api/reviews", "/api/rules-lab")


@pytest.fixture
def running(tmp_path: Path) -> Iterator[RunningServer]:
    """A server on a loop of its own, for callers that wait."""
    started, over = threading.Event(), asyncio.Event()
    running_servers: list[tuple[asyncio.AbstractEventLoop, RunningServer]] = []

    async def serve() -> None:
        async with run_server(tmp_path / "db") as server:
            running_servers.append((asyncio.get_running_loop(), server))
            started.set()
            await over.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    assert started.wait(PATIENCE_S)
    loop, server = running_servers[0]
    yield server
    loop.call_soon_threadsafe(over.set)
    thread.join(PATIENCE_S)


def test_the_api_does_what_it_says(running: RunningServer, subtests: pytest.Subtests) -> None:
    """By every check but two.

    One knows nothing of rules that cannot be played or names that are taken. The other leaves out the token of one kind
    and does not know that the session sends that of the other kind, a cookie.
    """
    load_all_checks()
    chosen = [CHECKS.get_one(name) for name in ("positive_data_acceptance", "ignored_auth")]
    left_out = [check for check in chosen if not isinstance(check, type)]
    with requests.Session() as session:
        opened = session.post(f"{running.address}/api/tables", json={"name": "Ann"}, timeout=PATIENCE_S)
        description = session.get(f"{running.address}/docs/openapi.json", timeout=PATIENCE_S).json()
        for path in COSTLY:  # a request like the example takes seconds
            for body in description["paths"][path]["post"]["requestBody"]["content"].values():
                del body["example"]
        schema = schemathesis.openapi.from_dict(description)
        schema.config.update(base_url=running.address)
        for result in schema.get_all_operations():
            assert isinstance(result, Ok)
            operation = result.ok()

            @settings(max_examples=settings().max_examples // 4, suppress_health_check=list(HealthCheck))
            @given(operation.as_strategy(), st.booleans())
            def conforms(case: schemathesis.Case[Any], ours: bool) -> None:
                if ours and case.path_parameters and "code" in case.path_parameters:
                    case.path_parameters["code"] = opened.json()["code"]
                case.call_and_validate(session=session, excluded_checks=left_out)

            with subtests.test(operation.label):
                conforms()
