"""Luck and play: the parts of a result, and their sum."""

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liarsdice.analysis import state_valuer
from liarsdice.analysis.deals import enumerate_deals, starter_chances
from liarsdice.analysis.fitted_values import FittedValues
from liarsdice.analysis.luck import (
    MAX_MORE_MATCHES,
    MIN_MATCHES,
    RATIOS,
    ChangeCause,
    estimate_skill,
    gain_without_luck,
    match_account,
    matches_to_tell,
)
from liarsdice.analysis.state_valuer import StateValuer
from liarsdice.core.actions import Action, Challenge, ChooseStarter, Deal, Penalise, RollAgain, Withdraw
from liarsdice.core.engine.engine import decide, start
from liarsdice.core.engine.evolve import evolve, evolve_all
from liarsdice.core.engine.legal import legal_bids
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.errors import UnfinishedError
from liarsdice.core.events import Dealt, Event, MatchStarted, RolledAgain, StarterFound
from liarsdice.core.records.record import recorded_actions
from liarsdice.core.rules.choices import PenaltyTiming, PenaltyTrigger, StarterMethod
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.rules.presets import preset, simulated_preset_names
from liarsdice.core.rules.rule_costs import is_learned
from liarsdice.play.match_runner import play_match

BOTS = st.sampled_from(["random", "novice", "threshold", "greedy", "inference"])


@settings(max_examples=25, deadline=None)
@given(st.sampled_from([name for name in simulated_preset_names() if is_learned(preset(name).ruleset)]), st.data())
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


def test_a_seat_that_goes_out_because_its_player_left_is_no_luck() -> None:
    rules = patched(preset("perudo").ruleset, first_starter__method=StarterMethod.RANDOM, dice__per_player=2)
    names = ("Ann", "Bo", "Cy")
    state, events = start(rules, names), list[Event]([MatchStarted(rules, names)])
    script: list[tuple[int | None, Action]] = [(None, ChooseStarter(0)), (None, Withdraw(2)), (None, Withdraw(0))]
    for seat, action in script:
        decided = decide(state, seat, action)
        events += decided
        state = evolve_all(state, decided)
    account = match_account(events, StateValuer(1, deals=20))
    assert [point.seat for point in account.win_line if point.cause is ChangeCause.LEAVER] == [2, 0]
    by_chance = np.array(account.win_line[1].shares) - account.start
    assert np.abs(by_chance - account.luck).max() < 1e-9
    assert account.play[2][2] < 0 < account.play[2][0]


def _next_action(state: State) -> tuple[int | None, Action]:
    if state.phase is Phase.DEAL:
        return None, Deal(tuple((2,) * held for held in state.dice))
    return state.turn, Challenge() if state.bids else legal_bids(state)[0]


def test_the_start_with_dice_that_differ_is_the_mean_over_who_opens() -> None:
    """A die of six faces beats one of four in 14 of 24 rolls and ties in 4, so that its owner opens 7 matches of 10."""
    rules = patched(preset("perudo").ruleset, dice__faces_by_seat=(4, 6))
    few, many = starter_chances(rules, (0, 1), 100_000, np.random.default_rng(2)).tolist()
    assert (few, many) == pytest.approx((0.3, 0.7), abs=0.008)
    state, values = start(rules, ("Ann", "Bo")), FittedValues(rules, np.arange(4.0), np.linspace(-1, 1, 19))
    valuer = StateValuer(2, deals=20_000, values=values)
    opened = [evolve(state, StarterFound(seat, StarterMethod.HIGH_ROLL)) for seat in (0, 1)]
    shares = [valuer.value(one)[0] for one in opened]
    assert np.abs(shares[0] - shares[1]).max() > 0.02
    assert valuer.value(state)[0] == pytest.approx(0.3 * shares[0] + 0.7 * shares[1], abs=0.01)


