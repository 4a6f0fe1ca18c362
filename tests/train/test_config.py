"""Plans: what a run can be like, and what is refused before anything is written."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from liarsdice.core.errors import LiarsDiceError, MalformedError
from liarsdice.train.config import CONFIG_FILE, TrainingConfig, input_digests, load_config, read_config

KEPT = Path(__file__).parents[2] / "benchmarks" / "results" / "training"


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
def test_the_plans_that_made_the_champion_can_be_read(name: str, seed: int) -> None:
    assert read_config(KEPT / f"{name}.json").seed == seed


@pytest.mark.parametrize("name, seed", [("wider-stage-10", 23), ("wider-stage-11", 25)])
def test_those_of_a_wider_one_are_whole(name: str, seed: int) -> None:
    plan = read_config(KEPT / f"{name}.json", complete=True)
    assert (plan.seed, plan.width) == (seed, 384)
    assert set(plan.teachers) == {"perudo"}


@pytest.mark.parametrize("stage, seed", [(10, 40), (11, 41)])
def test_those_of_the_newest_are_whole(stage: int, seed: int) -> None:
    plan = read_config(KEPT / f"champion-5-stage-{stage}.json", complete=True)
    assert (plan.seed, plan.width) == (seed, 256)
    assert set(plan.teachers) == (set(plan.rules) if stage == 10 else set())


@pytest.mark.parametrize(
    "text",
    [
        '{"seed": 100000000000000000000000000000}',
        '{"seed": 4294967296}',
        '{"rules": []}',
        '{"steps": 1}',
        '{"width": 1000000000}',
        '{"matches": 100000000000}',
        '{"measure_matches": 100000000000}',
        '{"iterations": 0}',
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
def test_a_plan_out_of_range_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(MalformedError, match="holds no plan of a training run"):
        read_config(path)


@pytest.mark.parametrize("changes", [{"seed": 10**30}, {"iterations": 10**9}, {"rules": ()}])
def test_changes_are_held_to_the_same_ranges(changes: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(MalformedError, match="no training run can be like this"):
        load_config(tmp_path, None, changes)


def test_more_decisions_than_memory_holds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MalformedError, match="holds at most 10,000,000, not 800,000,000"):
        load_config(tmp_path, None, {"rules": ("perudo",), "matches": 100_000, "steps": 1000})


@pytest.mark.parametrize(
    "changed, complaint",
    [
        ("[dice]\nfaces = 8", "neural bots know dice of up to 6 faces, not 8"),
        ("[players]\nmin = 9\nmax = 12", "networks learn at tables of up to 8, not of 9"),
    ],
)
def test_rules_that_networks_cannot_play_are_refused(changed: str, complaint: str, tmp_path: Path) -> None:
    rules = tmp_path / "house.toml"
    rules.write_text(f'extends = "openspiel"\n{changed}\n')
    with pytest.raises(LiarsDiceError, match=complaint):
        load_config(tmp_path, None, {"rules": (str(rules),)})


def test_a_ruleset_s_digest_tells_rules_apart_and_not_words(tmp_path: Path) -> None:
    found = {}
    for name, line in {"same": "", "words": '[labels]\ngame = "Ours"', "rules": "[dice]\nper_player = 4"}.items():
        rules = tmp_path / f"{name}.toml"
        rules.write_text(f'extends = "perudo"\n{line}\n')
        (found[name],) = input_digests(TrainingConfig(rules=(str(rules),))).values()
    assert found["same"] == found["words"] == input_digests(TrainingConfig(rules=("perudo",)))["perudo"]
    assert found["same"] != found["rules"]
    assert len(input_digests(TrainingConfig())) == len(TrainingConfig().rules)


def test_a_runs_own_plan_is_whole_and_anothers_need_not_be(tmp_path: Path) -> None:
    (tmp_path / CONFIG_FILE).write_text('{"tables": 16}')
    assert read_config(tmp_path / CONFIG_FILE) == TrainingConfig(tables=16)
    with pytest.raises(MalformedError, match=r"was kept by another version of the program: it lacks against, at_once"):
        load_config(tmp_path, None, {})
    (tmp_path / CONFIG_FILE).write_bytes(msgspec.json.encode(TrainingConfig(tables=16)))
    assert load_config(tmp_path, None, {}) == TrainingConfig(tables=16)
