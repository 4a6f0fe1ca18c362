"""A match in sentences: who did what, and why a call cost what it cost."""

from __future__ import annotations

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
from liarsdice.core.engine.engine import decide, evolve_all, seated, start
from liarsdice.core.engine.state import State
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
from liarsdice.core.rules.choices import Destination, Direction, PenaltyTiming, StarterMethod
from liarsdice.core.rules.presets import names, preset
from liarsdice.core.rules.ruleset import ExactCall, Labels, Penalty, Ruleset, patched
from liarsdice.core.rules.tally import Hand
from liarsdice.core.text.call_summary import verdict
from liarsdice.core.text.narration import Voice, bid_words, face_name, overtaken, tell
from liarsdice.core.text.rulebook.english import listed

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


def test_a_list_calls_the_listener_you_and_everybody_else_by_name() -> None:
    voice = Voice(preset("basic").ruleset, SEATED, 1)
    assert [voice.label(seat) for seat in range(3)] == ["Ann", "You", "Cy"]
    assert Voice(voice.rules, SEATED).label(1) == "Bo"


def test_doubled_stakes_are_said() -> None:
    official = preset("official").ruleset
    hands = (*FIVES, (2, 2, 2, 2, 2))
    assert called(official, Bid(9, 6), Challenge(), *hands, caller=2) == (
        "Ann bid nine sixes, there was one, so, with the stakes doubled, Ann loses two dice."
    )


def test_higher_stakes_are_said() -> None:
    threefold = patched(preset("official").ruleset, loss__out_of_turn_factor=3)
    call = Challenged(2, 0, Bid(9, 6), out_of_turn=True)
    assert tell(call, Voice(threefold, SEATED)).endswith(" The stakes are three times as high.")
    assert called(threefold, Bid(9, 6), Challenge(), *FIVES, (2, 2, 2, 2, 2), caller=2) == (
        "Ann bid nine sixes, there was one, so, with the stakes three times as high, Ann loses three dice."
    )


def exact_rules(**fields: int) -> Ruleset:
    """Rules with an exact call that need not end a match by itself."""
    return patched(
        preset("basic").ruleset, exact_call=msgspec.structs.replace(ExactCall(), **fields), guards__max_rounds=50
    )


def test_a_wrong_exact_call_that_costs_nothing_is_told_as_that() -> None:
    free = exact_rules(failure_loss=0)
    assert called(free, Bid(4, 5), Exact(), *FIVES) == (
        "Ann bid four fives, there were three, not exactly four, but a wrong call costs nothing."
    )


def test_a_right_exact_call_that_wins_nothing_is_told_as_that() -> None:
    honour = exact_rules(success_gain=0)
    assert called(honour, Bid(3, 5), Exact(), *FIVES) == (
        "Ann bid three fives, there were exactly three, as Bo said, and nobody loses a die."
    )


def bidder_out(rules: Ruleset, call: PlayerAction, you: int | None = None) -> str:
    """How a call is told whose bidder has paid the last die as a penalty since the bid: one five, but there is none."""
    trigger = preset("chart").ruleset.penalties[0].trigger
    rules = patched(
        rules,
        dice__per_player=1,
        penalties=(Penalty(trigger=trigger, dice=1),),
        penalty_timing=PenaltyTiming.IMMEDIATE,
    )
    bid = Bid(1, 5) if isinstance(call, Challenge) else Bid(1, 3)
    _, state = after(dealt(rules, (2,), (3,), (4,)), 0, bid)
    _, state = after(state, 0, Penalise(trigger, (0,)))
    happened, _ = after(state, 1, call)
    return verdict(happened, Voice(rules, state.names, you))


def test_a_challenge_of_somebody_who_has_gone_out_is_told_as_that() -> None:
    basic = preset("basic").ruleset
    gone = "Ann bid one five, there were none, but Ann is out already."
    assert bidder_out(basic, Challenge()) == gone
    assert bidder_out(exact_rules(), Challenge()) == gone
    told_to_ann = bidder_out(basic, Challenge(), you=0)
    assert told_to_ann == "You bid one five, there were none, but you are out already."


def test_a_right_exact_call_of_a_bid_by_somebody_who_has_gone_out_is_told_as_that() -> None:
    dearer = exact_rules(success_gain=0, bidder_loss=1)
    told = "Ann bid one three, there was exactly one, as Bo said, but Ann is out already."
    assert bidder_out(dearer, Exact()) == told


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
    told = called(one_die, Bid(2, 5), Challenge(), (5,), (4,))
    assert told.endswith("so Ann loses one die, the last Ann has. Ann is out.")


def test_who_has_less_than_the_stakes_is_told_to_lose_all() -> None:
    official = patched(preset("official").ruleset, dice__per_player=1)
    told = called(official, Bid(2, 6), Challenge(), (2,), (3,), (4,), caller=2, you=0)
    assert told.endswith("so, with the stakes doubled, you lose one die, the last you have. You are out.")
    chart = patched(preset("chart").ruleset, dice__per_player=2)
    told = called(chart, Bid(4, 5), Challenge(), (2, 3), (3, 4))
    assert told.endswith("so Ann loses two dice, all Ann has. Ann is out.")
    one_die = patched(preset("bluff").ruleset, dice__per_player=1)
    told = called(one_die, Bid(1, 5), Challenge(), (5,), (2,), (3,))
    assert told.endswith("so Bo and Cy lose one die each, the last they have. Bo is out. Cy is out.")


def test_a_reveal_says_what_was_counted_and_whether_wild_dice_were() -> None:
    official = preset("official").ruleset
    voice = Voice(official, SEATED)
    _, opened_on_ones = after(dealt(official, *FIVES), 0, Bid(1, 1))
    _, state = after(opened_on_ones, 1, Bid(2, 4))
    happened, _ = after(state, 0, Challenge())
    assert tell(happened[1], voice) == "The cups are lifted: there was one four; ones were not wild."
    _, state = after(opened_on_ones, 1, Bid(2, 6))
    happened, _ = after(state, 0, Challenge())
    assert tell(happened[1], voice) == "The cups are lifted: there were no sixes; ones were not wild."
    _, state = after(dealt(official, (2,) * 5, (3,) * 5), 0, Bid(2, 6))
    happened, _ = after(state, 1, Challenge())
    assert tell(happened[1], voice) == "The cups are lifted: there were no sixes, and no wild ones."


def test_whose_call_came_too_late_is_told_that_it_risks_nothing() -> None:
    voice = Voice(preset("official").ruleset, SEATED, 0)
    first = Challenged(1, 2, Bid(2, 1), out_of_turn=True)
    assert overtaken(first, voice) == "Bo called first, so that call counts, and yours risks nothing."
    in_turn = Challenged(1, 2, Bid(2, 1))
    assert overtaken(in_turn, voice) == "Bo called in turn, so that call counts, and yours risks nothing."


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
