"""The order in which the nodes of a recall graph are computed: in groups that have the same children."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.solve.blueprint.recall_graph import Path, RecallGraph


class NodeGroups(NamedTuple):
    """The nodes of a graph, group by group, so that the nodes of a group stand before all their children.

    The nodes of a group have the same standing bid and the same children, and no other node has these children.
    `members`: int64 [node]. `first_member`: int64, the index in `members` where each group begins, with one entry more
    than groups.
    """

    members: NDArray[np.int64]
    first_member: NDArray[np.int64]


def make_node_groups(graph: RecallGraph) -> NodeGroups:
    """Return the groups of the nodes of a graph. The root is the first one."""
    groups: dict[Path, list[int]] = {}
    for node, path in enumerate(graph.nodes):
        groups.setdefault(path[1 - graph.recall :], []).append(node)
    group_of = {node: key for key, members in groups.items() for node in members}
    arrays = graph.arrays
    children = {
        key: arrays.children[arrays.first_child[members[0]] : arrays.first_child[members[0] + 1]].tolist()
        for key, members in groups.items()
    }
    order: list[Path] = []
    seen: set[Path] = set()
    stack: list[tuple[Path, bool]] = [(next(iter(groups)), False)]
    while stack:  # depth first; a group is finished after all groups below it
        key, is_finished = stack.pop()
        if is_finished:
            order.append(key)
        elif key not in seen:
            seen.add(key)
            stack.append((key, True))
            stack.extend((group_of[child], False) for child in children[key])
    order.reverse()
    sizes = [len(groups[key]) for key in order]
    return NodeGroups(
        np.array([node for key in order for node in groups[key]], np.int64),
        np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)]),
    )
