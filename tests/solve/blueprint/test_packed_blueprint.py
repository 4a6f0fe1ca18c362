"""A stored blueprint answers as the whole one does, and refuses what does not fit its rules."""

import lzma
from pathlib import Path

import msgspec
import numpy as np
import pytest

from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.solve.blueprint import packed_blueprint
from liarsdice.solve.blueprint.blueprint import RoundLayout, SituationLayout
from liarsdice.solve.blueprint.packed_blueprint import (
    PackedBlueprint,
    SituationWeights,
    every_node,
    open_block,
    pack_blocks,
    reached_weights,
    read_blueprints,
    stored_blueprint,
    write_blueprints,
)
from liarsdice.solve.round_game import RoundStart
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


LAYOUT = RoundLayout(
    2,
    (3, 2),
    tuple(SituationLayout(None, mover, (False,), (), (0, 1)) for mover in (0, 1, 0)),
)
FIRST = np.array([[255, 0, 30], [0, 0, 255], [10, 0, 255]], np.uint8)
SECOND = np.array([[0, 255], [0, 0], [255, 80]], np.uint8)
SITUATIONS: list[SituationWeights] = [
    (np.array([[0, 0]]), [FIRST]),
    (np.array([[0, 1], [5, 1]]), [SECOND, SECOND[:, ::-1]]),
    (np.zeros((0, 2), np.int64), []),
]


def test_blocks_give_back_all_paths_and_weights() -> None:
    (block,) = pack_blocks(SITUATIONS)
    nodes = list(every_node(open_block(block, LAYOUT), LAYOUT))
    assert [path for path, _ in nodes] == [(0, 0), (0, 1), (5, 1)]
    for (_, weights), expected in zip(nodes, (FIRST, SECOND, SECOND[:, ::-1]), strict=True):
        np.testing.assert_array_equal(weights, expected)


def test_a_block_ends_after_so_many_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_blueprint, "BLOCK_WEIGHTS", 4)
    blocks = pack_blocks(SITUATIONS)
    assert [(block.first, block.node_counts) for block in blocks] == [(0, (1,)), (1, (2,)), (2, (0,))]
    assert open_block(blocks[1], LAYOUT).nodes_of(1) == range(2)
    assert not open_block(blocks[2], LAYOUT).nodes_of(2)


def test_blocks_that_do_not_fit_are_refused() -> None:
    (block,) = pack_blocks(SITUATIONS)
    for changes, message in (
        ({"first": 1}, "unknown situations"),
        ({"node_counts": (1, 2, -1)}, "unknown situations"),
        ({"node_counts": (1, 3, 0)}, "bytes of numbers"),
        ({"weights": block.actions}, "bytes of numbers"),
        ({"counts": b"nothing"}, "cannot be unpacked"),
    ):
        with pytest.raises(MalformedError, match=message):
            open_block(msgspec.structs.replace(block, **changes), LAYOUT)
    fewer = RoundLayout(2, (3, 2), tuple(SituationLayout(None, mover, (False,), (), (0,)) for mover in (0, 1, 0)))
    with pytest.raises(MalformedError, match="unknown action"):
        list(every_node(open_block(block, fewer), fewer))


BLUEPRINT = trained(make_graph("perudo", (2, 1), 3), 30).blueprint(0.02)


def test_a_file_gives_the_same_play_wherever_its_player_comes(tmp_path: Path) -> None:
    path = tmp_path / "small.ldb"
    write_blueprints(path, BLUEPRINT.graph.game.rules, [BLUEPRINT], "1.0")
    file = read_blueprints(path)
    assert file.ruleset() == BLUEPRINT.graph.game.rules
    again = file.blueprint(RoundStart((2, 1)))
    assert again is not None
    for bids in ([], [Bid(1, 2)], [Bid(2, 3)]):
        np.testing.assert_allclose(again.decision(bids).probs, BLUEPRINT.decision(bids).probs)
    assert file.blueprint(RoundStart((1, 2))) is None


@pytest.mark.parametrize(
    "content, message",
    [(b"something else entirely, of any length", "no blueprint file"), (b"liarsdice blueprint 1\nshort", "damaged")],
)
def test_other_and_damaged_files_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.ldb"
    path.write_bytes(content)
    with pytest.raises(MalformedError, match=message):
        read_blueprints(path)


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="cannot read"):
        read_blueprints(tmp_path / "none.ldb")
