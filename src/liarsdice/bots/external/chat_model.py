"""The interface of a language model: messages of a chat in, one message out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import msgspec


class ChatMessage(msgspec.Struct, frozen=True):
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


class Completion(msgspec.Struct, frozen=True):
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
