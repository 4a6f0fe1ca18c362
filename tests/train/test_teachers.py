"""Teachers: networks that show learners what they would answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from liarsdice.bots.champion import LATEST, model
from liarsdice.bots.features import ANSWERS, FEATURES, Reading
from liarsdice.bots.scene import Ints, Reals
from liarsdice.core.errors import LiarsDiceError
from liarsdice.core.presets import preset
from liarsdice.solve.minds import Asked, Threshold
from liarsdice.train.model import Critic, Player, network_of
from liarsdice.train.plan import Plan, Recipe, planned
from liarsdice.train.pool import settings_of
from liarsdice.train.ppo import TAUGHT, Learner
from liarsdice.train.rollout import Experience, Setting, Table

NEWEST = f"champion@{LATEST}"


def shown(likeliest: int, rows: int = 512) -> Experience:
    """Experience that nothing can be learned from but a teacher's answer, one of three."""
    rng = np.random.default_rng(2)
    legal = np.zeros((rows, ANSWERS), np.bool_)
    legal[:, [3, 7, 9]] = True
    nothing = np.zeros(rows, np.float32)
    taught = np.where(legal, 0.1, 0).astype(np.float32)
    taught[:, likeliest] = 0.8
    return Experience(
        numbers=rng.random((rows, FEATURES)).astype(np.float32),
        hidden=np.zeros((rows, 8), np.float32),
        legal=legal,
        answers=rng.choice([3, 7, 9], rows),
        logs=np.full(rows, -np.log(3), np.float32),
        advantage=nothing,
        target=nothing,
        taught=taught,
    )


@pytest.mark.parametrize("done, teaching, likely", [(0.0, 1.0, 0.8), (TAUGHT, 1.0, 1 / 3), (0.0, 0.0, 1 / 3)])
def test_learners_become_like_their_teacher_while_it_is_heard(done: float, teaching: float, likely: float) -> None:
    torch.manual_seed(1)
    player, critic = Player(FEATURES, 32, 1), Critic(FEATURES, 32, 1)
    recipe = Recipe(rate=5e-3, minibatch=128, entropy=0.0, entropy_last=0.0, teaching=teaching)
    learner, part = Learner(player, critic, recipe, seed=1), shown(7)
    for _ in range(40):
        learner.learn([part], done)
    found = network_of(player).chances(part.numbers, part.legal)
    assert found[:, 7].mean() == pytest.approx(likely, abs=0.05)


def first_legal(reading: Reading, hidden: Reals, _chance: np.random.Generator) -> tuple[Ints, Reals, Reals]:
    """Decides alike in every case."""
    nothing = np.zeros(len(hidden), np.float32)
    return reading.legal.argmax(axis=1), nothing, nothing


def test_a_teacher_answers_what_learners_see() -> None:
    setting = Setting(preset("perudo").ruleset, (Asked(), Threshold(0.4), Asked()), 8, teacher=NEWEST)
    part = Table(setting, seed=3).play(30, first_legal, 0.5)
    assert len(part.taught) == len(part.answers) > 100
    assert part.taught == pytest.approx(model(LATEST).chances(part.numbers, part.legal), abs=1e-6)
    alone = Table(Setting(setting.rules, setting.minds, 8), seed=3).play(30, first_legal, 0.5)
    assert np.array_equal(alone.numbers, part.numbers)
    assert alone.taught.shape == part.taught.shape
    assert not alone.taught.any()


def test_only_tables_of_its_rules_have_a_teacher() -> None:
    settings = settings_of(Plan(teachers={"perudo": NEWEST}))
    rules = preset("perudo").ruleset
    assert {one.teacher for one in settings if one.rules == rules} == {NEWEST}
    assert {one.teacher for one in settings if one.rules != rules} == {""}
    assert len({len(one.minds) for one in settings if one.teacher}) > 3


@pytest.mark.parametrize(
    "teachers, complaint",
    [
        ({"snyd": NEWEST}, "the plan has a teacher of snyd, but not these rules"),
        ({"perudo": "champion@1"}, "champion@1 cannot teach perudo: it is by an older version of the program"),
        ({"perudo": "nobody.npz"}, r"no network is called nobody\.npz"),
    ],
)
def test_who_cannot_teach_is_refused(teachers: dict[str, str], complaint: str, tmp_path: Path) -> None:
    with pytest.raises(LiarsDiceError, match=complaint):
        planned(tmp_path, None, {"rules": ("perudo",), "teachers": teachers})
