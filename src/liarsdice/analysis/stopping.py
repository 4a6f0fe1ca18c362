"""An order to stop: SIGTERM, or SIGHUP when a terminal closes, ends a run as Ctrl-C does.

What was played is kept and told, and no process stays.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ORDERS = tuple(signal.Signals[name] for name in ("SIGTERM", "SIGHUP") if name in signal.Signals.__members__)
"""The signals that are an order to stop; Windows has the first alone."""

TERMINATED = 128 + signal.SIGTERM
"""The exit status of a process that SIGTERM stopped, as shells have it."""


class TerminatedError(KeyboardInterrupt):
    """An order to stop came. No misplay of a bot, since Ctrl-C is none either. `status`: what to exit with."""

    def __init__(self, number: int) -> None:
        self.status = 128 + number


@contextmanager
def stoppable() -> Iterator[None]:
    """Raise `TerminatedError` when an order to stop comes; a second one ends the program at once. For the main thread.

    What the program was begun to ignore, as `nohup` has it, it goes on to ignore.
    """
    before = {one: known for one in ORDERS if (known := signal.getsignal(one)) is not signal.SIG_IGN}
    try:
        for one in before:
            signal.signal(one, _terminated)
        yield
    finally:
        for one, known in before.items():
            signal.signal(one, known)


def _terminated(number: int, _frame: FrameType | None) -> None:
    for one in ORDERS:
        if signal.getsignal(one) is _terminated:
            signal.signal(one, signal.SIG_DFL)
    raise TerminatedError(number)
