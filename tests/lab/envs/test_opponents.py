"""What plays in an environment: opponents, and the tree of a match."""

import random

import numpy as np
import pytest

from liarsdice.core.engine.view import view
from liarsdice.core.errors import IllegalActionError, MalformedError, UnavailableError
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.sim import array_schema as schema
from liarsdice.sim.policies import ThresholdPolicy
from liarsdice.sim.rollouts import play_matches
from liarsdice_lab.envs.in_place import InPlaceEnv
from liarsdice_lab.envs.layout import make_game, observe_view
from liarsdice_lab.envs.match_tree import MatchNode, first_node, hand_text, information_state, state_of_match
from liarsdice_lab.envs.opponents import OpponentEnv, make_env
from tests.lab.envs.test_in_place import digest, middle_legal

OFFICIAL = make_game("official", 3)


def test_the_caller_acts_for_the_learner_alone() -> None:
    env = make_env(OFFICIAL, 20, seed=1, opponents="threshold", learner=2)
    for _ in range(20):
        assert (env.seats == 2).all()
        env.step(middle_legal(env))


def test_a_mix_may_have_seats_for_the_caller() -> None:
    env, seats = make_env(OFFICIAL, 20, seed=1, opponents=("self", "random")), set[int]()
    for _ in range(20):
        seats |= set(env.seats.tolist())
        env.step(middle_legal(env))
    assert seats == {0, 1, 2}
    assert make_env(OFFICIAL, 2, opponents=("self",)).seats.tolist() == make_env(OFFICIAL, 2).seats.tolist()


@pytest.mark.parametrize("opponents", ["regular", ("novice", "random", "inference")])
def test_opponents_are_reproducible_from_one_seed(opponents: str | tuple[str, ...]) -> None:
    first, second = (make_env(OFFICIAL, 6, seed=3, opponents=opponents) for _ in range(2))
    assert digest(first, 12) == digest(second, 12)
    first.reset(3)
    second.reset(4)
    assert digest(first, 12) != digest(second, 12)


def test_compiled_opponents_win_as_often_as_in_simulations() -> None:
    """A learner that plays by the threshold policy itself, beside an opponent of another threshold."""
    game = make_game("perudo", 2)
    env = make_env(game, 400, seed=1, opponents="threshold:0.4")
    assert isinstance(env, OpponentEnv)
    wins = ends = 0
    while ends < 400:
        env.step(env.bot_actions("threshold:0.2"))
        ended = env.buffers.terminals
        ends += int(ended.sum())
        wins += int((env.buffers.rewards[ended, 0] > 0).sum())
    policies = (ThresholdPolicy(0.2), ThresholdPolicy(0.4))
    expected = play_matches(preset("perudo").ruleset, 2, 4000, seed=2, policies=policies).won[:, 0].mean()
    assert abs(wins / ends - expected) < 4 * 0.5 / np.sqrt(ends)


def test_unknown_opponents_and_seats_are_refused() -> None:
    with pytest.raises(UnavailableError, match="no bot is called"):
        make_env(OFFICIAL, 2, opponents="deep-blue")
    with pytest.raises(MalformedError, match="learner"):
        make_env(OFFICIAL, 2, opponents="random", learner=3)
    with pytest.raises(MalformedError, match="opponents"):
        make_env(OFFICIAL, 2, opponents=())


def rolled(node: MatchNode, env: InPlaceEnv) -> MatchNode:
    """The node after all dice have been rolled as in the environment."""
    for face in [face for hand in env.matches.hands[0] for face, count in enumerate(hand) for _ in range(count)]:
        node = node.child(face)
    return node


@pytest.mark.parametrize("rules", ["official", "classic+aces+palifico+calza+reversa", "bluff"])
def test_a_line_of_the_tree_is_a_match_in_arrays(rules: str) -> None:
    game, rng = make_game(rules, 3), random.Random(1)
    env = next(
        env
        for seed in range(100)
        if (env := InPlaceEnv(game, 1, seed=seed, resets=False)).matches.match_field(schema.STARTER)[0] == 0
    )
    node, silences = first_node(game), 0
    while not env.buffers.terminals[0]:
        node = rolled(node, env) if node.is_rolling else node
        assert node.seat == env.seats[0]
        assert node.legal_ids() == np.flatnonzero(env.buffers.masks[0]).tolist()
        assert observe_view(game, node.view(node.seat)).tolist() == env.buffers.observations[0].tolist()
        action = rng.choice(node.legal_ids()[:10] + node.legal_ids()[-1:])
        silences += action == game.silence
        node = node.child(action)
        env.step([action])
    assert node.is_over
    assert node.returns() == pytest.approx(env.buffers.rewards[0].tolist())
    assert (silences > 0) == (rules == "official")


def test_an_illegal_action_is_refused() -> None:
    with pytest.raises(IllegalActionError, match=r"6 is none of the legal actions \[0, 1, 2, 3, 4, 5\]"):
        first_node(make_game("perudo", 3)).child(6)


@pytest.mark.parametrize("name", ["classic+aces+palifico+calza+reversa", "official", "snyd-stairs"])
def test_two_texts_are_equal_if_and_only_if_the_observations_are(name: str) -> None:
    rules = patched(preset(name).ruleset, dice__per_player=2)
    env, rng = InPlaceEnv(make_game(rules, 3), 20, seed=1), np.random.default_rng(1)
    texts: dict[bytes, str] = {}
    for _ in range(40):
        for match, row in enumerate(env.buffers.observations):
            text = information_state(view(state_of_match(env.matches, match), int(env.seats[match])))
            assert texts.setdefault(row.tobytes(), text) == text
        env.step(np.argmax(env.buffers.masks * rng.random(env.buffers.masks.shape), axis=1))
    assert len(set(texts.values())) == len(texts) > 300


def test_faces_of_two_digits_are_separated() -> None:
    assert hand_text((10, 2, 3)) == "2,3,10"
    assert hand_text(()) == ""
