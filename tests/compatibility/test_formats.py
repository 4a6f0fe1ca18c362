"""Files of version 1.0 in each format are read to the same results.

The compatibility promise starts with these files (`docs/records.md`). They stand for what people keep: never change or
regenerate one. When a format changes, add files of the new version, with tests of their own.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import numpy as np
import pytest

from liarsdice.bots.neural.features import FEATURE_COUNT
from liarsdice.bots.neural.network import Network, read_network
from liarsdice.core.errors import MalformedError
from liarsdice.core.records.position import read_position, write_position
from liarsdice.core.records.record import read_record
from liarsdice.core.rules.bids import Bid
from liarsdice.play.verify_record import verify_record
from liarsdice.server.protocol.decoding import read_message
from liarsdice.server.table.reducer import replay_log
from liarsdice.solve.blueprint.packed_blueprint import read_blueprints
from liarsdice.solve.round_game import RoundStart
from liarsdice.solve.strategy.strategy_file import read_strategies
from tests.server.live_tables import log_of, open_registry, record_in

FILES = Path(__file__).parent / "files"
EXPECTED = msgspec.json.decode((FILES / "expected.json").read_bytes())


def test_a_record_is_read_and_verified() -> None:
    content = (FILES / "record.jsonl").read_bytes()
    state, check = read_record(content).state, verify_record(content)
    expected = EXPECTED["record"]
    assert [*state.names] == expected["names"]
    assert [*state.winners] == expected["winners"]
    assert (check.dice.dice, check.dice.rounds, check.dice.promise) == (
        expected["dice"],
        expected["rounds"],
        expected["promise"],
    )


@pytest.mark.parametrize("line", (FILES / "positions.txt").read_text(encoding="utf-8").splitlines())
def test_a_position_is_read_and_written_again(line: str) -> None:
    state = read_position(line)
    assert write_position(state) == line
    assert [state.turn, state.round_number, *map(str, state.bids[-1])] == EXPECTED["positions"][line]


def test_a_strategy_gives_the_same_probabilities() -> None:
    strategy = read_strategies(FILES / "strategy.lds").strategy(RoundStart((1, 1)))
    expected = EXPECTED["strategy"]
    assert strategy.bounds.exploitability == expected["exploitability"]
    assert [*strategy.action_probs((2,)).values()] == pytest.approx(expected["probs"], abs=1e-6)


def test_a_blueprint_gives_the_same_probabilities() -> None:
    blueprint = read_blueprints(FILES / "blueprint.ldb").blueprint(RoundStart((1, 1)))
    assert blueprint is not None
    assert np.asarray(blueprint.decision([Bid(1, 2)]).probs).ravel() == pytest.approx(EXPECTED["blueprint"], abs=1e-6)


def test_a_network_gives_the_same_outputs() -> None:
    network = read_network(FILES / "network.npz")
    outputs = network.outputs(np.linspace(-1, 1, FEATURE_COUNT, dtype=np.float32)[None])
    assert network.min_prob_ratio == pytest.approx(0.1, abs=1e-3)
    assert outputs[0, :8] == pytest.approx(EXPECTED["network"], abs=1e-3)


async def test_a_database_holds_the_same_tables(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "db")) as connection:
        connection.executescript((FILES / "database.sql").read_text(encoding="utf-8"))
    async with open_registry(tmp_path / "db") as registry:
        for code, expected in EXPECTED["database"].items():
            rows = log_of(registry, code)
            table = replay_log(rows)
            assert table is not None
            assert [table.stage.value, table.seq, *(player.name for player in table.players)] == expected["table"]
            record = record_in(rows, 1)
            assert (record is not None) == expected["record"]
            if record is not None:
                published = (FILES / "record.jsonl").read_text(encoding="utf-8")
                assert record.text.splitlines() == published.splitlines()[:-1]
        registry.stop()


@pytest.mark.parametrize("line", (FILES / "wire.jsonl").read_text(encoding="utf-8").splitlines())
def test_a_message_of_a_client_is_understood(line: str) -> None:
    """Fields that came later have their default."""
    read, said = msgspec.to_builtins(read_message(line)), msgspec.json.decode(line) | EXPECTED["wire"].get(line, {})
    assert {name: read[name] for name in said} == said


def test_another_version_of_the_messages_or_of_a_network_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MalformedError, match="version"):
        read_message('{"type":"hello","version":2}')
    with np.load(FILES / "network.npz") as arrays:
        np.savez(tmp_path / "later.npz", allow_pickle=False, **(dict(arrays) | {"format": np.array(2)}))
    with pytest.raises(ValueError, match="format 2, this program reads format 1"):
        Network.load(tmp_path / "later.npz")
