"""Players who are out see all cups only where they can tell nobody, and guess the next call for points."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from liarsdice.core.actions import Challenge
from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import IllegalActionError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand
from liarsdice.server.errors import ForbiddenError
from liarsdice.server.protocol.encoding import TableFrames
from liarsdice.server.protocol.views import player_view, public_table
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.playout import guess_call, is_out, own_guess, sees_all_cups
from liarsdice.server.table.public_events import news_of
from liarsdice.server.table.reducer import apply_row
from liarsdice.server.table.table_state import TableState
from tests.server.live_tables import make_config, match_of

PEOPLE, BOTS = 3, 2
SEATS = PEOPLE + BOTS


def table_of(hands: tuple[Hand, ...], *, open_cups: bool = False) -> TableState:
    """Three people and two bots in a match with these hands; the first seat with dice bids first."""
    config = make_config("basic", seats=SEATS, open_cups=open_cups)
    people: list[e.LogEntry] = [e.Joined(place, f"P{place}", f"token{place}") for place in range(1, PEOPLE + 1)]
    bots: list[e.LogEntry] = [e.BotJoined(place, f"B{place}", "random") for place in range(PEOPLE + 1, SEATS + 1)]
    opening = [e.Opened("FLEA", config), *people, *bots, e.SeedCommitted("s" * 32), e.MatchBegan(1)]
    table = None
    for seq, entry in enumerate(opening, 1):
        table = apply_row(table, e.LogRow(seq, 0, "", entry))
    assert table is not None
    match = match_of(table)
    dice = tuple(map(len, hands))
    turn = next(seat for seat, held in enumerate(dice) if held)
    state = replace(match.state, phase=Phase.BIDDING, dice=dice, hands=hands, turn=turn, starter=turn, round_number=3)
    return replace(table, match=replace(match, state=state, turn_id=9))


def after(table: TableState, *entries: e.LogEntry) -> TableState:
    """The table after more entries."""
    for entry in entries:
        table = apply_row(table, e.LogRow(table.seq + 1, 0, "", entry))
    return table


def played(table: TableState, *moves: Bid | Challenge) -> TableState:
    """The table after moves of the seats on turn."""
    for move in moves:
        state = match_of(table).state
        table = after(table, e.Played(tuple(decide(state, state.turn, move)), state.turn))
    return table


ONE_IS_OUT = ((), (1, 2), (3, 3), (4, 5), (6, 6))
ONLY_BOTS = ((), (), (), (4, 5), (6, 6))


def test_cups_are_open_to_players_who_are_out_once_nobody_with_dice_could_be_told() -> None:
    table = table_of(ONE_IS_OUT)
    assert [is_out(table, player.id) for player in table.players] == [True, *(False,) * 4]
    assert not any(sees_all_cups(table, player.id) for player in (*table.players,))
    bots_left = table_of(ONLY_BOTS)
    assert [sees_all_cups(bots_left, player) for player in (None, 1, 2, 3, 4, 99)] == [
        False,
        *(True,) * 3,
        False,
        False,
    ]
    assert player_view(bots_left, 1).cups == ONLY_BOTS
    assert player_view(bots_left, None).cups == ()


def test_a_person_for_whom_a_bot_plays_could_still_be_told() -> None:
    table = after(table_of(((), (), (3, 3), (4, 5), (6, 6))), e.StandInChanged(3, bot=True))
    assert player_view(table, 1).cups == ()


def test_the_host_may_open_the_cups_to_players_who_are_out_and_to_nobody_else() -> None:
    table = table_of(ONE_IS_OUT, open_cups=True)
    assert player_view(table, 1).cups == ONE_IS_OUT
    for player_id in (None, 2, 3, 4, 5):
        assert player_view(table, player_id).cups == ()


def test_cups_are_closed_between_rounds_and_after_the_match() -> None:
    table = table_of(ONLY_BOTS)
    for phase in (Phase.DEAL, Phase.OVER):
        closed = replace(table, match=replace(match_of(table), state=replace(match_of(table).state, phase=phase)))
        assert player_view(closed, 1).cups == ()


hands_alike = st.integers(0, 3).flatmap(
    lambda dice: st.tuples(*(st.lists(st.integers(1, 6), min_size=dice, max_size=dice).map(tuple) for _ in range(2)))
)


@given(st.lists(hands_alike, min_size=SEATS, max_size=SEATS), st.booleans(), st.booleans())
def test_hidden_dice_change_no_byte_for_anybody_whose_cups_are_closed(
    pairs: list[tuple[Hand, Hand]], open_cups: bool, guessed: bool
) -> None:
    """The twins of a table differ in the dice of all seats; a viewer keeps the own hand."""
    dealt, other = tuple(first for first, _ in pairs), tuple(second for _, second in pairs)
    if not any(dealt):
        return
    for viewer in (None, *range(1, SEATS + 1)):
        own = None if viewer is None else viewer - 1
        twins = (dealt, tuple(dealt[seat] if seat == own else hand for seat, hand in enumerate(other)))
        tables = [table_of(hands, open_cups=open_cups) for hands in twins]
        if guessed and is_out(tables[0], 1):
            caller = next(seat for seat, hand in enumerate(dealt) if hand)
            tables = [after(table, *guess_call(table, table.players[0], caller, right=True)) for table in tables]
        frames = [TableFrames(table, None).update(viewer, 0) for table in tables]
        assert len(frames[0]) == len(frames[1]), "the length tells about dice"
        if not sees_all_cups(tables[0], viewer):
            assert frames[0] == frames[1]


def test_a_guess_is_known_to_its_player_only_and_made_once_a_round() -> None:
    table = table_of(ONE_IS_OUT)
    ann = table.players[0]
    entries = guess_call(table, ann, 2, right=True)
    assert [list(news_of(entry)) for entry in entries] == [[]]
    guessed = after(table, *entries)
    guess = own_guess(guessed, ann.id)
    assert guess is not None
    assert (guess.caller, guess.right) == (2, True)
    assert (player_view(table, 1).may_guess, player_view(guessed, 1).may_guess) == (True, False)
    assert player_view(guessed, 2).guess is None
    assert public_table(guessed, None) == public_table(table, None)
    with pytest.raises(IllegalActionError, match="already"):
        guess_call(guessed, ann, 3, right=False)


def test_only_players_who_are_out_guess_and_only_about_seats_with_dice() -> None:
    table = table_of(ONE_IS_OUT)
    for player in table.players[1:]:
        with pytest.raises(ForbiddenError):
            guess_call(table, player, 3, right=True)
    for caller in (-1, 0, SEATS):
        with pytest.raises(IllegalActionError, match="with dice"):
            guess_call(table, table.players[0], caller, right=True)
    over = replace(table, match=replace(match_of(table), state=replace(match_of(table).state, phase=Phase.OVER)))
    with pytest.raises(IllegalActionError, match="while players bid"):
        guess_call(over, table.players[0], 2, right=True)


@pytest.mark.parametrize("caller, right, points", [(2, True, 2), (2, False, 1), (1, True, 0)])
def test_a_guess_brings_a_point_for_the_caller_and_one_for_the_outcome(caller: int, right: bool, points: int) -> None:
    table = table_of(ONE_IS_OUT)
    table = after(table, *guess_call(table, table.players[0], caller, right=right))
    bid = played(table, Bid(9, 2))  # by seat 1, and false
    assert match_of(bid).guess_points == ()
    called = played(bid, Challenge())
    assert match_of(called).guess_points == (points, 0, 0, 0, 0)
    match = public_table(called, None).match
    assert match is not None
    assert match.guess_points == (points, 0, 0, 0, 0)
