"""`liarsdice scenarios`: runs golden scenario files and ruleset case files through the engine."""

from __future__ import annotations

from collections.abc import Iterator

from liarsdice.cli.arguments import read_file
from liarsdice.core.errors import MalformedError
from liarsdice.testing.scenarios import Failure, read_cases, run_case

MAX_FILE_BYTES = 16 * 1024 * 1024


def run(files: list[str]) -> int:
    """Print a line for each failure and the totals. Returns 0 if all cases passed, otherwise 1."""
    passed = failed = 0
    for file, content in [(file, read_file(file, MAX_FILE_BYTES)) for file in files]:
        for failures in _failures_by_case(file, content):
            for failure in failures:
                print(failure)
            passed, failed = (passed, failed + 1) if failures else (passed + 1, failed)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def _failures_by_case(file: str, content: bytes) -> Iterator[list[Failure]]:
    """Yield the failures of each case of a file. A line that cannot be read is a case with one failure."""
    for number, line in enumerate(content.splitlines(), start=1):
        try:
            cases = read_cases(line.decode())
        except MalformedError as error:
            yield [_unreadable_line(file, number, str(error).removeprefix("line 1: "))]
        except UnicodeDecodeError as error:
            yield [_unreadable_line(file, number, f"no text in UTF-8: {error.reason}")]
        else:
            yield from map(run_case, cases)


def _unreadable_line(file: str, number: int, problem: str) -> Failure:
    return Failure(f"{file} line {number}", "the case can be read", "the scenario format", problem)
