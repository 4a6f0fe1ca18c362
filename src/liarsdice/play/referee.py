"""The referee of a match with bots: asks them for moves, resolves simultaneous calls and penalises faults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Self

import msgspec

from liarsdice.bots.protocol import Bot, BotError, MatchLifecycle
from liarsdice.core.actions import (
    MOVES,
    Action,
    AnswerDouble,
    Challenge,
    ChallengePass,
    ChooseKind,
    Exact,
    PlayerAction,
)
from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.legal import callers_out_of_turn, legal_bids
from liarsdice.core.engine.settle import first_caller
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import View
from liarsdice.core.errors import LiarsDiceError, described, printable
from liarsdice.core.events import Event
from liarsdice.core.rules.choices import Answer, RoundKind
from liarsdice.play.match import Match

FORCED_CALLS: dict[PlayerAction, str] = {
    Challenge(): "challenge the bid",
    ChallengePass(): "doubt the pass",
    AnswerDouble(Answer.ACCEPT): "accept the challenge",
    ChooseKind(RoundKind.CLOSED): "choose a closed round",
}
"""The calls and answers that a bot has to make after a fault, in words."""

MAX_QUOTE_LENGTH = 200
"""Characters of a bot's error or answer that a fault quotes."""


class Fault(msgspec.Struct, frozen=True):
    """A fault of a bot: its seat, the round, and a clause that says what was wrong."""

    seat: int
    round_number: int
    reason: str


