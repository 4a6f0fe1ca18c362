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
    Exact,
    Penalise,
    PlayerAction,
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
from liarsdice.core.rules.choices import Destination, PenaltyTiming, StarterMethod, WhoCalls
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import ExactCall, Labels, Penalty
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

FIVES = ((1, 2, 3, 4, 5), (2, 2, 3, 5, 5))
"""The hands of two players, with three fives in all."""


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


def test_a_reveal_says_what_was_counted_and_whether_wild_dice_were() -> None:
    official = preset("official").ruleset
    narrator = Narrator(official, NAMES)
    _, opened_on_ones = act(dealt_state(official, *FIVES), 0, Bid(1, 1))
    _, state = act(opened_on_ones, 1, Bid(2, 4))
    events, _ = act(state, 0, Challenge())
    assert narrate(events[1], narrator) == "Counted: one four; ones were not wild."
    _, state = act(opened_on_ones, 1, Bid(2, 6))
    events, _ = act(state, 0, Challenge())
    assert narrate(events[1], narrator) == "Counted: no sixes; ones were not wild."
    _, state = act(dealt_state(official, (2,) * 5, (3,) * 5), 0, Bid(2, 6))
    events, _ = act(state, 1, Challenge())
    assert narrate(events[1], narrator) == "Counted: no sixes and no wild dice."


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


def test_a_challenge_for_twice_the_stake_says_so() -> None:
    rules = preset("chui-niu+pi").ruleset
    assert narrate(Challenged(1, 0, Bid(2, 1), double=True), Narrator(rules, NAMES)) == (
        "Bo calls: “Open!” The stakes are doubled."
    )
    official = patched(preset("official").ruleset, challenge__double=WhoCalls.ANYONE_BUT_BIDDER)
    doubled = Challenged(2, 0, Bid(2, 1), out_of_turn=True, double=True)
    assert narrate(doubled, Narrator(official, NAMES)).endswith("The stakes are four times as high.")


def test_a_language_without_texts_is_refused() -> None:
    with pytest.raises(UnavailableError, match=r"not written in 'tlh' \(languages: en, "):
        narrate(Challenged(1, 0, Bid(2, 1)), Narrator(preset("basic").ruleset, NAMES, language="tlh"))


def test_one_name_needs_no_and() -> None:
    assert join_words(["Ann"]) == "Ann"


def call_summary_of(
    rules: Ruleset, bid: Bid, call: PlayerAction, *hands: Hand, caller: int = 1, listener: int | None = None
) -> str:
    _, state = act(dealt_state(rules, *hands), 0, bid)
    events, _ = act(state, caller, call)
    return summarise_call(events, Narrator(rules, state.names, listener))


@pytest.mark.parametrize(
    "rules, bid, call, expected",
    [
        ("basic", Bid(5, 5), Challenge(), "Ann bid five fives, but there were only three, so Ann loses one die."),
        ("basic", Bid(2, 5), Challenge(), "Ann bid two fives and there were three, so Bo loses one die."),
        ("basic", Bid(3, 5), Challenge(), "Ann bid three fives and there were exactly three, so Bo loses one die."),
        ("basic", Bid(2, 6), Challenge(), "Ann bid two sixes, but there were none, so Ann loses one die."),
        ("basic", Bid(2, 1), Challenge(), "Ann bid two ones, but there was only one, so Ann loses one die."),
        ("chart", Bid(7, 5), Challenge(), "Ann bid seven fives, but there were only four, so Ann loses three dice."),
        ("bluff", Bid(4, 5), Challenge(), "Ann bid four fives and there were exactly four, so Bo loses one die."),
        (
            "classic+calza",
            Bid(4, 5),
            Exact(),
            "Ann bid four fives, but there were three, not exactly four, so Bo loses one die.",
        ),
        (
            "classic+calza",
            Bid(3, 5),
            Exact(),
            "Ann bid three fives and there were exactly three, as Bo said. Bo already has a full set of dice.",
        ),
        (
            "red-dead",
            Bid(3, 5),
            Exact(),
            "Ann bid three fives and there were exactly three, as Bo said, so Ann loses one die.",
        ),
    ],
)
def test_a_call_summary_says_who_pays_and_why(rules: str, bid: Bid, call: PlayerAction, expected: str) -> None:
    assert call_summary_of(preset(rules).ruleset, bid, call, *FIVES) == expected


def test_the_listener_is_called_you() -> None:
    basic = preset("basic").ruleset
    assert call_summary_of(basic, Bid(5, 5), Challenge(), *FIVES, listener=0) == (
        "You bid five fives, but there were only three, so you lose one die."
    )


def test_a_call_summary_mentions_doubled_stakes() -> None:
    official = preset("official").ruleset
    hands = (*FIVES, (2, 2, 2, 2, 2))
    assert call_summary_of(official, Bid(9, 6), Challenge(), *hands, caller=2) == (
        "Ann bid nine sixes, but there was only one, so, with the stakes doubled, Ann loses two dice."
    )


