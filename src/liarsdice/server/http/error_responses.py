"""The error responses that every address of the HTTP API can give, for its description.

It is a module of its own because it is data of the description, and `api` has the handlers.
"""

from __future__ import annotations

from litestar.openapi.datastructures import ResponseSpec

from liarsdice.server.http.schemas import ErrorResponse

ERROR_DESCRIPTIONS = {
    400: "What was sent cannot be read, or cannot be.",
    403: "That is not for whoever asks.",
    404: "There is nothing by that name or code.",
    409: "The rules do not allow it now.",
    413: "More was sent than anything of ours needs.",
    421: "The request names a host that is not this server's.",
    429: "Too much was asked from this address; wait a minute.",
    500: "The table is stored, but cannot be read.",
    503: "The server is busy, or the database does not answer; try again.",
}
ERRORS = {
    status: ResponseSpec(ErrorResponse, description=text, generate_examples=False)
    for status, text in ERROR_DESCRIPTIONS.items()
}
