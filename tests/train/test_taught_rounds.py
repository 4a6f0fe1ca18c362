"""The rounds that blueprints teach, and what they are played for."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.solve.game.round_game import RoundStart, dice_lost_values, make_round_game, with_faces
from liarsdice.train.distillation import (
    TaughtRound,
    learn_lessons,
    own_reach,
    stakes,
    taught_graph,
    taught_rules,
    worst_case,
)
from liarsdice.values.endgames import match_values


def test_rounds_are_played_for_the_match_where_its_value_is_known() -> None:
    chart = preset("chart").ruleset
    few, many = (make_round_game(chart, RoundStart(dice)) for dice in ((2, 2), (3, 2)))
    np.testing.assert_array_equal(stakes(few), match_values(few))
    np.testing.assert_array_equal(stakes(many), dice_lost_values(many))
    assert not np.allclose(stakes(few), dice_lost_values(few))


def test_a_blueprint_teaches_play_for_the_match() -> None:
    """Whoever plays for the dice alone gives away some of the match."""
    rules = with_faces(preset("chart").ruleset, 3)
    graph = taught_graph(rules, (2, 1))
    lessons, line = learn_lessons(TaughtRound("chart", (2, 1)), graph, 100)
    assert line.startswith("chart 2v1: a blueprint of 100 iterations")
    assert "differ from those in dice" in line
    assert own_reach(graph, lessons).any()
    assert worst_case(graph, lessons, lessons.probs, 0.0)[0] < 0.05
    perudo = taught_graph(find_rules("perudo"), (1, 1))
    assert "differ from those in dice" not in learn_lessons(TaughtRound("perudo", (1, 1)), perudo, 2)[1]


def test_rules_that_networks_do_not_know_are_refused_by_the_round() -> None:
    with pytest.raises(UnavailableError, match="bar 2v1 cannot be taught"):
        taught_rules(TaughtRound("bar", (2, 1)))
