"""A person who is out plays out a match of bots faster, and nothing waits for those who are out."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from liarsdice.core.actions import Challenge
from liarsdice.core.bids.bid_chart import bids_in
from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import IllegalActionError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import WhoCalls
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import Hand
from liarsdice.server.errors import ForbiddenError
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.protocol.encoding import TableFrames
from liarsdice.server.protocol.views import player_view, public_table
from liarsdice.server.table import commands as c
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.deadlines import (
    CALLABLE_BID_MS,
    REVEAL_UNWATCHED_MS,
    ROLL_SHOWN_MS,
    SLOW_ROLLS,
    SPECIAL_ROUND_MS,
    DeadlineKind,
    next_deadline,
    reveal_viewers,
)
from liarsdice.server.table.public_news import news_of
from liarsdice.server.table.reducer import (
    apply_row,
    change_speed,
    guess_call,
    is_out,
    only_bots_left,
    own_guess,
    sees_all_cups,
)
from liarsdice.server.table.table_config import Pace
from liarsdice.server.table.table_state import TableState
from liarsdice.wire import PlayoutSpeed, Stage
from tests.server.live_tables import (
    begin_match,
    is_bidding,
    make_config,
    make_table,
    match_of,
    open_registry,
    turn_id,
    wait_until,
)

ANN = hash_token("Ann")


async def bots_and_ann(path: Path) -> TableState:
    """A match of Ann and two bots in which the first bid is awaited."""
    async with open_registry(path) as registry:
        live_table = await make_table(registry, "Ann", bots=("random", "random"))
        live_table.on_change.append(lambda: slow_down_after_the_deal(registry, live_table))
        await registry.submit(live_table, ANN, "begin", c.Begin())
        return await wait_until(live_table, is_bidding)


def slow_down_after_the_deal(registry: TableRegistry, live_table: LiveTable) -> None:
    """Make all pauses endless that begin after the first deal."""
    table = live_table.known_state
    if table is not None and table.match is not None and table.match.state.phase is Phase.DEAL:
        registry.services.pace = 1e6


def with_dice(table: TableState, *dice: int, turn: int = 1) -> TableState:
    """The table with other numbers of dice, which it is a bot's turn to bid on."""
    assert table.match is not None
    state = replace(table.match.state, dice=dice, turn=turn, phase=Phase.BIDDING, bids=())
    return replace(table, match=replace(table.match, state=state, verdict=None))


async def test_only_a_player_of_a_match_without_people_in_it_speeds_it_up(tmp_path: Path) -> None:
    table = await bots_and_ann(tmp_path / "db")
    ann = table.players[0]
    playing, out = with_dice(table, 2, 2, 2), with_dice(table, 0, 2, 2)
    assert (only_bots_left(playing), only_bots_left(out)) == (False, True)
    with pytest.raises(IllegalActionError, match="nobody but bots"):
        change_speed(playing, ann, PlayoutSpeed.FAST)
    with pytest.raises(ForbiddenError):
        change_speed(out, replace(ann, id=99), PlayoutSpeed.FAST)
    assert len(change_speed(out, ann, PlayoutSpeed.FAST)) == 1
    assert change_speed(out, ann, PlayoutSpeed.NORMAL) == []
    stands_in = replace(playing, players=(replace(ann, stand_in=True), *playing.players[1:]))
    assert not only_bots_left(stands_in)  # Ann may come back
    match = public_table(out, None).match
    assert match is not None
    assert match.only_bots_left


async def test_a_faster_match_waits_less_and_one_that_is_skipped_not_at_all(tmp_path: Path) -> None:
    table = with_dice(await bots_and_ann(tmp_path / "db"), 0, 2, 2)
    waits = {}
    for speed in PlayoutSpeed:
        assert table.match is not None
        deadline = next_deadline(replace(table, match=replace(table.match, speed=speed)))
        assert deadline is not None
        waits[speed] = deadline.after_ms
    assert waits[PlayoutSpeed.NORMAL] == ROLL_SHOWN_MS[0]
    assert waits[PlayoutSpeed.FAST] <= 0.2 * waits[PlayoutSpeed.NORMAL] + 1
    assert waits[PlayoutSpeed.AT_ONCE] == 0


async def skipped_match(live_table: LiveTable) -> TableState:
    return await wait_until(live_table, lambda table: table.stage is Stage.OVER)


def slow_down_without_people(registry: TableRegistry, live_table: LiveTable) -> None:
    """Make all further pauses endless as soon as only bots have dice left."""
    if live_table.known_state is not None and only_bots_left(live_table.known_state):
        registry.services.pace = 1e6


