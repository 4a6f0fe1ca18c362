"""Rules as a page shows them: the rulebook, its claim chart, every choice as a switch, and the sheet's own address."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NoReturn
from urllib.parse import quote, quote_plus

import msgspec

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.patch import Plain, checked, laid_over, read_changes, shortest
from liarsdice.core.rules.presets import Preset, preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.validate import problems, warnings
from liarsdice.core.text.rulebook import find_language, rulebook
from liarsdice.server.http.schemas import PresetCard, RulesForm, RulesSeen, SectionSeen, SentenceSeen
from liarsdice.server.rules.rule_form import Draft
from liarsdice.server.rules.translations import told, words_of
from liarsdice.server.table.table_config import MOST_PLAYERS

LONGEST_REFERENCE = 100
KEPT = 256
"""So many answers are kept, as many players flip the same switches."""


def ruleset_of(rules: str, changes: Mapping[str, Any]) -> Ruleset:
    """The rules of a preset's name with changes by path. No file is ever read.

    Raises `UnavailableError` for an unknown name, `MalformedError` for changes that cannot be read, and `RulesetError`
    where the choices do not work together.

    >>> ruleset_of("classic+aces", {"dice.per_player": 6}).dice.per_player
    6
    """
    return checked(laid_over(_preset(rules).ruleset, read_changes(changes)))


def rules_seen(form: RulesForm) -> RulesSeen:
    """Rules as a page shows them. Raises as `ruleset_of`, but for choices that do not work together: it says so."""
    find_language(form.language)
    known = _preset(form.rules)
    changes = read_changes(form.changes)
    seen = _seen(known.name, json.dumps(changes), form.language)
    return msgspec.structs.replace(seen, changes=form.changes) if seen.problems else seen


def preset_cards(language: str) -> tuple[PresetCard, ...]:
    """All presets, the best known first. Raises `UnavailableError` for a language that there is not."""
    return tuple(_card(preset(name), line) for name, line in words_of(language).lines.items())


def _card(known: Preset, line: str) -> PresetCard:
    least, most = _seats(known.ruleset)
    return PresetCard(
        name=known.name,
        title=known.title,
        line=line,
        players_min=least,
        players_max=most,
        dice=known.ruleset.dice.per_player,
        options=known.options,
    )


def _preset(name: str) -> Preset:
    if len(name) > LONGEST_REFERENCE:
        raise UnavailableError(f"no ruleset has a name of {len(name)} characters")
    return preset(name)


def _seats(rules: Ruleset) -> tuple[int, int]:
    most = min(rules.players.max or MOST_PLAYERS, MOST_PLAYERS)
    return min(rules.players.min, most), most


@lru_cache(maxsize=KEPT)
def _seen(name: str, changes_json: str, language: str) -> RulesSeen:
    known, changes = preset(name), json.loads(changes_json)
    base = known.ruleset
    misfits = tuple(problems(laid_over(base, changes)))
    shown = shortest(base, _playable(base, changes) if misfits else changes)
    draft = Draft(base, shown, language)
    rules = checked(draft.rules)
    book = rulebook(rules, language)
    return RulesSeen(
        rules=name,
        base_title=known.title,
        changes=shown,
        title=book.title.text,
        address=address(name, shown),
        seats=_seats(rules),
        ruleset=rules,
        sections=tuple(
            SectionSeen(
                section.key,
                section.title,
                tuple(SentenceSeen(sentence.key, sentence.text) for sentence in section.sentences),
                section.chart,
            )
            for section in book.sections
        ),
        switches=tuple(draft.switches()),
        problems=tuple(told(misfit, language) for misfit in misfits),
        warnings=tuple(told(misfit, language) for misfit in warnings(rules)),
    )


def _playable(base: Ruleset, changes: Plain) -> Plain:
    """The changes without the latest one that the others work together without; none where it is more than one."""
    for path in reversed(changes):
        fewer = {key: value for key, value in changes.items() if key != path}
        if not any(problems(laid_over(base, fewer))):
            return fewer
    return {}


def address(name: str, changes: Plain) -> str:
    """The shareable path of a rule sheet, as the page writes it.

    >>> address("classic+aces", {"labels.game": "Dudo", "dice.per_player": 6})
    '/rules/classic%2Baces?dice.per_player=6&labels.game=Dudo'
    """
    query = "&".join(f"{_quoted(path)}={_quoted(_written(value))}" for path, value in sorted(changes.items()))
    return f"/rules/{quote(name, safe='!*()' + chr(39))}" + (f"?{query}" if query else "")


def _quoted(text: str) -> str:
    return quote_plus(text, safe="*").replace("~", "%7E")


def _written(value: object) -> str:
    """A value as JSON, or as plain text where that would not be read as something else."""
    if isinstance(value, str) and not _is_json(value):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_constant=_no_json)
    except ValueError:
        return False
    return True


def _no_json(text: str) -> NoReturn:
    raise ValueError(text)
