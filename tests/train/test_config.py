"""Configurations: which files are read, and what is refused before anything is written."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from liarsdice.core.errors import LiarsDiceError, MalformedError, UnavailableError
from liarsdice.train.config import (
    CONFIG_FILE,
    FORMER_NAMES,
    FORMER_PPO_NAMES,
    PPOConfig,
    TrainingConfig,
    input_digests,
    load_config,
    read_config,
)

STORED = Path(__file__).parents[2] / "benchmarks" / "results" / "training"


@pytest.mark.parametrize(
    "name, seed",
    [
        *((f"champion-2-stage-{stage}", stage) for stage in (2, 3, 4, 5)),
        ("champion-3-stage-7", 8),
        ("champion-4-stage-8", 12),
        ("champion-4-stage-9", 14),
        ("perudo-alone-stage-7", 9),
        ("perudo-alone-stage-8", 13),
        ("perudo-alone-stage-10", 17),
    ],
)
def test_the_configurations_that_trained_the_champion_are_read(name: str, seed: int) -> None:
    assert read_config(STORED / f"{name}.json").seed == seed


@pytest.mark.parametrize("name, seed", [("wider-stage-10", 23), ("wider-stage-11", 25)])
def test_the_configurations_of_the_wider_network_are_complete(name: str, seed: int) -> None:
    config = read_config(STORED / f"{name}.json", complete=True)
    assert (config.seed, config.width) == (seed, 384)
    assert set(config.teachers) == {"perudo"}


@pytest.mark.parametrize("stage, seed", [(10, 40), (11, 41)])
def test_the_configurations_of_the_latest_champion_are_complete(stage: int, seed: int) -> None:
    config = read_config(STORED / f"champion-5-stage-{stage}.json", complete=True)
    assert (config.seed, config.width) == (seed, 256)
    assert set(config.teachers) == (set(config.rules) if stage == 10 else set())


@pytest.mark.parametrize(
    "text",
    [
        '{"seed": 100000000000000000000000000000}',
        '{"seed": 4294967296}',
        '{"rules": []}',
        '{"steps": 1}',
        '{"width": 1000000000}',
        '{"matches": 100000000000}',
        '{"evaluation_matches": 100000000000}',
        '{"measure_matches": 100000000000}',
        '{"iterations": 0}',
        '{"opponent_seats": [1]}',
        '{"opponent_seats": [7]}',
        '{"ppo": {"minibatch": 0}}',
        '{"ppo": {"learning_rate": -1}}',
        '{"ppo": {"gae_lambda": 5}}',
        '{"ppo": {"max_grad_norm": 0}}',
        '{"ppo": {"speed": 1}}',
        '{"recipe": {"minibatch": 0}}',
        '{"recipe": {"minibatch": -5}}',
        '{"recipe": {"epochs": 0}}',
        '{"recipe": {"rate": -1}}',
        '{"recipe": {"rate": 1e300}}',
        '{"recipe": {"clip": -1}}',
        '{"recipe": {"keep": 5}}',
        '{"recipe": {"longest": 0}}',
        '{"recipe": {"speed": 1}}',
        '{"speed": 1}',
        "[" * 100_000,
        '{"rules": ["\xff"]}',
    ],
)
def test_a_configuration_out_of_range_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(MalformedError, match="is not the configuration of a training run"):
        read_config(path)


@pytest.mark.parametrize("changes", [{"seed": 10**30}, {"iterations": 10**9}, {"rules": ()}])
def test_changed_fields_must_be_in_the_same_ranges(changes: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(MalformedError, match="no training run can be like this"):
        load_config(tmp_path, None, changes)


def test_more_decisions_than_fit_into_memory_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MalformedError, match="holds at most 10,000,000, not 800,000,000"):
        load_config(tmp_path, None, {"rules": ("perudo",), "matches": 100_000, "steps": 1000})


def test_the_digest_of_a_ruleset_changes_with_its_rules_and_not_with_its_labels(tmp_path: Path) -> None:
    digests = {}
    for name, line in {"same": "", "words": '[labels]\ngame = "Ours"', "rules": "[dice]\nper_player = 4"}.items():
        rules = tmp_path / f"{name}.toml"
        rules.write_text(f'extends = "perudo"\n{line}\n')
        (digests[name],) = input_digests(TrainingConfig(rules=(str(rules),))).values()
    assert digests["same"] == digests["words"] == input_digests(TrainingConfig(rules=("perudo",)))["perudo"]
    assert digests["same"] != digests["rules"]
    assert len(input_digests(TrainingConfig())) == len(TrainingConfig().rules)


def test_the_configuration_in_a_run_s_folder_must_be_complete_and_another_need_not_be(tmp_path: Path) -> None:
    (tmp_path / CONFIG_FILE).write_text('{"tables": 16}')
    assert read_config(tmp_path / CONFIG_FILE) == TrainingConfig(tables=16)
    with pytest.raises(
        MalformedError,
        match=r"was kept by another version of the program: it lacks bot_table_share, evaluate_every, ",
    ):
        load_config(tmp_path, None, {})
    (tmp_path / CONFIG_FILE).write_bytes(msgspec.json.encode(TrainingConfig(tables=16)))
    assert load_config(tmp_path, None, {}) == TrainingConfig(tables=16)


CURRENT = TrainingConfig(
    rules=("perudo", "joker"),
    tables_per_iteration=9,
    bot_table_share=0.11,
    two_learner_share=0.12,
    opponent_table_share=0.13,
    opponents=("champion@2",),
    min_prob_ratio=0.14,
    evaluate_every=15,
    evaluation_matches=16,
    initial_weights="champion@3",
    ppo=PPOConfig(
        learning_rate=0.17,
        final_lr_ratio=0.18,
        entropy_weight=0.19,
        final_entropy_weight=0.2,
        gae_lambda=0.21,
        max_grad_norm=0.22,
        teacher_weight=0.23,
    ),
)
"""A configuration in which every renamed field differs from its default."""


def with_former_names(config: TrainingConfig) -> dict[str, object]:
    """Return a configuration as JSON values under the names of earlier versions."""
    former, former_ppo = ({new: old for old, new in names.items()} for names in (FORMER_NAMES, FORMER_PPO_NAMES))
    content: dict[str, object] = msgspec.to_builtins(config)
    content["ppo"] = {former_ppo.get(name, name): value for name, value in msgspec.to_builtins(config.ppo).items()}
    return {former.get(name, name): value for name, value in content.items()}


def test_a_file_with_the_field_names_of_earlier_versions_is_read_to_the_same_configuration(tmp_path: Path) -> None:
    file, content = tmp_path / CONFIG_FILE, with_former_names(CURRENT)
    assert {*FORMER_NAMES, *FORMER_PPO_NAMES} <= {*content, *msgspec.to_builtins(content["recipe"])}
    file.write_bytes(msgspec.json.encode(content))
    assert read_config(file, complete=True) == CURRENT
    file.write_bytes(msgspec.json.encode(CURRENT))
    assert read_config(file, complete=True) == CURRENT


def test_every_renamed_field_was_changed_in_the_configuration_above() -> None:
    default = TrainingConfig()
    for name in FORMER_NAMES.values():
        assert getattr(CURRENT, name) != getattr(default, name)
    for name in FORMER_PPO_NAMES.values():
        assert getattr(CURRENT.ppo, name) != getattr(default.ppo, name)


@pytest.mark.parametrize("former, current", FORMER_NAMES.items())
def test_a_file_with_two_names_of_one_field_is_refused(former: str, current: str, tmp_path: Path) -> None:
    content = msgspec.to_builtins(CURRENT)
    file = tmp_path / CONFIG_FILE
    file.write_bytes(msgspec.json.encode({current: content[current], former: content[current]}))
    with pytest.raises(MalformedError, match=f"`{former}` is the former name of `{current}`; only one of them"):
        read_config(file)


@pytest.mark.parametrize("former, current", FORMER_PPO_NAMES.items())
@pytest.mark.parametrize("group", ["ppo", "recipe"])
def test_a_file_with_two_names_of_one_ppo_field_is_refused(
    group: str, former: str, current: str, tmp_path: Path
) -> None:
    file = tmp_path / CONFIG_FILE
    file.write_bytes(msgspec.json.encode({group: {current: 0.5, former: 0.5}}))
    with pytest.raises(MalformedError, match=f"`{former}` is the former name of `{current}`; only one of them"):
        read_config(file)


@pytest.mark.parametrize(
    "teachers, kind, complaint",
    [
        (
            {"snyd": "champion@5"},
            MalformedError,
            "there is a teacher for snyd, but `rules` does not name them; remove it from `teachers`",
        ),
        ({"perudo": "champion@1"}, UnavailableError, "champion@1 cannot teach perudo: it is by an older version"),
        ({"perudo": "nobody.npz"}, UnavailableError, r"no network is called nobody\.npz"),
        ({"perudo": "nobody.pt"}, UnavailableError, r"nobody\.pt cannot teach: .*No such file"),
    ],
)
def test_a_network_that_cannot_teach_is_refused(
    teachers: dict[str, str], kind: type[LiarsDiceError], complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(kind, match=complaint):
        load_config(tmp_path, None, {"rules": ("perudo",), "teachers": teachers})
