"""A language model behind an HTTP endpoint that speaks the chat completions of OpenAI, as most servers of models do."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec

from liarsdice.bots.external.chat_model import ChatMessage, Completion
from liarsdice.bots.protocol import BotError
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.runtime.optional_dependencies import import_optional

if TYPE_CHECKING:
    import httpx

PATH = "/chat/completions"
RETRIED_STATUSES = frozenset((408, 429, 500, 502, 503, 504))
BACKOFF_S = (1.0, 2.0, 4.0, 8.0, 16.0)
"""The waits before a request is repeated."""
MAX_RETRY_AFTER_S = 60.0
"""The longest wait that the header Retry-After can ask for."""
MAX_RESPONSE_BYTES = 1024 * 1024
MAX_QUOTE_LENGTH = 200


class EndpointSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Where a model is and how it is asked.

    `url`: the address of the API, such as `http://localhost:8000/v1`. `timeout_s`: the limit of one answer in seconds.
    `temperature`, `seed`, `max_tokens`: sent unless None. `parameters`: further fields of a request; a field with the
    value None is left out.
    """

    url: str
    model: str
    timeout_s: float = 60.0
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    parameters: dict[str, Any] = {}


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Message(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Message


class _Response(msgspec.Struct):
    choices: list[_Choice]
    usage: _Usage | None = None


class ChatEndpoint:
    """A model behind an endpoint. Requests are repeated after connection errors, 429 and server errors.

    `key`: the API key, which is sent as a bearer token and appears in no message; "" sends none. `sleep` waits before a
    request is repeated. Raises `MalformedError` for an address or a key that cannot be used, and `UnavailableError`
    without httpx.
    """

    def __init__(
        self, settings: EndpointSettings, key: str = "", *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.settings = settings
        self._httpx = import_optional("httpx", "llm", "calling an endpoint needs httpx")
        self._url = completions_url(settings.url)
        if not (key.isascii() and key.isprintable()):
            raise MalformedError("the API key has characters that a header of HTTP cannot hold")
        self._key = key
        self._sleep = sleep
        self._client: httpx.Client = self._httpx.Client(
            timeout=settings.timeout_s, headers={"Authorization": f"Bearer {key}"} if key else {}
        )

    def complete(self, messages: Sequence[ChatMessage]) -> Completion:
        """Return the next message of a chat.

        Raises `BotError` if there is no answer within the limit, and `UnavailableError` if the endpoint refuses the
        request, answers something else, or cannot be reached after several tries.
        """
        body = self._body(messages)
        problem = ""
        for wait_s in (*BACKOFF_S, None):
            retry_after_s = 0.0
            try:
                status, headers, content = self._post(body)
            except (self._httpx.ReadTimeout, self._httpx.WriteTimeout) as error:
                raise BotError(f"it gave no answer within {self.settings.timeout_s:g} s") from error
            except self._httpx.TransportError as error:
                problem = f"{type(error).__name__}: {error}"
            else:
                if status == 200:
                    return self._completion(content)
                problem = f"status {status}: {content[:MAX_QUOTE_LENGTH].decode(errors='replace')}"
                if status not in RETRIED_STATUSES:
                    raise self._unavailable(f"refused a request with {problem}")
                retry_after_s = _seconds(headers.get("retry-after", ""))
            if wait_s is not None:
                self._sleep(max(wait_s, retry_after_s))
        raise self._unavailable(f"gave no answer in {len(BACKOFF_S) + 1} tries; the last one: {problem}")

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _body(self, messages: Sequence[ChatMessage]) -> bytes:
        settings = self.settings
        fields = {
            "model": settings.model,
            "messages": messages,
            "temperature": settings.temperature,
            "seed": settings.seed,
            "max_tokens": settings.max_tokens,
        } | settings.parameters
        return msgspec.json.encode({name: value for name, value in fields.items() if value is not None})

    def _post(self, body: bytes) -> tuple[int, httpx.Headers, bytes]:
        """Return status, headers and content of one request. Raises what httpx raises, `ReadTimeout` at the limit."""
        deadline_s = time.monotonic() + self.settings.timeout_s
        content = bytearray()
        headers = {"Content-Type": "application/json"}
        with self._client.stream("POST", self._url, content=body, headers=headers) as response:
            for chunk in response.iter_bytes():
                content += chunk
                if len(content) > MAX_RESPONSE_BYTES:
                    raise self._unavailable(f"answered more than {MAX_RESPONSE_BYTES} bytes")
                if time.monotonic() > deadline_s:  # the limits of httpx are for each part of an answer
                    raise self._httpx.ReadTimeout("the answer took too long")
            return response.status_code, response.headers, bytes(content)

    def _completion(self, content: bytes) -> Completion:
        try:
            response = msgspec.json.decode(content, type=_Response)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._unavailable(f"answered no chat completion: {error}") from error
        if not response.choices:
            raise self._unavailable("answered a chat completion without choices")
        usage = response.usage or _Usage()
        return Completion(response.choices[0].message.content or "", usage.prompt_tokens, usage.completion_tokens)

    def _unavailable(self, problem: str) -> UnavailableError:
        message = f"the endpoint {self._url} {problem}"
        return UnavailableError(message.replace(self._key, "***") if self._key else message)


def completions_url(url: str) -> str:
    """Return the address to which requests are sent. Raises `MalformedError` for an address that is not an HTTP URL.

    >>> completions_url("http://localhost:8000/v1/")
    'http://localhost:8000/v1/chat/completions'
    """
    wanted = f"an endpoint is an address such as http://localhost:8000/v1, not {url!r:.80}"
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError as error:
        raise MalformedError(wanted) from error
    if not is_address:
        raise MalformedError(wanted)
    if parts.username is not None or parts.query or parts.fragment:
        raise MalformedError(
            "the address of an endpoint has no user, query or fragment; the key has a place of its own"
        )
    return url if parts.path.endswith(PATH) else url.rstrip("/") + PATH


def _seconds(header: str) -> float:
    """Return the seconds that a header Retry-After asks for, 0 if it names a date or nothing."""
    return min(float(header), MAX_RETRY_AFTER_S) if header.isascii() and header.isdigit() else 0.0
