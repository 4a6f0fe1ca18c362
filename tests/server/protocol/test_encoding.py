"""Updates are encoded exactly as the protocol says, and every part only once for all clients."""

from pathlib import Path

import msgspec
import pytest

from liarsdice.core.engine.legal import legal
from liarsdice.core.rules.rule_costs import MAX_BIDS_A_ROUND
from liarsdice.server.http.auth import hash_token
from liarsdice.server.protocol import encoding
from liarsdice.server.protocol.encoding import ENCODER, TableFrames
from liarsdice.server.protocol.views import player_view, public_table
from liarsdice.server.rules.rules_api import ruleset_of
from liarsdice.server.table import commands as c
from liarsdice.server.table.table_state import TableState
from liarsdice.wire import Update
from tests.server.live_tables import begin_match, make_config, make_table, match_of, open_registry, wait_until


async def table_with_dice(folder: Path) -> TableState:
    """A table of three with dice, before the first bid."""
    async with open_registry(folder / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo", "Cy")
        await registry.submit(live_table, hash_token("Ann"), "begin", c.Begin())
        return await wait_until(
            live_table, lambda table: table.ongoing_match is not None and bool(table.ongoing_match.state.hands)
        )


@pytest.mark.parametrize("last_seq", [0, 3, 10_000])
async def test_an_update_is_byte_for_byte_the_message_of_the_protocol(tmp_path: Path, last_seq: int) -> None:
    table = await table_with_dice(tmp_path)
    frames = TableFrames(table, 1_500)
    for player_id in (None, *(player.id for player in table.players)):
        whole = Update(
            seq=table.seq,
            news=tuple(item for item in table.news if item.seq > last_seq),
            table=public_table(table, 1_500),
            own=player_view(table, player_id),
        )
        frame, encoded = frames.update(player_id, last_seq), ENCODER.encode(whole)
        padding = b" " * (len(frame) - len(encoded))
        assert frame == encoded[:-1] + padding + encoded[-1:]
        assert bool(padding) is (player_id is not None)


async def test_what_all_share_is_calls_once_for_however_many_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await table_with_dice(tmp_path)
    calls: list[str] = []
    for name in ("public_table", "table_setup", "legal"):
        function = getattr(encoding, name)

        def recorded(*given: object, name: str = name, function: object = function) -> object:
            calls.append(name)
            assert callable(function)
            return function(*given)

        monkeypatch.setattr(encoding, name, recorded)
    frames = TableFrames(table, None)
    for _ in range(20):
        for player_id in (None, *(player.id for player in table.players)):
            assert msgspec.json.decode(frames.update(player_id, 0))
            assert frames.setup
    assert sorted(calls) == ["legal", "public_table", "table_setup"]


@pytest.mark.parametrize("faces, cap", [(20, 307), (6, 1_000)])
async def test_updates_of_a_table_with_the_most_bids_are_as_short_as_those_of_others(
    tmp_path: Path, faces: int, cap: int
) -> None:
    changes = {"dice.faces": faces, "bidding.cap": cap, "guards.max_bids_per_round": MAX_BIDS_A_ROUND}
    rules = ruleset_of("chui-niu+fei", changes)
    async with open_registry(tmp_path / "db") as registry:
        config = make_config(rules, hints=True)
        table = await begin_match(registry, await make_table(registry, "Ann", "Bo", config=config))
    assert len(legal(match_of(table).state).bids) > 10_000
    assert all(len(TableFrames(table, None).update(player.id, 0)) < 4_096 for player in table.players)
