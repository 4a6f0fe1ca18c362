"""A stored blueprint answers as the whole one does, and refuses what does not fit its rules."""

from __future__ import annotations

import lzma

import msgspec
import numpy as np
import pytest

from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.bids import Bid
from liarsdice.solve.blueprint.packed_blueprint import PackedBlueprint, reached_weights, stored_blueprint
from liarsdice.solve.game.round_game import RoundStart
from tests.solve.blueprint.trained_rounds import make_graph, trained
from tests.solve.solved_rounds import rules_of

RULES = rules_of("perudo", 4)
START = RoundStart((2, 1))
WHOLE = trained(make_graph("perudo", START.dice, 4, recall=3, menu=4), 30).blueprint(0.02)
STORED = stored_blueprint(WHOLE)
PACKED = PackedBlueprint(RULES, START, STORED)


def test_decisions_that_the_player_never_comes_to_are_left_out() -> None:
    kept = reached_weights(WHOLE.graph, WHOLE.weights)
    assert 0 < np.count_nonzero(kept) < np.count_nonzero(WHOLE.weights)
    np.testing.assert_array_equal(kept[kept > 0], WHOLE.weights[kept > 0])
    np.testing.assert_array_equal(PACKED.unpacked.weights, kept)


@pytest.mark.parametrize(
    "bids", [[], [Bid(1, 2)], [Bid(2, 3)], [Bid(1, 2), Bid(3, 4)], [Bid(1, 2), Bid(1, 3), Bid(2, 3)]]
)
def test_every_decision_is_that_of_the_whole_blueprint(bids: list[Bid]) -> None:
    """Bids outside of the menu, and hands that do not come there, included."""
    expected = PACKED.unpacked.decision(bids)
    found = PACKED.decision(bids)
    assert found.actions == expected.actions
    np.testing.assert_array_equal(found.probs, expected.probs)
    path = PACKED.layout.path_of(tuple(bids))
    for hand, weights in enumerate(PACKED.weights_after(path).T):
        np.testing.assert_array_equal(PACKED.hand_weights_after(path, hand), weights)
        np.testing.assert_array_equal(PACKED.hand_probs_after(path, hand), found.probs[:, hand])


def test_a_blueprint_of_other_rules_is_refused() -> None:
    with pytest.raises(MalformedError, match="does not fit the rules"):
        _ = PackedBlueprint(rules_of("openspiel", 4), START, STORED).unpacked
    with pytest.raises(MalformedError, match="other hands"):
        PackedBlueprint(RULES, RoundStart((1, 1)), STORED)


def test_damaged_parts_are_refused() -> None:
    bad = msgspec.structs.replace(STORED, layout=b"nothing")
    with pytest.raises(MalformedError, match="cannot be read"):
        PackedBlueprint(RULES, START, bad)
    short = PackedBlueprint(RULES, START, msgspec.structs.replace(STORED, best_answers=lzma.compress(b"short")))
    with pytest.raises(MalformedError, match="do not fit its bids"):
        short.best_answers(0)
    empty = PackedBlueprint(RULES, START, msgspec.structs.replace(STORED, blocks=()))
    with pytest.raises(MalformedError, match="no decisions"):
        empty.decision([])
