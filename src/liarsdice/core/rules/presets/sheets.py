"""Rule sheets from the wild: files that say how a game that somebody wrote down is played, and what shows it.

A sheet is a file of house rules with a table `sheet` beside the rules. The files lie in `examples/rules/` of the
repository and, in an installed package, in the folder `sheets` beside this module.
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.overlay import with_changes
from liarsdice.core.rules.presets.games import Preset
from liarsdice.core.rules.ruleset import Ruleset

SHEET = "sheet"
"""The key of a rules file under which it says where its rules come from."""

PACKAGED, IN_REPOSITORY = Path(__file__).parent / "sheets", Path(__file__).parents[5] / "examples" / "rules"


class About(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a sheet says besides its rules.

    `countries` as in `Preset`. `source` ends in "(excerpt)" if only a part of it could be read. `special` is a sentence
    about what is special, by language. `scenario` is a case of `liarsdice.testing.scenarios` that the source answers.
    `same_as` names the preset or sheet whose rules are the same.
    """

    countries: tuple[str, ...]
    source: str
    link: str
    special: dict[str, str]
    scenario: dict[str, Any]  # as every case: its shape differs by kind
    aliases: tuple[str, ...] = ()
    same_as: str | None = None


class Sheet(Preset, frozen=True, kw_only=True):
    """A ruleset from a source in the wild, with what it says besides its rules."""

    extends: str
    about: About


def sheet_files() -> tuple[Path, ...]:
    """Return the files of all sheets, in the order of their names."""
    folder = PACKAGED if PACKAGED.is_dir() else IN_REPOSITORY
    return tuple(sorted(folder.glob("*.toml")))


@cache
def sheets() -> dict[str, Sheet]:
    """Return all sheets by name, which is that of the file."""
    return {file.stem: _read(file) for file in sheet_files()}


def find_sheet(name: str) -> Sheet | None:
    """Return the sheet with this name or alias, None if there is none.

    >>> find_sheet("Maputo").name
    'perudo-ru'
    """
    known = sheets()
    wanted = name.strip().casefold()
    if wanted in known:
        return known[wanted]
    by_alias = (sheet for sheet in known.values() if wanted in map(str.casefold, sheet.about.aliases))
    return next(by_alias, None)


def _read(file: Path) -> Sheet:
    from liarsdice.core.rules.presets import listed_preset  # noqa: PLC0415  which knows no sheets

    plain = tomllib.loads(file.read_text(encoding="utf-8"))
    about = msgspec.convert(plain.pop(SHEET), About)
    extends: str = plain.pop("extends")
    base = listed_preset(extends)
    if base is None:
        raise UnavailableError(f"{file.name} extends no preset, but {extends!r}")
    rules: Ruleset = with_changes(base.ruleset, plain)
    return Sheet(
        name=file.stem,
        ruleset=rules,
        source=f"{about.source} ({about.link})",
        countries=about.countries,
        aliases=about.aliases,
        extends=extends,
        about=about,
    )
