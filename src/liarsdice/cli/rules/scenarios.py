"""`liarsdice scenarios`: golden files through the engine."""

from __future__ import annotations

from collections.abc import Iterator

from liarsdice.cli.arguments import read_file
from liarsdice.core.errors import MalformedError
from liarsdice.testing.scenarios import Failure, read_cases, run_case

MAX_FILE_BYTES = 16 * 1024 * 1024


def run(files: list[str]) -> int:
    """Print a line per failure and the totals; the exit status: 0 if all passed."""
    passed = failed = 0
    for file, raw in [(file, read_file(file, MAX_FILE_BYTES)) for file in files]:
        for failures in _outcomes(file, raw):
            for failure in failures:
                print(failure)
            passed, failed = (passed, failed + 1) if failures else (passed + 1, failed)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def _outcomes(file: str, raw: bytes) -> Iterator[list[Failure]]:
    """What failed in each case of a file; a line that cannot be read is a case that failed."""
    for number, line in enumerate(raw.splitlines(), start=1):
        try:
            cases = read_cases(line.decode())
        except MalformedError as error:
            yield [_unread(file, number, str(error).removeprefix("line 1: "))]
        except UnicodeDecodeError as error:
            yield [_unread(file, number, f"no text in UTF-8: {error.reason}")]
        else:
            yield from map(run_case, cases)


def _unread(file: str, number: int, problem: str) -> Failure:
    return Failure(f"{file} line {number}", "the case can be read", "the scenario format", problem)
