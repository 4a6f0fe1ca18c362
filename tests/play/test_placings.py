"""Final places: the order of elimination, survivors by their dice, and shared places."""

from __future__ import annotations

import msgspec
import pytest

from liarsdice.bots.registry import make_bot
from liarsdice.core.engine.engine import start
from liarsdice.core.events import DiceLost, Eliminated
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import elimination_rounds, final_places, place_shares, play_match, seats_by_place

PERUDO = preset("perudo").ruleset


def test_places_are_those_of_elimination_and_the_winner_is_first() -> None:
    for seed in range(5):
        result = play_match(PERUDO, [make_bot("threshold", seat) for seat in range(4)], seed=seed)
        eliminated = [event.seat for event in result.events if isinstance(event, Eliminated)]
        assert [result.places.index(place) for place in (4, 3, 2)] == eliminated
        assert result.places[result.winners[0]] == 1


def test_champions_play_for_lives_to_the_end_without_a_misplay() -> None:
    rules = preset("chui-niu+lives").ruleset
    result = play_match(rules, ["champion", "champion", "inference"], seed=1)
    assert sorted(result.places) == [1, 2, 3]
    assert sum(left > 0 for left in result.match.state.lives) == 1
    assert not any(isinstance(event, DiceLost) for event in result.events)


def test_a_survivor_of_the_last_round_with_fewer_lives_is_placed_behind() -> None:
    rules = patched(preset("basic").ruleset, guards__max_rounds=2, loss__lives=5)
    result = play_match(rules, ["threshold"] * 3, seed=1)
    lives = result.match.state.lives
    assert set(result.match.state.dice) == {rules.dice.per_player}
    assert [result.places[seat] for seat in range(3)] == [1 + sum(other > left for other in lives) for left in lives]


def test_a_survivor_of_the_last_round_with_fewer_dice_is_placed_behind() -> None:
    rules = patched(preset("basic").ruleset, guards__max_rounds=2)
    result = play_match(rules, ["threshold"] * 3, seed=1)
    dice = result.match.state.dice
    assert sorted(result.places) == sorted(1 + sum(more > held for more in dice) for held in dice)


@pytest.mark.parametrize(
    "dice, winners, eliminated_in, places",
    [
        ((0, 3, 0, 0), (1,), {0: 4, 2: 7, 3: 7}, (4, 1, 2, 2)),
        ((2, 2, 1, 0), (0, 1), {3: 1}, (1, 1, 3, 4)),
        ((0, 0, 0, 0), (2, 3), {0: 1, 1: 2, 2: 2, 3: 2}, (4, 3, 1, 1)),
    ],
)
def test_seats_share_a_place_where_nothing_tells_them_apart(
    dice: tuple[int, ...], winners: tuple[int, ...], eliminated_in: dict[int, int], places: tuple[int, ...]
) -> None:
    state = msgspec.structs.replace(start(PERUDO, ["Ann", "Bo", "Cy", "Di"]), dice=dice, winners=winners)
    assert final_places(state, eliminated_in) == places
    assert seats_by_place(places)[0] == winners


def test_shared_places_are_divided() -> None:
    assert place_shares((1, 1, 3), 0) == (0.5, 0.5, 0.0)
    assert place_shares((1, 1, 3), 2) == (0.0, 0.0, 1.0)


def test_the_round_of_an_elimination_is_the_one_in_progress() -> None:
    result = play_match(PERUDO, ["threshold"] * 3, seed=3)
    rounds = elimination_rounds(result.events)
    assert len(rounds) == 2
    assert max(rounds.values()) == result.rounds
