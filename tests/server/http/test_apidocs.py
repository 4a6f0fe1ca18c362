"""The page that describes the API lists every operation, and needs no script."""

from collections.abc import Callable

import pytest

from liarsdice.server.http import api_docs
from liarsdice.server.http.api import HANDLERS
from liarsdice.server.http.api_docs import PlainDocs
from tests.server.running_server import RunningServer


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
