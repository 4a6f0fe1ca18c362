"""The URL of a bus between several servers, which may contain a password."""

from __future__ import annotations

import re

import msgspec

from liarsdice.core.errors import MalformedError

BUS_URL = re.compile(
    r"(?P<scheme>redis|rediss|nats)://(?P<user>[^@/?#]*@)?(?P<host>[a-z0-9._-]+|\[[0-9a-f:.]+\])(?P<port>:[0-9]{1,5})?"
    r"(?:/(?P<channel>[a-z0-9_-]{1,60})?)?",
    re.IGNORECASE,
)
DEFAULT_CHANNEL = "liarsdice"


class BusUrl(msgspec.Struct, frozen=True):
    """The URL of a Redis or NATS server, and the channel there. Printing it never shows the password.

    >>> parse_bus_url("redis://:secret@bus.example:6379/club")
    redis://bus.example:6379/club
    """

    scheme: str
    url: str
    channel: str

    def __str__(self) -> str:
        return f"{self.scheme}://{self.url.rpartition('@')[2].rpartition('//')[2]}/{self.channel}"

    __repr__ = __str__


def parse_bus_url(url: str) -> BusUrl:
    """Return the parts of a URL. Raises `MalformedError` for another text, which the error does not contain."""
    match = BUS_URL.fullmatch(url)
    if match is None:
        raise MalformedError(
            "--bus is an address such as redis://USER:PASSWORD@HOST:6379/CHANNEL or nats://HOST:4222, in which the"
            " signs @ / ? # of a user name or a password are written as %40 %2F %3F %23"
        )
    scheme = match["scheme"].lower()
    server = f"{scheme}://{match['user'] or ''}{match['host']}{match['port'] or ''}"
    return BusUrl(scheme, server, match["channel"] or DEFAULT_CHANNEL)
