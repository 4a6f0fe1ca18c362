"""People and bots come and go between and during matches, and no table is left in a state that nobody can change."""

import asyncio
from collections import Counter
from contextlib import nullcontext, suppress
from pathlib import Path

import msgspec
import pytest

from liarsdice.core.actions import Challenge
from liarsdice.core.errors import CostlyRulesError, IllegalActionError, MalformedError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import PenaltyTrigger, StarterMethod
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.rule_costs import MAX_DICE_EACH
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.match import Dealer
from liarsdice.play.player_names import InvalidNameError, ReservedNameError, look_alike
from liarsdice.server.errors import (
    AddressLimitError,
    BannedError,
    ForbiddenError,
    NameTakenError,
    StaleError,
    TableLockedError,
)
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_registry import HOST_AWAY_MS, TableRegistry
from liarsdice.server.live.table_services import AddressPolicy
from liarsdice.server.protocol.views import player_view, public_table, table_setup
from liarsdice.server.table import commands as c
from liarsdice.server.table.deadlines import AWAY_MS, LISTED_PAUSE_MS, LISTED_TURN_MS, REMATCH_MS
from liarsdice.server.table.seating import (
    BOT_NAMES,
    MAX_BANS,
    MAX_LISTED_PAUSES,
    MAX_OPEN_PER_ADDRESS,
    MAX_OPEN_REQUESTS,
    MAX_STAND_INS,
    active_bans,
    free_bot_name,
    present_players,
)
from liarsdice.server.table.table_config import DAY_S, SLOW_TURN_S, Away, BanScope, Clock, TableConfig, normalize_config
from liarsdice.server.table.table_state import TableState
from liarsdice.wire import Stage
from tests.server.live_tables import (
    RecordingSubscriber,
    begin_match,
    fake_clock,
    is_bidding,
    is_over,
    make_config,
    make_table,
    match_of,
    open_registry,
    token_on_turn,
    turn_id,
    wait_until,
    wait_until_idle,
)

ANN, BO, CY = map(hash_token, ("Ann", "Bo", "Cy"))


async def table_in_match(registry: TableRegistry, *names: str, config: TableConfig | None = None) -> LiveTable:
    live_table = await make_table(registry, *names, config=config)
    await begin_match(registry, live_table)
    return live_table


async def table_after_match(registry: TableRegistry, *names: str) -> LiveTable:
    """A table whose match bots have played to its end for these people."""
    live_table = await table_in_match(registry, *names)
    for player in (await live_table.state()).players:
        await registry.submit(live_table, hash_token(names[0]), f"bot{player.id}", c.StandIn(player.id, bot=True))
    await wait_until(live_table, is_over)
    return live_table


async def test_after_a_match_bots_can_be_exchanged_any_number_of_times(registry: TableRegistry) -> None:
    live_table = await table_after_match(registry, "Ann", "Bo")
    for turn in range(20):
        fake_clock(registry).time_ms += 4_000
        await registry.submit(live_table, ANN, f"add{turn}", c.AddBot("random"))
        table = await live_table.state()
        assert len(table.players) == 3
        await registry.submit(live_table, ANN, f"remove{turn}", c.Remove(table.players[-1].id))
    assert [player.name for player in (await live_table.state()).players] == ["Ann", "Bo"]


async def test_a_rematch_begins_at_once_when_everybody_wants_it(registry: TableRegistry) -> None:
    live_table = await table_after_match(registry, "Ann", "Bo")
    await registry.take_seat(live_table, "Cy", CY, "", "sit")
    for number, token_hash in enumerate((CY, BO, CY)):
        await registry.submit(live_table, token_hash, f"again{number}", c.Begin())
    shown = public_table(await live_table.state(), live_table.left_ms())
    assert (shown.stage, shown.rematch, shown.begins_ms) == (Stage.OVER, (3, 2), REMATCH_MS)
    await registry.submit(live_table, ANN, "again", c.Begin())
    table = await live_table.state()
    assert match_of(table).state.names == ("Ann", "Bo", "Cy")
    assert table.rematch == ()


async def test_a_rematch_waits_ten_seconds_for_who_looks_at_the_result_and_leaves_them_where_they_are(
    registry: TableRegistry,
) -> None:
    live_table = await table_after_match(registry, "Ann", "Bo", "Cy")
    await registry.submit(live_table, BO, "again", c.Begin())
    assert live_table.left_ms() is None, "one player is no match"
    await registry.submit(live_table, CY, "again", c.Begin())
    fake_clock(registry).time_ms += 4_000
    assert live_table.left_ms() == REMATCH_MS - 4_000
    await registry.submit(live_table, CY, "no", c.NotYet())
    assert live_table.left_ms() is None
    await registry.submit(live_table, CY, "yes", c.Begin())
    fake_clock(registry).time_ms += REMATCH_MS
    await registry.submit(live_table, ANN, "say", c.Say("that was a good one"))  # sets the timers again
    table = await wait_until(live_table, is_bidding)
    assert match_of(table).state.names == ("Bo", "Cy")
    assert [(player.name, player.gone) for player in table.players] == [("Bo", False), ("Cy", False), ("Ann", False)]
    assert player_view(table, 1).seat is None
    fake_clock(registry).time_ms += 1_000
    await registry.submit(live_table, ANN, "say 2", c.Say("whose turn is it?"))
    with pytest.raises(IllegalActionError, match="no seat in this match"):
        await registry.submit(live_table, ANN, "move", Bid(1, 2), turn_id(table))


