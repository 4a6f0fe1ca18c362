"""Rules that a page asks for come from presets only, and changes that cannot be read are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.server.rules.rules_api import RulesForm, rules_response, ruleset_of


@pytest.mark.parametrize(
    "name", ["house.toml", "/etc/passwd", "../rules.json", "perudo.toml", "", "nope", "classic+nope", "x" * 10_000]
)
def test_a_name_is_never_a_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "house.toml").write_text('extends = "perudo"')
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnavailableError):
        ruleset_of(name, {})
    with pytest.raises(UnavailableError):
        rules_response(RulesForm(rules=name))


@pytest.mark.parametrize("changes", [{"dice.sides": 6}, {"dice.per_player": "six"}, {"exact_call": 3}, {"": 1}])
def test_changes_that_cannot_be_read_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(MalformedError):
        ruleset_of("classic", changes)
    with pytest.raises(MalformedError):
        rules_response(RulesForm(changes=changes))
