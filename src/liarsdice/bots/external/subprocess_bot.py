"""A bot that is a process of its own, in any language, asked over the lines of `wire`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import msgspec

from liarsdice.bots.external.line_process import Process
from liarsdice.bots.external.messages import (
    FROM_BOT,
    PROTOCOL,
    Answer,
    Asked,
    FromBot,
    Goodbye,
    HelloBot,
    HelloProgram,
    Result,
    line_of,
)
from liarsdice.bots.protocol import GaveUpError
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import View

MOVE_LIMIT_S = 5.0
START_LIMIT_S = 10.0
"""A process may take so long to say hello, or as long as for a move where that is longer."""

MOST_STARTS = 5
"""How often a process is started in one match; after that every answer of it is missing."""


class Program:
    """A bot that runs a command. Whatever goes wrong with it is raised as `GaveUpError` when it is asked.

    A process that ended, was late or wrote what is no message is ended, and started anew at the next question.
    """

    def __init__(self, words: Sequence[str], move_limit_s: float = MOVE_LIMIT_S, seed: int | str | None = None) -> None:
        self.words = tuple(words)
        self.move_limit_s = move_limit_s
        self._seed = seed
        self._process: Process | None = None
        self._starts = self._asked = 0

    def __repr__(self) -> str:
        return f"Program({self.words!r}, {self.move_limit_s!r}, {self._seed!r})"

    @property
    def pid(self) -> int | None:
        """The number of its process while one runs."""
        return None if self._process is None else self._process.pid

    def arrive(self, view: View) -> None:
        """Start the process, so that no move has to wait for it."""
        with suppress(GaveUpError):
            self._running(view)

    def act(self, view: View) -> PlayerAction | None:
        """Ask for a move."""
        process = self._running(view)
        self._asked += 1
        answer = self._said(process, line_of(Asked(self._asked, view)), self.move_limit_s)
        if not isinstance(answer, Answer):
            raise self._failed(process, "it said hello again in place of an action")
        if answer.number != self._asked:
            raise self._failed(process, f"it answered question {answer.number} when asked question {self._asked}")
        return answer.action

    def leave(self, view: View) -> None:
        """Tell how the match ended, and end the process."""
        if self._process is not None:
            result = line_of(Result(view.winners, view)) if view.phase is Phase.OVER else b""
            self._process.end(result + line_of(Goodbye()))
        self._process, self._starts = None, 0

    def _running(self, view: View) -> Process:
        if self._process is not None:
            return self._process
        if self._starts == MOST_STARTS:
            raise GaveUpError(f"its process was started {MOST_STARTS} times in this match, and is not any more")
        self._starts, self._asked = self._starts + 1, 0
        assert view.seat is not None
        hello = HelloBot(PROTOCOL, view.seat, view.names, view.ruleset, self.move_limit_s, str(self._seed))
        self._process = process = Process(self.words)
        answer = self._said(process, line_of(hello), max(START_LIMIT_S, self.move_limit_s))
        if not isinstance(answer, HelloProgram):
            raise self._failed(process, "it did not begin with hello")
        if answer.protocol != PROTOCOL:
            raise self._failed(process, f"it speaks protocol {answer.protocol}, not {PROTOCOL}")
        return process

    def _said(self, process: Process, line: bytes, limit_s: float) -> FromBot:
        try:
            answer = process.ask(line, limit_s)
        except GaveUpError:
            self._stop(process)
            raise
        try:
            return FROM_BOT.decode(answer)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            shown = answer[:40].decode(errors="replace")
            raise self._failed(process, f"it wrote {shown!r}, which is no message: {error}") from error

    def _failed(self, process: Process, reason: str) -> GaveUpError:
        failure = process.quoting(reason)
        self._stop(process)
        return failure

    def _stop(self, process: Process) -> None:
        process.end()
        self._process = None
