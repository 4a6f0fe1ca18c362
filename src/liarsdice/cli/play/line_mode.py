"""Plays a match line by line: for pipes, screen readers and terminals that cannot show a full screen.

The bid chart, the help and the sentences that the full screen shares with this mode are here, too.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterable
from itertools import pairwise
from textwrap import wrap

import msgspec

from liarsdice.cli.play.match_driver import MatchDriver, NextStep
from liarsdice.core.actions import BidAndShow, PlayerAction, SetDirection
from liarsdice.core.bids.notation import WORDS, notate
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import EventView, View
from liarsdice.core.errors import IllegalActionError, MalformedError, NotationError
from liarsdice.core.events import (
    BidMade,
    Challenged,
    DoubleAnswered,
    Doubled,
    ExactCalled,
    MatchEnded,
    PassChallenged,
    Revealed,
    RoundStarted,
)
from liarsdice.core.rules.bid_space import bid_space
from liarsdice.core.rules.bids import PURE_MARK, SUM_FACE, Bid, face_order, may_be_pure
from liarsdice.core.rules.choices import AllDifferent, Direction, RoundKind
from liarsdice.core.rules.meaning import (
    calls_exact,
    dice_differ_by_seat,
    exact_claim,
    has_face_off,
    has_passes,
    kind_is_chosen,
    may_show_dice,
    rolls_after_showing,
    shown_stakes,
    special_round_is_declared,
)
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.validate import (
    CHART,
    HELP_WORDS,
    PENALTY,
    PENALTY_WORDS,
    QUIT,
    RULES,
    TABLE,
    plain_words,
)
from liarsdice.core.sources import without_marks
from liarsdice.core.text.move_reader import read_move
from liarsdice.core.text.narration import (
    Narrator,
    bid_name,
    dice_texts,
    face_name,
    narrate,
    out_word,
    penalty_reason,
    stakes_name,
    summarise_call,
)
from liarsdice.core.text.rulebook import Rulebook, rulebook, to_text
from liarsdice.core.text.rulebook.english import join_words, number
from liarsdice.core.text.turn_text import hidden_dice_text
from liarsdice.play.match_runner import elimination_rounds, final_places, seats_by_place


class QuitRequested(Exception):  # noqa: N818  not an error
    """Raised when the player quits or the input ends."""


def print_lines(text: str) -> None:
    """Print lines. On a terminal, lines that are too wide are wrapped between words."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for line in text.split("\n"):
        print(line if width is None else wrap_line(line, width))


def wrap_line(line: str, width: int) -> str:
    """Return a line wrapped between words, the further lines with the same indent."""
    indent = line[: len(line) - len(line.lstrip())]
    parts = wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(parts) if len(line) > width else line


def read_line(prompt: str) -> str:
    """Return a stripped line of input, and echo it if stdin is no terminal.

    Raises `QuitRequested` at the end of the input.
    """
    if sys.stdin.isatty():
        try:
            return input(prompt).strip()
        except EOFError:
            print()
            raise QuitRequested from None
    print(prompt, end="", flush=True)
    line = without_marks(sys.stdin.readline())
    print(line.rstrip("\n"), flush=True)
    if not line:
        raise QuitRequested
    return line.strip()


def placings_text(view: View, events: Iterable[EventView], narrator: Narrator) -> str:
    """Return the final places on one line, such as "1. Ann  2. Bo and You  4. Cy"."""
    places = final_places(view, elimination_rounds(events))
    rows = [(places[seats[0]], join_words(map(narrator.list_name, seats))) for seats in seats_by_place(places)]
    return "  ".join(f"{place}. {names}" for place, names in rows)


def late_call_message(call: Challenged | ExactCalled | PassChallenged, narrator: Narrator) -> str:
    """Return the message for a player whose own call came after `call`, made at the same moment by another player."""
    out_of_turn = not isinstance(call, PassChallenged) and call.out_of_turn
    how = "called first" if out_of_turn else "called in turn"
    return f"{narrator.names[call.seat]} {how}, so that call counts and you risk nothing."


