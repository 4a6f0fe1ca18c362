"""Files of house rules written for version 0.1.0 are read to the same rules."""

from __future__ import annotations

import json

import msgspec
import pytest
from typer.testing import CliRunner

from liarsdice.cli.app import app
from liarsdice.core.rules.ruleset_io import find_file_problems, find_rules, from_json, from_toml, to_json, to_toml
from tests.compatibility.readings import FILES, expected, lost

RULES = FILES / "rules"
EXPECTED = expected("rules")


@pytest.mark.parametrize("name", EXPECTED)
def test_a_rules_file_is_read_to_the_same_rules(name: str) -> None:
    assert find_file_problems(RULES / name) == ()
    ruleset = find_rules(str(RULES / name))
    assert lost(EXPECTED[name], json.loads(msgspec.json.encode(ruleset))) == []
    assert from_toml(to_toml(ruleset)) == from_json(to_json(ruleset)) == ruleset


@pytest.mark.parametrize("name", EXPECTED)
def test_the_command_line_finds_no_problem_in_a_rules_file(name: str) -> None:
    ran = CliRunner().invoke(app, ["rules", "check", str(RULES / name)], catch_exceptions=False)
    assert ran.exit_code == 0, ran.output
