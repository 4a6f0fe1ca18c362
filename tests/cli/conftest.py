"""What holds for every test of the command line."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _signals_are_heard() -> Iterator[None]:
    """Whoever runs tests in the background may have signals ignored, and what a test starts would inherit that."""
    before = {one: signal.signal(one, signal.default_int_handler) for one in (signal.SIGINT, signal.SIGHUP)}
    yield
    for one, known in before.items():
        signal.signal(one, known)