def wilds_off_message(rules: Ruleset) -> str:
    """Return the message after a bid that makes the special face lose its wildness for the round."""
    return f"{face_name(rules, rules.dice.special_face).capitalize()} are not wild for the rest of this round."


def count_text(rules: Ruleset, reveal: Revealed, count: int) -> str:
    """Return what was bid and what the shown dice come to: `count`, of all dice that will be shown."""
    bid, special, wild = reveal.bid, face_name(rules, rules.dice.special_face), ""
    if bid.is_sum:
        return f"sum of both dice: {bid.quantity} bid, {count} counted"
    if reveal.wilds_counted:
        wild = f" [{special} count too]"
    elif rules.wilds.special_is_wild and bid.face != rules.dice.special_face:
        wild = f" [{special} do not count]"
    return f"{face_name(rules, bid.face)}: {bid.quantity} bid, {count} counted{wild}"


def mustache_symbol(rules: Ruleset) -> str:
    """Return a mustache if the rules name their special round after one, otherwise an empty string.

    The players of such a round wear it, so tables show it beside their names.
    """
    return ":{" if "mustache" in rules.labels.special_round.lower() else ""


def show_help(rules: Ruleset) -> list[str]:
    """Return the lines of the help about dice that are shown with a bid, and about bids on the sum; none without."""
    others = "roll your other dice again" if rolls_after_showing(rules) else "keep your other dice hidden"
    how = f"bid five fours, put two fours in the open and {others}"
    lines = [f"{'5x4+44':17} {how}"] if may_show_dice(rules) else []
    return [*lines, *[f"{'sum7':17} bid that both dice add up to at least seven, in a face-off"] * has_face_off(rules)]


def show_hint(view: View) -> str:
    """Return how dice are shown with a bid, if the seat of the view has some that it could show now."""
    bid = next((bid for bid in view.may_bid if view.showable(bid)), None)
    return "" if bid is None else f" (with dice to show: {notate(BidAndShow(bid, view.showable(bid)[:1]))})"


def own_dice_text(view: View) -> str:
    """Return the own dice as a sentence, those in the open apart."""
    in_the_open = view.hand[: len(view.hand) - len(view.hidden)]
    apart = f", and {' '.join(map(str, in_the_open))} in the open" if in_the_open else ""
    return f"Your dice: {' '.join(map(str, view.hidden))}{apart}."


def counts_text(dice: Iterable[int], view: View, narrator: Narrator) -> str:
    """Return the dice of each seat as a sentence, and others on lives, as the table counts them, and on shown dice."""
    names = [narrator.list_name(seat) for seat in range(len(view.names))]
    counts = [("Dice", [str(held or out_word(view.ruleset)) for held in dice])]
    if view.lives:
        counts.append(
            (stakes_name(view.ruleset), [str(shown_stakes(view.ruleset, left)) for left in view.lives_in_hand])
        )
    if view.pot:
        counts.append(("pot", [str(view.pot)]))
    if dice_differ_by_seat(view.ruleset):
        counts.append(("Faces", [str(view.ruleset.dice.faces_at(seat)) for seat in range(len(view.names))]))
    if any(view.shown):
        shown = [" ".join(map(str, dice)) or "none" for dice in view.shown]
        counts.append(("in the open", shown))
    return " ".join(
        f"{what.capitalize()}: {', '.join(map(' '.join, zip(names, numbers, strict=True)))}."
        for what, numbers in counts
    )


