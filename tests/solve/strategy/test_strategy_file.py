"""Strategies in files: what they hold, what is refused, and at which tables they answer."""

from __future__ import annotations

import zlib
from hashlib import sha256
from pathlib import Path

import msgspec
import numpy as np
import pytest

from liarsdice.core.engine.view import view
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.ruleset import ExactCall, patched
from liarsdice.runtime.atomic_files import write_whole
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.cfr.solver import Solver, solve
from liarsdice.solve.game.round_start import Opening
from liarsdice.solve.match_solver import MatchSolver, plan_of
from liarsdice.solve.strategy.average_strategy import rounded, strategy_of, written
from liarsdice.solve.strategy.strategy import alike
from liarsdice.solve.strategy.strategy_file import Solved, packed, read_solved, write_solved
from tests.solve.strategy.test_strategy import learned, rules_of, seated, tree


def test_a_file_holds_what_was_solved(tmp_path: Path) -> None:
    exact = learned("perudo", (2, 1), 3)
    strategy = rounded(exact)
    assert strategy.shares.dtype == np.uint16
    assert strategy.bounds.exploitability <= 1.01 * exact.bounds.exploitability
    file = tmp_path / "one.lds"
    write_solved(file, Solved(rules_of("perudo", 3), False, (strategy,)), "0")
    again = read_solved(file)
    assert again.rules == rules_of("perudo", 3)
    assert again.strategies[0].bounds == strategy.bounds
    assert np.array_equal(again.strategies[0].shares, strategy.shares)
    assert again.strategies[0].play((1, 2)) == strategy.play((1, 2))
    recounted = written(again.strategies[0].tree, again.strategies[0].shares, 100, "dcfr").bounds
    assert recounted == strategy.bounds


def test_rounding_that_would_cost_is_left_alone(tmp_path: Path) -> None:
    solver = Solver(tree(rules_of("openspiel", 5), (1, 1)), Method.PCFR_PLUS)
    solve(solver, target=1e-6, iterations=3000)
    exact = strategy_of(solver)
    strategy = rounded(exact)
    assert strategy is exact
    file = tmp_path / "exact.lds"
    write_solved(file, Solved(rules_of("openspiel", 5), False, (strategy,)), "0")
    assert np.array_equal(read_solved(file).strategies[0].shares, exact.shares)


def test_a_file_that_cannot_be_trusted_is_refused_with_what_to_do(tmp_path: Path) -> None:
    strategy = rounded(learned("perudo", (1, 1), 3))
    file = tmp_path / "one.lds"
    write_solved(file, Solved(rules_of("perudo", 3), False, (strategy,)), "0")
    raw = file.read_bytes()
    for place in (60, len(raw) // 2, len(raw) - 1):
        broken = bytearray(raw)
        broken[place] ^= 1
        file.write_bytes(broken)
        with pytest.raises(MalformedError, match="is damaged: its checksum differs; solve it again"):
            read_solved(file)
    for cut in (len(raw) - 1, 30):
        file.write_bytes(raw[:cut])
        with pytest.raises(MalformedError, match="is damaged"):
            read_solved(file)
    file.write_bytes(raw.replace(b"strategy 1", b"strategy 7", 1))
    with pytest.raises(MalformedError, match="of another version"):
        read_solved(file)
    file.write_bytes(b"GIF89a")
    with pytest.raises(MalformedError, match="is no strategy file; `liarsdice solve -o FILE` writes one"):
        read_solved(file)
    with pytest.raises(UnavailableError, match="cannot read"):
        read_solved(tmp_path / "none.lds")
    with pytest.raises(UnavailableError, match="cannot write"):
        write_solved(tmp_path / "none" / "one.lds", Solved(rules_of("perudo", 3), False, (strategy,)), "0")


NO_TEXT = "bytes that are no text"


@pytest.mark.parametrize(
    "change, sentence",
    [
        ({"worth": [[1.0], [1.0]]}, "another shape"),
        ({"worth": [[1.0, 1.0], [-1.0, -1.0]]}, "another shape"),
        ({"worth": [[float("nan")] * 2] * 2}, "another shape"),
        ({"shares": zlib.compress(bytes(10_000_000))}, "bytes of shares"),
        ({"shares": b""}, "bytes of shares"),
        ({"shares": zlib.compress(np.full(226, np.nan, np.float32).tobytes()), "sort": "<f4"}, "nobody can play by"),
        ({"shares": zlib.compress(np.full(226, -1, np.float32).tobytes()), "sort": "<f4"}, "nobody can play by"),
        ({"high": float("nan")}, "nobody can play by"),
        ({"method": NO_TEXT}, "does not fit this version"),
        ({"opening": Opening((10**9, 1))}, "make 500,000,001,500,000,001 hands"),
    ],
)
def test_a_file_with_a_right_checksum_and_wrong_numbers_is_refused(
    tmp_path: Path, change: dict[str, object], sentence: str
) -> None:
    rules = rules_of("openspiel", 3)
    raw = packed(Solved(rules, False, (rounded(learned("openspiel", (1, 1), 3)),)), "0")
    head = len(raw) - len(raw.split(b"\n", 1)[1])
    whole = msgspec.msgpack.decode(raw[head + 32 :])
    whole["rounds"][0] |= change
    rest = msgspec.msgpack.encode(whole).replace(NO_TEXT.encode(), b"\xff" * len(NO_TEXT))
    file = tmp_path / "forged.lds"
    file.write_bytes(raw[:head] + sha256(rest).digest() + rest)
    with pytest.raises(MalformedError, match=sentence):
        read_solved(file)


def test_two_who_write_the_same_file_do_not_mix_theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "one.lds"
    written_to: list[Path] = []
    monkeypatch.setattr(Path, "write_bytes", lambda path, _raw: written_to.append(path))
    for process in (1, 2):
        monkeypatch.setattr("os.getpid", lambda process=process: process)
        with pytest.raises(UnavailableError):
            write_whole(file, b"")
    assert len(set(written_to)) == 2


def test_a_match_of_two_is_answered_where_more_began_it() -> None:
    rules = rules_of("perudo", 3)
    solver = MatchSolver(plan_of(patched(rules, dice__per_player=2), Opening((2, 1))), Method.DCFR, 0.05)
    solver.run()
    solved = Solved(patched(rules, dice__per_player=2), True, tuple(solver.strategies.values()))
    state = seated(rules, ((), (2,), (1, 3)), [(2, Bid(1, 3))])
    had = msgspec.structs.replace(state, had_special=(0, 1, 2))  # a special round needs three players by these rules
    assert solved.policy(view(had, 1)) == solved.strategy(Opening((2, 1))).play((2,), [Bid(1, 3)])
    calza = patched(rules, exact_call=ExactCall())
    with pytest.raises(UnavailableError, match="play Perudo by other rules than this table plays Perudo"):
        solved.policy(view(seated(calza, ((), (2,), (1, 3)), [(2, Bid(1, 3))]), 1))
    capped, higher = (patched(calza, dice__per_player=count) for count in (2, 5))
    assert not alike(capped, higher)
