"""Teachers: networks that show learners what they would answer."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch

from liarsdice.bots.neural.champion import LATEST_MODEL, champion_network
from liarsdice.bots.neural.features import ACTION_COUNT, FEATURE_COUNT, NetworkInput
from liarsdice.bots.neural.observation import FloatArray, IntArray
from liarsdice.core.errors import LiarsDiceError, MalformedError, UnavailableError
from liarsdice.core.rules.presets import preset
from liarsdice.sim.policies import ExternalPolicy, ThresholdPolicy
from liarsdice.train.config import PPOConfig, TrainingConfig, load_config
from liarsdice.train.curriculum import make_table_setups
from liarsdice.train.load_networks import load_teacher
from liarsdice.train.model import Critic, PolicyNetwork, export_network
from liarsdice.train.ppo import TEACHING_SHARE, PPOLearner, UpdateStats
from liarsdice.train.rollout import Experience, TableSetup, TrainingTable
from liarsdice.train.trainer import CHECKPOINT_FILE, Trainer

NEWEST = f"champion@{LATEST_MODEL}"


def shown(likeliest: int, rows: int = 512) -> Experience:
    """Experience that nothing can be learned from but a teacher's answer, one of three."""
    rng = np.random.default_rng(2)
    legal = np.zeros((rows, ACTION_COUNT), np.bool_)
    legal[:, [3, 7, 9]] = True
    nothing = np.zeros(rows, np.float32)
    taught = np.where(legal, 0.1, 0).astype(np.float32)
    taught[:, likeliest] = 0.8
    return Experience(
        numbers=rng.random((rows, FEATURE_COUNT)).astype(np.float32),
        hidden=np.zeros((rows, 8), np.float32),
        legal=legal,
        answers=rng.choice([3, 7, 9], rows),
        logs=np.full(rows, -np.log(3), np.float32),
        advantage=nothing,
        target=nothing,
        taught=taught,
    )


@pytest.mark.parametrize(
    "done, teaching, likely",
    [(0.0, 1.0, 0.8), (TEACHING_SHARE, 1.0, 1 / 3), (1.0, 1.0, 1 / 3), (0.0, 0.0, 1 / 3)],
)
def test_learners_become_like_their_teacher_while_it_is_heard(done: float, teaching: float, likely: float) -> None:
    torch.manual_seed(1)
    player, critic = PolicyNetwork(FEATURE_COUNT, 32, 1), Critic(FEATURE_COUNT, 32, 1)
    recipe = PPOConfig(
        learning_rate=5e-3, minibatch=128, entropy_weight=0.0, final_entropy_weight=0.0, teacher_weight=teaching
    )
    learner, part = PPOLearner(player, critic, recipe, seed=1), shown(7)
    for _ in range(40):
        learner.update([part], done)
    found = export_network(player).action_probs(part.numbers, part.legal)
    assert found[:, 7].mean() == pytest.approx(likely, abs=0.05)


def test_a_teacher_is_heard_ever_less() -> None:
    part, found = shown(7), []
    for done, teaching in ((0.0, 1.0), (TEACHING_SHARE / 2, 2.0), (TEACHING_SHARE / 2, 1.0)):
        torch.manual_seed(1)
        player, critic = PolicyNetwork(FEATURE_COUNT, 32, 1), Critic(FEATURE_COUNT, 32, 1)
        recipe = PPOConfig(
            learning_rate=5e-3,
            final_lr_ratio=1.0,
            minibatch=128,
            entropy_weight=0.5,
            final_entropy_weight=0.5,
            teacher_weight=teaching,
        )
        learner = PPOLearner(player, critic, recipe, seed=1)
        for _ in range(40):
            learner.update([part], done)
        found.append(export_network(player).action_probs(part.numbers, part.legal)[:, 7].mean())
    assert found[0] == pytest.approx(found[1], abs=1e-4)
    assert found[2] < found[0] - 0.05


