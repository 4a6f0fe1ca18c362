"""The one who sits bots at a match: asks them, settles who was first, and makes a bot that misplays lose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Self

import msgspec

from liarsdice.bots.protocol import Bot, GaveUpError, Visitor
from liarsdice.core.actions import MOVES, Action, Challenge, Exact, PlayerAction
from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.legal import challengers, exact_callers, legal_bids
from liarsdice.core.engine.settle import first_call
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import View
from liarsdice.core.errors import LiarsDiceError, printable
from liarsdice.core.events import Event
from liarsdice.play.match import Match

LONGEST_QUOTE = 200


class Fault(msgspec.Struct, frozen=True):
    """A misplay of a bot: its seat, the round, and what was wrong."""

    seat: int
    round_number: int
    reason: str


class Referee:
    """Plays the bots' part of a match; seats without a bot are people's.

    Whenever a bid stands, bots out of turn that may call it are asked once; with the call of the player on turn they
    count as made in the same instant (`first_call`). A bot that fails to answer by the rules on its turn, by raising,
    by None or by an illegal move, is made to challenge the standing bid or, where there is none, to make the lowest
    legal bid; out of turn its answer is ignored. Either way it is a fault, and kept in `faults`. Whatever a bot raises,
    `SystemExit` too, is its own failure; only `KeyboardInterrupt` is not meant for it.

    Bots that hold something for the length of a match, such as a process, need the referee in a `with` block.
    """

    def __init__(self, match: Match, bots: Mapping[int, Bot]) -> None:
        self.match = match
        self.bots = dict(bots)
        self.faults: list[Fault] = []
        self._asked_at = -1

    def __enter__(self) -> Self:
        """Let bots that want to know that a match begins; the end of the block is the end of the match for them."""
        for seat, bot in self.bots.items():
            if isinstance(bot, Visitor):
                self._tell(seat, bot.arrive, "as it sat down")
        return self

    def __exit__(self, *_: object) -> None:
        for seat, bot in self.bots.items():
            if isinstance(bot, Visitor):
                self._tell(seat, bot.leave, "as it left")

    def step(self, calls: Mapping[int, PlayerAction] | None = None) -> list[Event] | None:
        """Do the one next thing that needs no person, the dealer's part included, and return what happened.

        None when the match is over or a person's turn. `calls` are what people at the table call at this moment.
        """
        if self.match.over:
            return None
        if self.match.waits_for_dealer:
            return self.match.deal()
        answer = self.answer(calls)
        return None if answer is None else self.match.act(*answer)

    def answer(self, calls: Mapping[int, PlayerAction] | None = None) -> tuple[int, PlayerAction] | None:
        """What `step` would do while bids are made, and in whose name, for those who act on the match themselves.

        `calls`: challenges and exact calls of people, legal ones, by seat.
        """
        state = self.match.state
        if state.phase is not Phase.BIDDING:
            return None
        made = dict(calls or {})
        if self._asked_at != len(self.match.events):
            self._asked_at = len(self.match.events)
            made |= self._calls_out_of_turn(without=made)
        turn = state.turn
        own = self._on_turn(turn) if turn in self.bots and turn not in made else None
        if isinstance(own, Challenge | Exact):
            made[turn] = own
        if made:
            first = first_call(state, tuple(made))
            return first, made[first]
        return None if own is None else (turn, own)

    def fault_text(self, fault: Fault) -> str:
        """A warning for those who watch."""
        name = self.match.state.names[fault.seat]
        return f"{name} misplayed in round {fault.round_number}: {fault.reason}"

    def _calls_out_of_turn(self, *, without: Mapping[int, PlayerAction]) -> dict[int, PlayerAction]:
        state = self.match.state
        may = {*challengers(state), *exact_callers(state)} - {state.turn}
        found: dict[int, PlayerAction] = {}
        for seat in sorted(may & self.bots.keys() - without.keys()):
            action, wrong = self._ask(seat, on_turn=False)
            if wrong is not None:
                self._fault(seat, f"{wrong}; its answer is ignored")
            elif action is not None:
                found[seat] = action
        return found

    def _on_turn(self, seat: int) -> PlayerAction:
        action, wrong = self._ask(seat, on_turn=True)
        if wrong is None and action is not None:
            return action
        instead: PlayerAction = Challenge() if self.match.state.bids else legal_bids(self.match.state)[0]
        made = "challenge the bid" if isinstance(instead, Challenge) else f"bid {instead}"
        self._fault(seat, f"{wrong}; it has to {made}")
        return instead

    def _tell(self, seat: int, tell: Callable[[View], None], when: str) -> None:
        """Let a bot know something that wants no answer."""
        try:
            tell(self.match.view(seat))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  as in `_ask`
            self._fault(seat, f"{_broke_down(error)} {when}")

    def _ask(self, seat: int, *, on_turn: bool) -> tuple[PlayerAction | None, str | None]:
        """The answer of a bot, or what is wrong with it."""
        try:
            action = self.bots[seat].act(self.match.view(seat))
        except GaveUpError as error:
            return None, str(error)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  whatever a bot does wrong is its own loss
            return None, _broke_down(error)
        if action is None:
            return None, "it gave no answer on its turn" if on_turn else None
        return action, self._objection(seat, action)

    def _objection(self, seat: int, action: Action) -> str | None:
        if type(action) in MOVES:
            try:
                decide(self.match.state, seat, action)
            except LiarsDiceError as error:
                return str(error)
            except Exception:  # noqa: BLE001, S110  a move of parts that nothing can be done with, even to refuse them
                pass
            else:
                return None
        return f"it answered {_quoted(action)}, which is no move"

    def _fault(self, seat: int, reason: str) -> None:
        self.faults.append(Fault(seat, self.match.state.round_number, printable(reason)))


def _broke_down(error: BaseException) -> str:
    return f"it broke down with {type(error).__name__}: {_quoted(error)}"


def _quoted(thing: object) -> str:
    try:
        text = str(thing) if isinstance(thing, BaseException) else repr(thing)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001  as above
        return "something that cannot be shown"
    return text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE] + "…"
