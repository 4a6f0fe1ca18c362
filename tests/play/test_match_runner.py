"""Whole matches between bots: every preset, calls out of turn, the same match from the same seed, and faults."""

from __future__ import annotations

import pytest

from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.events import Challenged, StarterRolled
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.play.match import Dealer
from liarsdice.play.match_runner import play_match


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
    with pytest.raises(MalformedError, match="2 bots need 2 names, not 1"):
        play_match(rules, ["threshold"] * 2, ["Ann"])
    with pytest.raises(MalformedError, match="seats 2 to 5 players, not 6"):
        play_match(patched(rules, players__max=5), ["threshold"] * 6)
    with pytest.raises(UnavailableError, match="no bot is called 'nobody'"):
        play_match(rules, ["threshold", "nobody"])
