"""Configurations: which files are read, and what is refused before anything is written."""

from pathlib import Path

import msgspec
import pytest

from liarsdice.core.errors import LiarsDiceError, MalformedError, UnavailableError
from liarsdice_lab.train.config import (
    CONFIG_FILE,
    TrainingConfig,
    check_learnable,
    check_rounds_known,
    input_digests,
    load_config,
    read_config,
)
from liarsdice_lab.train.model import WHOLE_CHAMPION


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
        '{"iterations": 0}',
        '{"opponent_seats": [1]}',
        '{"opponent_seats": [7]}',
        '{"ppo": {"minibatch": 0}}',
        '{"ppo": {"learning_rate": -1}}',
        '{"ppo": {"gae_lambda": 5}}',
        '{"ppo": {"max_grad_norm": 0}}',
        '{"ppo": {"speed": 1}}',
        '{"ppo": {"minibatch": -5}}',
        '{"ppo": {"epochs": 0}}',
        '{"ppo": {"learning_rate": 1e300}}',
        '{"ppo": {"clip": -1}}',
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
        match=r"was kept by another version of the program: it lacks balance, bot_table_share, ",
    ):
        load_config(tmp_path, None, {})
    (tmp_path / CONFIG_FILE).write_bytes(msgspec.json.encode(TrainingConfig(tables=16)))
    assert load_config(tmp_path, None, {}) == TrainingConfig(tables=16)


@pytest.mark.parametrize(
    "teachers, kind, complaint",
    [
        (
            {"snyd": "champion@5"},
            MalformedError,
            "there is a teacher for snyd, but `rules` does not name them; remove it from `teachers`",
        ),
        ({"perudo": "nobody.npz"}, UnavailableError, r"no network is called nobody\.npz"),
        ({"perudo": "nobody.pt"}, UnavailableError, r"nobody\.pt cannot teach: .*No such file"),
    ],
)
def test_a_network_that_cannot_teach_is_refused(
    teachers: dict[str, str], kind: type[LiarsDiceError], complaint: str, tmp_path: Path
) -> None:
    with pytest.raises(kind, match=complaint):
        load_config(tmp_path, None, {"rules": ("perudo",), "teachers": teachers})


@pytest.mark.parametrize(
    "rules_text, complaint",
    [
        ("[dice]\nfaces = 8", "neural bots know dice of up to 6 faces, not 8"),
        ('[loss]\nshed_by = "winner"', "networks learn only where the loser of a round loses dice"),
        ("[players]\nmin = 9\nmax = 12", "networks learn at tables of up to 8, not of 9"),
    ],
)
def test_rules_that_networks_cannot_play_are_refused(rules_text: str, complaint: str, tmp_path: Path) -> None:
    rules = tmp_path / "house.toml"
    rules.write_text(f'extends = "openspiel"\n{rules_text}\n')
    with pytest.raises(LiarsDiceError, match=complaint):
        check_learnable(str(rules))
    with pytest.raises(LiarsDiceError, match=complaint):
        load_config(tmp_path, None, {"rules": (str(rules),)})


@pytest.mark.parametrize("changes", [{"opponents": (WHOLE_CHAMPION,)}, {"ends_with_two": True}])
def test_the_newest_champion_takes_no_part_where_rounds_depend_on_earlier_ones(
    changes: dict[str, object], tmp_path: Path
) -> None:
    check_rounds_known("openspiel")
    config = load_config(tmp_path, None, {"rules": ("openspiel",), **changes})
    assert WHOLE_CHAMPION not in input_digests(config)
    complaint = "cannot be an opponent or end matches under mustache: rounds of two players depend on"
    with pytest.raises(UnavailableError, match=complaint):
        load_config(tmp_path, None, {"rules": ("openspiel", "mustache"), **changes})
