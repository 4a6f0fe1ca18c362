"""A model behind a program of the user."""

from __future__ import annotations

import sys

import pytest

from liarsdice.bots.external.language_model import ChatCommand, ChatMessage, Completion
from liarsdice.bots.protocol import BotError

CHAT = [ChatMessage("system", "rules"), ChatMessage("user", "turn")]
PROGRAM = """
import json, sys
for number, line in enumerate(sys.stdin):
    asked = json.loads(line)["messages"][-1]["content"]
    if asked == "exit":
        sys.exit(3)
    if asked == "hang":
        sys.stdin.read()
    print({"text": f"I doubt it {number}. [liar]", "list": '["liar"]',
           "json": '{"content": "First.\\\\nThen. [liar]", "completion_tokens": 5}'}.get(asked, asked), flush=True)
"""


def ask(model: ChatCommand, text: str) -> Completion:
    return model.complete([*CHAT, ChatMessage("user", text)])


def test_a_line_of_text_or_json_is_the_answer() -> None:
    model = ChatCommand([sys.executable, "-I", "-S", "-c", PROGRAM], 60.0)
    assert ask(model, "text") == Completion("I doubt it 0. [liar]")
    assert ask(model, "json") == Completion("First.\nThen. [liar]", None, 5)
    assert ask(model, "list") == Completion('["liar"]')
    assert ask(model, "text") == Completion("I doubt it 3. [liar]")
    model.close()


def test_a_program_that_ends_is_started_again() -> None:
    model = ChatCommand([sys.executable, "-I", "-S", "-c", PROGRAM], 60.0)
    with pytest.raises(BotError, match="it ended with status 3"):
        ask(model, "exit")
    assert ask(model, "text") == Completion("I doubt it 0. [liar]")
    model.close()


def test_a_program_that_takes_too_long_gives_no_answer() -> None:
    model = ChatCommand([sys.executable, "-I", "-S", "-c", PROGRAM], 0.2)
    with pytest.raises(BotError, match=r"it gave no answer within 0\.2 s"):
        ask(model, "hang")
    model.close()


def test_a_program_that_is_not_there_gives_no_answer() -> None:
    model = ChatCommand(["no-such-program-anywhere"], 1.0)
    with pytest.raises(BotError, match="it could not be started"):
        ask(model, "text")
    model.close()
