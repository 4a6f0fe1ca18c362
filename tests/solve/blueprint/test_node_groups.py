"""The order in which nodes are computed."""

from __future__ import annotations

import pytest

from liarsdice.solve.blueprint.node_groups import make_node_groups
from tests.solve.blueprint.trained_rounds import make_graph


@pytest.mark.parametrize("name, recall", [("openspiel", 2), ("perudo", 3)])
def test_nodes_stand_before_their_children_and_share_them_with_their_group_alone(name: str, recall: int) -> None:
    graph = make_graph(name, (2, 1), 4, recall=recall)
    arrays, groups = graph.arrays, make_node_groups(graph)
    assert sorted(groups.members) == list(range(len(graph.nodes)))
    assert groups.members[0] == 0
    place = {int(node): place for place, node in enumerate(groups.members)}
    owner: dict[int, int] = {}
    for group in range(len(groups.first_member) - 1):
        members = groups.members[groups.first_member[group] : groups.first_member[group + 1]]
        children = {
            tuple(arrays.children[arrays.first_child[node] : arrays.first_child[node + 1]].tolist()) for node in members
        }
        assert len(children) == 1
        for child in children.pop():
            assert owner.setdefault(child, group) == group
            assert place[child] >= groups.first_member[group + 1]
