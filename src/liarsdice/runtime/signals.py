"""An order to stop: SIGTERM, or SIGHUP when a terminal closes, ends a run as Ctrl-C does.

What was played is kept, and told where somebody listens, and no process stays.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
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
def hearing(signals: Iterable[signal.Signals], answer: Callable[[int], None]) -> Iterator[None]:
    """Have the first of some signals answered; a second one ends the program at once. For the main thread.

    What the program was begun to ignore, as `nohup` has it, it goes on to ignore. A terminal that closes tells it
    twice, so SIGHUP counts once.
    """

    def heard(number: int, _frame: FrameType | None) -> None:
        for one in before:
            signal.signal(one, signal.SIG_IGN if one.name == "SIGHUP" else signal.SIG_DFL)
        answer(number)

    before = {one: known for one in signals if (known := signal.getsignal(one)) is not signal.SIG_IGN}
    try:
        for one in before:
            signal.signal(one, heard)
        yield
    finally:
        for one, known in before.items():
            signal.signal(one, signal.SIG_DFL if known is None else known)


@contextmanager
def stoppable() -> Iterator[None]:
    """Raise `TerminatedError` when an order to stop comes; a second one ends the program. For the main thread."""
    with hearing(ORDERS, _stop):
        yield


def _stop(number: int) -> None:
    raise TerminatedError(number)
