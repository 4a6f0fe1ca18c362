"""Commands at a table: penalties, pauses, clocks, absences, hosts, talk, rematches, and seats on several devices."""

from pathlib import Path

import pytest

from liarsdice.core.actions import Challenge
from liarsdice.core.engine.engine import match_started
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.events import Withdrawn
from liarsdice.core.records.record import verify_events
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import PenaltyTiming, PenaltyTrigger
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.rules.presets import preset
from liarsdice.server.errors import ForbiddenError, RateLimitError
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.table_registry import HOST_AWAY_MS, TableRegistry
from liarsdice.server.protocol.views import player_view, public_table
from liarsdice.server.table import commands as c
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.command_handler import normalize_line, penalty_triggers_in
from liarsdice.server.table.table_config import Away, Clock, Leaver
from liarsdice.server.table.table_state import TableState
from liarsdice.wire import NewsKind, Notice, Stage
from tests.server.live_tables import (
    RecordingSubscriber,
    begin_match,
    fake_clock,
    is_bidding,
    is_over,
    log_of,
    make_config,
    make_table,
    match_of,
    open_registry,
    token_on_turn,
    turn_id,
    wait_until,
)

ANN, BO, CY = map(hash_token, ("Ann", "Bo", "Cy"))


def notices(table: TableState) -> list[NewsKind]:
    return [item.content.kind for item in table.news if isinstance(item.content, Notice)]


async def test_asking_whose_turn_it_is_opens_an_accusation_that_the_others_settle(registry: TableRegistry) -> None:
    asking = patched(preset("perudo").ruleset, penalties=(Penalty(trigger=PenaltyTrigger.ASKS_WHOSE_TURN),))
    live_table = await make_table(registry, "Ann", "Bo", "Cy", config=make_config(asking))
    await begin_match(registry, live_table)
    await registry.submit(live_table, BO, "say", c.Say("wait, whose turn is it?"))
    table = await live_table.state()
    assert [(known.player, known.trigger) for known in table.accusations] == [
        (table.players[1].id, PenaltyTrigger.ASKS_WHOSE_TURN)
    ]
    with pytest.raises(ForbiddenError, match="only a player who has no part"):
        await registry.submit(live_table, CY, "no", c.AnswerPenalty(1, take=True))
    await registry.submit(live_table, BO, "no", c.AnswerPenalty(1, take=False))
    assert [(known.number, known.denied) for known in (await live_table.state()).accusations] == [(1, True)]
    await registry.submit(live_table, ANN, "yes", c.AnswerPenalty(1, take=True))
    assert (await live_table.state()).accusations
    await registry.submit(live_table, CY, "yes", c.AnswerPenalty(1, take=True))
    table = await live_table.state()
    assert table.accusations == ()
    match = public_table(table, None).match
    assert match is not None
    assert match.pending == (0, 1, 0)


