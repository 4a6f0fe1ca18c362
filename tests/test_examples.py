"""The programs in `examples/` run, in small, in an empty folder and with public names only."""

import ast
import json
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest

import liarsdice
import liarsdice.client
import liarsdice_lab.envs
from liarsdice_lab.train.config import BalanceConfig, TrainingConfig
from tests.processes import Server

EXAMPLES = Path(__file__).parent.parent / "examples"
DOCUMENTED = {
    "liarsdice",
    "liarsdice.bots.external.subprocess_bot",
    "liarsdice.client",
    "liarsdice_lab",
    "liarsdice_lab.envs",
    "liarsdice_lab.envs.openspiel",
}
"""The modules that the documentation names for use from outside."""

PROGRAMS = (
    "best_bid",
    "gymnasium_agent",
    "house_rulebook",
    "on_ray",
    "own_matches",
    "record_features",
    "server_bot",
    "solve_and_export",
    "train_by_house_rules",
)

Run = Callable[..., list[str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Run a program in an empty folder and return the lines that it prints."""

    def run_program(name: str, *arguments: str) -> list[str]:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", [name, *arguments])
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
        return capsys.readouterr().out.splitlines()

    return run_program


def imported_names(path: Path) -> set[tuple[str, str]]:
    """The names that a program imports from the package, each with its module."""
    nodes = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.ImportFrom)]
    return {(node.module, alias.name) for node in nodes if node.module for alias in node.names}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_imports_public_names_only(name: str) -> None:
    names = {
        (module, name) for module, name in imported_names(EXAMPLES / f"{name}.py") if module.startswith("liarsdice")
    }
    assert {module for module, _ in names} <= DOCUMENTED
    assert {name for module, name in names if module == "liarsdice"} <= {*liarsdice.__all__, "__version__"}
    assert {name for module, name in names if module == "liarsdice_lab"} <= {*liarsdice_lab.__all__}
    assert {name for module, name in names if module == "liarsdice_lab.envs"} <= {*liarsdice_lab.envs.__all__}
    assert {name for module, name in names if module == "liarsdice.client"} <= {*liarsdice.client.__all__}


def test_own_bots_play_matches_by_house_rules_in_at_most_fifteen_lines_of_code(run: Run) -> None:
    (line,) = run("own_matches", "20")
    assert line.startswith("Counter({0: ")
    tree = ast.parse((EXAMPLES / "own_matches.py").read_text(encoding="utf-8"))
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    assert len([node for node in statements if not isinstance(getattr(node, "value", None), ast.Constant)]) <= 15


def test_house_rules_become_a_rulebook(run: Run, tmp_path: Path) -> None:
    assert run("house_rulebook") == ["wrote rulebook.en.html", "wrote rulebook.es.html"]
    assert "<h1>" in (tmp_path / "rulebook.es.html").read_text(encoding="utf-8")


def test_the_best_bid_is_found_by_odds(run: Run) -> None:
    assert run("best_bid")[:2] == [
        "Bo holds (1, 1, 3, 4, 6); 4x2 is false with 10.4%",
        "2x1 is true with 100.0%",
    ]


def test_a_solved_round_is_exported(run: Run, tmp_path: Path) -> None:
    lines = run("solve_and_export")
    assert lines[0].startswith("value for the player who opens: +0.12")
    assert (tmp_path / "round.csv").stat().st_size > 1_000_000
    assert lines[-1].startswith("wrote round.json")


def test_a_trained_network_plays(run: Run, tmp_path: Path) -> None:
    small = TrainingConfig(
        width=8,
        layers=1,
        tables=3,
        tables_per_iteration=1,
        matches=8,
        steps=8,
        evaluation_matches=4,
        balance=BalanceConfig(rules=()),
    )
    (tmp_path / "small.json").write_bytes(msgspec.json.encode(small))
    lines = run("train_by_house_rules", "--config", "small.json", "--iterations", "1")
    assert [line.partition(" wins ")[0] for line in lines[-2:]] == ["network:run/best.npz", "random"]


def test_an_agent_of_gymnasium_learns(run: Run) -> None:
    lines = run("gymnasium_agent", "10")
    assert sum(int(line.split()[4]) for line in lines) == 10


def test_records_become_features(run: Run) -> None:
    heading, *rows = run("record_features")
    assert heading == "round,seat,dice,own_dice,quantity,face,own_count,standing,true"
    assert len(rows) > 10
    assert {row.rsplit(",", 1)[1] for row in rows} == {"True", "False"}


def test_rounds_and_matches_are_computed_by_ray(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in computes at once what Ray would compute elsewhere."""

    def remote(function: Callable[..., object]) -> SimpleNamespace:
        return SimpleNamespace(remote=function)

    stand_in = SimpleNamespace(init=lambda **_: None, remote=remote, get=lambda results: results)
    monkeypatch.setitem(sys.modules, "ray", stand_in)
    lines = run("on_ray", "1")
    assert lines[0].startswith("(1, 1): value between ")
    assert lines[-1].endswith("of 25 matches")


def test_a_bot_from_outside_plays_at_a_running_server(run: Run, tmp_path: Path) -> None:
    server = Server(tmp_path / "db", "--pace", "0")
    server.start()
    try:
        with liarsdice.client.Client(server.address) as ann:
            code = ann.open_table("Ann", rules="perudo", seats=3, bots=["random"]).code
            waiting = Thread(target=play_lowest_bids, args=(ann, code))
            waiting.start()
            (line,) = run("server_bot", server.address, code)
            waiting.join()
            players = ann.view(code).players
    finally:
        server.end()
    assert [player.name for player in players if player.program] == ["Ann", "Botty"]
    assert any(player.name in line for player in players)


def play_lowest_bids(client: liarsdice.client.Client, code: str) -> None:
    """Begin a match once a third player sits at a table, and bid or challenge as low as possible until it is over."""
    view = client.view(code)
    while len(view.players) < 3:
        view = client.view(code, after=view.seq, wait_s=20)
    client.begin(code)
    while not (view := client.wait_for_turn(code)).is_over:
        client.act(view, view.moves[0])


def run_main(name: str, *arguments: str) -> Any:  # noqa: ANN401  whatever the example returns
    return runpy.run_path(str(EXAMPLES / name))["main"](list(arguments))


def test_ppo_trains_against_bots() -> None:
    sizes = ("--matches", "64", "--steps", "16", "--updates", "6")
    means = run_main("ppo.py", "--rules", "openspiel", "--opponents", "threshold", "random", *sizes)
    assert len(means) == 6
    assert all(-1 <= mean <= 1 for mean in means)
    assert max(means[3:]) > means[0]  # the same on every run: seeds decide it


def test_an_algorithm_of_openspiel_learns_our_game() -> None:
    first, last = run_main("openspiel_mccfr.py", "--iterations", "200")
    assert last < first / 2


def test_the_notebook_trains_a_bot_that_enters_the_arena(capsys: pytest.CaptureFixture[str]) -> None:
    notebook = json.loads((EXAMPLES / "train_and_play.ipynb").read_text(encoding="utf-8"))
    names: dict[str, Any] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            source = "".join(cell["source"])
            source = source.replace("256, 32, 60, 200", "32, 8, 3, 4")  # the sizes, in one line of the first cell
            exec(compile(source, "train_and_play.ipynb", "exec"), names)  # noqa: S102  our own notebook
    assert names["matches"] == 32
    assert np.isfinite(names["losses"]).all()
    assert "of 4 matches won" in capsys.readouterr().out
