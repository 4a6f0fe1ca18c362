"""The full-screen match: one step after the other, paced so that a human can follow."""

from __future__ import annotations

from rich.text import Text
from textual.app import App
from textual.binding import Binding

from liarsdice.cli.play import panels
from liarsdice.cli.play import stylesheet as look
from liarsdice.cli.play.dialogs import Choose, Page
from liarsdice.cli.play.match_driver import Awaits, Game
from liarsdice.cli.play.placings import placings, placings_text
from liarsdice.cli.play.ruleset_menu import TABLES
from liarsdice.cli.play.session import Evening
from liarsdice.cli.play.table import LetStand, Penalty, TableScreen
from liarsdice.cli.play.worn import mustache
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import SeenEvent, View
from liarsdice.core.errors import IllegalActionError, LiarsDiceError, MalformedError
from liarsdice.core.events import (
    BidMade,
    Challenged,
    DirectionSet,
    ExactCalled,
    MatchEnded,
    Revealed,
    RoundStarted,
    StarterFound,
    StarterRolled,
)
from liarsdice.core.text.call_summary import verdict
from liarsdice.core.text.narration import TRIGGERS, dice, face_name, overtaken, stakes, tell, wildness_over

PACE_S = 0.8
WINDOW_S = 3.0
"""How long a bid may be called out of turn before the match goes on by itself."""

WITHOUT_YOU = (Awaits.BOTS, Awaits.DEALER)
"""Before these the player needs time to see what happened; else the question itself gives it."""


