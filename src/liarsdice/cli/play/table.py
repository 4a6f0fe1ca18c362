"""The full-screen table: its widgets, and the keys that answer a question of the match."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import RichLog, Static

from liarsdice.cli.play import panels
from liarsdice.cli.play.line_mode import make_grid
from liarsdice.cli.play.panels import TextPage
from liarsdice.core.actions import (
    AnswerDouble,
    Challenge,
    ChallengePass,
    ChooseKind,
    ClaimExact,
    DeclareSpecial,
    Exact,
    Pass,
    PlayerAction,
    Reroll,
    SetDirection,
)
from liarsdice.core.engine.view import View
from liarsdice.core.errors import LiarsDiceError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer as DoubleAnswer
from liarsdice.core.rules.choices import Direction, RoundKind
from liarsdice.core.rules.meaning import has_pure_bids
from liarsdice.core.text.move_reader import read_move
from liarsdice.core.text.narration import Narrator, bid_name
from liarsdice.core.text.rulebook import rulebook, to_text

ANSWER_KEYS = {DoubleAnswer.ACCEPT: "a", DoubleAnswer.REDOUBLE: "r", DoubleAnswer.FOLD: "k"}
"""The keys that answer a challenge for twice the stake; F changes the speed."""
KIND_KEYS = {RoundKind.CLOSED: "c", RoundKind.OPEN: "o", RoundKind.ORDINARY: "n"}
"""The keys that choose the kind of a round."""
ARROWS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
STAGE_ROWS = 8
OTHER_ROWS = 14
DOUBLE_PRESS_S = 0.3
"""An Enter within this time after a turn begins is ignored: it was meant for the step before."""
MAX_TYPED = 30


class ReportPenalty:
    """The answer that reports a penalty that the human owes."""


class LetBidStand:
    """The answer that lets the standing bid pass without a call."""


Answer = PlayerAction | ReportPenalty | LetBidStand


class TableScreen(Screen[None]):
    """Draws a view of the match and returns the player's answers. It knows no rules.

    `message` and `reveal` replace the bid chart while they are set, `selected_bid` is the cell that Enter bids, and
    `fast` removes the pauses.
    """

    AUTO_FOCUS = None

    def __init__(self) -> None:
        super().__init__()
        self.current_view: View | None = None
        self.narrator: Narrator | None = None
        self.reveal: panels.Reveal | None = None
        self.message: Text | None = None
        self.selected_bid: Bid | None = None
        self.typed = ""
        self.pending_answer: asyncio.Future[Answer] | None = None
        self.on_turn = False
        self.question_time_s = 0.0
        self.resume_event = asyncio.Event()
        self.skip_pauses = False
        self.has_no_time_limit = False
        self.fast = False

    def compose(self) -> ComposeResult:
        """Yield the widgets from top to bottom: title, players and log, bid, chart, dice and prompt, keys."""
        yield Static(id="title")
        with Horizontal(id="upper"):
            yield Static(id="players")
            log = RichLog(id="log", wrap=True, min_width=20, max_lines=500)
            log.can_focus = False
            yield log
        yield Static(id="bid")
        yield Static(id="stage")
        with Horizontal(id="lower"):
            yield Static(id="dice")
            yield Static(id="prompt")
        yield Static(id="keys")

    # Drawing

    def show_view(self, view: View, narrator: Narrator) -> None:
        """Draw this view now and on later redraws."""
        self.current_view, self.narrator = view, narrator
        self.draw()

    def draw(self) -> None:
        """Redraw all widgets."""
        view, narrator = self.current_view, self.narrator
        if view is None or narrator is None or not self.is_mounted:
            return
        self._part("title").update(panels.title(view, narrator))
        rows = max(self._part("players").size.height, 1)
        self._part("players").update(panels.players(view, narrator, rows=rows, reveal=self.reveal))
        self._part("bid").update(panels.standing_bid(view, narrator, self.reveal))
        self._part("dice").update(panels.own_dice(view, self.size.width - 28))
        self._part("stage").styles.height = self._stage_rows(view)
        self._part("stage").update(self.message or self._chart(view))
        self._part("keys").update(Text(self._keys(view, narrator), no_wrap=True, overflow="ellipsis"))

    def on_resize(self) -> None:
        """Redraw for the new size."""
        self.call_after_refresh(self.draw)

    def add_log_line(self, text: str) -> None:
        """Add a line to the log of the match."""
        self.query_one("#log", RichLog).write(Text(text))

    def set_prompt(self, *lines: str) -> None:
        """Show lines to the player beside the dice."""
        self._part("prompt").update(Text("\n".join(lines)))

    def _part(self, name: str) -> Static:
        return self.query_one(f"#{name}", Static)

    def _chart(self, view: View) -> Text:
        selected = self.selected_bid if self.pending_answer is not None and self.on_turn else None
        return panels.chart(view, make_grid(view), selected, width=self.size.width - 2, rows=self._stage_rows(view))

    def _stage_rows(self, view: View) -> int:
        """Return the height of the chart: a row for each kind of bid and two more, if the other widgets leave room."""
        return max(min(len(make_grid(view).kinds) + 2, self.size.height - OTHER_ROWS), STAGE_ROWS)

    def _keys(self, view: View, narrator: Narrator) -> str:
        labels = narrator.rules.labels
        typed = "/".join(["5x4", *["5x4!"] * has_pure_bids(view.ruleset), *["5x4+44"] * view.may_show])
        keys = [f"arrows+Enter or {'sum7' if view.face_off else typed} bid"] if self.on_turn and view.may_bid else []
        if self.pending_answer is not None:
            answers = (
                (view.may_challenge, f"L {labels.challenge}"),
                (view.may_double, "B ×2"),
                *((True, f"{ANSWER_KEYS[answer].upper()} {answer}") for answer in view.may_answer),
                *((True, f"{KIND_KEYS[kind].upper()} {kind}") for kind in view.may_choose_kind),
                (view.may_call_exact, f"X {labels.exact}"),
                (view.may_claim_exact, f"X {labels.exact}"),
                (view.may_challenge_pass, "V doubt the pass"),
                (view.may_pass, "S pass"),
                (view.may_set_direction, "D direction"),
                (view.may_declare, f"S {labels.special_round}"),
                (view.may_reroll, "R roll again"),
            )
            keys += [text for may_answer, text in answers if may_answer]
        if view.ruleset.penalties:
            keys.append("P penalty")
        return " · ".join([*keys, "? rules", "F slower" if self.fast else "F faster", "Q quit"])

    # Answers

    async def ask(self, *, on_turn: bool, timeout_s: float | None = None) -> Answer:
        """Wait for the player and return the answer: a move on turn, or a call or `LetBidStand` out of turn.

        After `timeout_s` seconds the bid stands, unless the player has pressed the space bar.
        """
        assert self.current_view is not None
        loop = asyncio.get_running_loop()
        self.pending_answer, self.on_turn, self.question_time_s = loop.create_future(), on_turn, loop.time()
        self.typed, self.skip_pauses, self.has_no_time_limit = "", False, False
        if on_turn and self.selected_bid not in make_grid(self.current_view).legal:
            self.selected_bid = make_grid(self.current_view).first_cell()
        self.draw()
        try:
            await asyncio.wait((self.pending_answer,), timeout=timeout_s)
            return await self.pending_answer if self.pending_answer.done() or self.has_no_time_limit else LetBidStand()
        finally:
            self.pending_answer, self.on_turn = None, False

    async def pause(self, seconds: float) -> None:
        """Pause so that the player can follow. Enter ends it and skips the pauses before the next decision."""
        if self.fast or self.skip_pauses:
            await asyncio.sleep(0)
            return
        self.resume_event.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self.resume_event.wait(), seconds)
            self.skip_pauses = True

    async def wait_for_enter(self) -> None:
        """Wait until the player presses Enter."""
        self.resume_event.clear()
        await self.resume_event.wait()
        self.skip_pauses = False

    def on_key(self, event: events.Key) -> None:
        """Handle a key."""
        key = event.key
        event.stop()
        if key in ARROWS:
            self._move_selection(*ARROWS[key])
        elif key == "enter":
            self._press_enter()
        elif event.character is not None and (
            event.character.isdigit() or (self.typed and event.character in "xX*!+., ")
        ):
            self._set_typed(self.typed + event.character)
        elif key == "backspace":
            self._set_typed(self.typed[:-1])
        elif key == "escape":
            self._set_typed("")
        else:
            self._press_key(key.lower())

    def _press_key(self, key: str) -> None:
        match key:
            case "question_mark" if self.current_view is not None:
                _ = self.app.push_screen(TextPage(to_text(rulebook(self.current_view.ruleset))))
            case "space":
                self.has_no_time_limit = True
            case "q":
                self.app.exit()
            case "f":
                self.fast = not self.fast
                self.resume_event.set()
                self.draw()
            case "l":
                self._submit(Challenge())
            case "b":
                self._submit(Challenge(double=True))
            case "x" if self.current_view is not None:
                self._submit(ClaimExact() if self.current_view.may_claim_exact else Exact())
            case "v":
                self._submit(ChallengePass())
            case "s" if self.current_view is not None:
                self._submit(DeclareSpecial() if self.current_view.may_declare else Pass())
            case "c" | "o" | "n":
                self._submit(ChooseKind(next(kind for kind, own in KIND_KEYS.items() if own == key)))
            case "r" if self.current_view is not None and self.current_view.may_reroll:
                self._submit(Reroll())
            case "a" | "r" | "k":
                self._submit(AnswerDouble(next(answer for answer, own in ANSWER_KEYS.items() if own == key)))
            case "d" if self.current_view is not None:
                other = next(way for way in Direction if way is not self.current_view.direction)
                self._submit(SetDirection(other))
            case "p" if self.current_view is not None and self.current_view.ruleset.penalties:
                self._submit(ReportPenalty())
            case _:
                pass

    def _press_enter(self) -> None:
        if self.pending_answer is None:
            self.resume_event.set()
        elif self.typed:
            try:
                self._submit(self._read_typed(self.typed))
            except LiarsDiceError as error:
                self._set_typed("")
                self.set_prompt(f"! {error}")
        elif not self.on_turn:
            self._submit(LetBidStand())
        elif self.selected_bid is not None and (self.fast or self._can_press_enter()):
            self._submit(self.selected_bid)

    def _read_typed(self, text: str) -> Answer:
        assert self.current_view is not None
        view = self.current_view
        return read_move(text, view.ruleset, view.allows) or LetBidStand()

    def _can_press_enter(self) -> bool:
        return asyncio.get_running_loop().time() - self.question_time_s > DOUBLE_PRESS_S

    def _submit(self, answer: Answer) -> None:
        if self.pending_answer is not None and not self.pending_answer.done():
            self.pending_answer.set_result(answer)

    def _move_selection(self, right: int, down: int) -> None:
        if self.current_view is None or self.selected_bid is None or not self.on_turn:
            return
        self.typed = ""
        grid = make_grid(self.current_view)
        self.selected_bid = grid.neighbour(self.selected_bid, right=right, down=down)
        words = bid_name(self.current_view.ruleset, self.selected_bid)
        self.set_prompt(
            f"{words} ({self.selected_bid})",
            "Enter bids it." if self.selected_bid in grid.legal else "Not a legal bid now.",
        )
        self.draw()

    def _set_typed(self, text: str) -> None:
        if self.on_turn:
            self.typed = text[:MAX_TYPED]
            self.set_prompt(f"bid: {self.typed}_", "Enter bids it, Esc clears.") if self.typed else self.set_prompt(
                "Your turn."
            )
