"""The ids and tokens that the client makes have the form that the server wants, and requests carry what it reads."""

import time
from collections.abc import Callable, Iterator

import httpx
import msgspec
import pytest

from liarsdice.client import Client, ConnectionLostError, RefusedError, calls  # as programs import them
from liarsdice.client.calls import LONGEST_DELAY_S
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


Answers = Iterator[httpx.Response | httpx.TransportError]
DONE = b'{"type":"done","id":"1","seq":7}'


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the client would have slept each time; the clock goes on by as much."""
    delays = list[float]()
    start_s = time.monotonic()
    monkeypatch.setattr(time, "sleep", delays.append)
    monkeypatch.setattr(time, "monotonic", lambda: start_s + sum(delays))
    return delays


def client_of(*answers: httpx.Response | httpx.TransportError, patience_s: float = 60.0) -> tuple[Client, list[bytes]]:
    """A client whose requests get these answers in turn, the last one for ever; and the bodies of its requests."""
    bodies = list[bytes]()

    def answer(request: httpx.Request) -> httpx.Response:
        bodies.append(request.content)
        given = answers[min(len(bodies), len(answers)) - 1]
        if isinstance(given, httpx.TransportError):
            raise given
        return given

    return Client("http://here", patience_s=patience_s, transport=httpx.MockTransport(answer)), bodies


def error(status: int, code: str, **headers: str) -> httpx.Response:
    return httpx.Response(
        status, json={"code": code, "text": "no"}, headers={k.replace("_", "-"): v for k, v in headers.items()}
    )


@pytest.mark.parametrize(
    "failure", [httpx.ConnectError("x"), httpx.ReadError("x"), httpx.ReadTimeout("x"), error(503, "try_again")]
)
def test_a_command_is_sent_again_with_the_same_id(
    slept: list[float], failure: httpx.Response | httpx.TransportError
) -> None:
    client, bodies = client_of(failure, failure, httpx.Response(200, content=DONE))
    assert client.say("ABCD", "hello") == 7
    assert len(slept) == 2
    assert len({msgspec.json.decode(body)["id"] for body in bodies}) == 1


def test_two_commands_have_different_ids(slept: list[float]) -> None:
    client, bodies = client_of(httpx.Response(200, content=DONE))
    client.say("ABCD", "hello")
    client.say("ABCD", "hello")
    assert len({msgspec.json.decode(body)["id"] for body in bodies}) == 2
    assert slept == []


def test_delays_grow_up_to_a_limit_until_patience_ends(slept: list[float]) -> None:
    client, bodies = client_of(httpx.ConnectError("x"), patience_s=100)
    with pytest.raises(ConnectionLostError, match="ConnectError"):
        client.tables()
    assert slept[0] <= 0.1
    assert LONGEST_DELAY_S / 2 <= max(slept) <= LONGEST_DELAY_S
    assert 100 - LONGEST_DELAY_S <= sum(slept) <= 100
    assert len(bodies) == len(slept) + 1


def test_a_table_is_not_opened_twice(slept: list[float]) -> None:
    """A request whose answer was lost may have been handled."""
    client, bodies = client_of(httpx.ReadError("x"))
    with pytest.raises(ConnectionLostError):
        client.open_table("Ann")
    assert (len(bodies), slept) == (1, [])
    client, bodies = client_of(httpx.ConnectError("x"), httpx.Response(201, json={"code": "ABCD", "player": 1}))
    assert client.open_table("Ann").code == "ABCD"
    assert len(bodies) == 2


def test_a_client_that_is_too_fast_waits_as_long_as_it_is_told(slept: list[float]) -> None:
    client, _ = client_of(error(429, "too_fast", retry_after="42"), httpx.Response(200, content=DONE))
    assert client.say("ABCD", "hello") == 7
    assert slept == [42.0]
    client, _ = client_of(error(429, "too_fast", retry_after="60"), patience_s=30)
    with pytest.raises(RefusedError) as refusal:
        client.say("ABCD", "hello")
    assert (refusal.value.code, refusal.value.status) == ("too_fast", 429)


@pytest.mark.parametrize("response", [error(409, "stale"), error(403, "forbidden"), error(400, "malformed")])
def test_what_the_server_refuses_for_good_is_not_sent_again(slept: list[float], response: httpx.Response) -> None:
    client, bodies = client_of(response)
    with pytest.raises(RefusedError, match="no"):
        client.say("ABCD", "hello")
    assert (len(bodies), slept) == (1, [])


@pytest.mark.parametrize(
    "ask", [lambda client: client.tables(), lambda client: client.view("ABCD"), lambda client: client.record("ABCD", 1)]
)
def test_an_answer_of_another_version_is_a_clear_error(ask: Callable[[Client], object]) -> None:
    client, _ = client_of(httpx.Response(200, content=b'{"new":true}'))
    with pytest.raises(RefusedError, match="cannot be read by this version"):
        ask(client)


def test_a_token_can_be_given_and_is_new_otherwise() -> None:
    assert Client("http://here", token="x" * 43).token == "x" * 43
    assert len({Client("http://here").token for _ in range(2)}) == 2
