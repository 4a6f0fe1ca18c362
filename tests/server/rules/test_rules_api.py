"""Rules as a page shows them: changes are read with care, and each offered choice says truly whether it goes."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.patch import KINDS
from liarsdice.core.rules.presets import names
from liarsdice.core.text.rulebook import LANGUAGES
from liarsdice.core.text.rulebook.build import DEFAULTS
from liarsdice.server.http.schemas import RulesForm, RulesSeen, RuleSwitch, SwitchKind
from liarsdice.server.rules import rules_api as rulesheet
from liarsdice.server.rules.rule_form import NUMBERS, kind_of
from liarsdice.server.rules.rules_api import preset_cards, rules_seen, ruleset_of
from liarsdice.server.rules.translations import words_of

CATALOGUES = Path(rulesheet.__file__).parent / "words"


def shown(rules: str = "classic", language: str = "en", **changes: object) -> RulesSeen:
    """The page of rules; `dice__faces=8` changes `dice.faces`."""
    by_path = {name.replace("__", "."): value for name, value in changes.items()}
    return rules_seen(RulesForm(rules=rules, changes=by_path, language=language))


def switch(seen: RulesSeen, path: str) -> RuleSwitch:
    return next(switch for switch in seen.switches if switch.path == path)


def test_the_address_is_what_differs_from_the_preset_in_order() -> None:
    seen = shown("dudo", labels__game="¿21 o ~más?", dice__per_player=6, exact_call=False, dice__faces=6, penalties=[])
    assert seen.rules == "perudo"
    assert seen.changes == {"dice.per_player": 6, "exact_call": None, "labels.game": "¿21 o ~más?"}
    assert seen.address == ("/rules/perudo?dice.per_player=6&exact_call=null&labels.game=%C2%BF21+o+%7Em%C3%A1s%3F")
    assert shown("classic+aces").address == "/rules/classic%2Baces"


def test_changed_rules_name_the_preset_as_players_know_it() -> None:
    seen = shown("mustache", dice__per_player=6)
    assert (seen.rules, seen.base_title) == ("mustache", "Mustache house rules")


def test_text_that_would_be_read_as_something_else_is_quoted_in_the_address() -> None:
    assert shown(labels__game="21").address == "/rules/classic?labels.game=%2221%22"
    assert shown(labels__game="NaN").address == "/rules/classic?labels.game=NaN"


def test_an_address_of_lists_is_json() -> None:
    seen = shown("perudo", wilds__suspended_by=["special_round", "any_bid_on_special"])
    assert seen.address.endswith("?wilds.suspended_by=%5B%22special_round%22%2C%22any_bid_on_special%22%5D")


def test_the_seats_are_those_of_the_page() -> None:
    assert shown("classic").seats == (2, 5)
    assert shown("perudo").seats == (2, 10)
    assert shown("perudo", players__min=3, players__max=50).seats == (3, 10)


def test_the_sheet_is_the_rulebook_with_its_chart_in_the_players_language() -> None:
    seen = shown("perudo", "es")
    assert seen.title == "Perudo"
    assert seen.sections[-1].title == "El final de la partida"
    assert [section.key for section in seen.sections if section.chart] == ["bids"]


def test_rules_that_do_not_work_together_say_why_and_show_those_before() -> None:
    changes: dict[str, object] = {"dice.per_player": 6, "bidding.raise": "product"}
    seen = rules_seen(RulesForm(rules="perudo", changes=changes))
    assert "loop" in seen.problems[0]
    assert seen.changes == changes
    assert switch(seen, "dice.per_player").value == 6
    assert switch(seen, "bidding.raise").value == "quantity_first"


def test_a_warning_is_passed_on() -> None:
    (warning,) = shown("perudo", special_round=None).warnings
    assert warning == (
        "Only special rounds may open on the special face, and there are none. "
        "Look at “Opening on the special face” and “Special round”."
    )


def test_the_switches_of_a_part_that_is_not_there_are_one() -> None:
    seen = shown("basic")
    assert [switch.path for switch in seen.switches if switch.path.startswith("exact_call")] == ["exact_call"]
    call = switch(seen, "exact_call")
    assert (call.kind, call.value, {option.value for option in call.options}) == (SwitchKind.SWITCH, None, {None, True})
    assert switch(shown("basic", exact_call=True), "exact_call.who").options


def test_a_choice_is_changed_where_it_differs_from_the_preset() -> None:
    seen = shown("perudo", loss__mode="difference", exact_call__budget=2)
    assert {switch.path for switch in seen.switches if switch.changed} == {"loss.mode", "exact_call.budget"}


def test_an_option_says_why_it_does_not_go() -> None:
    options = {option.value: option for option in switch(shown("perudo"), "bidding.raise").options}
    assert "loop" in options["product"].problem
    assert options["no_decrease"].problem == ""


def test_a_number_goes_as_far_as_the_other_rules_let_it() -> None:
    assert switch(shown("classic"), "dice.per_player").least == 1
    assert switch(shown("perudo"), "dice.per_player").least == 2
    assert switch(shown("classic", players__min=4), "players.max").least == 4
    assert switch(shown("classic", dice__faces=8), "dice.special_face").most == 8
    assert switch(shown("classic", dice__per_player=50), "dice.per_player").most == 50


def test_texts_are_the_tables_own_words() -> None:
    texts = [switch.path for switch in shown("perudo").switches if switch.kind is SwitchKind.TEXT]
    assert texts == [path for path in KINDS if path.startswith("labels.")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_rule_choice_has_one_title_in_each_language(language: str) -> None:
    titles = words_of(language).titles
    paths = [path for section in titles.values() for path in section]
    assert sorted(paths) == sorted(DEFAULTS)
    assert all(0 < len(title) <= 45 for section in titles.values() for title in section.values())
    assert {path for path in KINDS if kind_of(path) is SwitchKind.NUMBER} == set(NUMBERS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_the_same_words_in_the_same_order(language: str) -> None:
    def keys(table: dict[str, Any]) -> list[object]:
        return [(key, keys(inner) if isinstance(inner, dict) else None) for key, inner in table.items()]

    ours = tomllib.loads((CATALOGUES / LANGUAGES[language].catalogue).read_text(encoding="utf-8"))
    assert keys(ours) == keys(tomllib.loads((CATALOGUES / "english.toml").read_text(encoding="utf-8")))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_best_known_presets_come_first_as_cards(language: str) -> None:
    cards = preset_cards(language)
    assert {card.name for card in cards[:6]} == {"chart", "classic", "basic", "mustache", "official", "perudo"}
    assert sorted(card.name for card in cards) == sorted(names())
    assert all(card.players_max <= 10 and card.line.endswith(".") for card in cards)
    assert cards[0].options == ("aces", "palifico", "calza", "reversa")


def test_a_language_that_there_is_not_is_unavailable() -> None:
    with pytest.raises(UnavailableError):
        preset_cards("xx")
    with pytest.raises(UnavailableError):
        shown(language="../en")


@given(st.sampled_from([*names(), "classic+aces+calza"]), st.sampled_from(list(LANGUAGES)), st.data())
def test_what_an_option_says_is_what_becomes_of_it(name: str, language: str, data: st.DataObject) -> None:
    seen = shown(name, language)
    for _ in range(data.draw(st.integers(1, 6))):
        flips = [(made, option) for made in seen.switches for option in made.options]
        made, option = data.draw(st.sampled_from(flips))
        assert option.words
        flipped = rules_seen(RulesForm(rules=name, changes=seen.changes | {made.path: option.value}, language=language))
        assert bool(flipped.problems) == bool(option.problem), (made.path, option)
        if option.problem:
            assert flipped.problems[0] == option.problem
            continue
        assert switch(flipped, made.path).value == option.value
        rules = ruleset_of(name, flipped.changes)
        assert rules == ruleset_of(name, seen.changes | {made.path: option.value})
        assert flipped.address == shown_again(flipped, language).address
        seen = flipped


def shown_again(seen: RulesSeen, language: str) -> RulesSeen:
    return rules_seen(RulesForm(rules=seen.rules, changes=seen.changes, language=language))


@given(st.sampled_from(names()), st.data())
def test_every_number_between_the_ends_goes(name: str, data: st.DataObject) -> None:
    seen = shown(name)
    made = data.draw(st.sampled_from([made for made in seen.switches if made.kind is SwitchKind.NUMBER]))
    assert made.least is not None
    assert made.most is not None
    number = data.draw(st.integers(made.least, made.most))
    assert rules_seen(RulesForm(rules=name, changes={made.path: number})).problems == ()
