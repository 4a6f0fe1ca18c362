"""Odds are shown only if there are few enough dice to compute them quickly; places follow the final placings."""

from itertools import groupby
from pathlib import Path

import pytest

from liarsdice.core.actions import AnswerDouble, BidAndShow, Challenge, Pass
from liarsdice.core.bids.bid_chart import bids_in
from liarsdice.core.engine.legal import legal
from liarsdice.core.engine.view import PublicRoll
from liarsdice.core.events import (
    BidMade,
    Dealt,
    DoubleAnswered,
    Event,
    MatchStarted,
    Revealed,
    RolledAgain,
    RoundStarted,
)
from liarsdice.core.records.record import read_record
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.rule_costs import MAX_DICE_EACH, MAX_DICE_WITH_ODDS
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.match_runner import play_match
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.protocol.views import player_view, public_table
from liarsdice.server.table import commands as c
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.deadlines import FOLDED_MS, next_deadline
from liarsdice.server.table.reducer import replay_log
from liarsdice.server.table.table_state import TableState
from liarsdice.wire import Happened, PlayerView
from tests.server.live_tables import (
    RecordingSubscriber,
    begin_match,
    is_bidding,
    is_over,
    log_of,
    make_config,
    make_table,
    match_of,
    open_registry,
    record_in,
    token_on_turn,
    turn_id,
    wait_until,
)

ANN = hash_token("Ann")


@pytest.mark.parametrize("names, shown", [("ABCDE", True), ("ABCDEF", False)])
async def test_there_are_no_odds_among_more_than_a_hundred_dice(
    registry: TableRegistry, names: str, *, shown: bool
) -> None:
    rules = patched(preset("perudo").ruleset, dice__per_player=MAX_DICE_EACH)
    live_table = await make_table(registry, "Ann", *names[1:], config=make_config(rules, hints=True))
    table = await begin_match(registry, live_table)
    assert table.ongoing_match is not None
    assert (sum(table.ongoing_match.state.dice) <= MAX_DICE_WITH_ODDS) is shown
    own = view_on_turn(table)
    assert own.bids
    assert bool(own.odds) is shown


def view_on_turn(table: TableState) -> PlayerView:
    """What the player on turn sees."""
    return player_view(table, table.players[match_of(table).state.turn].id)


@pytest.mark.parametrize("rules, pure", [("chui-niu+fei", True), ("chui-niu", False)])
async def test_pure_bids_are_ranges_of_their_own_where_there_are_any(
    registry: TableRegistry, rules: str, *, pure: bool
) -> None:
    config = make_config(preset(rules).ruleset, hints=True)
    table = await begin_match(registry, await make_table(registry, "Ann", "Bo", config=config))
    own, shown = view_on_turn(table), public_table(table, None).match
    assert table.match is not None
    assert shown is not None
    state = table.match.state
    assert bids_in(own.bids) == legal(state).bids
    assert len(own.odds) == len(legal(state).bids)
    assert any(bids.pure for bids in own.bids) is pure
    assert shown.pure == tuple(place for place, (_, bid) in enumerate(state.bids) if bid.pure)


async def test_dice_that_are_shown_are_public_and_the_others_are_rolled_again(registry: TableRegistry) -> None:
    config = make_config(preset("bluff+show-dice").ruleset, hints=True)
    live_table = await make_table(registry, "Ann", "Bo", config=config)
    table = await begin_match(registry, live_table)
    player = table.players[match_of(table).state.turn]
    own, match = view_on_turn(table), public_table(table, None).match
    assert match is not None
    assert own.pure_showable == ()
    bid = next(bid for bid in bids_in(own.bids) if own.showable[bid.face - 1])
    shown = own.hand[own.showable[bid.face - 1][0]]
    await registry.submit(live_table, hash_token(player.name), "show", BidAndShow(bid, (shown,)), turn_id=match.turn_id)
    after = await live_table.state()
    seat = own.seat
    assert seat is not None
    assert after.match is not None
    news = [item.content.event for item in after.news if isinstance(item.content, Happened)]
    assert BidMade(seat, bid, (shown,)) in news
    assert not any(isinstance(event, RolledAgain | PublicRoll) for event in news)
    hand = player_view(after, player.id).hand
    match = public_table(after, None).match
    assert match is not None
    assert isinstance(match.shown, tuple)
    assert match.shown[seat] == hand[:1] == (shown,)
    assert len(hand) == len(own.hand)


