"""`liarsdice scenarios`: golden files through the engine."""

from __future__ import annotations

from liarsdice.cli.reading import read_file
from liarsdice.core.errors import MalformedError
from liarsdice.core.scenarios import read_cases, run_case

LONGEST_FILE = 16 * 1024 * 1024


def run(files: list[str]) -> int:
    """Print a line per failure and the totals; the exit status: 0 if all passed."""
    passed = failed = 0
    for file in files:
        for case in read_cases(_read(file)):
            failures = run_case(case)
            for failure in failures:
                print(failure)
            passed, failed = (passed, failed + 1) if failures else (passed + 1, failed)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def _read(file: str) -> str:
    try:
        return read_file(file, LONGEST_FILE).decode()
    except UnicodeDecodeError as error:
        raise MalformedError(f"{file} is no text in UTF-8: {error.reason}") from error
