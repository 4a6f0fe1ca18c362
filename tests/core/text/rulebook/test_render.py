"""The rulebook as text, Markdown and HTML."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given

from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Labels
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.rulebook import LANGUAGES, rulebook, to_html, to_markdown, to_text
from liarsdice.core.text.rulebook.language import printable
from tests.core.text.rulebook.test_rulebook import ALL_NAMES
from tests.laws.random_rulesets import rulesets

HOSTILE = "</p><script>x</script>*a*[b](c)`d`|e&f"


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
    labels = Labels(
        game=HOSTILE,
        challenge=HOSTILE,
        exact=HOSTILE[:-1] + "g",
        special_round=HOSTILE[:-1] + "h",
        special_face=HOSTILE,
    )
    return patched(preset("perudo").ruleset, labels=labels)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_is_well_formed_and_labels_are_escaped(language: str) -> None:
    page = Page()
    page.feed(to_html(rulebook(hostile(), language)))
    assert page.open == []
    assert "script" not in page.opened
    assert HOSTILE in page.said


@pytest.mark.parametrize("language", LANGUAGES)
def test_markdown_of_a_label_is_plain_text(language: str) -> None:
    assert not re.search(r"(?<!\\)[<*`\[]", to_markdown(rulebook(hostile(), language)))


def test_a_label_cannot_hold_control_characters() -> None:
    assert printable("Li\x1b[2J\r\nar\u202e!") == "Li [2J ar !"
