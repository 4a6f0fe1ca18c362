"""Narration of events in sentences."""

import json
import re
from pathlib import Path

import msgspec
import pytest

from liarsdice.core.actions import (
    Action,
    Challenge,
    ChooseStarter,
    Deal,
    RollForStart,
)
from liarsdice.core.engine.engine import decide, evolve_all, match_started, start
from liarsdice.core.engine.state import State
from liarsdice.core.engine.view import EventView
from liarsdice.core.errors import UnavailableError
from liarsdice.core.events import (
    Challenged,
    Dealt,
    Event,
)
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import StarterMethod
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Labels
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.core.text.narration import (
    ADDRESSED,
    PLURAL_CATEGORIES,
    DecisionReason,
    Narrator,
    Text,
    bid_name,
    face_name,
    load_texts,
    narrate,
    reason_sentences,
    summarise_call,
)
from liarsdice.core.text.rulebook import LANGUAGES
from liarsdice.core.text.rulebook.english import join_words
from liarsdice.server.table.public_news import call_verdict
from liarsdice.wire import Verdict

NAMES = ("Ann", "Bo", "Cy")


def act(state: State, seat: int | None, action: Action) -> tuple[list[Event], State]:
    events = decide(state, seat, action)
    return events, evolve_all(state, events)


def dealt_state(rules: Ruleset, *hands: Hand) -> State:
    """The first round of a match, opened by the first seat."""
    state = start(rules, NAMES[: len(hands)])
    count = rules.first_starter.dice
    if rules.first_starter.method is StarterMethod.HIGH_ROLL:
        rolls = tuple((6 if seat == 0 else 1,) * count for seat in range(len(hands)))
        _, state = act(state, None, RollForStart(rolls))
    else:
        _, state = act(state, None, ChooseStarter(0))
    _, state = act(state, None, Deal(hands))
    return state


def test_a_list_calls_the_listener_you_and_the_others_by_name() -> None:
    narrator = Narrator(preset("basic").ruleset, NAMES, 1)
    assert [narrator.list_name(seat) for seat in range(3)] == ["Ann", "You", "Cy"]
    assert Narrator(narrator.rules, NAMES).list_name(1) == "Bo"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", preset_names())
def test_a_whole_round_of_every_preset_can_be_narrated(name: str, language: str) -> None:
    rules = preset(name).ruleset
    state = dealt_state(rules, (2, 2, 3, 5, 5), (1, 3, 5, 6, 6))
    narrator = Narrator(rules, state.names, language=language)
    text = [narrate(match_started(rules, state.names), narrator)]
    for seat, action in ((0, Bid(3, 5)), (1, Challenge())):
        events, state = act(state, seat, action)
        text += [narrate(event, narrator) for event in events]
    assert all(text.endswith((".", "”", "»")) for text in text)


def test_narration_uses_the_labels_of_the_rules() -> None:
    rules = patched(preset("basic").ruleset, labels=Labels(special_face="foxes", challenge="Fox!"))
    assert bid_name(rules, Bid(2, 1)) == "two foxes"
    assert bid_name(rules, Bid(2, 4), "es") == "dos cuatros"
    assert face_name(rules, 1, 1) == "fox"
    assert narrate(Challenged(1, 0, Bid(2, 1)), Narrator(rules, NAMES)) == "Bo calls: “Fox!”"


def test_a_language_without_texts_is_refused() -> None:
    with pytest.raises(UnavailableError, match=r"not written in 'tlh' \(languages: en, "):
        narrate(Challenged(1, 0, Bid(2, 1)), Narrator(preset("basic").ruleset, NAMES, language="tlh"))


def test_one_name_needs_no_and() -> None:
    assert join_words(["Ann"]) == "Ann"


GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "reason_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_reasons_are_the_golden_ones(language: str) -> None:
    cases = [case for case in GOLDEN["cases"] if case["language"] == language]
    assert len(cases) >= 10
    for case in cases:
        narrator = Narrator(preset(case["rules"]).ruleset, tuple(GOLDEN["names"]), case["viewer"], language)
        reason = msgspec.convert(case["reason"], DecisionReason)
        assert list(reason_sentences(reason, narrator)) == case["sentences"]
        assert 1 <= len(case["sentences"]) <= 2


def placeholders(text: Text) -> set[str]:
    form = text if isinstance(text, str) else text["other"]
    return set(re.findall(r"\{(\w*)\}", form))


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_the_keys_and_placeholders_of_english_in_its_order(code: str) -> None:
    shared = [(key, placeholders(text)) for key, text in load_texts(code).items()]
    assert shared == [(key, placeholders(text)) for key, text in load_texts("en").items()]


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_sentence_to_the_listener_says_what_the_others_read(code: str) -> None:
    texts = load_texts(code)
    addressed = [key for key in texts if key.endswith(ADDRESSED) and key != "word.you"]
    for key in addressed:
        assert placeholders(texts[key.removesuffix(ADDRESSED)]) - placeholders(texts[key]) == {"name"}, key


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_text_with_plural_forms_has_all_of_them(code: str) -> None:
    for key, text in load_texts(code).items():
        assert isinstance(text, str) or tuple(text) == PLURAL_CATEGORIES, key


SENTENCE_CASES_GOLDEN = Path(__file__).parents[2] / "golden" / "sentence_cases.json"


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


GIVEN = msgspec.json.decode(SENTENCE_CASES_GOLDEN.read_bytes(), type=SentenceCases)


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
    assert used == {key for key in load_texts("en") if not key.startswith(("reason.", "habit."))}, (
        "others have tests of theirs"
    )
