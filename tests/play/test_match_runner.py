"""Whole matches between bots: every preset, calls out of turn, the same match from the same seed, and faults."""

import json
from pathlib import Path

import msgspec
import pytest

from liarsdice.bots.registry import make_bot
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.engine import start
from liarsdice.core.engine.view import View
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.events import Challenged, DiceLost, Eliminated, StarterRolled
from liarsdice.core.records.record import read_record
from liarsdice.core.rules.choices import ShedBy
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.play.match import Dealer
from liarsdice.play.match_runner import elimination_rounds, final_places, place_shares, play_match, seats_by_place

PLACE_CASES = Path(__file__).parents[1] / "golden" / "place_cases.jsonl"


@pytest.mark.parametrize("name", preset_names())
def test_a_match_under_every_preset_is_played_to_its_end(name: str) -> None:
    result = play_match(preset(name).ruleset, ["threshold", "greedy", "inference"], seed=1)
    assert result.match.is_over
    assert result.faults == ()
    assert min(result.places) == 1
    assert all(result.places[seat] == 1 for seat in result.winners)


def test_bots_may_call_out_of_turn_and_the_start_is_rolled_for() -> None:
    results = [
        play_match(preset("official").ruleset, ["random", "random", "threshold"], seed=seed) for seed in range(5)
    ]
    events = [event for result in results for event in result.events]
    assert any(isinstance(event, Challenged) and event.out_of_turn for event in events)
    assert any(isinstance(event, StarterRolled) for event in events)


def test_the_same_seed_gives_the_same_match() -> None:
    rules = preset("perudo").ruleset
    first, again, other = (play_match(rules, ["random", "threshold"], seed=seed) for seed in (1, 1, 2))
    assert first.events == again.events
    assert first.events != other.events


def test_a_dealer_of_ones_own_rolls_the_dice() -> None:
    rules, bots = preset("perudo").ruleset, ["threshold", "greedy"]
    first, again = (play_match(rules, bots, dealer=Dealer("mine")) for _ in range(2))
    assert first.events == again.events


def test_a_bot_that_commits_faults_loses_and_the_result_says_so() -> None:
    class Silent:
        def act(self, _: View) -> PlayerAction | None:
            return None

    result = play_match(preset("perudo").ruleset, [Silent(), "threshold"], ["Ann", "Bo"], seed=1)
    assert result.winners == (1,)
    assert {fault.seat for fault in result.faults} == {0}
    assert result.fault_texts[0].startswith("fault of Ann in round 1: it gave no answer on its turn")


def test_players_are_numbered_unless_they_are_named() -> None:
    rules = preset("perudo").ruleset
    assert play_match(rules, ["threshold"] * 2, seed=1).match.state.names == ("Player 1", "Player 2")
    assert play_match(rules, ["threshold"] * 2, ["Ann", "Bo"], seed=1).match.state.names == ("Ann", "Bo")


def test_bots_and_names_that_do_not_fit_are_refused() -> None:
    rules = preset("basic").ruleset
    with pytest.raises(MalformedError, match="each of 2 bots needs a name; 1 came"):
        play_match(rules, ["threshold"] * 2, ["Ann"])
    with pytest.raises(MalformedError, match="seats 2 to 5 players, not 6"):
        play_match(patched(rules, players__max=5), ["threshold"] * 6)
    with pytest.raises(UnavailableError, match="no bot is called 'nobody'"):
        play_match(rules, ["threshold", "nobody"])


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


@pytest.mark.parametrize("shed_by", ShedBy)
def test_where_winners_put_dice_away_the_first_to_be_safe_wins_and_the_last_with_dice_comes_last(
    shed_by: ShedBy,
) -> None:
    rules = patched(preset("basic").ruleset, dice__per_player=3, loss__shed_by=shed_by)
    for seed in range(5):
        result = play_match(rules, ["threshold"] * 4, seed=seed)
        rounds = elimination_rounds(result.events)
        assert len(rounds) == 3
        (last,) = set(range(4)) - set(rounds)
        assert result.places[last] == 4
        assert [result.places[seat] for seat in rounds] == [
            1 + sum(other < number for other in rounds.values()) for number in rounds.values()
        ]


def test_where_winners_put_dice_away_a_survivor_of_the_last_round_with_fewer_is_placed_before() -> None:
    rules = patched(preset("basic").ruleset, guards__max_rounds=2, loss__shed_by=ShedBy.WINNER)
    result = play_match(rules, ["threshold"] * 3, seed=1)
    dice = result.match.state.dice
    assert list(result.places) == [1 + sum(other < held for other in dice) for held in dice]


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


def test_places_are_the_golden_ones_that_the_page_finds_too() -> None:
    """Replays without a server find the places in the page (`web/src/history/history.test.ts`)."""
    cases = [json.loads(line) for line in PLACE_CASES.read_text(encoding="utf-8").splitlines()]
    assert len(cases) >= 4
    for case in cases:
        record = read_record(case["record"])
        assert list(final_places(record.state, elimination_rounds(record.events))) == case["places"]
