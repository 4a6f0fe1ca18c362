"""A bot that plays as a language model answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from liarsdice.bots.external.language_model import (
    MAX_ATTEMPTS,
    MAX_MISSING_ANSWERS,
    AttemptOutcome,
    ChatMessage,
    Completion,
    LanguageModelBot,
    fallback_move,
)
from liarsdice.bots.protocol import BotError
from liarsdice.core.actions import Challenge
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.text.turn_text import move_text, rules_text, turn_text
from liarsdice.play.match_runner import play_match
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
