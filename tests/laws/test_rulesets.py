"""A ruleset is data: written to a file or as its `repr`, it reads back equal."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.rules import choices, parts, ruleset
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Labels, RuleChoices
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import from_dict, from_json, from_toml, to_json, to_toml
from liarsdice.core.rules.validate import label_problems
from tests.laws.random_rulesets import rulesets

MODULES = (choices, parts, ruleset)
VOCABULARY = {name: getattr(module, name) for module in MODULES for name in vars(module)}
letters = st.characters(categories=["L", "N", "P", "S"]).filter(str.isprintable)
words = st.text(letters | st.just(" "), min_size=1, max_size=20).filter(str.strip)


@given(rulesets())
def test_rules_written_as_toml_read_back_equal(rules: Ruleset) -> None:
    assert from_toml(to_toml(rules)) == rules


@given(rulesets())
def test_rules_written_as_json_read_back_equal(rules: Ruleset) -> None:
    assert from_json(to_json(rules)) == rules


@given(rulesets())
def test_rules_read_back_equal_from_the_plain_values_of_a_file(rules: Ruleset) -> None:
    assert from_dict(msgspec.to_builtins(rules)) == rules


@given(rulesets())
def test_the_repr_of_rules_can_be_pasted_back(rules: Ruleset) -> None:
    again: object = eval(repr(rules), dict(VOCABULARY))  # noqa: S307  our own repr, pasted back
    assert again == rules
    assert hash(again) == hash(rules)


@given(rulesets(), rulesets())
def test_rules_that_differ_are_written_differently(first: Ruleset, second: Ruleset) -> None:
    assert (first == second) is (to_toml(first) == to_toml(second)) is (to_json(first) == to_json(second))
    assert (first == second) is (repr(first) == repr(second))


@given(words, words.filter(lambda label: not any(label_problems(RuleChoices(labels=Labels(challenge=label))))))
def test_a_tables_own_words_survive_a_file(game: str, challenge: str) -> None:
    rules = patched(Ruleset(), labels=Labels(game=game, challenge=challenge))
    assert from_toml(to_toml(rules)) == rules
    assert from_json(to_json(rules)) == rules


@given(rulesets(), st.sampled_from(preset_names()))
def test_a_file_that_says_everything_says_the_same_over_any_preset(rules: Ruleset, name: str) -> None:
    assert from_toml(f'extends = "{name}"\n' + to_toml(rules)) == rules


def test_every_preset_reads_back_equal_from_toml_from_json_and_from_its_repr() -> None:
    for name in preset_names():
        rules = preset(name).ruleset
        assert from_toml(to_toml(rules)) == rules
        assert from_json(to_json(rules)) == rules
        assert eval(repr(rules), dict(VOCABULARY)) == rules  # noqa: S307  our own repr, pasted back
