"""A visitor with a whole network of IPv6 addresses, such as a /56 or a /48, has no more than a few times one budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import msgspec
import pytest

from liarsdice.server.errors import AddressLimitError, BannedError, RateLimitError
from liarsdice.server.http.auth import hash_token
from liarsdice.server.http.costly_work import MAX_REQUESTS_PER_ADDRESS, CostlyWork
from liarsdice.server.http.limits import AddressCounter, RateLimit, RateLimits, networks_of
from liarsdice.server.services import AddressPolicy
from liarsdice.server.table import commands as c
from liarsdice.server.table.table_config import BanScope
from tests.server.live_tables import fake_clock, make_config, make_table, open_registry, shared_pool

ANN = hash_token("Ann")
NEIGHBOUR = "2001:db8:ffff::1"


def addresses_in(bits: int, count: int = 300) -> Iterator[str]:
    """Addresses of a visitor who owns a network of this size, each in the next /64 of it if there are more than one."""
    subnets = 2 ** (64 - bits)
    return (f"2001:db8:0:{number % subnets:x}::{number % 9 + 1}" for number in range(count))


@pytest.mark.parametrize("bits, times", [(64, 1), (56, 2), (48, 4)])
@pytest.mark.parametrize("limit", [lambda: RateLimit(10, now_s=lambda: 0.0).consume, lambda: AddressCounter(10).add])
def test_a_network_has_a_few_times_the_budget_of_one_address(
    bits: int, times: int, limit: Callable[[], Callable[[str], bool]]
) -> None:
    allows = limit()
    assert sum(map(allows, addresses_in(bits))) == 10 * times
    assert allows(NEIGHBOUR)


def test_requests_of_a_network_in_progress_are_bounded() -> None:
    work, allowed = CostlyWork(RateLimits(), shared_pool()), 0
    with ExitStack() as in_progress:
        for address in addresses_in(48):
            with suppress(RateLimitError):
                in_progress.enter_context(work.admitted(address, 1))
                allowed += 1
    assert allowed == 4 * MAX_REQUESTS_PER_ADDRESS
    with work.admitted(next(addresses_in(48)), 1):
        pass


def test_connections_that_are_closed_count_no_more_in_any_network() -> None:
    counter = AddressCounter(1)
    for address in addresses_in(48):
        assert counter.add(address)
        counter.remove(address)


async def test_a_visitor_with_a_network_takes_as_many_seats_as_one_with_an_address(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        fake_clock(registry).address_policy = AddressPolicy(b"key", seats_per_address=3)
        live_table = await make_table(registry, "Ann", config=msgspec.structs.replace(make_config(), listed=True))
        taken = 0
        for number, address in enumerate(list(addresses_in(48, 65_536))[::8_192]):
            try:
                await registry.take_seat(live_table, f"Bo{number}", hash_token(f"{number}"), "", f"{number}", address)
            except AddressLimitError:
                continue
            taken += 1
        assert taken == 3
        assert await registry.take_seat(live_table, "Cy", hash_token("Cy"), "", "cy", NEIGHBOUR)


async def test_a_removed_person_cannot_sit_down_with_another_browser_from_the_same_network(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann")
        first, *others = addresses_in(48)
        player = await registry.take_seat(live_table, "Bo", hash_token("Bo"), "", "1", first)
        assert player is not None
        await registry.submit(live_table, ANN, "remove", c.Remove(player, BanScope.FOR_GOOD))
        for number, address in enumerate(others[:20]):
            with pytest.raises(BannedError):
                await registry.take_seat(live_table, "Eve", hash_token(f"{number}"), "", f"{number}", address)
        assert await registry.take_seat(live_table, "Cy", hash_token("Cy"), "", "cy", NEIGHBOUR)


def test_an_address_that_is_none_is_a_network_of_its_own() -> None:
    assert networks_of("unix:") == (("unix:", 1),)
    assert networks_of("fe80::1%eth0") == networks_of("fe80::1")
