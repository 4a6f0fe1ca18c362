"""A change of the table is recognised however its JSON is written, and decoded apart from all other messages."""

import re
from typing import Annotated

import msgspec
import pytest

from liarsdice.core.errors import MalformedError
from liarsdice.server.protocol.decoding import describe_decode_error, read_change_request, read_message
from liarsdice.server.table.table_config import Away

CHANGE = '{"type":"do","id":"1","command":%s}'


@pytest.mark.parametrize(
    "command",
    [
        '{"type":"change","config":{}}',
        '{"config":{},"type":"change"}',
        r'{"type":"ch\u0061nge","config":{}}',
        r'{"ty\u0070e":"change","config":{}}',
        '{"type" : "change" , "config" : {"title":"\\u00e9"}}',
    ],
)
def test_a_change_is_recognised_and_never_decoded_with_other_messages(command: str) -> None:
    request = read_change_request(CHANGE % command)
    assert request is not None
    assert request.request_id == "1"
    with pytest.raises(MalformedError):
        read_message(CHANGE % command)


@pytest.mark.parametrize(
    "command",
    [
        r'{"type":"say","text":"\u00a1Mentira!"}',
        r'{"type":"say","text":"\"change\" nothing"}',
        '{"type":"add_bot","bot":"change"}',
        '{"type":"say","text":"change"}',
    ],
)
def test_other_messages_are_not_taken_for_changes(command: str) -> None:
    assert read_change_request(CHANGE % command) is None
    read_message(CHANGE % command)


@pytest.mark.parametrize("command", ['{"type":"say","type":"change"}', '{"type":"change","type":"say"}', "[]", "1"])
def test_a_command_with_two_types_or_none_is_no_way_around(command: str) -> None:
    """Whatever the first look takes it for, only `read_change` decodes a change."""
    with pytest.raises(MalformedError):
        read_message(CHANGE % command)


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
