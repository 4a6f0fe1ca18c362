"""The master: whom it takes for a champion, and what it does then."""

import pickle

import msgspec
import pytest

from liarsdice.bots.neural.champions import make_champion
from liarsdice.bots.neural.hunter import MIN_TRUST
from liarsdice.bots.neural.master import Master
from liarsdice.bots.registry import make_bot
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match
from tests.bots.positions import dealt_state

PERUDO = preset("perudo").ruleset
HANDS = ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6), (1, 4, 4, 5, 6))


class Watched(Master):
    """A master whose trust is written down at each of its turns among three or more."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed, budget=10)
        self.trusts: list[float] = []

    def act(self, view: View) -> PlayerAction | None:
        """Play on, and note the trust."""
        move = super().act(view)
        if self._searches(view):
            self.trusts.append(self.trust(view))
        return move


def watched(opponents: list[str], seed: int = 1) -> Watched:
    """Return a master after a match."""
    bot = Watched(seed)
    result = play_match(PERUDO, [bot, *(make_bot(name, f"{name} {seed}") for name in opponents)], seed=seed)
    assert result.faults == ()
    return bot


def test_it_looks_ahead_once_all_others_have_played_as_champions() -> None:
    trusts = watched(["champion", "champion"]).trusts
    assert trusts[0] == 0
    assert max(trusts) > 0.9


@pytest.mark.parametrize("other", ["inference", "threshold:0.4", "novice", "regular", "greedy"])
def test_one_other_player_is_enough_to_play_as_the_champion(other: str) -> None:
    trusts = watched(["champion", other]).trusts
    assert trusts[-1] < MIN_TRUST


def test_nothing_is_played_out_before_the_first_hands_were_shown() -> None:
    shown = view(dealt_state(PERUDO, HANDS), 0)
    for seed in range(5):
        assert Master(seed).act(shown) == make_champion(seed).act(shown)


def test_a_bot_that_is_given_the_notes_of_another_goes_on_from_there() -> None:
    first, second = watched(["champion", "champion"]), Master(2)
    second.notes = pickle.loads(pickle.dumps(first.notes))  # noqa: S301  our own
    shown = view(dealt_state(PERUDO, HANDS), 0)
    assert second.trust(shown) == first.trust(shown) > MIN_TRUST
    assert second.action_probs(shown) != pytest.approx(make_champion().action_probs(shown))


def test_it_forgets_the_others_when_another_match_begins() -> None:
    bot = watched(["champion", "champion"])
    assert bot.notes.weights
    bot.act(msgspec.structs.replace(view(dealt_state(PERUDO, HANDS), 0), names=("A", "B", "C")))
    assert not bot.notes.weights


def test_the_same_seed_gives_the_same_match() -> None:
    first, second = (play_match(PERUDO, ["master", "champion", "sharp"], seed=3).events for _ in range(2))
    assert first == second


@pytest.mark.parametrize("rules", ["official", "joker", "openspiel", "chart", "snyd-stairs", "chui-niu+lives", "cacho"])
def test_it_plays_whole_matches_without_faults(rules: str) -> None:
    assert play_match(preset(rules).ruleset, [Master(5, budget=5), *["champion"] * 2], seed=5).faults == ()
