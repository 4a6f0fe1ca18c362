"""The full-screen table: its parts, its keys, and what they show."""

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
from liarsdice.cli.play.chart import chart_of
from liarsdice.cli.play.dialogs import Page
from liarsdice.core.actions import Challenge, Exact, PlayerAction, SetDirection
from liarsdice.core.bids.notation import parse_bid
from liarsdice.core.engine.view import View
from liarsdice.core.errors import LiarsDiceError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Direction
from liarsdice.core.text.narration import Voice, bid_words
from liarsdice.core.text.rulebook import rulebook, to_text

ARROWS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
STAGE_ROWS = 8
OTHER_ROWS = 14
DOUBLE_PRESS_S = 0.3
"""An Enter this soon after a turn began was meant for what came before it."""


class Penalty:
    """The human wants to own up to a house penalty."""


class LetStand:
    """The human has nothing to say to a bid."""


Answer = PlayerAction | Penalty | LetStand


class TableScreen(Screen[None]):
    """One table: draws a view and hands on what the player answers. It knows no rules."""

    AUTO_FOCUS = None

    def __init__(self) -> None:
        super().__init__()
        self.shown: View | None = None
        self.voice: Voice | None = None
        self.reveal: panels.Reveal | None = None
        self.message: Text | None = None
        self.picked: Bid | None = None
        self.typed = ""
        self.asked: asyncio.Future[Answer] | None = None
        self.on_turn = False
        self.asked_at = 0.0
        self.gate = asyncio.Event()
        self.hurry = False
        self.thinks = False
        self.fast = False

    def compose(self) -> ComposeResult:
        """From top to bottom: title, players and log, the bid, the chart, own dice, keys."""
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

    # What is shown

    def show(self, view: View, voice: Voice) -> None:
        """Draw this view from now on."""
        self.shown, self.voice = view, voice
        self.draw()

    def draw(self) -> None:
        """Draw everything anew."""
        view, voice = self.shown, self.voice
        if view is None or voice is None or not self.is_mounted:
            return
        self._part("title").update(panels.title(view, voice))
        rows = max(self._part("players").size.height, 1)
        self._part("players").update(panels.players(view, voice, rows=rows, reveal=self.reveal))
        self._part("bid").update(panels.standing_bid(view, voice, self.reveal))
        self._part("dice").update(panels.big_dice(view.hand, self.size.width - 28))
        self._part("stage").styles.height = self._stage_rows(view)
        self._part("stage").update(self.message or self._chart(view))
        self._part("keys").update(Text(self._keys(view, voice), no_wrap=True, overflow="ellipsis"))

    def on_resize(self) -> None:
        """Draw for the new size."""
        self.call_after_refresh(self.draw)

    def tell(self, text: str) -> None:
        """Write a line to the story of the match."""
        self.query_one("#log", RichLog).write(Text(text))

    def say(self, *lines: str) -> None:
        """Say something to the player, beside the dice."""
        self._part("prompt").update(Text("\n".join(lines)))

    def _part(self, name: str) -> Static:
        return self.query_one(f"#{name}", Static)

    def _chart(self, view: View) -> Text:
        at = self.picked if self.asked is not None and self.on_turn else None
        return panels.chart(view, chart_of(view), at, width=self.size.width - 2, rows=self._stage_rows(view))

    def _stage_rows(self, view: View) -> int:
        """One row a face, one above and one below, as far as the players leave room."""
        return max(min(len(chart_of(view).faces) + 2, self.size.height - OTHER_ROWS), STAGE_ROWS)

    def _keys(self, view: View, voice: Voice) -> str:
        labels = voice.rules.labels
        keys = ["arrows+Enter or 5x4 bid"] if self.on_turn and view.may_bid else []
        if self.asked is not None and view.may_challenge:
            keys.append(f"L {labels.challenge}")
        if self.asked is not None and view.may_call_exact:
            keys.append(f"X {labels.exact}")
        if self.asked is not None and view.may_set_direction:
            keys.append("D turn play")
        if view.ruleset.penalties:
            keys.append("P penalty")
        return " · ".join([*keys, "? rules", "F slower" if self.fast else "F faster", "Q quit"])

    # What the player answers

    async def answer(self, *, on_turn: bool, timeout_s: float | None = None) -> Answer:
        """Wait for the player: for a move on turn, or for a call or nothing out of turn.

        When the time is over, the bid stands, unless the player asked for more.
        """
        assert self.shown is not None
        loop = asyncio.get_running_loop()
        self.asked, self.on_turn, self.asked_at = loop.create_future(), on_turn, loop.time()
        self.typed, self.hurry, self.thinks = "", False, False
        if on_turn and self.picked not in chart_of(self.shown).lit:
            self.picked = chart_of(self.shown).start()
        self.draw()
        try:
            await asyncio.wait((self.asked,), timeout=timeout_s)
            return await self.asked if self.asked.done() or self.thinks else LetStand()
        finally:
            self.asked, self.on_turn = None, False

    async def pause(self, seconds: float) -> None:
        """Give the player time to follow; Enter goes on at once, and to the player's next decision."""
        if self.fast or self.hurry:
            await asyncio.sleep(0)
            return
        self.gate.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self.gate.wait(), seconds)
            self.hurry = True

    async def wait_for_enter(self) -> None:
        """Wait until the player has read what is shown."""
        self.gate.clear()
        await self.gate.wait()
        self.hurry = False

    def on_key(self, event: events.Key) -> None:
        """Everything is done with keys."""
        key = event.key
        event.stop()
        if key in ARROWS:
            self._move(*ARROWS[key])
        elif key == "enter":
            self._enter()
        elif event.character is not None and (event.character.isdigit() or (self.typed and key in "xX*")):
            self._type(self.typed + event.character)
        elif key == "backspace":
            self._type(self.typed[:-1])
        elif key == "escape":
            self._type("")
        else:
            self._command(key.lower())

    def _command(self, key: str) -> None:
        match key:
            case "question_mark" if self.shown is not None:
                _ = self.app.push_screen(Page(to_text(rulebook(self.shown.ruleset))))
            case "space":
                self.thinks = True
            case "q":
                self.app.exit()
            case "f":
                self.fast = not self.fast
                self.gate.set()
                self.draw()
            case "l":
                self._give(Challenge())
            case "x":
                self._give(Exact())
            case "d" if self.shown is not None:
                turned = [way for way in Direction if way is not self.shown.direction]
                self._give(SetDirection(turned[0]))
            case "p" if self.shown is not None and self.shown.ruleset.penalties:
                self._give(Penalty())
            case _:
                pass

    def _enter(self) -> None:
        if self.asked is None:
            self.gate.set()
        elif self.typed:
            try:
                self._give(parse_bid(self.typed))
            except LiarsDiceError as error:
                self._type("")
                self.say(f"! {error}")
        elif not self.on_turn:
            self._give(LetStand())
        elif self.picked is not None and (self.fast or self._had_time()):
            self._give(self.picked)

    def _had_time(self) -> bool:
        return asyncio.get_running_loop().time() - self.asked_at > DOUBLE_PRESS_S

    def _give(self, answer: Answer) -> None:
        if self.asked is not None and not self.asked.done():
            self.asked.set_result(answer)

    def _move(self, right: int, down: int) -> None:
        if self.shown is None or self.picked is None or not self.on_turn:
            return
        self.typed = ""
        grid = chart_of(self.shown)
        self.picked = grid.moved(self.picked, right=right, down=down)
        words = bid_words(self.shown.ruleset, self.picked)
        self.say(f"{words} ({self.picked})", "Enter bids it." if self.picked in grid.lit else "Not a legal bid now.")
        self.draw()

    def _type(self, text: str) -> None:
        if self.on_turn:
            self.typed = text[:9]
            self.say(f"bid: {self.typed}_", "Enter bids it, Esc clears.") if self.typed else self.say("Your turn.")
