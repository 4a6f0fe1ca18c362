"""Serves the web page from memory. Files that gain from it are compressed once, when the server starts."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from pathlib import Path

import msgspec
from litestar import HttpMethod, Response, route
from litestar.params import FromPath, FromQuery

from liarsdice.core.errors import UnavailableError
from liarsdice.server.http.address_limits import client_address
from liarsdice.server.http.app_state import AppRequest, AppState

FOLDER = Path(__file__).parent.parent / "page"
INDEX = "index.html"
CACHE_FOR_EVER = "public, max-age=31536000, immutable"
REVALIDATE = "no-cache"
METHODS = (HttpMethod.GET, HttpMethod.HEAD)
"""Monitors and link previews ask with HEAD whether a page is there."""

NOT_BUILT = (
    "The page of this table has not been built, so there is only the API (see /docs).\n"
    "Install the package without SKIP_WEB, or in a checkout run: python hatch_build.py\n"
)
TYPES = {".webmanifest": "application/manifest+json", ".js": "text/javascript", ".svg": "image/svg+xml; charset=utf-8"}


class StaticFile(msgspec.Struct, frozen=True):
    """A file of the page. `compressed`: the body as gzip, None unless that is smaller."""

    body: bytes
    compressed: bytes | None
    media_type: str
    etag: str
    cache_control: str


def read_page(folder: Path = FOLDER) -> dict[str, StaticFile]:
    """Return the files of the page by their path, an empty dictionary if the page is not built."""
    if not (folder / INDEX).is_file():
        return {}
    return {
        path.relative_to(folder).as_posix(): _read(path, path.parent.name == "assets")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }


def _read(path: Path, name_has_hash: bool) -> StaticFile:  # noqa: FBT001  the name of the parameter says it
    media_type = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return make_file(path.read_bytes(), media_type, CACHE_FOR_EVER if name_has_hash else REVALIDATE)


def make_file(body: bytes, media_type: str, cache_control: str = REVALIDATE) -> StaticFile:
    """Return a file to serve, compressed if it gains from that."""
    compressible = media_type.startswith(("text/", "application/", "image/svg"))
    compressed = gzip.compress(body, 9, mtime=0) if compressible else body
    return StaticFile(
        body=body,
        compressed=compressed if len(compressed) < len(body) else None,
        media_type=media_type,
        etag=f'"{hashlib.sha256(body).hexdigest()[:20]}"',
        cache_control=cache_control,
    )


@route("/", http_method=METHODS, include_in_schema=False, sync_to_thread=False)
def index(request: AppRequest, state: AppState) -> Response[bytes]:
    """Return the HTML document of the page."""
    return _file_response(request, state.page, "")


@route(
    ["/t/{code:str}", "/t/{code:str}/{page:path}"], http_method=METHODS, include_in_schema=False, sync_to_thread=False
)
def table_page(
    request: AppRequest, state: AppState, code: FromPath[str], page: FromPath[str] = "", invite: FromQuery[str] = ""
) -> Response[bytes]:
    """Return the HTML document of a table and of its pages, such as the cup.

    A valid invite lets the client's address look the table up, as if it had found it.
    """
    if state.invites.is_valid(code.upper(), invite):
        state.rate_limits.record_hit(client_address(request), code.upper())
    return _file_response(request, state.page, f"t/{code}{page}")


@route("/{path:path}", http_method=METHODS, include_in_schema=False, sync_to_thread=False)
def static_file(request: AppRequest, state: AppState, path: FromPath[str]) -> Response[bytes]:
    """Return a file of the page, or its HTML document for every path without an extension."""
    return _file_response(request, state.page, path.strip("/"))


def _file_response(request: AppRequest, files: dict[str, StaticFile], name: str) -> Response[bytes]:
    if not files:
        return Response(NOT_BUILT.encode(), status_code=503, media_type="text/plain")
    file = files.get(name) or (files[INDEX] if "." not in name.rpartition("/")[2] else None)
    if file is None:
        raise UnavailableError(f"there is no {name[:80]!r} here")
    return file_response(request, file)


def file_response(request: AppRequest, file: StaticFile) -> Response[bytes]:
    """Return a file, or that it has not changed since the client got it."""
    headers = {"etag": file.etag, "cache-control": file.cache_control, "vary": "accept-encoding"}
    if request.headers.get("if-none-match") == file.etag:
        return Response(b"", status_code=304, headers=headers, media_type=file.media_type)
    if file.compressed is not None and "gzip" in request.headers.get("accept-encoding", ""):
        headers["content-encoding"] = "gzip"
        return Response(file.compressed, headers=headers, media_type=file.media_type)
    return Response(file.body, headers=headers, media_type=file.media_type)
