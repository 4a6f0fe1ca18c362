"""`liarsdice scenarios`, as it is run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from liarsdice.cli.app import app
from liarsdice.core.errors import UnavailableError

GOLDEN = Path(__file__).parents[2] / "golden"
RIGHT = {"id": "right", "base": "perudo", "patch": {}, "expect": "valid"}
WRONG = {**RIGHT, "id": "wrong", "expect": "invalid"}


def output(*files: Path) -> tuple[int, list[str]]:
    """The exit status, and every line."""
    result = CliRunner().invoke(app, ["scenarios", *map(str, files)])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout.splitlines()


def written(path: Path, *lines: str | bytes) -> Path:
    path.write_bytes(b"".join((line.encode() if isinstance(line, str) else line) + b"\n" for line in lines))
    return path


def test_the_golden_files_pass() -> None:
    assert output(GOLDEN / "scenarios.jsonl", GOLDEN / "ruleset_cases.jsonl") == (0, ["143 passed, 0 failed"])


def test_a_failure_is_a_line_before_the_totals(tmp_path: Path) -> None:
    file = written(tmp_path / "cases.jsonl", json.dumps(RIGHT), "", json.dumps(WRONG))
    assert output(file) == (1, ["wrong: the ruleset: expected invalid, got valid", "1 passed, 1 failed"])


@pytest.mark.parametrize(
    "line, problem",
    [
        ("{", "Input data was truncated"),
        ("[]", "a case is an object with an id"),
        ('{"kind": "raise"}', "a case is an object with an id"),
        (b'{"id": "\xff"}', "no text in UTF-8: invalid start byte"),
        ("[" * 100_000, "maximum recursion depth exceeded"),
    ],
)
def test_a_line_that_cannot_be_read_is_a_failed_case_with_its_file_and_number(
    tmp_path: Path, line: str | bytes, problem: str
) -> None:
    first = written(tmp_path / "first.jsonl", "", line, json.dumps(RIGHT))
    second = written(tmp_path / "second.jsonl", json.dumps(RIGHT))
    status, (failure, totals) = output(first, second)
    assert status == 1
    assert failure.startswith(f"{first} line 2: the case can be read: expected the scenario format, got ")
    assert problem in failure
    assert totals == "2 passed, 1 failed"


def test_a_missing_file_is_refused_before_any_case_is_run(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["scenarios", str(GOLDEN / "scenarios.jsonl"), str(tmp_path / "nothing.jsonl")])
    assert isinstance(result.exception, UnavailableError)
    assert f"cannot read {tmp_path / 'nothing.jsonl'}" in str(result.exception)
    assert result.stdout == ""
