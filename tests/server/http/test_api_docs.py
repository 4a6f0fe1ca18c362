"""The description of the HTTP API, and whether the server does what it says."""

import asyncio
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.core.result import Ok

from liarsdice.server.http import api_docs
from liarsdice.server.http.api import HANDLERS
from liarsdice.server.http.api_docs import Caller, PlainDocs, operation_docs, operations_of
from liarsdice.server.http.error_responses import CODES_OF_STATUS, ERROR_CODES
from liarsdice.server.http.schemas import ErrorResponse
from liarsdice.server.protocol.messages import ErrorCode
from tests.server.live_tables import PATIENCE_S
from tests.server.running_server import RunningServer, run_server


async def test_the_description_lists_every_operation(server: RunningServer) -> None:
    page = (await server.browser().get("/docs")).text
    for handler in HANDLERS:
        if handler.resolve_include_in_schema():
            path = next(iter(handler.paths)).replace(":str", "").replace(":int", "")
            assert f"<code>{next(iter(handler.http_methods))} {path}</code>" in page
    assert "<script" not in page


def test_the_page_is_served_at_one_path_only() -> None:
    assert PlainDocs().paths == ["/"]


@pytest.mark.parametrize("path", ["/docs", "/docs/openapi.json"])
async def test_the_description_is_rendered_and_compressed_once(
    server: RunningServer, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered: list[str] = []
    for name in ("docs_page", "make_file"):
        function = getattr(api_docs, name)

        def counted(*given: object, function: Callable[..., object] = function, name: str = name) -> object:
            rendered.append(name)
            return function(*given)

        monkeypatch.setattr(api_docs, name, counted)
    client = server.browser()
    first, second = [await client.get(path) for _ in range(2)]
    assert first.content == second.content
    assert first.headers["content-encoding"] == "gzip"
    assert sorted(rendered) == ["docs_page", "make_file", "make_file"]
    unchanged = await client.get(path, headers={"if-none-match": first.headers["etag"]})
    assert (unchanged.status_code, unchanged.content) == (304, b"")


Schema = dict[str, Any]
COSTLY = ("/api/rules-lab", "/api/reviews", "/api/reviews/what-if")
BODIES = (b"", b"name=Ann", b"[]", b'{"nope":1}', b'{"name":1,"rules":1}', b"\xff", b"[" * 20_000, b"x" * 70_000)
UNKNOWN = ("/api/nope", "/docs/nope", "/docs/nope.json", "/nope.js", "/api/rules-lab", "/api/rules-lab?rules=x&seats=y")
FRAMEWORK_WORDS = re.compile(r"`|Expected|Object |Not Found|Not Allowed|Too Large|Missing|Validation|[A-Z]\w+Exception")


async def description(server: RunningServer) -> Schema:
    return (await server.browser().get("/docs/openapi.json")).json()  # type: ignore[no-any-return]


async def test_every_operation_and_no_other_has_examples(server: RunningServer) -> None:
    operations = {(method, path) for method, path, _ in operations_of(await description(server))}
    assert operations == set(operation_docs())


async def test_every_body_has_an_example_of_its_type(server: RunningServer, subtests: pytest.Subtests) -> None:
    schema = await description(server)
    for method, path, operation in operations_of(schema):
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        for content in (body for part in bodies for body in part.get("content", {}).values()):
            with subtests.test(f"{method} {path}"):
                examples = [example["value"] for example in content.get("examples", {}).values()]
                examples = examples or [content["example"]]
                for example in examples:
                    jsonschema_rs.validate(content["schema"] | {"components": schema["components"]}, example)


async def test_no_description_is_the_framework_s(server: RunningServer) -> None:
    for method, path, operation in operations_of(await description(server)):
        assert operation["description"], (method, path)
        for status, response in operation["responses"].items():
            assert "Document created" not in response["description"], (method, path, status)
            assert "Request fulfilled" not in response["description"], (method, path, status)


def test_every_code_has_an_example_under_its_status() -> None:
    assert set(ERROR_CODES) == set(ErrorCode)
    assert all(code in CODES_OF_STATUS[ERROR_CODES[code].status] for code in ErrorCode)


async def test_what_needs_a_token_refuses_who_has_none(server: RunningServer) -> None:
    code = await server.open_table(server.browser())
    founded = await server.browser().post("/api/groups", json={"name": "Thursdays", "person": "Ann"})
    group = founded.json()["inside"]["code"]
    needed = [key for key, docs in operation_docs().items() if docs.caller is Caller.PLAYER]
    assert needed
    for method, path in needed:
        body = msgspec.to_builtins(operation_docs()[method, path].request)
        address = path.format(code=group if path.startswith("/api/groups") else code)
        answer = await server.browser().request(method, address, json=body or {})
        assert answer.status_code == 403, (path, answer.text)


async def test_examples_of_requests_are_accepted(server: RunningServer) -> None:
    """Where the code of a table stands in the path, the table of the example does not exist."""
    for (method, path), docs in operation_docs().items():
        if docs.request is None or path in COSTLY:
            continue
        body = msgspec.json.encode(docs.request)
        answer = await server.browser().request(method, path.format(code="ZZZZ"), content=body)
        assert answer.status_code in ({404} if "{code}" in path else {200, 201}), (path, answer.text)


def test_examples_of_costly_requests_are_read() -> None:
    for (_, path), docs in operation_docs().items():
        if isinstance(docs.request, msgspec.Struct):
            assert msgspec.json.decode(msgspec.json.encode(docs.request), type=type(docs.request)) == docs.request, path


async def test_bad_requests_are_refused_in_words_of_the_server(
    server: RunningServer, subtests: pytest.Subtests
) -> None:
    client = server.browser()
    bad: list[tuple[str, str, bytes]] = [("GET", path, b"") for path in UNKNOWN]
    for (method, path), docs in operation_docs().items():
        address = path.format(code="ZZZZ", number=1)
        bad += [
            ("DELETE", address, b""),
            ("POST" if method == "GET" and path != "/api/reviews" else "PUT", address, b""),
        ]
        if docs.request is not None and path != "/api/reviews":  # what is wrong with a record, its reader says
            bad += [(method, address, body) for body in BODIES]
    for method, path, body in bad:
        with subtests.test(f"{method} {path} {body[:20]!r}"):
            answer = await client.request(method, path, content=body)
            refused = msgspec.json.decode(answer.content, type=ErrorResponse)
            assert 400 <= answer.status_code < 500
            assert len(refused.text) > 10
            assert not FRAMEWORK_WORDS.search(refused.text), refused.text
            assert answer.status_code != 405 or answer.headers["allow"]


async def test_the_page_shows_every_example_and_what_needs_a_token(server: RunningServer) -> None:
    page = (await server.browser().get("/docs")).text
    bodies = sum(1 + (docs.request is not None) for docs in operation_docs().values())
    assert page.count("<pre>") == bodies
    assert page.count("Needs the token of a player.") == sum(
        docs.caller is Caller.PLAYER for docs in operation_docs().values()
    )
    assert "&quot;name&quot;: &quot;Ann&quot;" in page


SLOW = ("/api/reviews", "/api/rules-lab")


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
        for path in SLOW:  # a request like the example takes seconds
            for body in description["paths"][path]["post"]["requestBody"]["content"].values():
                del body["example"]
        schema = schemathesis.openapi.from_dict(description)
        schema.config.update(base_url=running.address)
        for result in schema.get_all_operations():
            assert isinstance(result, Ok)
            operation = result.ok()

            @settings(max_examples=settings().max_examples // 2, suppress_health_check=list(HealthCheck))
            @given(operation.as_strategy(), st.booleans())
            def conforms(case: schemathesis.Case[Any], ours: bool) -> None:
                if ours and case.path_parameters and "code" in case.path_parameters:
                    case.path_parameters["code"] = opened.json()["code"]
                case.call_and_validate(session=session, excluded_checks=left_out)

            with subtests.test(operation.label):
                conforms()
