"""Rule sheets from the wild: each can be played, names its source, and does what its source says."""

from pathlib import Path

import msgspec
import pytest

from liarsdice.core.rules.parts import Labels
from liarsdice.core.rules.presets import preset, sheets
from liarsdice.core.rules.presets.sheets import sheet_files
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_file_problems, find_rules
from liarsdice.core.text.rulebook import LANGUAGES
from liarsdice.testing.scenarios import run_case

NAMES = [file.stem for file in sheet_files()]


@pytest.mark.parametrize("file", sheet_files(), ids=NAMES)
def test_a_sheet_can_be_played_and_plays_what_its_source_says(file: Path) -> None:
    sheet = sheets()[file.stem]
    assert find_file_problems(file) == ()
    assert find_rules(file) == sheet.ruleset == find_rules(sheet.name)
    about = sheet.about
    assert about.source
    assert "." in about.link
    assert all(len(country) == 2 and country.isupper() for country in about.countries)
    assert set(about.special) == set(LANGUAGES)
    case = {"id": sheet.name, **about.scenario}
    assert run_case({**case, "preset": sheet.name}) == []
    if about.same_as is None and _nameless(sheet.ruleset) != _nameless(preset(sheet.extends).ruleset):
        assert run_case({**case, "preset": sheet.extends}), "the scenario shows no difference from what it extends"


def test_no_two_sheets_have_the_same_rules_unless_one_says_so() -> None:
    for name, sheet in sheets().items():
        alike = [other for other, known in sheets().items() if _nameless(known.ruleset) == _nameless(sheet.ruleset)]
        if sheet.about.same_as is None:
            assert [other for other in alike if sheets()[other].about.same_as is None] == [name]
        else:
            assert _nameless(preset(sheet.about.same_as).ruleset) == _nameless(sheet.ruleset)


def test_names_and_aliases_belong_to_one_sheet() -> None:
    words = [word.casefold() for sheet in sheets().values() for word in (sheet.name, *sheet.aliases)]
    assert len(words) == len(set(words))


def test_sheets_come_from_many_countries() -> None:
    assert len(sheets()) >= 40
    assert len({country for sheet in sheets().values() for country in sheet.about.countries}) >= 12


def _nameless(rules: Ruleset) -> Ruleset:
    return msgspec.structs.replace(rules, labels=Labels())