def first_legal(
    reading: NetworkInput, hidden: FloatArray, _chance: np.random.Generator
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Decides alike in every case."""
    nothing = np.zeros(len(hidden), np.float32)
    return reading.action_mask.argmax(axis=1), nothing, nothing


def test_a_teacher_answers_what_learners_see() -> None:
    setting = TableSetup(
        preset("perudo").ruleset, (ExternalPolicy(), ThresholdPolicy(0.4), ExternalPolicy()), 8, teacher=NEWEST
    )
    part = TrainingTable(setting, seed=3).play(30, first_legal, 0.5)
    assert len(part.taught) == len(part.answers) > 100
    assert part.taught == pytest.approx(champion_network(LATEST_MODEL).action_probs(part.numbers, part.legal), abs=1e-6)
    alone = TrainingTable(TableSetup(setting.rules, setting.policies, 8), seed=3).play(30, first_legal, 0.5)
    assert np.array_equal(alone.numbers, part.numbers)
    assert alone.taught.shape == part.taught.shape
    assert not alone.taught.any()


def test_only_tables_of_its_rules_have_a_teacher() -> None:
    settings = make_table_setups(TrainingConfig(teachers={"perudo": NEWEST}))
    rules = preset("perudo").ruleset
    assert {one.teacher for one in settings if one.rules == rules} == {NEWEST}
    assert {one.teacher for one in settings if one.rules != rules} == {""}
    assert len({len(one.policies) for one in settings if one.teacher}) > 3


@pytest.mark.parametrize(
    "plan", [TrainingConfig(teachers={}), TrainingConfig(teachers={"perudo": NEWEST}, ppo=PPOConfig(teacher_weight=0))]
)
def test_nobody_teaches_where_it_would_not_be_heard(plan: TrainingConfig) -> None:
    assert {one.teacher for one in make_table_setups(plan)} == {""}


@pytest.mark.parametrize(
    "teachers, kind, complaint",
    [
        ({"snyd": NEWEST}, MalformedError, "has a teacher of snyd, but not these rules; take it out of `teachers`"),
        ({"perudo": "champion@1"}, UnavailableError, "champion@1 cannot teach perudo: it is by an older version"),
        ({"perudo": "nobody.npz"}, UnavailableError, r"no network is called nobody\.npz"),
        ({"perudo": "nobody.pt"}, UnavailableError, r"nobody\.pt cannot teach: .*No such file"),
    ],
)
def test_who_cannot_teach_is_refused(
    teachers: dict[str, str], kind: type[LiarsDiceError], complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(kind, match=complaint):
        load_config(tmp_path, None, {"rules": ("perudo",), "teachers": teachers})


def test_a_run_of_one_ruleset_teaches_another_that_pauses_and_goes_on(tmp_path: Path) -> None:
    small = TrainingConfig(
        rules=("perudo",),
        iterations=2,
        width=8,
        tables=2,
        tables_per_iteration=2,
        matches=8,
        steps=8,
        evaluation_matches=1,
    )
    Trainer(tmp_path / "one", small).save()
    teacher = str(tmp_path / "one" / CHECKPOINT_FILE)
    rules = tmp_path / "house.toml"
    rules.write_text('extends = "perudo"\n[dice]\nper_player = 4\n')
    names = ("perudo", str(rules))
    changes = {"rules": names, "width": 16, "iterations": 3, "teachers": dict.fromkeys(names, teacher)}
    plan = load_config(tmp_path / "other", None, msgspec.to_builtins(small) | changes | {"recipe": PPOConfig()})
    done: list[int] = []

    def tell(at: int, _learned: UpdateStats, _pace: float) -> None:
        done.append(at)

    Trainer(tmp_path / "other", plan).run(tell, stop=lambda: len(done) == 1)
    assert load_config(tmp_path / "other", None, {}) == plan
    Trainer(tmp_path / "other", plan).run(tell)
    assert done == [1, 2, 3]


def test_a_checkpoint_without_networks_cannot_teach(tmp_path: Path) -> None:
    file = tmp_path / CHECKPOINT_FILE
    nothing: tuple[dict[str, object], ...] = (
        {},
        {"average": 3},
        {"average": {}},
        {"average": {"body.0.weight": torch.zeros(3, 3)}},
    )
    for content in nothing:
        torch.save(content, file)
        with pytest.raises(UnavailableError, match="cannot teach: it holds no networks"):
            load_teacher(str(file))
