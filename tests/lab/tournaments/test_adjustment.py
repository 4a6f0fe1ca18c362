"""Adjusted results of an arena."""

from collections import Counter
from itertools import chain, product

import numpy as np
import pytest

from liarsdice.bots.protocol import Bot
from liarsdice.bots.registry import bot_names, make_bot
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.play.match import Dealer, Match
from liarsdice.play.match_runner import play_match
from liarsdice.play.referee import Referee
from liarsdice_lab.tournaments.adjustment import (
    AdjustableMatch,
    adjusted_results,
    adjusted_shares,
    can_play_again,
    match_adjustment,
    move_probs,
    playout_adjustment,
    policies_of,
)
from liarsdice_lab.tournaments.arena import make_arena, play_deal
from tests.bots.positions import position

DRAWS = 3000


def test_chance_sums_to_zero_over_seats_and_depends_on_known_probabilities() -> None:
    bots = [make_bot("regular", 1), make_bot("random", 2)]
    match = play_match(preset("basic").ruleset, bots, seed=3)
    policies = policies_of(bots)
    assert set(policies) == {0, 1}
    adjusted = match_adjustment(match.events, policies, 1)
    assert adjusted.sum() == pytest.approx(0, abs=1e-9)
    assert not np.allclose(adjusted, match_adjustment(match.events, {}, 1))


def test_the_drawn_action_of_a_bot_that_never_draws_is_no_chance() -> None:
    match = play_match(preset("basic").ruleset, ["threshold", "novice"], seed=3)
    policies = policies_of([make_bot("threshold"), make_bot("novice")])
    with_policies = match_adjustment(match.events, policies, 1)
    assert with_policies == pytest.approx(match_adjustment(match.events, {}, 1))


def test_adjustment_takes_known_chance_out_and_keeps_the_mean() -> None:
    rng = np.random.default_rng(1)
    luck = rng.normal(0, 0.4, 4000)
    results = np.clip(0.6 + 0.8 * luck + rng.normal(0, 0.1, 4000), -5, 5)
    shares = adjusted_shares(
        [
            AdjustableMatch(deal, (0, 1), (result, 1 - result), (gained, -gained))
            for deal, (result, gained) in enumerate(zip(results.tolist(), luck.tolist(), strict=True))
        ],
        3,
    )
    first, second, absent = shares
    assert first is not None
    assert second is not None
    assert absent is None
    assert first.share_95[0] < 0.6 < first.share_95[1]
    assert first.share + second.share == pytest.approx(1)
    assert first.variance_ratio > 5


def test_useless_adjustments_do_not_change_shares_much() -> None:
    rng = np.random.default_rng(2)
    results = rng.random(1000)
    matches = [
        AdjustableMatch(deal, (0, 1), (result, 1 - result), (0.0, 0.0)) for deal, result in enumerate(results.tolist())
    ]
    shares = adjusted_shares(matches, 2)
    assert shares[0] is not None
    assert shares[0].share == pytest.approx(results.mean())
    assert shares[0].variance_ratio == pytest.approx(1)


def test_the_referee_takes_every_move_as_often_as_is_said() -> None:
    state = position(preset("official").ruleset, ((1, 4, 4), (2, 2, 3), (3, 5, 6)), "2x4")
    names = ("novice", "regular", "random")
    probs = move_probs(state, policies_of([make_bot(name, 0) for name in names]))
    assert sum(probs.values()) == pytest.approx(1)
    assert {seat for seat, _ in probs} > {state.turn}  # calls out of turn, too
    match = Match(state.ruleset, state.names, Dealer(1))
    match.state = state
    bots = {seat: make_bot(name, seat) for seat, name in enumerate(names)}
    taken = Counter(Referee(match, bots).next_action() for _ in range(DRAWS))
    for move, prob in probs.items():
        error = np.sqrt(prob * (1 - prob) / DRAWS)
        assert taken[move] / DRAWS == pytest.approx(prob, abs=5 * error + 1e-9), move


def test_adjustments_that_explain_nothing_hardly_add_to_the_variance_of_bots_that_met_in_few_matches() -> None:
    rng = np.random.default_rng(3)
    seatings = [(pair, pair + 1) for pair in range(0, 200, 2) for _ in range(6)]
    results = [(1.0, 0.0) if rng.random() < 0.5 else (0.0, 1.0) for _ in seatings]
    adjustments = [(gained, -gained) for gained in rng.normal(0, 0.2, len(seatings)).tolist()]
    matches = map(AdjustableMatch, range(len(seatings)), seatings, results, adjustments)
    adjusted = np.array(adjusted_results([*matches]))
    raw = np.array(results)
    assert (adjusted != raw).any()
    assert ((adjusted - 0.5) ** 2).mean() < 1.15 * ((raw - 0.5) ** 2).mean()


def test_the_slope_of_many_matches_is_nearly_the_one_that_they_have() -> None:
    rng = np.random.default_rng(4)
    gains = rng.normal(0, 0.3, 400)
    matches = [
        AdjustableMatch(deal, (0, 1), (0.5 + gain, 0.5 - gain), (gain, -gain))
        for deal, gain in enumerate(gains.tolist())
    ]
    adjusted = np.array(adjusted_results(matches))
    assert np.abs(adjusted - 0.5).max() < 0.1 * np.abs(gains).max()


def test_rounds_that_were_played_again_have_a_slope_before_any_match() -> None:
    played_again = AdjustableMatch(0, (0, 1), (1.0, 0.0), (0.5, -0.5), 4)
    valued = AdjustableMatch(1, (0, 1), (0.0, 1.0), (-0.25, 0.25))
    by_playouts, by_values = adjusted_results([played_again, valued])
    assert by_playouts == pytest.approx([1 - 0.5 * 4 / 5, 0.5 * 4 / 5])
    assert by_values == pytest.approx([0, 1])  # no other match to learn a slope from


