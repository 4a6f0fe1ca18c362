"""Runs a Python bot as a program of its own, which answers messages on standard input and output."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import BinaryIO

from liarsdice.bots.external.messages import (
    PROTOCOL_VERSION,
    TO_BOT_DECODER,
    ActionReply,
    ActionRequest,
    Goodbye,
    HelloFromBot,
    HelloToBot,
    encode_line,
)
from liarsdice.bots.protocol import Bot, require_bot
from liarsdice.core.actions import Penalise
from liarsdice.runtime.public_api import checked


@checked
def serve(
    factory: Callable[[str], Bot], input_stream: BinaryIO | None = None, output_stream: BinaryIO | None = None
) -> None:
    """Play as the bot that `factory(seed)` makes, until `goodbye` or the end of the input.

    Messages go over standard input and output unless other streams are given. Meanwhile `print` writes to standard
    error, since standard output carries the messages. Raises `MalformedError` if the factory makes no bot.
    """
    input_stream, output_stream = input_stream or sys.stdin.buffer, output_stream or sys.stdout.buffer
    stdout, sys.stdout = sys.stdout, sys.stderr
    try:
        _answer_messages(factory, input_stream, output_stream)
    finally:
        sys.stdout = stdout


def _answer_messages(factory: Callable[[str], Bot], input_stream: BinaryIO, output_stream: BinaryIO) -> None:
    bot: Bot | None = None
    for line in input_stream:
        message = TO_BOT_DECODER.decode(line)
        if isinstance(message, Goodbye):
            return
        if isinstance(message, HelloToBot):
            bot = factory(message.seed)
            require_bot(bot, "the factory")
            output_stream.write(encode_line(HelloFromBot(PROTOCOL_VERSION)))
        elif isinstance(message, ActionRequest):
            assert bot is not None, "hello comes first"
            action = bot.act(message.view)
            assert not isinstance(action, Penalise), "a penalty is no move"
            output_stream.write(encode_line(ActionReply(message.number, action)))
        output_stream.flush()