async def lose_all_dice(registry: TableRegistry, live_table: LiveTable) -> TableState:
    """Ann bids too high until she is out. If she wins a match all the same, another one begins."""

    def is_next(table: TableState) -> bool:
        on_turn = is_bidding(table) and table.ongoing_match is not None and table.ongoing_match.state.turn == 0
        return on_turn or only_bots_left(table) or table.stage is Stage.OVER

    while True:
        table = await wait_until(live_table, is_next)
        if only_bots_left(table):
            return table
        if table.stage is Stage.OVER:
            await registry.submit(live_table, ANN, f"again{table.seq}", c.Begin())
            continue
        bids = bids_in(player_view(table, 1).bids)
        move = bids[-1] if bids else Challenge()
        await registry.submit(live_table, ANN, f"m{table.seq}", move, turn_id(table))


async def test_a_skipped_match_ends_although_the_pauses_of_the_server_are_long(registry: TableRegistry) -> None:
    rules = patched(preset("perudo").ruleset, dice__per_player=2)
    live_table = await make_table(registry, "Ann", config=make_config(rules), bots=("random",) * 4)
    live_table.on_change.append(lambda: slow_down_without_people(registry, live_table))
    await registry.submit(live_table, ANN, "begin", c.Begin())
    table = await lose_all_dice(registry, live_table)
    assert table.stage is Stage.PLAYING
    await registry.submit(live_table, ANN, "skip", c.PlayOut(PlayoutSpeed.AT_ONCE))
    await wait_until(live_table, lambda table: table.stage is Stage.OVER)


async def test_a_reveal_waits_for_nobody_who_was_out_before_it(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo", bots=("random",))
        await begin_match(registry, live_table)
        registry.services.pace = 0.0
        await registry.submit(live_table, ANN, "bot", c.StandIn(1, bot=True))
        await registry.submit(live_table, ANN, "bot2", c.StandIn(3, bot=True))
        table = await wait_until(live_table, lambda table: bool(table.ongoing_match and table.ongoing_match.verdict))
    people = tuple(replace(player, stand_in=False) for player in table.players)  # Ann, the bot, Bo
    assert table.match is not None
    verdict = table.match.verdict
    assert verdict is not None
    shown = replace(table, players=people)
    assert reveal_viewers(shown) == (0, 2)
    hands = ((), *verdict.reveal.hands[1:])
    without_ann = replace(verdict, reveal=replace(verdict.reveal, hands=hands))
    assert reveal_viewers(replace(shown, match=replace(table.match, verdict=without_ann))) == (2,)
    nobody = replace(verdict, reveal=replace(verdict.reveal, hands=((), hands[1], ())))
    deadline = next_deadline(replace(shown, match=replace(table.match, verdict=nobody)))
    assert deadline is not None
    assert (deadline.kind, deadline.after_ms) == (DeadlineKind.DEAL, REVEAL_UNWATCHED_MS)


async def test_a_bot_waits_while_a_person_may_call_out_of_turn_and_longer_at_an_unhurried_table(tmp_path: Path) -> None:
    table = with_dice(await bots_and_ann(tmp_path / "db"), 2, 2, 2)
    assert table.match is not None
    state = table.match.state
    anyone = patched(state.ruleset, challenge__who=WhoCalls.ANYONE_BUT_BIDDER)
    standing = replace(state, ruleset=anyone, bids=((2, state.bid_space.opening_bids(1, 1, special_round=False)[0]),))
    callable_bid = replace(table, match=replace(table.match, state=standing))
    for pace, factor in ((Pace.NORMAL, 1.0), (Pace.RELAXED, 1.8), (Pace.QUICK, 0.55)):
        config = replace(callable_bid.config, pace=pace)
        deadline = next_deadline(replace(callable_bid, config=config))
        assert deadline is not None
        assert (deadline.kind, deadline.after_ms) == (DeadlineKind.BOT_MOVE, round(factor * CALLABLE_BID_MS))


async def test_a_bot_opens_no_round_before_the_page_has_shown_the_roll(tmp_path: Path) -> None:
    table = with_dice(await bots_and_ann(tmp_path / "db"), 2, 2, 2)
    assert table.match is not None
    waits = []
    for number in (1, SLOW_ROLLS + 1):
        state = replace(table.match.state, round_number=number, bids=())
        deadline = next_deadline(replace(table, match=replace(table.match, state=state)))
        assert deadline is not None
        assert deadline.kind is DeadlineKind.BOT_MOVE
        waits.append(deadline.after_ms)
    assert waits[0] == ROLL_SHOWN_MS[0]
    assert ROLL_SHOWN_MS[1] <= waits[1] < ROLL_SHOWN_MS[0]


async def test_a_bot_that_opens_a_special_round_leaves_time_to_read_its_rules(tmp_path: Path) -> None:
    table = with_dice(await bots_and_ann(tmp_path / "db"), 2, 1, 2)
    assert table.match is not None
    special = replace(table, match=replace(table.match, state=replace(table.match.state, special_seat=1)))
    deadline = next_deadline(special)
    assert deadline is not None
    assert (deadline.kind, deadline.after_ms) == (DeadlineKind.BOT_MOVE, SPECIAL_ROUND_MS)


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
