"""Solved rounds: strategies, their files, and their export."""

import csv
import json
import zlib
from hashlib import sha256
from pathlib import Path

import msgspec
import numpy as np
import pyarrow.parquet
import pytest
from open_spiel.python.algorithms.exploitability import nash_conv

from liarsdice.core.bids.notation import notate
from liarsdice.core.engine.view import view
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import ExactCall
from liarsdice.core.rules.ruleset_io import from_dict
from liarsdice.runtime.atomic_files import write_atomically
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.match_solver import MatchSolver, make_match_plan
from liarsdice.solve.round_game import RoundStart
from liarsdice.solve.strategy import export
from liarsdice.solve.strategy.average_strategy import certify, quantized
from liarsdice.solve.strategy.export import COLUMNS, export_strategy, rows, tabular_policy
from liarsdice.solve.strategy.strategy import Strategy, same_round_rules
from liarsdice.solve.strategy.strategy_file import StrategySet, encode_strategies, read_strategies, write_strategies
from tests.solve.solved_rounds import deal_hands, learn_strategy, rules_of


def test_a_file_holds_what_was_solved(tmp_path: Path) -> None:
    exact = learn_strategy("perudo", (2, 1), 3)
    strategy = quantized(exact)
    assert strategy.action_weights.dtype == np.uint16
    assert strategy.bounds.exploitability <= 1.01 * exact.bounds.exploitability
    file = tmp_path / "one.lds"
    write_strategies(file, StrategySet(rules_of("perudo", 3), False, (strategy,)), "0")
    again = read_strategies(file)
    assert again.rules == rules_of("perudo", 3)
    assert again.strategies[0].bounds == strategy.bounds
    assert np.array_equal(again.strategies[0].action_weights, strategy.action_weights)
    assert again.strategies[0].action_probs((1, 2)) == strategy.action_probs((1, 2))
    recounted = certify(again.strategies[0].tree, again.strategies[0].action_weights, 100, "dcfr").bounds
    assert recounted == strategy.bounds


def test_a_file_that_cannot_be_trusted_is_refused_with_what_to_do(tmp_path: Path) -> None:
    strategy = quantized(learn_strategy("perudo", (1, 1), 3))
    file = tmp_path / "one.lds"
    write_strategies(file, StrategySet(rules_of("perudo", 3), False, (strategy,)), "0")
    raw = file.read_bytes()
    for place in (60, len(raw) // 2, len(raw) - 1):
        broken = bytearray(raw)
        broken[place] ^= 1
        file.write_bytes(broken)
        with pytest.raises(MalformedError, match="is damaged: its checksum differs; solve it again"):
            read_strategies(file)
    for cut in (len(raw) - 1, 30):
        file.write_bytes(raw[:cut])
        with pytest.raises(MalformedError, match="is damaged"):
            read_strategies(file)
    file.write_bytes(raw.replace(b"strategy 1", b"strategy 7", 1))
    with pytest.raises(MalformedError, match="of another version"):
        read_strategies(file)
    file.write_bytes(b"GIF89a")
    with pytest.raises(MalformedError, match="is no strategy file; `liarsdice solve -o FILE` writes one"):
        read_strategies(file)
    with pytest.raises(UnavailableError, match="cannot read"):
        read_strategies(tmp_path / "none.lds")
    with pytest.raises(UnavailableError, match="cannot write"):
        write_strategies(tmp_path / "none" / "one.lds", StrategySet(rules_of("perudo", 3), False, (strategy,)), "0")


NO_TEXT = "bytes that are no text"


@pytest.mark.parametrize(
    "change, sentence",
    [
        ({"outcome_values": [[1.0], [1.0]]}, "another shape"),
        ({"outcome_values": [[1.0, 1.0], [-1.0, -1.0]]}, "another shape"),
        ({"outcome_values": [[float("nan")] * 2] * 2}, "another shape"),
        ({"action_weights": zlib.compress(bytes(10_000_000))}, "bytes of shares"),
        ({"action_weights": b""}, "bytes of shares"),
        (
            {"action_weights": zlib.compress(np.full(226, np.nan, np.float32).tobytes()), "dtype": "<f4"},
            "invalid action weights",
        ),
        (
            {"action_weights": zlib.compress(np.full(226, -1, np.float32).tobytes()), "dtype": "<f4"},
            "invalid action weights",
        ),
        ({"high": float("nan")}, "invalid action weights"),
        ({"method": NO_TEXT}, "does not fit this version"),
        ({"start": RoundStart((10**9, 1))}, "make 500,000,001,500,000,001 hands"),
    ],
)
def test_a_file_with_a_right_checksum_and_wrong_numbers_is_refused(
    tmp_path: Path, change: dict[str, object], sentence: str
) -> None:
    rules = rules_of("openspiel", 3)
    raw = encode_strategies(StrategySet(rules, False, (quantized(learn_strategy("openspiel", (1, 1), 3)),)), "0")
    head = len(raw) - len(raw.split(b"\n", 1)[1])
    whole = msgspec.msgpack.decode(raw[head + 32 :])
    whole["rounds"][0] |= change
    rest = msgspec.msgpack.encode(whole).replace(NO_TEXT.encode(), b"\xff" * len(NO_TEXT))
    file = tmp_path / "forged.lds"
    file.write_bytes(raw[:head] + sha256(rest).digest() + rest)
    with pytest.raises(MalformedError, match=sentence):
        read_strategies(file)


def test_two_processes_write_one_file_by_different_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "one.lds"
    written_to: list[Path] = []
    monkeypatch.setattr(Path, "write_bytes", lambda path, _raw: written_to.append(path))
    for process in (1, 2):
        monkeypatch.setattr("os.getpid", lambda process=process: process)
        with pytest.raises(UnavailableError):
            write_atomically(file, b"")
    assert len(set(written_to)) == 2


def test_strategies_of_a_match_answer_when_other_players_are_out() -> None:
    rules = rules_of("perudo", 3)
    solver = MatchSolver(make_match_plan(patched(rules, dice__per_player=2), RoundStart((2, 1))), Method.DCFR, 0.05)
    solver.run()
    solved = StrategySet(patched(rules, dice__per_player=2), True, tuple(solver.strategies.values()))
    state = deal_hands(rules, ((), (2,), (1, 3)), [(2, Bid(1, 3))])
    had = msgspec.structs.replace(state, had_special=(0, 1, 2))  # a special round needs three players by these rules
    assert solved.policy(view(had, 1)) == solved.strategy(RoundStart((2, 1))).action_probs((2,), [Bid(1, 3)])
    calza = patched(rules, exact_call=ExactCall())
    with pytest.raises(UnavailableError, match="play Perudo by other rules than this table plays Perudo"):
        solved.policy(view(deal_hands(calza, ((), (2,), (1, 3)), [(2, Bid(1, 3))]), 1))
    capped, higher = (patched(calza, dice__per_player=count) for count in (2, 5))
    assert not same_round_rules(capped, higher)


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
