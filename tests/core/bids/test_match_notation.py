"""A match is written on one line and read back from it."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liarsdice.core.actions import (
    AnswerDouble,
    BidAndShow,
    Challenge,
    ChallengePass,
    ChooseKind,
    DeclareSpecial,
    Exact,
    Pass,
    PlayerAction,
    SetDirection,
)
from liarsdice.core.bids.notation import NotatedMatch, NotatedRound, notate_match, parse_match
from liarsdice.core.errors import NotationError
from liarsdice.core.events import (
    BidMade,
    Challenged,
    DiceGained,
    DiceLost,
    DirectionSet,
    DoubleAnswered,
    Doubled,
    Event,
    ExactCalled,
    KindChosen,
    LivesGained,
    LivesLost,
    MatchEnded,
    MatchStarted,
    PassChallenged,
    Passed,
    Revealed,
    RoundStarted,
    SpecialDeclared,
)
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.match import Dealer, Match
from tests.laws.hostile_input import is_accepted
from tests.laws.random_matches import random_match
from tests.laws.random_rulesets import seeds, tables

LINE = "Ann, Bo | 1: Ann 3x4, Bo liar =2, Ann -1 | 2: Ann clockwise, Ann 1x6 | Bo wins"
ODD_NAMES = ("A", "A liar", "A 3x4", "A, B", "A and B", '1: "x"', "back\\slash", "wins", "A | B", "-1")


def test_a_match_is_one_line() -> None:
    match = Match(preset("basic").ruleset, ("Ann", "Bo"), Dealer(1))
    while match.waits_for_dealer:
        match.deal()
    names, first = match.state.names, match.state.turn
    match.act(first, Bid(10, 6))
    match.act(1 - first, Challenge())
    count = sum(die == 6 for hand in match.state.revealed.hands for die in hand) if match.state.revealed else 0
    line = notate_match(match.events)
    assert line == f"Ann, Bo | 1: {names[first]} 10x6, {names[1 - first]} liar ={count}, {names[first]} -1"


def summary(events: tuple[Event, ...]) -> NotatedMatch:
    """What the line of a match says, taken from its events."""
    names: tuple[str, ...] = ()
    winners: tuple[int, ...] = ()
    ruleset = Ruleset()
    rounds: list[tuple[list[tuple[int, PlayerAction]], list[int], list[tuple[int, int]]]] = []
    for event in events:
        match event:
            case MatchStarted():
                names, ruleset = event.names, event.ruleset
            case RoundStarted():
                rounds.append(([], [], []))
            case BidMade():
                rounds[-1][0].append((event.seat, BidAndShow(event.bid, event.shown) if event.shown else event.bid))
            case DirectionSet():
                rounds[-1][0].append((event.seat, SetDirection(event.direction)))
            case SpecialDeclared() | KindChosen():
                move = ChooseKind(event.kind) if isinstance(event, KindChosen) else DeclareSpecial()
                rounds[-1][0].append((event.seat, move))
            case Doubled():
                rounds[-1][0].append((event.seat, Challenge(double=True)))
            case DoubleAnswered():
                rounds[-1][0].append((event.seat, AnswerDouble(event.answer)))
            case Challenged() if ruleset.challenge.answers and event.double is True:
                pass  # the doubling has come before
            case Challenged():
                rounds[-1][0].append((event.seat, Challenge(double=event.double is True)))
            case ExactCalled():
                rounds[-1][0].append((event.seat, Exact()))
            case Passed():
                rounds[-1][0].append((event.seat, Pass()))
            case PassChallenged():
                rounds[-1][0].append((event.seat, ChallengePass()))
            case Revealed() if event.pass_hand is msgspec.UNSET:
                rounds[-1][1].append(event.count)
            case DiceLost() | LivesLost() if rounds:
                rounds[-1][2].append((event.seat, -event.amount))
            case DiceGained() | LivesGained() if rounds:
                rounds[-1][2].append((event.seat, event.amount))
            case MatchEnded():
                winners = event.winners
            case _:
                pass
    notated = [
        NotatedRound(tuple(moves), counts[0] if counts else None, tuple(changes)) for moves, counts, changes in rounds
    ]
    return NotatedMatch(names, tuple(notated), winners)


@settings(max_examples=40)
@given(tables(), seeds, st.integers(0, 40) | st.just(1500), st.permutations(ODD_NAMES))
def test_the_line_of_any_match_is_read_back(
    table: tuple[Ruleset, int], seed: int, length: int, names: list[str]
) -> None:
    events = random_match(*table, seed, length).events
    assert isinstance(events[0], MatchStarted)
    renamed = (msgspec.structs.replace(events[0], names=tuple(names[: table[1]])), *events[1:])
    assert parse_match(notate_match(renamed)) == summary(renamed)


def test_a_name_is_in_quotation_marks_only_where_it_could_be_taken_for_something_else() -> None:
    started = MatchStarted(preset("basic").ruleset, ("Old Fitz", "Ann, Bo"))
    assert notate_match([started]) == 'Old Fitz, "Ann, Bo"'


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Ann",
        "Ann, Ann",
        'Ann, "Bo',
        "Ann, Bo | 2: Ann 3x4",
        "Ann, Bo | 1: Cy 3x4",
        "Ann, Bo | 1: Ann maybe",
        "Ann, Bo | 1: Ann 3x4 =",
        "Ann, Bo | Cy wins",
        "Ann, Bo | Ann wins | 2: Ann 3x4",
        "Ann, Bo | ",
        LINE * 20_000,
    ],
    ids=lambda line: line[:30],
)
def test_what_is_no_match_on_one_line_is_refused(line: str) -> None:
    with pytest.raises(NotationError):
        parse_match(line)


@settings(max_examples=60)
@given(st.integers(0, len(LINE) - 1), st.text(max_size=2), st.integers(0, 3))
def test_a_damaged_line_is_read_or_refused(place: int, inserted: str, removed: int) -> None:
    damaged = LINE[:place] + inserted + LINE[place + removed :]
    is_accepted(lambda: parse_match(damaged))
