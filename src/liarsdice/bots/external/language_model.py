"""A bot that plays as a language model answers: it reads a turn as text, and its moves are read from its answers."""

from __future__ import annotations

import time

import msgspec

from liarsdice.bots.external.chat_model import ChatMessage, ChatModel
from liarsdice.bots.protocol import BotError
from liarsdice.core.actions import Challenge, ChallengePass, PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.errors import IllegalActionError, NotationError, UnavailableError
from liarsdice.core.rules.choices import Choice
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.answer import read_answer
from liarsdice.core.text.turn_text import move_text, rules_text, turn_text

MAX_ATTEMPTS = 3
"""How often a model is asked for one decision. After that the fallback is played."""
MAX_MISSING_ANSWERS = 6
"""So many questions in a row without an answer end the run: the model has failed."""
MAX_QUOTED_ANSWER = 20_000
"""How many characters of an unusable answer, counted from its end, the model is shown again."""
INSTRUCTION = "You play a match by the following rules, and want to win it."


class AttemptOutcome(Choice):
    """What came of a question: a legal move, an illegal one, a text without a move, or no answer in time."""

    LEGAL = "legal"
    ILLEGAL = "illegal"
    UNREADABLE = "unreadable"
    NO_ANSWER = "no_answer"


class Attempt(msgspec.Struct, frozen=True, omit_defaults=True):
    """One question for a move. `answer`: None without one. `error`: what the model was told, "" after a legal move.

    `latency_ms`: how long the answer took, repeated requests included.
    """

    outcome: AttemptOutcome
    answer: str | None
    latency_ms: float
    error: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class ModelDecision(msgspec.Struct, frozen=True, kw_only=True):
    """One decision of a model: the text that it read, the attempts, and the move that was played.

    `bid_count`: the bids of the round before it. `move`: in notation, `silent` for a bid that it let stand.
    `is_fallback`: whether no attempt named a legal move.
    """

    round_number: int
    bid_count: int
    on_turn: bool
    prompt: str
    attempts: tuple[Attempt, ...]
    move: str
    is_fallback: bool


class LanguageModelBot:
    """A bot that asks a model for every move, each time in a new chat: the rules, then what the seat sees.

    After an unusable answer the model reads why, and what is legal. After `MAX_ATTEMPTS` of them the fallback is
    played: a challenge if one is legal on its turn, else the lowest bid; out of turn, the bid stands. `decisions`: all
    decisions so far. `failure`: why the model cannot be asked any more, None while it can; every move is a fault then.
    """

    def __init__(self, model: ChatModel, rules: Ruleset, *, with_odds: bool = False) -> None:
        self.model = model
        self.with_odds = with_odds
        self.system_prompt = f"{INSTRUCTION}\n\n{rules_text(rules)}"
        self.decisions: list[ModelDecision] = []
        self.failure: UnavailableError | None = None
        self._missing_answers = 0

    def act(self, view: View) -> PlayerAction | None:
        """Return the model's move, or the fallback. Raises `BotError` after a failure."""
        prompt = turn_text(view, with_odds=self.with_odds)
        messages = [ChatMessage("system", self.system_prompt), ChatMessage("user", prompt)]
        attempts: list[Attempt] = []
        move: PlayerAction | None = None
        while len(attempts) < MAX_ATTEMPTS:
            attempt, move = self._attempt(messages, view)
            attempts.append(attempt)
            if attempt.outcome is AttemptOutcome.LEGAL:
                break
            if attempt.answer is not None:
                quoted = attempt.answer[-MAX_QUOTED_ANSWER:].strip() or "(no text)"
                messages += [ChatMessage("assistant", quoted), ChatMessage("user", attempt.error)]
        is_fallback = attempts[-1].outcome is not AttemptOutcome.LEGAL
        if is_fallback:
            move = fallback_move(view)
        self.decisions.append(
            ModelDecision(
                round_number=view.round_number,
                bid_count=len(view.bids),
                on_turn=view.on_turn,
                prompt=prompt,
                attempts=tuple(attempts),
                move=move_text(move),
                is_fallback=is_fallback,
            )
        )
        return move

    def _attempt(self, messages: list[ChatMessage], view: View) -> tuple[Attempt, PlayerAction | None]:
        """Ask once, and return what came of it, with the move if it is legal."""
        if self.failure is not None:
            raise BotError(str(self.failure))
        started_ns = time.perf_counter_ns()
        try:
            completion = self.model.complete(messages)
        except BotError as error:
            self._missing_answers += 1
            if self._missing_answers >= MAX_MISSING_ANSWERS:
                reason = f"the model gave no answer {MAX_MISSING_ANSWERS} times in a row: {error}"
                self.failure = UnavailableError(reason)
            return Attempt(AttemptOutcome.NO_ANSWER, None, _ms_since(started_ns), str(error)), None
        except UnavailableError as error:
            self.failure = error
            raise BotError(str(error)) from error
        latency_ms = _ms_since(started_ns)
        self._missing_answers = 0
        outcome, reason, move = AttemptOutcome.LEGAL, "", None
        try:
            move = read_answer(completion.text, view)
        except NotationError as error:
            outcome, reason = AttemptOutcome.UNREADABLE, str(error)
        except IllegalActionError as error:
            outcome, reason = AttemptOutcome.ILLEGAL, str(error)
        error_text = f"That is no legal move: {reason}. Answer with one legal move in brackets." if reason else ""
        tokens = completion.prompt_tokens, completion.completion_tokens
        return Attempt(outcome, completion.text, latency_ms, error_text, *tokens), move


def fallback_move(view: View) -> PlayerAction | None:
    """Return the move in place of unusable answers: a challenge, else the lowest bid; None out of turn.

    If all others have passed, the bidder is on turn again: it cannot challenge its own bid, and doubts the latest pass
    if there is no higher bid.
    """
    if not view.on_turn:
        return None
    if view.may_challenge:
        return Challenge()
    return view.may_bid[0] if view.may_bid else ChallengePass()


def _ms_since(started_ns: int) -> float:
    return round((time.perf_counter_ns() - started_ns) / 1e6, 3)
