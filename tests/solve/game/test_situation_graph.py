"""The graph of situations: what leads from one to another, and in which order they stand."""

from __future__ import annotations

from liarsdice.core.actions import AnswerDouble, Challenge
from liarsdice.core.rules.choices import Answer
from liarsdice.core.rules.presets import preset
from liarsdice.solve.game.round_game import (
    RoundStart,
    ending_actions,
    situation_graph,
    state_before_bids,
    topological_order,
    with_faces,
)

DOUBLE, REDOUBLE = Challenge(double=True), AnswerDouble(Answer.REDOUBLE)
ACCEPT, FOLD = AnswerDouble(Answer.ACCEPT), AnswerDouble(Answer.FOLD)


def test_answers_follow_a_call_for_twice_the_stake_and_each_situation_precedes_its_successors() -> None:
    rules = with_faces(preset("chui-niu+counter-pi").ruleset, 2)
    graph = situation_graph(state_before_bids(rules, RoundStart((1, 1))))
    order = topological_order(graph)
    assert set(order) == set(graph)
    assert all(order.index(key) < order.index(after) for key, (_, steps) in graph.items() for after in steps.values())
    bid_made = next(key for key, (_, steps) in graph.items() if DOUBLE in steps)
    doubled = graph[bid_made][1][DOUBLE]
    assert list(graph[doubled][1]) == [REDOUBLE]
    redoubled = graph[doubled][1][REDOUBLE]
    assert graph[redoubled][1] == {}
    ends = [ending_actions(graph[key][0]) for key in (bid_made, doubled, redoubled)]
    assert ends == [[Challenge()], [ACCEPT, FOLD], [ACCEPT, FOLD]]