async def test_the_same_question_costs_nothing_without_that_house_rule(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo", config=make_config("basic", seats=4))
    await begin_match(registry, live_table)
    await registry.submit(live_table, BO, "say", c.Say("whose turn is it?"))
    assert (await live_table.state()).accusations == ()


async def test_a_pause_stops_the_match_and_keeps_the_time_left(registry: TableRegistry) -> None:
    services = fake_clock(registry)
    live_table = await make_table(registry, "Ann", "Bo", config=make_config(clock=Clock(30)))
    table = await begin_match(registry, live_table)
    services.time_ms += 10_000
    assert live_table.left_ms() == 20_000
    await registry.submit(live_table, ANN, "p", c.Pause(paused=True))
    services.time_ms += 3_600_000
    with pytest.raises(IllegalActionError, match="paused"):
        await registry.submit(live_table, token_on_turn(table), "b", Bid(1, 2), turn_id(table))
    assert player_view(await live_table.state(), held(table, token_on_turn(table))).bids == ()
    await registry.submit(live_table, ANN, "r", c.Pause(paused=False))
    assert live_table.left_ms() == 20_000


def held(table: TableState, token_hash: str) -> int:
    player = table.player_by_token(token_hash)
    assert player is not None
    return player.id


async def test_the_time_bank_is_used_only_after_the_time_of_the_turn(registry: TableRegistry) -> None:
    services = fake_clock(registry)
    live_table = await make_table(registry, "Ann", "Bo", config=make_config(clock=Clock(10, 60)))
    table = await begin_match(registry, live_table)
    first = token_on_turn(table)
    services.time_ms += 8_000
    await registry.submit(live_table, first, "1", Bid(1, 2), turn_id(table))
    table = await live_table.state()
    services.time_ms += 25_000
    await registry.submit(live_table, token_on_turn(table), "2", Bid(1, 3), turn_id(table))
    banks = {hash_token(player.name): player.bank_ms for player in (await live_table.state()).players}
    assert banks[first] == 60_000
    assert sorted(banks.values()) == [45_000, 60_000]


async def test_a_bot_replaces_a_player_who_is_away_when_the_time_is_up_until_the_player_returns(
    registry: TableRegistry,
) -> None:
    services = fake_clock(registry)
    live_table = await make_table(registry, "Ann", "Bo", config=make_config(clock=Clock(5), away=Away.BOT))
    table = await begin_match(registry, live_table)
    absent = token_on_turn(table)
    services.time_ms += 5_000
    await registry.submit(live_table, ANN, "say", c.Say("hello?"))  # any change sets the timers again
    table = await wait_until(live_table, lambda table: any(player.stand_in for player in table.players))
    assert NewsKind.STAND_IN in notices(table)
    live_table.subscribe(RecordingSubscriber(absent))
    await wait_until(live_table, lambda table: not any(player.stand_in for player in table.players))


async def test_when_the_host_leaves_another_person_becomes_host(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo", bots=("random",))
    await registry.submit(live_table, ANN, "go", c.Leave())
    table = await live_table.state()
    assert [player.name for player in table.players if player.id == table.host] == ["Bo"]
    assert "Ann" not in [player.name for player in table.players]


async def test_a_player_can_become_host_while_the_host_is_away(registry: TableRegistry) -> None:
    services = fake_clock(registry)
    live_table = await make_table(registry, "Ann", "Bo", "Cy")
    bo, cy = (player.id for player in (await live_table.state()).players[1:])
    subscriber = RecordingSubscriber(ANN)
    live_table.subscribe(subscriber)
    services.time_ms += 3_600_000
    with pytest.raises(ForbiddenError, match="the host is here"):
        await registry.submit(live_table, BO, "early", c.MakeHost(bo))
    live_table.unsubscribe(subscriber)
    services.time_ms += HOST_AWAY_MS - 1
    with pytest.raises(ForbiddenError, match="a moment ago"):
        await registry.submit(live_table, BO, "soon", c.MakeHost(bo))
    services.time_ms += 1
    with pytest.raises(ForbiddenError, match="only the host"):
        await registry.submit(live_table, BO, "other", c.MakeHost(cy))
    await registry.submit(live_table, BO, "over", c.MakeHost(bo))
    await registry.submit(live_table, BO, "begin", c.Begin())
    assert (await live_table.state()).host == bo


async def test_a_player_removed_during_a_match_is_replaced_by_a_bot_and_cannot_act(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo", "Cy")
    table = await begin_match(registry, live_table)
    await registry.submit(live_table, ANN, "out", c.Remove(table.players[1].id))
    assert (await live_table.state()).players[1].played_by_bot
    with pytest.raises(ForbiddenError):
        await registry.submit(live_table, BO, "x", c.Say("hey"))


@pytest.mark.parametrize("leaves_on_turn", [True, False])
async def test_a_player_who_leaves_is_said_to_be_played_by_a_bot_which_may_wait_for_the_host(
    registry: TableRegistry, *, leaves_on_turn: bool
) -> None:
    config = make_config(clock=Clock(30), leaver=Leaver.PAUSE)
    live_table = await make_table(registry, "Ann", "Bo", "Cy", config=config)
    table = await begin_match(registry, live_table)
    on_turn = match_of(table).state.turn
    leaver = table.players[on_turn if leaves_on_turn else (on_turn + 1) % 3]
    fake_clock(registry).time_ms += 10_000
    await registry.submit(live_table, hash_token(leaver.name), "leave", c.Leave())
    table = await live_table.state()
    assert table.paused
    assert table.host != leaver.id
    said = [item.content for item in table.news if isinstance(item.content, Notice)]
    assert [(notice.kind, notice.player) for notice in said if notice.kind is not NewsKind.HOST][-3:] == [
        (NewsKind.LEFT, leaver.id),
        (NewsKind.STAND_IN, leaver.id),
        (NewsKind.PAUSED, None),
    ]
    host = table.player(table.host)
    assert host is not None
    await registry.submit(live_table, hash_token(host.name), "go on", c.Pause(paused=False))
    if leaves_on_turn:
        await wait_until(live_table, lambda later: turn_id(later) > turn_id(table))
    else:
        assert live_table.left_ms() == 20_000


async def test_the_seat_of_a_leaver_goes_out_with_the_next_deal_where_a_table_has_it_so(
    registry: TableRegistry,
) -> None:
    """A bot plays the round to its end. The match goes on among the others, and its record is a valid one."""
    live_table = await make_table(registry, "Ann", "Bo", "Cy", config=make_config(leaver=Leaver.OUT))
    table = await begin_match(registry, live_table)
    leaver = table.players[(match_of(table).state.turn + 1) % 3]
    await registry.submit(live_table, hash_token(leaver.name), "leave", c.Leave())
    table = await live_table.state()
    seat = table.seat_of(leaver.id)
    assert seat is not None
    assert match_of(table).state.dice[seat] == 5
    while not (is_over(table) or match_of(table).state.round_number > 1):
        if is_bidding(table) and table.players[match_of(table).state.turn].id != leaver.id:
            move = Challenge() if match_of(table).state.bids else Bid(2, 6)
            await registry.submit(live_table, token_on_turn(table), f"m{turn_id(table)}", move, turn_id(table))
        known = table.seq
        table = await wait_until(live_table, lambda later: later.seq > known)  # noqa: B023  it is awaited here
    match = match_of(table)
    assert match.state.dice[seat] == 0
    assert match.out[seat] == 1
    assert seat in match.stand_ins
    entries = [row.entry for row in log_of(registry, table.code)]
    events = [event for entry in entries if isinstance(entry, e.Played) for event in entry.events]
    assert Withdrawn(seat) in events
    start = match_started(match.state.ruleset, match.state.names)
    assert verify_events([start, *events]).dice == match.state.dice


async def test_a_rematch_has_the_same_players_all_dice_and_a_new_seed(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo", config=make_config("openspiel", seats=2))
    await begin_match(registry, live_table)
    commitment = public_table(await live_table.state(), None).commitment
    while (table := await live_table.state()).stage is Stage.PLAYING:
        if is_bidding(table):
            assert table.ongoing_match is not None
            move = Challenge() if table.ongoing_match.state.bids else Bid(2, 6)
            await registry.submit(live_table, token_on_turn(table), f"m{turn_id(table)}", move, turn_id(table))
        else:
            for token_hash in (ANN, BO):
                await registry.submit(live_table, token_hash, f"r{turn_id(table)}", c.Ready())
            await wait_until(live_table, lambda table: table.stage is Stage.OVER or is_bidding(table))
    assert public_table(table, None).commitment != commitment
    for token_hash in (BO, ANN):
        await registry.submit(live_table, token_hash, "again", c.Begin())
    table = await wait_until(live_table, is_bidding)
    assert table.match is not None
    assert table.match.number == 2
    assert len(set(table.match.state.dice)) == 1
    assert public_table(table, None).commitment != commitment


async def test_another_device_can_hold_the_same_seat(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    ann = held(await live_table.state(), ANN)
    await registry.add_device(live_table, ann, hash_token("Ann's phone"))
    await registry.submit(live_table, hash_token("Ann's phone"), "s", c.Say("from the phone"))
    with pytest.raises(RateLimitError):  # both devices are one seat
        await registry.submit(live_table, ANN, "s", c.Say("from the desk"))
    fake_clock(registry).time_ms += 1_000
    await registry.submit(live_table, ANN, "s", c.Say("from the desk"))
    assert held(await live_table.state(), hash_token("Ann's phone")) == ann


async def test_emoji_of_several_characters_can_be_said(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    await registry.submit(live_table, ANN, "flag", c.Say("\U0001f3f4\u200d☠\ufe0f"))
    with pytest.raises(MalformedError):
        await registry.submit(live_table, ANN, "turned", c.Say("abc\u202edef"))


async def test_a_player_has_one_open_accusation_at_a_time(registry: TableRegistry) -> None:
    penalties = tuple(Penalty(trigger=trigger) for trigger in PenaltyTrigger)
    config = make_config(patched(preset("perudo").ruleset, penalties=penalties))
    live_table = await make_table(registry, "Ann", "Bo", config=config)
    await begin_match(registry, live_table)
    await registry.submit(live_table, BO, "say", c.Say("whose turn is it, and how many dice are left?"))
    for number, trigger in enumerate((*PenaltyTrigger, *PenaltyTrigger)):
        await registry.submit(live_table, ANN, f"a{number}", c.Accuse(2, trigger))
    fake_clock(registry).time_ms += 1_000
    await registry.submit(live_table, BO, "again", c.Say("how many dice are left?"))
    assert [item.player for item in (await live_table.state()).accusations] == [2]


async def test_each_offence_that_the_rules_name_costs_its_own_amount(registry: TableRegistry) -> None:
    offence = PenaltyTrigger.COMMITS_OFFENCE
    penalties = (
        Penalty(trigger=offence),
        Penalty(trigger=offence, dice=2, offence="lifting early"),
    )
    config = make_config(patched(preset("perudo").ruleset, penalties=penalties))
    live_table = await make_table(registry, "Ann", "Bo", config=config)
    await begin_match(registry, live_table)
    with pytest.raises(IllegalActionError, match="costs nothing"):
        await registry.submit(live_table, ANN, "a", c.Accuse(2, offence, "singing"))
    for number, named in enumerate(("lifting early", ""), 1):
        await registry.submit(live_table, ANN, f"a{number}", c.Accuse(2, offence, named))
        (accusation,) = public_table(await live_table.state(), None).accusations
        assert (accusation.offence or "", accusation.dice) == (named, 2 if named else 1)
        await registry.submit(live_table, BO, f"t{number}", c.AnswerPenalty(number, take=True))
    table = await live_table.state()
    assert table.match is not None
    assert [due.dice for due in table.match.state.penalties] == [2, 1]


async def test_penalties_never_take_more_dice_than_a_player_has(registry: TableRegistry) -> None:
    rules = patched(
        preset("perudo").ruleset,
        penalties=(Penalty(trigger=PenaltyTrigger.ASKS_WHOSE_TURN),),
        penalty_timing=PenaltyTiming.END_OF_ROUND,
        dice__per_player=2,
    )
    live_table = await make_table(registry, "Ann", "Bo", config=make_config(rules))
    await begin_match(registry, live_table)
    for number in (1, 2):
        await registry.submit(live_table, ANN, f"a{number}", c.Accuse(2, PenaltyTrigger.ASKS_WHOSE_TURN))
        await registry.submit(live_table, BO, f"t{number}", c.AnswerPenalty(number, take=True))
    with pytest.raises(IllegalActionError, match="owes all dice"):
        await registry.submit(live_table, ANN, "a3", c.Accuse(2, PenaltyTrigger.ASKS_WHOSE_TURN))
    await registry.submit(live_table, BO, "say", c.Say("whose turn is it?"))
    table = await live_table.state()
    match = public_table(table, None).match
    assert match is not None
    assert (match.pending, table.accusations) == ((0, 2), ())


async def test_everybody_sees_the_face_that_a_player_chose(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        seq = await registry.submit(live_table, BO, "face", c.ChooseFace(7))
        assert [player.face for player in public_table(await live_table.state(), None).players] == [0, 7]
        assert await registry.submit(live_table, BO, "again", c.ChooseFace(7)) == seq, "the same face is no entry"
        for face in (-1, 100):
            with pytest.raises(MalformedError):
                await registry.submit(live_table, BO, f"face {face}", c.ChooseFace(face))
    async with open_registry(tmp_path / "db") as registry:
        table = await (await registry.get(live_table.code)).state()
        assert [player.face for player in table.players] == [0, 7]


WHOSE_TURN, DICE_LEFT = PenaltyTrigger.ASKS_WHOSE_TURN, PenaltyTrigger.ASKS_DICE_LEFT


@pytest.mark.parametrize(
    "text, triggers",
    [
        ("Whose turn is it?", (WHOSE_TURN,)),
        ("who's next", (WHOSE_TURN,)),
        ("am I up?", (WHOSE_TURN,)),
        ("¿A quién le toca?", (WHOSE_TURN,)),
        ("¿me toca a mí?", (WHOSE_TURN,)),
        ("my turn?", (WHOSE_TURN,)),
        ("is it me?", (WHOSE_TURN,)),
        ("who goes now?", (WHOSE_TURN,)),
        ("who is up?", (WHOSE_TURN,)),
        ("¿me toca jugar?", (WHOSE_TURN,)),
        ("te toca?", (WHOSE_TURN,)),
        ("¿le toca a Bo?", (WHOSE_TURN,)),
        ("¿es mi turno?", (WHOSE_TURN,)),
        ("¿quién va ahora?", (WHOSE_TURN,)),
        ("¿y ahora quién?", (WHOSE_TURN,)),
        ("How many dice do you have?", (DICE_LEFT,)),
        ("how many dice has Bo?", (DICE_LEFT,)),
        ("how many dice you got?", (DICE_LEFT,)),
        ("how many dice in total?", (DICE_LEFT,)),
        ("the number of dice left, please", (DICE_LEFT,)),
        ("¿cuántos dados son en total?", (DICE_LEFT,)),
        ("how many has Bo got", (DICE_LEFT,)),
        ("how many are left?", (DICE_LEFT,)),
        ("How many left", (DICE_LEFT,)),
        ("how many dice do we have left", (DICE_LEFT,)),
        ("how many have you still got?", (DICE_LEFT,)),
        ("how many dice?", (DICE_LEFT,)),
        ("how many dice are there on the table?", (DICE_LEFT,)),
        ("¿Cuántos te quedan?", (DICE_LEFT,)),
        ("¿cuántos quedan?", (DICE_LEFT,)),
        ("cuantos dados tiene Bo", (DICE_LEFT,)),
        ("¿cuántos dados hay?", (DICE_LEFT,)),
        ("whose turn is it, and how many dice are left?", (WHOSE_TURN, DICE_LEFT)),
    ],
)
def test_questions_that_cost_a_die_are_recognised(text: str, triggers: tuple[PenaltyTrigger, ...]) -> None:
    assert penalty_triggers_in(text) == triggers


@pytest.mark.parametrize(
    "text",
    [
        "",
        "five fives",
        "it is my turn",
        "my turn, I bid four threes",
        "who is up for another match?",
        "is it me or is it hot in here?",
        "how many dice has Bo bid?",
        "how many fives?",
        "how many dice do you bet?",
        "how many dice did you say?",
        "how many fives are left in you?",
        "me toca jugar",
        "me toca perder, ¿eh?",
        "es mi turno",
        "¿quién va ganando?",
        "¿quién juega mañana?",
        "¿cuántos cincos?",
        "¿cuántos dados apuestas?",
    ],
)
def test_other_talk_is_not(text: str) -> None:
    assert penalty_triggers_in(text) == ()


@pytest.mark.parametrize(
    "text", ["", " ", "\u2800", "hi\u2800", "\u3164", "\u200d", "\u0301", "a" + "\u0336" * 4, "a\nb", "x" * 281]
)
def test_lines_of_what_nobody_can_see_or_of_stacked_marks_are_refused(text: str) -> None:
    with pytest.raises(MalformedError):
        normalize_line(text)


@pytest.mark.parametrize(
    "text", ["hello", "\u05e9\u05c1\u05bc\u05b8", "\U0001f468\u200d\U0001f469", "1\ufe0f\u20e3", "\u0e17\u0e35\u0e48"]
)
def test_lines_of_every_script_and_emoji_may_be_said(text: str) -> None:
    assert normalize_line(f" {text} ")