@pytest.mark.parametrize("true_slope", [0.0, 0.9])
def test_wrong_values_after_rounds_do_not_keep_their_slope(true_slope: float) -> None:
    rng = np.random.default_rng(5)
    gains = rng.normal(0, 0.3, 400)
    matches = [
        AdjustableMatch(deal, (0, 1), (0.5 + true_slope * gain, 0.5 - true_slope * gain), (gain, -gain), 9)
        for deal, gain in enumerate(gains.tolist())
    ]
    adjusted = np.array(adjusted_results(matches))
    assert np.abs(adjusted - 0.5).max() < 0.05 * np.abs(gains).max()


BASIC = preset("basic").ruleset
ONE_DIE = patched(BASIC, dice__per_player=1)


class ListedSource:
    """Draws the numbers of a list, one after the other."""

    def __init__(self, numbers: list[int]) -> None:
        self._numbers = iter(numbers)

    def draw_integers(self, label: str, below: int, count: int) -> tuple[int, ...]:
        """Return the next `count` numbers."""
        drawn = tuple(next(self._numbers) for _ in range(count))
        assert all(0 <= number < below for number in drawn), label
        return drawn


class Nameless:
    """A bot that does not name the probabilities of its moves."""

    def act(self, view: View) -> PlayerAction | None:
        """Return the first legal move."""
        return view.moves[0] if view.on_turn else None


def test_the_mean_over_all_that_may_happen_is_zero() -> None:
    names = ["threshold", "novice"]
    draws = [*product(range(2), range(6), range(6))]  # who starts, and the die of each player
    every = [*chain.from_iterable(draws)]
    found = []
    for draw in draws:
        match = play_match(ONE_DIE, names, dealer=Dealer(source=ListedSource([*draw])))
        bots = [make_bot(name) for name in names]
        found.append(playout_adjustment(match.events, bots, Dealer(source=ListedSource(every)), len(draws)))
    assert np.abs(found).max() > 0.2
    assert np.mean(found, axis=0) == pytest.approx(0, abs=1e-9)


def test_a_round_is_explained_by_chance_where_nothing_else_decides_it() -> None:
    draws = [*product(range(2), range(6), range(6))]
    every = [*chain.from_iterable(draws)]
    match = play_match(ONE_DIE, ["threshold", "novice"], dealer=Dealer(source=ListedSource([0, 2, 5])))
    won = np.bincount(match.winners, minlength=2)
    wins = np.zeros(2)
    for draw in draws:
        other = play_match(ONE_DIE, ["threshold", "novice"], dealer=Dealer(source=ListedSource([*draw])))
        wins += np.bincount(other.winners, minlength=2)
    bots = [make_bot("threshold"), make_bot("novice")]
    given = playout_adjustment(match.events, bots, Dealer(source=ListedSource(every)), len(draws))
    assert won - given == pytest.approx(wins / len(draws))


def test_few_copies_leave_the_mean_of_bots_that_draw_their_moves_at_zero() -> None:
    names = ["regular", "random"]
    given = []
    for number in range(400):
        match = play_match(patched(BASIC, dice__per_player=2), names, seed=f"match {number}")
        bots = [make_bot(name, f"again {number} {name}") for name in names]
        given.append(playout_adjustment(match.events, bots, Dealer(f"again {number}"), 1)[0])
    assert abs(np.mean(given)) < 4 * np.std(given) / np.sqrt(len(given))
    assert np.std(given) > 0.2


def test_results_vary_much_less() -> None:
    arena = make_arena(BASIC, ["regular", "regular"], seed=4, adjusted=True, playouts=8)
    matches = [play_deal(arena, number).matches[0] for number in range(60)]
    assert {match.playouts for match in matches} == {8}
    adjusted = adjusted_results(
        [AdjustableMatch(deal, m.seating, m.win_shares, m.adjustment, 8) for deal, m in enumerate(matches)]
    )
    first_bot = [match.seating.index(0) for match in matches]
    raw = np.var([match.win_shares[seat] for match, seat in zip(matches, first_bot, strict=True)])
    assert raw > 4 * np.var([result[seat] for result, seat in zip(adjusted, first_bot, strict=True)])


def test_the_same_seed_plays_the_same_copies() -> None:
    arena = make_arena(BASIC, ["regular", "random"], seed=4, duplicate=True, adjusted=True, playouts=2)

    def chance() -> list[tuple[float, ...]]:
        return [match.adjustment for match in play_deal(arena, 3).matches]

    assert chance() == chance()
    assert len({*chance()}) == 2


def test_bots_that_name_no_probabilities_do_not_play_again() -> None:
    assert can_play_again([make_bot(name, 0) for name in bot_names()])
    assert not can_play_again([make_bot("threshold"), Nameless()])
    arena = make_arena(BASIC, ["threshold", "novice"], seed=4, adjusted=True, playouts=8)

    def make(name: str, seed: str) -> Bot:
        return Nameless() if name == "novice" else make_bot(name, seed)

    (match,) = play_deal(arena, 0, make_bot=make).matches
    assert match.playouts == 0
    assert any(match.adjustment)


def test_an_arena_that_is_not_adjusted_plays_nothing_again() -> None:
    arena = make_arena(BASIC, ["threshold", "novice"], playouts=8)
    assert arena.playouts == 0
    (match,) = play_deal(arena, 0).matches
    assert match.adjustment == ()
    assert match.playouts == 0
