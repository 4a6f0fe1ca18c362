"""Sentences about losses name dice, lives, or what players take, in the words that fit."""

import pytest

from liarsdice.core.rules import choices as c
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.rulebook import changed_fields, rulebook
from liarsdice.core.text.rulebook.clauses import for_lives, for_taken


@pytest.mark.parametrize("path", ["loss.destination", "loss.overflow"])
def test_what_losses_cost_is_part_of_the_variant(path: str) -> None:
    suffixes = {
        name: str(for_lives(path)(preset(f"chui-niu{name}").ruleset)).partition(".")[2]
        for name in ("", "+lives", "+drinks")
    }
    assert suffixes == {"": "", "+lives": "lives", "+drinks": "taken"}


def test_numbers_without_a_sentence_of_their_own_share_one() -> None:
    drinks = preset("chui-niu+drinks").ruleset
    assert for_taken("guards.max_rounds", 1)(drinks) == "#.taken"
    assert for_taken("guards.max_rounds", 1000)(drinks) == "1000.taken"
    assert for_taken("guards.max_rounds", 1)(preset("chui-niu").ruleset) is None


def test_a_rulebook_for_drinks_tells_of_no_losses() -> None:
    text = _text_of(preset("chui-niu+drinks").ruleset)
    assert "Whoever is wrong takes one drink." in text
    assert "Then whoever has the fewest drinks wins" in text
    assert "lose" not in text


def test_a_game_for_points_says_who_is_out_and_that_this_ends_it() -> None:
    text = _text_of(preset("chui-niu+points").ruleset)
    assert "Losses are counted as points, of which each player starts with none." in text
    assert "A player who has taken ten points is out, and the match is then over. Whoever has the fewest points" in text


def test_a_penalty_between_rounds_brings_no_special_round_for_opening_with_one_die() -> None:
    penalties = (Penalty(trigger=c.PenaltyTrigger.ASKS_DICE_LEFT),)
    perudo = patched(preset("perudo").ruleset, penalties=penalties)
    opening = patched(perudo, special_round__trigger=c.SpecialTrigger.STARTS_WITH_ONE)
    at_once = patched(opening, penalty_timing=c.PenaltyTiming.IMMEDIATE)
    assert "A penalty that leaves you with one die does not bring a Palifico round." in _text_of(perudo)
    assert "does not bring a Palifico" not in _text_of(opening)
    assert "A penalty that is paid between two rounds does not bring a Palifico round." in _text_of(at_once)


def test_what_else_costs_a_die_is_named_in_the_words_of_the_table() -> None:
    rules = patched(preset("basic").ruleset, penalties=(Penalty(trigger=c.PenaltyTrigger.COMMITS_OFFENCE, dice=2),))
    named = patched(rules, labels__offences=("a die off the table", "lifting a cup early"))
    assert "Breaking a rule of the table costs two dice." in _text_of(rules)
    assert "“a die off the table” or “lifting a cup early” costs two dice." in _text_of(named)


def test_offences_of_different_cost_have_a_sentence_each() -> None:
    offence = c.PenaltyTrigger.COMMITS_OFFENCE
    penalties = (Penalty(trigger=offence, dice=3, offence="lifting a cup early"), Penalty(trigger=offence))
    rules = patched(preset("basic").ruleset, penalties=penalties)
    assert "“lifting a cup early” costs three dice. Breaking any other rule of the table costs one die." in _text_of(
        rules
    )
    (change,) = changed_fields(preset("basic").ruleset, rules)
    assert change[2] == "[commits_offence (lifting a cup early) 3, commits_offence 1]"


def _text_of(rules: Ruleset) -> str:
    return " ".join(sentence.text for sentence in rulebook(rules).sentences())
