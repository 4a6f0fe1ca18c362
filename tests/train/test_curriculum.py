"""Which tables a plan draws."""

from __future__ import annotations

from liarsdice.core.rules.presets import preset
from liarsdice.sim.policies import Asked
from liarsdice.train.config import Plan
from liarsdice.train.curriculum import DUELS, settings_of


def test_settings_are_drawn_alike_from_a_seed_and_cover_the_rules() -> None:
    settings = settings_of(Plan(seed=5))
    assert settings_of(Plan(seed=5)) == settings
    assert settings_of(Plan(seed=6)) != settings
    assert len({setting.rules.labels.game for setting in settings}) > 8
    for setting in settings:
        assert any(isinstance(mind, Asked) for mind in setting.minds)
        assert setting.rules.players.min <= len(setting.minds) <= (setting.rules.players.max or 6)


def test_a_plan_has_as_many_tables_of_each_kind_as_it_says() -> None:
    settings = settings_of(Plan(tables=40, sparring=0.25, duels=0.25, against=0.5, rivals=("champion@1", "other.npz")))
    assert [setting.rival for setting in settings].count("champion@1") == 10
    assert [setting.rival for setting in settings].count("other.npz") == 10
    for setting in settings:
        assert 0 <= setting.rivals < len(setting.minds)
        assert (setting.rivals > 0) == bool(setting.rival)
    for setting in settings[:10]:
        assert [isinstance(mind, Asked) for mind in setting.minds].count(True) == 1
    for setting in settings[10:20]:
        assert setting.rules in (preset(name).ruleset for name in DUELS)
        assert setting.minds == (Asked(), Asked())
        assert not setting.rival
    for rules, sparring, duels in (("snyd", 0.5, 0.5), ("perudo", 0.34, 0.33)):
        drawn_up = Plan(rules=(rules,), tables=5, at_once=4, sparring=sparring, duels=duels, against=0.33)
        assert len(settings_of(drawn_up)) == drawn_up.tables
