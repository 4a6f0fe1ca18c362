"""What a program sees of a table: the values that the server sends, and shortcuts."""

from __future__ import annotations

from pathlib import Path

import msgspec

from liarsdice.client import views
from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.server.protocol.encoding import TableFrames
from tests.server.live_tables import begin_match, make_config, make_table, open_registry


async def test_a_view_of_a_match_has_the_hand_the_bids_and_the_moves(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo", config=make_config("perudo"))
        table = await begin_match(registry, live_table)
        assert table.match is not None
        frames, turn = TableFrames(table, None), table.match.state.turn
        shown = {
            player.id: views.read_view(b'{"setup":%b,"update":%b}' % (frames.setup, frames.update(player.id, 0)))
            for player in table.players
        }
        spectator = views.read_view(b'{"setup":%b,"update":%b}' % (frames.setup, frames.update(None, 0)))
    first, second = shown[table.players[turn].id], shown[table.players[1 - turn].id]
    assert (first.on_turn, first.may_act, second.on_turn, spectator.on_turn) == (True, True, False, False)
    assert first.hand == table.match.state.hands[turn]
    assert (spectator.hand, spectator.moves) == ((), ())
    assert first.bid is None
    assert (first.others, spectator.others) == ((5,), (5, 5))
    assert first.moves == first.legal_bids
    assert Bid(1, 2) in first.legal_bids
    assert first.rules == preset("perudo").ruleset
    assert first.match is not None
    after = msgspec.structs.replace(
        first,
        match=msgspec.structs.replace(first.match, bids=((0, (2, 3)),)),
        own=msgspec.structs.replace(first.own, bids=(), may_challenge=True, may_call_exact=True),
    )
    assert after.bid == Bid(2, 3)
    assert after.moves == (Challenge(), Exact())
