"""The adaptive champion: it leans towards the network against plain opponents, by a bounded step, and forgets."""

from __future__ import annotations

import msgspec
import pytest

from liarsdice.bots.neural.champion import Champion, champion_network
from liarsdice.bots.neural.champions import (
    LEANING_MIN_PROB_RATIO,
    MAX_LEAN,
    AdaptiveChampion,
    SeenRound,
    adaptive_champion,
    decisions_of,
    make_champion,
)
from liarsdice.bots.registry import make_bot
from liarsdice.core.actions import Challenge
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import Hand
from liarsdice.play.match_runner import play_match
from liarsdice.solve.round_game import with_faces
from liarsdice.values.blueprints import packaged_blueprints
from tests.bots.positions import dealt_state

PERUDO = preset("perudo").ruleset
HANDS = ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6))
AFTER_A_BID = view(dealt_state(PERUDO, HANDS, (Bid(3, 6),)), 1)


class Certain:
    """Evidence that the opponent is plain, or that it is not, whatever it does."""

    def __init__(self, p_plain: float) -> None:
        self.p_plain = p_plain

    def add_round(self, seen: SeenRound, opponent: int, hands: tuple[Hand, ...]) -> None:
        """Nothing changes."""


def sure_of(p_plain: float) -> AdaptiveChampion:
    return AdaptiveChampion(champion_network(), 1, blueprints=packaged_blueprints(), evidence=Certain(p_plain))


def lean_after(opponent: str, seed: int) -> float:
    """Return the lean of an adaptive champion after a match against an opponent."""
    bot = adaptive_champion(seed=f"adaptive {seed}")
    result = play_match(PERUDO, [bot, make_bot(opponent, f"opponent {seed}")], seed=seed)
    assert result.faults == ()
    return bot.lean


@pytest.mark.parametrize("opponent", ["inference", "threshold:0.4", "novice", "regular"])
def test_it_leans_towards_the_network_against_players_who_go_by_odds(opponent: str) -> None:
    assert all(lean_after(opponent, seed) > 0.8 * MAX_LEAN for seed in range(3))


@pytest.mark.parametrize("opponent", ["champion", "champion@5"])
def test_it_stays_balanced_against_champions(opponent: str) -> None:
    assert all(lean_after(opponent, seed) < 0.1 * MAX_LEAN for seed in range(3))


def test_before_the_first_round_it_plays_as_the_champion() -> None:
    bot = adaptive_champion()
    assert bot.lean == 0
    assert bot.action_probs(AFTER_A_BID) == pytest.approx(make_champion().action_probs(AFTER_A_BID))


def test_the_step_from_balanced_play_is_bounded() -> None:
    """Whatever it takes the opponent for, every move keeps its share of the blueprint's probability."""
    balanced = make_champion().action_probs(AFTER_A_BID)
    network = champion_network().with_min_prob_ratio(LEANING_MIN_PROB_RATIO)
    leaning = Champion(network).action_probs(AFTER_A_BID)
    probs = sure_of(1.0).action_probs(AFTER_A_BID)
    assert set(probs) == set(balanced) | set(leaning)
    for move, prob in probs.items():
        assert prob == pytest.approx((1 - MAX_LEAN) * balanced.get(move, 0) + MAX_LEAN * leaning.get(move, 0))
    assert balanced != pytest.approx(probs)


def test_probabilities_of_many_hands_are_those_of_each() -> None:
    bot, hands = sure_of(0.5), ((1, 2, 2, 3, 3), (4, 4, 5, 6, 6))
    actions = AFTER_A_BID.moves
    probs = bot.probs_by_hand([AFTER_A_BID], hands, actions)[0]
    for column, hand in enumerate(hands):
        named = bot.action_probs(msgspec.structs.replace(AFTER_A_BID, hand=hand))
        assert probs[:, column] == pytest.approx([named.get(action, 0.0) for action in actions], abs=1e-6)


def test_the_same_seed_gives_the_same_match() -> None:
    first, second = (play_match(PERUDO, ["champion:adaptive", "inference"], seed=3).events for _ in range(2))
    assert first == second


@pytest.mark.parametrize("rules, seats", [("perudo", 3), ("joker", 2), ("official", 3), ("openspiel", 2), ("chart", 2)])
def test_it_plays_whole_matches_without_faults(rules: str, seats: int) -> None:
    result = play_match(preset(rules).ruleset, ["champion:adaptive", *["threshold"] * (seats - 1)], seed=5)
    assert result.faults == ()


def test_it_plays_dice_that_its_network_does_not_know_without_faults() -> None:
    """Blueprints that are computed at the table know dice of eight faces."""
    bot = adaptive_champion(seed=1)
    bot.compute_blueprints()
    rules = patched(with_faces(PERUDO, 8), dice__per_player=3)
    result = play_match(rules, [bot, make_bot("inference")], seed=1)
    assert result.rounds > 1
    assert result.faults == ()
    assert bot.lean == 0


def learned_bot() -> tuple[AdaptiveChampion, View]:
    """Return a bot that has learned in a match, and the view of its latest move."""
    bot, views = adaptive_champion(seed=1), []
    learn = bot.act

    def act(shown: View) -> object:
        views.append(shown)
        return learn(shown)

    bot.act = act  # type: ignore[method-assign, assignment]
    play_match(PERUDO, [bot, make_bot("inference")], seed=1)
    bot.act = learn  # type: ignore[method-assign]
    return bot, views[-1]


@pytest.mark.parametrize("change", ["a round before", "other names", "other bids in the same round"])
def test_it_forgets_the_opponent_when_another_match_begins(change: str) -> None:
    bot, last = learned_bot()
    assert bot.lean > 0
    assert last.round_number > 1
    same_round = msgspec.structs.replace(AFTER_A_BID, round_number=last.round_number, names=last.names)
    changes: dict[str, dict[str, object]] = {
        "a round before": {"round_number": 1},
        "other names": {"names": ("A", "C")},
        "other bids in the same round": {"bids": ((1 - (last.seat or 0), Bid(1, 2)),)},
    }
    bot.act(msgspec.structs.replace(same_round, **changes[change]))
    assert bot.lean == 0


def test_a_call_is_a_decision_of_who_was_asked_last() -> None:
    """The first bids 3x6 and then 4x1, and is challenged: two decisions of the second, the latter a call."""
    shown = view(dealt_state(PERUDO, HANDS, (Bid(3, 6), Bid(3, 1))), 0)
    (first, bid), (second, call) = decisions_of(SeenRound(shown, Bid(4, 1)), 1, HANDS)
    assert (bid, call) == (Bid(3, 1), None)
    assert (first.hand, second.hand) == (HANDS[1], HANDS[1])
    assert (first.bid, second.bid) == (Bid(3, 6), Bid(4, 1))
    assert second.on_turn
    assert second.may_challenge
    own_call = SeenRound(shown, Challenge())
    assert [made for _, made in decisions_of(own_call, 1, HANDS)] == [Bid(3, 1)]


def test_baselines_do_not_adapt() -> None:
    assert isinstance(make_bot("champion@11:adaptive"), AdaptiveChampion)
    with pytest.raises(MalformedError, match="champion@7 takes no parameter"):
        make_bot("champion@7:adaptive")
    with pytest.raises(MalformedError, match="adaptive"):
        make_bot("champion:shy")
