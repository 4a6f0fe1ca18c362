"""Every action can be written, and is read back."""

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
    ClaimExact,
    DeclareSpecial,
    Exact,
    Pass,
    Penalise,
    PlayerAction,
    Reroll,
    SetDirection,
)
from liarsdice.core.bids.bid_chart import BidRange, bid_ranges, bids_in
from liarsdice.core.bids.notation import (
    MAX_QUOTE_LENGTH,
    NotatedMatch,
    NotatedRound,
    notate,
    notate_match,
    parse,
    parse_bid,
    parse_match,
)
from liarsdice.core.engine.legal import legal
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
    ExactClaimed,
    KindChosen,
    LivesGained,
    LivesLost,
    MatchEnded,
    MatchStarted,
    PassChallenged,
    Passed,
    Rerolled,
    Revealed,
    RoundStarted,
    SpecialDeclared,
)
from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.choices import Direction, PenaltyTrigger, RoundKind
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.match import Dealer, Match
from tests.laws.random_matches import random_match
from tests.laws.random_rulesets import seeds, tables
from tests.laws.test_hostile_input import is_accepted


@pytest.mark.parametrize(
    "action",
    [
        Bid(5, 4),
        Challenge(),
        Exact(),
        *map(SetDirection, Direction),
        DeclareSpecial(),
        Reroll(),
        *map(ChooseKind, RoundKind),
    ],
)
def test_a_written_action_is_read_back(action: PlayerAction) -> None:
    assert parse(notate(action)) == action


def test_a_penalty_is_written_as_its_trigger() -> None:
    assert notate(Penalise(PenaltyTrigger.ASKS_DICE_LEFT)) == "asks_dice_left"


@pytest.mark.parametrize("text", ["5x4", " 5 X 4 ", "5×4", "5*4"])
def test_bids_are_read_with_several_signs_and_spaces(text: str) -> None:
    assert parse_bid(text) == Bid(5, 4)


@pytest.mark.parametrize("text", ["5x4!", " 5 x 4 !", "5x4 zhai", "5X4 ZHAI", "5*4 pure"])
def test_a_pure_bid_ends_in_a_mark_or_a_word(text: str) -> None:
    assert parse_bid(text) == Bid(5, 4, pure=True)
    assert notate(parse_bid(text)) == "5x4!"


@pytest.mark.parametrize("text", ["sum7", "sum 7", " SUM 7 ", "suma7", "Suma 7"])
def test_a_bid_on_the_sum_is_a_word_and_a_number(text: str) -> None:
    assert parse(text) == Bid(7, SUM_FACE)
    assert notate(parse(text)) == "sum7"


@pytest.mark.parametrize("text", ["5x0", "5 × 00!", "1x0+4"])
def test_a_bid_on_face_0_is_no_bid_on_a_sum(text: str) -> None:
    with pytest.raises(NotationError, match="no die has the face 0"):
        parse(text)


def test_a_long_text_is_quoted_in_part() -> None:
    with pytest.raises(NotationError) as refused:
        parse("x" * 1000)
    assert len(str(refused.value)) < MAX_QUOTE_LENGTH + 200


def test_dice_that_are_shown_follow_a_plus() -> None:
    for text, action in {
        "5x4+441": BidAndShow(Bid(5, 4), (4, 4, 1)),
        "5x4! + 4": BidAndShow(Bid(5, 4, pure=True), (4,)),
        "5x4 show 4 4": BidAndShow(Bid(5, 4), (4, 4)),
        "5x12+12.": BidAndShow(Bid(5, 12), (12,)),
        "5x12+12.1": BidAndShow(Bid(5, 12), (12, 1)),
    }.items():
        assert parse(text) == action
        assert parse(notate(action)) == action
    for text in ("5x4+", "5x4 show", "+4", "5x4+4+4", "5x4+x"):
        with pytest.raises(NotationError):
            parse(text)


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


PLAIN_MOVES: dict[type[Event], PlayerAction] = {
    ExactCalled: Exact(),
    ExactClaimed: ClaimExact(),
    Rerolled: Reroll(),
    Passed: Pass(),
    PassChallenged: ChallengePass(),
}


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
            case ExactCalled() | ExactClaimed() | Rerolled() | Passed() | PassChallenged():
                rounds[-1][0].append((event.seat, PLAIN_MOVES[type(event)]))
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


@given(tables(), seeds)
def test_legal_bids_are_ranges_that_hold_the_same_bids_in_the_same_order(table: tuple[Ruleset, int], seed: int) -> None:
    for step in random_match(*table, seed, 40).steps:
        bids, kinds = legal(step.before).bids, step.before.bid_space.kinds
        ranges = bid_ranges(bids, kinds)
        assert bids_in(msgspec.json.decode(msgspec.json.encode(ranges), type=tuple[BidRange, ...])) == bids
        repeats = len(step.before.bids) if table[0].bidding.no_repeat else 0
        assert len(ranges) <= len(kinds) + repeats  # a raise is a range of quantities of each kind


def test_a_gap_divides_a_range_and_pure_bids_have_ranges_of_their_own() -> None:
    bids = (Bid(2, 4), Bid(2, 4, pure=True), Bid(3, 4), Bid(5, 4))
    ranges = bid_ranges(bids)
    assert msgspec.json.encode(ranges) == b"[[2,3,4,false],[5,5,4,false],[2,2,4,true]]"
    assert bids_in(ranges) == bids
