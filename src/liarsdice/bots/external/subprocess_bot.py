"""A bot that is a program of its own, in any language, run as a subprocess (see `line_process.py`)."""

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import BinaryIO

import msgspec

from liarsdice.bots.external.line_process import (
    FROM_BOT_DECODER,
    PROTOCOL_VERSION,
    TO_BOT_DECODER,
    ActionReply,
    ActionRequest,
    Goodbye,
    HelloFromBot,
    HelloToBot,
    LineProcess,
    MessageFromBot,
    ResultMessage,
    encode_line,
)
from liarsdice.bots.protocol import Bot, BotError, require_bot
from liarsdice.core.actions import Penalise, PlayerAction
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import View
from liarsdice.runtime.public_api import checked

DEFAULT_MOVE_LIMIT_S = 5.0
START_LIMIT_S = 10.0
"""The time limit of a process for its `hello`; the limit of a move counts where it is longer."""

MAX_STARTS = 5
"""How often a process is started in one match; after that the bot fails every request."""


class SubprocessBot:
    """A bot that runs a command. Any failure is raised as `BotError` by `act`.

    A process that exits, exceeds its time limit or sends an invalid message is killed, and started again for the next
    request. `move_limit_s`: the time limit of an answer.
    """

    def __init__(
        self,
        command: Sequence[str],
        move_limit_s: float = DEFAULT_MOVE_LIMIT_S,
        seed: int | str | None = None,
    ) -> None:
        self.command = tuple(command)
        self.move_limit_s = move_limit_s
        self._seed = seed
        self._process: LineProcess | None = None
        self._start_count = self._request_count = 0

    def __repr__(self) -> str:
        return f"SubprocessBot({self.command!r}, {self.move_limit_s!r}, {self._seed!r})"

    @property
    def pid(self) -> int | None:
        """The process id while a process runs, else None."""
        return None if self._process is None else self._process.pid

    def on_start(self, view: View) -> None:
        """Start the process, so that the first move does not have to wait for it."""
        with suppress(BotError):
            self._running_process(view)

    def act(self, view: View) -> PlayerAction | None:
        """Request a move from the process. Raises `BotError` if there is no valid answer in time."""
        process = self._running_process(view)
        self._request_count += 1
        reply = self._request(process, encode_line(ActionRequest(self._request_count, view)), self.move_limit_s)
        if not isinstance(reply, ActionReply):
            raise self._fail(process, "it said hello again in place of an action")
        if reply.number != self._request_count:
            raise self._fail(process, f"it answered question {reply.number} when asked question {self._request_count}")
        return reply.action

    def on_end(self, view: View) -> None:
        """Send the result of the match and `goodbye`, and end the process."""
        if self._process is not None:
            result = encode_line(ResultMessage(view.winners, view)) if view.phase is Phase.OVER else b""
            self._process.end(result + encode_line(Goodbye()))
        self._process, self._start_count = None, 0

    def _running_process(self, view: View) -> LineProcess:
        """Return the process, after starting it and exchanging `hello` where necessary."""
        if self._process is not None:
            return self._process
        if self._start_count == MAX_STARTS:
            raise BotError(f"its process was started {MAX_STARTS} times in this match, and is not any more")
        self._start_count, self._request_count = self._start_count + 1, 0
        assert view.seat is not None
        hello = HelloToBot(PROTOCOL_VERSION, view.seat, view.names, view.ruleset, self.move_limit_s, str(self._seed))
        self._process = process = LineProcess(self.command)
        reply = self._request(process, encode_line(hello), max(START_LIMIT_S, self.move_limit_s))
        if not isinstance(reply, HelloFromBot):
            raise self._fail(process, "it did not begin with hello")
        if reply.protocol != PROTOCOL_VERSION:
            raise self._fail(process, f"it speaks protocol {reply.protocol}, not {PROTOCOL_VERSION}")
        return process

    def _request(self, process: LineProcess, line: bytes, limit_s: float) -> MessageFromBot:
        """Send a line and return the decoded answer."""
        try:
            answer = process.request(line, limit_s)
        except BotError:
            self._stop(process)
            raise
        try:
            return FROM_BOT_DECODER.decode(answer)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            excerpt = answer[:40].decode(errors="replace")
            raise self._fail(process, f"it wrote {excerpt!r}, which is no message: {error}") from error

    def _fail(self, process: LineProcess, reason: str) -> BotError:
        """Stop the process and return the error to raise."""
        failure = process.error_with_stderr(reason)
        self._stop(process)
        return failure

    def _stop(self, process: LineProcess) -> None:
        process.end()
        self._process = None


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