class ChartGrid(msgspec.Struct, frozen=True):
    """All bids as a grid: quantities from 1 to `max_quantity` for each of `kinds`.

    `kinds` are the faces, lowest rank first, with whether a bid is pure; pure ones come last. In a face-off, the sums
    are the only row. `legal` are the bids that the player may make now, `standing` is the bid to beat.
    """

    kinds: tuple[tuple[int, bool], ...]
    max_quantity: int
    legal: frozenset[Bid]
    standing: Bid | None

    def first_cell(self) -> Bid:
        """Return the cell that is selected at first: the lowest legal bid, pure or not, or else the standing one."""
        standing = Bid(1, *self.kinds[0]) if self.standing is None else self.standing
        return min(self.legal, key=self._order, default=standing)

    def neighbour(self, cell: Bid, *, right: int = 0, down: int = 0) -> Bid:
        """Return the cell so many columns to the right and rows down, or the one at the edge of the grid."""
        row = min(max(self.row(cell) + down, 0), len(self.kinds) - 1)
        return Bid(min(max(cell.quantity + right, 1), self.max_quantity), *self.kinds[row])

    def row(self, bid: Bid) -> int:
        """Return the row of a bid, from 0."""
        return self.kinds.index((bid.face, bid.pure))

    def _order(self, bid: Bid) -> tuple[bool, int, int]:
        return bid.pure, bid.quantity, self.row(bid)


def make_grid(view: View) -> ChartGrid:
    """Return the grid for the seat of a view. No bid is legal if it is not that seat's turn."""
    bids = [*view.may_bid, *([] if view.bid is None else [view.bid])]
    if view.face_off:
        return ChartGrid(((SUM_FACE, False),), view.max_quantity or 1, frozenset(view.may_bid), view.bid)
    max_quantity = max([1 if view.max_quantity is None else view.max_quantity, *(bid.quantity for bid in bids), 1])
    return ChartGrid(bid_space(view.ruleset).kinds, max_quantity, frozenset(view.may_bid), view.bid)


def wild_note(view: View, face: int) -> str:
    """Return "wild" if the face is wild in this round, otherwise an empty string."""
    return "wild" if view.wilds_count and face == view.ruleset.dice.special_face else ""


def row_label(view: View, face: int, *, pure: bool) -> str:
    """Return the number and the name of a face, such as "4 fours", or "4! fours zhai" for pure bids; a sum is named."""
    if face == SUM_FACE:
        return "sum of both dice"
    mark, zhai = (PURE_MARK, " zhai") if pure else ("", "")
    return f"{face}{mark} {face_name(view.ruleset, face)}{zhai}"


def format_ranges(numbers: list[int]) -> str:
    """Return ascending whole numbers as text, runs of them as ranges.

    >>> format_ranges([2, 4, 5, 6])
    '2, 4 to 6'
    """
    gaps = [index for index, (low, high) in enumerate(pairwise(numbers), 1) if high > low + 1]
    runs = [numbers[begin:end] for begin, end in pairwise([0, *gaps, len(numbers)])]
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs if run)


def chart_lines(view: View, narrator: Narrator) -> list[str]:
    """Return the chart as text: the standing bid, then a line for each face with the quantities that may be bid."""
    grid = make_grid(view)
    lines = ["There is no bid yet."]
    if view.bid is not None and view.bidder is not None:
        words = bid_name(view.ruleset, view.bid)
        claimed = ", claimed to be exact" if view.claimed else ""
        lines = [f"The standing bid: {words} ({view.bid}), by {narrator.name(view.bidder)}{claimed}."]
    faces = (SUM_FACE,) if view.face_off else face_order(view.ruleset)
    width = max(len(row_label(view, face, pure=False)) for face in faces)
    for face in faces:
        note = f"  ({wild_note(view, face)})" if wild_note(view, face) else ""
        pure = _ranges_of(grid, face, pure=True)
        if may_be_pure(view.ruleset, face):
            note += f"  zhai ({face}{PURE_MARK}): {pure}"
        lines.append(f"  {row_label(view, face, pure=False):{width}}  {_ranges_of(grid, face, pure=False)}{note}")
    return lines


def _ranges_of(grid: ChartGrid, face: int, *, pure: bool) -> str:
    quantities = sorted(bid.quantity for bid in grid.legal if bid.face == face and bid.pure is pure)
    return format_ranges(quantities) if quantities else "-"


