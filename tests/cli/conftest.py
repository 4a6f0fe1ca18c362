"""Fixtures of all tests of the command line."""

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _default_signal_handlers() -> Iterator[None]:
    """Handle signals that a shell ignores for jobs in the background; child processes would inherit that."""
    handlers = {number: signal.signal(number, signal.default_int_handler) for number in (signal.SIGINT, signal.SIGHUP)}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)
