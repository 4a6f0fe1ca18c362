"""Strategy files that version 0.1.0 wrote play the same, and solving goes on from them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner

from liarsdice.cli.app import app
from liarsdice.core.bids.notation import notate, parse_bid
from liarsdice.core.rules.bids import Bid
from liarsdice.solve.strategy.strategy import Strategy
from liarsdice.solve.strategy.strategy_file import read_strategies
from tests.compatibility.readings import FILES, Plain, expected, lost

STRATEGIES = FILES / "strategies"
EXPECTED = expected("strategies")
ROUNDS = [(name, number) for name in EXPECTED for number in range(len(EXPECTED[name]["rounds"]))]


def played(strategy: Strategy, hands: dict[str, Any], *bids: Bid) -> Plain:
    """Return how likely each of some hands takes each action after some bids."""
    return {
        hand: {notate(action): chance for action, chance in strategy.action_probs(dice(hand), bids).items()}
        for hand in hands
    }


def dice(hand: str) -> tuple[int, ...]:
    return tuple(map(int, hand.split(",")))


def run(*command: str) -> str:
    ran = CliRunner().invoke(app, command, catch_exceptions=False)
    assert ran.exit_code == 0, ran.output
    return ran.stdout


@pytest.mark.parametrize("name", EXPECTED)
def test_a_strategy_file_is_read_to_the_same_rules_and_rounds(name: str) -> None:
    solved = read_strategies(STRATEGIES / name)
    known = EXPECTED[name]
    assert solved.match == known["match"]
    assert (solved.rules.labels.game, solved.rules.dice.faces) == (known["game"], known["faces"])
    assert lost(known.get("rules", {}), json.loads(msgspec.json.encode(solved.rules))) == []
    assert len(solved.strategies) == len(known["rounds"])


@pytest.mark.parametrize("name, number", ROUNDS)
def test_a_solved_round_is_read_to_the_same_strategy(name: str, number: int) -> None:
    strategy, known = read_strategies(STRATEGIES / name).strategies[number], EXPECTED[name]["rounds"][number]
    opening, bounds = strategy.start, strategy.bounds
    assert {
        "dice": list(opening.dice),
        "starter": opening.starter,
        "special": opening.special,
        "had_special": list(opening.had_special),
        "exact_calls": list(opening.exact_calls),
        "iterations": bounds.iterations,
        "method": strategy.method,
        "rows": len(strategy.action_weights),
    }.items() <= known.items()
    assert [
        bounds.exploitability,
        bounds.low,
        bounds.high,
        strategy.action_weights.astype(np.float64).sum(),
    ] == pytest.approx([known[name] for name in ("exploitability", "low", "high", "sum")], abs=1e-6)
    for hand, chances in known["play"].items():
        assert played(strategy, known["play"])[hand] == pytest.approx(chances, abs=1e-6)
    for hand, chances in known["then"].items():
        assert played(strategy, known["then"], parse_bid(known["after"]))[hand] == pytest.approx(chances, abs=1e-6)


def test_the_command_line_shows_a_strategy() -> None:
    assert "hand" in run("strategy", "show", str(STRATEGIES / "round.lds"), "--hand", "1,2")


def test_a_match_that_was_solved_in_part_is_solved_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other method tells the rounds that are new from those that were kept."""
    for name in ("match-begun.lds", "rules.toml"):
        shutil.copyfile(STRATEGIES / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    match = ["--dice", "2v1", "--rules", "rules.toml", "--target", "0.01"]
    run("solve", "match", *match, "--method", "cfr+", "-o", "match-begun.lds")
    known, whole = EXPECTED["match-begun.lds"]["rounds"], EXPECTED["match.lds"]["rounds"]
    solved = read_strategies(tmp_path / "match-begun.lds").strategies
    assert [strategy.method for strategy in solved] == ["dcfr"] * len(known) + ["cfr+"] * (len(whole) - len(known))
    bounds = next(strategy.bounds for strategy in solved if str(strategy.start) == "2v1")
    assert (bounds.low, bounds.high) == pytest.approx((whole[-1]["low"], whole[-1]["high"]), abs=0.02)


def test_games_that_were_solved_are_not_solved_again(tmp_path: Path) -> None:
    shutil.copytree(STRATEGIES / "table", tmp_path / "table")
    then = tmp_path / "perudo.toml"
    then.write_text('extends = "perudo"\nfirst_starter.method = "chosen"\n')  # as it was when they were solved
    games = ["--rules", f"openspiel,{then}", "--up-to", "3", "--faces", "2", "--target", "0.01", "--matches"]
    told = run("solve", "table", *games, "--method", "cfr+", "-o", str(tmp_path / "table")).splitlines()[1:]
    assert len(told) == len(list((tmp_path / "table").iterdir())) == 6
    for file in (STRATEGIES / "table").iterdir():
        assert (tmp_path / "table" / file.name).read_bytes() == file.read_bytes()
