"""The ends of rounds in many matches side by side."""

import numpy as np
import pytest

from liarsdice.bots.neural.batch_observation import BatchObserver
from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.champions import make_champion
from liarsdice.bots.simple.bid_odds import BID_CREDIT
from liarsdice.core.actions import Challenge
from liarsdice.core.engine.view import view
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import Hand
from liarsdice.sim import array_schema as schema
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.policies import ExternalPolicy, ThresholdPolicy
from liarsdice.sim.vector_env import AgentSelector, VectorEnv
from liarsdice.values.playouts import RoundPlays, compiled_for, round_ends
from liarsdice_lab.train.rollout import OpponentPlayer
from tests.bots.positions import dealt_state

INFERENCE = ThresholdPolicy(0.4, BID_CREDIT)
PERUDO = preset("perudo").ruleset


def test_ends_say_what_matters_under_the_rules_and_nothing_else() -> None:
    env = VectorEnv(compiled_for(PERUDO, (5, 5, 5)), 200, seed=4)
    env.advance((INFERENCE,), last_round=6)
    env.deal()
    found, places = round_ends(env)
    ends = [found[place] for place in places]
    assert len(set(found)) == len(found) < len(ends)
    assert all(end.exact_calls == (0, 0, 0) for end in ends)  # exact calls are not limited
    assert all(end.round_number == 0 for end in ends)  # nor are rounds
    special = [(end, row) for row, end in enumerate(ends) if end.winners is None and end.special_seat >= 0]
    assert special
    for end, row in special:
        assert end.starter == end.special_seat
        assert not end.had_special[end.special_seat]  # not before the round that begins
        assert env.seat_field(schema.HAD_SPECIAL)[row, end.special_seat] == 1


def test_matches_that_are_over_have_one_end_for_each_set_of_winners() -> None:
    env = VectorEnv(compiled_for(PERUDO, (5, 5)), 50, seed=4)
    env.advance((INFERENCE,))
    ends, places = round_ends(env)
    assert {end.winners for end in ends} == {(True, False), (False, True)}
    assert sorted(set(places.tolist())) == [0, 1]


MATCHES = 4_000
FIVE_DICE = (1, 2, 3, 4, 5), (2, 2, 3, 6, 6)


def env_with(rules: str, hands: tuple[Hand, ...], bids: tuple[Bid, ...], matches: int = MATCHES) -> VectorEnv:
    """Return so many matches with the same hands after the same bids; seat 0 has opened."""
    env = VectorEnv(compile_rules(preset(rules).ruleset, len(hands)), matches, deals=False)
    env.reset(np.ones(matches, np.bool_), starters=0, dice=[len(hand) for hand in hands], deals=False)
    env.deal([hands] * matches)
    for bid in bids:
        env.step(np.full(matches, env.rules.action_id(bid)))
    return env


@pytest.mark.parametrize(
    "rules, hands, bids",
    [
        ("perudo", FIVE_DICE, ()),
        ("perudo", FIVE_DICE, (Bid(3, 6),)),
        ("perudo", ((2, 4), (3,)), (Bid(1, 4),)),
        ("joker", ((2, 4), (3, 5)), ()),
        ("openspiel", ((3,), (5,)), ()),
    ],
)
def test_moves_are_drawn_as_often_as_the_champion_makes_them(
    rules: str, hands: tuple[Hand, ...], bids: tuple[Bid, ...]
) -> None:
    env = env_with(rules, hands, bids)
    is_played, actions = RoundPlays(env).draw(np.arange(MATCHES), np.random.default_rng(1).random(MATCHES))
    assert is_played.all()
    seat = len(bids) % 2
    probs = make_champion().action_probs(view(dealt_state(preset(rules).ruleset, hands, bids), seat))
    ids = {env.rules.action_id(move): prob for move, prob in probs.items() if isinstance(move, Bid | Challenge)}
    assert set(actions.tolist()) <= set(ids)
    for action, prob in ids.items():
        assert np.mean(actions == action) == pytest.approx(prob, abs=0.04)


@pytest.mark.parametrize("rules, hands", [("joker", FIVE_DICE), ("perudo", (*FIVE_DICE, (1,)))])
def test_other_rounds_are_left_to_the_network(rules: str, hands: tuple[Hand, ...]) -> None:
    is_played, _ = RoundPlays(env_with(rules, hands, (), 10)).draw(np.arange(10), np.random.default_rng(1).random(10))
    assert not is_played.any()


def test_rules_under_which_earlier_rounds_matter_are_refused() -> None:
    with pytest.raises(UnavailableError, match="depend on earlier rounds"):
        RoundPlays(VectorEnv(compile_rules(preset("mustache").ruleset, 2), 1))


def test_whole_champions_play_matches_to_their_end() -> None:
    env = VectorEnv(compile_rules(preset("perudo").ruleset, 3), 20, seed=6)
    selector = AgentSelector(env, (ExternalPolicy(),))
    selector.advance()
    networks = dict.fromkeys(range(3), champion_network())
    OpponentPlayer(env, selector, BatchObserver(env), networks, champions=(0, 1)).play_turns(np.random.default_rng(2))
    assert env.over.all()
