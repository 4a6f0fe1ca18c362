"""The page that describes the API lists every operation, and needs no script."""

from liarsdice.server.http.api import HANDLERS
from liarsdice.server.http.apidocs import PlainDocs
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
