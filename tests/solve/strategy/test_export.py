"""Exported strategies: every row is one of the strategy's probabilities, in every format."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow.parquet
import pytest
from open_spiel.python.algorithms.exploitability import nash_conv

from liarsdice.core.bids.notation import notate
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.ruleset_io import from_dict
from liarsdice.solve.strategy import export
from liarsdice.solve.strategy.average_strategy import quantized
from liarsdice.solve.strategy.export import COLUMNS, export_strategy, rows, tabular_policy
from liarsdice.solve.strategy.strategy import Strategy
from tests.solve.solved_rounds import learn_strategy


@pytest.fixture(scope="module")
def strategy() -> Strategy:
    return learn_strategy("perudo", (2, 1), 3, 30)


def test_the_rows_are_the_answers_of_the_strategy(strategy: Strategy) -> None:
    by_place: dict[tuple[str, str], dict[str, float]] = {}
    for _, hand, bids, action, probability in rows(strategy):
        by_place.setdefault((hand, bids), {})[action] = probability
    for (hand, bids), probs in list(by_place.items())[::20]:
        answer = strategy.action_probs(tuple(map(int, hand.split())), bids.split())
        assert probs == {notate(action): probability for action, probability in answer.items()}


def test_a_csv_file_has_the_rows_under_their_names(strategy: Strategy, tmp_path: Path) -> None:
    export_strategy(strategy, tmp_path / "round.CSV")
    with (tmp_path / "round.CSV").open(encoding="utf-8", newline="") as file:
        heading, *read = csv.reader(file)
    assert tuple(heading) == COLUMNS
    assert read == [[str(value) for value in row] for row in rows(strategy)]


def test_a_parquet_file_has_the_rows_in_groups(
    strategy: Strategy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "ROW_GROUP", 100)
    export_strategy(strategy, tmp_path / "round.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "round.parquet")
    assert tuple(table.column_names) == COLUMNS
    assert list(zip(*(column.to_pylist() for column in table.columns), strict=True)) == list(rows(strategy))


def test_a_json_file_has_the_rules_the_bounds_and_the_information_sets(strategy: Strategy, tmp_path: Path) -> None:
    export_strategy(strategy, tmp_path / "round.json")
    read = json.loads((tmp_path / "round.json").read_text(encoding="utf-8"))
    assert from_dict(read["rules"]) == strategy.tree.game.rules
    assert (read["dice"], read["value"], read["value_bounds"]) == ([2, 1], strategy.value, [*strategy.bounds[2:]])
    flat = [
        (node["seat"], " ".join(map(str, node["hand"])), " ".join(node["bids"]), action, probability)
        for node in read["information_sets"]
        for action, probability in node["actions"].items()
    ]
    assert flat == list(rows(strategy))


def test_a_file_that_cannot_be_written_is_refused(strategy: Strategy, tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match=r"a file that ends in .csv, .json, .parquet, not 'round.txt'"):
        export_strategy(strategy, tmp_path / "round.txt")
    with pytest.raises(UnavailableError, match="cannot write"):
        export_strategy(strategy, tmp_path / "missing" / "round.csv")


@pytest.mark.parametrize("dice, faces", [(1, 4), (2, 2)])
def test_openspiel_finds_the_same_exploitability_of_the_policy(dice: int, faces: int) -> None:
    strategy = quantized(learn_strategy("openspiel", (dice, dice), faces, 50))
    policy = tabular_policy(strategy)
    assert nash_conv(policy.game, policy) / 2 == pytest.approx(strategy.bounds.exploitability, abs=1e-9)


@pytest.mark.parametrize("name, dice", [("perudo", (1, 1)), ("openspiel", (2, 1))])
def test_a_round_that_openspiel_does_not_know_is_refused(name: str, dice: tuple[int, int]) -> None:
    with pytest.raises(UnavailableError, match="OpenSpiel's liars_dice has the rules of openspiel and as many dice"):
        tabular_policy(learn_strategy(name, dice, 2, 5))