class PlayApp(App[str]):
    """`liarsdice play` in full screen; `story` is what to print when it is over."""

    CSS = look.CSS
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = [Binding("ctrl+c,ctrl+q", "quit", "quit", show=False, priority=True)]  # noqa: RUF012  as textual does

    def __init__(self, evening: Evening) -> None:
        super().__init__()
        self.evening = evening
        self.game: Game | None = None
        self.table = TableScreen()
        self.table.fast = evening.options.fast
        self.story: list[str] = []
        self.failure: LiarsDiceError | None = None
        self.mistake: str | None = None

    async def on_mount(self) -> None:
        """Sit down."""
        await self.push_screen(self.table)
        self.run_worker(self._play(), exclusive=True)

    async def _play(self) -> None:
        """Match after match, until the player has had enough."""
        try:
            rules = None
            if self.evening.asks_rules:
                chosen = await self.push_screen_wait(
                    Choose("What shall we play?", [entry.line for entry in TABLES], hint="Enter chooses, Esc quits")
                )
                if chosen is None:
                    self.exit()
                    return
                rules = TABLES[chosen].rules
            self.game = self.evening.begin(rules)
            for notice in self.evening.notices:
                self.table.tell(f"! {notice}")
            while await self._match(self.game):
                self.game = self.evening.rematch(self.game)
        except LiarsDiceError as error:
            self.failure = error
        self.exit()

    async def _match(self, game: Game) -> bool:
        """One match; whether the player wants another."""
        table = self.table
        table.reveal = table.message = None
        table.show(game.view, game.voice)
        self._catch_up(game)
        while (awaited := game.awaits) is not Awaits.OVER:
            match awaited:
                case Awaits.DEALER:
                    await self._show(game, game.deal())
                case Awaits.STARTER:
                    await self._show(game, game.choose_starter(await self._starter(game)))
                case Awaits.YOU | Awaits.WINDOW:
                    await self._human(game, on_turn=awaited is Awaits.YOU)
                case Awaits.BOTS:
                    await self._show(game, game.bots_act())
        return await self._over(game)

    def _catch_up(self, game: Game) -> None:
        voice, begin = game.voice, 0
        for place, event in enumerate(game.told):
            if isinstance(event, RoundStarted):
                begin = place
        self.table.tell(tell(game.told[0], voice))
        if begin:
            self.table.tell("The match goes on.")
        for event in game.told[max(begin, 1) :]:
            self.table.tell(tell(event, voice))

    async def _starter(self, game: Game) -> int | None:
        entries = ["Draw lots", *map(game.voice.label, range(len(game.voice.names)))]
        chosen = await self.push_screen_wait(Choose("Who starts?", entries, hint="Enter chooses, Esc draws lots"))
        return chosen - 1 if chosen else None

    async def _human(self, game: Game, *, on_turn: bool) -> None:
        """One answer of the player; a mistake is explained, and the loop asks again."""
        table = self.table
        self._prompt(game.view, on_turn=on_turn)
        answer = await table.answer(on_turn=on_turn, timeout_s=None if on_turn or table.fast else WINDOW_S)
        try:
            match answer:
                case LetStand():
                    game.let_stand()
                case Penalty():
                    await self._penalty(game)
                case _:
                    await self._show(game, game.act(answer), own=True)
        except (IllegalActionError, MalformedError) as error:
            self.mistake = game.refusal(error)

    def _prompt(self, view: View, *, on_turn: bool) -> None:
        if self.mistake is not None:
            self.table.say(f"! {self.mistake}")
            self.mistake = None
        elif on_turn:
            opens = "You open the round." if view.bid is None else "Your turn."
            self.table.say(opens, *(["Nothing is left to bid: call it."] if not view.may_bid else []))
        else:
            factor = view.ruleset.loss.out_of_turn_factor
            dearer = [f"The stakes are {stakes(factor)}."] if factor > 1 and view.may_challenge else []
            self.table.say("Call out of turn?", *dearer, "Enter lets the bid stand,", "Space takes your time.")

    async def _penalty(self, game: Game) -> None:
        penalties = game.view.ruleset.penalties
        entries = [f"I was {TRIGGERS[penalty.trigger]}: {dice(penalty.dice)}" for penalty in penalties]
        chosen = await self.push_screen_wait(Choose("What have you done?", [*entries, "Nothing, after all"]))
        if chosen is not None and chosen < len(penalties):
            await self._show(game, game.penalise(penalties[chosen].trigger), own=True)

    async def _show(self, game: Game, events: list[SeenEvent], *, own: bool = False) -> None:
        """Let the player see what happened."""
        for fault in game.faults():
            self.table.tell(f"! {fault}")
        if not events:
            return
        table, voice = self.table, game.voice
        if isinstance(events[0], Challenged | ExactCalled):
            await self._call(game, events, own=own)
            return
        for event in events:
            table.tell(tell(event, voice))
            if isinstance(event, BidMade) and game.wildness_over:
                table.tell(wildness_over(voice.rules))
        table.picked = None if isinstance(events[0], RoundStarted) else table.picked
        table.show(game.view, voice)
        self._who_thinks(game.view, game.you)
        await self._announce(game, events)
        if not own and game.awaits in WITHOUT_YOU:
            await table.pause(PACE_S)

    def _who_thinks(self, view: View, you: int) -> None:
        if view.phase is Phase.BIDDING and view.turn != you:
            self.table.say(f"{view.names[view.turn]} thinks…", *([] if view.dice[you] else ["You are out."]))

    async def _announce(self, game: Game, events: list[SeenEvent]) -> None:
        """What deserves the middle of the table for a moment."""
        view, table = game.view, self.table
        for event in events:
            match event:
                case StarterRolled():
                    table.message = panels.rolls(event, game.voice)
                case StarterFound():
                    table.message = Text(f"\n{tell(event, game.voice)}", style="bold")
                case RoundStarted() if event.special_seat is not None:
                    table.message = self._special(view, event, game)
                case DirectionSet():
                    table.message = Text(f"\n{tell(event, game.voice)}", style="bold")
                case _:
                    continue
            table.draw()
            await table.pause(2 * PACE_S)
            table.message = None
        table.draw()

    def _special(self, view: View, event: RoundStarted, game: Game) -> Text:
        rules = view.ruleset
        text = Text(f"\n*** {game.voice.rules.labels.special_round.upper()} ***\n\n", style="bold", justify="center")
        text.append(tell(event, game.voice), style="not bold")
        if mustache(rules):
            text.append("\n\nEverybody wears one:  " + "  ".join([mustache(rules)] * len(view.names)))
        return text

    async def _call(self, game: Game, events: list[SeenEvent], *, own: bool) -> None:
        """A call: the hands are shown in turn, with the sum so far, and the verdict waits until it was read."""
        table, voice = self.table, game.voice
        call, reveal = events[0], events[1]
        assert isinstance(call, Challenged | ExactCalled)
        assert isinstance(reveal, Revealed)
        late = f" {overtaken(call, voice)}" if own and call.seat != game.you else ""
        called = tell(call, voice) + late
        table.tell(called)
        table.hurry = False
        table.say(called)
        for lifted in range(len(reveal.hands) + 1):
            if lifted and not reveal.hands[lifted - 1]:
                continue
            table.reveal = panels.Reveal(reveal, lifted)
            table.message = Text(f"\n{called}\n\n{self._counting(table.reveal, game)}")
            table.draw()
            await table.pause(PACE_S * 0.7)
        why = verdict(events, voice)
        playing = bool(game.view.dice[game.you]) or (table.shown is not None and bool(table.shown.dice[game.you]))
        table.message = Text(f"\n{called}\n\n{self._counting(table.reveal, game)}\n")
        table.message.append(why, style="bold")
        table.tell(why)
        table.say("Enter goes on." if playing else "You are out.\nEnter hurries, F skips to the end.")
        table.draw()
        if playing:
            await table.wait_for_enter()
        else:
            table.hurry = False
            await table.pause(3 * PACE_S)
        table.reveal = table.message = None
        for event in events:
            if isinstance(event, MatchEnded):
                table.tell(tell(event, voice))
        table.say("")
        table.show(game.view, voice)

    def _counting(self, reveal: panels.Reveal | None, game: Game) -> str:
        if reveal is None:
            return ""
        rules, bid = game.view.ruleset, reveal.event.bid
        special, wild = face_name(rules, rules.dice.special_face), ""
        if reveal.event.wilds_counted:
            wild = f" [{special} count too]"
        elif rules.wilds.special_is_wild and bid.face != rules.dice.special_face:
            wild = f" [{special} do not count]"
        return f"{bid.quantity} bid, {reveal.count} counted on {face_name(rules, bid.face)}{wild}"

    async def _over(self, game: Game) -> bool:
        view, voice = game.view, game.voice
        assert view.phase is Phase.OVER
        ended = next(event for event in game.told if isinstance(event, MatchEnded))
        result = [tell(ended, voice), placings_text(placings(view, game.told), voice)]
        self.story += [*result, game.line()]
        entries = ["A rematch with the same people", "The match on one line", "Enough for today"]
        while True:
            chosen = await self.push_screen_wait(Choose("\n".join(result), entries))
            if chosen == 1:
                await self.push_screen_wait(Page(game.line()))
            else:
                game.close()
                return chosen == 0
