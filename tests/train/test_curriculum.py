"""Which tables a plan draws."""

from __future__ import annotations

from liarsdice.core.rules.presets import preset
from liarsdice.sim.policies import ExternalPolicy
from liarsdice.train.config import TrainingConfig
from liarsdice.train.curriculum import TWO_LEARNER_RULES, make_table_setups


def test_settings_are_drawn_alike_from_a_seed_and_cover_the_rules() -> None:
    settings = make_table_setups(TrainingConfig(seed=5))
    assert make_table_setups(TrainingConfig(seed=5)) == settings
    assert make_table_setups(TrainingConfig(seed=6)) != settings
    assert len({setting.rules.labels.game for setting in settings}) > 8
    for setting in settings:
        assert any(isinstance(mind, ExternalPolicy) for mind in setting.policies)
        assert setting.rules.players.min <= len(setting.policies) <= (setting.rules.players.max or 6)


def test_a_plan_has_as_many_tables_of_each_kind_as_it_says() -> None:
    settings = make_table_setups(
        TrainingConfig(
            tables=40,
            bot_table_share=0.25,
            two_learner_share=0.25,
            opponent_table_share=0.5,
            opponents=("champion@1", "other.npz"),
        )
    )
    assert [setting.rival for setting in settings].count("champion@1") == 10
    assert [setting.rival for setting in settings].count("other.npz") == 10
    for setting in settings:
        assert 0 <= setting.rivals < len(setting.policies)
        assert (setting.rivals > 0) == bool(setting.rival)
    for setting in settings[:10]:
        assert [isinstance(mind, ExternalPolicy) for mind in setting.policies].count(True) == 1
    for setting in settings[10:20]:
        assert setting.rules in (preset(name).ruleset for name in TWO_LEARNER_RULES)
        assert setting.policies == (ExternalPolicy(), ExternalPolicy())
        assert not setting.rival
    for rules, sparring, duels in (("snyd", 0.5, 0.5), ("perudo", 0.34, 0.33)):
        drawn_up = TrainingConfig(
            rules=(rules,),
            tables=5,
            tables_per_iteration=4,
            bot_table_share=sparring,
            two_learner_share=duels,
            opponent_table_share=0.33,
        )
        assert len(make_table_setups(drawn_up)) == drawn_up.tables