@pytest.mark.parametrize("rules, double", [("chui-niu+pi", True), ("chui-niu", False)])
async def test_a_player_sees_whether_a_challenge_can_be_for_twice_the_stake(
    registry: TableRegistry, rules: str, *, double: bool
) -> None:
    live_table = await make_table(registry, "Ann", "Bo", config=make_config(preset(rules).ruleset))
    table = await begin_match(registry, live_table)
    match = match_of(table)
    bidder = table.players[match.state.turn]
    opening = legal(match.state).bids[0]
    await registry.submit(live_table, hash_token(bidder.name), "bid", opening, turn_id=match.turn_id)
    own = view_on_turn(await live_table.state())
    assert (own.may_challenge, own.may_double) == (True, double)


@pytest.mark.parametrize("rules, passing", [("perudo+pass", True), ("perudo", False)])
async def test_a_player_sees_whether_to_pass_and_the_chance_of_the_pass_before(
    registry: TableRegistry, rules: str, *, passing: bool
) -> None:
    config = make_config(preset(rules).ruleset, hints=True)
    live_table = await make_table(registry, "Ann", "Ben", config=config)
    await registry.submit(live_table, ANN, "begin", c.Begin())
    table = await wait_until(live_table, is_bidding)
    assert table.match is not None
    turn = table.match.state.turn
    first, second = table.players[turn], table.players[1 - turn]
    own = player_view(table, first.id)
    fields = (own.may_pass, own.may_challenge_pass, own.pass_odds)
    assert fields == (False, False, None)
    if not passing:
        return
    await registry.submit(live_table, hash_token(first.name), "bid", Bid(3, 4), table.match.turn_id)
    table = await live_table.state()
    assert table.match is not None
    assert player_view(table, second.id).may_pass is True
    await registry.submit(live_table, hash_token(second.name), "pass", Pass(), table.match.turn_id)
    table = await live_table.state()
    own, shown = player_view(table, first.id), public_table(table, None).match
    assert shown is not None
    assert shown.passes == ((1 - turn, 1),)
    assert (own.may_challenge, own.may_challenge_pass, own.pass_odds) == (False, True, 13)


async def test_a_doubled_call_is_seen_by_all_and_answered_by_the_bidder(registry: TableRegistry) -> None:
    config = make_config(preset("chui-niu+counter-pi").ruleset)
    live_table = await make_table(registry, "Ann", "Bo", config=config)
    table = await begin_match(registry, live_table)
    assert table.match is not None
    bidder = table.match.state.turn
    tokens = (ANN, hash_token("Bo"))
    await registry.submit(live_table, tokens[bidder], "bid", Bid(2, 2), turn_id(table))
    doubling = Challenge(double=True)
    await registry.submit(live_table, tokens[1 - bidder], "pi", doubling, turn_id(await live_table.state()))
    table = await live_table.state()
    match = public_table(table, None).match
    assert match is not None
    assert (match.turn, match.doubled) == (bidder, (1 - bidder,))
    assert player_view(table, table.players[bidder].id).may_answer == tuple(Answer)
    assert player_view(table, table.players[1 - bidder].id).may_answer == ()
    redoubling = AnswerDouble(Answer.REDOUBLE)
    await registry.submit(live_table, tokens[bidder], "again", redoubling, turn_id(table))
    match = public_table(await live_table.state(), None).match
    assert match is not None
    assert match.doubled == (1 - bidder, bidder)
    fold = AnswerDouble(Answer.FOLD)
    await registry.submit(live_table, tokens[1 - bidder], "fold", fold, turn_id(await live_table.state()))
    table = await live_table.state()
    match = public_table(table, None).match
    assert match is not None
    assert (match.doubled, match.verdict, match.bids) == ((), None, ())
    deadline = next_deadline(table)
    assert deadline is not None
    assert deadline.after_ms == FOLDED_MS
    happened = [item.content.event for item in table.news if isinstance(item.content, Happened)]
    assert DoubleAnswered(1 - bidder, bidder, Answer.FOLD) in happened
    assert not any(isinstance(event, Revealed | Dealt) for event in happened)


