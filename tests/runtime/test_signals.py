"""Signals that stop a run, and blocks that they must not interrupt.

The tests raise signals in the main thread: one that is sent to the process may be delivered late, in another thread.
"""

from __future__ import annotations

import signal
import threading

import pytest

from liarsdice.runtime.processes import TerminatedError, defer_signals, stoppable


def test_a_deferred_signal_is_handled_at_the_end_of_the_block() -> None:
    before, done = signal.getsignal(signal.SIGTERM), []

    @defer_signals()
    def run() -> None:
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)  # a signal that waits already is not counted again
        done.append(1)

    with stoppable():
        with pytest.raises(TerminatedError) as caught:
            run()
        assert done == [1]
        assert caught.value.status == 143
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL  # the next one ends the program at once
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_deferred_signal_is_handled_though_the_block_fails() -> None:
    @defer_signals()
    def fail() -> None:
        signal.raise_signal(signal.SIGINT)
        raise OSError

    with pytest.raises(KeyboardInterrupt):
        fail()


def test_no_signal_is_deferred_outside_the_main_thread() -> None:
    handlers = []

    def run() -> None:
        with defer_signals():
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert handlers == [signal.getsignal(signal.SIGINT)]
