"""Packages add bots and rules by entry points; the template package is installed and played."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from liarsdice.bots.external.user_bots import file_digests, is_user_bot, load_bot
from liarsdice.bots.registry import make_bot
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.ruleset_io import find_rules, from_toml
from liarsdice.core.sources import PRESET_GROUP, load_plugin, plugins
from liarsdice.server.rules.rules_api import ruleset_of
from tests.cli.run_cli import run_captured

TEMPLATE = Path(__file__).parents[2] / "examples" / "plugin"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which pip has installed the template package."""
    folder = tmp_path_factory.mktemp("plugin")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--no-build-isolation", "--no-compile", "--target", folder, TEMPLATE], check=True)
    return folder


@pytest.fixture
def template(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages of this process include the template."""
    monkeypatch.syspath_prepend(installed)


def add_package(folder: Path, entry_points: str, code: str = "") -> None:
    """Put a package with entry points into a folder, as an installation would."""
    info = folder / "other-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.2\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(entry_points, encoding="utf-8")
    (folder / "other_plugin.py").write_text(code, encoding="utf-8")


@pytest.mark.usefixtures("template")
def test_the_template_package_is_played(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    command = ("simulate", "--bots", "plugin:stubborn,random", "--rules", "plugin:two-dice", "--matches", "4")
    status, out, _ = run_captured(monkeypatch, capsys, *command)
    assert status == 0, out
    assert "plugin:stubborn" in out
    assert find_rules("plugin:two-dice").dice.per_player == 2


@pytest.mark.usefixtures("template")
def test_plugins_are_listed_with_their_packages(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "plugin:stubborn  of liarsdice-example 0.1.0\n" in run_captured(monkeypatch, capsys, "bots")[1]
    assert "plugin:two-dice" in run_captured(monkeypatch, capsys, "rules", "list")[1]
    assert file_digests(["plugin:stubborn", "random"]) == {"plugin:stubborn": "liarsdice-example 0.1.0"}
    assert is_user_bot("plugin:stubborn")


@pytest.mark.usefixtures("template")
def test_names_from_others_never_load_a_plugin() -> None:
    with pytest.raises(UnavailableError, match="no bot is called 'plugin'"):
        make_bot("plugin:stubborn")
    with pytest.raises(UnavailableError, match="no ruleset is called 'plugin:two-dice'"):
        from_toml('extends = "plugin:two-dice"')
    with pytest.raises(UnavailableError, match="no ruleset is called 'plugin:two-dice'"):
        ruleset_of("plugin:two-dice", {})


def test_an_unknown_plugin_is_refused_with_those_that_are_installed() -> None:
    with pytest.raises(UnavailableError, match=r"no installed package has plugin:poker .* \(installed: "):
        load_plugin(PRESET_GROUP, "plugin:poker")


def test_a_plugin_that_fails_or_is_something_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = "[liarsdice.bots]\nnumber = other_plugin:number\nquits = missing_plugin:bot\n"
    add_package(
        tmp_path, f"{points}[liarsdice.presets]\nnumber = other_plugin:number\n", "def number(seed):\n    return 5\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert plugins(PRESET_GROUP)["plugin:number"] == "other 1.2"
    with pytest.raises(UnavailableError, match="plugin:number is neither a Ruleset nor a Preset, but <function"):
        find_rules("plugin:number")
    with pytest.raises(MalformedError, match="no object with the method act"):
        load_bot("plugin:number", seed=None)
    with pytest.raises(UnavailableError, match=r"cannot load plugin:quits of other 1\.2: ModuleNotFoundError"):
        load_bot("plugin:quits")
