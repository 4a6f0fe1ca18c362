"""Situations from states of the engine and from the simulator."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.analysis.review.decisions import decisions_of
from liarsdice.core.engine.engine import start
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import UnavailableError
from liarsdice.core.records.record import recorded_actions
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match
from liarsdice.values.features import Situation, situation_of_state
from liarsdice.values.playouts import copies_of, knows_bids, situation_of_env


@pytest.mark.parametrize("rules", ["perudo", "classic", "snyd-stairs", "openspiel"])
def test_the_engine_and_the_simulator_give_the_same_situation(rules: str) -> None:
    match = play_match(preset(rules).ruleset, ["inference", "regular", "random"], seed=3)
    states = {state.bids: state for state, _, _ in recorded_actions(match.events) if state.phase is Phase.BIDDING}
    compared = 0
    for decision in decisions_of(match.events):
        shown = decision.view
        if not (shown.on_turn and knows_bids(shown, decision.round_dice, decision.move) and shown.bids in states):
            continue
        state = states[decision.view.bids]
        if state.round_number != decision.view.round_number:
            continue
        env = copies_of(decision.view, decision.round_dice, 1)
        for seat, hand in enumerate(state.hands):
            env.state.hands[0, seat] = [hand.count(face) for face in range(1, 7)]
        by_env, by_state = situation_of_env(env), situation_of_state(state)
        for name, left, right in zip(Situation._fields[1:], by_env[1:], by_state[1:], strict=True):
            if name != "round_number" and not (name == "exact_calls" and state.ruleset.exact_call is None):
                assert np.array_equal(left, right), (name, left, right)
        compared += 1
    assert compared > 1


def test_a_situation_between_rounds_has_no_hands_and_the_number_of_the_next_round() -> None:
    match = play_match(preset("perudo").ruleset, ["threshold", "threshold"], seed=3)
    waiting = [state for state, _, _ in recorded_actions(match.events) if state.phase is Phase.DEAL]
    situation = situation_of_state(waiting[1])
    assert not situation.hands.any()
    assert situation.round_number.tolist() == [2]
    assert situation.turn.tolist() == [waiting[1].starter]


def test_matches_for_lives_have_no_situation() -> None:
    with pytest.raises(UnavailableError, match="judged only where losses cost dice"):
        situation_of_state(start(preset("chui-niu+lives").ruleset, ("Ann", "Bo")))
