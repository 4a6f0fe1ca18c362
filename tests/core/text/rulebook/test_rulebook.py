"""The rulebook: every rule choice has a sentence, and two rulebooks differ exactly where their rules differ."""

import types
import typing
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from itertools import combinations, permutations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.errors import RulesetError
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.choices import PassHand, Visibility
from liarsdice.core.rules.overlay import flatten, patched
from liarsdice.core.rules.parts import ExactCall, Penalty, SpecialRound
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import to_toml
from liarsdice.core.text.rulebook import LANGUAGES, rulebook, to_text
from liarsdice.core.text.rulebook.build import Rulebook, changed_fields
from liarsdice.core.text.rulebook.chart_text import Chart
from liarsdice.core.text.rulebook.clauses import CLAUSES
from tests.laws.random_rulesets import rulesets

ALL_NAMES = (*preset_names(), "classic+aces", "classic+palifico+calza", "classic+aces+palifico+calza+reversa")
OPTIONAL = (
    "basic+mixed-dice",
    "perudo+declared-palifico",
    "perudo+obligo-closed+siciliana+half-calza",
    "perudo+pass",
    "bluff+show-dice",
    "chui-niu+lives+five-alike+reroll-different",
    "chui-niu+drinks+four-five-six+fei+worthless-different",
    "chui-niu+counter-pi",
)
"""Rulesets in which each choice is made that no preset makes without its options."""


def field_types(part: type[msgspec.Struct], path: str = "") -> Iterator[tuple[str, tuple[object, ...]]]:
    """Every field of the schema with the types that its value may have."""
    for field in msgspec.structs.fields(part):
        hint = field.type
        options = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
        inner = [option for option in options if isinstance(option, type) and issubclass(option, msgspec.Struct)]
        if inner:
            yield from field_types(inner[0], f"{path}{field.encode_name}.")
        if not inner or types.NoneType in options:
            yield path + field.encode_name, options


FIELDS = dict(field_types(Ruleset))
ENUMS = [
    (path, member)
    for path, options in FIELDS.items()
    for option in (*options, *(inner for option in options for inner in typing.get_args(option)))
    if isinstance(option, type) and issubclass(option, Enum)
    for member in option
]


@lru_cache(maxsize=2048)
def book_of(rules: Ruleset, language: str) -> Rulebook:
    return rulebook(rules, language)


def sentence_reads(rules: Ruleset, language: str = "en") -> dict[str, frozenset[str]]:
    """The sentences of a rulebook, with the fields that each reads."""
    return {sentence.text: sentence.reads for sentence in book_of(rules, language).sentences()}


def chart_of(rules: Ruleset, language: str) -> Chart:
    (chart,) = (section.chart for section in book_of(rules, language).sections if section.chart is not None)
    return chart


@pytest.mark.parametrize("most, last", [(2, 10), (3, 15), (None, 15)])
def test_the_chart_ends_with_the_dice_of_all_who_can_play(most: int | None, last: int) -> None:
    rules = patched(preset("basic").ruleset, players__max=most)
    assert str(last) in str(chart_of(rules, "en"))
    assert str(last + 1) not in str(chart_of(rules, "en"))


def with_field(rules: Ruleset, path: str, value: object) -> Ruleset | None:
    """A ruleset with one field changed; None where the rules then don't work together."""
    part, _, field = path.partition(".")
    name = f"{part}__{'raise_' if field == 'raise' else field}" if field else part
    try:
        return patched(rules, **{name: value})
    except RulesetError:
        return None


def alternatives(value: object, options: tuple[object, ...]) -> Iterator[object]:
    """Other values that a field could hold."""
    for option in options:
        if option is types.NoneType:
            yield None
        elif option is msgspec.UnsetType:
            continue
        elif option is bool:
            yield from (True, False)
        elif option is int:
            yield from (1, 2, 3, 7, 25)
        elif option is str:
            yield from ("Knock!", "widgets")
        elif isinstance(option, type) and issubclass(option, Enum):
            yield from option
        elif isinstance(option, type) and issubclass(option, msgspec.Struct):
            yield option()
        elif typing.get_origin(option) is tuple:
            yield from lists(typing.get_args(option)[0])
        else:
            raise AssertionError(f"no other values known for {value!r} of {option!r}")


def lists(of: object) -> Iterator[tuple[object, ...]]:
    if of is Penalty:
        items: list[object] = [Penalty(trigger=trigger) for trigger in c.PenaltyTrigger]
        yield (Penalty(trigger=c.PenaltyTrigger.ASKS_DICE_LEFT, dice=2),)
    elif of is str:
        items = ["Humbug!", "Open!"]
    elif of is int:
        items = [4, 3]
    elif of is PassHand:
        for size in range(len(PassHand) + 1):
            yield from combinations(PassHand, size)
        return
    else:
        assert of is c.SuspendedBy
        items = list(c.SuspendedBy)
    for size in range(len(items) + 1):
        yield from permutations(items, size)