def test_dice_that_are_rolled_again_are_chance_and_no_move(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = preset("bluff+show-dice").ruleset
    match = play_match(rules, ["inference"] * 3, seed=1)
    values = FittedValues(rules, np.arange(4.0), np.linspace(-1, 1, 19))
    account = match_account(match.events, StateValuer(1, deals=20, values=values))
    rolls = sum(isinstance(action, Deal | RollAgain) for _, _, action in recorded_actions(match.events))
    assert sum(isinstance(event, RolledAgain) for event in match.events) > 5
    moves = sum(seat is not None for _, seat, _ in recorded_actions(match.events))
    assert sum(point.cause is ChangeCause.MOVE for point in account.win_line) == moves
    assert sum(point.cause is ChangeCause.ROLL for point in account.win_line) == rolls
    states = [state for state, _, action in recorded_actions(match.events) if isinstance(action, RollAgain)]
    exact = [StateValuer(values=values).value(state) for state in states]
    monkeypatch.setattr(state_valuer, "MAX_ENUMERATED_DEALS", 0)
    sampler = StateValuer(3, deals=400, values=values)
    for state, (shares, none) in zip(states, exact, strict=True):
        sampled, variance = sampler.value(state)
        assert not none.any()
        assert np.abs(sampled - shares).max() <= 5 * np.sqrt(variance.max()) + 1e-12


def test_the_dice_that_a_penalty_takes_are_sampled_where_there_are_many_choices() -> None:
    """Fifteen dice of thirty can be taken in 155,117,520 ways."""
    rules = patched(
        preset("perudo").ruleset,
        first_starter__method=StarterMethod.RANDOM,
        penalties=(Penalty(trigger=PenaltyTrigger.ASKS_WHOSE_TURN, dice=15),),
        penalty_timing=PenaltyTiming.IMMEDIATE,
        dice__per_player=30,
    )
    state = start(rules, ("Ann", "Bo"))
    for action in (ChooseStarter(0), Deal(((1, 2, 3, 4, 5, 6) * 5, (2,) * 30))):
        state = evolve_all(state, decide(state, None, action))
    valuer = StateValuer(1, deals=50)
    mean, variance = valuer.before_pick(state, 0, Penalise(PenaltyTrigger.ASKS_WHOSE_TURN, tuple(range(15))))
    assert mean.sum() == pytest.approx(1)
    assert mean[0] < valuer.value(state)[0][0]
    assert 0 < variance[0] < 0.01


def test_a_match_that_is_not_over_has_no_parts() -> None:
    match = play_match(preset("perudo").ruleset, ["threshold", "random"], seed=5)
    dealt = next(place for place, event in enumerate(match.events) if isinstance(event, Dealt))
    with pytest.raises(UnfinishedError, match="not over"):
        match_account(match.events[: dealt + 1], StateValuer(1, deals=20))


def test_nothing_is_said_of_few_matches() -> None:
    skill = estimate_skill([0.5] * (MIN_MATCHES - 1))
    assert (skill.gain, skill.error, skill.more_matches, skill.is_settled) == (None, None, 1, False)


def test_the_named_number_of_matches_settles_it() -> None:
    gains = [0.55, -0.45] * 50
    skill = estimate_skill(gains)
    assert skill.gain == pytest.approx(0.05)
    assert skill.more_matches is not None
    assert not skill.is_settled
    more = [*gains, *[0.55, -0.45] * (skill.more_matches // 2 + 5)]
    assert estimate_skill(more).is_settled
    fewer = [*gains, *[0.55, -0.45] * (skill.more_matches // 2 - 5)]
    assert not estimate_skill(fewer).is_settled


@pytest.mark.parametrize("last", [-0.5, -0.5 + 1e-12, -0.499])
def test_a_gain_that_is_nearly_zero_has_no_number_of_matches(last: float) -> None:
    skill = estimate_skill([*[0.5, -0.5] * (MIN_MATCHES // 2 - 1), 0.5, last])
    assert skill.more_matches is None
    assert not skill.is_settled
    assert estimate_skill([1e-300, *[0.5, -0.5] * MIN_MATCHES]).more_matches is None


def test_a_number_of_matches_is_at_most_the_largest() -> None:
    more = estimate_skill([0.5, -0.5] * 49 + [0.5, 0.2]).more_matches
    assert more is not None
    assert 0 < more <= MAX_MORE_MATCHES


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(400):
        skill = estimate_skill((0.03 + rng.normal(0, 0.4, 100)).tolist())
        assert skill.gain is not None
        assert skill.error is not None
        held += abs(skill.gain - 0.03) <= skill.error
    assert 0.92 <= held / 400 <= 0.98


def test_a_player_who_plays_at_random_falls_short_of_an_even_share() -> None:
    rules = preset("basic").ruleset
    played = [play_match(rules, ["random", "inference"], seed=seed).events for seed in range(MIN_MATCHES)]
    accounts = [match_account(events) for events in played]
    worse, better = (estimate_skill([gain_without_luck(account, seat) for account in accounts]) for seat in (0, 1))
    assert worse.is_settled
    assert better.is_settled
    assert worse.gain is not None
    assert better.gain is not None
    assert worse.gain < -0.3
    assert worse.gain + better.gain == pytest.approx(0)


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_so_many_matches_tell_a_better_player_four_times_in_five(seats: int) -> None:
    rng = np.random.default_rng(seats)
    p = 1 / seats
    spread = np.sqrt(p * (1 - p) / RATIOS[seats])
    gains = rng.normal(0.05, spread, (400, matches_to_tell(seats)))
    settled = [estimate_skill(row.tolist()) for row in gains]
    told = sum(skill.is_settled and (skill.gain or 0) > 0 for skill in settled)
    assert 0.74 <= told / len(settled) <= 0.86


def test_at_numbers_of_seats_that_were_not_measured_the_next_smaller_one_counts() -> None:
    assert matches_to_tell(6) < matches_to_tell(5) < matches_to_tell(4) < matches_to_tell(2)
