"""Stopping a run by signal: SIGTERM, or SIGHUP when a terminal closes, ends it as Ctrl-C does.

Results so far are kept, subprocesses are ended, and the exit status tells which signal came.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType

STOP_SIGNALS = tuple(signal.Signals[name] for name in ("SIGTERM", "SIGHUP") if name in signal.Signals.__members__)
"""The signals that stop a run; Windows has only the first."""

SIGTERM_STATUS = 128 + signal.SIGTERM
"""The exit status of a process that SIGTERM stopped, as shells report it."""

MAX_WAIT_S = 0.2
"""The longest single blocking call of a wait, in seconds.

Python runs a signal handler between two bytecode instructions of the main thread. A signal that arrives after the last
such check but before the system call begins does not interrupt the call, so its handler waits until the call ends.
"""


class TerminatedError(KeyboardInterrupt):
    """A stop signal arrived. `status` is the exit status: 128 + the number of the signal.

    Like Ctrl-C it does not count as a fault of a bot.
    """

    def __init__(self, signal_number: int) -> None:
        self.status = 128 + signal_number


@contextmanager
def handle_signals(signals: Iterable[signal.Signals], handler: Callable[[int], None]) -> Iterator[None]:
    """Call `handler` with the number of the first signal that arrives; a second one ends the program at once.

    Signals that the program was started to ignore, as `nohup` does, stay ignored. A closing terminal sends SIGHUP
    twice, so only the first SIGHUP counts. For the main thread only.
    """

    def handle_first(signal_number: int, _frame: FrameType | None) -> None:
        for number in previous:
            signal.signal(number, signal.SIG_IGN if number.name == "SIGHUP" else signal.SIG_DFL)
        handler(signal_number)

    previous = {number: known for number in signals if (known := signal.getsignal(number)) is not signal.SIG_IGN}
    try:
        for number in previous:
            signal.signal(number, handle_first)
        yield
    finally:
        for number, known in previous.items():
            signal.signal(number, signal.SIG_DFL if known is None else known)


@contextmanager
def defer_signals() -> Iterator[None]:
    """Run the handlers of SIGINT, SIGTERM and SIGHUP at the end of the block instead of within it.

    For code that must not be left half done by the exception that a handler raises. Signals without a handler in Python
    act at once. In a thread other than the main one, where no handler runs, the block changes nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pending: list[int] = []
    handlers = {
        number: handler for number in (signal.SIGINT, *STOP_SIGNALS) if callable(handler := signal.getsignal(number))
    }
    try:
        for number in handlers:
            signal.signal(number, lambda number, _frame: pending.append(number))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for signal_number in dict.fromkeys(pending):
            signal.raise_signal(signal_number)


@contextmanager
def stoppable() -> Iterator[Callable[[], None]]:
    """Raise `TerminatedError` when a stop signal arrives; a second one ends the program. For the main thread only.

    Yields a function that raises `TerminatedError` again if a signal has arrived: a user's bot that catches every
    exception may have swallowed the first one, and Python swallows what is raised in a destructor.
    """
    received: list[int] = []

    def stop(signal_number: int) -> None:
        received.append(signal_number)
        raise TerminatedError(signal_number)

    def raise_if_stopped() -> None:
        if received:
            raise TerminatedError(received[0])

    with handle_signals(STOP_SIGNALS, stop):
        yield raise_if_stopped
