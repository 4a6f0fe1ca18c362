"""The full-screen application of `liarsdice play`: runs a match step by step, with pauses so that one can follow."""

from __future__ import annotations

import sys

from rich.text import Text
from textual.app import App
from textual.binding import Binding

from liarsdice.cli.play import panels
from liarsdice.cli.play.line_mode import (
    count_text,
    late_call_message,
    mustache_symbol,
    placings_text,
    wilds_off_message,
)
from liarsdice.cli.play.match_driver import MatchDriver, NextStep
from liarsdice.cli.play.panels import ChoiceDialog, TextPage
from liarsdice.cli.play.session import MENU, Session, menu_line
from liarsdice.cli.play.table import LetBidStand, ReportPenalty, TableScreen
from liarsdice.cli.stdio import EXIT_STREAM_ERROR, is_hung_up
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import EventView, View
from liarsdice.core.errors import IllegalActionError, LiarsDiceError, MalformedError
from liarsdice.core.events import (
    BidMade,
    Challenged,
    DirectionSet,
    DoubleAnswered,
    Doubled,
    ExactCalled,
    KindChosen,
    MatchEnded,
    PassChallenged,
    Rerolled,
    Revealed,
    RoundStarted,
    SpecialDeclared,
    StarterFound,
    StarterRolled,
)
from liarsdice.core.text.narration import (
    narrate,
    out_word,
    penalty_reason,
    stakes_sentence,
    stakes_words,
    summarise_call,
)

PACE_S = 0.8
CALL_TIMEOUT_S = 3.0
"""How long the table waits for a call out of turn before the match continues."""

HANG_UP_CHECK_S = 1.0
"""How often the application looks whether its terminal is gone."""

PAUSED_STEPS = (NextStep.BOTS, NextStep.DEAL)
"""The steps before which the table pauses; before the others it waits for the player anyway."""


