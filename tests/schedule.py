"""The order of the tests when several processes run them: no long test is left for the end.

pytest-xdist gives each process an equal share of the list, and a process that has finished takes tests from the end of
another's share. So each share begins with files that take long and ends with those that take milliseconds.
"""

from collections.abc import Sequence
from typing import TypeVar

LONG = (
    "tests/browser/",
    "tests/faults/",
    "tests/solve/",
    "tests/train/",
    "tests/laws/test_legality.py",
    "tests/runtime/test_kernel_cache.py",
    "tests/runtime/test_ray_cluster.py",
    "tests/server/http/test_openapi.py",
    "tests/server/protocol/test_noninterference.py",
    "tests/server/rules/test_rules_api.py",
)
"""Folders and files with tests that take many seconds."""

Test = TypeVar("Test")


def ordered(files: Sequence[tuple[str, Sequence[Test]]], processes: int) -> list[Test]:
    """Return the tests of all files in the order in which so many processes run them; long files stay whole.

    `files`: paths from the root of the repository, with their tests. Every second process takes its long files from the
    last to the first, so that files of one kind, such as those that need browsers, run at different times.

    >>> tests = [("tests/browser/test_a.py", "aa"), ("tests/core/test_b.py", "bbbb"), ("tests/solve/test_c.py", "cc")]
    >>> "".join(ordered(tests, 2))
    'aabbccbb'
    """
    long = [tests for path, tests in files if path.startswith(LONG)]
    short = [test for path, tests in files if not path.startswith(LONG) for test in tests]
    left = len(short) + sum(map(len, long))
    order: list[Test] = []
    for process in range(processes):
        size = left // (processes - process)
        own = [test for tests in long[process::processes][:: -1 if process % 2 else 1] for test in tests]
        filling = max(0, size - len(own))
        order += own + short[:filling]
        short = short[filling:]
        left -= size
    return order + short
