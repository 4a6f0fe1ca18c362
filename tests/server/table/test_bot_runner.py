"""Bots play their seats and those of people for whom they stand in; out of turn they may only call."""

from pathlib import Path

import pytest

from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.state import Phase
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import WhoCalls
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.server.http.auth import hash_token
from liarsdice.server.table import commands as c
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.bot_runner import BotRunner, bots_by_seat, out_of_turn_bots
from liarsdice.server.table.command_handler import bot_move_entries, deal_entries
from liarsdice.server.table.dice_source import ProvableDiceSource
from liarsdice.server.table.reducer import replay_log
from liarsdice.server.table.table_state import TableState
from tests.server.live_tables import begin_match, make_config, make_table, open_registry

ANN = hash_token("Ann")


async def test_a_bot_makes_a_legal_move_in_its_seat(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        table = await begin_match(registry, live_table)
        match = table.ongoing_match
        assert match is not None
        runner = BotRunner()
        answer = await runner.choose_move(table, {match.state.turn: "random"})
        runner.close()
        assert answer is not None
        seat, move = answer
        assert seat == match.state.turn
        assert decide(match.state, seat, move)


async def test_a_bot_plays_for_a_person_while_it_stands_in(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo", bots=("threshold",))
        table = await begin_match(registry, live_table)
        bot_seat = next(seat for seat, player in enumerate(table.players) if player.bot)
        assert bots_by_seat(table) == {bot_seat: "threshold"}
        ann = table.player_by_token(ANN)
        assert ann is not None
        await registry.submit(live_table, ANN, "s", c.StandIn(ann.id, bot=True))
        assert bots_by_seat(await live_table.state()) == {bot_seat: "threshold", 0: table.config.bot}


def table_with_bid(rules: Ruleset) -> TableState:
    """Seat 1, a person, is on turn after a bid of seat 0; seat 2 is a bot."""
    entries: list[e.LogEntry] = [
        e.Opened("ABCD", make_config(rules)),
        e.Joined(1, "Ann", ANN, ""),
        e.Joined(2, "Bo", hash_token("Bo"), ""),
        e.BotJoined(3, "Wren", "random"),
        e.SeedCommitted("seed"),
        e.MatchBegan(1),
    ]
    quantity = 0
    while True:
        table = replay_log(e.LogRow(number, 0, "", entry) for number, entry in enumerate(entries, 1))
        assert table is not None
        assert table.match is not None
        state = table.match.state
        if state.phase is not Phase.BIDDING:
            entries += deal_entries(table, ProvableDiceSource())
        elif state.turn == 1 and state.bids:
            return table
        else:
            quantity += 1
            entries += bot_move_entries(table, state.turn, Bid(quantity, 2))


@pytest.mark.parametrize("who, callers", [(WhoCalls.ANYONE_BUT_BIDDER, {2: "random"}), (WhoCalls.NEXT_PLAYER, {})])
def test_bots_may_call_out_of_turn_only_where_the_rules_let_them(who: WhoCalls, callers: dict[int, str]) -> None:
    rules = patched(preset("basic").ruleset, challenge__who=who)
    assert out_of_turn_bots(table_with_bid(rules)) == callers
