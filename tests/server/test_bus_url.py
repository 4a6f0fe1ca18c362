"""The URL of a bus names a server and a channel, and its password is never shown."""

import pytest

from liarsdice.core.errors import MalformedError
from liarsdice.server.bus_url import BusUrl, parse_bus_url


@pytest.mark.parametrize(
    "url, parts, shown",
    [
        (
            "redis://ann:s3cr3t@bus.example:6379/club",
            BusUrl("redis", "redis://ann:s3cr3t@bus.example:6379", "club"),
            "redis://bus.example:6379/club",
        ),
        (
            "rediss://:s3cr3t@[::1]/",
            BusUrl("rediss", "rediss://:s3cr3t@[::1]", "liarsdice"),
            "rediss://[::1]/liarsdice",
        ),
        ("NATS://bus.example", BusUrl("nats", "nats://bus.example", "liarsdice"), "nats://bus.example/liarsdice"),
    ],
)
def test_a_url_names_a_server_and_a_channel(url: str, parts: BusUrl, shown: str) -> None:
    assert parse_bus_url(url) == parts
    assert (str(parts), repr(parts)) == (shown, shown)


@pytest.mark.parametrize(
    "url",
    ["", "s3cr3t", "http://ann:s3cr3t@x", "redis://a:s3cr3t@b@c", "redis://x/a/s3cr3t", "nats://x?s3cr3t", "redis://"],
)
def test_another_text_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(MalformedError, match="--bus is an address") as refused:
        parse_bus_url(url)
    assert "s3cr3t" not in str(refused.value)
