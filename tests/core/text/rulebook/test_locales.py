"""The languages of the rulebook: one set of keys for all, and what each must get right by itself."""

import re

import msgspec
import pytest
from hypothesis import given

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Labels, Ruleset, patched
from liarsdice.core.text.rulebook import (
    LANGUAGES,
    Rulebook,
    chart,
    find_language,
    over_words,
    rulebook,
    to_html,
    to_text,
)
from liarsdice.core.text.rulebook.spanish import either, gender, one_of, round_called
from tests.laws.strategies import rulesets

SPANISH = LANGUAGES["es"]


def text(rules: Ruleset, language: str = "es") -> str:
    return " ".join(to_text(rulebook(rules, language)).split())


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_the_sentences_of_english_in_its_order(code: str) -> None:
    assert find_language(code).code == code
    assert list(LANGUAGES[code].sentences) == list(LANGUAGES["en"].sentences)


def test_a_language_that_is_not_there_is_refused() -> None:
    with pytest.raises(UnavailableError, match=r"not written in 'tlh' \(languages: en, es\)"):
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


def test_books_of_two_languages_differ_in_nothing_but_their_words() -> None:
    english, spanish = (rulebook(preset("perudo").ruleset, code) for code in ("en", "es"))
    assert [sentence.key for sentence in english.sentences()] == [sentence.key for sentence in spanish.sentences()]
    assert [section.key for section in english.sections] == [section.key for section in spanish.sections]
    assert not {section.title for section in english.sections} & {section.title for section in spanish.sections}


@given(rulesets())
def test_spanish_counts_agree_with_their_nouns(rules: Ruleset) -> None:
    told = text(rules)
    assert not re.search(r"\b(uno|un|una|1) (dados|personas|apuestas|rondas|veces|unos)\b", told, re.IGNORECASE)
    assert not re.search(r"\b(uno|una) dado\b|\b(uno|un) (persona|apuesta|ronda|vez|cara)\b", told, re.IGNORECASE)
    assert not re.search(r"\b(los|unos) caras\b|\b(las|una) (uno|dos|tres|cuatro)s\b|\b(a|de) el\b", told)


@pytest.mark.parametrize(
    "name, expected",
    [
        ("chart", "quien dudó pierde dos si se cuentan siete"),
        ("chart", "luego, de 9 a 15 unos, cada apuesta por encima de la anterior"),
        ("classic", "abre en su lugar su rival"),
        ("classic+aces+palifico", "También son comodines en una ronda «Palifico»."),
        ("mustache", "pero no seis treses, cuatro cincos ni cinco treses."),
        ("official", "Incluso un seis tras ocho cincos es una apuesta válida (8x5 -> 1x6)."),
        ("official", "todas estas pérdidas se duplican"),
        ("perudo", "Tras tres pacos necesitas al menos siete cuatros."),
        ("perudo", "Solo en una ronda «Palifico» se puede abrir apostando a los pacos."),
        ("red-dead", "las demás personas pierden un dado cada una"),
        ("pirates", "Nadie puede apostar a los skulls."),
        ("snyd-stairs", "Tienes escalera si"),
        ("openspiel", "Los seises son comodines"),
    ],
)
def test_a_rulebook_in_spanish_tells_what_its_game_is_known_for(name: str, expected: str) -> None:
    assert expected in text(preset(name).ruleset)


def test_articles_and_numbers_agree_with_the_tables_own_word() -> None:
    stars = patched(preset("chart").ruleset, dice__per_player=2, labels=Labels(special_face="estrellas"))
    told = text(stars)
    assert "Las estrellas son comodines" in told
    assert "si los cuatros y las estrellas suman al menos cinco" in told
    assert over_words(
        stars, SPANISH, Bid(1, 6), 10
    ) == "tras un seis: al menos dos doses, dos treses, dos cuatros, " + ("dos cincos, dos seises o una estrella")


def test_spanish_dice_with_many_faces_have_numbered_ones() -> None:
    rules = patched(preset("basic").ruleset, dice__faces=12)
    assert "desde los unos hasta las caras 12" in text(rules)
    assert over_words(rules, SPANISH, Bid(1, 11), 5).endswith("dos caras 11 o una cara 12")


def test_a_chart_speaks_the_language_of_its_book() -> None:
    made = chart(preset("mustache").ruleset, SPANISH, 10, standing=3)
    assert made.head == ("Tras", "doses", "treses", "cuatros", "cincos", "seises", "unos")
    assert made.remarks == ("Con apuestas más altas sigue igual.",)


@pytest.mark.parametrize(
    "plural, singular",
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
def test_the_singular_of_a_spanish_label(plural: str, singular: str) -> None:
    assert one_of(plural) == singular


def test_the_gender_of_a_label_is_that_of_its_first_word() -> None:
    nouns = ("as", "comodines", "calaveras", "mapas", "manos", "caras de payaso", "dados sin cara", "")
    assert [gender(noun) for noun in nouns] == [0, 0, 1, 0, 1, 1, 0, 0]


def test_or_changes_before_its_own_sound() -> None:
    assert either(["siete treses", "11 doses"]) == "siete treses u 11 doses"
    assert either(["siete treses", "110 doses"]) == "siete treses o 110 doses"
    assert either(["un as"]) == "un as"


def test_a_round_is_named_by_any_call() -> None:
    assert round_called("!") == "ronda «!»"
    assert round_called("Ronda!") == "ronda"
