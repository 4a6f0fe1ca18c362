"""Written-down strategies: what they answer, how good they are by independent counts, and their files."""

from __future__ import annotations

import zlib
from hashlib import sha256
from pathlib import Path

import msgspec
import numpy as np
import pytest

from liarsdice.core.actions import Challenge, Deal
from liarsdice.core.bids import Bid
from liarsdice.core.choices import StarterMethod
from liarsdice.core.engine import decide, evolve_all, start
from liarsdice.core.errors import IllegalActionError, MalformedError, UnavailableError
from liarsdice.core.events import StarterFound
from liarsdice.core.presets import preset
from liarsdice.core.ruleset import Labels, Ruleset, patched
from liarsdice.core.state import State
from liarsdice.core.view import view
from liarsdice.solve.bounds import Bounds, Method
from liarsdice.solve.cfr import Solver, solve
from liarsdice.solve.habits import habits
from liarsdice.solve.openings import Opening
from liarsdice.solve.solved import Solved, packed, read_solved, write_solved, write_whole
from liarsdice.solve.strategy import Strategy
from liarsdice.solve.tables import round_of, with_faces
from liarsdice.solve.tree import Tree, dice_lost, tree_of
from liarsdice.solve.writing import rounded, shares_of, strategy_of, written
from tests.solve import brute


def rules_of(name: str, faces: int) -> Ruleset:
    return with_faces(preset(name).ruleset, faces)


def tree(rules: Ruleset, dice: tuple[int, int], *, sure_calls: bool = True) -> Tree:
    table = round_of(rules, Opening(dice))
    return tree_of(table, dice_lost(table), sure_calls=sure_calls)


def learned(name: str, dice: tuple[int, int], faces: int, iterations: int = 100) -> Strategy:
    solver = Solver(tree(rules_of(name, faces), dice))
    solver.iterate(iterations)
    return strategy_of(solver)


@pytest.mark.parametrize("name", ["openspiel", "perudo", "snyd-stairs", "chui-niu"])
@pytest.mark.parametrize("lanes", [1, 32])
@pytest.mark.parametrize("method", list(Method))
def test_bounds_by_plain_array_steps_are_those_of_the_compiled_walk(name: str, lanes: int, method: Method) -> None:
    solver = Solver(tree(rules_of(name, 3), (2, 1)), method, lanes=lanes, double=True)
    for iterations in (1, 30):
        solver.iterate(iterations)
        compiled, plain = solver.bounds(), strategy_of(solver).bounds
        assert (plain.low, plain.high) == pytest.approx((compiled.low, compiled.high), abs=1e-6)


@pytest.mark.parametrize(
    "name, dice, faces",
    [("openspiel", (1, 1), 2), ("perudo", (1, 1), 2), ("snyd-joker", (1, 1), 3), ("chui-niu", (1, 1), 2)],
)
@pytest.mark.parametrize("iterations", [1, 40])
def test_no_pure_strategy_wins_more_than_the_best_response(
    name: str, dice: tuple[int, int], faces: int, iterations: int
) -> None:
    solver = Solver(tree(rules_of(name, faces), dice, sure_calls=False))
    solver.iterate(iterations)
    strategy = strategy_of(solver)
    assert brute.value(strategy, 0) == pytest.approx(strategy.bounds.high, abs=1e-9)
    assert brute.value(strategy, 1) == pytest.approx(-strategy.bounds.low, abs=1e-9)


@pytest.mark.parametrize("name", ["openspiel", "perudo", "snyd", "snyd-joker", "mustache"])
@pytest.mark.parametrize("dice, faces", [((1, 1), 4), ((2, 1), 3)])
def test_leaving_out_hands_that_are_sure_to_win_by_calling_loses_nothing(
    name: str, dice: tuple[int, int], faces: int
) -> None:
    rules = rules_of(name, faces)
    reduced, whole = tree(rules, dice), tree(rules, dice, sure_calls=False)
    assert reduced.kinds[reduced.root].size < whole.kinds[whole.root].size
    solver = Solver(reduced)
    solver.iterate(200)
    strategy = strategy_of(solver)
    spread = written(whole, _spread(strategy, whole), 200, "dcfr")
    assert spread.bounds.low == pytest.approx(strategy.bounds.low, abs=1e-6)
    assert spread.bounds.high == pytest.approx(strategy.bounds.high, abs=1e-6)
    other = solve(Solver(whole), target=1e-3)
    assert strategy.bounds.low <= other.high + 1e-6
    assert other.low <= strategy.bounds.high + 1e-6


def _spread(strategy: Strategy, whole: Tree) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """A reduced strategy on the unreduced tree: who is sure calls, and where nobody comes, too."""
    plain = Strategy(whole, np.zeros(0, np.float32), Bounds(0, 0, 0, 0), "")
    rows: list[float] = []

    def add(number: int, bids: tuple[Bid, ...]) -> None:
        kind = whole.kinds[number]
        actions = plain.actions(kind)
        situation = whole.round.situations[kind.situation]
        hands = [whole.round.hands[situation.mover][kind.mine[place]] for place in kind.active]
        plays = []
        for hand in hands:
            try:
                plays.append(strategy.play(hand, bids))
            except UnavailableError:
                plays.append({actions[0]: 1.0})
        rows.extend(play.get(action, 0.0) for action in actions for play in plays)
        for child, (bid, _) in zip(kind.children, situation.raises, strict=False):
            add(child, (*bids, bid))

    add(whole.root, ())
    return np.array(rows, np.float32)


