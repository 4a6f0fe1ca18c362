"""`liarsdice arena`, as it is run."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from liarsdice.bots.registry import make_bot
from liarsdice.core.rules.presets import preset
from liarsdice.solve.round_game import with_faces
from liarsdice_lab.best_response import exploitability, exploitability_bounds
from liarsdice_lab.tournaments.arena import Arena, DealResult, play_deal
from tests.bots.external.process_checks import FAULTY_BOT, PATIENCE_S, has_ended, noted_pids, parent_of
from tests.cli.run_cli import error_line, output_of, run_captured


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        ((), "name the bots: --bots A,B or --subject A --opponents B"),
        (("--subject", "random"), "name the bots"),
        (("--bots", "random,greedy", "--subject", "random", "--opponents", "greedy"), "name the bots"),
        (("--bots", "random"), "needs at least two bots"),
        (("--bots", "random,nobody"), "no bot is called 'nobody'"),
        (("--bots", "random,greedy", "--rules", "poker"), "no ruleset is called 'poker'"),
        (("--bots", "random,greedy", "--seats", "1"), "2 to 100 seats, not 1"),
        (("--bots", "random,greedy", "-o", "/"), "cannot keep deals in /"),
        (("--bots", "random,greedy", "--matches", "10000001"), "--matches is 10,000,000 at most, not 10000001"),
    ],
)
def test_what_cannot_be_played_is_one_line_and_status_2(arguments: tuple[str, ...], complaint: str) -> None:
    status, out, error = run_captured("arena", *arguments)
    assert (status, out, error.count("\n")) == (2, "", 1)
    assert complaint in error


@pytest.mark.parametrize(
    "sent, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGKILL, -9)]
)
@pytest.mark.parametrize("to_all", [True, False])
def test_no_process_outlives_a_run_that_is_stopped(
    sent: signal.Signals, status: int, to_all: bool, tmp_path: Path
) -> None:
    mode = "good" if to_all else "deaf"  # one that is stuck is ended by the workers, and these by the run or its end
    notes = tmp_path / "notes"
    with running(
        "--jobs", "2", "--bots", f"exec[600s]:{sys.executable} -I -S {FAULTY_BOT} {mode} {notes},threshold"
    ) as run:
        wait_until(run, notes, *(("left", 3) if to_all else ("hello", 2)))
        workers = [
            int(folder.name) for folder in Path("/proc").glob("[0-9]*") if parent_of(int(folder.name)) == run.pid
        ]
        assert len(workers) >= 2
        os.kill(-run.pid if to_all else run.pid, sent)
        output, _ = run.communicate(timeout=PATIENCE_S)
        assert run.returncode == status
        assert all(has_ended(pid) for pid in [*workers, *noted_pids(notes)])
        assert (b"% (" in output) is (to_all and sent is not signal.SIGKILL)


@pytest.mark.parametrize("sent, status", [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
@pytest.mark.parametrize("command", ["arena", "simulate"])
def test_no_bot_outlives_one_process_that_is_ended(
    command: str, sent: signal.Signals, status: int, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    spec = f"exec[600s]:{sys.executable} -I -S {FAULTY_BOT} deaf {notes}"
    with running("--bots", f"{spec},threshold", command=command) as run:
        wait_until(run, notes, "hello", 1)
        run.send_signal(sent)
        if sent is signal.SIGHUP:
            run.send_signal(sent)  # a terminal that closes tells it twice
        run.communicate(timeout=PATIENCE_S)
        assert run.returncode == status
        assert all(has_ended(pid) for pid in noted_pids(notes))


WANDERS = """
import os
from liarsdice.bots.simple.simple_bots import Threshold
os.chdir("data")
class Wanderer:
    def act(self, view):
        os.chdir("data")
        return Threshold(0.4).act(view)
def bot(seed):
    os.chdir("data")
    return Wanderer()
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_bot_that_changes_folders_changes_nothing_else(
    monkeypatch: pytest.MonkeyPatch, jobs: str, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    (tmp_path / "wanders.py").write_text(WANDERS, encoding="utf-8")
    asked = ("--bots", "python:wanders.py:bot,threshold", "--matches", "6", "--jobs", jobs, "-o", "kept.jsonl")
    status, _, error = run_captured("arena", *asked)
    assert status == 0
    assert "fault of" not in error
    header, *deals = (tmp_path / "kept.jsonl").read_bytes().splitlines()
    assert b"wanders.py" in header.partition(b'"files":')[2]
    assert len(deals) == 6


DIES = """
import os
def bot(seed):
    return bot
def act(view):
    os._exit(0)
bot.act = act
"""


def test_a_lost_worker_process_is_reported_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "dies.py").write_text(DIES, encoding="utf-8")
    with running("--bots", f"python:{tmp_path / 'dies.py'}:bot,threshold", "--jobs", "2") as run:
        out, complaint = run.communicate(timeout=PATIENCE_S)
        assert (run.returncode, out) == (2, b"")
        assert complaint.startswith(b"liarsdice: a worker process was killed, ")
        assert complaint.endswith(b"with -o the finished deals are saved, and the same command continues\n")
        assert complaint.count(b"\n") == 1


