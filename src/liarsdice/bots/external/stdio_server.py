"""A Python bot as a program of its own: `serve(factory)` speaks the lines of `wire` for it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import BinaryIO

from liarsdice.bots.external.messages import FOR_BOT, PROTOCOL, Answer, Asked, Goodbye, HelloBot, HelloProgram, line_of
from liarsdice.bots.protocol import Bot
from liarsdice.core.actions import Penalise


def serve(factory: Callable[[str], Bot], reads: BinaryIO | None = None, writes: BinaryIO | None = None) -> None:
    """Play as a bot that `factory(seed)` makes, over standard input and output unless told otherwise, until goodbye.

    Meanwhile what the bot prints goes to standard error, since standard output is for the protocol.
    """
    reads, writes = reads or sys.stdin.buffer, writes or sys.stdout.buffer
    printed, sys.stdout = sys.stdout, sys.stderr
    try:
        _serve(factory, reads, writes)
    finally:
        sys.stdout = printed


def _serve(factory: Callable[[str], Bot], reads: BinaryIO, writes: BinaryIO) -> None:
    bot: Bot | None = None
    for line in reads:
        message = FOR_BOT.decode(line)
        if isinstance(message, Goodbye):
            return
        if isinstance(message, HelloBot):
            bot = factory(message.seed)
            writes.write(line_of(HelloProgram(PROTOCOL)))
        elif isinstance(message, Asked):
            assert bot is not None, "hello comes first"
            chosen = bot.act(message.view)
            assert not isinstance(chosen, Penalise), "a penalty is no move"
            writes.write(line_of(Answer(message.number, chosen)))
        writes.flush()
