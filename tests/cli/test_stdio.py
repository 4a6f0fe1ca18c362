"""Standard streams that are closed, full or no longer read cause one line of error at most."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from rich.table import Table

from liarsdice.cli.stdio import SolveProgress, align_columns, is_hung_up, render_table
from liarsdice.core.engine.engine import match_started
from liarsdice.core.records.record import write_record
from liarsdice.core.rules.presets import preset
from liarsdice.solve.cfr.method import Bounds
from tests.forked_program import STDERR, STDIN, STDOUT, run_with_streams

FULL = "/dev/full"
UNWRITABLE = {">&-": "standard output is closed"}
if Path(FULL).exists():  # Linux has it; a closed stream takes the same way everywhere
    UNWRITABLE[f">{FULL}"] = "cannot read or write: No space left"
STREAMS: dict[str, dict[int, str | None]] = {
    ">&-": {STDOUT: None},
    f">{FULL}": {STDOUT: FULL},
    "<&-": {STDIN: None},
    "2>&-": {STDERR: None},
    "<&- 2>&-": {STDIN: None, STDERR: None},
}
"""What redirections of a shell do to the streams: their files, None for those that are closed."""
PLAY = "play --rules basic --seats 2 --seed 1 --record new.jsonl"
SHOW = "rules show perudo"
COMMANDS = ("rules list", SHOW, "simulate --matches 1", "replay old.jsonl", PLAY, "--help", "--version")
WITHIN_S = 60


class Ended(NamedTuple):
    """How a process has ended, and what it has written."""

    returncode: int
    stdout: str
    stderr: str


def run_in_shell(command: str, folder: Path) -> Ended:
    """Run a command with redirections as a shell starts it."""
    words = ["/bin/sh", "-c", f"{sys.executable} -m liarsdice {command}"]
    ended = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, timeout=WITHIN_S, check=False, stdin=subprocess.DEVNULL
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def run(command: str, streams: str, folder: Path) -> Ended:
    """Run a command beside the record of a match that has just begun.

    One of the commands is started as a shell does it, the others are forked from a process that has imported them.
    """
    begun = match_started(preset("perudo").ruleset, ("Ann", "Bo"))
    (folder / "old.jsonl").write_text(write_record([begun], "0.1.0"), encoding="utf-8")
    if command == SHOW:
        return run_in_shell(f"{command} {streams}", folder)
    stdout, stderr = folder / "stdout", folder / "stderr"
    files = {STDIN: os.devnull, STDOUT: str(stdout), STDERR: str(stderr)} | STREAMS[streams]
    status = run_with_streams(["liarsdice", *command.split()], folder, files, WITHIN_S)
    return Ended(status, *(file.read_text(encoding="utf-8") if file.exists() else "" for file in (stdout, stderr)))


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("output, complaint", UNWRITABLE.items())
def test_an_output_that_cannot_be_written_is_reported_in_one_line(
    command: str, output: str, complaint: str, tmp_path: Path
) -> None:
    result = run(command, output, tmp_path)
    assert result.returncode == 1
    assert complaint in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("streams", ["<&-", "2>&-", "<&- 2>&-"])
def test_commands_run_without_input_or_stderr(command: str, streams: str, tmp_path: Path) -> None:
    result = run(command, streams, tmp_path)
    assert result.returncode == 0
    assert not result.stderr
    assert result.stdout


def test_an_error_without_stderr_keeps_its_exit_status(tmp_path: Path) -> None:
    statuses = [run_in_shell(f"rules show nope 2{output}", tmp_path).returncode for output in UNWRITABLE]
    assert statuses == [2] * len(UNWRITABLE)


def test_a_pipe_without_reader_causes_no_error_message(tmp_path: Path) -> None:
    assert not run_in_shell("rules show perudo | true", tmp_path).stderr


def test_a_stream_is_hung_up_once_its_other_end_has_closed() -> None:
    terminal, stream = os.openpty()
    assert not is_hung_up(stream)
    os.close(terminal)
    assert is_hung_up(stream)
    os.close(stream)


def test_the_remaining_time_is_estimated_from_the_trend() -> None:
    by_target = SolveProgress(target=1e-3, iterations=None, seconds=None, began_s=0.0)
    history = [Bounds(count, 1 / count, 0, 0) for count in (10, 20, 40, 100)]
    for bounds in history:
        by_target.show(bounds)
    assert by_target.remaining_s(2.0) == pytest.approx(18.0)
    by_iterations = SolveProgress(target=1e-3, iterations=150, seconds=60, began_s=0.0)
    for bounds in history:
        by_iterations.show(bounds)
    assert by_iterations.remaining_s(2.0) == pytest.approx(1.0)


def test_the_first_column_is_aligned_to_the_left_and_the_others_to_the_right() -> None:
    rows = [("bot", "wins", "share"), ("threshold:0.4", "7", "70.0%"), ("random", "13", "3.0%")]
    assert align_columns(rows) == [
        "bot            wins  share",
        "threshold:0.4     7  70.0%",
        "random           13   3.0%",
    ]


def test_a_rich_table_fits_a_terminal_and_has_one_line_a_row_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("name")
    table.add_column("about")
    table.add_row("random", "any legal move with equal probability, whatever the dice")
    assert len(render_table(table, 30).splitlines()) == 2
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    lines = re.sub(r"\x1b\[\d*m", "", render_table(table, 30)).splitlines()
    assert len(lines) > 2
    assert all(len(line.rstrip()) <= 30 for line in lines)
    assert lines[0].split() == ["name", "about"]
