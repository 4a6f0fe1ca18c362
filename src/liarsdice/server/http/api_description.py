"""Completes the description of the HTTP API: examples, who needs a token, and the codes of errors."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import msgspec
from litestar.openapi import OpenAPIConfig
from litestar.openapi.spec import Components, OpenAPI, SecurityScheme

from liarsdice.server.http.api_examples import Caller, OperationDocs, operation_docs
from liarsdice.server.http.auth import BEARER, COOKIE, SECURE_COOKIE
from liarsdice.server.http.error_responses import CODES_OF_STATUS, ERROR_EXAMPLES
from liarsdice.server.http.schemas import ErrorResponse

Schema = dict[str, Any]  # OpenAPI as JSON

COMPONENTS = Components(
    security_schemes={
        "cookie": SecurityScheme(
            type="apiKey",
            security_scheme_in="cookie",
            name=COOKIE,
            description=f"The token that the server gave with the first seat; over HTTPS it is called {SECURE_COOKIE}.",
        ),
        "bearer": SecurityScheme(
            type="http",
            scheme=BEARER,
            description="The token of a program, which it sends instead of a cookie: 32 random bytes in base64,"
            " or one from the operator, with scopes.",
        ),
    }
)
SECURITY: dict[Caller, list[dict[str, list[str]]]] = {
    Caller.ANYBODY: [],
    Caller.KNOWN: [{}, {"cookie": []}, {"bearer": []}],
    Caller.PLAYER: [{"cookie": []}, {"bearer": []}],
}
"""As OpenAPI has it: any of these is enough, and nothing is needed for an empty one."""


class ApiConfig(OpenAPIConfig):
    """Makes a description of the framework's that is complete."""

    def to_openapi_schema(self) -> OpenAPI:
        """Return the frame of the description, to which the framework adds the operations."""
        frame = super().to_openapi_schema()
        return _ApiDescription(**{field.name: getattr(frame, field.name) for field in dataclasses.fields(frame)})


class _ApiDescription(OpenAPI):
    def to_schema(self) -> Schema:
        """Return the description as JSON."""
        schema = super().to_schema()
        for method, path, operation in operations_of(schema):
            _complete(operation, operation_docs()[method, path])
        return schema


def operations_of(schema: Schema) -> Iterator[tuple[str, str, Schema]]:
    """Yield the method, the path and the description of each operation."""
    for path, item in schema["paths"].items():
        for method, operation in item.items():
            if method in ("get", "post"):
                yield method.upper(), path, operation


def _complete(operation: Schema, docs: OperationDocs) -> None:
    operation["security"] = SECURITY[docs.caller]
    if docs.request_media_type:
        body_type = "string" if isinstance(docs.request, str) else "object"
        content = {docs.request_media_type: {"schema": {"type": body_type}}}
        operation["requestBody"] = {"content": content, "required": True}
    for body in operation.get("requestBody", {}).get("content", {}).values():
        body["example"] = msgspec.to_builtins(docs.request)
    for status, response in operation["responses"].items():
        if int(status) in CODES_OF_STATUS:
            _describe_error(response, int(status))
        else:
            response["description"] = docs.result
            for body in response.get("content", {}).values():
                body["example"] = msgspec.to_builtins(docs.response)


def _describe_error(response: Schema, status: int) -> None:
    """Name the codes that responses of a status can have, with an example of each."""
    codes = CODES_OF_STATUS[status]
    for body in response["content"].values():
        only = {"properties": {"code": {"enum": [code.value for code in codes]}}}
        body["schema"] = {"allOf": [body["schema"], only]}
        body["examples"] = {
            code.value: {"value": msgspec.to_builtins(ErrorResponse(code, ERROR_EXAMPLES[code]))} for code in codes
        }
