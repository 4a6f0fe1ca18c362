"""An order to stop: SIGTERM ends a run as Ctrl-C does, what was played is kept and told, and no process stays."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

TERMINATED = 128 + signal.SIGTERM
"""The exit status of a run that SIGTERM stopped, as shells have it."""


class TerminatedError(KeyboardInterrupt):
    """SIGTERM came. No misplay of a bot, since Ctrl-C is none either."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Raise `TerminatedError` when SIGTERM comes; a second one ends the program at once. For the main thread."""
    before = signal.signal(signal.SIGTERM, _terminated)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminated(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    raise TerminatedError
