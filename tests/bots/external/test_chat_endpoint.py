"""A model behind an endpoint: requests, repeated requests, limits and errors."""

from __future__ import annotations

import pytest

from liarsdice.bots.external.language_model import (
    BACKOFF_S,
    MAX_RESPONSE_BYTES,
    ChatEndpoint,
    ChatMessage,
    Completion,
    EndpointSettings,
    completions_url,
)
from liarsdice.bots.protocol import BotError
from liarsdice.core.errors import MalformedError, UnavailableError
from tests.bots.external.model_endpoint import Drip, Hang, Raw, Script, running_endpoint

CHAT = [ChatMessage("system", "rules"), ChatMessage("user", "turn")]
KEY = "sk-very-secret"


def ask(script: Script, waits: list[float], timeout_s: float = 20.0, key: str = "") -> Completion:
    """Ask a scripted endpoint once, and note the waits between requests."""
    with running_endpoint(script) as endpoint:
        model = ChatEndpoint(
            EndpointSettings(url=endpoint.url, model="m", timeout_s=timeout_s), key, sleep=waits.append
        )
        try:
            return model.complete(CHAT)
        finally:
            model.close()


def test_a_request_has_the_settings_the_messages_and_the_key() -> None:
    with running_endpoint(lambda _, chat: f"{chat[-1].content}! [liar]") as endpoint:
        settings = EndpointSettings(
            url=endpoint.url,
            model="m",
            temperature=0.5,
            seed=7,
            max_tokens=9,
            parameters={"max_tokens": None, "max_completion_tokens": 8, "top_p": 0.9},
        )
        model = ChatEndpoint(settings, KEY)
        assert model.complete(CHAT) == Completion("turn! [liar]", 100, 7)
        model.close()
        (request,) = endpoint.requests
    assert request.path == "/v1/chat/completions"
    assert request.authorization == f"Bearer {KEY}"
    assert request.body == {
        "model": "m",
        "messages": [{"role": "system", "content": "rules"}, {"role": "user", "content": "turn"}],
        "temperature": 0.5,
        "seed": 7,
        "max_completion_tokens": 8,
        "top_p": 0.9,
    }


def test_without_a_key_none_is_sent() -> None:
    with running_endpoint(lambda *_: "[liar]") as endpoint:
        model = ChatEndpoint(EndpointSettings(url=endpoint.url, model="m"))
        model.complete(CHAT)
        model.close()
        assert endpoint.requests[0].authorization is None
        assert endpoint.requests[0].body.keys() == {"model", "messages"}


def test_a_busy_endpoint_is_asked_again_after_a_while() -> None:
    busy = [Raw(429, headers={"Retry-After": "9"}), Raw(503), Raw(500, headers={"Retry-After": "soon"})]
    waits: list[float] = []
    assert ask(lambda number, _: busy[number] if number < len(busy) else "[liar]", waits).text == "[liar]"
    assert waits == [9.0, BACKOFF_S[1], BACKOFF_S[2]]


def test_an_endpoint_that_stays_busy_is_given_up() -> None:
    waits: list[float] = []
    with pytest.raises(UnavailableError, match="gave no answer in 6 tries; the last one: status 429: too many"):
        ask(lambda *_: Raw(429, b"too many"), waits)
    assert waits == list(BACKOFF_S)


def test_an_endpoint_that_is_not_there_is_given_up() -> None:
    with running_endpoint(lambda *_: "") as endpoint:
        url = endpoint.url
    waits: list[float] = []
    with pytest.raises(UnavailableError, match="gave no answer in 6 tries; the last one: ConnectError"):
        ChatEndpoint(EndpointSettings(url=url, model="m"), sleep=waits.append).complete(CHAT)
    assert waits == list(BACKOFF_S)


@pytest.mark.parametrize("script", [Hang(), Drip()])
def test_an_endpoint_that_takes_too_long_gives_no_answer(script: Hang | Drip) -> None:
    with pytest.raises(BotError, match=r"it gave no answer within 0\.3 s"):
        ask(lambda *_: script, [], timeout_s=0.3)


def test_a_refused_request_ends_at_once_and_its_error_does_not_have_the_key() -> None:
    waits: list[float] = []
    with pytest.raises(UnavailableError, match=r"refused a request with status 401: no such key: \*\*\*") as refusal:
        ask(lambda *_: Raw(401, f"no such key: {KEY}".encode()), waits, key=KEY)
    assert KEY not in str(refusal.value)
    assert waits == []


@pytest.mark.parametrize(
    "body, problem",
    [
        (b"<html>", "answered no chat completion"),
        (b'{"choices": []}', "without choices"),
        (b" " * (MAX_RESPONSE_BYTES + 1), "answered more than"),
    ],
)
def test_an_answer_that_is_no_completion_is_an_error(body: bytes, problem: str) -> None:
    with pytest.raises(UnavailableError, match=problem):
        ask(lambda *_: Raw(200, body), [])


def test_a_completion_without_text_is_empty() -> None:
    body = b'{"choices": [{"message": {"content": null}}]}'
    assert ask(lambda *_: Raw(200, body), []) == Completion("")


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://host/v1", "http://", "http://[", "http://host:0/v1", ""])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(MalformedError, match="an endpoint is an address such as"):
        completions_url(url)


@pytest.mark.parametrize("url", ["http://user:secret@host/v1", "http://host/v1?key=secret", "http://host/v1#a"])
def test_an_address_with_a_secret_is_refused_without_naming_it(url: str) -> None:
    with pytest.raises(MalformedError, match="no user, query or fragment") as refusal:
        completions_url(url)
    assert "secret" not in str(refusal.value)


def test_the_address_of_the_completions_is_used_as_it_is() -> None:
    assert completions_url("https://host/v1/chat/completions") == "https://host/v1/chat/completions"


@pytest.mark.parametrize("key", ["sk-1\n", "schlüssel"])
def test_a_key_that_no_header_can_hold_is_refused(key: str) -> None:
    with pytest.raises(MalformedError, match="the API key has characters") as refusal:
        ChatEndpoint(EndpointSettings(url="http://host/v1", model="m"), key)
    assert key not in str(refusal.value)
