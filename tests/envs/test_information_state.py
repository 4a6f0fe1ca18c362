"""What a seat knows, as text."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.core.engine.view import view
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.envs.in_place import InPlaceEnv
from liarsdice.envs.layout import make_game
from liarsdice.envs.match_tree import hand_text, information_state, state_of_match


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
