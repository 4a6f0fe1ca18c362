"""Narration of events in sentences."""

from __future__ import annotations

import pytest

from liarsdice.core.actions import (
    Challenge,
)
from liarsdice.core.engine.engine import match_started
from liarsdice.core.events import (
    Cause,
    Challenged,
    DiceLost,
    DirectionSet,
    EndReason,
    Event,
    MatchEnded,
    Penalised,
    RoundStarted,
    StarterRolled,
)
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Direction
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Labels
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.text.narration import Narrator, bid_name, face_name, late_call_message, narrate
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
    assert narrate(events[1], narrator) == "The cups are lifted: there was one four; ones were not wild."
    _, state = act(opened_on_ones, 1, Bid(2, 6))
    events, _ = act(state, 0, Challenge())
    assert narrate(events[1], narrator) == "The cups are lifted: there were no sixes; ones were not wild."
    _, state = act(dealt_state(official, (2,) * 5, (3,) * 5), 0, Bid(2, 6))
    events, _ = act(state, 1, Challenge())
    assert narrate(events[1], narrator) == "The cups are lifted: there were no sixes, and no wild ones."


def test_a_late_caller_reads_that_they_risk_nothing() -> None:
    narrator = Narrator(preset("official").ruleset, NAMES, 0)
    first = Challenged(1, 2, Bid(2, 1), out_of_turn=True)
    assert late_call_message(first, narrator) == "Bo called first, so that call counts and you risk nothing."
    in_turn = Challenged(1, 2, Bid(2, 1))
    assert late_call_message(in_turn, narrator) == "Bo called in turn, so that call counts and you risk nothing."


@pytest.mark.parametrize(
    "event, expected",
    [
        (DirectionSet(0, Direction.ANTICLOCKWISE), "Ann chooses the direction: play goes anticlockwise."),
        (DiceLost(0, 1, 0, Cause.BID_FALSE), "Ann loses one die and has none left."),
        (
            StarterRolled(((6,), (6,), (2,)), (0, 1)),
            "To see who starts, Ann rolls 6, you roll 6 and Cy rolls 2; Ann and you roll again.",
        ),
        (MatchEnded((1,), EndReason.LAST_PLAYER), "You win the match."),
        (
            MatchEnded((0, 2), EndReason.MAX_ROUNDS),
            "Ann and Cy share the win. The round limit is reached.",
        ),
        (
            RoundStarted(4, 1, (2, 1, 3), Direction.CLOCKWISE, 1),
            (
                "Round 4: Mustache Round! You open, with six dice in play. "
                "The first bid locks the face. Ones are not wild."
            ),
        ),
    ],
)
def test_an_event_is_narrated_in_a_sentence(event: Event, expected: str) -> None:
    assert narrate(event, Narrator(preset("mustache").ruleset, NAMES, 1)) == expected


def test_a_penalty_is_narrated_with_its_reason() -> None:
    rules = preset("chart").ruleset
    event = Penalised(0, rules.penalties[0].trigger, 1)
    expected = "Ann pays one die at the end of the round for asking whose turn it is."
    assert narrate(event, Narrator(rules, NAMES)) == expected


@pytest.mark.parametrize("name", preset_names())
def test_a_whole_round_of_every_preset_can_be_narrated(name: str) -> None:
    rules = preset(name).ruleset
    state = dealt_state(rules, *FIVES)
    narrator = Narrator(rules, state.names)
    text = [narrate(match_started(rules, state.names), narrator)]
    for seat, action in ((0, Bid(3, 5)), (1, Challenge())):
        events, state = act(state, seat, action)
        text += [narrate(event, narrator) for event in events]
    assert all(text.endswith((".", "”")) for text in text)


def test_narration_uses_the_labels_of_the_rules() -> None:
    rules = patched(preset("basic").ruleset, labels=Labels(special_face="foxes", challenge="Fox!"))
    assert bid_name(rules, Bid(2, 1)) == "two foxes"
    assert face_name(rules, 1, 1) == "fox"
    assert narrate(Challenged(1, 0, Bid(2, 1)), Narrator(rules, NAMES)) == "Bo calls: “Fox!”"


def test_one_name_needs_no_and() -> None:
    assert join_words(["Ann"]) == "Ann"
