"""The tables that a configuration draws."""

from pathlib import Path

import pytest

from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.sim.policies import ExternalPolicy, Policy
from liarsdice_lab.train.config import PPOConfig, TrainingConfig
from liarsdice_lab.train.curriculum import BOT_TABLES, TWO_LEARNER_RULES, make_table_setups

LATEST_CHAMPION = "champion@7"


def test_a_seed_determines_the_tables_and_they_cover_the_rules() -> None:
    setups = make_table_setups(TrainingConfig(seed=5))
    assert make_table_setups(TrainingConfig(seed=5)) == setups
    assert make_table_setups(TrainingConfig(seed=6)) != setups
    assert len({setup.rules.labels.game for setup in setups}) > 8
    for setup in setups:
        assert any(isinstance(policy, ExternalPolicy) for policy in setup.policies)
        assert setup.rules.players.min <= len(setup.policies) <= (setup.rules.players.max or 6)


def test_a_configuration_has_as_many_tables_of_each_kind_as_it_says() -> None:
    setups = make_table_setups(
        TrainingConfig(
            tables=40,
            bot_table_share=0.25,
            two_learner_share=0.25,
            opponent_table_share=0.5,
            opponents=("champion@5", "other.npz"),
        )
    )
    assert [setup.opponent for setup in setups].count("champion@5") == 10
    assert [setup.opponent for setup in setups].count("other.npz") == 10
    for setup in setups:
        assert 0 <= setup.opponent_count < len(setup.policies)
        assert (setup.opponent_count > 0) == bool(setup.opponent)
    for setup in setups[:10]:
        assert [isinstance(policy, ExternalPolicy) for policy in setup.policies].count(True) == 1
    for setup in setups[10:20]:
        assert setup.rules in (preset(name).ruleset for name in TWO_LEARNER_RULES)
        assert setup.policies == (ExternalPolicy(), ExternalPolicy())
        assert not setup.opponent


@pytest.mark.parametrize(
    "players, opponent_seats, expected",
    [
        ("min = 2", (), [2, 2, 2, 2, 2, 2]),
        ("min = 2", (3, 4, 6), [3, 3, 4, 4, 6, 6]),
        ("min = 4\nmax = 5", (3, 5, 6), [4, 4, 5, 5, 5, 5]),
    ],
)
def test_tables_with_opponents_have_the_numbers_of_seats_in_turn_as_near_as_the_rules_allow(
    players: str, opponent_seats: tuple[int, ...], expected: list[int], tmp_path: Path
) -> None:
    house = tmp_path / "house.toml"
    house.write_text(f'extends = "perudo"\n[players]\n{players}\n', encoding="utf-8")
    config = TrainingConfig(
        rules=(str(house),),
        tables=6,
        tables_per_iteration=6,
        bot_table_share=0,
        two_learner_share=0,
        opponent_table_share=1,
        opponents=("champion@5", "other.npz"),
        opponent_seats=opponent_seats,
    )
    setups = make_table_setups(config)
    assert [len(setup.policies) for setup in setups] == expected
    assert [setup.opponent_count for setup in setups] == [seats - 1 for seats in expected]
    assert [setup.opponent for setup in setups] == ["champion@5", "other.npz"] * 3


@pytest.mark.parametrize("rules, bot_table_share, two_learner_share", [("snyd", 0.5, 0.5), ("perudo", 0.34, 0.33)])
def test_shares_that_are_rounded_or_cannot_be_had_leave_the_number_of_tables(
    rules: str, bot_table_share: float, two_learner_share: float
) -> None:
    config = TrainingConfig(
        rules=(rules,),
        tables=5,
        tables_per_iteration=4,
        bot_table_share=bot_table_share,
        two_learner_share=two_learner_share,
        opponent_table_share=0.33,
    )
    assert len(make_table_setups(config)) == config.tables


def test_only_tables_of_its_rules_have_a_teacher() -> None:
    setups = make_table_setups(TrainingConfig(teachers={"perudo": LATEST_CHAMPION}))
    rules = preset("perudo").ruleset
    assert {setup.teacher for setup in setups if setup.rules == rules} == {LATEST_CHAMPION}
    assert {setup.teacher for setup in setups if setup.rules != rules} == {""}
    assert len({len(setup.policies) for setup in setups if setup.teacher}) > 3


@pytest.mark.parametrize(
    "config",
    [
        TrainingConfig(teachers={}),
        TrainingConfig(teachers={"perudo": LATEST_CHAMPION}, ppo=PPOConfig(teacher_weight=0)),
    ],
)
def test_a_teacher_without_weight_is_not_asked(config: TrainingConfig) -> None:
    assert {setup.teacher for setup in make_table_setups(config)} == {""}


@pytest.mark.parametrize("ends_with_two", [False, True])
def test_all_tables_of_a_run_end_alike(ends_with_two: bool) -> None:
    setups = make_table_setups(TrainingConfig(rules=("perudo",), ends_with_two=ends_with_two))
    assert {setup.ends_with_two for setup in setups} == {ends_with_two}


def test_house_rules_have_bots_and_two_learners_at_their_own_tables(tmp_path: Path) -> None:
    house = tmp_path / "house.toml"
    house.write_text('extends = "perudo"\n[dice]\nper_player = 2\n', encoding="utf-8")
    setups = make_table_setups(TrainingConfig(rules=(str(house),), tables=40, opponent_table_share=0))
    with_bots, two_learners = setups[:8], setups[8:18]
    assert {setup.rules for setup in setups} == {find_rules(house)}
    assert {len(setup.policies) for setup in with_bots} == {2, 4}
    assert all(list(map(is_learner, setup.policies)).count(True) == 1 for setup in with_bots)
    assert all(list(map(is_learner, setup.policies)) == [True, True] for setup in two_learners)


def test_the_tables_of_a_run_of_all_presets_are_those_of_the_champion() -> None:
    setups = make_table_setups(TrainingConfig())
    names = {name for name, _, _ in BOT_TABLES}
    with_bots = [setup for setup in setups if setup.rules in {find_rules(name) for name in names}]
    assert setups[: round(128 * 0.2)] == [setup for setup in setups[: round(128 * 0.2)] if setup in with_bots]


def is_learner(policy: Policy) -> bool:
    return isinstance(policy, ExternalPolicy)
