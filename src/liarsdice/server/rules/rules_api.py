"""Builds what the page shows of rules: the rulebook, its bid chart, the form of fields, and the sheet's address."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn
from urllib.parse import quote, quote_plus

import msgspec

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.overlay import Plain, apply_patch, minimal_patch, read_patch
from liarsdice.core.rules.presets import Preset, preset
from liarsdice.core.rules.rule_costs import find_costs
from liarsdice.core.rules.ruleset import Ruleset, checked
from liarsdice.core.rules.ruleset_problems import RulesetProblem
from liarsdice.core.rules.validate import find_problems, find_warnings
from liarsdice.core.text.rulebook import find_language, rulebook
from liarsdice.server.rules.rule_form import RuleFormBuilder
from liarsdice.server.rules.schemas import PresetCard, RulebookSection, RulebookSentence, RulesForm, RulesResponse
from liarsdice.server.rules.translations import problem_text, translations_for
from liarsdice.server.table.table_config import MAX_PLAYERS

MAX_PRESET_NAME_LENGTH = 100


def ruleset_of(rules: str, changes: Mapping[str, Any]) -> Ruleset:
    """Return the rules of a preset, by its name, with changes by field path. Never reads a file of the user.

    Raises `UnavailableError` for an unknown name, `MalformedError` for changes that cannot be read, and `RulesetError`
    if the rules conflict.

    >>> ruleset_of("classic+aces", {"dice.per_player": 6}).dice.per_player
    6
    """
    return checked(apply_patch(_preset(rules).ruleset, read_patch(changes)))


def rules_response(form: RulesForm) -> RulesResponse:
    """Return rules as the page shows them; if they conflict or cost too much for any table, the response says why.

    Raises `UnavailableError` for an unknown preset or language, and `MalformedError` for changes that cannot be read.
    """
    find_language(form.language)
    base = _preset(form.rules)
    changes = read_patch(form.changes)
    response = _build_response(base, changes, form.language)
    return msgspec.structs.replace(response, changes=form.changes) if response.problems else response


def encoded_rules(form: RulesForm) -> bytes:
    """Return `rules_response` as JSON."""
    return msgspec.json.encode(rules_response(form))


def preset_cards(language: str) -> tuple[PresetCard, ...]:
    """Return all presets, the best known first. Raises `UnavailableError` for an unknown language."""
    lines = translations_for(language).presets
    return tuple(_card(preset(name), line, language) for name, line in lines.items())


def _card(known: Preset, line: str, language: str) -> PresetCard:
    players_min, players_max = _seats(known.ruleset)
    return PresetCard(
        name=known.name,
        title=find_language(language).translate_label(known.title),
        line=line,
        players_min=players_min,
        players_max=players_max,
        dice=known.ruleset.dice.per_player,
        options=known.options,
    )


def _preset(name: str) -> Preset:
    if len(name) > MAX_PRESET_NAME_LENGTH:
        raise UnavailableError(f"no ruleset has a name of {len(name)} characters")
    return preset(name)


def _seats(rules: Ruleset) -> tuple[int, int]:
    """Return the smallest and the largest number of players at a table of this server, if the rules cost as much."""
    most = min(rules.players.max or MAX_PLAYERS, MAX_PLAYERS)
    least = min(rules.players.min, most)
    return least, next((seats for seats in range(most, least, -1) if not any(find_costs(rules, seats))), least)


def _build_response(base_preset: Preset, changes: Plain, language: str) -> RulesResponse:
    name, base = base_preset.name, base_preset.ruleset
    problems = _problems(base, changes)
    shown = minimal_patch(base, _without_problem(base, changes) if problems else changes)
    form = RuleFormBuilder(base, shown, language)
    rules = checked(form.rules)
    book = rulebook(rules, language)
    return RulesResponse(
        rules=name,
        base_title=find_language(language).translate_label(base_preset.title),
        changes=shown,
        title=book.title.text,
        address=sheet_address(name, shown),
        seats=_seats(rules),
        ruleset=rules,
        sections=tuple(
            RulebookSection(
                section.key,
                section.title,
                tuple(RulebookSentence(sentence.key, sentence.text) for sentence in section.sentences),
                section.chart,
            )
            for section in book.sections
        ),
        fields=tuple(form.fields()),
        problems=tuple(problem_text(problem, language) for problem in problems),
        warnings=tuple(problem_text(warning, language) for warning in find_warnings(rules)),
    )


def _problems(base: Ruleset, changes: Plain) -> list[RulesetProblem]:
    """Return why rules with changes conflict, or cost too much even with the fewest players."""
    choices = apply_patch(base, changes)
    if conflicts := list(find_problems(choices)):
        return conflicts
    rules = checked(choices)
    return list(find_costs(rules, _seats(rules)[0]))


def _without_problem(base: Ruleset, changes: Plain) -> Plain:
    """Return the changes without the latest one whose removal ends the problem; none if no single removal does."""
    for path in reversed(changes):
        fewer = {key: value for key, value in changes.items() if key != path}
        if not _problems(base, fewer):
            return fewer
    return {}


def sheet_address(name: str, changes: Plain) -> str:
    """Return the shareable path of a rule sheet, spelled as the page spells it.

    >>> sheet_address("classic+aces", {"labels.game": "Dudo", "dice.per_player": 6})
    '/rules/classic%2Baces?dice.per_player=6&labels.game=Dudo'
    """
    query = "&".join(f"{_quote(path)}={_quote(_value_text(value))}" for path, value in sorted(changes.items()))
    return f"/rules/{quote(name, safe='!*()' + chr(39))}" + (f"?{query}" if query else "")


def _quote(text: str) -> str:
    return quote_plus(text, safe="*").replace("~", "%7E")


def _value_text(value: object) -> str:
    """Return a value as JSON, or as plain text if it is a text that cannot be mistaken for JSON."""
    if isinstance(value, str) and not _is_json(value):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_constant=_refuse_constant)
    except ValueError:
        return False
    return True


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(text)
