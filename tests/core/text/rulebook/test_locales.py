"""The languages of the rulebook: they share their keys, and each has its own grammar."""

import re
from collections import defaultdict

import msgspec
import pytest
from hypothesis import given

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Labels
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.rulebook import (
    LANGUAGES,
    Rulebook,
    find_language,
    lowest_bids_text,
    make_chart,
    rulebook,
    to_html,
    to_text,
)
from liarsdice.core.text.rulebook.spanish import gender, join_or, singular, special_round_name
from tests.laws.random_rulesets import rulesets

SPANISH = LANGUAGES["es"]


def text(rules: Ruleset, language: str = "es") -> str:
    return " ".join(to_text(rulebook(rules, language)).split())


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_the_sentences_of_english_in_its_order(code: str) -> None:
    assert find_language(code).code == code
    assert list(LANGUAGES[code].sentences) == list(LANGUAGES["en"].sentences)


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_two_choices_have_the_same_sentence(code: str) -> None:
    keys_by_text = defaultdict[str, list[str]](list)
    for key, sentence in LANGUAGES[code].sentences.items():
        if not key.startswith(("section.", "chart.")):
            keys_by_text[sentence].append(key)
    assert [keys for keys in keys_by_text.values() if len(keys) > 1] == []


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(UnavailableError, match=rf"not written in 'tlh' \(languages: {', '.join(LANGUAGES)}\)"):
        rulebook(Ruleset(), "tlh")


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_page_names_its_language(code: str) -> None:
    assert f'<html lang="{code}">' in to_html(rulebook(Ruleset(), code))


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_rulebook_is_data_that_can_be_sent(code: str) -> None:
    book = rulebook(preset("mustache").ruleset, code)
    assert msgspec.json.decode(msgspec.json.encode(book), type=Rulebook) == book
    bids = next(section for section in book.sections if section.key == "bids")
    assert bids.chart is not None
    assert bids.sentences[0].key == "count.scope=table"


def test_rulebooks_in_two_languages_differ_only_in_their_words() -> None:
    english, spanish = (rulebook(preset("perudo").ruleset, code) for code in ("en", "es"))
    assert [sentence.key for sentence in english.sentences()] == [sentence.key for sentence in spanish.sentences()]
    assert [section.key for section in english.sections] == [section.key for section in spanish.sections]
    assert not {section.title for section in english.sections} & {section.title for section in spanish.sections}


@given(rulesets())
def test_spanish_counts_agree_with_their_nouns(rules: Ruleset) -> None:
    written = text(rules)
    assert not re.search(r"\b(uno|un|una|1) (dados|personas|apuestas|rondas|veces|unos)\b", written, re.IGNORECASE)
    assert not re.search(r"\b(uno|una) dado\b|\b(uno|un) (persona|apuesta|ronda|vez|cara)\b", written, re.IGNORECASE)
    assert not re.search(r"\b(los|unos) caras\b|\b(las|una) (uno|dos|tres|cuatro)s\b|\b(a|de) el\b", written)


@pytest.mark.parametrize(
    "name, expected",
    [
        ("chart", "quien dudó pierde dos si se cuentan siete."),
        ("chart", "Después vienen de 9 a 15 unos, cada apuesta por encima de la anterior."),
        ("classic", "la abre la otra de las dos personas, la que apostó o la que dudó."),
        ("classic+aces+palifico", "También hay comodines en una ronda «Palifico»."),
        ("mustache", "pero no seis treses, cuatro cincos ni cinco treses."),
        ("official", "Incluso un seis tras ocho cincos es una apuesta válida (8x5 -> 1x6)."),
        ("official", "todas estas pérdidas se duplican"),
        ("perudo", "Tras tres pacos necesitas al menos siete cuatros."),
        ("perudo", "Solo en una ronda «Palifico» se puede abrir apostando a los pacos."),
        ("red-dead", "las demás personas pierden un dado cada una"),
        ("pirates", "Nadie puede apostar a las calaveras."),
        ("mustache", "se anuncia con «¡Ronda del bigote!» y la abres tú."),
        ("snyd-joker", "y también los comodines."),
        ("snyd-stairs", "Tienes escalera si"),
        ("openspiel", "Hay comodines: los seises cuentan como la cara apostada"),
    ],
)
def test_a_spanish_rulebook_states_the_special_rules_of_its_game(name: str, expected: str) -> None:
    assert expected in text(preset(name).ruleset)


def test_labels_of_presets_are_translated_and_others_are_not() -> None:
    assert [SPANISH.translate_label(label) for label in ("Liar!", "skulls", "Knock!")] == [
        "¡Mentira!",
        "calaveras",
        "Knock!",
    ]


def test_every_game_has_a_spanish_name_or_one_that_spanish_speakers_use() -> None:
    titles = {name: (preset(name).title, rulebook(preset(name).ruleset, "es").title.text) for name in preset_names()}
    assert titles["basic"] == ("Basic Liar's Dice", "Dados mentirosos básicos")
    assert {name for name, (english, spanish) in titles.items() if english == spanish} == {
        "perudo",
        "cacho",
        "bluff",
        "snyd",
        "chui-niu",
    }


def test_articles_and_numbers_agree_with_a_label() -> None:
    stars = patched(preset("chart").ruleset, dice__per_player=2, labels=Labels(special_face="estrellas"))
    written = text(stars)
    assert "las estrellas cuentan como la cara apostada" in written
    assert "si los cuatros y las estrellas suman al menos cinco" in written
    assert lowest_bids_text(stars, SPANISH, Bid(1, 6), 10) == (
        "para superar un seis: al menos dos doses, dos treses, dos cuatros, dos cincos, dos seises o una estrella"
    )


def test_spanish_faces_above_ten_are_numbered() -> None:
    rules = patched(preset("basic").ruleset, dice__faces=12)
    assert "desde los unos hasta las caras 12" in text(rules)
    assert lowest_bids_text(rules, SPANISH, Bid(1, 11), 5).endswith("dos caras 11 o una cara 12")


def test_a_chart_is_written_in_the_language_of_its_rulebook() -> None:
    made = make_chart(preset("mustache").ruleset, SPANISH, 10, max_standing=3)
    assert made.head == ("Apuesta", "doses", "treses", "cuatros", "cincos", "seises", "unos")
    assert made.remarks == ("Con apuestas más altas, la tabla sigue igual.",)


@pytest.mark.parametrize(
    "plural, expected",
    [
        ("corazones", "corazón"),
        ("soles", "sol"),
        ("panes", "pan"),
        ("diamantes", "diamante"),
        ("torres", "torre"),
        ("dioses", "dios"),
        ("aces", "ace"),
        ("jokers", "joker"),
    ],
)
def test_the_singular_of_a_spanish_label(plural: str, expected: str) -> None:
    assert singular(plural) == expected


def test_the_gender_of_a_label_is_that_of_its_first_word() -> None:
    nouns = ("as", "comodines", "calaveras", "mapas", "manos", "caras de payaso", "dados sin cara", "")
    assert [gender(noun) for noun in nouns] == [0, 0, 1, 0, 1, 1, 0, 0]


def test_spanish_or_changes_before_the_sound_o() -> None:
    assert join_or(["siete treses", "11 doses"]) == "siete treses u 11 doses"
    assert join_or(["siete treses", "110 doses"]) == "siete treses o 110 doses"
    assert join_or(["un as"]) == "un as"


def test_any_label_names_a_special_round() -> None:
    assert special_round_name("!") == "ronda «!»"
    assert special_round_name("Ronda!") == "ronda"
