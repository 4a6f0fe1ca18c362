"""Functions that read take text as a `str` and a file as a `Path`."""

from __future__ import annotations

from pathlib import Path

import pytest

from liarsdice.core.engine.engine import match_started
from liarsdice.core.errors import MalformedError, RecordError, RulesetError, UnavailableError
from liarsdice.core.records.record import read_record, write_record
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset_io import find_rules, from_json, from_toml, to_json, to_toml
from liarsdice.core.sources import source_bytes, source_text


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


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "binary.toml"
    file.write_bytes(b"\xff")
    for source in (file, b"\xff"):
        with pytest.raises(MalformedError, match="no text in UTF-8"):
            source_text(source, 10, content="the rules")
