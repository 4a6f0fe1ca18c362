"""Render the parts of the full-screen table: each function takes a view and returns styled text.

Colours only repeat what signs say: `<5>` is the selected bid, `(5)` the standing bid, a plain number is a legal bid,
a dot an illegal one; `[4]` is a die that counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import msgspec
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static

from liarsdice.cli.play.line_mode import ChartGrid, mustache_symbol, row_label, wild_note
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import View
from liarsdice.core.events import Revealed, StarterRolled
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Direction
from liarsdice.core.rules.meaning import dice_differ_by_seat, shown_stakes
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.core.text.characters import fit_text, text_width
from liarsdice.core.text.narration import Narrator, bid_name, dice_texts, face_name, narrate, out_word, stakes_words
from liarsdice.core.text.rulebook.english import number

LEGAL = "bold #ffd479"
QUIET = "#a9bfb3"
DOT = "#6f8b7d"
STANDING = "bold #8fd3ff"
SELECTED = "bold reverse"
COUNTS = "bold #ffd479"

PIPS = {
    1: ("     ", "  ●  ", "     "),
    2: ("●    ", "     ", "    ●"),
    3: ("●    ", "  ●  ", "    ●"),
    4: ("●   ●", "     ", "●   ●"),
    5: ("●   ●", "  ●  ", "●   ●"),
    6: ("●   ●", "●   ●", "●   ●"),
}
GLYPHS = " ⚀⚁⚂⚃⚄⚅"
BIG_DIE_WIDTH = 10
CELL = 3
MAX_NAME_WIDTH = 10


class Reveal(msgspec.Struct, frozen=True):
    """The progress of a reveal: the first `shown_count` seats show their dice."""

    event: Revealed
    shown_count: int

    @property
    def count(self) -> int:
        """The number of dice that count among those shown."""
        return sum(self.event.counted[: self.shown_count])


def title(view: View, narrator: Narrator) -> Text:
    """Return the title line: the game, the round, the dice in play and the conditions of the round."""
    rules = view.ruleset
    parts = [narrator.rules.labels.game]
    if view.round_number:
        parts += [f"round {view.round_number}", f"{sum(view.dice)} dice in play"]
    if view.pot:
        parts.append(f"pot: {stakes_words(rules, view.pot)}")
    if view.special_round and view.phase is Phase.BIDDING:
        parts.append(narrator.rules.labels.special_round)
    if view.face_off and view.phase is Phase.BIDDING:
        parts.append("face-off")
    elif rules.wilds.special_is_wild and view.phase is Phase.BIDDING:
        parts.append(f"{face_name(rules, rules.dice.special_face)} {'wild' if view.wilds_count else 'not wild'}")
    if rules.turn.starter_may_reverse or view.direction is Direction.ANTICLOCKWISE:
        parts.append(str(view.direction))
    return Text(" · ".join(parts), style="bold", no_wrap=True, overflow="ellipsis")


def players(view: View, narrator: Narrator, *, rows: int, reveal: Reveal | None = None) -> Text:
    """Return a line for each player: the turn, the cup or the dice, their number, the latest bid of the round.

    If there are more players than rows, they share rows, with numbers instead of cups and dice.
    """
    symbol = mustache_symbol(view.ruleset) if view.special_round and view.phase is Phase.BIDDING else ""
    labels = [narrator.list_name(seat) for seat in range(len(view.names))]
    width = min(max(map(text_width, labels)), MAX_NAME_WIDTH)
    crowded = len(view.names) > rows
    lines: list[Text] = []
    for seat, label in enumerate(labels):
        line = _name(view, seat, fit_text(label, width), symbol)
        lines.append(line.append_text(_revealed_dice(view, reveal, seat, crowded) or _hidden_dice(view, seat, crowded)))
    columns = [lines[begin : begin + rows] for begin in range(0, len(lines), max(rows, 1))]
    widths = [max(line.cell_len for line in column) for column in columns]
    text = Text()
    for row in range(len(columns[0])):
        for column, column_width in zip(columns, widths, strict=True):
            if row < len(column):
                line = column[row]
                line.pad_right(column_width - line.cell_len)
                text.append_text(line)
        text.append("\n")
    text.right_crop(1)
    return text


def _name(view: View, seat: int, label: str, symbol: str) -> Text:
    turn = view.phase is Phase.BIDDING and view.turn == seat
    line = Text(f"{'▸' if turn else ' '} {label} ", style="bold" if seat == view.seat else "")
    return line.append(f"{symbol} " if symbol else "")


def _revealed_dice(view: View, reveal: Reveal | None, seat: int, crowded: bool) -> Text:
    """Return the dice of a player who shows them, or the cup; an empty text without a reveal or a hand."""
    if reveal is None or not reveal.event.hands[seat]:
        return Text()
    hand, marked, counted = reveal.event.hands[seat], reveal.event.marked[seat], reveal.event.counted[seat]
    if seat >= reveal.shown_count:
        return Text("▒" if crowded else " ▒ " * len(hand), QUIET)
    style = COUNTS if counted else QUIET
    if crowded:
        return Text(f"[{counted}]", style)
    return dice_line(hand, marked, view.ruleset).append(f" {number(counted) if counted else 'none'}", style)


def _hidden_dice(view: View, seat: int, crowded: bool) -> Text:
    if not view.dice[seat]:
        return Text(out_word(view.ruleset), QUIET)
    if view.seen and view.seen[seat]:
        line = dice_line(view.seen[seat], ())
    else:
        shown, hidden = " ".join(map(str, view.shown_by(seat))), "▒" * view.hidden_count(seat)
        line = Text(str(view.dice[seat]) if crowded else f"{hidden} {view.dice[seat]}")
        line.append(f" d{view.ruleset.dice.faces_at(seat)}" if dice_differ_by_seat(view.ruleset) else "", QUIET)
        line.append(f"  [{shown}]" if shown else "", COUNTS)
    if view.lives:
        line.append(f"  {stakes_words(view.ruleset, shown_stakes(view.ruleset, view.lives_in_hand[seat]))}")
    latest = next((bid for bidder, bid in reversed(view.bids) if bidder == seat), None)
    if latest is not None:
        line.append(f"  {latest}", STANDING if latest == view.bid else QUIET)
    return line


def dice_line(hand: Hand, marked: tuple[int, ...] = (), rules: Ruleset | None = None) -> Text:
    """Return the dice on one line. `marked`: the indices of dice to draw as `[4]`. By `rules`, some count twice."""
    line = Text()
    for index, die in enumerate(map(str, hand) if rules is None else dice_texts(rules, hand)):
        line.append(f"[{die}]" if index in marked else f" {die} ", COUNTS if index in marked else "")
    return line


def big_dice(hand: Hand, width: int, rules: Ruleset | None = None) -> Text:
    """Return the dice five lines high, or on one line if they do not fit into `width` columns."""
    if len(hand) * BIG_DIE_WIDTH > width:
        return dice_line(hand, tuple(range(len(hand))), rules)
    double = 0 if rules is None else rules.dice.double_count(len(hand))
    rows = ["┌───────┐", *("│ {} │",) * 3]
    dice = [
        [
            *(row.format(_pips(die, index - 1)) for index, row in enumerate(rows)),
            "└───────┘" if place >= double else "└──×2───┘",
        ]
        for place, die in enumerate(hand)
    ]
    return Text("\n".join(" ".join(lines) for lines in zip(*dice, strict=True)))


def own_dice(view: View, width: int) -> Text:
    """Return the own dice as `big_dice`, or cups in their place if the viewing seat does not see them."""
    if view.seat is None or not view.is_blind:
        return big_dice(view.hand, width, view.ruleset)
    return Text(f"{'▒ ' * view.dice[view.seat]} You do not see your dice in this round.", QUIET)


def _pips(die: int, row: int) -> str:
    if die in PIPS:
        return PIPS[die][min(max(row, 0), 2)]
    return f"{die:^5}" if row == 1 else " " * 5


def start_rolls(event: StarterRolled, narrator: Narrator) -> Text:
    """Return a roll for the start: the dice of each player, and who opens."""
    text = Text("\n")
    for seat, roll in enumerate(event.rolls):
        if roll:
            text.append(f"{narrator.list_name(seat)} ").append_text(dice_line(roll, tuple(range(len(roll))))).append(
                "   "
            )
    return text.append(f"\n\n{narrate(event, narrator)}")


def standing_bid(view: View, narrator: Narrator, reveal: Reveal | None = None) -> Text:
    """Return the standing bid in words and dice symbols. During a reveal, the count replaces the symbols."""
    if view.bid is None or view.bidder is None:
        return Text("No bid yet.", style=QUIET)
    text = Text.assemble(
        "You bid " if view.bidder == narrator.listener else f"{narrator.names[view.bidder]} bids ",
        (bid_name(view.ruleset, view.bid).upper(), STANDING),
        f" ({view.bid}{', claimed exact' if view.claimed else ''}) ",
        no_wrap=True,
        overflow="ellipsis",
    )
    if reveal is not None:
        text.append(f"  counted: {reveal.count}", COUNTS)
    elif 0 < view.bid.face < len(GLYPHS):
        text.append(GLYPHS[view.bid.face] * view.bid.quantity, STANDING)
    return text


def chart(view: View, grid: ChartGrid, selected: Bid | None, *, width: int, rows: int) -> Text:
    """Return as much of the bid chart around the selected bid as fits into the width and rows."""
    label_width = max(len(row_label(view, face, pure=pure)) for face, pure in grid.kinds) + 6
    focus = selected or grid.standing or grid.first_cell()
    column_count = max((width - label_width - 2) // CELL, 1)
    quantities = _window(range(1, grid.max_quantity + 1), focus.quantity - 1, column_count)
    rows_shown = _window(range(len(grid.kinds)), grid.row(focus), max(rows - 2, 1))
    more = " >" if quantities[-1] < grid.max_quantity else ""
    text = Text(f"{'':{label_width}}" + "".join(f"{quantity:^{CELL}}" for quantity in quantities) + more, no_wrap=True)
    for index in rows_shown:
        face, pure = grid.kinds[index]
        label = f"{row_label(view, face, pure=pure)} {wild_note(view, face)}"
        text.append(f"\n{label:{label_width}}")
        for quantity in quantities:
            text.append(*_cell(grid, Bid(quantity, face, pure), selected))
    if grid.legal:
        text.append("\nPlain numbers may be bid; (3) is the standing bid, <4> is what Enter bids.", QUIET)
    return text


def _cell(grid: ChartGrid, bid: Bid, selected: Bid | None) -> tuple[str, str]:
    legal = bid in grid.legal
    if bid == selected:
        content = str(bid.quantity) if legal or bid == grid.standing else "·"
        return f"<{content}>"[:CELL], SELECTED
    if bid == grid.standing:
        return f"({bid.quantity})"[:CELL], STANDING
    return (f"{bid.quantity:^{CELL}}", LEGAL) if legal else (f"{'·':^{CELL}}", DOT)


def _window(numbers: range, focus: int, size: int) -> range:
    """Return at most `size` numbers of a range, around the index `focus`."""
    begin = min(max(focus - size // 2, 0), max(len(numbers) - size, 0))
    return numbers[begin : begin + size]


class ChoiceDialog(ModalScreen[int | None]):
    """A list of entries. The result is the index of the chosen one, or None if the player leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss_with_none", "back")]

    def __init__(self, question: str, entries: Sequence[str], *, hint: str = "arrows move, Enter chooses") -> None:
        super().__init__()
        self.question = question
        self.entries = entries
        self.hint = hint

    def compose(self) -> ComposeResult:
        """Yield the question, the entries and the key hints."""
        with Vertical(classes="dialog"):
            yield Static(self.question, classes="question", markup=False)
            yield OptionList(*self.entries, markup=False)
            yield Static(self.hint, classes="hint", markup=False)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Mark the highlighted entry with a sign, for players who see no colour."""
        for index, entry in enumerate(self.entries):
            mark = "▸" if index == event.option_index else " "
            event.option_list.replace_option_prompt_at_index(index, f"{mark} {entry}")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Return the index of the entry."""
        _ = self.dismiss(event.option_index)

    def action_dismiss_with_none(self) -> None:
        """Return None."""
        _ = self.dismiss(None)


class TextPage(ModalScreen[None]):
    """A text to scroll through."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,question_mark", "close_page", "back to the table"),
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text

    def compose(self) -> ComposeResult:
        """Yield the text and the key hints."""
        with Vertical(classes="page"):
            with VerticalScroll():
                yield Static(self.text, markup=False)
            yield Static("arrows scroll, Enter closes", classes="hint", markup=False)

    def on_mount(self) -> None:
        """Focus the text, so that the arrow keys scroll it."""
        self.query_one(VerticalScroll).focus()

    def action_close_page(self) -> None:
        """Close the page."""
        _ = self.dismiss(None)
