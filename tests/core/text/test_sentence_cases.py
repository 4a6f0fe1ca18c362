"""The golden sentences: every event and call, in every language. `goldenSentences.test.ts` reads the same file."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from liarsdice.core.engine.view import EventView
from liarsdice.core.errors import UnavailableError
from liarsdice.core.events import Dealt, Event
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.narration import Narrator, load_texts, narrate, summarise_call
from liarsdice.core.text.rulebook import LANGUAGES
from liarsdice.server.table.public_events import Verdict, call_verdict

GOLDEN = Path(__file__).parents[2] / "golden" / "sentence_cases.json"


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An event, or the events of a call with the verdict that the page gets, and the sentences by language."""

    id: str
    rules: str
    names: tuple[str, ...]
    viewer: int | None
    texts: dict[str, str]
    event: EventView | Dealt | None = None
    call: tuple[Event, ...] = ()
    verdict: Verdict | None = None

    def sentence(self, rules: Ruleset, language: str) -> str:
        narrator = Narrator(rules, self.names, self.viewer, language)
        if self.event is not None:
            return narrate(self.event, narrator)
        return summarise_call(self.call, narrator)


class SentenceCases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All cases, and their rulesets by name."""

    rulesets: dict[str, Ruleset]
    cases: tuple[Case, ...]


GIVEN = msgspec.json.decode(GOLDEN.read_bytes(), type=SentenceCases)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("case", GIVEN.cases, ids=lambda case: case.id)
def test_a_sentence_is_the_golden_one(case: Case, language: str) -> None:
    assert case.sentence(GIVEN.rulesets[case.rules], language) == case.texts[language]


@pytest.mark.parametrize("case", [case for case in GIVEN.cases if case.call], ids=lambda case: case.id)
def test_the_verdict_of_a_golden_call_is_what_the_server_sends(case: Case) -> None:
    assert case.verdict == call_verdict(case.call)


def test_golden_rulesets_with_the_name_of_a_preset_are_that_preset() -> None:
    presets = {}
    for name in GIVEN.rulesets:
        try:
            presets[name] = preset(name).ruleset
        except UnavailableError:
            continue
    assert len(presets) > 5
    assert {name: GIVEN.rulesets[name] for name in presets} == presets


def test_every_sentence_of_the_catalogue_has_a_golden_case(monkeypatch: pytest.MonkeyPatch) -> None:
    used: set[str] = set()

    class Watched(dict[str, object]):
        def __getitem__(self, key: str) -> object:
            used.add(key)
            return super().__getitem__(key)

    monkeypatch.setattr("liarsdice.core.text.narration.load_texts", lambda code: Watched(load_texts(code)))
    for case in GIVEN.cases:
        for language in LANGUAGES:
            case.sentence(GIVEN.rulesets[case.rules], language)
    assert used == {key for key in load_texts("en") if not key.startswith("reason.")}, "test_decision_reason has those"
