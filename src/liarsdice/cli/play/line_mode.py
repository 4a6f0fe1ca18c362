"""The table line by line: for pipes, for screen readers, and for terminals that can do no more."""

from __future__ import annotations

import shlex
import shutil
import sys
from textwrap import wrap

import msgspec

from liarsdice.cli.play.chart import chart_lines, least_bids
from liarsdice.cli.play.match_driver import Awaits, Game
from liarsdice.cli.play.placings import placings, placings_text
from liarsdice.cli.play.worn import mustache
from liarsdice.core.actions import PlayerAction, SetDirection
from liarsdice.core.bids.notation import LONGEST_QUOTE, WORDS, parse
from liarsdice.core.engine.view import SeenEvent, View
from liarsdice.core.errors import IllegalActionError, MalformedError, NotationError
from liarsdice.core.events import BidMade, Challenged, ExactCalled, MatchEnded, Revealed, RoundStarted
from liarsdice.core.rules.choices import Direction, PenaltyTrigger
from liarsdice.core.text.call_summary import verdict
from liarsdice.core.text.narration import TRIGGERS, bid_words, face_name, overtaken, tell, wildness_over
from liarsdice.core.text.rulebook import Rulebook, rulebook, to_text
from liarsdice.core.text.rulebook.english import number

HELP = """\
  5x4               bid five fours (quantity first)
  {calls}
  dice, chart       your dice and the table; what may be bid, face by face (5x4+ means five or more fours)
  ?                 the rules of this table; ?bids, or another word, what they say about it
  {penalty}quit              stop; the match is kept and can go on later"""


PENALTY_WORDS = {PenaltyTrigger.ASKS_WHOSE_TURN: "turn", PenaltyTrigger.ASKS_DICE_LEFT: "left"}
"""Which penalty is meant, in a word."""


class Quit(Exception):  # noqa: N818  leaving the table is no error
    """The human leaves the table."""


