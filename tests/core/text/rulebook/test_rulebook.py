"""The rulebook: every rule choice is told, and two books differ exactly where the data differ."""

import re
import types
import typing
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from html.parser import HTMLParser
from itertools import permutations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.errors import RulesetError
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.presets import names, preset
from liarsdice.core.rules.ruleset import ExactCall, Labels, Penalty, Ruleset, SpecialRound, patched
from liarsdice.core.rules.ruleset_io import to_toml
from liarsdice.core.text.rulebook import LANGUAGES, rulebook, to_html, to_markdown, to_text
from liarsdice.core.text.rulebook.build import changed_choices
from liarsdice.core.text.rulebook.chart_text import claim_chart
from liarsdice.core.text.rulebook.clauses import OUTLINE
from liarsdice.core.text.rulebook.field_tracking import leaves
from liarsdice.core.text.rulebook.placeholders import clean
from tests.laws.strategies import rulesets

ALL_NAMES = (*names(), "classic+aces", "classic+palifico+calza", "classic+aces+palifico+calza+reversa")
HOSTILE = "</p><script>x</script>*a*[b](c)`d`|e&f"


def kinds(part: type[msgspec.Struct], path: str = "") -> Iterator[tuple[str, tuple[object, ...]]]:
    """Every field of the schema with the types that its value may have."""
    for field in msgspec.structs.fields(part):
        hint = field.type
        options = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
        inner = [option for option in options if isinstance(option, type) and issubclass(option, msgspec.Struct)]
        if inner:
            yield from kinds(inner[0], f"{path}{field.encode_name}.")
        if not inner or types.NoneType in options:
            yield path + field.encode_name, options


FIELDS = dict(kinds(Ruleset))
ENUMS = [
    (path, member)
    for path, options in FIELDS.items()
    for option in (*options, *(inner for option in options for inner in typing.get_args(option)))
    if isinstance(option, type) and issubclass(option, Enum)
    for member in option
]


@lru_cache(maxsize=2048)
def told(rules: Ruleset, language: str = "en") -> dict[str, frozenset[str]]:
    """The sentences of a rulebook, with the fields that each reads."""
    return {sentence.text: sentence.reads for sentence in rulebook(rules, language).sentences()}


def with_leaf(rules: Ruleset, path: str, value: object) -> Ruleset | None:
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
    else:
        assert of is c.SuspendedBy
        items = list(c.SuspendedBy)
    for size in range(len(items) + 1):
        yield from permutations(items, size)


def check_laws(old: Ruleset, new: Ruleset, language: str) -> None:
    differing = {path for path, _, _ in changed_choices(old, new)}
    before, after = told(old, language), told(new, language)
    assert list(before) != list(after), f"nothing tells of {differing}"
    for kept, others in ((before, after), (after, before)):
        for text, reads in kept.items():
            assert reads & differing or text in others, f"{text!r} reads none of {differing}"
    charts = [claim_chart(rules, LANGUAGES[language]) for rules in (old, new)]
    assert charts[0].reads & differing or charts[0] == charts[1], f"the chart reads none of {differing}"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ALL_NAMES)
def test_two_rulebooks_differ_exactly_where_one_choice_differs(name: str, language: str) -> None:
    rules = preset(name).ruleset
    for path, value in leaves(rules).items():
        for other in alternatives(value, FIELDS[path]):
            changed = with_leaf(rules, path, other)
            if changed is not None and changed != rules:
                check_laws(rules, changed, language)


@pytest.mark.parametrize("language", LANGUAGES)
@given(rulesets(), rulesets(), st.data())
def test_two_rulebooks_differ_exactly_where_the_data_differ(
    language: str, old: Ruleset, new: Ruleset, data: st.DataObject
) -> None:
    if old == new:
        assert told(old, language) == told(new, language)
        return
    check_laws(old, new, language)
    shared = sorted(leaves(old).keys() & leaves(new).keys() - {"exact_call", "special_round"})
    path = data.draw(st.sampled_from(shared))
    changed = with_leaf(old, path, leaves(new)[path])
    if changed is not None and changed != old:
        check_laws(old, changed, language)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path, member", ENUMS, ids=str)
def test_every_choice_has_a_sentence(language: str, path: str, member: Enum) -> None:
    assert LANGUAGES[language].sentences.get(f"{path}={member.value}")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", FIELDS)
def test_every_field_is_read_by_some_sentence(path: str, language: str) -> None:
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
    books = [full, patched(full, loss__mode=c.LossMode.DIFFERENCE)]
    assert any(path in reads for rules in books for reads in told(rules, language).values())


def test_every_sentence_of_the_catalogue_has_a_place_in_the_outline() -> None:
    heads = {line.path for lines in OUTLINE.values() for line in lines} | {"title", "idle"}
    extra = {key for key in LANGUAGES["en"].sentences if not key.startswith(("section.", "chart."))}
    assert {key.partition("=")[0] for key in extra} == heads