def test_a_hand_plays_by_the_chances_that_were_learned() -> None:
    strategy = learned("openspiel", (1, 1), 6)
    first = strategy.play((3,))
    assert sum(first.values()) == pytest.approx(1)
    assert list(first.values()) == sorted(first.values(), reverse=True)
    assert all(isinstance(action, Bid) for action in first)
    assert strategy.play((1,), [Bid(2, 6)]) == {Challenge(): 1.0}


def test_a_question_that_makes_no_sense_is_refused_with_the_reason() -> None:
    strategy = learned("openspiel", (2, 1), 3)
    with pytest.raises(MalformedError, match="the player on turn holds 2 dice with faces 1 to 3, not 1,2,3"):
        strategy.play((1, 2, 3))
    with pytest.raises(MalformedError, match="holds 1 die with faces 1 to 3, not 4"):
        strategy.play((4,), [Bid(1, 1)])
    with pytest.raises(IllegalActionError, match=r"1x1 after 1x2 is against the rules \(legal: one of 1x3, "):
        strategy.play((1, 1), [Bid(1, 2), Bid(1, 1)])
    with pytest.raises(IllegalActionError, match="4x1 as the first bid is against the rules"):
        strategy.play((1,), [Bid(4, 1)])
    with pytest.raises(UnavailableError, match="who holds 2,2 calls before this"):
        strategy.play((2, 2), [Bid(1, 1), Bid(3, 1), Bid(3, 2), Bid(3, 3)])
    with pytest.raises(UnavailableError, match="nobody bids on after 2x2: every hand that can be held here calls"):
        learned("snyd", (1, 1), 3).play((3,), [Bid(2, 1), Bid(2, 2), Bid(2, 3)])


def seated(rules: Ruleset, hands: tuple[tuple[int, ...], ...], bids: list[tuple[int, Bid]]) -> State:
    state = msgspec.structs.replace(start(rules, ("Ann", "Bo", "Cy")), dice=tuple(map(len, hands)))
    state = evolve_all(state, [StarterFound(2, StarterMethod.CHOSEN)])
    state = evolve_all(state, decide(state, None, Deal(hands)))
    for seat, bid in bids:
        state = evolve_all(state, decide(state, seat, bid))
    return state


def test_a_view_is_answered_whoever_sits_where() -> None:
    strategy = learned("perudo", (2, 1), 6)
    renamed = patched(preset("perudo").ruleset, labels=Labels(game="Ours"))
    state = seated(renamed, ((), (4,), (3, 3)), [(2, Bid(1, 4))])
    assert strategy.policy(view(state, 1)) == strategy.play((4,), [Bid(1, 4)])
    with pytest.raises(IllegalActionError, match="only who is on turn"):
        strategy.policy(view(state, 2))
    with pytest.raises(UnavailableError, match=r"plays 2v1 by the rules of Perudo, not 1v2 by Ours"):
        strategy.policy(view(seated(renamed, ((), (3, 4), (3,)), []), 2))
    with pytest.raises(UnavailableError, match="only rounds of two players are solved, and 3 hold dice"):
        strategy.policy(view(seated(renamed, ((2,), (4,), (3, 3)), []), 2))
    with pytest.raises(UnavailableError, match="not 2v1 by"):
        strategy.policy(view(seated(preset("basic").ruleset, ((), (4,), (3, 3)), []), 2))


def test_habits_are_shares_of_the_ways_that_hands_come() -> None:
    strategy = learned("openspiel", (1, 1), 3)
    found = {(one.bid, one.seat): one for one in habits(strategy)}
    first = found[Bid(1, 2), 1]
    opened = np.array([strategy.play((face,)).get(Bid(1, 2), 0) for face in (1, 2, 3)])
    weights = strategy.tree.round.weights[0]
    assert first.hands == ((1,), (2,), (3,))
    raised = opened @ weights  # and those who were raised from 1x1 come on top, at seat 0
    assert first.stands == pytest.approx([raised] * 3)
    for face, called in zip((1, 2, 3), first.called, strict=True):
        assert called == pytest.approx(strategy.play((face,), [Bid(1, 2)]).get(Challenge(), 0))


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


def test_a_hand_of_which_nothing_is_written_plays_anything() -> None:
    strategy = learned("openspiel", (1, 1), 3)
    empty = msgspec.structs.replace(strategy, shares=np.zeros_like(strategy.shares))
    assert list(empty.play((1,)).values()) == pytest.approx([1 / 6] * 6)


def test_two_who_write_the_same_file_do_not_mix_theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "one.lds"
    written_to: list[Path] = []
    monkeypatch.setattr(Path, "write_bytes", lambda path, _raw: written_to.append(path))
    for process in (1, 2):
        monkeypatch.setattr("os.getpid", lambda process=process: process)
        with pytest.raises(UnavailableError):
            write_whole(file, b"")
    assert len(set(written_to)) == 2


def test_shares_are_those_of_the_sums_whatever_the_lanes() -> None:
    solved = tree(rules_of("perudo", 3), (2, 1))
    found = []
    for lanes in (1, 8, 64):
        solver = Solver(solved, lanes=lanes, double=True)
        solver.iterate(10)
        found.append(shares_of(solver))
    assert found[1] == pytest.approx(found[0], abs=1e-6)
    assert found[2] == pytest.approx(found[0], abs=1e-6)
