"""The ids and tokens that the client makes have the form that the server wants, and requests carry what it reads."""

import msgspec

from liarsdice.client import calls
from liarsdice.core.actions import Challenge
from liarsdice.core.rules.bids import Bid
from liarsdice.server.http.auth import is_token
from liarsdice.server.http.program_api import MAX_WAIT_S
from liarsdice.server.protocol.messages import CommandRequest
from liarsdice.server.table.commands import MAX_REQUEST_ID_LENGTH, Say


def test_new_tokens_and_ids_are_accepted_by_the_server() -> None:
    assert is_token(calls.new_token())
    assert len(calls.new_request_id()) <= MAX_REQUEST_ID_LENGTH
    assert calls.new_request_id() != calls.new_request_id()


def test_a_view_waits_no_longer_than_the_server_allows() -> None:
    call = calls.view("ABCD", 7, 1_000)
    assert call.params == {"after": 7, "wait": calls.MAX_WAIT_S}
    assert call.wait_s == calls.MAX_WAIT_S <= MAX_WAIT_S


def test_commands_are_those_of_the_server() -> None:
    for move in (Bid(2, 3), Bid(2, 3, pure=True), Challenge()):
        body = calls.command("ABCD", msgspec.to_builtins(move), 5).body
        request = msgspec.convert({"type": "do", **(body or {})}, CommandRequest)
        assert (request.command, request.turn_id) == (move, 5)
    body = calls.command("ABCD", {"type": "say", "text": "hello"}).body
    assert msgspec.convert({"type": "do", **(body or {})}, CommandRequest).command == Say("hello")