@pytest.mark.parametrize("language", LANGUAGES)
@given(rulesets())
def test_any_ruleset_has_a_whole_rulebook_in_every_format(language: str, rules: Ruleset) -> None:
    book = rulebook(rules, language)
    assert not [sentence.text for sentence in book.sentences() if re.search(r"[{}]|None|True|False", sentence.text)]
    assert max(len(line) for line in to_text(book).splitlines()) <= 78
    assert to_markdown(book).startswith("# ")
    assert to_html(book).startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ALL_NAMES)
def test_a_rulebook_fits_the_terminal(name: str, language: str) -> None:
    lines = to_text(rulebook(preset(name).ruleset, language)).splitlines()
    assert max(len(line) for line in lines) <= 78
    assert not [line for line in lines if line != line.rstrip()]


class Page(HTMLParser):
    """Which elements a page opens, whether they nest, and what it says."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.open: list[str] = []
        self.said = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self.opened.append(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.said += data


def hostile() -> Ruleset:
    labels = Labels(game=HOSTILE, challenge=HOSTILE, exact=HOSTILE, special_round=HOSTILE, special_face=HOSTILE)
    return patched(preset("perudo").ruleset, labels=labels)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_is_well_formed_and_labels_cannot_break_out_of_it(language: str) -> None:
    page = Page()
    page.feed(to_html(rulebook(hostile(), language)))
    assert page.open == []
    assert "script" not in page.opened
    assert HOSTILE in page.said


@pytest.mark.parametrize("language", LANGUAGES)
def test_markdown_of_a_label_is_plain_text(language: str) -> None:
    assert not re.search(r"(?<!\\)[<*`\[]", to_markdown(rulebook(hostile(), language)))


def test_a_text_of_the_users_cannot_move_the_cursor_or_turn_the_line_round() -> None:
    assert clean("Li\x1b[2J\r\nar\u202e!") == "Li [2J ar !"


def test_official_says_that_a_higher_face_may_lower_the_number() -> None:
    text = " ".join(to_text(rulebook(preset("official").ruleset)).split())
    assert "Even one six after eight fives is a legal bid (8x5 -> 1x6)." in text
    assert "“official-strict”" in text


def test_the_special_face_goes_by_the_tables_own_word() -> None:
    text = to_text(rulebook(preset("perudo").ruleset))
    assert "at least two pacos" in " ".join(text.split())
    assert not re.search(r"\bones?\b(?= (are|dice|of them))", text)


def test_eight_sided_dice_have_8s() -> None:
    rules = patched(preset("basic").ruleset, dice__faces=8)
    assert "Faces rank by their number, from ones up to 8s." in told(rules)


@pytest.mark.parametrize(
    "name, expected",
    [
        ("chart", "the caller two if you count seven"),
        ("chart", "then 9 to 15 ones, each above the one before"),
        ("classic", "the other side of the call opens instead"),
        ("mustache", "Once somebody has bid ones, no other face can be bid for the rest of the round."),
        ("mustache", "Each player gets at most one in a match."),
        ("official", "all these losses are doubled"),
        ("official", "Everybody rolls two dice for it and adds them up."),
        ("perudo", "Over three pacos you need at least seven fours."),
        ("perudo", "A round may open on pacos only if it is a Palifico round."),
        ("bluff", "everybody but the bidder loses one die"),
        ("red-dead", "If you are right, everybody else, the bidder too, loses one die."),
        ("pirates", "Nobody may bid on skulls."),
        ("snyd-stairs", "Stairs count as one more than their dice"),
        ("chui-niu", "at least as many dice as there are players still in"),
        ("openspiel", "Sixes are wild"),
        ("joker", "Ones are wild"),
        ("classic+aces+palifico", "They are wild in a Palifico round too."),
    ],
)
def test_a_rulebook_tells_what_its_game_is_known_for(name: str, expected: str) -> None:
    assert expected in " ".join(to_text(rulebook(preset(name).ruleset)).split())


def test_what_changes_nothing_is_named_as_such() -> None:
    rules = patched(preset("classic").ruleset, loss__exact=2)
    assert rulebook(rules).sections[-1].sentences[0].key == "idle.loss.exact"


@pytest.mark.parametrize("language", LANGUAGES)
@given(st.sampled_from(ALL_NAMES), st.sampled_from(ALL_NAMES))
def test_equal_rules_have_equal_books(language: str, first: str, second: str) -> None:
    one, other = preset(first).ruleset, preset(second).ruleset
    assert (to_text(rulebook(one, language)) == to_text(rulebook(other, language))) == (to_toml(one) == to_toml(other))
