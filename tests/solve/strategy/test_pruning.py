"""Pruned strategies guarantee what the whole strategy does, and their files hold every decision that is left."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import pytest

from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.solve.strategy.average_strategy import pruned
from liarsdice.solve.strategy.strategy import Strategy
from liarsdice.solve.strategy.strategy_file import (
    StrategySet,
    decode_decisions,
    encode_decisions,
    read_strategies,
    write_strategies,
)
from tests.solve.solved_rounds import learn_strategy, rules_of

ROUNDS = [("perudo", (2, 1), 4), ("openspiel", (1, 2), 3), ("snyd-stairs", (1, 1), 3), ("mustache", (2, 2), 3)]


def solved(name: str = "perudo", dice: tuple[int, int] = (2, 1), faces: int = 4) -> Strategy:
    return learn_strategy(name, dice, faces, 300)


@pytest.mark.parametrize("name, dice, faces", ROUNDS)
def test_a_pruned_strategy_guarantees_nearly_the_same(name: str, dice: tuple[int, int], faces: int) -> None:
    strategy = solved(name, dice, faces)
    small = pruned(strategy, 0.001)
    assert small.bounds.exploitability <= strategy.bounds.exploitability + 0.001
    assert np.count_nonzero(small.action_weights) < np.count_nonzero(strategy.action_weights) / 2


@pytest.mark.parametrize("name, dice, faces", ROUNDS)
def test_a_file_holds_every_decision_of_a_pruned_strategy(
    tmp_path: Path, name: str, dice: tuple[int, int], faces: int
) -> None:
    small, path = pruned(solved(name, dice, faces), 0.01), tmp_path / "pruned.lds"
    write_strategies(path, StrategySet(rules_of(name, faces), False, (small,)), "1")
    assert path.read_bytes().startswith(b"liarsdice strategy 1\n")
    (read,) = read_strategies(path).strategies
    assert read.pruned
    assert read.bounds == small.bounds
    assert np.array_equal(read.action_weights, small.action_weights)


def test_what_the_strategy_never_comes_to_has_no_answer() -> None:
    small = pruned(solved(), 0.02)
    hands = small.tree.game.hands[0]
    opening = {hand: small.action_probs(hand) for hand in hands}
    bid = next(bid for bid in opening[4, 4] if isinstance(bid, Bid))
    never = next(hand for hand in hands if bid not in opening[hand])
    after = [bid, next(raised for raised, _ in small.tree.game.situations[1].raises if raised.quantity > bid.quantity)]
    assert sum(small.action_probs((4, 4), after).values()) == pytest.approx(1)
    with pytest.raises(UnavailableError, match="never makes these bids with"):
        small.action_probs(never, after)


def test_weights_that_do_not_fit_the_tree_are_refused() -> None:
    small = pruned(solved(), 0.01)
    stream = zlib.decompress(encode_decisions(small.tree, small.action_weights.astype(np.uint16)))
    for damaged in (stream[2:], stream + bytes(2), stream[1:], bytes(len(stream))):
        with pytest.raises(MalformedError, match=r"action weight|any action"):
            decode_decisions(small.tree, zlib.compress(damaged))
