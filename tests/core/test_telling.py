"""A match in sentences: who did what, and why a call cost what it cost."""

from __future__ import annotations

import pytest

from liarsdice.core.actions import Action, Challenge, ChooseStarter, Deal, Exact, PlayerAction, RollForStart
from liarsdice.core.bids import Bid
from liarsdice.core.choices import Destination, Direction, StarterMethod
from liarsdice.core.engine import decide, evolve_all, seated, start
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
from liarsdice.core.presets import names, preset
from liarsdice.core.ruleset import Labels, Ruleset, patched
from liarsdice.core.state import State
from liarsdice.core.tally import Hand
from liarsdice.core.telling import Voice, bid_words, face_name, listed, tell, verdict

SEATED = ("Ann", "Bo", "Cy")


def after(state: State, seat: int | None, action: Action) -> tuple[list[Event], State]:
    happened = decide(state, seat, action)
    return happened, evolve_all(state, happened)


def dealt(rules: Ruleset, *hands: Hand) -> State:
    """The first round of a match, opened by the first seat."""
    state = start(rules, SEATED[: len(hands)])
    count = rules.first_starter.dice
    if rules.first_starter.method is StarterMethod.HIGH_ROLL:
        rolls = tuple((6 if seat == 0 else 1,) * count for seat in range(len(hands)))
        _, state = after(state, None, RollForStart(rolls))
    else:
        _, state = after(state, None, ChooseStarter(0))
    _, state = after(state, None, Deal(hands))
    return state


def called(rules: Ruleset, bid: Bid, call: PlayerAction, *hands: Hand, caller: int = 1, you: int | None = None) -> str:
    _, state = after(dealt(rules, *hands), 0, bid)
    happened, _ = after(state, caller, call)
    return verdict(happened, Voice(rules, state.names, you))


FIVES = ((1, 2, 3, 4, 5), (2, 2, 3, 5, 5))
CALZA = preset("classic+calza").ruleset


@pytest.mark.parametrize(
    "rules, bid, call, told",
    [
        ("basic", Bid(5, 5), Challenge(), "Ann bid five fives, there were three, so Ann loses one die."),
        ("basic", Bid(2, 5), Challenge(), "Ann bid two fives and there were three, so Bo loses one die."),
        ("basic", Bid(3, 5), Challenge(), "Ann bid three fives and there were exactly three, so Bo loses one die."),
        ("basic", Bid(2, 6), Challenge(), "Ann bid two sixes, there were none, so Ann loses one die."),
        ("basic", Bid(2, 1), Challenge(), "Ann bid two ones, there was one, so Ann loses one die."),
        ("chart", Bid(7, 5), Challenge(), "Ann bid seven fives, there were four, so Ann loses three dice."),
        ("bluff", Bid(4, 5), Challenge(), "Ann bid four fives and there were exactly four, so Bo loses one die."),
        (
            "classic+calza",
            Bid(4, 5),
            Exact(),
            "Ann bid four fives, there were three, not exactly four, so Bo loses one die.",
        ),
        (
            "classic+calza",
            Bid(3, 5),
            Exact(),
            "Ann bid three fives, there were exactly three, as Bo said, but Bo has all the dice one can have.",
        ),
        (
            "red-dead",
            Bid(3, 5),
            Exact(),
            "Ann bid three fives, there were exactly three, as Bo said, so Ann loses one die.",
        ),
    ],
)
def test_a_verdict_says_who_pays_and_why(rules: str, bid: Bid, call: PlayerAction, told: str) -> None:
    assert called(preset(rules).ruleset, bid, call, *FIVES) == told


def test_a_listener_at_the_table_is_told_of_as_you() -> None:
    basic = preset("basic").ruleset
    assert called(basic, Bid(5, 5), Challenge(), *FIVES, you=0) == (
        "You bid five fives, there were three, so you lose one die."
    )


def test_doubled_stakes_are_said() -> None:
    official = preset("official").ruleset
    hands = (*FIVES, (2, 2, 2, 2, 2))
    assert called(official, Bid(9, 6), Challenge(), *hands, caller=2) == (
        "Ann bid nine sixes, there was one, so, with the stakes doubled, Ann loses two dice."
    )


def test_who_gets_the_dice_is_said() -> None:
    rules = patched(preset("basic").ruleset, loss__destination=Destination.OPPONENT, guards__max_rounds=50)
    assert called(rules, Bid(2, 5), Challenge(), *FIVES) == (
        "Ann bid two fives and there were three, so Bo loses one die to Ann."
    )


def test_several_losers_share_a_sentence() -> None:
    hands = (*FIVES, (2, 2, 2, 2, 2))
    assert called(preset("bluff").ruleset, Bid(4, 5), Challenge(), *hands).endswith("so Bo and Cy lose one die each.")


def test_who_is_out_is_said() -> None:
    one_die = patched(preset("basic").ruleset, dice__per_player=1)
    assert called(one_die, Bid(2, 5), Challenge(), (5,), (4,)).endswith("so Ann loses one die. Ann is out.")


@pytest.mark.parametrize(
    "event, told",
    [
        (DirectionSet(0, Direction.ANTICLOCKWISE), "Ann chooses: play goes anticlockwise."),
        (DiceLost(0, 1, 0, Cause.BID_FALSE), "Ann loses one die, the last."),
        (
            StarterRolled(((6,), (6,), (2,)), (0, 1)),
            "For the start, Ann rolls 6, you roll 6 and Cy rolls 2; Ann and you roll again.",
        ),
        (MatchEnded((1,), EndReason.LAST_PLAYER), "You win the match."),
        (
            MatchEnded((0, 2), EndReason.MAX_ROUNDS),
            "Ann and Cy share the match. The rounds that these rules allow are over.",
        ),
        (
            RoundStarted(4, 1, (2, 1, 3), Direction.CLOCKWISE, 1),
            "Round 4: Mustache Round! You open, with six dice in play. The first bid's face stays. Ones are not wild.",
        ),
    ],
)
def test_an_event_is_told_in_a_sentence(event: Event, told: str) -> None:
    assert tell(event, Voice(preset("mustache").ruleset, SEATED, 1)) == told


def test_a_penalty_is_told_with_its_reason() -> None:
    rules = preset("chart").ruleset
    event = Penalised(0, rules.penalties[0].trigger, 1)
    assert tell(event, Voice(rules, SEATED)) == "Ann pays one die at the end of the round for asking whose turn it is."


@pytest.mark.parametrize("name", names())
def test_a_whole_round_of_every_preset_can_be_told(name: str) -> None:
    rules = preset(name).ruleset
    state = dealt(rules, *FIVES)
    voice = Voice(rules, state.names)
    told = [tell(seated(rules, state.names), voice)]
    for seat, action in ((0, Bid(3, 5)), (1, Challenge())):
        happened, state = after(state, seat, action)
        told += [tell(event, voice) for event in happened]
    assert all(text.endswith((".", "”")) for text in told)


def test_the_tables_own_words_are_used() -> None:
    rules = patched(preset("basic").ruleset, labels=Labels(special_face="foxes", challenge="Fox!"))
    assert bid_words(rules, Bid(2, 1)) == "two foxes"
    assert face_name(rules, 1, 1) == "fox"
    assert tell(Challenged(1, 0, Bid(2, 1)), Voice(rules, SEATED)) == "Bo calls: “Fox!”"


def test_one_name_needs_no_and() -> None:
    assert listed(["Ann"]) == "Ann"