class Referee:
    """Plays the bots' part of a match; people play the seats without a bot.

    Whenever a bid stands, the referee asks each bot out of turn that may call it once. Their calls and that of the
    player on turn count as simultaneous; `first_caller` says which one stands.

    A bot commits a fault if it raises, answers with an illegal move, or answers None on its turn. On its turn it then
    has to challenge the standing bid, or to make the lowest legal bid where no bid stands; if the bid is its own, it
    has to doubt the pass before it. Out of turn its answer is ignored. Faults are collected in `faults`. Everything
    that a bot raises is a fault, `SystemExit` included; only `KeyboardInterrupt` propagates.

    Use the referee in a `with` block for bots that implement `MatchLifecycle`: the block starts and ends the match for
    them.
    """

    def __init__(self, match: Match, bots: Mapping[int, Bot]) -> None:
        self.match = match
        self.bots = dict(bots)
        self.faults: list[Fault] = []
        self._polled_at = -1  # the length of the event log when bots were last asked out of turn

    def __enter__(self) -> Self:
        """Call `on_start` of each bot that implements `MatchLifecycle`."""
        for seat, bot in self.bots.items():
            if isinstance(bot, MatchLifecycle):
                self._notify(seat, bot.on_start, "as it sat down")
        return self

    def __exit__(self, *_: object) -> None:
        for seat, bot in self.bots.items():
            if isinstance(bot, MatchLifecycle):
                self._notify(seat, bot.on_end, "as it left")

    def play(self) -> None:
        """Play on until the match is over or waits for a person."""
        while self.step() is not None:
            pass

    def step(self, calls: Mapping[int, PlayerAction] | None = None) -> list[Event] | None:
        """Do the next action that needs no person, the dealer's included, and return its events.

        Returns None if the match is over or waits for a person. `calls`: what people call at this moment, by seat.
        """
        if self.match.is_over:
            return None
        if self.match.waits_for_dealer:
            return self.match.deal()
        seat_and_action = self.next_action(calls)
        return None if seat_and_action is None else self.match.act(*seat_and_action)

    def next_action(self, calls: Mapping[int, PlayerAction] | None = None) -> tuple[int, PlayerAction] | None:
        """Return the seat and the action that `step` would apply during the bidding, without applying it.

        Returns None outside the bidding and where a person has to act. Asks bots, so it may add faults. `calls`: legal
        challenges and exact calls of people at this moment, by seat.
        """
        state = self.match.state
        if state.phase is not Phase.BIDDING:
            return None
        all_calls = dict(calls or {})
        if self._polled_at != len(self.match.events):
            self._polled_at = len(self.match.events)
            all_calls |= self._calls_out_of_turn(excluded=all_calls)
        turn = state.turn
        move = self._move_on_turn(turn) if turn in self.bots and turn not in all_calls else None
        if isinstance(move, Challenge | Exact):
            all_calls[turn] = move
        if all_calls:
            caller = first_caller(state, tuple(all_calls))
            return caller, all_calls[caller]
        return None if move is None else (turn, move)

    def fault_text(self, fault: Fault) -> str:
        """Return a sentence about a fault that names the player."""
        name = self.match.state.names[fault.seat]
        return f"fault of {name} in round {fault.round_number}: {fault.reason}"

    def _calls_out_of_turn(self, *, excluded: Mapping[int, PlayerAction]) -> dict[int, PlayerAction]:
        """Ask the bots that may call out of turn, and return their calls by seat."""
        state = self.match.state
        calls: dict[int, PlayerAction] = {}
        for seat in sorted(set(callers_out_of_turn(state)) & self.bots.keys() - excluded.keys()):
            action, problem = self._ask(seat, on_turn=False)
            if problem is not None:
                self._add_fault(seat, f"{problem}; its answer is ignored")
            elif action is not None:
                calls[seat] = action
        return calls

    def _move_on_turn(self, seat: int) -> PlayerAction:
        """Ask the bot on turn, and return its move, or the forced move after a fault."""
        action, problem = self._ask(seat, on_turn=True)
        if problem is None and action is not None:
            return action
        forced = self._forced_move()
        description = FORCED_CALLS.get(forced) or f"bid {forced}"
        self._add_fault(seat, f"{problem}; it has to {description}")
        return forced

    def _forced_move(self) -> PlayerAction:
        state = self.match.state
        if state.doubled_by is not None:
            return AnswerDouble(Answer.ACCEPT)
        if state.kinds:
            return ChooseKind(state.kinds[0])
        if state.passer is not None and state.turn == state.bidder:
            return ChallengePass()  # nobody challenges their own bid
        return Challenge() if state.bids else legal_bids(state)[0]

    def _notify(self, seat: int, callback: Callable[[View], None], when: str) -> None:
        """Call a lifecycle method of a bot; what it raises is a fault."""
        try:
            callback(self.match.view(seat))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  as in `_ask`
            self._add_fault(seat, f"{_failure(error)} {when}")

    def _ask(self, seat: int, *, on_turn: bool) -> tuple[PlayerAction | None, str | None]:
        """Return the bot's action and None, or None and a clause that says what is wrong with its answer."""
        try:
            action = self.bots[seat].act(self.match.view(seat))
        except BotError as error:
            return None, str(error)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  a bot's failure must not end the match
            return None, _failure(error)
        if action is None:
            return None, "it gave no answer on its turn" if on_turn else None
        return action, self._problem(seat, action)

    def _problem(self, seat: int, action: Action) -> str | None:
        """Return why an action is no legal move; None if it is one."""
        if type(action) in MOVES:
            try:
                decide(self.match.state, seat, action)
            except LiarsDiceError as error:
                return str(error)
            except Exception:  # noqa: BLE001, S110  a move with fields of wrong types can break the engine's checks
                pass
            else:
                return None
        return f"it answered {_quoted(action)}, which is no move"

    def _add_fault(self, seat: int, reason: str) -> None:
        self.faults.append(Fault(seat, self.match.state.round_number, printable(reason)))


def _failure(error: BaseException) -> str:
    return f"it raised {type(error).__name__}: {_quoted(error)}"


def _quoted(value: object) -> str:
    """Return the text of an exception or the `repr` of anything else, shortened; both may fail in a bot's own class."""
    try:
        text = str(value) if isinstance(value, BaseException) else described(value)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001  as above
        return "something that cannot be shown"
    return text if len(text) <= MAX_QUOTE_LENGTH else text[:MAX_QUOTE_LENGTH] + "…"
