"""Standard streams that are closed, full or no longer read cause one line of error at most."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from liarsdice.core.engine.engine import match_started
from liarsdice.core.records.record import write_record
from liarsdice.core.rules.presets import preset

FULL = "/dev/full"
UNWRITABLE = {">&-": "standard output is closed"}
if Path(FULL).exists():  # Linux has it; a closed stream takes the same way everywhere
    UNWRITABLE[f">{FULL}"] = "cannot read or write: No space left"
PLAY = "play --rules basic --seats 2 --seed 1 --record new.jsonl"
COMMANDS = ("rules list", "rules show perudo", "simulate --matches 1", "replay old.jsonl", PLAY, "--help", "--version")


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command with its streams as a shell sets them up, beside the record of a match that has just begun."""
    begun = match_started(preset("perudo").ruleset, ("Ann", "Bo"))
    (folder / "old.jsonl").write_text(write_record([begun], "0.1.0"), encoding="utf-8")
    return subprocess.run(
        ["/bin/sh", "-c", f"{sys.executable} -m liarsdice {command}"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("output, complaint", UNWRITABLE.items())
def test_an_output_that_cannot_be_written_is_reported_in_one_line(
    command: str, output: str, complaint: str, tmp_path: Path
) -> None:
    result = run(f"{command} {output}", tmp_path)
    assert result.returncode == 1
    assert complaint in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("streams", ["<&-", "2>&-", "<&- 2>&-"])
def test_commands_run_without_input_or_stderr(command: str, streams: str, tmp_path: Path) -> None:
    result = run(f"{command} {streams}", tmp_path)
    assert result.returncode == 0
    assert not result.stderr
    assert result.stdout


def test_an_error_without_stderr_keeps_its_exit_status(tmp_path: Path) -> None:
    assert [run(f"rules show nope 2{output}", tmp_path).returncode for output in UNWRITABLE] == [2] * len(UNWRITABLE)


def test_a_pipe_without_reader_causes_no_error_message(tmp_path: Path) -> None:
    assert not run("rules show perudo | true", tmp_path).stderr