class PlainTable:
    """A match as text: sentences out, notation in. Raises `Quit` when the human leaves or the input ends."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.voice = game.voice

    def play(self) -> None:
        """Play the match to its end."""
        say(tell(self.game.told[0], self.voice) + " ? shows the rules, help the commands.")
        say("A plus means that or more: 1x3+ offers one three, two threes and so on.")
        if len(self.game.told) > 1:
            self._catch_up()
        while (awaited := self.game.awaits) is not Awaits.OVER:
            match awaited:
                case Awaits.DEALER:
                    self._tell(self.game.deal())
                case Awaits.STARTER:
                    self._choose_starter()
                case Awaits.YOU:
                    self._your_turn()
                case Awaits.WINDOW:
                    self._window()
                case Awaits.BOTS:
                    self._tell(self.game.bots_act())
        say(placings_text(placings(self.game.view, self.game.told), self.voice))
        say(f"To read it on one line: liarsdice replay --line {shlex.quote(str(self.game.path))}")

    def _tell(self, events: list[SeenEvent], *, own: bool = False) -> None:
        for fault in self.game.faults():
            say(f"! {fault}")
        if events and isinstance(events[0], Challenged | ExactCalled):
            say(tell(events[0], self.voice))
            if own and events[0].seat != self.game.you:
                say(overtaken(events[0], self.voice))
            self._reveal(events)
            events = [event for event in events if isinstance(event, MatchEnded)]
        for event in events:
            if isinstance(event, RoundStarted):
                self._round(event)
            else:
                say(tell(event, self.voice))
                if isinstance(event, BidMade) and self.game.wildness_over:
                    say(wildness_over(self.voice.rules))

    def _round(self, event: RoundStarted) -> None:
        say(f"\n{tell(event, self.voice)}")
        say(f"Dice: {self._held(event.dice)}.")
        worn = mustache(self.voice.rules)
        if event.special_seat is not None and worn:
            say("Everybody wears one:  " + "  ".join(f"{label} {worn}" for label in self._labels()))

    def _reveal(self, events: list[SeenEvent]) -> None:
        reveal = events[1]
        assert isinstance(reveal, Revealed)
        for name, hand, marked, counted in zip(
            self._labels(), reveal.hands, reveal.marked, reveal.counted, strict=True
        ):
            if hand:
                shown = " ".join(f"{die}{'*' if place in marked else ''}" for place, die in enumerate(hand))
                say(f"  {name}: {shown}  ({number(counted) if counted else 'none'})")
        say(tell(reveal, self.voice) + (" (Dice with * count.)" if any(reveal.marked) else ""))
        say(verdict(events, self.voice))

    def _catch_up(self) -> None:
        view = self.game.view
        say(f"The match goes on in round {view.round_number}.")
        for seat, bid in view.bids:
            say(f"{self.voice.label(seat)} bid {bid_words(view.ruleset, bid)}.")
        if view.ruleset.wilds.special_is_wild and not view.wilds_count:
            say(wildness_over(view.ruleset))

    def _labels(self) -> list[str]:
        return [self.voice.label(seat) for seat in range(len(self.voice.names))]

    def _table(self, view: View) -> None:
        say(f"Dice: {self._held(view.dice)}. Play goes {view.direction}.")
        if view.wilds_count:
            say(f"{face_name(view.ruleset, view.ruleset.dice.special_face).capitalize()} are wild.")
        elif view.ruleset.wilds.special_is_wild:
            say(wildness_over(view.ruleset))

    def _held(self, dice: tuple[int, ...]) -> str:
        return ", ".join(f"{label} {held or 'out'}" for label, held in zip(self._labels(), dice, strict=True))

    def _status(self, view: View) -> str:
        standing = ""
        if view.bid is not None and view.bidder is not None:
            standing = f" {self.voice.label(view.bidder)} bid {bid_words(view.ruleset, view.bid)} ({view.bid})."
        return f"Your dice: {' '.join(map(str, view.hand))}.{standing}"

    def _your_turn(self) -> None:
        view = self.game.view
        words = [self._offered(word) for word, action in WORDS.items() if action in view.moves]
        bids = f"bid {least_bids(view)}" if view.may_bid else ""
        say(f"{self._status(view)} You may {' or '.join(filter(None, [bids, ', '.join(words)]))}.")
        self._do("your move> ")

    def _window(self) -> None:
        view = self.game.view
        words = [self._offered(word) for word, action in WORDS.items() if action in view.moves]
        say(f"{self._status(view)} Out of turn you may say {' or '.join(words)}; Enter lets it stand.")
        self._do("call?> ")

    def _do(self, prompt: str) -> None:
        """Read one line and do what it says; a mistake is explained, and the table asks again by itself."""
        line = self._read(prompt)
        try:
            if line.lower().startswith("penalty"):
                self._tell(self.game.penalise(self._trigger(line)))
            elif line:
                self._tell(self.game.act(self._action(line)), own=True)
            elif self.game.awaits is Awaits.WINDOW:
                self._tell(self.game.let_stand())
        except (IllegalActionError, MalformedError) as error:
            say(f"! {self.game.refusal(error)}")

    def _action(self, line: str) -> PlayerAction:
        labels = self.voice.rules.labels
        own = {_bare(labels.challenge): "liar", _bare(labels.exact): "exact", "l": "liar", "x": "exact"}
        word = own.get(_bare(line), line)
        try:
            return parse(word)
        except NotationError:
            shown = line if len(line) <= LONGEST_QUOTE else line[:LONGEST_QUOTE] + "…"
            raise NotationError(f"cannot read {shown!r} (write {', '.join(self._writable())})") from None

    def _writable(self) -> list[str]:
        """What can be written at this table at some time."""
        rules = self.voice.rules
        turning = [direction.value for direction in Direction] if rules.turn.starter_may_reverse else []
        words = ["liar", *(["exact"] if rules.exact_call is not None else []), *turning]
        return ["5x4 for five fours", *map(self._offered, words)]

    def _offered(self, word: str) -> str:
        """A word of the notation, behind what is said at this table where that is another."""
        labels = self.voice.rules.labels
        own = _bare({"liar": labels.challenge, "exact": labels.exact}.get(word, word))
        return word if own == word else f"{own} ({word})"

    def _trigger(self, line: str) -> PenaltyTrigger:
        triggers = [penalty.trigger for penalty in self.game.view.ruleset.penalties]
        if not triggers:
            raise IllegalActionError("these rules have no penalties")
        for trigger in triggers:
            if line.lower().removeprefix("penalty").strip() in {trigger.value, PENALTY_WORDS[trigger]}:
                return trigger
        known = [f"penalty {PENALTY_WORDS[trigger]} for {TRIGGERS[trigger]}" for trigger in triggers]
        raise NotationError(f"which penalty? write {' or '.join(known)}")

    def _choose_starter(self) -> None:
        names = self._labels()
        say(f"Who starts? {', '.join(names)}; Enter draws lots.")
        line = self._read("who starts?> ").lower()
        seats = [seat for seat, name in enumerate(names) if name.lower() == line]
        if line and not seats:
            say(f"! nobody here is called {line!r}")
        else:
            self._tell(self.game.choose_starter(seats[0] if seats else None))

    def _read(self, prompt: str) -> str:
        """One line of input for the game; questions about the table are answered here."""
        while True:
            line = read_line(prompt)
            view = self.game.view
            match line.lower():
                case asked if "?" in asked:
                    say(to_text(_about(rulebook(view.ruleset), asked)))
                case "quit" | "q" | "exit":
                    raise Quit
                case "rules":
                    say(to_text(rulebook(view.ruleset)))
                case "chart":
                    say("\n".join(chart_lines(view, self.voice)))
                case "dice" | "table":
                    say(self._status(view))
                    self._table(view)
                case "help" | "h":
                    say(self._help(view))
                case _:
                    return line

    def _help(self, view: View) -> str:
        labels = self.voice.rules.labels
        calls = [f"{'liar':17} challenge the standing bid ({labels.challenge})"]
        if view.ruleset.exact_call is not None:
            calls.append(f"{'exact':17} say that it is exactly right ({labels.exact})")
        calls += [
            f"{word:17} choose the direction, before the first bid of a round you open"
            for word, action in WORDS.items()
            if isinstance(action, SetDirection) and view.ruleset.turn.starter_may_reverse
        ]
        penalty = "penalty …         own up to a house penalty\n  " if view.ruleset.penalties else ""
        return HELP.format(calls="\n  ".join(calls), penalty=penalty)


def say(text: str) -> None:
    """Print lines, on a terminal broken between words where they are longer than it is wide."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for line in text.split("\n"):
        print(line if width is None else folded(line, width))


def folded(line: str, width: int) -> str:
    """A line broken between words, its later parts indented as it is."""
    indent = line[: len(line) - len(line.lstrip())]
    broken = wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(broken) if len(line) > width else line


def read_line(prompt: str) -> str:
    """A stripped line of input, echoed where nobody types it. Raises `Quit` at the end of the input."""
    if sys.stdin.isatty():
        try:
            return input(prompt).strip()
        except EOFError:
            print()
            raise Quit from None
    print(prompt, end="", flush=True)
    line = sys.stdin.readline()
    print(line.rstrip("\n"), flush=True)
    if not line:
        raise Quit
    return line.strip()


def _about(book: Rulebook, question: str) -> Rulebook:
    """The sections that speak of what is asked for: by their titles, else by their text, else all of them."""
    word = question.replace("?", " ").strip(" !.")
    titled = [section for section in book.sections if word in section.title.lower()]
    told = [section for section in book.sections if any(word in said.text.lower() for said in section.sentences)]
    return msgspec.structs.replace(book, sections=tuple(titled or told or book.sections))


def _bare(word: str) -> str:
    return word.strip().strip("!.").lower()
