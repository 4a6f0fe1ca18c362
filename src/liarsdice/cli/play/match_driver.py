"""One human and some bots at one table: what is awaited next, and the steps that answer it.

Every step is saved before it is told, and told as the human's seat learns of it: what comes out of here can be shown.
"""

from __future__ import annotations

from contextlib import ExitStack
from enum import Enum
from pathlib import Path

from liarsdice.cli.play.saved_match import Save, Seats
from liarsdice.cli.play.seats import make_bots
from liarsdice.core.actions import Action, ChooseStarter, PlayerAction
from liarsdice.core.bids.notation import one_line
from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import SeenEvent, View, seen
from liarsdice.core.errors import LiarsDiceError
from liarsdice.core.rules.choices import PenaltyTrigger, StarterMethod
from liarsdice.core.text.narration import Voice
from liarsdice.play.dealer import Dealer
from liarsdice.play.match import Match
from liarsdice.play.referee import Referee


class Awaits(Enum):
    """What the table waits for."""

    DEALER = "dealer"
    STARTER = "starter"
    YOU = "you"
    WINDOW = "window"
    BOTS = "bots"
    OVER = "over"


class Game:
    """A match in progress, as the human sees and plays it.

    `told` is all that the human has learnt, `view` what the human sees now; `wildness_over`: whether the latest step
    was a bid after which the special face is no longer wild in this round.
    """

    def __init__(self, match: Match, seats: Seats, save: Save) -> None:
        self.seats = seats
        self.you = seats.you
        self._match = match
        self._save = save
        self._visit = ExitStack()
        self._referee = self._visit.enter_context(Referee(match, make_bots(seats, len(match.events))))
        self._stood = self._polled = (0, 0)
        self.wildness_over = False
        self.told: list[SeenEvent] = [seen(event, self.you) for event in match.events]

    @property
    def view(self) -> View:
        """The match as the human sees it now."""
        return self._match.view(self.you)

    @property
    def voice(self) -> Voice:
        """How the match is told to the human."""
        return Voice(self._match.state.ruleset, self._match.state.names, self.you)

    @property
    def awaits(self) -> Awaits:
        """What must happen next."""
        view = self.view
        if view.phase is Phase.OVER:
            return Awaits.OVER
        if view.phase is Phase.STARTER and view.ruleset.first_starter.method is StarterMethod.CHOSEN:
            return Awaits.STARTER
        if view.phase is not Phase.BIDDING:
            return Awaits.DEALER
        may_call = view.may_challenge or view.may_call_exact
        if may_call and not view.on_turn and self._stood != self._place:
            return Awaits.WINDOW
        if view.on_turn and (not view.bids or self._polled == self._place):
            return Awaits.YOU
        return Awaits.BOTS

    def deal(self) -> list[SeenEvent]:
        """Let the dealer roll. The dice depend on the seed and the place in the match, resumed or not."""
        self._match.dealer = self._dealer()
        return self._do(None, self._match.dealer.action(self._match.state))

    def choose_starter(self, seat: int | None) -> list[SeenEvent]:
        """Say who opens the first round; None draws lots."""
        return self.deal() if seat is None else self._do(None, ChooseStarter(seat))

    def act(self, action: PlayerAction) -> list[SeenEvent]:
        """Do what the human wants. Raises as the engine does, and then nothing has changed.

        A call out of turn is made in the same instant as those of the bots: one of them may be first.
        """
        if self.awaits is Awaits.WINDOW:
            decide(self._match.state, self.you, action)
            first = self._referee.answer({self.you: action})
            assert first is not None
            return self._do(*first)
        return self._do(self.you, action)

    def penalise(self, trigger: PenaltyTrigger) -> list[SeenEvent]:
        """Report a house penalty upon the human."""
        return self._do(self.you, self._dealer().penalty(self._match.state, self.you, trigger))

    def let_stand(self) -> list[SeenEvent]:
        """Let the standing bid pass without a call out of turn."""
        self._stood = self._place
        return []

    def bots_act(self) -> list[SeenEvent]:
        """Let the bots do one thing; nothing happens when none of them calls and the human is on turn."""
        answer = self._referee.answer()
        if answer is None:
            self._polled = self._place
            return []
        return self._do(*answer)

    def faults(self) -> list[str]:
        """What bots did wrong since this was last asked."""
        told = [self._referee.fault_text(fault) for fault in self._referee.faults]
        self._referee.faults.clear()
        return told

    def refusal(self, error: LiarsDiceError) -> str:
        """Why the engine refused the human, who is spoken to."""
        name, text = self.view.names[self.you], str(error)
        return f"you{text.removeprefix(name)}" if text.startswith(f"{name} may not ") else text

    def line(self) -> str:
        """The match on one line."""
        return one_line(self._match.events)

    @property
    def path(self) -> Path:
        """Where the match is kept."""
        return self._save.path

    def close(self) -> None:
        """Leave the table, the bots too; the save stays."""
        self._visit.close()
        self._save.close()

    def _do(self, seat: int | None, action: Action) -> list[SeenEvent]:
        were_wild = self._match.state.wilds_count
        happened = self._match.act(seat, action)
        still_bidding = self._match.state.phase is Phase.BIDDING
        self.wildness_over = were_wild and still_bidding and not self._match.state.wilds_count
        self._save.append(happened)
        told = [seen(event, self.you) for event in happened]
        self.told += told
        return told

    def _dealer(self) -> Dealer:
        return Dealer(f"{self.seats.seed}/{len(self._match.events)}")

    @property
    def _place(self) -> tuple[int, int]:
        state = self._match.state
        return state.round_number, len(state.bids)
