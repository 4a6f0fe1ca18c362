"""A change of the table is recognised however its JSON is written, and decoded apart from all other messages."""

import pytest

from liarsdice.core.errors import MalformedError
from liarsdice.server.protocol.decoding import read_change_request, read_message

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
