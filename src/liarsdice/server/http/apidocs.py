"""Renders the description of the HTTP API as a plain HTML page, without scripts of other sites."""

from __future__ import annotations

from html import escape
from typing import Any

from litestar import Request
from litestar.enums import MediaType
from litestar.openapi.plugins import OpenAPIRenderPlugin

Schema = dict[str, Any]  # OpenAPI as JSON


class PlainDocs(OpenAPIRenderPlugin):
    """Lists every operation with the types of its request and response, and links to the description as JSON."""

    def __init__(self) -> None:
        super().__init__(path="/", media_type=MediaType.HTML)

    def render(self, request: Request[Any, Any, Any], openapi_schema: Schema) -> bytes:  # noqa: ARG002  litestar's shape
        """Return the page as UTF-8."""
        info = openapi_schema["info"]
        operations = "\n".join(
            _operation(method, path, operation)
            for path, item in openapi_schema["paths"].items()
            for method, operation in item.items()
            if method in ("get", "post")
        )
        title = f"{escape(info['title'])} {escape(info['version'])}"
        return (
            f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}: API</title>\n'
            f"</head>\n<body>\n<main>\n<h1>{title}: API</h1>\n"
            '<p>The same as JSON: <a href="/docs/openapi.json">openapi.json</a>. Whatever happens at a table is told'
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
    lines += [f"<p>Takes {_types(request_types)}.</p>"] if request_types else []
    lines += [f"<p>Gives {_types(response_types)}.</p>"] if response_types else []
    return "\n".join(lines)


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
