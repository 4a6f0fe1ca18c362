"""Values that are fitted to matches of simple bots."""

import msgspec
import numpy as np
import pytest

from liarsdice.analysis import fitted_values as sampling
from liarsdice.analysis.fitted_values import (
    BIDDER,
    DIFFERENCE,
    FITTED_ERROR,
    HANDS,
    MIN_MATCHES,
    NEXT,
    ON_TURN,
    OPENS,
    ROOM,
    STAKES,
    TYPICAL_BETWEEN,
    TYPICAL_IN_ROUND,
    FittedValues,
    features_between,
    features_in_round,
    fit_weights,
    fitted_round_end_values,
    fitted_values,
    sampled_matches,
    softmax_shares,
)
from liarsdice.analysis.state_valuer import StateValuer
from liarsdice.bots.neural.playouts import round_end_of
from liarsdice.core.actions import Deal
from liarsdice.core.engine.engine import decide, evolve_all
from liarsdice.core.engine.state import Phase
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Direction, ShedBy
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.values.round_ends import RoundEnd
from tests.bots.positions import dealt_state

LIVES = preset("chui-niu+lives").ruleset


@pytest.fixture(scope="module")
def values() -> FittedValues:
    return fitted_values(LIVES, 3)


def test_who_has_more_lives_wins_more_and_who_is_out_wins_nothing(values: FittedValues) -> None:
    shares = values.after_round((3, 1, 0), 0, Direction.CLOCKWISE, 4)
    assert shares.sum() == pytest.approx(1)
    assert shares[0] > 0.6 > shares[1] > shares[2] == 0


def test_the_bidder_of_a_false_bid_wins_less(values: FittedValues) -> None:
    hands = ((2, 2, 3, 4, 5), (2, 3, 4, 5, 6), (3, 4, 5, 6, 6))
    false, true = (dealt_state(LIVES, hands, (Bid(quantity, 6),)) for quantity in (5, 3))
    assert values.in_round([false])[0, 0] < values.in_round([true])[0, 0]


def test_the_same_rules_give_the_same_values() -> None:
    bar = preset("bar-strict").ruleset
    first, second = (next(sampled_matches(bar, 2)) for _ in range(2))
    assert first.states == second.states
    assert first.shares.tolist() == second.shares.tolist()


def test_luck_has_mean_zero_over_all_deals_and_rolls(values: FittedValues) -> None:
    rules = preset("bluff+show-dice").ruleset
    valuer = StateValuer(values=fitted_values(rules, 2))
    shown = next(
        state for match in sampled_matches(rules, 2) for state in match.states if state.phase is Phase.ROLL_AGAIN
    )
    share, variance = valuer.value(shown)
    assert share.sum() == pytest.approx(1)
    assert not variance.any()
    between = next(state for match in sampled_matches(LIVES, 3) for state in match.states if state.phase is Phase.DEAL)
    sampling = StateValuer(3, deals=400, values=values)
    expected, error = sampling.value(between)
    rng = np.random.default_rng(1)
    dealt = [
        evolve_all(between, decide(between, None, Deal(tuple(tuple(map(int, hand)) for hand in hands))))
        for hands in rng.integers(1, 7, (400, 3, 5))
    ]
    mean = values.in_round(dealt).mean(axis=0)
    assert np.abs(mean - expected).max() < 5 * np.sqrt(2 * error.max())


def test_a_fit_finds_the_weights_that_made_the_shares() -> None:
    rng = np.random.default_rng(2)
    features, is_in = rng.normal(size=(4000, 3, 2)), np.ones((4000, 3), np.bool_)
    is_in[::3, 2] = False
    weights = np.array([0.8, -0.5])
    found = fit_weights(features, softmax_shares(features, weights, is_in), is_in, np.zeros(2))
    assert found == pytest.approx(weights, abs=0.03)


