"""Luck and play: the parts of a result, and their sum."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liarsdice.analysis import state_valuer
from liarsdice.analysis.deals import enumerate_deals
from liarsdice.analysis.luck import ChangeCause, match_account
from liarsdice.analysis.state_valuer import StateValuer
from liarsdice.core.actions import Action, Challenge, ChooseStarter, Deal, Penalise
from liarsdice.core.engine.engine import decide, start
from liarsdice.core.engine.evolve import evolve_all
from liarsdice.core.engine.legal import legal_bids
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.errors import UnfinishedError
from liarsdice.core.events import Dealt, Event, MatchStarted
from liarsdice.core.records.record import recorded_actions
from liarsdice.core.rules.choices import PenaltyTiming, PenaltyTrigger, StarterMethod
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.rules.presets import preset, simulated_preset_names
from liarsdice.play.match_runner import play_match

BOTS = st.sampled_from(["random", "novice", "threshold", "greedy", "inference"])


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(simulated_preset_names()), st.data())
def test_start_luck_and_play_are_the_result_of_every_match(rules: str, data: st.DataObject) -> None:
    ruleset = preset(rules).ruleset
    most = min(ruleset.players.max or 5, 5)
    bots = data.draw(st.lists(BOTS, min_size=ruleset.players.min, max_size=most))
    match = play_match(ruleset, bots, seed=data.draw(st.integers(0, 10**6)))
    account = match_account(match.events, StateValuer(1, deals=20))
    won = [seat in match.winners for seat in range(len(bots))]
    assert account.result == pytest.approx(np.array(won) / sum(won), abs=1e-12)
    parts = np.array(account.start) + np.array(account.luck) + np.sum(account.play, axis=0)
    assert np.abs(parts - account.result).max() < 1e-9
    for point in account.win_line:
        assert sum(point.shares) == pytest.approx(1, abs=1e-9)
    assert sum(account.luck) == pytest.approx(0, abs=1e-9)


def before_deal(dice: tuple[int, ...]) -> State:
    """Return a match between rounds in which the first seat opens."""
    rules = patched(preset("perudo").ruleset, first_starter__method=StarterMethod.RANDOM)
    state = start(rules, [f"Player {seat}" for seat in range(len(dice))])
    state = evolve_all(state, decide(state, None, ChooseStarter(0)))
    return msgspec.structs.replace(state, dice=dice)


def test_luck_has_mean_zero_over_all_deals() -> None:
    state = before_deal((1, 2))
    valuer = StateValuer()
    expected, variance = valuer.value(state)
    hands, probs = enumerate_deals(state.ruleset, state.dice)
    mean = np.zeros(2)
    for deal, prob in zip(hands, probs, strict=True):
        dealt = tuple(tuple(face for face in range(1, 7) for _ in range(counts[face - 1])) for counts in deal.tolist())
        mean += prob * valuer.value(evolve_all(state, decide(state, None, Deal(dealt))))[0]
    assert np.abs(mean - expected).max() < 1e-7  # the network works in single precision
    assert not variance.any()


def test_sampled_deals_have_the_mean_of_all_deals_within_their_error(monkeypatch: pytest.MonkeyPatch) -> None:
    state = before_deal((2, 2))
    exact = StateValuer().value(state)[0]
    monkeypatch.setattr(state_valuer, "MAX_ENUMERATED_DEALS", 0)
    sampled, variance = StateValuer(3).value(state)
    assert variance.all()
    assert np.abs(sampled - exact).max() < 5 * np.sqrt(variance.max())


def test_chance_has_no_player_and_every_move_has_one() -> None:
    match = play_match(preset("perudo").ruleset, ["threshold", "random"], seed=5)
    account = match_account(match.events, StateValuer(1, deals=20))
    assert account.win_line[0].cause is ChangeCause.START
    for point in account.win_line[1:]:
        assert (point.seat is None) is (point.cause in {ChangeCause.ROLL, ChangeCause.STARTER})
        assert (point.move is None) is (point.seat is None)
    moves = sum(seat is not None for _, seat, _ in recorded_actions(match.events))
    assert sum(point.cause is ChangeCause.MOVE for point in account.win_line) == moves


def test_which_dice_a_penalty_takes_is_chance_and_the_penalty_is_not() -> None:
    rules = patched(
        preset("perudo").ruleset,
        first_starter__method=StarterMethod.RANDOM,
        penalties=(Penalty(trigger=PenaltyTrigger.ASKS_WHOSE_TURN),),
        penalty_timing=PenaltyTiming.IMMEDIATE,
        dice__per_player=2,
    )
    state = start(rules, ("Ann", "Bo"))
    events: list[Event] = [MatchStarted(rules, ("Ann", "Bo"))]
    penalty = Penalise(PenaltyTrigger.ASKS_WHOSE_TURN, (0,))
    script: list[tuple[int | None, Action]] = [(None, ChooseStarter(0)), (None, Deal(((1, 3), (2, 4)))), (0, penalty)]
    while state.phase is not Phase.OVER:
        seat, action = script.pop(0) if script else _next_action(state)
        decided = decide(state, seat, action)
        events += decided
        state = evolve_all(state, decided)
    account = match_account(events, StateValuer(1, deals=20))
    chance, own = [point for point in account.win_line if point.cause is ChangeCause.PENALTY][::-1]
    assert (own.seat, chance.seat) == (0, None)
    assert own.shares == chance.expected
    assert own.shares[0] < own.expected[0]
    parts = np.array(account.start) + np.array(account.luck) + np.sum(account.play, axis=0)
    assert np.abs(parts - account.result).max() < 1e-9


def _next_action(state: State) -> tuple[int | None, Action]:
    if state.phase is Phase.DEAL:
        return None, Deal(tuple((2,) * held for held in state.dice))
    return state.turn, Challenge() if state.bids else legal_bids(state)[0]


def test_a_match_that_is_not_over_has_no_parts() -> None:
    match = play_match(preset("perudo").ruleset, ["threshold", "random"], seed=5)
    dealt = next(place for place, event in enumerate(match.events) if isinstance(event, Dealt))
    with pytest.raises(UnfinishedError, match="not over"):
        match_account(match.events[: dealt + 1], StateValuer(1, deals=20))
