"""Blocks of weights: what is packed is opened again, and blocks that do not fit are refused."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from liarsdice.core.errors import MalformedError
from liarsdice.solve.blueprint import packed_blueprint
from liarsdice.solve.blueprint.blueprint import RoundLayout, SituationLayout
from liarsdice.solve.blueprint.packed_blueprint import SituationWeights, every_node, open_block, pack_blocks

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
