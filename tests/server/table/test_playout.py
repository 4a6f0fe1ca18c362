"""A person who is out plays out a match of bots faster, and nothing waits for those who are out."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from liarsdice.core.actions import Challenge
from liarsdice.core.bids.bid_chart import bids_in
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import IllegalActionError
from liarsdice.core.rules.choices import WhoCalls
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.server.errors import ForbiddenError
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.protocol.views import player_view, public_table
from liarsdice.server.table import commands as c
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
from liarsdice.server.table.playout import change_speed, only_bots_left
from liarsdice.server.table.table_config import Pace, PlayoutSpeed
from liarsdice.server.table.table_state import Stage, TableState
from tests.server.live_tables import (
    begin_match,
    is_bidding,
    make_config,
    make_table,
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


async def test_a_skipped_match_ends_although_the_pauses_of_the_server_are_long(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
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
