"""What the value network sees of a situation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from liarsdice.core.engine.state import Phase
from liarsdice.core.records.record import recorded_actions
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, simulated_preset_names
from liarsdice.play.match_runner import play_match
from liarsdice.state_value.player_kinds import UNKNOWN_KIND
from liarsdice.state_value.seat_features import feature_count, seat_features
from liarsdice.state_value.situation import Situation, situation_of_state


def situations(rules: str, seats: int, **changes: object) -> list[tuple[Situation, bool]]:
    """Return the situations of a match, each with whether it is within a round."""
    ruleset = patched(preset(rules).ruleset, **changes)
    match = play_match(ruleset, ["inference", "random"] * (seats // 2) + ["novice"] * (seats % 2), seed=8)
    return [
        (situation_of_state(state), state.phase is Phase.BIDDING)
        for state, _, _ in recorded_actions(match.events)
        if state.phase in {Phase.BIDDING, Phase.DEAL}
    ]


@pytest.mark.parametrize("rules", simulated_preset_names())
def test_every_situation_has_finite_features(rules: str) -> None:
    for situation, in_round in situations(rules, preset(rules).ruleset.players.min):
        features = seat_features(situation, in_round=in_round)
        assert features.shape == (*situation.dice.shape, feature_count(in_round=in_round))
        assert np.isfinite(features).all()


def test_tables_of_many_seats_and_dice_with_many_faces_have_features() -> None:
    for situation, in_round in situations("perudo", 9) + situations("basic", 2, dice__faces=8):
        assert np.isfinite(seat_features(situation, in_round=in_round)).all()


def test_features_do_not_depend_on_where_the_table_begins_to_count() -> None:
    for unknown, in_round in situations("perudo", 4):
        situation = unknown._replace(players=np.array([[3, UNKNOWN_KIND, 0, 5]]))
        by_seat = ("dice", "had_special", "exempt", "exact_calls", "latest_face", "hands", "players")
        seats = ("turn", "bidder", "special_seat")
        changes: dict[str, Any] = {name: np.roll(getattr(situation, name), 1, axis=1) for name in by_seat}
        for name in seats:
            seat = getattr(situation, name)
            changes[name] = np.where(seat < 0, -1, (seat + 1) % 4)
        rotated = situation._replace(**changes)
        expected = np.roll(seat_features(situation, in_round=in_round), 1, axis=1)
        alive = rotated.dice > 0
        assert np.array_equal(seat_features(rotated, in_round=in_round)[alive], expected[alive])
