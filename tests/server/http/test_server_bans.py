"""A server refuses whom its operator has banned, by address, network or token, and ends their connections."""

import asyncio
from pathlib import Path

import pytest

from liarsdice.core.errors import MalformedError
from liarsdice.server import services
from liarsdice.server.errors import ServerBannedError
from liarsdice.server.http.auth import COOKIE, hash_address, hash_token
from liarsdice.server.http.server_bans import TOKEN_SCOPE, ServerBans, network_hash
from liarsdice.server.protocol.messages import ErrorCode, Problem
from liarsdice.server.storage.administration import BanHash, SqliteAdministration
from liarsdice.server.storage.store import ServerBan
from tests.server.running_server import RunningServer, close_code, receive, receive_all, run_server, say_hello

KEY = b"key"


def bans_of(*hashes: BanHash) -> ServerBans:
    bans = ServerBans(lambda scope, network: hash_address(KEY, scope, network))
    bans.replace([ServerBan(scope, digest, 1, None, 0, "") for scope, digest in hashes])
    return bans


def is_banned(bans: ServerBans, address: str, token_hash: str = "") -> bool:
    try:
        bans.check(address, token_hash)
    except ServerBannedError:
        return True
    return False


@pytest.mark.parametrize(
    "banned, inside, outside",
    [
        ("192.0.2.7", ["192.0.2.7", "::ffff:192.0.2.7"], ["192.0.2.8", "2001:db8::7", "", "somewhere"]),
        ("192.0.2.0/24", ["192.0.2.1", "192.0.2.255"], ["192.0.3.1", "::1"]),
        ("192.0.2.77/24", ["192.0.2.1"], ["192.0.3.1"]),
        ("2001:db8:0:1::7", ["2001:db8:0:1::8", "2001:db8:0:1:2:3:4:5%eth0"], ["2001:db8:0:2::7", "32.1.13.184"]),
        ("2001:db8::/32", ["2001:db8:ffff::1"], ["2001:db9::1"]),
    ],
)
def test_an_address_or_network_is_banned_and_its_neighbours_are_not(
    banned: str, inside: list[str], outside: list[str]
) -> None:
    bans = bans_of(network_hash(KEY, banned))
    assert [address for address in inside if not is_banned(bans, address)] == []
    assert [address for address in outside if is_banned(bans, address)] == []


@pytest.mark.parametrize("text", ["192.0.2", "192.0.2.0/33", "ann", "", "0.0.0.0/0", "10.0.0.0/7", "::/0", "2000::/15"])
def test_what_is_no_network_or_too_large_is_refused(text: str) -> None:
    with pytest.raises(MalformedError, match=r"is no address|is too large"):
        network_hash(KEY, text)


def test_a_ban_has_no_address_and_another_key_gives_another_hash() -> None:
    scope, digest = network_hash(KEY, "192.0.2.0/24")
    assert (scope, len(digest)) == ("v4/24", 64)
    assert network_hash(b"other", "192.0.2.0/24")[1] != digest
    assert network_hash(KEY, "192.0.2.0/25")[1] != digest


def test_a_player_is_banned_by_tokens_and_by_the_address_that_their_table_knows() -> None:
    bans = bans_of((TOKEN_SCOPE, hash_token("ann")), ("ABCD", hash_address(KEY, "ABCD", "192.0.2.7")))
    assert is_banned(bans, "198.51.100.1", hash_token("ann"))
    assert is_banned(bans, "192.0.2.7")
    assert not is_banned(bans, "192.0.2.8", hash_token("bo"))


def test_a_lifted_ban_is_forgotten() -> None:
    bans = bans_of(network_hash(KEY, "192.0.2.7"))
    assert is_banned(bans, "192.0.2.7")
    bans.replace(())
    assert not is_banned(bans, "192.0.2.7")


async def ban(server: RunningServer, *hashes: BanHash) -> None:
    """What a running server does when it finds new rows in its database."""
    server.services.server_bans.replace([ServerBan(*part, 1, None, 0, "") for part in hashes])


async def test_a_banned_address_is_refused_by_the_api_and_by_tables_but_gets_the_page(server: RunningServer) -> None:
    ann = server.browser()
    code = await server.open_table(ann)
    await ban(server, network_hash(server.services.address_policy.key, "192.0.2.0/24"))
    refused = await server.browser().get(f"/api/tables/{code}", headers={"x-forwarded-for": "192.0.2.7"})
    assert (refused.status_code, refused.json()["code"]) == (403, "server_banned")
    assert (await server.browser().get("/healthz", headers={"x-forwarded-for": "192.0.2.7"})).status_code == 200
    async with server.connect(code, address="192.0.2.7") as socket:
        await socket.send('{"type":"hello","last_seq":0}')
        problem = await receive(socket)
        assert isinstance(problem, Problem)
        assert problem.code is ErrorCode.SERVER_BANNED
        assert await close_code(socket) == 4403
    assert (await ann.get(f"/api/tables/{code}")).status_code == 200


async def test_a_banned_token_holds_no_seat_at_any_table_from_any_address(server: RunningServer) -> None:
    ann = server.browser()
    code = await server.open_table(ann)
    await ban(server, (TOKEN_SCOPE, hash_token(ann.cookies[COOKIE])))
    for response in (await ann.get("/api/lobby"), await ann.post("/api/tables", json={"name": "Ann"})):
        assert response.status_code == 403
    async with server.connect(code, ann) as socket:
        await socket.send('{"type":"hello","last_seq":0}')
        assert await close_code(socket) == 4403
    assert (await server.browser().get(f"/api/tables/{code}")).status_code == 200


async def test_running_servers_end_the_connections_of_whom_an_operator_bans(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator's process only writes to the database; nobody else's connection is closed."""
    monkeypatch.setattr(services, "BAN_REFRESH_S", 0.01)
    administration = SqliteAdministration(tmp_path / "db")
    async with run_server(tmp_path / "db") as server:
        code = await server.open_table(server.browser())
        async with (
            server.connect(code, address="192.0.2.7") as banned,
            server.connect(code, address="192.0.2.8") as other,
        ):
            await say_hello(banned)
            await say_hello(other)
            digest = network_hash(server.services.address_policy.key, "192.0.2.7")
            number = await asyncio.to_thread(administration.add_ban, [digest], None, 0, "")
            last = (await receive_all(banned))[-1]
            assert isinstance(last, Problem)
            assert last.code is ErrorCode.SERVER_BANNED
            assert banned.close_code == 4403
            assert other.close_code is None
            await asyncio.to_thread(administration.lift_ban, number)
            await server.services.refresh_bans()
        async with server.connect(code, address="192.0.2.7") as socket:
            await say_hello(socket)