class PlayApp(App[str]):
    """The full-screen application.

    `closing_lines` are to be printed after it has ended, and `failure` is the error that ended it, if any.
    """

    CSS_PATH = "screen.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = [Binding("ctrl+c,ctrl+q", "quit", "quit", show=False, priority=True)]  # noqa: RUF012  as textual does

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.driver: MatchDriver | None = None
        self.table = TableScreen()
        self.table.fast = session.options.fast
        self.closing_lines: list[str] = []
        self.failure: LiarsDiceError | None = None
        self.mistake: str | None = None

    async def on_mount(self) -> None:
        """Show the table and start the session."""
        await self.push_screen(self.table)
        if not self.is_headless and sys.__stdin__ is not None:
            self.set_interval(HANG_UP_CHECK_S, self._end_if_hung_up)
        self.run_worker(self._play(), exclusive=True)

    def _end_if_hung_up(self) -> None:
        """End the application if its terminal is gone and no signal has said so, as after `make` in a closed window.

        Its input would be at an end for ever, and reading that takes half a processor.
        """
        assert sys.__stdin__ is not None
        if is_hung_up(sys.__stdin__.fileno()):
            self.exit(return_code=EXIT_STREAM_ERROR)

    async def _play(self) -> None:
        try:
            rules = None
            if self.session.needs_rules:
                lines = list(map(menu_line, MENU))
                chosen = await self.push_screen_wait(
                    ChoiceDialog("Which game?", lines, hint="Enter chooses, Esc quits")
                )
                if chosen is None:
                    self.exit()
                    return
                rules = list(MENU)[chosen]
            self.driver = self.session.start(rules)
            for notice in self.session.notices:
                self.table.add_log_line(f"! {notice}")
            while await self._play_match(self.driver):
                self.driver = self.session.rematch(self.driver)
        except LiarsDiceError as error:
            self.failure = error
        self.exit()

    async def _play_match(self, driver: MatchDriver) -> bool:
        """Play a match and return whether the player wants a rematch."""
        table = self.table
        table.reveal = table.message = None
        table.show_view(driver.view, driver.narrator)
        self._log_earlier_events(driver)
        while (step := driver.next_step) is not NextStep.OVER:
            match step:
                case NextStep.DEAL:
                    await self._show_events(driver, driver.deal())
                case NextStep.CHOOSE_STARTER:
                    await self._show_events(driver, driver.choose_starter(await self._ask_starter(driver)))
                case NextStep.OWN_TURN | NextStep.CALL_OUT_OF_TURN:
                    await self._ask_human(driver, on_turn=step is NextStep.OWN_TURN)
                case NextStep.BOTS:
                    await self._show_events(driver, driver.bots_act())
        return await self._show_result(driver)

    def _log_earlier_events(self, driver: MatchDriver) -> None:
        """Log the start of the match, and the current round of a resumed match."""
        narrator, round_start = driver.narrator, 0
        for index, event in enumerate(driver.events):
            if isinstance(event, RoundStarted):
                round_start = index
        self.table.add_log_line(narrate(driver.events[0], narrator))
        if round_start:
            self.table.add_log_line("The match continues.")
        for event in driver.events[max(round_start, 1) :]:
            self.table.add_log_line(narrate(event, narrator))

    async def _ask_starter(self, driver: MatchDriver) -> int | None:
        """Ask who opens the first round. Returns a seat, or None for a draw of lots."""
        entries = ["Draw lots", *map(driver.narrator.list_name, range(len(driver.narrator.names)))]
        chosen = await self.push_screen_wait(ChoiceDialog("Who starts?", entries, hint="Enter chooses, Esc draws lots"))
        return chosen - 1 if chosen else None

    async def _ask_human(self, driver: MatchDriver, *, on_turn: bool) -> None:
        """Ask the player once and act. An illegal answer sets `mistake`, and the caller asks again."""
        table = self.table
        self._set_prompt(driver.view, on_turn=on_turn)
        answer = await table.ask(on_turn=on_turn, timeout_s=None if on_turn or table.fast else CALL_TIMEOUT_S)
        try:
            match answer:
                case LetBidStand():
                    driver.let_bid_stand()
                case ReportPenalty():
                    await self._ask_penalty(driver)
                case _:
                    await self._show_events(driver, driver.act(answer), own=True)
        except (IllegalActionError, MalformedError) as error:
            self.mistake = driver.error_text(error)

    def _set_prompt(self, view: View, *, on_turn: bool) -> None:
        if self.mistake is not None:
            self.table.set_prompt(f"! {self.mistake}")
            self.mistake = None
        elif on_turn:
            opening = "You open the round." if view.bid is None else "Your turn."
            self.table.set_prompt(opening, *(["No higher bid is left."] if not view.may_bid else []))
        else:
            factor = view.ruleset.loss.out_of_turn_factor
            stakes = [stakes_sentence(factor)] if factor > 1 and view.may_challenge else []
            self.table.set_prompt("Call out of turn?", *stakes, "Enter: let the bid stand.", "Space: take your time.")

    async def _ask_penalty(self, driver: MatchDriver) -> None:
        rules = driver.view.ruleset
        penalties = rules.penalties
        reasons = [(penalty_reason(*penalty.punishes), stakes_words(rules, penalty.dice)) for penalty in penalties]
        entries = [f"{reason[:1].upper()}{reason[1:]}: {cost}" for reason, cost in reasons]
        chosen = await self.push_screen_wait(ChoiceDialog("Which penalty do you owe?", [*entries, "None"]))
        if chosen is not None and chosen < len(penalties):
            await self._show_events(driver, driver.report_penalty(penalties[chosen]), own=True)

    async def _show_events(self, driver: MatchDriver, events: list[EventView], *, own: bool = False) -> None:
        """Show events: log them, redraw the table, announce what is special, and pause."""
        for fault in driver.faults():
            self.table.add_log_line(f"! {fault}")
        if not events:
            return
        table, narrator = self.table, driver.narrator
        if len(events) > 1 and isinstance(events[0], Doubled | DoubleAnswered) and isinstance(events[1], Challenged):
            table.add_log_line(narrate(events[0], narrator))
            events = events[1:]
        if isinstance(events[0], Challenged | ExactCalled | PassChallenged):
            await self._show_call(driver, events, own=own)
            return
        for event in events:
            table.add_log_line(narrate(event, narrator))
            if isinstance(event, BidMade) and driver.wilds_just_ended:
                table.add_log_line(wilds_off_message(narrator.rules))
        table.selected_bid = None if isinstance(events[0], RoundStarted) else table.selected_bid
        table.show_view(driver.view, narrator)
        self._show_thinking(driver.view, driver.you)
        await self._announce(driver, events)
        if not own and driver.next_step in PAUSED_STEPS:
            await table.pause(PACE_S)

    def _show_thinking(self, view: View, you: int) -> None:
        if view.phase is Phase.BIDDING and view.turn != you:
            self.table.set_prompt(
                f"{view.names[view.turn]} thinks…", *([] if view.dice[you] else [f"You are {out_word(view.ruleset)}."])
            )

    async def _announce(self, driver: MatchDriver, events: list[EventView]) -> None:
        """Show events such as a roll for the start in the middle of the table for a moment."""
        view, table = driver.view, self.table
        for event in events:
            match event:
                case StarterRolled():
                    table.message = panels.start_rolls(event, driver.narrator)
                case RoundStarted() if event.special_seat is not None:
                    table.message = self._special_round_text(view, event, driver)
                case StarterFound() | DirectionSet() | SpecialDeclared() | KindChosen() | Doubled() | DoubleAnswered():
                    table.message = Text(f"\n{narrate(event, driver.narrator)}", style="bold")
                case Rerolled():
                    table.message = Text(f"\n{narrate(event, driver.narrator)}", style="bold")
                case _:
                    continue
            table.draw()
            await table.pause(2 * PACE_S)
            table.message = None
        table.draw()

    def _special_round_text(self, view: View, event: RoundStarted, driver: MatchDriver) -> Text:
        text = Text(f"\n*** {view.ruleset.labels.special_round.upper()} ***\n\n", style="bold", justify="center")
        text.append(narrate(event, driver.narrator), style="not bold")
        if mustache_symbol(view.ruleset):
            text.append("\n\nEveryone wears one:  " + "  ".join([mustache_symbol(view.ruleset)] * len(view.names)))
        return text

    async def _show_call(self, driver: MatchDriver, events: list[EventView], *, own: bool) -> None:
        """Show a call: reveal the hands in turn with the count so far, then the result, and wait for Enter."""
        table, narrator = self.table, driver.narrator
        call, reveal = events[0], events[1]
        assert isinstance(call, Challenged | ExactCalled | PassChallenged)
        assert isinstance(reveal, Revealed)
        lateness = f" {late_call_message(call, narrator)}" if own and call.seat != driver.you else ""
        call_text = narrate(call, narrator) + lateness
        table.add_log_line(call_text)
        table.skip_pauses = False
        table.set_prompt(call_text)
        for shown_count in range(len(reveal.hands) + 1):
            if shown_count and not reveal.hands[shown_count - 1]:
                continue
            table.reveal = panels.Reveal(reveal, shown_count)
            count = count_text(driver.view.ruleset, reveal, table.reveal.count)
            table.message = Text(f"\n{call_text}\n\n{count}")
            table.draw()
            await table.pause(PACE_S * 0.7)
        summary = summarise_call(events, narrator)
        views = [driver.view, *([] if table.current_view is None else [table.current_view])]
        playing = any(view.dice[driver.you] for view in views)  # before or after the loss
        count = count_text(driver.view.ruleset, reveal, reveal.count)
        table.message = Text(f"\n{call_text}\n\n{count}\n")
        table.message.append(summary, style="bold")
        table.add_log_line(summary)
        out = out_word(driver.view.ruleset)
        table.set_prompt("Press Enter to continue." if playing else f"You are {out}.\nEnter: faster. F: to the end.")
        table.draw()
        if playing:
            await table.wait_for_enter()
        else:
            table.skip_pauses = False
            await table.pause(3 * PACE_S)
        table.reveal = table.message = None
        for event in events:
            if isinstance(event, MatchEnded):
                table.add_log_line(narrate(event, narrator))
        table.set_prompt("")
        table.show_view(driver.view, narrator)

    async def _show_result(self, driver: MatchDriver) -> bool:
        view, narrator = driver.view, driver.narrator
        assert view.phase is Phase.OVER
        match_ended = next(event for event in driver.events if isinstance(event, MatchEnded))
        result = [narrate(match_ended, narrator), placings_text(view, driver.events, narrator)]
        result += self.session.series_lines(driver)
        self.closing_lines += [*result, driver.line()]
        entries = ["Rematch with the same players", "Show the match on one line", "Quit"]
        while True:
            chosen = await self.push_screen_wait(ChoiceDialog("\n".join(result), entries))
            if chosen == 1:
                await self.push_screen_wait(TextPage(driver.line()))
            else:
                driver.close()
                return chosen == 0