def test_few_long_matches_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a match has thousands of states, a fit to as many matches as elsewhere would take minutes."""
    rules = patched(preset("chui-niu+lives").ruleset, loss__lives=20)
    monkeypatch.setattr("liarsdice.analysis.fitted_values.MAX_STATES", 1_000)
    lengths = [len(match.states) for match in sampled_matches(rules, 4)]
    assert sum(lengths[:-1]) < 1_000 <= sum(lengths)
    assert len(lengths) < MIN_MATCHES


def test_the_end_of_a_match_is_certain_and_the_rest_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "MIN_MATCHES", 20)
    monkeypatch.setattr(sampling, "MIN_STATES", 100)
    fitted_values.cache_clear()
    values = fitted_round_end_values(preset("chui-niu+lives").ruleset, 2)
    over = RoundEnd((0, 0), -1, -1, 1, (0, 0), (False, False), 0, (False, True))
    goes_on = over._replace(dice=(3, 1), starter=1, round_number=2, winners=None)
    shares, variances = values.shares([goes_on, over]), values.variances([goes_on, over])
    assert shares[1].tolist() == [0.0, 1.0]
    assert variances[1].tolist() == [0.0, 0.0]
    assert shares[0].sum() == pytest.approx(1)
    assert shares[0, 0] > 0.65
    assert ((variances[0] > 0) & (variances[0] <= FITTED_ERROR**2)).all()
    fitted_values.cache_clear()


HANDS_OF_TWO = ((2, 2, 2, 2, 3), (3, 4, 5, 6, 6))


def test_what_is_left_and_who_opens_is_known_between_rounds() -> None:
    features = features_between(LIVES, (3, 0, 1), 2, Direction.CLOCKWISE, 4)
    assert features[:, STAKES].tolist() == [np.log(3), 0.0, 0.0]
    assert features[0, DIFFERENCE] == -features[2, DIFFERENCE] > 0 == features[1, DIFFERENCE]
    assert features[:, OPENS].tolist() == [0.0, 0.0, 1.0]
    assert features[:, NEXT].tolist() == [1 / 3, 0.0, 0.0]


def test_lives_that_never_run_out_count_by_their_difference() -> None:
    bar = preset("bar-strict").ruleset
    early, late = (features_between(bar, (100, 98), 0, Direction.CLOCKWISE, number) for number in (0, 19))
    assert early[0, STAKES] == late[0, STAKES] == 0
    assert 0 < early[0, DIFFERENCE] < late[0, DIFFERENCE]


def test_a_bid_is_known_to_be_true_or_false() -> None:
    true, false = (features_in_round(dealt_state(LIVES, HANDS_OF_TWO, (Bid(q, 2),))) for q in (4, 6))
    assert np.flatnonzero(true[0, BIDDER : BIDDER + 5]).tolist() == [2]
    assert np.flatnonzero(false[0, BIDDER : BIDDER + 5]).tolist() == [0]
    assert np.flatnonzero(false[1, ON_TURN : ON_TURN + 5]).tolist() == [0]
    assert not true[:, HANDS].any()


def test_room_is_a_true_bid_that_is_legal() -> None:
    with_room, without = (features_in_round(dealt_state(LIVES, HANDS_OF_TWO, (bid,))) for bid in (Bid(2, 4), Bid(5, 6)))
    assert with_room[1, ROOM] > 0 == without[1, ROOM]


def test_alike_dice_stand_out_before_any_bid() -> None:
    features = features_in_round(dealt_state(LIVES, HANDS_OF_TWO))
    assert features[0, HANDS][0] > features[1, HANDS][0] > 0


def test_where_players_shed_the_fewest_dice_win_and_who_is_safe_first_has_won() -> None:
    rules = patched(preset("basic").ruleset, loss__shed_by=ShedBy.WINNER)
    values = FittedValues(rules, np.array(TYPICAL_BETWEEN), np.array(TYPICAL_IN_ROUND))
    assert values.after_round((1, 5, 5), 0, Direction.CLOCKWISE, 1)[0] > 0.9
    state = dealt_state(rules, ((2,), (3, 3), (4,)))
    assert values.in_round([state])[0].argmin() == 1
    safe = msgspec.structs.replace(state, dice=(0, 2, 1), safe=((0, 1),), turn=1, starter=1)
    assert values.in_round([safe])[0].tolist() == [1, 0, 0]
    assert round_end_of(safe).winners == (True, False, False)
