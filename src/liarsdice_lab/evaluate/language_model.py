"""A bot that plays as a language model answers: it reads a turn as text, and its moves are read from its answers.

The model is a command, which is run for each request, or an endpoint that answers chat completions over HTTP.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol
from urllib.parse import urlsplit

import msgspec

from liarsdice.bots.external.line_process import LineProcess
from liarsdice.bots.protocol import BotError
from liarsdice.core.actions import Challenge, ChallengePass, PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.errors import IllegalActionError, MalformedError, NotationError, UnavailableError
from liarsdice.core.rules.choices import Choice
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.move_reader import read_answer
from liarsdice.core.text.turn_text import move_text, rules_text, turn_text
from liarsdice.runtime.public_api import import_optional

if TYPE_CHECKING:
    import httpx


class ChatMessage(msgspec.Struct, frozen=True):
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


class Completion(msgspec.Struct, frozen=True, rename={"text": "content"}):
    """The answer of a model. The numbers of tokens are None where the model does not tell them."""

    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class ChatModel(Protocol):
    """A language model that continues a chat."""

    def complete(self, messages: Sequence[ChatMessage]) -> Completion:
        """Return the next message of a chat.

        Raises `BotError` if there is no answer in time, and `UnavailableError` if it makes no sense to ask again.
        """
        ...

    def close(self) -> None:
        """Release connections and processes."""
        ...


MAX_ATTEMPTS = 3
"""How often a model is asked for one decision. After that the fallback is played."""
MAX_MISSING_ANSWERS = 6
"""So many questions in a row without an answer end the run: the model has failed."""
MAX_QUOTED_ANSWER = 20_000
"""How many characters of an unusable answer, counted from its end, the model is shown again."""
INSTRUCTION = "You play a match by the following rules, and want to win it."


class AttemptOutcome(Choice):
    """What came of a question: a legal move, an illegal one, a text without a move, or no answer in time."""

    LEGAL = "legal"
    ILLEGAL = "illegal"
    UNREADABLE = "unreadable"
    NO_ANSWER = "no_answer"


class Attempt(msgspec.Struct, frozen=True, omit_defaults=True):
    """One question for a move. `answer`: None without one. `error`: what the model was told, "" after a legal move.

    `latency_ms`: how long the answer took, repeated requests included.
    """

    outcome: AttemptOutcome
    answer: str | None
    latency_ms: float
    error: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class ModelDecision(msgspec.Struct, frozen=True, kw_only=True):
    """One decision of a model: the text that it read, the attempts, and the move that was played.

    `bid_count`: the bids of the round before it. `move`: in notation, `silent` for a bid that it let stand.
    `is_fallback`: whether no attempt named a legal move.
    """

    round_number: int
    bid_count: int
    on_turn: bool
    prompt: str
    attempts: tuple[Attempt, ...]
    move: str
    is_fallback: bool


class LanguageModelBot:
    """A bot that asks a model for every move, each time in a new chat: the rules, then what the seat sees.

    After an unusable answer the model reads why, and what is legal. After `MAX_ATTEMPTS` of them the fallback is
    played: a challenge if one is legal on its turn, else the lowest bid; out of turn, the bid stands. `decisions`: all
    decisions so far. `failure`: why the model cannot be asked any more, None while it can; every move is a fault then.
    """

    def __init__(self, model: ChatModel, rules: Ruleset, *, with_odds: bool = False) -> None:
        self.model = model
        self.with_odds = with_odds
        self.system_prompt = f"{INSTRUCTION}\n\n{rules_text(rules)}"
        self.decisions: list[ModelDecision] = []
        self.failure: UnavailableError | None = None
        self._missing_answers = 0

    def act(self, view: View) -> PlayerAction | None:
        """Return the model's move, or the fallback. Raises `BotError` after a failure."""
        prompt = turn_text(view, with_odds=self.with_odds)
        messages = [ChatMessage("system", self.system_prompt), ChatMessage("user", prompt)]
        attempts: list[Attempt] = []
        move: PlayerAction | None = None
        while len(attempts) < MAX_ATTEMPTS:
            attempt, move = self._attempt(messages, view)
            attempts.append(attempt)
            if attempt.outcome is AttemptOutcome.LEGAL:
                break
            if attempt.answer is not None:
                quoted = attempt.answer[-MAX_QUOTED_ANSWER:].strip() or "(no text)"
                messages += [ChatMessage("assistant", quoted), ChatMessage("user", attempt.error)]
        is_fallback = attempts[-1].outcome is not AttemptOutcome.LEGAL
        if is_fallback:
            move = fallback_move(view)
        self.decisions.append(
            ModelDecision(
                round_number=view.round_number,
                bid_count=len(view.bids),
                on_turn=view.on_turn,
                prompt=prompt,
                attempts=tuple(attempts),
                move=move_text(move),
                is_fallback=is_fallback,
            )
        )
        return move

    def _attempt(self, messages: list[ChatMessage], view: View) -> tuple[Attempt, PlayerAction | None]:
        """Ask once, and return what came of it, with the move if it is legal."""
        if self.failure is not None:
            raise BotError(str(self.failure))
        started_ns = time.perf_counter_ns()
        try:
            completion = self.model.complete(messages)
        except BotError as error:
            self._missing_answers += 1
            if self._missing_answers >= MAX_MISSING_ANSWERS:
                reason = f"the model gave no answer {MAX_MISSING_ANSWERS} times in a row: {error}"
                self.failure = UnavailableError(reason)
            return Attempt(AttemptOutcome.NO_ANSWER, None, _ms_since(started_ns), str(error)), None
        except UnavailableError as error:
            self.failure = error
            raise BotError(str(error)) from error
        latency_ms = _ms_since(started_ns)
        self._missing_answers = 0
        outcome, reason, move = AttemptOutcome.LEGAL, "", None
        try:
            move = read_answer(completion.text, view)
        except NotationError as error:
            outcome, reason = AttemptOutcome.UNREADABLE, str(error)
        except IllegalActionError as error:
            outcome, reason = AttemptOutcome.ILLEGAL, str(error)
        error_text = f"That is no legal move: {reason}. Answer with one legal move in brackets." if reason else ""
        tokens = completion.prompt_tokens, completion.completion_tokens
        return Attempt(outcome, completion.text, latency_ms, error_text, *tokens), move