def check_laws(old: Ruleset, new: Ruleset, language: str) -> None:
    differing = {path for path, _, _ in changed_fields(old, new)}
    before, after = sentence_reads(old, language), sentence_reads(new, language)
    assert list(before) != list(after), f"nothing tells of {differing}"
    for kept, others in ((before, after), (after, before)):
        for text, reads in kept.items():
            assert reads & differing or text in others, f"{text!r} reads none of {differing}"
    charts = [chart_of(rules, language) for rules in (old, new)]
    assert charts[0].reads & differing or charts[0] == charts[1], f"the chart reads none of {differing}"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", [*ALL_NAMES, *OPTIONAL])
def test_two_rulebooks_differ_exactly_where_one_choice_differs(name: str, language: str) -> None:
    rules = preset(name).ruleset
    for path, value in flatten(rules).items():
        for other in alternatives(value, FIELDS[path]):
            changed = with_field(rules, path, other)
            if changed is not None and changed != rules:
                check_laws(rules, changed, language)


@pytest.mark.parametrize("language", LANGUAGES)
@given(rulesets(), rulesets(), st.data())
def test_two_rulebooks_differ_exactly_where_the_data_differ(
    language: str, old: Ruleset, new: Ruleset, data: st.DataObject
) -> None:
    if old == new:
        assert sentence_reads(old, language) == sentence_reads(new, language)
        return
    check_laws(old, new, language)
    shared = sorted(flatten(old).keys() & flatten(new).keys() - {"exact_call", "special_round"})
    path = data.draw(st.sampled_from(shared))
    changed = with_field(old, path, flatten(new)[path])
    if changed is not None and changed != old:
        check_laws(old, changed, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_choice_has_a_sentence(language: str) -> None:
    sentences = LANGUAGES[language].sentences
    assert [choice for path, member in ENUMS if not sentences.get(choice := f"{path}={member.value}")] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_field_is_read_by_some_sentence(language: str) -> None:
    full = patched(
        preset("official").ruleset,
        exact_call=ExactCall(budget=3),
        special_round=SpecialRound(),
        turn__starter_may_reverse=True,
        bidding__special_rank=c.SpecialRank.CONVERT,
        bidding__to_special=c.ToSpecial.CEIL_HALF,
        bidding__from_special=c.FromSpecial.DOUBLE,
        penalties=(Penalty(trigger=c.PenaltyTrigger.ASKS_DICE_LEFT),),
    )
    books = [
        full,
        patched(full, loss__mode=c.LossMode.DIFFERENCE, count__all_different=c.AllDifferent.WORTHLESS),
        patched(full, loss__lives=3, loss__ante=1),
        patched(full, special_round__visibility=Visibility.OPEN),
        patched(full, loss__opening_factor=2, exact_call__min_dice=c.MinDice.HALF),
        patched(preset("joker").ruleset, bidding__to_pure=c.ToPure.SAME_QUANTITY),
        preset("chui-niu+four-five-six").ruleset,
        preset("perudo+pass-alike").ruleset,
        patched(preset("perudo+pass").ruleset, loss__mode=c.LossMode.DIFFERENCE),
        preset("chui-niu+counter-pi").ruleset,
        patched(preset("bluff").ruleset, bidding__show_dice=c.ShowDice.COUNTING),
        preset("bluff+double").ruleset,
        patched(preset("basic").ruleset, bidding__show_dice=c.ShowDice.COUNTING),
        patched(preset("joker").ruleset, penalties=(Penalty(trigger=c.PenaltyTrigger.COMMITS_OFFENCE),)),
    ]
    read = frozenset[str]().union(*(reads for rules in books for reads in sentence_reads(rules, language).values()))
    assert FIELDS.keys() - read == set()


def test_every_sentence_of_the_catalogue_belongs_to_a_clause() -> None:
    paths = {clause.path for clauses in CLAUSES.values() for clause in clauses} | {"title", "idle"}
    keys = {key for key in LANGUAGES["en"].sentences if not key.startswith(("section.", "chart."))}
    without_effect = {key for key in keys if key.startswith("idle.")}
    assert {key.partition("=")[0] for key in keys - without_effect} == paths
    assert {key.removeprefix("idle.") for key in without_effect} <= FIELDS.keys()


@pytest.mark.parametrize("language", LANGUAGES)
@given(st.sampled_from(ALL_NAMES), st.sampled_from(ALL_NAMES))
def test_equal_rules_have_equal_books(language: str, first: str, second: str) -> None:
    one, other = preset(first).ruleset, preset(second).ruleset
    assert (to_text(book_of(one, language)) == to_text(book_of(other, language))) == (to_toml(one) == to_toml(other))
