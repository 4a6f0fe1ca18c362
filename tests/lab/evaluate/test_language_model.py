"""A bot that plays as a language model answers."""

import sys
from collections.abc import Callable, Sequence

import pytest

from liarsdice.bots.protocol import BotError
from liarsdice.core.actions import Challenge
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.text.turn_text import move_text, rules_text, turn_text
from liarsdice.play.match_runner import play_match
from liarsdice_lab.evaluate.language_model import (
    BACKOFF_S,
    MAX_ATTEMPTS,
    MAX_MISSING_ANSWERS,
    MAX_RESPONSE_BYTES,
    AttemptOutcome,
    ChatCommand,
    ChatEndpoint,
    ChatMessage,
    Completion,
    EndpointSettings,
    LanguageModelBot,
    completions_url,
    fallback_move,
)
from tests.lab.evaluate.model_endpoint import Drip, Hang, Raw, Script, running_endpoint
from tests.laws.random_matches import bidding_states, random_match

PERUDO, OFFICIAL = preset("perudo").ruleset, preset("official").ruleset
STATES = list(bidding_states(random_match(PERUDO, 2, 1)))
OPENING, ANSWERING = STATES[0], next(state for state in STATES if state.bids)


class ScriptedModel:
    """Answers by a function of the number of the question, from 0; an exception is raised."""

    def __init__(self, script: Callable[[int], str | Exception]) -> None:
        self.script = script
        self.chats: list[list[ChatMessage]] = []

    def complete(self, messages: Sequence[ChatMessage]) -> Completion:
        self.chats.append([*messages])
        answer = self.script(len(self.chats) - 1)
        if isinstance(answer, Exception):
            raise answer
        return Completion(answer, 50, 5)

    def close(self) -> None:
        pass


def seat_view(opening: bool = True) -> View:
    state = OPENING if opening else ANSWERING
    return view(state, state.turn)


def test_the_model_reads_the_rules_and_the_turn() -> None:
    model = ScriptedModel(lambda _: "So be it. [1x3]")
    bot = LanguageModelBot(model, PERUDO)
    assert bot.act(seat_view()) == Bid(1, 3)
    ((system, user),) = model.chats
    assert system.role == "system"
    assert system.content == bot.system_prompt
    assert system.content.endswith(rules_text(PERUDO))
    assert (user.role, user.content) == ("user", turn_text(seat_view()))
    (decision,) = bot.decisions
    assert (decision.round_number, decision.bid_count, decision.on_turn) == (1, 0, True)
    assert (decision.prompt, decision.move, decision.is_fallback) == (user.content, "1x3", False)
    (attempt,) = decision.attempts
    assert (attempt.outcome, attempt.answer, attempt.error) == (AttemptOutcome.LEGAL, "So be it. [1x3]", "")
    assert (attempt.prompt_tokens, attempt.completion_tokens) == (50, 5)
    assert attempt.latency_ms >= 0


def test_the_model_may_read_the_odds() -> None:
    model = ScriptedModel(lambda _: "[1x3]")
    LanguageModelBot(model, PERUDO, with_odds=True).act(seat_view())
    assert model.chats[0][1].content == turn_text(seat_view(), with_odds=True)


def test_an_unusable_answer_is_shown_again_with_the_reason() -> None:
    answers = ["", "[99x3]", "[1x3]"]
    model = ScriptedModel(answers.__getitem__)
    bot = LanguageModelBot(model, PERUDO)
    assert bot.act(seat_view()) == Bid(1, 3)
    said = [message.content for message in model.chats[-1][2:]]
    assert said[0] == "(no text)"
    assert said[1].startswith("That is no legal move: cannot read a move in ''")
    assert said[2] == "[99x3]"
    assert said[3].startswith("That is no legal move: the move 99x3 is not legal now; your legal moves: 1x2 to ")
    assert said[3].endswith(". Answer with one legal move in brackets.")
    assert [message.role for message in model.chats[-1][2:]] == ["assistant", "user"] * 2
    outcomes = [attempt.outcome for attempt in bot.decisions[0].attempts]
    assert outcomes == [AttemptOutcome.UNREADABLE, AttemptOutcome.ILLEGAL, AttemptOutcome.LEGAL]


@pytest.mark.parametrize("opening", [True, False])
def test_the_fallback_is_a_challenge_or_the_lowest_bid(opening: bool) -> None:
    model = ScriptedModel(lambda _: "hm")
    bot = LanguageModelBot(model, PERUDO)
    seen = seat_view(opening)
    expected = seen.may_bid[0] if opening else Challenge()
    assert bot.act(seen) == expected == fallback_move(seen)
    assert len(model.chats) == MAX_ATTEMPTS
    assert bot.decisions[0].is_fallback
    assert bot.decisions[0].move == move_text(expected)


def test_out_of_turn_the_fallback_lets_the_bid_stand() -> None:
    match = random_match(OFFICIAL, 3, 2)
    seen = next(
        view(state, seat)
        for state in bidding_states(match)
        for seat in range(3)
        if view(state, seat).may_challenge and seat != state.turn
    )
    bot = LanguageModelBot(ScriptedModel(lambda _: "hm"), OFFICIAL)
    assert bot.act(seen) is None
    assert bot.decisions[0].move == "silent"
    assert LanguageModelBot(ScriptedModel(lambda _: "[liar]"), OFFICIAL).act(seen) == Challenge()


