"""`liarsdice simulate`, as it is run."""

import json
import re
from pathlib import Path

import pytest

from liarsdice.bots.registry import bot_names
from liarsdice_lab.tournaments.simulation import Simulation, SimulationResult
from tests.cli.run_cli import error_line, output_of, run_captured


def test_the_table_has_the_results_of_each_bot() -> None:
    asked = "simulate --rules perudo --bots threshold:0.4,random --seats 3 --matches 9 --seed 4"
    status, out, error = run_captured(*asked.split())
    assert (status, error) == (0, "")  # no bar where nobody watches
    head, means, _, columns, *rows, _, legend = out.splitlines()
    assert head == "Perudo, 3 seats, 9 matches from seed 4"
    assert re.fullmatch(r"[\d.]+ rounds and [\d.]+ decisions per match, \d+ matches per second", means)
    assert columns.split()[:2] == ["bot", "wins"]
    assert [row.split("  ")[0] for row in rows] == ["threshold:0.4 #1", "random", "threshold:0.4 #2"]
    assert all("% (" in row and "/" in row for row in rows)
    assert legend == "moves: per match; calls and exact calls: right / made"
    assert max(map(len, rows)) <= 80


def test_the_json_is_the_same_for_the_same_seed() -> None:
    outputs = []
    for _ in range(2):
        asked = ("--bots", "inference,greedy", "--matches", "6", "--seed", "2", "--json")
        result = json.loads(output_of("simulate", *asked))
        assert result.pop("seconds") > 0
        outputs.append(result)
    assert outputs[0] == outputs[1]
    assert (outputs[0]["rules"], outputs[0]["matches"], outputs[0]["seats"]) == ("perudo", 6, 2)
    bots = outputs[0]["bots"]
    assert [bot["bot"] for bot in bots] == ["inference", "greedy"]
    assert sum(bot["wins"] for bot in bots) == 6
    for bot in bots:
        low, high = bot["win_share_95"]
        assert 0 <= low <= bot["win_share"] <= high <= 1


def test_ctrl_c_prints_the_matches_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    play = Simulation.play

    def interrupted(self: Simulation, number: int) -> SimulationResult:
        if number == 3:
            raise KeyboardInterrupt
        return play(self, number)

    monkeypatch.setattr(Simulation, "play", interrupted)
    status, out, error = run_captured("simulate", "--matches", "1000")
    assert status == 130
    assert out.startswith("Perudo, 2 seats, 3 matches from seed 0\n")
    assert "stopped after 3 of 1,000 matches" in error


def test_ctrl_c_before_the_first_match_prints_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: Simulation, number: int) -> SimulationResult:
        raise KeyboardInterrupt(number)

    monkeypatch.setattr(Simulation, "play", interrupted)
    assert run_captured("simulate", "--matches", "5")[:2] == (130, "Perudo, 2 seats, 0 matches from seed 0\n")


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (("--bots", "nobody"), "no bot is called 'nobody'"),
        (("--bots", "threshold:7"), "a probability from 0 to 1"),
        (("--bots", ","), "needs at least one bot"),
        (("--seats", "1"), "2 bots do not fit in 1 seats"),
        (("--rules", "house.toml", "--seats", "9"), "seats 3 to 7 players, not 9"),
        (("--rules", "poker"), "no ruleset is called 'poker'"),
        (("--matches", "0"), "play at least one match, not 0"),
        (("--matches", "99999999999999999999999"), "--matches is 10,000,000 at most, not 99999999999999999999999"),
    ],
)
def test_what_cannot_be_played_is_one_line_and_status_2(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    arguments: tuple[str, ...],
    complaint: str,
) -> None:
    (tmp_path / "house.toml").write_text("players = { min = 3, max = 7 }", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    status, out, error = run_captured("simulate", *arguments)
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert complaint in error


def test_help_names_every_bot() -> None:
    shown = output_of("simulate", "--help")
    assert all(name in shown for name in bot_names())


def test_a_program_that_fails_loses_and_is_told_of() -> None:
    spec = "exec:sh -c 'echo no idea >&2'"
    status, out, error = run_captured("simulate", "--bots", f"inference,{spec}", "--matches", "2")
    assert status == 0
    assert "match 1: fault of bot 2 in round 1: it ended with status 0 (it wrote: no idea); it has to " in error
    inference, own = (line for line in out.splitlines() if line.startswith(("inference", "exec")))
    assert "100.0%" in inference
    assert "0.0%" in own


def test_a_million_seats_are_refused_before_they_are_set_up() -> None:
    assert "at most 100 seats, not 1000000" in error_line("simulate", "--seats", "1000000")
