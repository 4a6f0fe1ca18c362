"""A removed person stays removed: recognised by the tokens of their devices and by an address of their own."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from liarsdice.server.errors import AddressLimitError, BannedError, ForbiddenError, TableLockedError
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.protocol.views import table_setup
from liarsdice.server.services import AddressPolicy
from liarsdice.server.table import commands as c
from liarsdice.server.table.seating import MAX_BANS, active_bans
from liarsdice.server.table.table_config import BanScope
from tests.server.live_tables import (
    RecordingSubscriber,
    begin_match,
    fake_clock,
    is_over,
    make_config,
    make_table,
    open_registry,
    wait_until,
)

ANN, BO, CY = map(hash_token, ("Ann", "Bo", "Cy"))
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


async def test_a_removed_person_cannot_sit_down_again_at_once(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Cy")
        await remove(registry, live_table, await sit(registry, live_table, "Bo"))
        with pytest.raises(BannedError, match="until match 1 is over"):
            await registry.take_seat(live_table, "Somebody else", BO, "", "again")


async def test_a_ban_for_the_match_ends_with_it(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
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


async def test_a_removed_person_cannot_sit_down_with_another_browser_from_the_same_address(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann")
        await remove(registry, live_table, await sit(registry, live_table, "Bo", CAFE))
        with pytest.raises(BannedError):
            await sit(registry, live_table, "Cy", CAFE)
        assert await sit(registry, live_table, "Dee", ELSEWHERE)


async def test_an_address_that_others_at_the_table_share_is_not_banned(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table, _ = await registry.open_table(make_config(), "Ann", ANN, "", (), HOME)
        await remove(registry, live_table, await sit(registry, live_table, "Bo", HOME))
        with pytest.raises(BannedError):
            await sit(registry, live_table, "Bo", HOME)
        assert await sit(registry, live_table, "Cy", HOME)


async def test_a_removed_person_cannot_take_over_the_seat_of_a_friend(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Cy", "Bo")
        await remove(registry, live_table, 3)
        with pytest.raises(BannedError):
            await registry.add_device(live_table, 2, BO)


async def test_the_host_can_let_a_removed_person_return(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Cy", "Bo")
        await remove(registry, live_table, 3, BanScope.FOR_GOOD)
        with pytest.raises(ForbiddenError, match="only the host"):
            await registry.submit(live_table, CY, "lift", c.LiftBan(3))
        await registry.submit(live_table, ANN, "lift", c.LiftBan(3))
        assert await sit(registry, live_table, "Bo") == 4


async def test_whoever_opened_the_table_is_never_banned(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        await registry.add_device(live_table, 1, hash_token("Ann's phone"))
        await registry.submit(live_table, ANN, "host", c.MakeHost(2))
        await registry.submit(live_table, BO, "out", c.Remove(1, BanScope.FOR_GOOD))
        assert await registry.take_seat(live_table, "Ann", hash_token("Ann's phone"), "", "back") == 3


async def test_bots_and_the_host_are_removed_without_a_ban(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo", bots=("random",))
        await remove(registry, live_table, 2)
        await registry.submit(live_table, ANN, "host", c.MakeHost(3))
        await registry.submit(live_table, BO, "self", c.Remove(3))
        assert active_bans(await live_table.state()) == ()


async def test_everybody_sees_at_once_who_was_removed_and_for_how_long(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Cy", "Bo")
        subscriber = RecordingSubscriber(ANN)
        live_table.subscribe(subscriber)
        subscriber.frames.clear()
        await remove(registry, live_table, 3, BanScope.FOR_GOOD)
        await remove(registry, live_table, 2)
        banned = table_setup(await live_table.state()).banned
        assert [(ban.player, ban.name, ban.for_good) for ban in banned] == [(3, "Bo", True), (2, "Cy", False)]
        assert sum(b'"setting"' in frame for frame in subscriber.frames) == 2


async def test_a_table_remembers_a_bounded_number_of_bans(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
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


async def test_nobody_new_sits_down_at_a_locked_table(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
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


async def test_a_table_can_be_locked_during_a_match_and_stays_locked_after_it(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        await begin_match(registry, live_table)
        await registry.submit(live_table, ANN, "lock", c.Lock(locked=True))
        await finish_match(registry, live_table)
        with pytest.raises(TableLockedError):
            await sit(registry, live_table, "Cy")


async def test_whoever_opened_the_table_returns_to_it_though_it_is_locked(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        await registry.submit(live_table, ANN, "lock", c.Lock(locked=True))
        await registry.submit(live_table, ANN, "leave", c.Leave())
        assert await sit(registry, live_table, "Ann") == 3


async def test_one_address_takes_a_bounded_number_of_seats_at_a_listed_table(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
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


async def test_a_seat_is_free_for_an_address_again_when_its_player_leaves(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        fake_clock(registry).address_policy = AddressPolicy(b"key", seats_per_address=1)
        live_table, _ = await registry.open_table(
            msgspec.structs.replace(make_config(), listed=True), "Ann", ANN, "", (), HOME
        )
        with pytest.raises(AddressLimitError, match="choose another table"):
            await sit(registry, live_table, "Bo", HOME)
        await sit(registry, live_table, "Bo", CAFE)
        await registry.submit(live_table, BO, "leave", c.Leave())
        assert await sit(registry, live_table, "Cy", CAFE)
