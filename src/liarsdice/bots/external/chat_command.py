"""A language model behind a program of the user: one line of JSON for each question, one line for each answer."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from liarsdice.bots.external.chat_model import ChatMessage, Completion
from liarsdice.bots.external.line_process import LineProcess
from liarsdice.bots.protocol import BotError


class ChatRequest(msgspec.Struct, frozen=True):
    """A question to the program: the messages so far, and the limit of the answer in seconds."""

    messages: tuple[ChatMessage, ...]
    limit_s: float


class ChatReply(msgspec.Struct, frozen=True):
    """An answer of the program as JSON. Any other line is the text of the answer itself."""

    content: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


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
            reply = msgspec.json.decode(line, type=ChatReply)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return Completion(line.decode(errors="replace"))
        return Completion(reply.content, reply.prompt_tokens, reply.completion_tokens)

    def close(self) -> None:
        """End the program."""
        if self._process is not None:
            self._process.end()
        self._process = None
