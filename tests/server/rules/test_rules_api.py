"""Rules as the page shows them: addresses, the fields of the form, and options that say whether they conflict."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from string import Formatter
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.bids.odds import odds, to_percent
from liarsdice.core.errors import LiarsDiceError, MalformedError, UnavailableError
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Cap
from liarsdice.core.rules.overlay import DEFAULTS, FIELD_TYPES, OPTIONAL_PARTS, Plain, unchecked_rules
from liarsdice.core.rules.presets import preset, preset_names, sheets
from liarsdice.core.rules.rule_costs import MAX_DICE_EACH, MAX_FACES, find_costs
from liarsdice.core.rules.ruleset import checked
from liarsdice.core.rules.validate import MAX_QUANTITY, ProblemCode, RulesetProblem, find_problems, find_warnings
from liarsdice.core.text.rulebook import LANGUAGES, rulebook
from liarsdice.server.rules import rules_api
from liarsdice.server.rules.rules_api import (
    HIDDEN_DICE,
    NUMBER_RANGES,
    PLACEHOLDER,
    OddsForm,
    RuleField,
    RuleFieldKind,
    RulesForm,
    RulesResponse,
    encoded_odds,
    encoded_rules,
    field_kind,
    find_games,
    listed_values,
    odds_response,
    preset_cards,
    problem_text,
    rules_response,
    ruleset_of,
    translations_for,
)
from liarsdice.server.table.table_config import MAX_PLAYERS

WORDS = Path(rules_api.__file__).parent / "words"


def request_rules(rules: str = "classic", language: str = "en", **changes: object) -> RulesResponse:
    """The response about rules; `dice__faces=8` changes `dice.faces`."""
    by_path = {name.replace("__", "."): value for name, value in changes.items()}
    return rules_response(RulesForm(rules=rules, changes=by_path, language=language))


def field_of(response: RulesResponse, path: str) -> RuleField:
    return next(field for field in response.fields if field.path == path)


def test_the_address_lists_the_differences_from_the_preset_in_order() -> None:
    response = request_rules(
        "dudo", labels__game="¿21 o ~más?", dice__per_player=6, exact_call=False, dice__faces=6, penalties=[]
    )
    assert response.rules == "perudo"
    assert response.changes == {"dice.per_player": 6, "exact_call": None, "labels.game": "¿21 o ~más?"}
    assert response.address == ("/rules/perudo?dice.per_player=6&exact_call=null&labels.game=%C2%BF21+o+%7Em%C3%A1s%3F")
    assert request_rules("classic+aces").address == "/rules/classic%2Baces"


def test_changed_rules_name_their_preset_by_its_title() -> None:
    response = request_rules("mustache", dice__per_player=6)
    assert (response.rules, response.base_title) == ("mustache", "Mustache house rules")


def test_text_that_looks_like_json_is_quoted_in_the_address() -> None:
    assert request_rules(labels__game="21").address == "/rules/classic?labels.game=%2221%22"
    assert request_rules(labels__game="NaN").address == "/rules/classic?labels.game=NaN"


def test_lists_are_json_in_the_address() -> None:
    response = request_rules("perudo", wilds__suspended_by=["special_round", "any_bid_on_special"])
    assert response.address.endswith("?wilds.suspended_by=%5B%22special_round%22%2C%22any_bid_on_special%22%5D")


def test_the_seats_are_limited_to_those_of_the_page() -> None:
    assert request_rules("classic", players__max=5).seats == (2, 5)
    assert request_rules("perudo").seats == (2, 20)
    assert request_rules("perudo", players__min=3, players__max=50).seats == (3, 20)


def test_the_response_is_the_rulebook_with_its_chart_in_the_requested_language() -> None:
    response = request_rules("perudo", "es")
    assert response.title == "Perudo"
    assert response.sections[-1].title == "El final de la partida"
    assert [section.key for section in response.sections if section.chart] == ["bids"]


def test_conflicting_rules_say_why_and_show_the_rules_without_the_conflict() -> None:
    changes: dict[str, object] = {"dice.per_player": 6, "bidding.raise": "product"}
    response = rules_response(RulesForm(rules="perudo", changes=changes))
    assert "loop" in response.problems[0]
    assert response.changes == changes
    assert field_of(response, "dice.per_player").value == 6
    assert field_of(response, "bidding.raise").value == "quantity_first"


def test_rules_that_cost_too_much_for_any_table_say_so_and_seats_are_those_of_tables_that_may_be() -> None:
    costly = request_rules("perudo", dice__faces=20, bidding__cap=1_000)
    problem, _ = costly.problems
    assert problem.startswith("These rules have 20000 bids, but a table here has at most 12000. Set “Highest bid” to")
    assert costly.changes == {"bidding.cap": 1_000, "dice.faces": 20}
    assert (costly.ruleset.bidding.cap, costly.ruleset.dice.faces) == (Cap.DICE_IN_PLAY, 20)
    gains = request_rules("perudo", exact_call__gain_cap=None, exact_call__success_gain=9, guards__max_rounds=20)
    assert gains.seats == (2, 4)  # 20 dice of four players and 180 more
    assert gains.problems == ()


def test_the_response_says_whether_matches_are_simulated() -> None:
    assert request_rules("classic").simulated
    assert not request_rules("classic", loss__lives=3).simulated


def test_warnings_are_shown() -> None:
    (warning,) = request_rules("perudo", special_round=None).warnings
    assert warning == (
        "Only special rounds may open on the special face, and there are none. "
        "Check “Opening on the special face” and “Special round”."
    )


def test_an_absent_part_of_the_rules_has_one_field() -> None:
    response = request_rules("basic")
    assert [field.path for field in response.fields if field.path.startswith("exact_call")] == ["exact_call"]
    call = field_of(response, "exact_call")
    assert (call.kind, call.value, {option.value for option in call.options}) == (
        RuleFieldKind.SWITCH,
        None,
        {None, True},
    )
    assert field_of(request_rules("basic", exact_call=True), "exact_call.who").options


def test_fields_that_differ_from_the_preset_are_marked_as_changed() -> None:
    response = request_rules("perudo", loss__mode="difference", exact_call__budget=2)
    assert {field.path for field in response.fields if field.changed} == {"loss.mode", "exact_call.budget"}


def test_an_option_says_why_it_conflicts() -> None:
    options = {option.value: option for option in field_of(request_rules("perudo"), "bidding.raise").options}
    assert "loop" in options["product"].problem
    assert options["no_decrease"].problem == ""


def test_the_range_of_a_number_respects_the_other_rules() -> None:
    assert field_of(request_rules("classic"), "dice.per_player").least == 1
    assert field_of(request_rules("perudo"), "dice.per_player").least == 2
    assert field_of(request_rules("classic", players__min=4), "players.max").least == 4
    assert field_of(request_rules("classic", dice__faces=8), "dice.special_face").most == 8
    assert field_of(request_rules("classic", dice__per_player=15), "dice.per_player").most == 15


def test_only_labels_and_faces_by_seat_are_free_text() -> None:
    response = request_rules("perudo", loss__lives=3, penalties=[{"trigger": "commits_offence"}])
    texts = [field.path for field in response.fields if field.kind is RuleFieldKind.TEXT]
    assert set(texts) == {path for path in FIELD_TYPES if path.startswith("labels.")} | {"dice.faces_by_seat"}


def test_several_words_are_written_as_one_text_with_commas() -> None:
    response = request_rules("classic", labels__challenge_also="Humbug!, J'accuse!,")
    assert response.changes == {"labels.challenge_also": ["Humbug!", "J'accuse!"]}
    assert field_of(response, "labels.challenge_also").value == ["Humbug!", "J'accuse!"]
    assert request_rules("mustache", labels__challenge_also="none").ruleset.labels.other_challenges == ()


def test_faces_by_seat_are_written_as_one_text_with_commas() -> None:
    response = request_rules("classic", dice__faces_by_seat="4, 5,")
    assert response.changes == {"dice.faces_by_seat": [4, 5]}
    assert field_of(response, "dice.faces_by_seat").value == [4, 5]
    with pytest.raises(MalformedError, match=r"dice\.faces_by_seat\[1\] must be a whole number, not text"):
        request_rules("classic", dice__faces_by_seat="4, d6")


def test_penalties_have_a_name_and_a_cost_of_their_own() -> None:
    early = {"trigger": "commits_offence", "dice": 2, "offence": "lifting a cup early"}
    response = request_rules("classic", penalties=[{"trigger": "asks_whose_turn", "dice": 1}, early])
    field = field_of(response, "penalties")
    assert (field.kind, field.least, field.most) == (RuleFieldKind.PENALTIES, 1, 10)
    assert field.value == response.changes["penalties"] == [{"trigger": "asks_whose_turn", "dice": 1}, early]
    (words,) = [option.words for option in field.options if option.value == field.value]
    assert words == "Asking whose turn it is costs one die. “lifting a cup early” costs two dice."
    assert response.address == (
        "/rules/classic?penalties=%5B%7B%22trigger%22%3A%22asks_whose_turn%22%2C%22dice%22%3A1%7D%2C%7B%22trigger%22%3A"
        "%22commits_offence%22%2C%22dice%22%3A2%2C%22offence%22%3A%22lifting+a+cup+early%22%7D%5D"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_field_has_one_title_of_its_own_in_each_language(language: str) -> None:
    titles = translations_for(language).titles
    assert len({translations_for(language).title(path) for path in DEFAULTS}) == len(DEFAULTS)
    paths = [path for section in titles.values() for path in section]
    assert sorted(paths) == sorted(DEFAULTS)
    assert all(0 < len(title) <= 45 for section in titles.values() for title in section.values())
    assert {path for path in FIELD_TYPES if field_kind(path) is RuleFieldKind.NUMBER} == set(NUMBER_RANGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_languages_have_the_same_keys_in_the_same_order(language: str) -> None:
    def keys(table: dict[str, Any]) -> list[object]:
        return [(key, keys(inner) if isinstance(inner, dict) else None) for key, inner in table.items()]

    ours = tomllib.loads((WORDS / LANGUAGES[language].catalogue).read_text(encoding="utf-8"))
    assert keys(ours) == keys(tomllib.loads((WORDS / "english.toml").read_text(encoding="utf-8")))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_best_known_presets_are_the_first_cards(language: str) -> None:
    cards = preset_cards(language)
    assert {card.name for card in cards[:6]} == {"chart", "classic", "basic", "mustache", "official", "perudo"}
    assert sorted(card.name for card in cards) == sorted(preset_names())
    assert all(card.players_max <= 20 and card.line.endswith(".") for card in cards)
    assert cards[0].options == ("aces", "palifico", "calza", "reversa")


def test_spanish_cards_and_sheets_have_spanish_names_of_games() -> None:
    titles = {card.name: card.title for card in preset_cards("es")}
    assert titles["classic"] == "Dados mentirosos clásicos"
    response = request_rules("classic", "es", **{"dice.per_player": 6})
    assert (response.title, response.base_title) == (titles["classic"], titles["classic"])


def test_an_unknown_language_is_unavailable() -> None:
    with pytest.raises(UnavailableError):
        preset_cards("xx")
    with pytest.raises(UnavailableError):
        request_rules(language="../en")


@given(st.sampled_from([*preset_names(), "classic+aces+calza"]), st.sampled_from(list(LANGUAGES)), st.data())
def test_choosing_an_option_has_the_result_that_it_announces(name: str, language: str, data: st.DataObject) -> None:
    response = request_rules(name, language)
    for _ in range(data.draw(st.integers(1, 6))):
        choices = [(field, option) for field in response.fields for option in field.options]
        field, option = data.draw(st.sampled_from(choices))
        assert option.words
        changed = rules_response(
            RulesForm(rules=name, changes=response.changes | {field.path: option.value}, language=language)
        )
        assert bool(changed.problems) == bool(option.problem), (field.path, option)
        if option.problem:
            assert changed.problems[0] == option.problem
            continue
        assert field_of(changed, field.path).value == option.value
        rules = ruleset_of(name, changed.changes)
        assert rules == ruleset_of(name, response.changes | {field.path: option.value})
        assert changed.address == repeat_request(changed, language).address
        response = changed


def repeat_request(response: RulesResponse, language: str) -> RulesResponse:
    return rules_response(RulesForm(rules=response.rules, changes=response.changes, language=language))


@given(st.sampled_from(preset_names()), st.data())
def test_every_number_in_the_range_is_valid(name: str, data: st.DataObject) -> None:
    response = request_rules(name)
    field = data.draw(st.sampled_from([field for field in response.fields if field.kind is RuleFieldKind.NUMBER]))
    assert field.least is not None
    assert field.most is not None
    number = data.draw(st.integers(field.least, field.most))
    problems = rules_response(RulesForm(rules=name, changes={field.path: number})).problems
    assert all("count double" in problem for problem in problems) if field.path == "dice.double" else not problems


@pytest.mark.parametrize("lives, noun", [(None, "die"), (3, "life")])
def test_the_special_round_is_told_in_what_players_lose(lives: int | None, noun: str) -> None:
    (field,) = (field for field in request_rules("perudo", loss__lives=lives).fields if field.path == "special_round")
    words = [option.words for option in field.options if option.value is True]
    assert words == [f"A player who is down to one {noun} opens a special round."]


COSTLY: dict[str, Plain] = {
    "ladder": {"bidding.raise": "quantity_first", "bidding.to_pure": "one_less", "bidding.special_rank": "top_face"},
    "table": {"bidding.raise": "either_increases", "bidding.no_repeat": True, "bidding.special_rank": "plain"},
    "product": {"bidding.raise": "product", "bidding.special_rank": "plain"},
}


@pytest.mark.parametrize("changes", COSTLY.values(), ids=COSTLY)
def test_responses_about_rules_with_the_most_bids_are_not_much_longer_than_others(changes: Plain) -> None:
    most = {"dice.faces": MAX_FACES, "bidding.cap": MAX_QUANTITY, "wilds.suspended_by": [], **changes}
    assert len(encoded_rules(RulesForm(rules="perudo", changes=most))) < 128 * 1024
    assert len(encoded_odds(OddsForm(rules="perudo", changes=most))) < 8 * 1024


NOT_FOR_PLAYERS = {"to_pure", "from_pure", "value", "label", "formula", "raise_rule", "to_special", "from_special"}
"""Placeholders that only the messages for writers of files have."""

FILE_SYNTAX = re.compile(r"_|=|\b[a-z]+\.[a-z]|\b(true|false)\b")
RAW = {str(member) for kind in c.Choice.__subclasses__() if kind.__module__ == c.__name__ for member in kind}

PROBLEM_EXAMPLES: dict[ProblemCode, tuple[str, dict[str, Any]]] = {
    ProblemCode.TOO_LOW: ("classic", {"special_round": {}, "special_round.min_players": 1}),
    ProblemCode.TOO_HIGH: ("classic", {"dice.per_player": 500}),
    ProblemCode.TOO_MANY_DICE: ("perudo", {"exact_call.gain_cap": None, "guards.max_rounds": 1_000}),
    ProblemCode.TOO_MANY_BIDS: ("perudo", {"bidding.cap": 1_000, "dice.faces": 20}),
    ProblemCode.TOO_LONG_ROUNDS: ("perudo", {"bidding.cap": 1_000}),
    ProblemCode.NO_LABEL: ("classic", {"labels.game": "dice.faces\n"}),
    ProblemCode.LABEL_MISREAD: ("classic", {"labels.challenge": "quit"}),
    ProblemCode.LABELS_ALIKE: ("classic", {"labels.challenge": "Cheers!", "labels.exact": "cheers"}),
    ProblemCode.NO_SUCH_FACE: ("classic", {"dice.special_face": 7}),
    ProblemCode.FACES_OF_NO_SEAT: ("classic", {"players.max": 2, "dice.faces_by_seat": [4, 4, 4]}),
    ProblemCode.FACES_ABOVE_HIGHEST: ("classic", {"dice.faces_by_seat": [4, 8]}),
    ProblemCode.NO_OPENING: ("classic", {"bidding.min_open": 5, "bidding.max_open": 4}),
    ProblemCode.ENDLESS_ROUND: ("classic", {"bidding.cap": None}),
    ProblemCode.PENALTY_TWICE: ("classic", {"penalties": [{"trigger": "asks_dice_left"}] * 2}),
    ProblemCode.OFFENCE_TWICE: (
        "classic",
        {"penalties": [{"trigger": "commits_offence", "offence": "a die off the table"}] * 2},
    ),
    ProblemCode.OFFENCE_OF_QUESTION: (
        "classic",
        {"penalties": [{"trigger": "asks_dice_left", "offence": "a die off the table"}]},
    ),
    ProblemCode.NO_CONVERSION: ("perudo", {"bidding.to_special": None}),
    ProblemCode.IDLE_CONVERSION: ("classic", {"bidding.from_special": "never"}),
    ProblemCode.OPENING_UNBIDDABLE: ("classic", {"bidding.special_rank": "not_biddable"}),
    ProblemCode.RAISE_LOOP: ("classic", {"bidding.raise": "either_increases"}),
    ProblemCode.CONVERSION_LOOP: ("perudo", {"bidding.to_special": "ceil_half", "bidding.from_special": "double"}),
    ProblemCode.PURE_UNWILD: ("classic", {"bidding.to_pure": "same_quantity"}),
    ProblemCode.PURE_CONVERT: ("perudo", {"bidding.to_pure": "same_quantity", "wilds.suspended_by": []}),
    ProblemCode.PURE_SUSPENDED: ("chui-niu", {"bidding.to_pure": "same_quantity"}),
    ProblemCode.PURE_LOOP: (
        "chui-niu",
        {"bidding.to_pure": "one_less", "bidding.from_pure": "plus_1", "wilds.suspended_by": []},
    ),
    ProblemCode.SHOWN_HANDS: ("snyd-stairs", {"bidding.show_dice": "counting"}),
    ProblemCode.SHOWN_TAKEN: ("chart", {"bidding.show_dice": "counting", "penalty_timing": "immediate"}),
    ProblemCode.SUMS_OF_OWN_DICE: ("basic+aetolia", {"bidding.face_off": "sum", "loss.out_below": None}),
    ProblemCode.SUMS_NEVER: ("basic", {"bidding.face_off": "sum", "loss.lives": 3}),
    ProblemCode.SUSPENDED_UNWILD: ("chui-niu", {"wilds.special_is_wild": False}),
    ProblemCode.SUSPENDED_TWICE: ("chui-niu", {"wilds.suspended_by": ["any_bid_on_special"] * 2}),
    ProblemCode.SUSPENDED_BY_NO_ROUND: ("perudo", {"special_round": None}),
    ProblemCode.SUSPENDED_BY_NO_OPENING: (
        "chui-niu",
        {"wilds.suspended_by": ["opening_bid_on_special"], "bidding.special_may_open": False},
    ),
    ProblemCode.SUSPENDED_BY_NO_BID: ("chui-niu", {"bidding.special_rank": "not_biddable"}),
    ProblemCode.NEVER_OUT_OF_TURN: ("official", {"challenge.who": "next_player"}),
    ProblemCode.DICE_STAY: ("classic", {"loss.destination": "opponent"}),
    ProblemCode.LIVES_UNLIMITED: ("classic", {"loss.lives": "unlimited"}),
    ProblemCode.TAKEN_FROM_NOBODY: ("perudo", {"loss.lives": 5, "loss.tally": "taken", "exact_call.gain_cap": None}),
    ProblemCode.FOLD_DIFFERENCE: (
        "chui-niu+pi",
        {"challenge.answers": "redouble_or_fold", "loss.mode": "difference"},
    ),
    ProblemCode.SHED_OTHERWISE: ("basic", {"loss.shed_by": "winner", "penalties": [{"trigger": "asks_dice_left"}]}),
    ProblemCode.SEVERAL_LOSERS: ("classic", {"loss.on_exact": "all_but_bidder"}),
    ProblemCode.OWN_DICE_BONUS: ("snyd-stairs", {"count.scope": "bidder"}),
    ProblemCode.DIFFERENT_DICE: ("basic", {"count.all_different": "worthless", "dice.per_player": 7}),
    ProblemCode.DOUBLE_DICE: ("snyd-stairs", {"dice.double": 1}),
    ProblemCode.DIFFERENT_STAIRS: ("snyd-stairs", {"count.all_different": "rolled_again"}),
    ProblemCode.EXACT_KEEPS_DICE: ("classic", {"exact_call": {}}),
    ProblemCode.EXACT_IS_FREE: ("red-dead", {"exact_call.failure_loss": 0}),
    ProblemCode.EXACT_SEVERAL_LOSERS: ("red-dead", {"exact_call.next_starter": "loser"}),
    ProblemCode.NEVER_LAST_LIFE: ("perudo", {"loss.lives": "unlimited"}),
    ProblemCode.NEVER_LAST_DIE: ("perudo", {"loss.out_below": 3}),
    ProblemCode.PASSING_TWICE: ("perudo", {"bidding.pass_with": ["alike", "alike"]}),
    ProblemCode.PASSING_IMPOSSIBLE: ("perudo", {"bidding.pass_with": ["full_house"], "dice.per_player": 4}),
    ProblemCode.PASSING_TAKEN: ("chart", {"bidding.pass_with": ["alike"], "penalty_timing": "immediate"}),
    ProblemCode.PASSING_MIXED: ("basic+mixed-dice", {"bidding.pass_with": ["alike"]}),
    ProblemCode.PASSING_COVERED: ("perudo+obligo-open", {"bidding.pass_with": ["alike"]}),
    ProblemCode.COVERED_SHOW: ("perudo+obligo-open", {"bidding.show_dice": "counting"}),
    ProblemCode.COVERED_TWICE: ("perudo+obligo-open", {"dice.visibility": "blind"}),
    ProblemCode.COVERED_REROLL: ("chui-niu+reroll-straights", {"dice.visibility": "blind"}),
    ProblemCode.DECLARED_BLIND: ("perudo+obligo-open", {"special_round.trigger": "declared"}),
    ProblemCode.OPEN_HANDS: ("perudo+obligo-open", {"count.hand_bonus": "alike"}),
    ProblemCode.NEVER_DOWN_TO_ONE: ("perudo", {"dice.per_player": 1}),
    ProblemCode.CONVERT_UNWILD: ("perudo", {"wilds.special_is_wild": False}),
    ProblemCode.CONVERT_SUSPENDED: ("perudo", {"wilds.suspended_by": ["any_bid_on_special"]}),
    ProblemCode.NEVER_OPENS: ("perudo", {"special_round": None}),
    ProblemCode.NATURAL_UNWILD: ("classic", {"wilds.needs_natural": True}),
    ProblemCode.UNLIMITED_GAIN: ("perudo", {"exact_call.gain_cap": None}),
    ProblemCode.EXEMPT_UNLOCKED: ("perudo", {"special_round.face_locked": False}),
}
"""Rules with every problem, as a file can have them: a preset, and changes of it."""


def problems_of(name: str, changes: Mapping[str, Any]) -> list[RulesetProblem]:
    """All that is wrong or odd about a preset with these changes, and nothing done to make up for them."""
    plain: dict[str, Any] = msgspec.to_builtins(preset(name).ruleset)
    for path, value in changes.items():
        part, _, field = path.rpartition(".")
        (plain[part] if part else plain)[field] = value
    rules = unchecked_rules(plain)
    problems = list(find_problems(rules))
    return [*(problems or find_costs(checked(rules), rules.players.min)), *find_warnings(rules)]


def placeholders(code: ProblemCode) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(code.value) if name}


def is_for_players(text: str, language: str) -> bool:
    """Whether a text has no field path and no value as files write it; of those, English shares words with players."""
    is_sentence = (text[0] in "“«" or text[0].isupper()) and text.endswith(".")
    has_no_foreign_words = language == "en" or not RAW & set(re.findall(r"\w+", text))
    return is_sentence and has_no_foreign_words and not FILE_SYNTAX.search(text)


@pytest.mark.parametrize("code", ProblemCode, ids=lambda code: code.name.lower())
def test_every_problem_can_occur_and_has_a_sentence_in_each_language(code: ProblemCode) -> None:
    (problem,) = [problem for problem in problems_of(*PROBLEM_EXAMPLES[code]) if problem.code is code]
    assert problem.values.keys() == placeholders(code)
    sentences = {problem_text(problem, language) for language in LANGUAGES}
    assert len(sentences) == len(LANGUAGES)
    assert all(is_for_players(problem_text(problem, language), language) for language in LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_have_the_placeholders_of_their_problem(language: str) -> None:
    sentences, english = translations_for(language).problems, translations_for("en").problems
    assert list(sentences) == [code.name.lower() for code in ProblemCode]
    for code in ProblemCode:
        named = PLACEHOLDER.findall(sentences[code.name.lower()])
        assert (
            placeholders(code) - NOT_FOR_PLAYERS <= set(named) <= (placeholders(code) - NOT_FOR_PLAYERS) | set(DEFAULTS)
        ), code
        assert sorted(named) == sorted(PLACEHOLDER.findall(english[code.name.lower()])), code


def test_a_loop_is_explained_with_its_remedies() -> None:
    (problem,) = problems_of("classic", {"bidding.raise": "either_increases"})
    assert str(problem).startswith("bidding.raise either_increases lets bids go round in a loop: 1x2 -> ")
    assert problem_text(problem, "en") == (
        "Bids could go round in a loop: 1×2 → 2×1 → 1×2. "
        "Choose another option at “What beats a bid”, or switch on “No repeated bids in a round”."
    )
    assert problem_text(problem, "es") == (
        "Las apuestas podrían dar vueltas sin fin: 1×2 → 2×1 → 1×2. "
        "Elige otra opción en «Qué supera a una apuesta» o activa «Sin repetir apuestas en una ronda»."
    )


def test_a_loop_of_conversions_names_the_conversions() -> None:
    (problem,) = problems_of("perudo", {"bidding.to_special": "ceil_half", "bidding.from_special": "double"})
    assert str(problem) == (
        "bidding.to_special ceil_half and bidding.from_special double let bids go round in a loop: 1x1 -> 2x2 -> 1x1 "
        "(choose another of the two or set bidding.no_repeat)"
    )
    assert "“Changing to the special face” or “Changing from the special face”" in problem_text(problem, "en")


def test_a_number_outside_its_limits_is_named_by_its_title() -> None:
    (penalty,) = problems_of("classic", {"penalties": [{"trigger": "asks_dice_left", "dice": 0}]})
    assert problem_text(penalty, "en") == "“Penalties” must be at least 1."
    (players,) = problems_of("perudo", {"special_round.min_players": 500})
    assert problem_text(players, "es") == "«Ronda especial: Mínimo de personas» puede ser como mucho 100."


ODD_NUMBERS = st.sampled_from([-1, 0, 1, 2, 3, 7, 13, 50, 101, 1001, 10**7])
ODD_LISTS: dict[str, list[Any]] = {
    "penalties": [[{"trigger": "asks_dice_left", "dice": 0}], [{"trigger": "asks_dice_left"}] * 2],
    "wilds.suspended_by": [["special_round"] * 2],
    "dice.faces_by_seat": [[4, 6], [1, 99]],
}


def values(path: str) -> st.SearchStrategy[Any]:
    """Values that the page offers for a field, and others that only an address can contain."""
    kind, listed = field_kind(path), list(listed_values(path))
    if kind is RuleFieldKind.NUMBER:
        return st.sampled_from(listed) | ODD_NUMBERS if listed else ODD_NUMBERS
    if kind is RuleFieldKind.TEXT and path not in ODD_LISTS:
        return st.sampled_from(["", "x" * 41, "bidding.raise", "a\nb"])
    return st.sampled_from([*listed, *ODD_LISTS.get(path, [])])


changes_of_all_kinds = st.lists(
    st.sampled_from([*FIELD_TYPES, *OPTIONAL_PARTS]).flatmap(lambda path: st.tuples(st.just(path), values(path))),
    max_size=6,
).map(dict)


def texts_on_the_page(response: RulesResponse) -> list[str]:
    """Everything that the page says about conflicts."""
    options = [option for field in response.fields for option in field.options]
    return [*response.problems, *response.warnings, *(option.problem for option in options if option.problem)]


@given(st.sampled_from(preset_names()), st.sampled_from(list(LANGUAGES)), changes_of_all_kinds)
def test_no_page_shows_field_paths(name: str, language: str, changes: dict[str, Any]) -> None:
    if changes.get("dice.faces", 0) > 20:  # more than the page takes
        changes["dice.faces"] = 20
    response = rules_response(RulesForm(rules=name, changes=changes, language=language))
    for text in texts_on_the_page(response):
        assert is_for_players(text, language), text


def percents(form: OddsForm, hidden: int, *, wilds: bool) -> tuple[int, ...]:
    (chart,) = [chart for chart in odds_response(form).charts if chart.wilds is wilds]
    return next(row.percents for row in chart.rows if row.hidden == hidden)


def test_a_chart_has_the_exact_odds() -> None:
    form = OddsForm(rules="perudo", hand=(1, 4, 4), face=4)
    rules = preset("perudo").ruleset
    for wilds in (True, False):
        for hidden in (1, 7, 20):
            for quantity, percent in enumerate(percents(form, hidden, wilds=wilds), start=1):
                exact = odds(rules, Bid(quantity, 4), (1, 4, 4), (hidden,), wilds_count=wilds)
                assert percent == to_percent(float(exact.p_true))


def test_known_chances_of_unseen_dice() -> None:
    """Each of 8 dice helps one time in three with wild ones: at least three of them in 53 of 100 deals."""
    assert percents(OddsForm(rules="perudo"), 8, wilds=True)[:4] == (96, 80, 53, 26)
    assert percents(OddsForm(rules="classic"), 10, wilds=False)[:3] == (84, 52, 22)


def test_rules_and_faces_without_wild_dice_have_one_chart() -> None:
    assert [chart.wilds for chart in odds_response(OddsForm(rules="classic")).charts] == [False]
    assert [chart.wilds for chart in odds_response(OddsForm(rules="perudo", face=1)).charts] == [False]
    charts = odds_response(OddsForm(rules="perudo")).charts
    assert [chart.wilds for chart in charts] == [True, False]
    assert all(tuple(row.hidden for row in chart.rows) == HIDDEN_DICE for chart in charts)


def test_a_bonus_for_stairs_is_in_the_odds() -> None:
    plain, stairs = (percents(OddsForm(rules=name), 4, wilds=True) for name in ("perudo", "snyd-stairs"))
    assert plain != stairs


MIXED = "basic+mixed-dice"


def test_a_chart_of_dice_that_differ_by_seat_goes_by_the_seats_that_are_still_in() -> None:
    """Seats 0 to 3 have dice with 4, 6, 8 and 10 faces, all others with 12."""
    rules = preset(MIXED).ruleset
    form = OddsForm(rules=MIXED, hand=(3, 4), face=4, seat=1, others=(4, 0))
    response = odds_response(form)
    assert response.others == (0, 4)
    assert [row.hidden for row in response.charts[0].rows] == [2, 4, 6, 8, 10]
    for dice, row in enumerate(response.charts[0].rows, start=1):
        for quantity, percent in enumerate(row.percents, start=1):
            exact = odds(rules, Bid(quantity, 4), (3, 4), (dice, dice), wilds_count=False, faces=(4, 12))
            assert percent == to_percent(float(exact.p_true))


def test_all_seats_with_dice_of_their_own_and_one_without_are_in_unless_seats_are_named() -> None:
    response = odds_response(OddsForm(rules=MIXED, seat=2))
    assert response.others == (0, 1, 3, 4)
    assert odds_response(OddsForm(rules="basic", seat=2, others=(1,))).others == ()


def test_a_face_that_only_one_seat_has_can_be_shown_by_its_dice_alone() -> None:
    (chart,) = odds_response(OddsForm(rules=MIXED, face=11, others=(1, 4))).charts
    assert len(chart.rows[-1].percents) == 5


@pytest.mark.parametrize(
    "form, message",
    [
        (OddsForm(rules=MIXED, hand=(5,)), "the dice of seat 1 have 4 faces; none shows a 5"),
        (OddsForm(rules=MIXED, seat=1, others=(1, 2)), "seats of their own"),
        (OddsForm(rules=MIXED, others=(2, 2)), "seats of their own"),
        (OddsForm(rules=MIXED, others=(MAX_PLAYERS,)), "numbered from 0"),
        (OddsForm(rules=MIXED, seat=-1), "numbered from 0"),
    ],
)
def test_seats_that_cannot_be_are_refused(form: OddsForm, message: str) -> None:
    with pytest.raises(MalformedError, match=message):
        odds_response(form)


@pytest.mark.parametrize(
    "form",
    [
        OddsForm(face=7),
        OddsForm(hand=(0,)),
        OddsForm(hand=(1,) * (MAX_DICE_EACH + 1)),
        OddsForm(rules="nothing"),
        OddsForm(changes={"dice.faces": "x"}),
    ],
)
def test_what_cannot_be_is_refused(form: OddsForm) -> None:
    with pytest.raises(LiarsDiceError):
        odds_response(form)


def test_there_is_no_chart_of_bids_about_own_dice() -> None:
    with pytest.raises(LiarsDiceError, match="only of bids about all dice"):
        odds_response(OddsForm(rules="basic+aetolia"))


@pytest.mark.parametrize(
    "name", ["house.toml", "/etc/passwd", "../rules.json", "perudo.toml", "", "nope", "classic+nope", "x" * 10_000]
)
def test_a_name_is_never_a_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "house.toml").write_text('extends = "perudo"')
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnavailableError):
        ruleset_of(name, {})
    with pytest.raises(UnavailableError):
        rules_response(RulesForm(rules=name))


@pytest.mark.parametrize("changes", [{"dice.sides": 6}, {"dice.per_player": "six"}, {"exact_call": 3}, {"": 1}])
def test_changes_that_cannot_be_read_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(MalformedError):
        ruleset_of("classic", changes)
    with pytest.raises(MalformedError):
        rules_response(RulesForm(changes=changes))


def found(search: str) -> list[str]:
    return [game.name for game in find_games(search, "en")]


def test_a_search_finds_games_by_name_country_and_rule_in_each_language_without_accents_and_case() -> None:
    everything = {*preset_names(), *sheets()}
    assert set(found("")) == set(found("  ")) == everything
    assert found("MAPUTO")[0] == "perudo-ru"
    assert found("мапуто")[0] == "perudo-ru"
    assert set(found("perú")) == set(found("peru")) > {"perudo", "wikipedia-es"}
    assert found("Dinamarca") == found("denmark") == ["snyd", "snyd-joker", "snyd-stairs"]
    assert found("denmark joker") == ["snyd-joker", "snyd-stairs"]
    assert found("Denmark Italy") == found("xyzzy") == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_search_finds_a_game_by_every_sentence_of_its_rulebook(language: str) -> None:
    for name in ("snyd-stairs", "perudo-ru"):
        for sentence in rulebook(preset(name).ruleset, language).sentences():
            assert name in found(sentence.text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_found_games_name_their_countries_in_the_readers_language(language: str) -> None:
    countries = {game.name: game.countries for game in find_games("", language)}
    assert countries["snyd"] == {"en": ("Denmark",), "es": ("Dinamarca",)}[language]
    assert countries["basic"] == ()