async def test_the_host_chooses_the_seats_of_the_next_match(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo", bots=("random",))
    for order in ((1, 2), (1, 2, 2), (1, 2, 4)):
        with pytest.raises(StaleError):
            await registry.submit(live_table, ANN, "wrong", c.Arrange(order))
    with pytest.raises(ForbiddenError):
        await registry.submit(live_table, BO, "mine", c.Arrange((3, 2, 1)))
    await registry.submit(live_table, ANN, "seats", c.Arrange((3, 2, 1)))
    assert [player.name for player in (await live_table.state()).players] == ["Bo", "Old Fitz", "Ann"]
    table = await begin_match(registry, live_table)
    assert match_of(table).state.names == ("Bo", "Old Fitz", "Ann")
    for player_id in (1, 3):
        await registry.submit(live_table, ANN, f"away{player_id}", c.StandIn(player_id, bot=True))
    await wait_until(live_table, is_over)
    await registry.submit(live_table, ANN, "again", c.Arrange((1, 2, 3)))
    table = await live_table.state()
    assert [player.name for player in table.players] == ["Bo", "Old Fitz", "Ann"], "these are the seats of the result"
    for token_hash in (ANN, BO):
        await registry.submit(live_table, token_hash, "rematch", c.Begin())
    table = await wait_until(live_table, is_bidding)
    assert match_of(table).state.names == ("Ann", "Old Fitz", "Bo")
    assert [player.name for player in table.players] == ["Ann", "Old Fitz", "Bo"]


async def test_first_rolls_seat_the_players_anew_for_every_match(registry: TableRegistry) -> None:
    rules = patched(preset("basic").ruleset, dice__per_player=1, first_starter__method=StarterMethod.SEATED_BY_ROLL)
    live_table = await make_table(registry, "Ann", "Bo", bots=("random",), config=make_config(rules))
    with pytest.raises(IllegalActionError, match="in the order of the first rolls"):
        await registry.submit(live_table, ANN, "seats", c.Arrange((3, 2, 1)))
    for number in range(1, 4):
        players = (await live_table.state()).players
        for token_hash in (ANN, BO)[: 1 if number == 1 else 2]:
            await registry.submit(live_table, token_hash, f"begin{number}", c.Begin())
        match = match_of(table := await wait_until(live_table, is_bidding))
        assert match.number == number
        assert list(match.state.names) == [player.name for player in Dealer(match.server_seed).seat(rules, players)]
        assert [player.name for player in table.players] == list(match.state.names)
        assert match.state.starter == 0
        for player_id in (1, 3):
            await registry.submit(live_table, ANN, f"bot{number}{player_id}", c.StandIn(player_id, bot=True))
        await wait_until(live_table, is_over)


async def test_a_series_is_played_with_rematches_until_a_player_has_won_more_than_half_of_its_matches(
    registry: TableRegistry,
) -> None:
    config = make_config(patched(preset("basic").ruleset, dice__per_player=1), best_of=3)
    live_table = await make_table(registry, "Ann", "Bo", config=config)
    counted = Counter[int]()
    for number in range(1, 5):
        for token_hash in (ANN, BO)[: 1 if number == 1 else 2]:
            await registry.submit(live_table, token_hash, f"begin{number}", c.Begin())
        for player_id in (1, 2):
            await registry.submit(live_table, ANN, f"bot{number}{player_id}", c.StandIn(player_id, bot=True))
        table = await wait_until(live_table, is_over)
        assert match_of(table).number == number
        counted[table.players[match_of(table).state.winners[0]].id] += 1
        shown = public_table(table, None)
        assert {player.id: player.wins for player in shown.players} == {1: counted[1], 2: counted[2]}
        if shown.series_winner is not None:
            assert counted.most_common(1) == [(shown.series_winner, 2)]
            counted.clear()
        else:
            assert max(counted.values()) == 1
    assert sum(counted.values()) < 3, "the match after the last of a series is the first of the next one"


async def test_whoever_sat_down_since_begins_no_rematch_alone(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", bots=("random", "random"))
    await begin_match(registry, live_table)
    await registry.submit(live_table, ANN, "bot", c.StandIn(1, bot=True))
    await wait_until(live_table, is_over)
    await registry.take_seat(live_table, "Cy", CY, "", "sit")
    await registry.submit(live_table, CY, "again", c.Begin())
    assert live_table.left_ms() is None


async def test_nobody_wants_a_rematch_any_more_when_its_rules_change(registry: TableRegistry) -> None:
    live_table = await table_after_match(registry, "Ann", "Bo", "Cy")
    for token_hash in (ANN, BO):
        await registry.submit(live_table, token_hash, "again", c.Begin())
    config = msgspec.structs.replace((await live_table.state()).config, hints=True)
    await registry.submit(live_table, ANN, "change", c.Change(config))
    assert (live_table.left_ms(), (await live_table.state()).rematch) == (None, ())


async def test_players_by_post_have_as_long_as_they_like_for_a_rematch(registry: TableRegistry) -> None:
    live_table = await table_after_match(registry, "Ann", "Bo", "Cy")
    config = (await live_table.state()).config
    await registry.submit(live_table, ANN, "c", c.Change(msgspec.structs.replace(config, clock=Clock(SLOW_TURN_S))))
    for token_hash in (BO, ANN):
        await registry.submit(live_table, token_hash, "again", c.Begin())
    assert live_table.left_ms() is None
    await registry.submit(live_table, ANN, "out", c.Remove(3))
    await wait_until(live_table, is_bidding)


async def test_a_host_who_has_not_played_begins_a_rematch(registry: TableRegistry) -> None:
    live_table = await table_after_match(registry, "Ann", "Bo")
    assert await registry.take_seat(live_table, "Cy", CY, "", "sit") == 3
    await registry.submit(live_table, ANN, "host", c.MakeHost(3))
    for token_hash in (CY, ANN, BO):
        await registry.submit(live_table, token_hash, "again", c.Begin())
    assert (await live_table.state()).stage is Stage.PLAYING


async def test_a_player_who_leaves_after_a_match_keeps_the_seat_in_its_result(registry: TableRegistry) -> None:
    live_table = await table_after_match(registry, "Ann", "Bo")
    await registry.submit(live_table, ANN, "leave", c.Leave())
    await registry.take_seat(live_table, "Cy", CY, "", "sit")
    assert [(player.name, player.gone) for player in (await live_table.state()).players] == [
        ("Ann", True),
        ("Bo", False),
        ("Cy", False),
    ]


async def test_a_pause_ends_when_the_last_person_leaves(registry: TableRegistry) -> None:
    live_table = await table_in_match(registry, "Ann", "Bo")
    await registry.submit(live_table, ANN, "p", c.Pause(paused=True))
    await registry.submit(live_table, ANN, "a", c.Leave())
    assert (await live_table.state()).paused
    await registry.submit(live_table, BO, "b", c.Leave())
    await wait_until(live_table, is_over)
    await registry.take_seat(live_table, "Cy", CY, "", "sit")
    table = await live_table.state()
    assert table.player_by_token(CY) == table.player(table.host)


async def test_open_accusations_end_with_the_match(registry: TableRegistry) -> None:
    rules = patched(preset("openspiel").ruleset, penalties=(Penalty(trigger=PenaltyTrigger.ASKS_WHOSE_TURN),))
    live_table = await table_in_match(registry, "Ann", "Bo", config=make_config(rules, seats=2))
    await registry.submit(live_table, BO, "say", c.Say("whose turn is it?"))
    assert (await live_table.state()).accusations
    while not is_over(table := await wait_until(live_table, lambda table: is_bidding(table) or is_over(table))):
        assert table.ongoing_match is not None
        move = Challenge() if table.ongoing_match.state.bids else Bid(2, 6)
        await registry.submit(live_table, token_on_turn(table), f"m{turn_id(table)}", move, turn_id(table))
    assert table.accusations == ()


async def test_a_seat_link_does_not_work_after_the_player_has_left(registry: TableRegistry) -> None:
    live_table = await table_in_match(registry, "Ann", "Bo")
    bo = (await live_table.state()).player_by_token(BO)
    assert bo is not None
    await registry.submit(live_table, BO, "leave", c.Leave())
    with pytest.raises(ForbiddenError, match="free again"):
        await registry.add_device(live_table, bo.id, CY)


async def test_a_device_that_holds_a_seat_cannot_redeem_a_link_to_another(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    with pytest.raises(ForbiddenError, match="as Bo"):
        await registry.add_device(live_table, 1, BO)
    await registry.add_device(live_table, 1, ANN)


@pytest.mark.parametrize("name", ["ann", "\u0410nn", "A\u0578n", "\uff21nn"])
async def test_nobody_sits_down_under_a_name_that_looks_like_anothers(registry: TableRegistry, name: str) -> None:
    live_table = await make_table(registry, "Ann")
    with pytest.raises(NameTakenError, match="choose another name"):
        await registry.take_seat(live_table, name, BO, "", "sit")


@pytest.mark.parametrize("after_match", [False, True])
async def test_the_name_of_who_has_left_stays_theirs_at_the_table(
    registry: TableRegistry, *, after_match: bool
) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    if after_match:
        await begin_match(registry, live_table)
        for player in (1, 2):
            await registry.submit(live_table, ANN, f"bot{player}", c.StandIn(player, bot=True))
        await wait_until(live_table, is_over)
    await registry.submit(live_table, BO, "leave", c.Leave())
    with pytest.raises(NameTakenError, match="who sat here before; choose another name"):
        await registry.take_seat(live_table, "B\u043e", CY, "", "sit")
    await registry.take_seat(live_table, "Cy", CY, "", "sit")
    await registry.take_seat(live_table, "Bo", BO, "", "back")
    assert present_names(await live_table.state()) == ["Ann", "Cy", "Bo"]


async def test_a_person_sits_down_under_no_name_of_a_role(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann")
    with pytest.raises(ReservedNameError, match="choose another name"):
        await registry.take_seat(live_table, "Ann (host)", BO, "", "sit")
    with pytest.raises(ReservedNameError, match="choose another name"):
        await make_table(registry, "Server")
    await registry.take_seat(live_table, "Wren bot", BO, "", "sit", program=True)


async def test_names_and_titles_are_stored_in_their_normal_form(registry: TableRegistry) -> None:
    config = msgspec.structs.replace(make_config(), title=" The\u00a0Spoon ")
    live_table, _ = await registry.open_table(config, "\uff21nn ", ANN, "", ())
    await registry.take_seat(live_table, " Zoe\u0308", BO, "", "sit")
    table = await live_table.state()
    assert (table.config.title, present_names(table)) == ("The Spoon", ["Ann", "Zoë"])
    await registry.submit(live_table, ANN, "c", c.Change(msgspec.structs.replace(config, title="Spoon  2")))
    assert (await live_table.state()).config.title == "Spoon 2"


async def test_no_table_has_an_invisible_name(registry: TableRegistry) -> None:
    config = make_config()
    live_table = await make_table(registry, "Ann")
    unnamed = msgspec.structs.replace(config, title="\u3164")
    with pytest.raises(InvalidNameError, match="a table's name"):
        await registry.submit(live_table, ANN, "c", c.Change(unnamed))
    with pytest.raises(InvalidNameError, match="a player's name"):
        await registry.open_table(config, "A\u202ennA", BO, "", ())
    with pytest.raises(InvalidNameError, match="a player's name"):
        await registry.take_seat(live_table, "\u2800", BO, "", "sit")


async def test_a_bot_has_no_name_that_looks_like_a_players(registry: TableRegistry) -> None:
    looks_like_bot = BOT_NAMES[1].replace("e", "\u0435")
    live_table = await make_table(registry, looks_like_bot)
    for number in range(5):
        await registry.submit(live_table, hash_token(looks_like_bot), f"b{number}", c.AddBot("random"))
    table = await live_table.state()
    assert len(table.players) == 6
    assert not any(look_alike(looks_like_bot, bot.name) for bot in table.players[1:])
    assert not any(look_alike(free_bot_name(table), player.name) for player in table.players)


def present_names(table: TableState) -> list[str]:
    return [player.name for player in present_players(table)]


async def test_whoever_opened_the_table_is_host_again_when_they_connect(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    fake_clock(registry).time_ms += HOST_AWAY_MS
    await registry.submit(live_table, BO, "over", c.MakeHost(2))
    live_table.subscribe(RecordingSubscriber(BO))
    await wait_until_idle(registry, live_table.code)
    assert (await live_table.state()).host == 2
    live_table.subscribe(RecordingSubscriber(ANN))
    assert (await wait_until(live_table, lambda table: table.host == 1)).host == 1


async def test_whoever_opened_the_table_is_host_again_when_they_sit_down(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    await registry.submit(live_table, ANN, "leave", c.Leave())
    assert (await live_table.state()).host == 2
    assert await registry.take_seat(live_table, "Ann", ANN, "", "back") == 3
    assert (await live_table.state()).host == 3


async def test_whoever_made_somebody_else_host_does_not_become_host_again_by_themselves(
    registry: TableRegistry,
) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    await registry.submit(live_table, ANN, "host", c.MakeHost(2))
    live_table.subscribe(RecordingSubscriber(ANN))
    await wait_until_idle(registry, live_table.code)
    await registry.submit(live_table, ANN, "leave", c.Leave())
    await registry.take_seat(live_table, "Ann", ANN, "", "back")
    assert (await live_table.state()).host == 2


async def test_a_host_has_a_bot_play_only_for_who_is_away_and_three_times_a_match(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    await begin_match(registry, live_table)
    page = RecordingSubscriber(BO)
    live_table.subscribe(page)
    with pytest.raises(ForbiddenError, match="Bo is here"):
        await registry.submit(live_table, ANN, "here", c.StandIn(2, bot=True))
    live_table.unsubscribe(page)
    for number in range(MAX_STAND_INS):
        await registry.submit(live_table, ANN, f"bot {number}", c.StandIn(2, bot=True))
        await registry.submit(live_table, ANN, f"back {number}", c.StandIn(2, bot=False))
    with pytest.raises(ForbiddenError, match="in this match already"):
        await registry.submit(live_table, ANN, "again", c.StandIn(2, bot=True))
    await registry.submit(live_table, ANN, "self", c.StandIn(1, bot=True))


@pytest.mark.parametrize("away", Away)
async def test_a_player_of_a_listed_match_without_a_clock_who_never_moves_stops_it_for_five_minutes(
    registry: TableRegistry, away: Away
) -> None:
    config = msgspec.structs.replace(make_config(away=away), listed=True)
    live_table = await make_table(registry, "Ann", "Bo", config=config)
    table = await begin_match(registry, live_table)
    late = table.players[match_of(table).state.turn]
    live_table.subscribe(RecordingSubscriber(hash_token(late.name)))
    for wait_ms in (AWAY_MS, LISTED_TURN_MS - AWAY_MS - 1, 1):
        assert turn_id(await live_table.state()) == turn_id(table)
        fake_clock(registry).time_ms += wait_ms
        await live_table.refresh()  # the timers look at the clock again
        await asyncio.sleep(0)
        while tasks := fake_clock(registry).running_tasks:
            await asyncio.wait(tasks)
    moved = await wait_until(live_table, lambda after: turn_id(after) > turn_id(table))
    assert not moved.players[late.id - 1].stand_in


async def test_a_listed_match_is_paused_a_few_times_and_for_five_minutes(registry: TableRegistry) -> None:
    config = msgspec.structs.replace(make_config(clock=Clock(30)), listed=True)
    live_table = await make_table(registry, "Ann", "Bo", config=config)
    await begin_match(registry, live_table)
    for number in range(MAX_LISTED_PAUSES):
        fake_clock(registry).time_ms += 10_000
        left_ms = live_table.left_ms()
        await registry.submit(live_table, ANN, f"pause {number}", c.Pause(paused=True))
        assert live_table.left_ms() == LISTED_PAUSE_MS
        fake_clock(registry).time_ms += LISTED_PAUSE_MS
        await live_table.refresh()
        await wait_until(live_table, lambda table: not table.paused)
        assert live_table.left_ms() == left_ms
    with pytest.raises(ForbiddenError, match="paused 3 times"):
        await registry.submit(live_table, ANN, "again", c.Pause(paused=True))
    assert not (await live_table.state()).paused


CONFIG = msgspec.structs.replace(make_config(), approval=True)


async def ask(registry: TableRegistry, live_table: LiveTable, name: str, address: str = "") -> int | None:
    """Let somebody ask for a seat, whose token is their name."""
    return await registry.take_seat(live_table, name, hash_token(name), "", f"ask-{name}", address)


async def test_a_person_sits_down_only_when_the_host_agrees(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", config=CONFIG)
    page = RecordingSubscriber(BO)
    live_table.subscribe(page)
    assert await ask(registry, live_table, "Bo") is None
    assert await ask(registry, live_table, "Bo") is None
    table = await live_table.state()
    assert [player.name for player in table.players] == ["Ann"]
    assert [(request.number, request.name) for request in table_setup(table).requests] == [(1, "Bo")]
    await registry.submit(live_table, ANN, "give", c.AnswerSeat(1, give=True))
    table = await live_table.state()
    assert [player.name for player in table.players] == ["Ann", "Bo"]
    assert table_setup(table).requests == ()
    assert page.player == 2


async def test_only_the_host_answers_a_request_and_only_once(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Cy")
    await registry.submit(live_table, ANN, "config", c.Change(CONFIG))
    await ask(registry, live_table, "Bo")
    with pytest.raises(ForbiddenError, match="only the host"):
        await registry.submit(live_table, CY, "give", c.AnswerSeat(1, give=True))
    with pytest.raises(ForbiddenError):
        await registry.submit(live_table, BO, "give", c.AnswerSeat(1, give=True))
    await registry.submit(live_table, ANN, "give", c.AnswerSeat(1, give=True))
    with pytest.raises(StaleError, match="answered already"):
        await registry.submit(live_table, ANN, "again", c.AnswerSeat(1, give=False))


async def test_a_refused_person_may_ask_again_after_the_next_match_has_begun(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Cy")
    await registry.submit(live_table, ANN, "config", c.Change(CONFIG))
    await ask(registry, live_table, "Bo")
    await registry.submit(live_table, ANN, "no", c.AnswerSeat(1, give=False))
    with pytest.raises(BannedError, match="next match"):
        await registry.take_seat(live_table, "Bo", BO, "", "again")
    await begin_match(registry, live_table)
    assert (await live_table.state()).seat_requests == ()


async def test_a_refused_person_cannot_ask_again_with_another_browser_from_the_same_address(
    registry: TableRegistry,
) -> None:
    live_table = await make_table(registry, "Ann", config=CONFIG)
    await ask(registry, live_table, "Bo", "192.0.2.1")
    await ask(registry, live_table, "Cy", "192.0.2.1")
    await registry.submit(live_table, ANN, "no", c.AnswerSeat(1, give=False))
    with pytest.raises(BannedError, match="next match"):
        await ask(registry, live_table, "Dee", "192.0.2.1")
    assert await ask(registry, live_table, "Cy", "192.0.2.1") is None  # this request is still open
    assert await ask(registry, live_table, "Eve", "192.0.2.2") is None


async def test_an_address_that_others_at_the_table_share_may_ask_again(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", config=CONFIG)
    await ask(registry, live_table, "Bo", "192.0.2.1")
    await ask(registry, live_table, "Cy", "192.0.2.1")
    await registry.submit(live_table, ANN, "no", c.AnswerSeat(1, give=False))
    await registry.submit(live_table, ANN, "yes", c.AnswerSeat(2, give=True))
    assert await ask(registry, live_table, "Dee", "192.0.2.1") is None
    with pytest.raises(BannedError, match="next match"):
        await registry.take_seat(live_table, "Bo", BO, "", "again", "192.0.2.1")


async def test_a_seat_link_answers_the_request_of_its_device_so_that_it_gets_one_seat(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Cy")
    await registry.submit(live_table, ANN, "config", c.Change(CONFIG))
    await ask(registry, live_table, "Bo")
    await registry.add_device(live_table, 2, BO)
    with pytest.raises(StaleError, match="answered already"):
        await registry.submit(live_table, ANN, "give", c.AnswerSeat(1, give=True))
    assert [player.name for player in (await live_table.state()).players] == ["Ann", "Cy"]


async def test_open_requests_are_bounded(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", config=CONFIG)
    for number in range(MAX_OPEN_PER_ADDRESS):
        await ask(registry, live_table, f"Guest {number}", "192.0.2.1")
    with pytest.raises(IllegalActionError, match="try again"):
        await ask(registry, live_table, "Bo", "192.0.2.1")
    for number in range(MAX_OPEN_PER_ADDRESS, MAX_OPEN_REQUESTS):
        await ask(registry, live_table, f"Guest {number}", f"192.0.2.{number + 2}")
    with pytest.raises(IllegalActionError, match="try again"):
        await ask(registry, live_table, "Bo", "192.0.2.99")


async def test_a_name_that_was_taken_meanwhile_is_refused_to_the_host(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", config=CONFIG)
    await ask(registry, live_table, "Bo")
    await registry.take_seat(live_table, "BO", CY, "", "ask")
    await registry.submit(live_table, ANN, "give", c.AnswerSeat(1, give=True))
    with pytest.raises(NameTakenError):
        await registry.submit(live_table, ANN, "give2", c.AnswerSeat(2, give=True))


async def test_whoever_opened_the_table_needs_nobodys_consent(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    await registry.submit(live_table, ANN, "config", c.Change(CONFIG))
    await registry.submit(live_table, ANN, "leave", c.Leave())
    assert await ask(registry, live_table, "Ann") == 3


async def test_without_approval_open_requests_are_dropped_and_everybody_may_sit_down(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", config=CONFIG)
    await ask(registry, live_table, "Bo")
    await registry.submit(live_table, ANN, "config", c.Change(make_config()))
    assert (await live_table.state()).seat_requests == ()
    assert await registry.take_seat(live_table, "Bo", BO, "", "sit") == 2


HOME, CAFE, ELSEWHERE = "192.0.2.1", "192.0.2.2", "192.0.2.3"


async def sit(registry: TableRegistry, live_table: LiveTable, name: str, address: str = "") -> int:
    """Let somebody sit down, whose token is their name."""
    request_id = f"sit-{name}-{live_table_seq(live_table)}"
    player = await registry.take_seat(live_table, name, hash_token(name), "", request_id, address)
    assert player is not None
    return player


def live_table_seq(live_table: LiveTable) -> int:
    assert live_table.known_state is not None
    return live_table.known_state.seq


async def remove(registry: TableRegistry, live_table: LiveTable, player: int, ban: BanScope = BanScope.MATCH) -> None:
    await registry.submit(live_table, ANN, f"remove-{player}", c.Remove(player, ban))


async def finish_match(registry: TableRegistry, live_table: LiveTable) -> None:
    """Let bots play the match to its end."""
    for player in (await live_table.state()).players:
        if not player.played_by_bot:
            await registry.submit(live_table, ANN, f"bot-{live_table_seq(live_table)}", c.StandIn(player.id, bot=True))
    await wait_until(live_table, is_over)


async def test_a_removed_person_cannot_sit_down_again_at_once(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Cy")
    await remove(registry, live_table, await sit(registry, live_table, "Bo"))
    with pytest.raises(BannedError, match="until match 1 is over"):
        await registry.take_seat(live_table, "Somebody else", BO, "", "again")


async def test_a_ban_for_the_match_ends_with_it(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Cy", "Bo")
    await begin_match(registry, live_table)
    await remove(registry, live_table, 3)
    await finish_match(registry, live_table)
    assert await sit(registry, live_table, "Bo") == 4
    await remove(registry, live_table, 4)
    with pytest.raises(BannedError, match="until match 2 is over"):
        await sit(registry, live_table, "Bo")


async def test_a_ban_for_good_outlasts_the_match_and_a_restart(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Cy", "Bo")
        await begin_match(registry, live_table)
        await remove(registry, live_table, 3, BanScope.FOR_GOOD)
        await finish_match(registry, live_table)
        code = live_table.code
    async with open_registry(tmp_path / "db") as registry:
        live_table = await registry.get(code)
        with pytest.raises(BannedError, match="for good"):
            await sit(registry, live_table, "Bo")


async def test_a_removed_person_cannot_sit_down_with_another_browser_from_the_same_address(
    registry: TableRegistry,
) -> None:
    live_table = await make_table(registry, "Ann")
    await remove(registry, live_table, await sit(registry, live_table, "Bo", CAFE))
    with pytest.raises(BannedError):
        await sit(registry, live_table, "Cy", CAFE)
    assert await sit(registry, live_table, "Dee", ELSEWHERE)


async def test_an_address_that_others_at_the_table_share_is_not_banned(registry: TableRegistry) -> None:
    live_table, _ = await registry.open_table(make_config(), "Ann", ANN, "", (), HOME)
    await remove(registry, live_table, await sit(registry, live_table, "Bo", HOME))
    with pytest.raises(BannedError):
        await sit(registry, live_table, "Bo", HOME)
    assert await sit(registry, live_table, "Cy", HOME)


async def test_a_removed_person_cannot_take_over_the_seat_of_a_friend(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Cy", "Bo")
    await remove(registry, live_table, 3)
    with pytest.raises(BannedError):
        await registry.add_device(live_table, 2, BO)


async def test_the_host_can_let_a_removed_person_return(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Cy", "Bo")
    await remove(registry, live_table, 3, BanScope.FOR_GOOD)
    with pytest.raises(ForbiddenError, match="only the host"):
        await registry.submit(live_table, CY, "lift", c.LiftBan(3))
    await registry.submit(live_table, ANN, "lift", c.LiftBan(3))
    assert await sit(registry, live_table, "Bo") == 4


async def test_whoever_opened_the_table_is_never_banned(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    await registry.add_device(live_table, 1, hash_token("Ann's phone"))
    await registry.submit(live_table, ANN, "host", c.MakeHost(2))
    await registry.submit(live_table, BO, "out", c.Remove(1, BanScope.FOR_GOOD))
    assert await registry.take_seat(live_table, "Ann", hash_token("Ann's phone"), "", "back") == 3


async def test_bots_and_the_host_are_removed_without_a_ban(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo", bots=("random",))
    await remove(registry, live_table, 2)
    await registry.submit(live_table, ANN, "host", c.MakeHost(3))
    await registry.submit(live_table, BO, "self", c.Remove(3))
    assert active_bans(await live_table.state()) == ()


async def test_everybody_sees_at_once_who_was_removed_and_for_how_long(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Cy", "Bo")
    subscriber = RecordingSubscriber(ANN)
    live_table.subscribe(subscriber)
    subscriber.frames.clear()
    await remove(registry, live_table, 3, BanScope.FOR_GOOD)
    await remove(registry, live_table, 2)
    banned = table_setup(await live_table.state()).banned
    assert [(ban.player, ban.name, ban.for_good) for ban in banned] == [(3, "Bo", True), (2, "Cy", False)]
    assert sum(b'"setting"' in frame for frame in subscriber.frames) == 2


async def test_a_table_remembers_a_bounded_number_of_bans(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann")
    for number in range(MAX_BANS + 5):
        fake_clock(registry).time_ms += 10_000
        await remove(registry, live_table, await sit(registry, live_table, f"Guest {number}"))
    assert len((await live_table.state()).bans) == MAX_BANS


async def test_the_log_contains_no_address_and_no_hash_that_another_table_has(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        hashes = set()
        for _ in range(2):
            live_table, _ = await registry.open_table(make_config(), "Ann", ANN, "", (), HOME)
            await sit(registry, live_table, "Bo", "2001:db8:0:1:2:3:4:5")
            players = (await live_table.state()).players
            hashes |= {player.address_hash for player in players}
            assert players[1].address_hash == registry.services.hash_address(live_table.code, "2001:db8:0:1::9")
        assert len(hashes) == 4
        assert all(len(address_hash) == 64 for address_hash in hashes)
    content = b"".join(path.read_bytes() for path in sorted(tmp_path.iterdir()))  # noqa: ASYNC240  nothing else runs
    assert HOME.encode() not in content
    assert b"2001:db8" not in content


async def test_nobody_new_sits_down_at_a_locked_table(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    with pytest.raises(ForbiddenError, match="only the host"):
        await registry.submit(live_table, BO, "lock", c.Lock(locked=True))
    await registry.submit(live_table, ANN, "lock", c.Lock(locked=True))
    assert table_setup(await live_table.state()).locked
    with pytest.raises(TableLockedError, match="ask the host to unlock it"):
        await sit(registry, live_table, "Cy")
    await registry.submit(live_table, ANN, "bot", c.AddBot("random"))
    await registry.submit(live_table, ANN, "unlock", c.Lock(locked=False))
    assert await sit(registry, live_table, "Cy") == 4


async def test_a_table_can_be_locked_during_a_match_and_stays_locked_after_it(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    await begin_match(registry, live_table)
    await registry.submit(live_table, ANN, "lock", c.Lock(locked=True))
    await finish_match(registry, live_table)
    with pytest.raises(TableLockedError):
        await sit(registry, live_table, "Cy")


async def test_whoever_opened_the_table_returns_to_it_though_it_is_locked(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    await registry.submit(live_table, ANN, "lock", c.Lock(locked=True))
    await registry.submit(live_table, ANN, "leave", c.Leave())
    assert await sit(registry, live_table, "Ann") == 3


async def test_one_address_takes_a_bounded_number_of_seats_at_a_listed_table(registry: TableRegistry) -> None:
    fake_clock(registry).address_policy = AddressPolicy(b"key", seats_per_address=2)
    for listed, seated in ((True, 2), (False, 5)):
        config = msgspec.structs.replace(make_config(), listed=listed)
        live_table, _ = await registry.open_table(config, "Ann", ANN, "", (), ELSEWHERE)
        for name in ("Bo", "Cy", "Dee", "Eve", "Flo"):
            with suppress(AddressLimitError):
                await sit(registry, live_table, name, CAFE)
        players = (await live_table.state()).players
        assert sum(player.address_hash == players[1].address_hash for player in players) == seated
        assert await sit(registry, live_table, "Gus", HOME) if listed else True


async def test_a_seat_is_free_for_an_address_again_when_its_player_leaves(registry: TableRegistry) -> None:
    fake_clock(registry).address_policy = AddressPolicy(b"key", seats_per_address=1)
    live_table, _ = await registry.open_table(
        msgspec.structs.replace(make_config(), listed=True), "Ann", ANN, "", (), HOME
    )
    with pytest.raises(AddressLimitError, match="choose another table"):
        await sit(registry, live_table, "Bo", HOME)
    await sit(registry, live_table, "Bo", CAFE)
    await registry.submit(live_table, BO, "leave", c.Leave())
    assert await sit(registry, live_table, "Cy", CAFE)


OLD, NEW = make_config("perudo"), make_config("mustache")


def asked(table: TableState) -> list[str]:
    return [player.name for player in public_table(table, None).players if player.asked_about_rules]


async def test_nobody_plays_by_rules_that_they_have_not_accepted_or_keeps_the_others_from_it(
    registry: TableRegistry,
) -> None:
    live_table = await make_table(registry, "Ann", "Bo", "Cy", config=OLD, bots=("random",))
    await registry.submit(live_table, ANN, "change", c.Change(NEW))
    table = await live_table.state()
    assert asked(table) == ["Bo", "Cy"]
    assert table_setup(table).agreed_config == OLD
    await registry.submit(live_table, BO, "yes", c.AcceptRules())
    await registry.submit(live_table, ANN, "early", c.Begin())
    assert (await live_table.state()).stage is Stage.GATHERING
    fake_clock(registry).time_ms += REMATCH_MS
    await registry.submit(live_table, CY, "say", c.Say("wait"))  # sets the timers again
    table = await wait_until(live_table, is_bidding)
    assert match_of(table).state.names == ("Ann", "Old Fitz", "Bo")
    assert (asked(table), table_setup(table).agreed_config) == (["Cy"], OLD)
    await registry.submit(live_table, CY, "yes", c.AcceptRules())
    table = await live_table.state()
    assert (asked(table), table_setup(table).agreed_config) == ([], None)


@pytest.mark.parametrize(
    "change", [{"hints": True}, {"training": True}, {"open_cups": True}, {"best_of": 3}, {"clock": Clock(20)}]
)
async def test_a_change_of_the_clock_or_of_what_players_see_is_accepted_as_rules_are(
    change: dict[str, object], registry: TableRegistry
) -> None:
    live_table = await make_table(registry, "Ann", "Bo", config=OLD)
    await registry.submit(live_table, ANN, "change", c.Change(msgspec.structs.replace(OLD, **change)))
    assert asked(await live_table.state()) == ["Bo"]
    await registry.submit(live_table, ANN, "begin", c.Begin())
    assert live_table.left_ms() is None, "Ann alone is no match"
    await registry.submit(live_table, BO, "yes", c.AcceptRules())
    assert (await live_table.state()).stage is Stage.PLAYING


async def test_a_change_of_other_options_or_back_to_the_known_rules_asks_nobody(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo", config=OLD)
    await registry.submit(live_table, ANN, "title", c.Change(msgspec.structs.replace(OLD, title="The Wet Boot")))
    assert asked(await live_table.state()) == []
    await registry.submit(live_table, ANN, "change", c.Change(NEW))
    await registry.submit(live_table, ANN, "back", c.Change(OLD))
    table = await live_table.state()
    assert (asked(table), table.agreed_config) == ([], None)


async def test_who_sits_down_after_the_change_or_is_removed_is_not_asked(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo", config=OLD)
    await registry.submit(live_table, ANN, "change", c.Change(NEW))
    await registry.take_seat(live_table, "Cy", CY, "", "sit")
    assert asked(await live_table.state()) == ["Bo"]
    await registry.submit(live_table, ANN, "out", c.Remove(2))
    assert asked(await live_table.state()) == []
    await registry.submit(live_table, ANN, "begin", c.Begin())


async def test_a_finished_match_keeps_its_rules_when_the_table_gets_others(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", config=OLD, bots=("random",))
    await registry.submit(live_table, ANN, "begin", c.Begin())
    assert table_setup(await live_table.state()).match_rules is None
    await registry.submit(live_table, ANN, "bot", c.StandIn(1, bot=True))
    await wait_until(live_table, lambda table: table.stage is Stage.OVER)
    await registry.submit(live_table, ANN, "change", c.Change(NEW))
    assert table_setup(await live_table.state()).match_rules == OLD.ruleset
    await registry.submit(live_table, ANN, "again", c.Begin())
    assert table_setup(await live_table.state()).match_rules is None


async def test_a_muted_player_can_neither_talk_nor_accuse(registry: TableRegistry) -> None:
    rules = patched(preset("perudo").ruleset, penalties=(Penalty(trigger=PenaltyTrigger.ASKS_WHOSE_TURN),))
    live_table = await make_table(registry, "Ann", "Bo", config=make_config(rules))
    await begin_match(registry, live_table)
    await registry.submit(live_table, ANN, "m", c.Mute(2, muted=True))
    commands: tuple[c.Command, ...] = (c.Say("hello"), c.Accuse(1, PenaltyTrigger.ASKS_WHOSE_TURN))
    for number, command in enumerate(commands):
        with pytest.raises(ForbiddenError, match="muted"):
            await registry.submit(live_table, BO, f"c{number}", command)


async def test_a_muted_player_stays_muted_under_another_name_and_in_another_browser(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann")
    await registry.take_seat(live_table, "Bo", BO, "", "sit", "192.0.2.1")
    await registry.submit(live_table, ANN, "m", c.Mute(2, muted=True))
    await registry.submit(live_table, BO, "leave", c.Leave())
    assert await registry.take_seat(live_table, "Robert", BO, "", "again", "192.0.2.2") == 3
    with pytest.raises(ForbiddenError, match="muted"):
        await registry.submit(live_table, BO, "say", c.Say("mmm"))
    assert await registry.take_seat(live_table, "Cy", CY, "", "sit", "192.0.2.1") == 4
    with pytest.raises(ForbiddenError, match="muted"):
        await registry.submit(live_table, CY, "say", c.Say("mmm"))
    await registry.submit(live_table, ANN, "u", c.Mute(3, muted=False))
    await registry.submit(live_table, BO, "leave2", c.Leave())
    await registry.take_seat(live_table, "Bo", BO, "", "third")
    await registry.submit(live_table, BO, "thanks", c.Say("thanks"))


async def test_nobody_is_heard_again_because_another_muted_player_leaves_many_times(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo", "Cy")
    await registry.submit(live_table, ANN, "m2", c.Mute(2, muted=True))
    await registry.submit(live_table, ANN, "m3", c.Mute(3, muted=True))
    await registry.submit(live_table, BO, "leave", c.Leave())
    await registry.submit(live_table, CY, "leave", c.Leave())
    for number in range(MAX_BANS + 1):
        name = f"Guest {number}" if number % 2 else "Cy"
        token = hash_token(name) if number % 2 else CY
        fake_clock(registry).time_ms += 10_000
        await registry.take_seat(live_table, name, token, "", f"sit {number}", "192.0.2.1")
        if number < 2:
            player = (await live_table.state()).players[-1].id
            await registry.submit(live_table, ANN, f"m{number} again", c.Mute(player, muted=True))
        await registry.submit(live_table, token, f"leave {number}", c.Leave())
    await registry.take_seat(live_table, "Bo", BO, "", "again")
    with pytest.raises(ForbiddenError, match="muted"):
        await registry.submit(live_table, BO, "say", c.Say("mmm"))


async def test_a_muted_player_who_becomes_host_stays_muted(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    await registry.submit(live_table, ANN, "m", c.Mute(2, muted=True))
    await registry.submit(live_table, ANN, "h", c.MakeHost(2))
    with pytest.raises(ForbiddenError, match="themselves"):
        await registry.submit(live_table, BO, "u", c.Mute(2, muted=False))


def perudo_with(per_player: int, faces: int = 6) -> Ruleset:
    return patched(preset("perudo").ruleset, dice__per_player=per_player, dice__faces=faces)


def test_no_table_is_opened_with_rules_that_cost_too_much() -> None:
    with pytest.raises(CostlyRulesError, match="may be at most"):
        normalize_config(make_config(perudo_with(MAX_DICE_EACH + 1)))


@pytest.mark.parametrize(
    "clock, allowed",
    [
        (Clock(14 * DAY_S), True),
        (Clock(14 * DAY_S + 1), False),
        (Clock(30, DAY_S), True),
        (Clock(14 * DAY_S, DAY_S + 1), False),
    ],
)
def test_a_turn_lasts_up_to_14_days_and_a_time_bank_a_day(clock: Clock, allowed: bool) -> None:
    with nullcontext() if allowed else pytest.raises(MalformedError, match="lasts" if not clock.bank_s else "bank"):
        normalize_config(make_config(clock=clock))


async def test_the_host_cannot_change_a_table_to_such_rules_either(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    with pytest.raises(CostlyRulesError, match="may be at most"):
        await registry.submit(live_table, hash_token("Ann"), "c", c.Change(make_config(perudo_with(100))))