def test_a_call_summary_mentions_higher_stakes() -> None:
    threefold = patched(preset("official").ruleset, loss__out_of_turn_factor=3)
    call = Challenged(2, 0, Bid(9, 6), out_of_turn=True)
    assert narrate(call, Narrator(threefold, NAMES)).endswith(" The stakes are three times as high.")
    assert call_summary_of(threefold, Bid(9, 6), Challenge(), *FIVES, (2, 2, 2, 2, 2), caller=2) == (
        "Ann bid nine sixes, but there was only one, so, with the stakes three times as high, Ann loses three dice."
    )


def exact_rules(**fields: int) -> Ruleset:
    """Rules with an exact call that need not end a match by itself."""
    return patched(
        preset("basic").ruleset, exact_call=msgspec.structs.replace(ExactCall(), **fields), guards__max_rounds=50
    )


def test_a_wrong_exact_call_can_cost_nothing() -> None:
    free = exact_rules(failure_loss=0)
    assert call_summary_of(free, Bid(4, 5), Exact(), *FIVES) == (
        "Ann bid four fives, but there were three, not exactly four. A wrong call costs nothing."
    )


def test_a_right_exact_call_can_move_no_dice() -> None:
    honour = exact_rules(success_gain=0)
    assert call_summary_of(honour, Bid(3, 5), Exact(), *FIVES) == (
        "Ann bid three fives and there were exactly three, as Bo said. Nobody loses anything."
    )


def summary_with_bidder_out(rules: Ruleset, call: PlayerAction, listener: int | None = None) -> str:
    """The summary of a call whose bidder has paid the last die as a penalty since the bid."""
    trigger = preset("chart").ruleset.penalties[0].trigger
    rules = patched(
        rules,
        dice__per_player=1,
        penalties=(Penalty(trigger=trigger, dice=1),),
        penalty_timing=PenaltyTiming.IMMEDIATE,
    )
    bid = Bid(1, 5) if isinstance(call, Challenge) else Bid(1, 3)
    _, state = act(dealt_state(rules, (2,), (3,), (4,)), 0, bid)
    _, state = act(state, 0, Penalise(trigger, (0,)))
    events, _ = act(state, 1, call)
    return summarise_call(events, Narrator(rules, state.names, listener))


def test_a_challenge_of_a_bidder_who_is_already_out_costs_nothing() -> None:
    basic = preset("basic").ruleset
    gone = "Ann bid one five, but there were none. Ann is already out, so nobody loses anything."
    assert summary_with_bidder_out(basic, Challenge()) == gone
    assert summary_with_bidder_out(exact_rules(), Challenge()) == gone
    text = summary_with_bidder_out(basic, Challenge(), listener=0)
    assert text == "You bid one five, but there were none. You are already out, so nobody loses anything."


def test_an_exact_call_of_a_bidder_who_is_already_out_costs_nothing() -> None:
    dearer = exact_rules(success_gain=0, bidder_loss=1)
    text = "Ann bid one three and there was exactly one, as Bo said. Ann is already out, so nobody loses anything."
    assert summary_with_bidder_out(dearer, Exact()) == text


def test_a_call_summary_says_who_gets_the_dice() -> None:
    rules = patched(preset("basic").ruleset, loss__destination=Destination.OPPONENT, guards__max_rounds=50)
    assert call_summary_of(rules, Bid(2, 5), Challenge(), *FIVES) == (
        "Ann bid two fives and there were three, so Bo gives one die to Ann."
    )


def test_several_losers_share_a_sentence() -> None:
    hands = (*FIVES, (2, 2, 2, 2, 2))
    assert call_summary_of(preset("bluff").ruleset, Bid(4, 5), Challenge(), *hands).endswith(
        "so Bo and Cy lose one die each."
    )


def test_a_call_summary_says_who_is_out() -> None:
    one_die = patched(preset("basic").ruleset, dice__per_player=1)
    text = call_summary_of(one_die, Bid(2, 5), Challenge(), (5,), (4,))
    assert text.endswith("so Ann loses one die. Ann is out.")
    official = patched(preset("official").ruleset, dice__per_player=1)
    text = call_summary_of(official, Bid(2, 6), Challenge(), (2,), (3,), (4,), caller=2, listener=0)
    assert text.endswith("so, with the stakes doubled, you lose one die. You are out.")
    one_die = patched(preset("bluff").ruleset, dice__per_player=1)
    text = call_summary_of(one_die, Bid(1, 5), Challenge(), (5,), (2,), (3,))
    assert text.endswith("so Bo and Cy lose one die each. Bo and Cy are out.")


GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "reason_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_reasons_are_the_golden_ones(language: str) -> None:
    cases = [case for case in GOLDEN["cases"] if case["language"] == language]
    assert len(cases) >= 10
    for case in cases:
        narrator = Narrator(preset(case["rules"]).ruleset, tuple(GOLDEN["names"]), case["viewer"], language)
        reason = msgspec.convert(case["reason"], DecisionReason)
        assert list(reason_sentences(reason, narrator)) == case["sentences"]


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
