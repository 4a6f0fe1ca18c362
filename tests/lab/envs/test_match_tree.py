"""The tree of a match goes through the same states as a match in arrays."""

from __future__ import annotations

import random

import numpy as np
import pytest

from liarsdice.core.engine.view import view
from liarsdice.core.errors import IllegalActionError
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.sim import array_schema as schema
from liarsdice_lab.envs.in_place import InPlaceEnv
from liarsdice_lab.envs.layout import make_game, observe_view
from liarsdice_lab.envs.match_tree import MatchNode, first_node, hand_text, information_state, state_of_match


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