@contextmanager
def running(
    *arguments: str, command: str = "arena", program: Iterable[str] = ("-m", "liarsdice")
) -> Iterator[subprocess.Popen[bytes]]:
    """A run of very many matches in a process of its own, which is ended at the end of the block."""
    words = [sys.executable, *program, command, "--matches", "100000", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, start_new_session=True, stdin=pipe, stdout=pipe, stderr=pipe) as run:
        try:
            yield run
        finally:
            with suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)


def wait_until(run: subprocess.Popen[bytes], notes: Path, noted: str, count: int) -> None:
    """Wait until the bots have noted something so many times."""
    until_s = time.monotonic() + PATIENCE_S
    while not notes.exists() or notes.read_text(encoding="utf-8").split().count(noted) < count:
        assert run.poll() is None
        assert time.monotonic() < until_s
        time.sleep(0.005)


def test_the_table_has_the_strength_of_each_bot() -> None:
    asked = ("--bots", "inference,random,greedy", "--matches", "10", "--seed", "4", "--duplicate")
    status, out, error = run_captured("arena", *asked)
    assert (status, error) == (0, "")
    head, means, _, columns, *rows = out.splitlines()
    assert head == "Perudo, 3 seats, 12 matches, 4 deals, each played from every seat, seed 4"
    assert "rounds per match" in means
    assert columns.split() == ["bot", "win", "share", "(95%)", "fair", "place", "median", "p99", "faults", "rating"]
    assert [row.split()[0] for row in rows[:3]] == ["inference", "random", "greedy"]
    assert all("33.3%" in row and " ms" in row and "±" in row for row in rows[:3])
    assert rows[4].split() == ["place", "1", "2", "3"]


def test_a_subject_is_measured_against_a_field() -> None:
    asked = ("--subject", "inference", "--opponents", "threshold:0.4", "--seats", "4", "--matches", "8", "--json")
    output = json.loads(output_of("arena", *asked))
    assert (output["subject"], output["matches"], output["deals"], output["ratings"]) == ("inference", 8, 8, [])
    subject, field = output["standings"]
    assert (subject["seats"], field["seats"]) == (8, 24)
    assert subject["wins"] + field["wins"] == 8
    assert sum(subject["place_shares"]) == pytest.approx(1)
    low, high = subject["win_share_95"]
    assert 0 <= low <= subject["win_share"] <= high <= 1


def test_a_share_without_variance_has_no_ratio() -> None:
    table = output_of("arena", "--bots", "threshold,random", "--matches", "2", "--seed", "3", "--adjusted")
    assert "2 matches," in table
    for line in table.splitlines():
        assert ("100.0%" in line or " 0.0%" in line) <= (not line.endswith("x"))


def test_adjusted_results_vary_less_with_more_playouts_of_each_round() -> None:
    asked = ("--bots", "regular,threshold:0.55", "--rules", "basic", "--matches", "60", "--json")
    ratios = {}
    for more in ((), ("--adjusted", "--playouts", "0"), ("--adjusted",)):
        output = json.loads(output_of("arena", *asked, *more))
        adjusted = output["standings"][0]["adjusted"]
        ratios[output["adjusted"], output["playouts"]] = adjusted and adjusted["variance_ratio"]
    assert ratios[False, 0] is None
    assert ratios[True, 8] > 2 * ratios[True, 0] > 1