def fallback_move(view: View) -> PlayerAction | None:
    """Return the move in place of unusable answers: a challenge, else the lowest bid; None out of turn.

    If all others have passed, the bidder is on turn again: it cannot challenge its own bid, and doubts the latest pass
    if there is no higher bid.
    """
    if not view.on_turn:
        return None
    if view.may_challenge:
        return Challenge()
    return view.may_bid[0] if view.may_bid else ChallengePass()


def _ms_since(started_ns: int) -> float:
    return round((time.perf_counter_ns() - started_ns) / 1e6, 3)


class ChatRequest(msgspec.Struct, frozen=True):
    """A question to the program: the messages so far, and the limit of the answer in seconds."""

    messages: tuple[ChatMessage, ...]
    limit_s: float


class ChatCommand:
    """A model behind a command, which is started for the first question and again after a failure.

    `timeout_s`: the limit of one answer in seconds.
    """

    def __init__(self, command: Sequence[str], timeout_s: float) -> None:
        self.command = tuple(command)
        self.timeout_s = timeout_s
        self._process: LineProcess | None = None

    def complete(self, messages: Sequence[ChatMessage]) -> Completion:
        """Return the next message of a chat. Raises `BotError` if the program gives no answer within the limit."""
        if self._process is None:
            self._process = LineProcess(self.command)
        request = msgspec.json.encode(ChatRequest(tuple(messages), self.timeout_s)) + b"\n"
        try:
            line = self._process.request(request, self.timeout_s)
        except BotError:
            self.close()
            raise
        try:
            return msgspec.json.decode(line, type=Completion)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # the line itself is the answer
            return Completion(line.decode(errors="replace"))

    def close(self) -> None:
        """End the program."""
        if self._process is not None:
            self._process.end()
        self._process = None


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
