"""What is said of JSON that cannot be read is said in words of ours."""

import re
from typing import Annotated

import msgspec
import pytest

from liarsdice.server.protocol.decoding import describe_decode_error
from liarsdice.server.table.table_config import Away


class Body(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    seats: Annotated[int, msgspec.Meta(ge=2)] | None = None
    away: Away = Away.BOT
    ready: bool = False
    dice: tuple[int, ...] = ()
    pair: tuple[int, int] = (1, 1)
    share: float = 0.5


CASES = (
    (b"", "the message is not JSON"),
    (b"\xff", "the message is not JSON (byte 0)"),
    (b"{", "the message is not JSON"),
    (b"name=Ann", "the message is not JSON (byte 4)"),
    (b"[]", "the message must be an object, not a list"),
    (b"{}", "the message has no field 'name', which it needs"),
    (b'{"name":1}', "name must be text, not a whole number"),
    (b'{"name":"A","seats":1}', "seats must be a whole number >= 2"),
    (b'{"name":"A","seats":"x"}', "seats must be a whole number or null, not text"),
    (b'{"name":"A","away":"x"}', "away may not be 'x'"),
    (b'{"name":"A","ready":1}', "ready must be true or false, not a whole number"),
    (b'{"name":"A","dice":[1,"x"]}', "dice[1] must be a whole number, not text"),
    (b'{"name":"A","pair":[1]}', "pair must be a list of length 2"),
    (b'{"name":"A","share":[]}', "share must be a number, not a list"),
    (b'{"name":"A","admin":1}', "the message has the field 'admin', which it may not have"),
    (b'{"name":"A","' + b"x" * 200 + b'":1}', f"the message has the field {'x' * 60!r}, which it may not have"),
)


@pytest.mark.parametrize("body, text", CASES, ids=[str(number) for number in range(len(CASES))])
def test_an_error_is_described_in_plain_words(body: bytes, text: str) -> None:
    with pytest.raises(msgspec.DecodeError) as error:
        msgspec.json.decode(body, type=Body)
    described = describe_decode_error(str(error.value))
    assert described == text
    assert not re.search(r"Expected|Object|`|\$|malformed", described)
