"""Estimates are for players with dice, during the bidding, at tables whose host has switched them on."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from liarsdice.core.actions import Challenge
from liarsdice.core.errors import IllegalActionError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.server.errors import ForbiddenError
from liarsdice.server.table.table_config import TableConfig
from liarsdice.server.table.table_state import TableState
from liarsdice.server.table.training import MAX_DICE_IN_TRAINING, training_view
from tests.server.live_tables import begin_match, make_config, make_table, open_registry, token_on_turn, turn_id


async def table_in_match(folder: Path, config: TableConfig, *, calls: bool = False) -> TableState:
    """A table of two in a match, after a bid; with `calls` after a challenge, too."""
    async with open_registry(folder / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo", config=config)
        table = await begin_match(registry, live_table)
        for number, move in enumerate((Bid(2, 4), Challenge())[: 1 + calls]):
            await registry.submit(live_table, token_on_turn(table), f"{number}", move, turn_id(table))
            table = await live_table.state()
        return table


async def test_a_player_is_shown_estimates_of_what_their_own_seat_sees(tmp_path: Path) -> None:
    table = await table_in_match(tmp_path, make_config(training=True))
    assert table.match is not None
    for seat, player in enumerate(table.players):
        shown = training_view(table, player.id)
        assert shown.seat == seat
        assert shown.hand == table.match.state.hands[seat]


async def test_other_tables_refuse(tmp_path: Path) -> None:
    table = await table_in_match(tmp_path, make_config(hints=True))
    with pytest.raises(ForbiddenError, match="no training table"):
        training_view(table, table.players[0].id)


async def test_who_does_not_play_is_refused(tmp_path: Path) -> None:
    table = await table_in_match(tmp_path, make_config(training=True))
    for stranger in (None, 99):
        with pytest.raises(ForbiddenError, match="only players"):
            training_view(table, stranger)
    assert table.match is not None
    out = replace(table, match=replace(table.match, state=replace(table.match.state, dice=(0, 5))))
    with pytest.raises(IllegalActionError, match="with dice"):
        training_view(out, table.players[0].id)


async def test_there_are_no_estimates_outside_the_bidding(tmp_path: Path) -> None:
    called = await table_in_match(tmp_path, make_config(training=True), calls=True)
    for table in (called, replace(called, match=None)):
        with pytest.raises(IllegalActionError, match="while players bid"):
            training_view(table, table.players[0].id)


async def test_too_many_dice_are_refused_before_anything_is_computed(tmp_path: Path) -> None:
    rules = patched(preset("perudo").ruleset, dice__per_player=20)
    table = await table_in_match(tmp_path, make_config(rules, training=True))
    assert table.match is not None
    many = replace(table, match=replace(table.match, state=replace(table.match.state, dice=(20, 41))))
    assert sum(many.match.state.dice if many.match else ()) > MAX_DICE_IN_TRAINING
    with pytest.raises(UnavailableError):
        training_view(many, table.players[0].id)


async def test_there_are_no_estimates_where_losses_cost_lives(tmp_path: Path) -> None:
    table = await table_in_match(tmp_path, make_config(preset("chui-niu+lives").ruleset, training=True))
    with pytest.raises(UnavailableError, match="estimates only where losses cost dice"):
        training_view(table, table.players[0].id)