@pytest.mark.parametrize("rules, lives", [("chui-niu+lives", (3, 3, 3)), ("chui-niu", ())])
async def test_everybody_sees_the_lives_of_all_seats(registry: TableRegistry, rules: str, lives: object) -> None:
    live_table = await make_table(registry, "Ann", config=make_config(preset(rules).ruleset), bots=("random", "random"))
    await registry.submit(live_table, ANN, "begin", c.Begin())
    shown = public_table(await wait_until(live_table, is_bidding), None).match
    assert shown is not None
    assert shown.lives == lives


@pytest.mark.parametrize(
    "rules",
    [
        patched(preset("bluff").ruleset, dice__per_player=1),
        patched(preset("perudo").ruleset, guards__max_rounds=2),
        preset("chui-niu+lives").ruleset,
    ],
)
def test_the_places_of_a_finished_match_are_those_of_its_record(rules: Ruleset) -> None:
    for seed in range(8):
        result = play_match(rules, ["random"] * 4, seed=seed)
        start, *events = result.events
        assert isinstance(start, MatchStarted)
        rows: list[e.LogEntry] = [e.Opened("ABCD", make_config(rules))]
        rows += [e.BotJoined(player, name, "random") for player, name in enumerate(start.names, start=1)]
        rows += [e.SeedCommitted("seed"), e.MatchBegan(1)]
        rounds = (list(part) for _, part in groupby(events, key=RoundCounter()))
        rows += [e.Played(tuple(part)) for part in rounds]
        table = replay_log(e.LogRow(seq, 0, "", entry) for seq, entry in enumerate(rows, start=1))
        assert table is not None
        shown = public_table(table, None).match
        assert shown is not None
        assert shown.places == result.places


class RoundCounter:
    """The number of the round that an event belongs to, if the events are given in order."""

    number = 0

    def __call__(self, event: Event) -> int:
        self.number += isinstance(event, RoundStarted)
        return self.number


@pytest.mark.parametrize("returns", [False, True])
async def test_what_a_bot_wins_in_the_place_of_a_player_is_the_result_of_a_bot(
    tmp_path: Path, *, returns: bool
) -> None:
    """Whoever left, or came back only after the match, has not won it; the record says so, too."""
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo", "Cem")
        await begin_match(registry, live_table)
        await registry.submit(live_table, ANN, "bot", c.StandIn(2, bot=True))
        await registry.submit(live_table, hash_token("Cem"), "leave", c.Leave())
        await registry.submit(live_table, ANN, "leave", c.Leave())
        await wait_until(live_table, is_over)
        if returns:
            live_table.subscribe(RecordingSubscriber(hash_token("Bo")))
        table = await wait_until(live_table, lambda table: table.players[1].stand_in is not returns)
        shown = public_table(table, None).match
        record = record_in(log_of(registry, live_table.code), 1)
    assert shown is not None
    assert record is not None
    assert sorted(shown.stand_ins) == [0, 1, 2]
    assert read_record(record.text).result_names == ("Ann (bot)", "Bo (bot)", "Cem (bot)")


async def test_a_player_who_leaves_when_the_match_is_over_keeps_the_result(registry: TableRegistry) -> None:
    rules = patched(preset("basic").ruleset, dice__per_player=1)
    live_table = await make_table(registry, "Ann", "Bo", config=make_config(rules, seats=2))
    table = await begin_match(registry, live_table)
    await registry.submit(live_table, token_on_turn(table), "bid", Bid(1, 2), turn_id(table))
    table = await live_table.state()
    await registry.submit(live_table, token_on_turn(table), "call", Challenge(), turn_id(table))
    await wait_until(live_table, is_over)
    for name in ("Ann", "Bo"):
        await registry.submit(live_table, hash_token(name), "leave", c.Leave())
    shown = public_table(await live_table.state(), None).match
    assert shown is not None
    assert shown.stand_ins == ()
