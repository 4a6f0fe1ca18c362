"""What does not go is told to players in their language, by the titles that they see; only files have field paths."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.rules import choices as c
from liarsdice.core.rules.patch import KINDS, NEW_PARTS
from liarsdice.core.rules.presets import names, preset
from liarsdice.core.rules.ruleset_io import unchecked
from liarsdice.core.rules.ruleset_problems import Misfit, Reason
from liarsdice.core.rules.validate import problems, warnings
from liarsdice.core.text.rulebook import LANGUAGES
from liarsdice.core.text.rulebook.build import DEFAULTS, OPTIONAL_PARTS
from liarsdice.server.http.schemas import RulesForm, RulesSeen, SwitchKind
from liarsdice.server.rules.rule_form import kind_of, values_of
from liarsdice.server.rules.rules_api import rules_seen
from liarsdice.server.rules.translations import GAP, told, words_of

UNTOLD = {"value", "label", "formula", "raise_rule", "to_special", "from_special"}
"""What a reason says to those who write files, and players see at the choice itself."""

AS_FILES_SAY = re.compile(r"_|=|\b[a-z]+\.[a-z]|\b(true|false)\b")
RAW = {str(member) for kind in c.Choice.__subclasses__() for member in kind}

MISFITS: dict[Reason, tuple[str, dict[str, Any]]] = {
    Reason.TOO_LOW: ("classic", {"special_round": {}, "special_round.min_players": 1}),
    Reason.TOO_HIGH: ("classic", {"dice.per_player": 500}),
    Reason.NO_LABEL: ("classic", {"labels.game": "dice.faces\n"}),
    Reason.NO_SUCH_FACE: ("classic", {"dice.special_face": 7}),
    Reason.NO_OPENING: ("classic", {"bidding.min_open": 5, "bidding.max_open": 4}),
    Reason.ENDLESS_ROUND: ("classic", {"bidding.cap": None}),
    Reason.PENALTY_TWICE: ("classic", {"penalties": [{"trigger": "asks_dice_left"}] * 2}),
    Reason.NO_CONVERSION: ("perudo", {"bidding.to_special": None}),
    Reason.IDLE_CONVERSION: ("classic", {"bidding.from_special": "never"}),
    Reason.OPENING_UNBIDDABLE: ("classic", {"bidding.special_rank": "not_biddable"}),
    Reason.RAISE_LOOP: ("classic", {"bidding.raise": "either_increases"}),
    Reason.CONVERSION_LOOP: ("perudo", {"bidding.to_special": "ceil_half", "bidding.from_special": "double"}),
    Reason.SUSPENDED_UNWILD: ("chui-niu", {"wilds.special_is_wild": False}),
    Reason.SUSPENDED_TWICE: ("chui-niu", {"wilds.suspended_by": ["any_bid_on_special"] * 2}),
    Reason.SUSPENDED_BY_NO_ROUND: ("perudo", {"special_round": None}),
    Reason.SUSPENDED_BY_NO_OPENING: (
        "chui-niu",
        {"wilds.suspended_by": ["opening_bid_on_special"], "bidding.special_may_open": False},
    ),
    Reason.SUSPENDED_BY_NO_BID: ("chui-niu", {"bidding.special_rank": "not_biddable"}),
    Reason.NEVER_OUT_OF_TURN: ("official", {"challenge.who": "next_player"}),
    Reason.DICE_STAY: ("classic", {"loss.destination": "opponent"}),
    Reason.SEVERAL_LOSERS: ("classic", {"loss.on_exact": "all_but_bidder"}),
    Reason.EXACT_KEEPS_DICE: ("classic", {"exact_call": {}}),
    Reason.EXACT_IS_FREE: ("red-dead", {"exact_call.failure_loss": 0}),
    Reason.EXACT_SEVERAL_LOSERS: ("red-dead", {"exact_call.next_starter": "loser"}),
    Reason.NEVER_DOWN_TO_ONE: ("perudo", {"dice.per_player": 1}),
    Reason.CONVERT_UNWILD: ("perudo", {"wilds.special_is_wild": False}),
    Reason.CONVERT_SUSPENDED: ("perudo", {"wilds.suspended_by": ["any_bid_on_special"]}),
    Reason.NEVER_OPENS: ("perudo", {"special_round": None}),
    Reason.NATURAL_UNWILD: ("classic", {"wilds.needs_natural": True}),
    Reason.UNLIMITED_GAIN: ("perudo", {"exact_call.gain_cap": None}),
    Reason.EXEMPT_UNLOCKED: ("perudo", {"special_round.face_locked": False}),
}
"""Rules for every reason, as a file may have them: a preset, and what is changed in it."""


def misfits(name: str, changes: Mapping[str, Any]) -> list[Misfit]:
    """All that is wrong or odd about a preset with these changes, and nothing done to make up for them."""
    plain: dict[str, Any] = msgspec.to_builtins(preset(name).ruleset)
    for path, value in changes.items():
        part, _, field = path.rpartition(".")
        (plain[part] if part else plain)[field] = value
    rules = unchecked(plain)
    return [*problems(rules), *warnings(rules)]


def gaps(reason: Reason) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(reason.value) if name}


def is_for_players(text: str, language: str) -> bool:
    """Whether a text has no field path and no value as files write it; of those, English shares words with players."""
    is_sentence = (text[0] in "“«" or text[0].isupper()) and text.endswith(".")
    has_no_foreign_words = language == "en" or not RAW & set(re.findall(r"\w+", text))
    return is_sentence and has_no_foreign_words and not AS_FILES_SAY.search(text)


@pytest.mark.parametrize("reason", Reason, ids=lambda reason: reason.name.lower())
def test_every_reason_comes_up_and_has_a_sentence_in_each_language(reason: Reason) -> None:
    found = [misfit for misfit in misfits(*MISFITS[reason]) if misfit.reason is reason]
    assert len(found) == 1
    assert found[0].values.keys() == gaps(reason)
    sentences = {told(found[0], language) for language in LANGUAGES}
    assert len(sentences) == len(LANGUAGES)
    assert all(is_for_players(told(found[0], language), language) for language in LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_have_the_gaps_of_their_reason_and_choices_by_their_titles(language: str) -> None:
    sentences, english = words_of(language).misfits, words_of("en").misfits
    assert list(sentences) == [reason.name.lower() for reason in Reason]
    for reason in Reason:
        named = GAP.findall(sentences[reason.name.lower()])
        assert gaps(reason) - UNTOLD <= set(named) <= (gaps(reason) - UNTOLD) | set(DEFAULTS), reason
        assert sorted(named) == sorted(GAP.findall(english[reason.name.lower()])), reason


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_title_names_one_choice_only(language: str) -> None:
    titles = [words_of(language).title(path) for path in DEFAULTS]
    assert len(titles) == len(set(titles)) == len([*KINDS, *OPTIONAL_PARTS])


def test_a_loop_is_shown_with_the_ways_out_of_it() -> None:
    (misfit,) = misfits("classic", {"bidding.raise": "either_increases"})
    assert str(misfit).startswith("bidding.raise either_increases lets bids go round in a loop: 1x2 -> ")
    assert told(misfit, "en") == (
        "Bids could go round in a loop: 1×2 → 2×1 → 1×2. "
        "Choose something else at “What beats a bid”, or switch on “No bid twice in a round”."
    )
    assert told(misfit, "es") == (
        "Las apuestas podrían dar vueltas sin fin: 1×2 → 2×1 → 1×2. "
        "Elige otra cosa en «Qué supera a una apuesta» o activa «Sin repetir apuestas en una ronda»."
    )


def test_a_loop_of_conversions_is_not_laid_to_what_beats_a_bid() -> None:
    (misfit,) = misfits("perudo", {"bidding.to_special": "ceil_half", "bidding.from_special": "double"})
    assert str(misfit) == (
        "bidding.to_special ceil_half and bidding.from_special double let bids go round in a loop: 1x1 -> 2x2 -> 1x1 "
        "(choose another of the two or set bidding.no_repeat)"
    )
    assert "“Going to the special face” or “Coming back from it”" in told(misfit, "en")


def test_a_number_out_of_its_limits_is_told_by_its_title() -> None:
    (penalty,) = misfits("classic", {"penalties": [{"trigger": "asks_dice_left", "dice": 0}]})
    assert told(penalty, "en") == "“Penalties for questions” cannot go below 1."
    (players,) = misfits("perudo", {"special_round.min_players": 500})
    assert told(players, "es") == "«Ronda especial: Personas que hacen falta» no puede pasar de 100."


ODD_NUMBERS = st.sampled_from([-1, 0, 1, 2, 3, 7, 13, 50, 101, 1001, 10**7])
ODD_LISTS: dict[str, list[Any]] = {
    "penalties": [[{"trigger": "asks_dice_left", "dice": 0}], [{"trigger": "asks_dice_left"}] * 2],
    "wilds.suspended_by": [["special_round"] * 2],
}


def values(path: str) -> st.SearchStrategy[Any]:
    """What a choice can be set to, and what no page offers but an address may have."""
    kind, listed = kind_of(path), list(values_of(path))
    if kind is SwitchKind.NUMBER:
        return st.sampled_from(listed) | ODD_NUMBERS if listed else ODD_NUMBERS
    if kind is SwitchKind.TEXT:
        return st.sampled_from(["", "x" * 41, "bidding.raise", "a\nb"])
    return st.sampled_from([*listed, *ODD_LISTS.get(path, [])])


changes_of_all_kinds = st.lists(
    st.sampled_from([*KINDS, *NEW_PARTS]).flatmap(lambda path: st.tuples(st.just(path), values(path))), max_size=6
).map(dict)


def told_on_the_page(seen: RulesSeen) -> list[str]:
    """All that the page says of what does not go."""
    options = [option for switch in seen.switches for option in switch.options]
    return [*seen.problems, *seen.warnings, *(option.problem for option in options if option.problem)]


@given(st.sampled_from(names()), st.sampled_from(list(LANGUAGES)), changes_of_all_kinds)
def test_no_page_tells_of_field_paths(name: str, language: str, changes: dict[str, Any]) -> None:
    if changes.get("dice.faces", 0) > 20:  # more than the page takes
        changes["dice.faces"] = 20
    seen = rules_seen(RulesForm(rules=name, changes=changes, language=language))
    for text in told_on_the_page(seen):
        assert is_for_players(text, language), text
