"""What the decisions of a match show of habits."""

from __future__ import annotations

import pytest

from liarsdice.analysis.habits import HabitKind, observe_match
from liarsdice.core.records.record import read_record, write_record
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match


def test_every_assessed_decision_on_turn_of_a_match_belongs_to_a_kind() -> None:
    events = play_match(preset("perudo").ruleset, ["random", "champion"], ["Ann", "Bo"], seed=2).events
    record = read_record(write_record(events, "0.1.0"))
    observed = list(observe_match(record, 0, 5, deals=30))
    observations = [one for _, some in observed for one in some]
    assert {one.match for one in observations} == {5}
    assert {one.kind for one in observations} >= {HabitKind.CHALLENGE, HabitKind.BLUFF, HabitKind.OPENING}
    for cost, some in observed:
        kinds = [one for one in some if one.kind is not HabitKind.SPECIAL]
        assert sum(one.cost for one in kinds) == pytest.approx(cost if kinds else 0.0)
