"""Renders the description of the HTTP API once, as JSON and as a plain HTML page without scripts of other sites."""

from __future__ import annotations

import asyncio
import json
from html import escape
from typing import Any

import msgspec
from litestar import Litestar, Request
from litestar.enums import MediaType
from litestar.openapi.plugins import OpenAPIRenderPlugin

from liarsdice.server.http.api_description import Schema, operations_of
from liarsdice.server.http.static_files import StaticFile, make_file

DOCS_PATH = "/docs"
DESCRIPTION_PATH = f"{DOCS_PATH}/openapi.json"


class ApiDocs:
    """The description of an application, which is made when somebody first asks for it."""

    def __init__(self) -> None:
        self._files: dict[str, StaticFile] = {}
        self._lock = asyncio.Lock()

    async def file(self, app: Litestar, path: str) -> StaticFile | None:
        """Return what is served at a path; None for nothing."""
        async with self._lock:
            if not self._files:
                self._files = await asyncio.to_thread(_make_files, app)
        return self._files.get(path)


def _make_files(app: Litestar) -> dict[str, StaticFile]:
    schema = app.openapi_schema.to_schema()
    return {
        DOCS_PATH: make_file(docs_page(schema), "text/html; charset=utf-8"),
        DESCRIPTION_PATH: make_file(msgspec.json.encode(schema), "application/json"),
    }


class PlainDocs(OpenAPIRenderPlugin):
    """Makes the framework describe the API; `app` answers with `ApiDocs` before its handlers are asked."""

    def __init__(self) -> None:
        super().__init__(path="/", media_type=MediaType.HTML)

    def render(self, request: Request[Any, Any, Any], openapi_schema: Schema) -> bytes:  # noqa: ARG002  litestar's shape
        """Return the page as UTF-8."""
        return docs_page(openapi_schema)


def docs_page(openapi_schema: Schema) -> bytes:
    """Return a page that lists every operation with types and examples of its bodies, as UTF-8."""
    info = openapi_schema["info"]
    operations = "\n".join(
        _operation(method, path, operation) for method, path, operation in operations_of(openapi_schema)
    )
    title = f"{escape(info['title'])} {escape(info['version'])}"
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}: API</title>\n'
        f"</head>\n<body>\n<main>\n<h1>{title}: API</h1>\n"
        '<p>The same as JSON: <a href="/docs/openapi.json">openapi.json</a>. A program sends its token in'
        " the header <code>Authorization: Bearer TOKEN</code>. What happens at a table is in its view, and is sent"
        " over the WebSocket <code>/ws/{code}</code>.</p>\n"
        f"{operations}\n</main>\n</body>\n</html>\n"
    ).encode()


def _operation(method: str, path: str, operation: Schema) -> str:
    request_types = operation.get("requestBody", {}).get("content", {})
    response_types: Schema = next(
        (answer.get("content", {}) for status, answer in operation["responses"].items() if status.startswith("2")), {}
    )
    lines = [f"<h2><code>{method.upper()} {escape(path)}</code></h2>"]
    lines += [f"<p>{escape(operation.get('description') or operation.get('summary', ''))}</p>"]
    lines += [f"<p>{_caller(operation)}</p>"] if operation["security"] else []
    lines += [f"<p>Takes {_types(request_types)}.</p>", *_examples(request_types)] if request_types else []
    lines += [f"<p>Gives {_types(response_types)}.</p>", *_examples(response_types)] if response_types else []
    return "\n".join(lines)


def _caller(operation: Schema) -> str:
    """Return who may send a request."""
    if {} in operation["security"]:
        return "Knows the client by its token, if it sends one."
    return "Needs the token of a player."


def _examples(content: Schema) -> list[str]:
    return [
        f"<details><summary>Example</summary><pre>{escape(_text(body['example']))}</pre></details>"
        for body in content.values()
    ]


def _text(example: object) -> str:
    """Return an example as it would be sent, JSON with line breaks."""
    if isinstance(example, str):
        return example
    return json.dumps(example, indent=2, ensure_ascii=False)


def _types(content: Schema) -> str:
    return ", ".join(
        f"<code>{escape(_type_name(body.get('schema', {})))}</code> as {escape(media)}"
        for media, body in content.items()
    )


def _type_name(schema: Schema) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if schema.get("type") == "array":
        return f"list of {_type_name(schema.get('items', {}))}"
    return str(schema.get("type", "text"))
