"""Drives a match between one human and bots: what comes next, and the steps that do it.

Each step is saved before it is returned. All events and views are those of the human's seat, so they can be shown.
"""

from __future__ import annotations

from contextlib import ExitStack
from enum import Enum
from pathlib import Path

from liarsdice.cli.play.saved_match import SavedMatch, Seats, make_bots
from liarsdice.core.actions import Action, ChooseStarter, PlayerAction
from liarsdice.core.bids.notation import notate_match
from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import EventView, View, event_view
from liarsdice.core.errors import LiarsDiceError
from liarsdice.core.rules.choices import StarterMethod
from liarsdice.core.rules.meaning import has_pure_bids
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.text.narration import Narrator
from liarsdice.play.match import Dealer, Match
from liarsdice.play.referee import Referee


class NextStep(Enum):
    """What must happen next in a match."""

    DEAL = "deal"
    CHOOSE_STARTER = "choose_starter"
    OWN_TURN = "own_turn"
    CALL_OUT_OF_TURN = "call_out_of_turn"
    BOTS = "bots"
    OVER = "over"


class MatchDriver:
    """A match in progress, as the human sees and plays it.

    `events` are all events that the human has seen, `view` is what the human sees now. `wilds_just_ended` is true if
    the latest step was a bid after which the special face is not wild for the rest of the round.
    """

    def __init__(self, match: Match, seats: Seats, saved_match: SavedMatch) -> None:
        self.seats = seats
        self.you = seats.you
        self._match = match
        self._saved_match = saved_match
        self._cleanup = ExitStack()
        self._referee = self._cleanup.enter_context(Referee(match, make_bots(seats, len(match.events))))
        self._declined_at = self._bots_declined_at = (0, 0)
        self.wilds_just_ended = False
        self.events: list[EventView] = [event_view(event, self.you) for event in match.events]

    @property
    def view(self) -> View:
        """The match as the human sees it now."""
        return self._match.view(self.you)

    @property
    def narrator(self) -> Narrator:
        """The narrator that addresses the human."""
        return Narrator(self._match.state.ruleset, self._match.state.names, self.you)

    @property
    def next_step(self) -> NextStep:
        """What must happen next."""
        view = self.view
        if view.phase is Phase.OVER:
            return NextStep.OVER
        if view.phase is Phase.STARTER and view.ruleset.first_starter.method is StarterMethod.CHOSEN:
            return NextStep.CHOOSE_STARTER
        if view.phase is not Phase.BIDDING:
            return NextStep.DEAL
        if view.moves and not view.on_turn and self._declined_at != self._position:
            return NextStep.CALL_OUT_OF_TURN
        if view.on_turn and (not view.bids or self._bots_declined_at == self._position):
            return NextStep.OWN_TURN
        return NextStep.BOTS

    def deal(self) -> list[EventView]:
        """Let the dealer roll and return the events.

        The dice depend on the seed and on the number of events before them, so a resumed match gets the same dice.
        """
        self._match.dealer = self._dealer()
        return self._act(None, self._match.dealer.action(self._match.state))

    def choose_starter(self, seat: int | None) -> list[EventView]:
        """Let a seat open the first round, or draw lots if `seat` is None. Returns the events."""
        return self.deal() if seat is None else self._act(None, ChooseStarter(seat))

    def act(self, action: PlayerAction) -> list[EventView]:
        """Make the human's move and return the events. Raises what `decide` raises, and then changes nothing.

        A call out of turn is made at the same moment as those of the bots, so a bot's call may come first.
        """
        if self.next_step is NextStep.CALL_OUT_OF_TURN:
            decide(self._match.state, self.you, action)
            first = self._referee.next_action({self.you: action})
            assert first is not None
            return self._act(*first)
        return self._act(self.you, action)

    def report_penalty(self, penalty: Penalty) -> list[EventView]:
        """Report a penalty that the human owes and return the events."""
        trigger, offence = penalty.punishes
        return self._act(self.you, self._dealer().penalty(self._match.state, self.you, trigger, offence=offence))

    def let_bid_stand(self) -> list[EventView]:
        """Decline to call the standing bid out of turn. Returns no events."""
        self._declined_at = self._position
        return []

    def bots_act(self) -> list[EventView]:
        """Let the bots do one thing and return the events: none if no bot calls and the human is on turn."""
        bot_action = self._referee.next_action()
        if bot_action is None:
            self._bots_declined_at = self._position
            return []
        return self._act(*bot_action)

    def faults(self) -> list[str]:
        """Return a sentence for each fault of a bot since the last call."""
        sentences = [self._referee.fault_text(fault) for fault in self._referee.faults]
        self._referee.faults.clear()
        return sentences

    def error_text(self, error: LiarsDiceError) -> str:
        """Return the engine's message for an illegal move, with the human addressed as "you"."""
        name, text = self.view.names[self.you], str(error)
        return f"you{text.removeprefix(name)}" if text.startswith(f"{name} may not ") else text

    def line(self) -> str:
        """Return the match in notation, on one line."""
        return notate_match(self._match.events)

    @property
    def path(self) -> Path:
        """The file that holds the record of the match."""
        return self._saved_match.path

    def close(self) -> None:
        """Close the bots and the record file. The file stays."""
        self._cleanup.close()
        self._saved_match.close()

    def _act(self, seat: int | None, action: Action) -> list[EventView]:
        were_wild = self._match.state.wilds_count
        events = self._match.act(seat, action)
        still_bidding = self._match.state.phase in (Phase.BIDDING, Phase.ROLL_AGAIN)
        until_round_ends = not has_pure_bids(self._match.state.ruleset)
        self.wilds_just_ended = were_wild and still_bidding and until_round_ends and not self._match.state.wilds_count
        self._saved_match.append(events)
        event_views = [event_view(event, self.you) for event in events]
        self.events += event_views
        return event_views

    def _dealer(self) -> Dealer:
        return Dealer(f"{self.seats.seed}/{len(self._match.events)}")

    @property
    def _position(self) -> tuple[int, int]:
        """The round and the number of bids in it; it changes with each bid."""
        state = self._match.state
        return state.round_number, len(state.bids)
