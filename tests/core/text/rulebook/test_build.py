"""Sentences of the rulebook: what the rules of each game are known for, and what has no effect."""

import re

import pytest
from hypothesis import given

from liarsdice.core.rules import choices as c
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.rulebook import LANGUAGES, changed_fields, rulebook, to_text
from liarsdice.core.text.rulebook.clauses import for_lives, for_taken
from tests.laws.random_rulesets import rulesets


def test_official_says_that_a_higher_face_may_lower_the_number() -> None:
    text = " ".join(to_text(rulebook(preset("official").ruleset)).split())
    assert "Even one six after eight fives is a legal bid (8x5 -> 1x6)." in text


def test_the_special_face_has_the_name_of_its_label() -> None:
    text = to_text(rulebook(preset("perudo").ruleset))
    assert "at least two pacos" in " ".join(text.split())
    assert not re.search(r"\bones?\b(?= (are|dice|of them))", text)


def test_eight_sided_dice_have_eights() -> None:
    rules = patched(preset("basic").ruleset, dice__faces=8)
    assert "Faces rank by their number, from ones up to eights." in to_text(rulebook(rules))


@pytest.mark.parametrize(
    "name, expected",
    [
        ("chart", "the caller loses two dice if you count seven"),
        ("chart", "After these come 9 to 15 ones, each bid above the one before."),
        ("classic", "their opponent in the call, the bidder or the caller, opens it instead"),
        ("mustache", "Once somebody has bid on ones, no other face may be bid for the rest of the round."),
        ("mustache", "Each player gets at most one Mustache Round in a match."),
        ("mustache", "everyone holds a finger under their nose as a mustache, those who are out as well."),
        ("official", "all these losses are doubled"),
        ("official", "each player rolls two dice and adds them up."),
        ("perudo", "After three pacos you need at least seven fours."),
        ("perudo", "The opening bid may not be on pacos, except in a Palifico round."),
        ("bar", "The match is over after twenty rounds. Then whoever has the fewest drinks wins"),
        ("bar", "to four times what a single call costs."),
        ("basic+aetolia", "a player with too few dice left is out."),
        ("bluff", "everyone but the bidder loses one die"),
        ("red-dead", "If you are right, everyone else loses one die, including the bidder."),
        ("pirates", "Nobody may bid on skulls."),
        ("snyd-stairs", "Stairs count as one die more than the player has"),
        ("chui-niu", "at least as many dice as there are players still in"),
        ("openspiel", "Sixes are wild"),
        ("joker", "Ones are wild"),
        ("classic+aces+palifico", "They are wild in a Palifico round too."),
    ],
)
def test_a_rulebook_states_the_special_rules_of_its_game(name: str, expected: str) -> None:
    assert expected in " ".join(to_text(rulebook(preset(name).ruleset)).split())


PASSES = ("full_house",)
ROLLED = {"first_starter__method": "high_roll"}
CHOSEN = {"trigger": "declared", "visibility": "chosen"}


def test_the_dice_for_a_pass_are_told_only_where_players_lose_dice() -> None:
    told = "To pass, you need"
    assert told in to_text(rulebook(patched(preset("chui-niu").ruleset, bidding__pass_with=PASSES)))
    for_lives = patched(preset("chui-niu+lives").ruleset, bidding__pass_with=PASSES)
    assert told not in to_text(rulebook(for_lives))
    set_anyway = to_text(rulebook(patched(for_lives, bidding__pass_dice=5)))
    assert told not in set_anyway
    assert "To pass, a player would need at least five dice." in set_anyway


@pytest.mark.parametrize(
    "name, changes, english, spanish",
    [
        ("perudo", {"guards__max_bids_per_round": 4}, "it must be called.", "hay que ponerla a prueba."),
        ("perudo+pass", {"guards__max_bids_per_round": 4}, "call it or pass.", "poner a prueba o pasar."),
        ("perudo+pass", {}, "and so does a doubted pass.", "o duda de un paso."),
        ("perudo", {}, "A call ends the round.", "pone a prueba una apuesta."),
        ("perudo", {"bidding__pass_with": PASSES, "bidding__pass_dice": 3}, "can make such a hand.", "una mano así."),
        (
            "perudo",
            {"bidding__pass_with": PASSES, "bidding__pass_dice": 5},
            "at least five dice.",
            "menos cinco dados.",
        ),
        ("perudo", {"bidding__pass_with": ("alike",), "bidding__pass_dice": 3}, "at least three dice.", "tres dados."),
        ("basic+mixed-dice", ROLLED, "rolls one of their own dice.", "tira uno de sus propios dados."),
        (
            "basic+mixed-dice",
            {**ROLLED, "first_starter__dice": 2},
            "two of their own dice and",
            "dos de sus propios dados y",
        ),
        (
            "perudo",
            {"special_round": CHOSEN},
            "say “Palifico!” and which kind it is",
            "di «¡Palifico!» y de qué tipo es",
        ),
        ("perudo+declared-palifico", {}, "say “Palifico!” before your bid.", "di «¡Palifico!» antes de apostar."),
        ("perudo+face-off", {"dice__special_face": 6}, "each die counts what it shows.", "vale lo que muestra."),
        ("cacho+reversa", {}, "the dice that they may see.", "los dados que le toque ver."),
        ("classic+reversa", {}, "at their own dice first.", "Puede mirar antes sus dados."),
        ("bar", {"challenge__double": "next_player"}, "On your turn, you may also call", "En tu turno también puedes"),
        ("bar", {}, "The match is over after twenty rounds.", "La partida termina tras veinte rondas:"),
        ("bar", {"loss__lives": 9}, "twenty rounds at the latest.", "como muy tarde, tras veinte rondas:"),
    ],
)
def test_a_sentence_is_true_beside_the_other_rules(
    name: str, changes: dict[str, object], english: str, spanish: str
) -> None:
    rules = patched(preset(name).ruleset, **changes)
    for language, expected in (("en", english), ("es", spanish)):
        assert expected in " ".join(to_text(rulebook(rules, language)).split())


def test_a_field_without_effect_is_named_as_such() -> None:
    rules = patched(preset("classic").ruleset, loss__exact=2)
    sentence = rulebook(rules).sections[-1].sentences[0]
    assert sentence.key == "idle.loss.exact"
    assert sentence.text == "Without effect: If the bid is exactly right, two dice would be lost."


@pytest.mark.parametrize("language", LANGUAGES)
@given(rulesets())
def test_no_sentence_shows_the_name_of_a_field_or_a_value(language: str, rules: Ruleset) -> None:
    sentences = rulebook(rules, language).sentences()
    assert not [sentence.text for sentence in sentences if re.search(r"[a-z]_[a-z]|[a-z]\.[a-z]", sentence.text)]


def test_a_match_of_one_round_has_no_next_round() -> None:
    book = rulebook(preset("openspiel").ruleset)
    sentences = {sentence.key: sentence.text for sentence in book.sentences()}
    assert sentences["next_starter.one_round"] == "There is no next round: the match is over after one."
    assert "guards.max_rounds" in next(s.reads for s in book.sentences() if s.key == "next_starter.one_round")
    assert not [
        text for key, text in sentences.items() if "next round" in text and not key.startswith(("idle", "next"))
    ]


def test_a_special_face_that_cannot_be_left_is_described_as_one_way() -> None:
    sentences = {sentence.key: sentence.text for sentence in rulebook(preset("mustache").ruleset).sentences()}
    assert sentences["bidding.special_rank=convert.one_way"].endswith("Changing to ones works differently.")


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
