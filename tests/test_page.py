"""The built page keeps to what the server allows it, and is small at the first visit. It needs a page that is built."""

import gzip
import json
import re
from pathlib import Path
from typing import cast

import pytest

import liarsdice
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.text.rulebook import LANGUAGES

PAGE = Path(liarsdice.__file__).parent / "server" / "page"
SOURCES = Path(__file__).parent.parent / "web" / "src"
LONGEST_FIRST_LOAD = 60_000  # bytes, gzipped

needs_page = pytest.mark.skipif(not (PAGE / "index.html").exists(), reason="the page is not built: make play")


def read(name: str) -> str:
    return (PAGE / name).read_text(encoding="utf-8")


def pages() -> dict[str, list[str]]:
    """Every page, and the parts of the words that it loads."""
    return cast("dict[str, list[str]]", json.loads((SOURCES / "words" / "pages.json").read_text(encoding="utf-8")))


def first_load(page: str, language: str) -> set[str]:
    """The files that a browser asks for before a page stands there."""
    chunks = cast("dict[str, dict[str, list[str] | str]]", json.loads(read("chunks.json")))
    words = {f"{language}/{part}.json" for part in pages()[page]}
    texts = [name for name in chunks if "/".join(name.rsplit("/", 2)[1:]) in words]
    assert len(texts) == len(words)
    wanted, found = ["index.html", f"src/pages/{page}.svelte", *texts], set[str]()
    while wanted:
        chunk = chunks[wanted.pop()]
        if chunk["file"] not in found:
            found |= {str(chunk["file"]), *chunk.get("css", [])}
            wanted += chunk.get("imports", [])
    return found | {"index.html"}


@needs_page
def test_the_document_holds_no_script_and_no_style_of_its_own() -> None:
    document = read("index.html")
    assert re.findall(r"<script(?![^>]*\ssrc=)[^>]*>|<style|\sstyle=|\son\w+=", document) == []
    assert re.findall(r"(?:src|href)=\"(?!/)[^\"]*", document) == []


@needs_page
def test_no_style_asks_for_anything_from_elsewhere() -> None:
    asked = [
        ask for sheet in PAGE.rglob("*.css") for ask in re.findall(r"url\((.*?)\)|@import", sheet.read_text("utf-8"))
    ]
    assert [ask for ask in asked if not ask.strip("'\"").startswith("/assets/")] == []


@needs_page
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", ["Landing", "Table", "NewTable", "Replay", "Cup", "Review", "HabitCoach", "Puzzles"])
def test_the_first_visit_of_a_page_loads_at_most_60_kilobytes(page: str, language: str) -> None:
    sizes = {name: len(gzip.compress((PAGE / name).read_bytes())) for name in sorted(first_load(page, language))}
    assert sum(sizes.values()) <= LONGEST_FIRST_LOAD, sizes


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_option_of_a_preset_has_words(language: str) -> None:
    words = cast("dict[str, str]", json.loads((SOURCES / "words" / language / "options.json").read_text("utf-8")))
    options = {option.replace("-", "_") for name in preset_names() for option in preset(name).options}
    assert {key.removeprefix("option.") for key in words if key.startswith("option.")} == options