def test_a_missing_answer_is_an_attempt_and_the_question_stays_the_same() -> None:
    model = ScriptedModel(lambda number: BotError("it gave no answer within 2 s") if number == 0 else "[1x3]")
    bot = LanguageModelBot(model, PERUDO)
    assert bot.act(seat_view()) == Bid(1, 3)
    assert model.chats[0] == model.chats[1]
    first, _ = bot.decisions[0].attempts
    assert (first.outcome, first.answer, first.error) == (
        AttemptOutcome.NO_ANSWER,
        None,
        "it gave no answer within 2 s",
    )


def test_a_model_that_never_answers_fails_for_good() -> None:
    model = ScriptedModel(lambda _: BotError("it gave no answer within 2 s"))
    bot = LanguageModelBot(model, PERUDO)
    result = play_match(PERUDO, [bot, "threshold"], seed=1)
    assert len(model.chats) == MAX_MISSING_ANSWERS
    assert str(bot.failure) == "the model gave no answer 6 times in a row: it gave no answer within 2 s"
    assert result.faults


def test_answers_in_between_keep_a_slow_model_in_play() -> None:
    model = ScriptedModel(lambda number: BotError("slow") if number % MAX_ATTEMPTS else "[liar]")
    bot = LanguageModelBot(model, PERUDO)
    result = play_match(PERUDO, [bot, "threshold"], seed=1)
    assert bot.failure is None
    assert not result.faults


def test_an_endpoint_that_refuses_is_a_failure_at_once() -> None:
    refusal = UnavailableError("the endpoint refused")
    bot = LanguageModelBot(ScriptedModel(lambda _: refusal), PERUDO)
    for _ in range(2):
        with pytest.raises(BotError, match="the endpoint refused"):
            bot.act(seat_view())
    assert bot.failure is refusal
    assert bot.decisions == []


@pytest.mark.parametrize("name", ["perudo", "official", "classic+reversa+calza", "chui-niu+lives", "snyd-stairs"])
def test_a_babbling_model_ends_every_match_without_a_fault(name: str) -> None:
    answers = ["liar", "five fours", "[2x2]", "no idea", "[clockwise]", "[silent]"]
    rules = preset(name).ruleset
    bot = LanguageModelBot(ScriptedModel(lambda number: answers[number % len(answers)]), rules)
    result = play_match(rules, [bot, "threshold", "threshold"], seed=3)
    assert not result.faults
    assert bot.decisions


CHAT = [ChatMessage("system", "rules"), ChatMessage("user", "turn")]
PROGRAM = """
import json, sys
for number, line in enumerate(sys.stdin):
    asked = json.loads(line)["messages"][-1]["content"]
    if asked == "exit":
        sys.exit(3)
    if asked == "hang":
        sys.stdin.read()
    print({"text": f"I doubt it {number}. [liar]", "list": '["liar"]',
           "json": '{"content": "First.\\\\nThen. [liar]", "completion_tokens": 5}'}.get(asked, asked), flush=True)
"""


def ask(model: ChatCommand, text: str) -> Completion:
    return model.complete([*CHAT, ChatMessage("user", text)])


def test_a_line_of_text_or_json_is_the_answer() -> None:
    model = ChatCommand([sys.executable, "-I", "-S", "-c", PROGRAM], 60.0)
    assert ask(model, "text") == Completion("I doubt it 0. [liar]")
    assert ask(model, "json") == Completion("First.\nThen. [liar]", None, 5)
    assert ask(model, "list") == Completion('["liar"]')
    assert ask(model, "text") == Completion("I doubt it 3. [liar]")
    model.close()


def test_a_program_that_ends_is_started_again() -> None:
    model = ChatCommand([sys.executable, "-I", "-S", "-c", PROGRAM], 60.0)
    with pytest.raises(BotError, match="it ended with status 3"):
        ask(model, "exit")
    assert ask(model, "text") == Completion("I doubt it 0. [liar]")
    model.close()


def test_a_program_that_takes_too_long_gives_no_answer() -> None:
    model = ChatCommand([sys.executable, "-I", "-S", "-c", PROGRAM], 0.2)
    with pytest.raises(BotError, match=r"it gave no answer within 0\.2 s"):
        ask(model, "hang")
    model.close()


def test_a_program_that_is_not_there_gives_no_answer() -> None:
    model = ChatCommand(["no-such-program-anywhere"], 1.0)
    with pytest.raises(BotError, match="it could not be started"):
        ask(model, "text")
    model.close()


KEY = "sk-very-secret"


def chat_endpoint_ask(script: Script, waits: list[float], timeout_s: float = 20.0, key: str = "") -> Completion:
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
    assert chat_endpoint_ask(lambda number, _: busy[number] if number < len(busy) else "[liar]", waits).text == "[liar]"
    assert waits == [9.0, BACKOFF_S[1], BACKOFF_S[2]]


def test_an_endpoint_that_stays_busy_is_given_up() -> None:
    waits: list[float] = []
    with pytest.raises(UnavailableError, match="gave no answer in 6 tries; the last one: status 429: too many"):
        chat_endpoint_ask(lambda *_: Raw(429, b"too many"), waits)
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
        chat_endpoint_ask(lambda *_: script, [], timeout_s=0.3)


def test_a_refused_request_ends_at_once_and_its_error_does_not_have_the_key() -> None:
    waits: list[float] = []
    with pytest.raises(UnavailableError, match=r"refused a request with status 401: no such key: \*\*\*") as refusal:
        chat_endpoint_ask(lambda *_: Raw(401, f"no such key: {KEY}".encode()), waits, key=KEY)
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
        chat_endpoint_ask(lambda *_: Raw(200, body), [])


def test_a_completion_without_text_is_empty() -> None:
    body = b'{"choices": [{"message": {"content": null}}]}'
    assert chat_endpoint_ask(lambda *_: Raw(200, body), []) == Completion("")


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