def legal_bids_text(view: View) -> str:
    """Return the legal bids in short: the lowest of each face, with a plus if a higher quantity is legal, too.

    Pure bids are listed apart.
    """
    by_kind: dict[tuple[int, bool], list[int]] = {}
    for bid in view.may_bid:
        by_kind.setdefault((bid.face, bid.pure), []).append(bid.quantity)
    return " ".join(
        f"{Bid(min(quantities), *kind)}{'+' if len(quantities) > 1 or view.unlimited else ''}"
        for kind, quantities in by_kind.items()
    )


HELP = """\
  5x4               bid five fours (the number of dice comes first)
  {calls}
  dice, chart       your dice and the table; the legal bids of each face (5x4+ means five or more fours)
  ?                 the rules of this game; ?bids, or another word, shows the rules about it
  {penalty}quit              quit; the match is saved and can be continued later"""


class LineMode:
    """Plays a match as text: it prints sentences and reads moves in notation."""

    def __init__(self, driver: MatchDriver) -> None:
        self.driver = driver
        self.narrator = driver.narrator

    def play(self) -> None:
        """Play the match to its end. Raises `QuitRequested` if the player quits or the input ends before that."""
        print_lines(narrate(self.driver.events[0], self.narrator) + " Type ? for the rules, help for the commands.")
        print_lines("A plus means “or more”: 1x3+ stands for one three, two threes and so on.")
        if len(self.driver.events) > 1:
            self._print_earlier_events()
        while (step := self.driver.next_step) is not NextStep.OVER:
            match step:
                case NextStep.DEAL:
                    self._print_events(self.driver.deal())
                case NextStep.CHOOSE_STARTER:
                    self._ask_starter()
                case NextStep.OWN_TURN:
                    self._ask_move()
                case NextStep.CALL_OUT_OF_TURN:
                    self._ask_call()
                case NextStep.BOTS:
                    self._print_events(self.driver.bots_act())
        print_lines(placings_text(self.driver.view, self.driver.events, self.narrator))
        print_lines(f"To see the match on one line: liarsdice replay --line {shlex.quote(str(self.driver.path))}")

    def _print_events(self, events: list[EventView], *, own: bool = False) -> None:
        for fault in self.driver.faults():
            print_lines(f"! {fault}")
        if len(events) > 1 and isinstance(events[0], Doubled | DoubleAnswered) and isinstance(events[1], Challenged):
            print_lines(narrate(events[0], self.narrator))
            events = events[1:]
        if events and isinstance(events[0], Challenged | ExactCalled | PassChallenged):
            print_lines(narrate(events[0], self.narrator))
            if own and events[0].seat != self.driver.you:
                print_lines(late_call_message(events[0], self.narrator))
            self._print_reveal(events)
            events = [event for event in events if isinstance(event, MatchEnded)]
        for event in events:
            if isinstance(event, RoundStarted):
                self._print_round(event)
            else:
                print_lines(narrate(event, self.narrator))
                if isinstance(event, BidMade) and self.driver.wilds_just_ended:
                    print_lines(wilds_off_message(self.narrator.rules))

    def _print_round(self, event: RoundStarted) -> None:
        print_lines(f"\n{narrate(event, self.narrator)}")
        print_lines(counts_text(event.dice, self.driver.view, self.narrator))
        symbol = mustache_symbol(self.narrator.rules)
        if event.special_seat is not None and symbol:
            print_lines("Everyone wears one:  " + "  ".join(f"{name} {symbol}" for name in self._names()))

    def _print_reveal(self, events: list[EventView]) -> None:
        reveal = events[1]
        assert isinstance(reveal, Revealed)
        for name, hand, marked, counted in zip(self._names(), reveal.hands, reveal.marked, reveal.counted, strict=True):
            if hand:
                dice = " ".join(
                    f"{die}{'*' if index in marked else ''}"
                    for index, die in enumerate(dice_texts(self.narrator.rules, hand))
                )
                print_lines(f"  {name}: {dice}  ({number(counted) if counted else 'none'})")
        print_lines(narrate(reveal, self.narrator) + (" (Dice with * count.)" if any(reveal.marked) else ""))
        print_lines(summarise_call(events, self.narrator))

    def _print_earlier_events(self) -> None:
        view = self.driver.view
        if view.phase in (Phase.STARTER, Phase.DEAL):
            print_lines(f"The match continues with round {view.round_number + 1}.")
            return
        print_lines(f"The match continues in round {view.round_number}.")
        for seat, bid in view.bids:
            print_lines(f"{self.narrator.list_name(seat)} bid {bid_name(view.ruleset, bid)}.")
        for seat, place in view.passes:
            print_lines(f"{self.narrator.list_name(seat)} passed after bid {place}.")
        if view.ruleset.wilds.special_is_wild and not view.wilds_count:
            print_lines(wilds_off_message(view.ruleset))

    def _names(self) -> list[str]:
        return [self.narrator.list_name(seat) for seat in range(len(self.narrator.names))]

    def _print_table(self, view: View) -> None:
        print_lines(f"{counts_text(view.dice, view, self.narrator)} Play goes {view.direction}.")
        if view.wilds_count:
            print_lines(f"{face_name(view.ruleset, view.ruleset.dice.special_face).capitalize()} are wild.")
        elif view.ruleset.wilds.special_is_wild:
            print_lines(wilds_off_message(view.ruleset))

    def _status(self, view: View) -> str:
        own = hidden_dice_text(view) or own_dice_text(view)
        if view.bid is None or view.bidder is None:
            return own
        said = f"{view.bid}{', claimed exact' if view.claimed else ''}"
        return f"{own} {self.narrator.list_name(view.bidder)} bid {bid_name(view.ruleset, view.bid)} ({said})."

    def _ask_move(self) -> None:
        view = self.driver.view
        words = [self._word_label(word) for word, action in WORDS.items() if action in view.moves]
        bids = f"bid {legal_bids_text(view)}{show_hint(view)}" if view.may_bid else ""
        print_lines(f"{self._status(view)} You may {' or '.join(filter(None, [bids, ', '.join(words)]))}.")
        self._read_and_act("your move> ")

    def _ask_call(self) -> None:
        view = self.driver.view
        words = [self._word_label(word) for word, action in WORDS.items() if action in view.moves]
        print_lines(
            f"{self._status(view)} Out of turn you may say {' or '.join(words)}, or press Enter to let it stand."
        )
        self._read_and_act("call?> ")

    def _read_and_act(self, prompt: str) -> None:
        """Read one line and act on it. Prints a message for an illegal line; the caller asks again."""
        line = self._read_answer(prompt)
        try:
            if line.lower().startswith(PENALTY):
                self._print_events(self.driver.report_penalty(self._parse_penalty(line)))
            elif move := self._read_move(line) if line else None:
                self._print_events(self.driver.act(move), own=True)
            elif self.driver.next_step is NextStep.CALL_OUT_OF_TURN:
                self._print_events(self.driver.let_bid_stand())
        except (IllegalActionError, MalformedError) as error:
            print_lines(f"! {self.driver.error_text(error)}")

    def _read_move(self, line: str) -> PlayerAction | None:
        """Return the move of a line, None for silence out of turn. Raises `NotationError` if it is none."""
        view = self.driver.view
        move = read_move(line, view.ruleset, view.allows, ending=f"write {', '.join(self._known_inputs())}")
        if move is None and view.on_turn:
            raise IllegalActionError("it is your turn, and these rules know no pass")
        return move

    def _known_inputs(self) -> list[str]:
        """Return all moves that can be written under these rules."""
        rules = self.narrator.rules
        directions = [direction.value for direction in Direction] if rules.turn.starter_may_reverse else []
        passes = ["pass", "doubt"] if has_passes(rules) else []
        exact = [*["exact"] * calls_exact(rules), *["claim"] * (exact_claim(rules) is not None)]
        words = ["liar", *exact, *passes, *directions]
        return ["5x4 for five fours", *map(self._word_label, words)]

    def _word_label(self, word: str) -> str:
        """Return a word of the notation, after the word that these rules use for it if that is another one."""
        labels = self.narrator.rules.labels
        label = plain_words({"liar": labels.challenge, "exact": labels.exact}.get(word, word))
        return word if label == word else f"{label} ({word})"

    def _parse_penalty(self, line: str) -> Penalty:
        penalties = self.driver.view.ruleset.penalties
        if not penalties:
            raise IllegalActionError("these rules have no penalties")
        written = line.casefold().removeprefix(PENALTY).strip()
        for penalty in penalties:
            trigger, offence = penalty.punishes
            if written in ({offence.casefold()} if offence else {trigger.value, PENALTY_WORDS[trigger]}):
                return penalty
        choices = [
            f"penalty {penalty.offence or PENALTY_WORDS[penalty.trigger]} for {penalty_reason(*penalty.punishes)}"
            for penalty in penalties
        ]
        raise NotationError(f"which penalty? Write {' or '.join(choices)}")

    def _ask_starter(self) -> None:
        names = self._names()
        print_lines(f"Who starts? {', '.join(names)}; Enter draws lots.")
        line = self._read_answer("who starts?> ").lower()
        seats = [seat for seat, name in enumerate(names) if name.lower() == line]
        if line and not seats:
            print_lines(f"! no player is called {line!r}")
        else:
            self._print_events(self.driver.choose_starter(seats[0] if seats else None))

    def _read_answer(self, prompt: str) -> str:
        """Read lines until one is no question about the table, which are answered here, and return it.

        Raises `QuitRequested` if the player quits or the input ends.
        """
        while True:
            line = read_line(prompt)
            view = self.driver.view
            match line.lower():
                case question if "?" in question:
                    print_lines(to_text(_matching_sections(rulebook(view.ruleset), question)))
                case word if word in QUIT:
                    raise QuitRequested
                case word if word == RULES:
                    print_lines(to_text(rulebook(view.ruleset)))
                case word if word == CHART:
                    print_lines("\n".join(chart_lines(view, self.narrator)))
                case word if word in TABLE:
                    print_lines(self._status(view))
                    self._print_table(view)
                case word if word in HELP_WORDS:
                    print_lines(self._help_text(view))
                case _:
                    return line

    def _help_text(self, view: View) -> str:
        labels = self.narrator.rules.labels
        calls = [*show_help(view.ruleset), f"{'liar':17} challenge the standing bid ({labels.challenge})"]
        if exact_claim(view.ruleset) is not None:
            calls.append(f"{'claim':17} claim that it is exactly right, and let the others raise or doubt it")
        if calls_exact(view.ruleset):
            calls.append(f"{'exact':17} say that it is exactly right ({labels.exact})")
        opened = "a round" if view.ruleset.turn.starter_may_reverse is True else "the match, if"
        calls += [
            f"{word:17} choose the direction, before the first bid of {opened} you open"
            for word, action in WORDS.items()
            if isinstance(action, SetDirection) and view.ruleset.turn.starter_may_reverse
        ]
        if kind_is_chosen(view.ruleset):
            calls += [f"{kind:17} choose the kind of a special round that you open" for kind in RoundKind]
        elif special_round_is_declared(view.ruleset):
            calls.append(f"{'special':17} declare a round that you open with your last die ({labels.special_round})")
        if view.ruleset.count.all_different is AllDifferent.MAY_ROLL_AGAIN:
            calls.append(f"{'reroll':17} roll all dice again if the rules let you, before your first bid of a round")
        penalty = "penalty …         report a penalty that you owe\n  " if view.ruleset.penalties else ""
        return HELP.format(calls="\n  ".join(calls), penalty=penalty)


def _matching_sections(book: Rulebook, question: str) -> Rulebook:
    """Return the sections with the word of the question in their titles, else in their text, else all sections."""
    word = question.replace("?", " ").strip(" !.")
    by_title = [section for section in book.sections if word in section.title.lower()]
    by_text = [section for section in book.sections if any(word in part.text.lower() for part in section.sentences)]
    return msgspec.structs.replace(book, sections=tuple(by_title or by_text or book.sections))
