"""The page in the browser, as it was built with the package: files from memory, compressed once."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from pathlib import Path

import msgspec
from litestar import Request, Response, get
from litestar.datastructures import State
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

Asked = Request[object, object, State]
FOLDER = Path(__file__).parent.parent / "page"
ENTRY = "index.html"
FOR_EVER = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"
NOT_BUILT = (
    "The page of this table has not been built, so there is only the API (see /docs).\n"
    "Install the package without SKIP_WEB, or in a checkout run: python hatch_build.py\n"
)
TYPES = {".webmanifest": "application/manifest+json", ".js": "text/javascript", ".svg": "image/svg+xml; charset=utf-8"}


class File(msgspec.Struct, frozen=True):
    """A file of the page. `packed` is gzip, where that is smaller."""

    body: bytes
    packed: bytes | None
    media_type: str
    tag: str
    caching: str


def read_page(folder: Path = FOLDER) -> dict[str, File]:
    """The files of the page by path, none where it has not been built."""
    if not (folder / ENTRY).is_file():
        return {}
    return {
        path.relative_to(folder).as_posix(): _read(path, path.parent.name == "assets")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }


def _read(path: Path, hashed: bool) -> File:  # noqa: FBT001  the name of the file says it
    body = path.read_bytes()
    kind = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    packed = gzip.compress(body, 9, mtime=0) if kind.startswith(("text/", "application/", "image/svg")) else body
    return File(
        body=body,
        packed=packed if len(packed) < len(body) else None,
        media_type=kind,
        tag=f'"{hashlib.sha256(body).hexdigest()[:20]}"',
        caching=FOR_EVER if hashed else ASK_AGAIN,
    )


@get("/", include_in_schema=False, sync_to_thread=False)
def front(request: Asked, state: State) -> Response[bytes]:
    """The page's frame."""
    return _answered(request, state.page, "")


@get("/{path:path}", include_in_schema=False, sync_to_thread=False)
def page(request: Asked, state: State, path: FromPath[str]) -> Response[bytes]:
    """A file of the page, or its frame for every address that the page itself knows."""
    return _answered(request, state.page, path.strip("/"))


def _answered(request: Asked, files: dict[str, File], name: str) -> Response[bytes]:
    if not files:
        return Response(NOT_BUILT.encode(), status_code=503, media_type="text/plain")
    found = files.get(name) or (files[ENTRY] if "." not in name.rpartition("/")[2] else None)
    if found is None:
        raise NotFoundException(f"there is no {name[:80]!r} here")
    headers = {"etag": found.tag, "cache-control": found.caching, "vary": "accept-encoding"}
    if request.headers.get("if-none-match") == found.tag:
        return Response(b"", status_code=304, headers=headers, media_type=found.media_type)
    if found.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
        headers["content-encoding"] = "gzip"
        return Response(found.packed, headers=headers, media_type=found.media_type)
    return Response(found.body, headers=headers, media_type=found.media_type)