def test_a_run_continues_from_its_file_and_may_have_more_matches(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = ("--bots", "threshold,random", "--seed", "3", "-o", str(tmp_path / "kept.jsonl"), "--json")
    six = output_of("arena", *asked, "--matches", "6")
    output_of("arena", *asked, "--matches", "9")
    assert len((tmp_path / "kept.jsonl").read_bytes().splitlines()) == 10
    monkeypatch.setattr("liarsdice_lab.tournaments.arena.play_deal", None)  # nothing is left to do
    assert output_of("arena", *asked, "--matches", "6") == six


def test_ctrl_c_prints_and_saves_the_deals_so_far(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupted(arena: Arena, numbers: Iterable[int], **_: Any) -> Iterator[DealResult]:  # noqa: ANN401  as it is asked
        for number in numbers:
            if number == 3:
                raise KeyboardInterrupt
            yield play_deal(arena, number)

    monkeypatch.setattr("liarsdice_lab.cli.arena.play_deals", interrupted)
    status, out, error = run_captured("arena", "--bots", "threshold,random", "-o", tmp_path / "kept.jsonl")
    assert status == 130
    assert out.startswith("Perudo, 2 seats, 3 matches, seed 0\n")
    assert "stopped after 3 of 1,000 deals" in error
    assert len((tmp_path / "kept.jsonl").read_bytes().splitlines()) == 4


ROUND = ("--rules", "openspiel", "--dice", "1v1", "--faces", "3")


def test_the_table_has_a_row_for_each_bot() -> None:
    head, _, columns, *rows, _, explanation = output_of("arena", "exploit", "random", "champion@5", *ROUND).splitlines()
    assert head.endswith("1v1, 3 faces")
    assert columns.split()[:2] == ["bot", "exploitability"]
    assert [row.split()[0] for row in rows] == ["random", "champion@5"]
    assert explanation.startswith("exploitability: ")


def test_the_json_has_the_figures_of_each_bot() -> None:
    random, novice = json.loads(output_of("arena", "exploit", "random", "novice", *ROUND, "--json"))
    rules = with_faces(preset("openspiel").ruleset, 3)
    for row in (random, novice):
        measured = exploitability(make_bot(row["bot"]), rules, (1, 1))
        assert (row["as_first"], row["as_second"]) == (measured.as_first, measured.as_second)
        assert row["exploitability"] == measured.exploitability >= row["restricted"] >= 0


def test_a_round_may_be_measured_for_what_it_is_worth_in_the_match() -> None:
    measured = []
    for stakes in ((), ("--match-stakes",)):
        words = ("threshold", "--rules", "mustache", "--dice", "2v1", "--json", *stakes)
        measured += json.loads(output_of("arena", "exploit", *words))
    by_dice, by_match = measured
    assert by_match["exploitability"] == pytest.approx(by_dice["exploitability"])  # one die is lost, however it ends
    words = "threshold", "--rules", "chart", "--dice", "3v2", "--match-stakes"
    refused = error_line("arena", "exploit", *words)
    assert "the value of the match is known where at most 3 dice are left" in refused


def test_bounds_are_found_for_many_dice() -> None:
    words = ("threshold", "--rules", "openspiel", "--dice", "3v3", "--min-reach", "0.5")
    (row,) = json.loads(output_of("arena", "exploit", *words, "--json"))
    bounds = exploitability_bounds(make_bot("threshold"), preset("openspiel").ruleset, (3, 3), 0.5)
    assert (row["exploitability"], row["restricted"]) == (bounds.low.exploitability, None)
    assert row["at_most"] == bounds.high.exploitability
    few = ("threshold", "--rules", "openspiel", "--dice", "1v1", "--min-reach", "0.5")
    assert "probability 0.5 or more" in output_of("arena", "exploit", *few)
    chart = ("threshold", "--rules", "chart", "--dice", "1v2", "--min-reach", "0.5", "--match-stakes", "--json")
    (row,) = json.loads(output_of("arena", "exploit", *chart))
    by_match = exploitability_bounds(make_bot("threshold"), preset("chart").ruleset, (1, 2), 0.5, match_stakes=True)
    assert row["exploitability"] == by_match.low.exploitability
    assert (
        row["exploitability"]
        != exploitability_bounds(make_bot("threshold"), preset("chart").ruleset, (1, 2), 0.5).low.exploitability
    )


@pytest.mark.parametrize(
    "words, reason",
    [
        (("nobody",), "no bot is called 'nobody'"),
        (("random", "--dice", "2"), "named by the dice of the two players"),
        (("random", "--rules", "openspiel", "--dice", "5v5"), "take fewer dice"),
        (("random", "--min-reach", "0"), "--min-reach is above 0"),
        (("random", "--min-reach", "1.5"), "--min-reach is above 0 and at most 1, not 1.5"),
        (("exec:sh bot.sh",), "does not name the probabilities"),
    ],
)
def test_what_cannot_be_measured_is_refused_with_the_reason(words: tuple[str, ...], reason: str) -> None:
    assert reason in error_line("arena", "exploit", *words)


UNIFORM = """
class Uniform:
    memory = 0
    def act(self, view):
        return view.moves[0]
    def action_probs(self, view):
        print("not a result")
        return {move: 1 / len(view.moves) for move in view.moves}
class Unnamed:
    def act(self, view):
        return view.moves[0]
class Wrong(Uniform):
    def action_probs(self, view):
        return view.moves
class Texts(Uniform):
    def action_probs(self, view):
        return {"1x1": 1.0}
class Weights(Uniform):
    def action_probs(self, view):
        return dict.fromkeys(view.moves, 1)
class Empty(Uniform):
    def action_probs(self, view):
        return {}
def uniform(seed):
    return Uniform()
def unnamed(seed):
    return Unnamed()
"""


def test_a_users_bot_that_names_its_probabilities_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bots.py").write_text(UNIFORM, encoding="utf-8")
    own, random = json.loads(output_of("arena", "exploit", "python:bots.py:uniform", "random", *ROUND, "--json"))
    assert own["exploitability"] == random["exploitability"]
    refused = error_line("arena", "exploit", "python:bots.py:unnamed", *ROUND)
    assert "load_bot('python:" in refused
    assert "needs the method action_probs(view)" in refused
    for wrong, reason in (
        ("Wrong", "returned ("),
        ("Texts", "names '1x1', which is not in view.moves"),
        ("Weights", "names probabilities with the sum 6, not 1"),
        ("Empty", "names probabilities with the sum 0, not 1"),
    ):
        Path(f"{wrong}.py").write_text(f"{UNIFORM}\ndef make(seed):\n    return {wrong}()\n", encoding="utf-8")
        refused = error_line("arena", "exploit", f"python:{wrong}.py:make", *ROUND)
        assert f"action_probs of python:{wrong}.py:make {reason}" in refused
