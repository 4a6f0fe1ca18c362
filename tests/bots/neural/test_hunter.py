"""The hunter: it believes by Bayes' rule what its target would have bid with, and answers what pays against it."""

from math import log

import numpy as np
import pytest

from liarsdice.bots.neural import hunter
from liarsdice.bots.neural import hunter as hunter_module
from liarsdice.bots.neural.champion import Champion, champion_network
from liarsdice.bots.neural.features import CHALLENGE
from liarsdice.bots.neural.hunter import MIN_PROB_RATIO, PLAYOUTS, STRANGE_SHARE, TEMPERATURE, Hunter, Searcher, stepped
from liarsdice.bots.neural.network import Network
from liarsdice.core.actions import Challenge, PlayerAction
from liarsdice.core.bids.odds import enumerate_hands, p_true
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.values.playouts import copies_of
from tests.bots.positions import dealt_state, position

OPENSPIEL = preset("openspiel").ruleset
NETWORK = champion_network()


def doubter() -> Champion:
    """Return a champion that challenges every bid."""
    biases = [layer.copy() for layer in NETWORK.biases]
    biases[-1][CHALLENGE] += 1_000.0
    return Champion(Network(NETWORK.weights, biases), 1, heeds_own_dice=False)


def test_beliefs_follow_from_the_probabilities_of_the_target() -> None:
    target = Champion(NETWORK, 1)
    state = position(OPENSPIEL, ((2, 4), (3, 5)), "1x4")
    (belief,) = Hunter(target, 1).beliefs(view(state, 1)).values()
    opening = view(position(OPENSPIEL, ((2, 4), (3, 5))), 0)
    hands, rolls = enumerate_hands(6, 2)
    probs = target.probs_by_hand([opening], hands, [Bid(1, 4)])[0, 0]
    weights = np.array(rolls) * ((1 - STRANGE_SHARE) * probs + STRANGE_SHARE / len(opening.moves))
    assert belief.hands == hands
    assert belief.probs == pytest.approx((weights / weights.sum()).tolist(), rel=1e-4)


def test_the_same_seed_and_view_give_the_same_legal_move() -> None:
    for rules, bids in (("openspiel", ""), ("perudo", "2x4"), ("official", "3x2")):
        shown = view(position(preset(rules).ruleset, ((1, 4, 4), (2, 2, 3)), bids), 0 if not bids else 1)
        first, second = (Hunter(Champion(NETWORK, 1), 7).act(shown) for _ in range(2))
        assert first == second
        assert first in shown.moves


def test_a_bid_that_cannot_be_true_is_challenged() -> None:
    shown = view(position(OPENSPIEL, ((1, 1, 1, 1, 1), (2, 2, 2, 3, 3)), "9x4"), 1)
    assert Hunter(Champion(NETWORK, 1), 1).act(shown) == Challenge()


def test_against_somebody_who_always_challenges_a_bid_is_worth_the_chance_that_it_is_true(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first reply is not drawn: nothing is played out, and what is left is the chance of the deals."""
    monkeypatch.setattr(hunter_module, "DEALS", 1_000)
    shown = view(position(OPENSPIEL, ((1, 4, 4, 5), (2, 2, 3, 6)), ""), 0)
    values = Hunter(doubter(), 3).move_values(shown)
    for move, value in values.items():
        assert isinstance(move, Bid)
        exact = float(p_true(OPENSPIEL, move, shown.hand, shown.others, wilds_count=True))
        assert value == pytest.approx(exact, abs=0.06)


def test_a_bid_that_everybody_challenges_is_not_played_out() -> None:
    """No raise is left that could be played out in a match which goes on after the round."""
    shown = view(position(preset("perudo").ruleset, ((1, 4, 4), (2, 2, 3)), "2x4"), 1)
    values = Hunter(doubter(), 3).move_values(shown)
    assert Challenge() in values
    assert all(0 <= value <= 1 for value in values.values())


def test_a_solved_round_is_played_as_the_target_plays_it() -> None:
    shown = view(dealt_state(preset("perudo").ruleset, ((3, 4), (5,)), (Bid(1, 3),)), 1)
    target = Champion(NETWORK, 4)
    assert target.plays_solved(shown)
    moves = [Hunter(Champion(NETWORK, 4), 1).act(shown) for _ in range(3)]
    assert moves == [Champion(NETWORK, 4).act(shown) for _ in range(3)]


@pytest.mark.parametrize("name", ["chui-niu+lives", "snyd+winner-sheds"])
def test_rules_that_simulator_or_values_do_not_know_are_played_as_the_target_plays_them(name: str) -> None:
    shown = view(position(preset(name).ruleset, ((1, 4, 4), (2, 2, 3)), "2x4"), 1)
    assert Hunter(Champion(NETWORK, 4), 1).act(shown) == Champion(NETWORK, 4).act(shown)


def test_out_of_turn_it_does_what_the_target_does() -> None:
    state = dealt_state(preset("official").ruleset, ((1, 2, 3), (2, 2, 3), (1, 4, 4)), (Bid(2, 3),))
    shown = view(state, 2)
    assert not shown.on_turn
    assert Hunter(Champion(NETWORK, 1), 1).act(shown) == Champion(NETWORK, 1).act(shown)


PERUDO = preset("perudo").ruleset
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


def test_searcher_the_same_seed_and_view_give_the_same_legal_move() -> None:
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


def test_searcher_a_bid_that_cannot_be_true_is_challenged() -> None:
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
