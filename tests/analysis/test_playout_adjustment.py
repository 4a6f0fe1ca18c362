"""What chance gave each seat, by rounds that bots play again."""

from __future__ import annotations

from itertools import chain, product

import numpy as np
import pytest

from liarsdice.analysis.adjustment import adjusted_results, can_play_again, playout_adjustment
from liarsdice.analysis.arena import make_arena, play_deal
from liarsdice.bots.protocol import Bot
from liarsdice.bots.registry import bot_names, make_bot
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.play.match import Dealer
from liarsdice.play.match_runner import play_match

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
    results = [[float(place == 1) for place in match.places] for match in matches]
    seatings, given = [match.seating for match in matches], [match.adjustment for match in matches]
    adjusted = adjusted_results(seatings, results, given, [*range(60)], [8] * 60)
    first_bot = [seating.index(0) for seating in seatings]
    raw = np.var([result[seat] for result, seat in zip(results, first_bot, strict=True)])
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
