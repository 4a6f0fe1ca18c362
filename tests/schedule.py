"""The order of the tests when several processes run them: no long test is left for the end.

pytest-xdist gives each process an equal share of the list, and a process that has finished takes tests from the end of
another's share. So each share begins with files that take long and ends with those that take milliseconds.
"""

from collections.abc import Sequence
from typing import TypeVar

BROWSER = "tests/browser/"
"""Tests that share a browser, a server and pages that have been shown before. All are in the share of one process,
which also has pauses for the others: it waits for the browser's own processes."""
LONG = (
    BROWSER,
    "tests/faults/",
    "tests/solve/",
    "tests/lab/train/",
    "tests/laws/test_legality.py",
    "tests/runtime/test_kernel_cache.py",
    "tests/runtime/test_ray_cluster.py",
    "tests/server/http/test_api_docs.py",
    "tests/server/protocol/test_noninterference.py",
    "tests/server/rules/test_rules_api.py",
)
"""Folders and files with tests that take many seconds."""

Test = TypeVar("Test")


def ordered(files: Sequence[tuple[str, Sequence[Test]]], processes: int) -> list[Test]:
    """Return the tests of all files in the order in which two or more processes run them; long files stay whole.

    `files`: paths from the root of the repository, with their tests. The first process has the tests of the browser,
    the others have the other long files. Every second process takes its files from the last to the first, so that
    files of one kind, such as those that kill servers, run at different times.

    >>> tests = [("tests/browser/test_a.py", "aa"), ("tests/core/test_b.py", "bbbb"), ("tests/solve/test_c.py", "cc")]
    >>> "".join(ordered(tests, 2))
    'aabbccbb'
    """
    browser = [tests for path, tests in files if path.startswith(BROWSER)]
    long = [tests for path, tests in files if path.startswith(LONG) and not path.startswith(BROWSER)]
    short = [test for path, tests in files if not path.startswith(LONG) for test in tests]
    others = processes - 1 if browser else processes
    shares = [long[process::others][:: -1 if process % 2 else 1] for process in range(others)]
    if browser:
        shares.insert(0, browser)
    left = len(short) + sum(len(tests) for share in shares for tests in share)
    order: list[Test] = []
    for process, share in enumerate(shares):
        size = left // (processes - process)
        own = [test for tests in share for test in tests]
        filling = max(0, size - len(own))
        order += own + short[:filling]
        short = short[filling:]
        left -= size
    return order + short
