"""The searcher: it stays near the champion's play, and moves towards what wins in playouts."""

from __future__ import annotations

from math import log

import pytest

from liarsdice.bots.neural import hunter
from liarsdice.bots.neural.champion import Champion, champion_network
from liarsdice.bots.neural.hunter import MIN_PROB_RATIO, PLAYOUTS, TEMPERATURE, Searcher, stepped
from liarsdice.core.actions import Challenge, PlayerAction
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.values.playouts import copies_of
from tests.bots.positions import dealt_state, position

PERUDO = preset("perudo").ruleset
NETWORK = champion_network()
THREE_HANDS = ((1, 4, 4), (2, 2, 3), (3, 5, 6))


def searcher(seed: int = 7) -> Searcher:
    return Searcher(Champion(NETWORK, seed), seed)


def test_moves_of_equal_value_keep_their_probabilities() -> None:
    priors: dict[PlayerAction, float] = {Bid(2, 4): 0.6, Challenge(): 0.2}
    probs = stepped(priors, dict.fromkeys(priors, 0.3))
    assert probs == {Bid(2, 4): pytest.approx(0.75), Challenge(): pytest.approx(0.25)}


def test_a_gain_of_the_temperature_makes_a_move_e_times_as_likely() -> None:
    priors: dict[PlayerAction, float] = {Bid(2, 4): 0.5, Challenge(): 0.5}
    probs = stepped(priors, {Bid(2, 4): 0.3, Challenge(): 0.3 + TEMPERATURE})
    assert log(probs[Challenge()] / probs[Bid(2, 4)]) == pytest.approx(1)


def test_moves_that_end_up_unlikely_are_not_made() -> None:
    priors: dict[PlayerAction, float] = {Bid(2, 4): 1.0, Challenge(): 0.99 * MIN_PROB_RATIO}
    assert stepped(priors, dict.fromkeys(priors, 0.3)) == {Bid(2, 4): 1.0}


def test_the_same_seed_and_view_give_the_same_legal_move() -> None:
    for rules, bids in (("perudo", ""), ("perudo", "2x4"), ("official", "3x2"), ("joker", "2x3")):
        shown = view(position(preset(rules).ruleset, THREE_HANDS, bids), 1 if bids else 0)
        first, second = (searcher().act(shown) for _ in range(2))
        assert first == second
        assert first in shown.moves


def test_bids_share_the_playouts_of_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half the budget plays each bid out half as often; what is played out is counted, and no clock is read."""
    rows: list[int] = []

    def counted(view: View, dice: tuple[int, ...], count: int) -> VectorEnv:
        rows.append(count)
        return copies_of(view, dice, count)

    monkeypatch.setattr(hunter, "copies_of", counted)
    shown = view(position(PERUDO, THREE_HANDS, "2x4"), 1)
    most = {}
    for budget in (50, 100):
        rows.clear()
        first, second = (Searcher(Champion(NETWORK, 7), 7, budget).act(shown) for _ in range(2))
        assert first == second
        most[budget] = max(count for count in rows if count != hunter.CALL_DEALS)
    assert 0.9 * PLAYOUTS <= most[100] <= PLAYOUTS
    assert most[50] == pytest.approx(most[100] / 2, abs=10)


def test_a_bid_that_cannot_be_true_is_challenged() -> None:
    shown = view(position(PERUDO, THREE_HANDS, "7x6"), 1)
    assert {searcher(seed).act(shown) for seed in range(3)} == {Challenge()}


@pytest.mark.parametrize(
    "rules, hands, seat",
    [
        ("perudo", ((1, 4, 4), (2, 2, 3)), 1),  # two players
        ("official", THREE_HANDS, 2),  # out of turn
        ("chui-niu+lives", THREE_HANDS, 1),  # the simulator does not know lives
    ],
)
def test_elsewhere_it_plays_as_the_champion(rules: str, hands: tuple[tuple[int, ...], ...], seat: int) -> None:
    shown = view(dealt_state(preset(rules).ruleset, hands, (Bid(3, 4),)), seat)
    for seed in range(5):
        assert searcher(seed).act(shown) == Champion(NETWORK, seed).act(shown)
