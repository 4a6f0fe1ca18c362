"""Functions that read take text as a `str` and a file as a `Path`."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from liarsdice.bots.external.user_bots import file_digests, is_user_bot, load_bot
from liarsdice.bots.registry import make_bot
from liarsdice.cli.arguments import read_file
from liarsdice.core.engine.engine import match_started
from liarsdice.core.errors import LiarsDiceError, MalformedError, RecordError, RulesetError, UnavailableError
from liarsdice.core.records.position import read_position
from liarsdice.core.records.record import read_record, write_record
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset_io import find_file_problems, find_rules, from_json, from_toml, to_json, to_toml
from liarsdice.core.sources import PRESET_GROUP, load_plugin, plugins, source_bytes, source_text
from liarsdice.server.rules.rules_api import ruleset_of
from liarsdice.testing.scenarios import read_cases
from liarsdice_lab.tournaments.gate import read_gate
from liarsdice_lab.train.config import read_config
from tests.cli.run_cli import output_of, run_captured


def test_rules_are_read_from_text_and_from_a_file_alike(tmp_path: Path) -> None:
    rules = preset("perudo").ruleset
    toml, json = tmp_path / "rules.toml", tmp_path / "rules.json"
    toml.write_text(to_toml(rules))
    json.write_text(to_json(rules))
    assert rules == from_toml(to_toml(rules)) == from_toml(toml) == from_json(to_json(rules)) == from_json(json)
    assert rules == find_rules("perudo") == find_rules(toml) == find_rules(str(toml)) == find_rules(json)


def test_a_path_is_a_file_even_with_the_name_of_a_preset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnavailableError, match="cannot read perudo: No such file"):
        find_rules(Path("perudo"))
    Path("perudo").write_text('extends = "basic"')
    assert find_rules(Path("perudo")) == preset("basic").ruleset
    assert find_rules("perudo") == preset("perudo").ruleset


def test_a_file_with_bad_rules_is_named(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text("[dice]\nfaces = 1")
    with pytest.raises(RulesetError, match=r"rules\.toml: dice\.faces is 1"):
        find_rules(file)


def test_a_record_is_read_from_text_bytes_and_a_file_alike(tmp_path: Path) -> None:
    text = write_record([match_started(preset("basic").ruleset, ("Ann", "Bo"))], "1.0")
    file = tmp_path / "match.jsonl"
    file.write_text(text)
    assert read_record(text) == read_record(text.encode()) == read_record(file)
    with pytest.raises(UnavailableError, match="cannot read"):
        read_record(tmp_path / "missing.jsonl")
    with pytest.raises(RecordError, match="the record is no text"):
        read_record("\ud800")


def test_an_endless_file_is_read_no_further_than_one_byte_too_many(tmp_path: Path) -> None:
    file = tmp_path / "long"
    file.write_bytes(b"x" * 100)
    assert source_bytes(file, 10, content="the file") == b"x" * 11


def test_a_byte_order_mark_is_left_out(tmp_path: Path) -> None:
    rules = preset("perudo").ruleset
    state = match_started(rules, ("Ann", "Bo"))
    position = "bidding 24456/11346 1 0:4x2 3 perudo Ann,Bo"
    texts = {"rules.toml": to_toml(rules), "rules.json": to_json(rules), "a.jsonl": write_record([state], "1.0")}
    files = {name: tmp_path / name for name in texts}
    for name, text in texts.items():
        files[name].write_text(text, encoding="utf-8-sig")
    toml, json, record = files.values()
    assert rules == find_rules(toml) == find_rules(json) == from_toml(toml) == from_json("\ufeff" + texts["rules.json"])
    assert find_file_problems(toml) == find_file_problems("\ufeff" + texts["rules.toml"]) == ()
    assert read_record(record) == read_record("\ufeff" + texts["a.jsonl"]) == read_record(texts["a.jsonl"])
    assert read_file(str(record), 10_000) == texts["a.jsonl"].encode()
    assert read_position("\ufeff" + position) == read_position(position)
    assert [case["id"] for case in read_cases('\ufeff{"id": "a"}')] == ["a"]
    files["rules.json"].write_text('{"steps": 9}', encoding="utf-8-sig")
    assert read_config(json).steps == 9
    files["rules.json"].write_text('{"subject":"novice","engine":"1.0","seed":3}', encoding="utf-8-sig")
    assert read_gate(json).seed == 3


def test_byte_order_marks_within_joined_files_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "joined.toml"
    file.write_text('\ufeffextends = "basic"\n\ufeff[loss]\nfixed = 2', encoding="utf-8-sig")
    rules = find_rules(file)
    assert rules.loss.fixed == 2
    assert from_toml(file.read_text(encoding="utf-8")) == rules
    assert find_file_problems(file) == ()
    cases = [case["id"] for case in read_cases('\ufeff{"id": "a"}\n\ufeff{"id": "b"}')]
    assert cases == ["a", "b"]


def test_a_byte_order_mark_does_not_hide_that_a_file_is_too_long(tmp_path: Path) -> None:
    file = tmp_path / "long"
    file.write_bytes(b"\xef\xbb\xbf" + b"x" * 100)
    assert len(source_bytes(file, 10, content="the file")) > 10


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "latin-1"])
def test_a_file_in_another_encoding_is_refused_with_the_name_of_the_right_one(tmp_path: Path, encoding: str) -> None:
    toml, json, record = (tmp_path / name for name in ("a.toml", "a.json", "a.jsonl"))
    toml.write_text('labels.game = "Ré"', encoding=encoding)
    json.write_text('{"labels": {"game": "Ré"}}', encoding=encoding)
    record.write_text('{"format": 1, "engine": "é"}', encoding=encoding)
    readers: list[tuple[Callable[[Path], object], Path]] = [
        (find_rules, toml),
        (from_json, json),
        (find_file_problems, toml),
        (read_record, record),
        (read_config, json),
    ]
    for reader, file in readers:
        with pytest.raises(MalformedError, match=r"(?i)utf-8"):
            reader(file)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "binary.toml"
    file.write_bytes(b"\xff")
    for source in (file, b"\xff"):
        with pytest.raises(MalformedError, match="no text in UTF-8"):
            source_text(source, 10, content="the rules")


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
def test_the_template_package_is_played() -> None:
    command = ("simulate", "--bots", "plugin:stubborn,random", "--rules", "plugin:two-dice", "--matches", "4")
    out = output_of(*command)
    assert "plugin:stubborn" in out
    assert find_rules("plugin:two-dice").dice.per_player == 2


@pytest.mark.usefixtures("template")
def test_plugins_are_listed_with_their_packages() -> None:
    assert "plugin:stubborn  of liarsdice-example 0.1.0\n" in run_captured("bots")[1]
    assert "plugin:two-dice" in run_captured("rules", "list")[1]
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


STEERING = "\\u001b]0;mine\\u0007\\u001b[2J"


@pytest.mark.parametrize("text", [f'"{STEERING}" = 1', f'[dice]\n"{STEERING}" = 1', f'[bidding]\nraise = "{STEERING}"'])
def test_a_file_of_rules_cannot_steer_the_terminal_by_what_it_is_refused_for(text: str) -> None:
    with pytest.raises(LiarsDiceError) as refused:
        from_toml(text)
    assert str(refused.value).isprintable()


def test_a_record_cannot_steer_the_terminal_either() -> None:
    with pytest.raises(RecordError) as refused:
        read_record(f'{{"record":"{STEERING}","format":1,"engine":"0"}}\n')
    assert str(refused.value).isprintable()
    with pytest.raises(MalformedError) as malformed:
        from_json(f'{{"{STEERING}": 1}}')
    assert str(malformed.value).isprintable()
