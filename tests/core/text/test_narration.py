"""Narration of events in sentences."""

from __future__ import annotations

import pytest

from liarsdice.core.actions import (
    Challenge,
)
from liarsdice.core.engine.engine import match_started
from liarsdice.core.errors import UnavailableError
from liarsdice.core.events import Challenged
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import WhoCalls
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Labels
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.text.narration import Narrator, bid_name, face_name, narrate
from liarsdice.core.text.rulebook import LANGUAGES
from liarsdice.core.text.rulebook.english import join_words
from tests.core.text.dealt_round import FIVES, NAMES, act, dealt_state


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
    with pytest.raises(UnavailableError, match=r"not written in 'tlh' \(languages: en, es\)"):
        narrate(Challenged(1, 0, Bid(2, 1)), Narrator(preset("basic").ruleset, NAMES, language="tlh"))


def test_one_name_needs_no_and() -> None:
    assert join_words(["Ann"]) == "Ann"
