"""What each part of the full-screen table looks like: a view in, styled text out.

Colour and weight only repeat what signs say: `<5>` is the picker, `(5)` the standing bid, a number alone is legal,
a dot is not; `[4]` is a die that counts.
"""

from __future__ import annotations

import msgspec
from rich.text import Text

from liarsdice.cli.play.chart import Chart, face_label, wild_note
from liarsdice.cli.play.worn import mustache
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import View
from liarsdice.core.events import Revealed, StarterRolled
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Direction
from liarsdice.core.rules.tally import Hand
from liarsdice.core.text.narration import Voice, bid_words, face_name, tell
from liarsdice.core.text.rulebook.english import number

LIT = "bold #ffd479"
QUIET = "#a9bfb3"
DOT = "#6f8b7d"
STANDING = "bold #8fd3ff"
PICKED = "bold reverse"
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
LONGEST_NAME = 10


class Reveal(msgspec.Struct, frozen=True):
    """How far the cups of a reveal are lifted: seats before `lifted` show their dice."""

    event: Revealed
    lifted: int

    @property
    def count(self) -> int:
        """What has been counted so far."""
        return sum(self.event.counted[: self.lifted])


def title(view: View, voice: Voice) -> Text:
    """The table's name and what everybody must know about the round."""
    rules = view.ruleset
    parts = [voice.rules.labels.game]
    if view.round_number:
        parts += [f"round {view.round_number}", f"{sum(view.dice)} dice in play"]
    if view.special_round and view.phase is Phase.BIDDING:
        parts.append(voice.rules.labels.special_round)
    if rules.wilds.special_is_wild and view.phase is Phase.BIDDING:
        parts.append(f"{face_name(rules, rules.dice.special_face)} {'wild' if view.wilds_count else 'not wild'}")
    if rules.turn.starter_may_reverse or view.direction is Direction.ANTICLOCKWISE:
        parts.append(str(view.direction))
    return Text(" · ".join(parts), style="bold", no_wrap=True, overflow="ellipsis")


def players(view: View, voice: Voice, *, rows: int, reveal: Reveal | None = None) -> Text:
    """Everybody at the table: whose turn it is, cups or dice, how many, the latest bid of the round.

    More players than rows stand in columns, with numbers instead of cups and dice.
    """
    worn = mustache(view.ruleset) if view.special_round and view.phase is Phase.BIDDING else ""
    labels = [voice.label(seat) for seat in range(len(view.names))]
    width = min(max(map(len, labels)), LONGEST_NAME)
    crowded = len(view.names) > rows
    lines: list[Text] = []
    for seat, label in enumerate(labels):
        line = _name(view, seat, f"{label if len(label) <= width else label[: width - 1] + '…':{width}}", worn)
        lines.append(line.append_text(_revealed(reveal, seat, crowded) or _held(view, seat, crowded)))
    columns = [lines[begin : begin + rows] for begin in range(0, len(lines), max(rows, 1))]
    widths = [max(line.cell_len for line in column) for column in columns]
    text = Text()
    for row in range(len(columns[0])):
        for column, room in zip(columns, widths, strict=True):
            if row < len(column):
                line = column[row]
                line.pad_right(room - line.cell_len)
                text.append_text(line)
        text.append("\n")
    text.right_crop(1)
    return text


def _name(view: View, seat: int, label: str, worn: str) -> Text:
    turn = view.phase is Phase.BIDDING and view.turn == seat
    line = Text(f"{'▸' if turn else ' '} {label} ", style="bold" if seat == view.seat else "")
    return line.append(f"{worn} " if worn else "")


def _revealed(reveal: Reveal | None, seat: int, crowded: bool) -> Text:
    """The dice of a player whose cup is lifted, the cup of one whose is not; nothing where there is no hand."""
    if reveal is None or not reveal.event.hands[seat]:
        return Text()
    hand, marked, counted = reveal.event.hands[seat], reveal.event.marked[seat], reveal.event.counted[seat]
    if seat >= reveal.lifted:
        return Text("▒" if crowded else " ▒ " * len(hand), QUIET)
    style = COUNTS if counted else QUIET
    if crowded:
        return Text(f"[{counted}]", style)
    return dice_line(hand, marked).append(f" {number(counted) if counted else 'none'}", style)


def _held(view: View, seat: int, crowded: bool) -> Text:
    if not view.dice[seat]:
        return Text("out", QUIET)
    line = Text(str(view.dice[seat]) if crowded else f"{'▒' * view.dice[seat]} {view.dice[seat]}")
    latest = next((bid for bidder, bid in reversed(view.bids) if bidder == seat), None)
    if latest is not None:
        line.append(f"  {latest}", STANDING if latest == view.bid else QUIET)
    return line


def dice_line(hand: Hand, marked: tuple[int, ...] = ()) -> Text:
    """Dice in a row, `[4]` where they are marked."""
    line = Text()
    for place, die in enumerate(hand):
        line.append(f"[{die}]" if place in marked else f" {die} ", COUNTS if place in marked else "")
    return line


def big_dice(hand: Hand, width: int) -> Text:
    """Dice as large as the room allows: five lines high, or one when there are too many."""
    if len(hand) * BIG_DIE_WIDTH > width:
        return dice_line(hand, tuple(range(len(hand))))
    rows = ["┌───────┐", *("│ {} │",) * 3, "└───────┘"]
    drawn = [[row.format(_inside(die, place - 1)) for place, row in enumerate(rows)] for die in hand]
    return Text("\n".join(" ".join(lines) for lines in zip(*drawn, strict=True)))


def _inside(die: int, row: int) -> str:
    if die in PIPS:
        return PIPS[die][min(max(row, 0), 2)]
    return f"{die:^5}" if row == 1 else " " * 5


def rolls(event: StarterRolled, voice: Voice) -> Text:
    """A roll for the start: everybody's dice, and what follows."""
    text = Text("\n")
    for seat, roll in enumerate(event.rolls):
        if roll:
            text.append(f"{voice.label(seat)} ").append_text(dice_line(roll, tuple(range(len(roll))))).append("   ")
    return text.append(f"\n\n{tell(event, voice)}")


def standing_bid(view: View, voice: Voice, reveal: Reveal | None = None) -> Text:
    """The bid to beat, in words and in pictures, and during a reveal the count beside it."""
    if view.bid is None or view.bidder is None:
        return Text("No bid yet.", style=QUIET)
    text = Text.assemble(
        "You bid " if view.bidder == voice.you else f"{voice.names[view.bidder]} bids ",
        (bid_words(view.ruleset, view.bid).upper(), STANDING),
        f" ({view.bid}) ",
        no_wrap=True,
        overflow="ellipsis",
    )
    if reveal is not None:
        text.append(f"  counted: {reveal.count}", COUNTS)
    elif view.bid.face < len(GLYPHS):
        text.append(GLYPHS[view.bid.face] * view.bid.quantity, STANDING)
    return text


def chart(view: View, grid: Chart, at: Bid | None, *, width: int, rows: int) -> Text:
    """The grid of quantity and face; what does not fit is reached by moving the picker `at`."""
    label = max(len(face_label(view, face)) for face in grid.faces) + 6
    focus = at or grid.standing or grid.start()
    quantities = _window(range(1, grid.top + 1), focus.quantity - 1, max((width - label - 2) // CELL, 1))
    shown = _window(range(len(grid.faces)), grid.faces.index(focus.face), max(rows - 2, 1))
    more = " >" if quantities[-1] < grid.top else ""
    text = Text(f"{'':{label}}" + "".join(f"{quantity:^{CELL}}" for quantity in quantities) + more, no_wrap=True)
    for row in shown:
        face = grid.faces[row]
        named = f"{face_label(view, face)} {wild_note(view, face)}"
        text.append(f"\n{named:{label}}")
        for quantity in quantities:
            text.append(*_cell(grid, Bid(quantity, face), at))
    if grid.lit:
        text.append("\nA number alone may be bid; (3) is the standing bid, <4> is what Enter bids.", QUIET)
    return text


def _cell(grid: Chart, bid: Bid, at: Bid | None) -> tuple[str, str]:
    lit = bid in grid.lit
    if bid == at:
        inside = str(bid.quantity) if lit or bid == grid.standing else "·"
        return f"<{inside}>"[:CELL], PICKED
    if bid == grid.standing:
        return f"({bid.quantity})"[:CELL], STANDING
    return (f"{bid.quantity:^{CELL}}", LIT) if lit else (f"{'·':^{CELL}}", DOT)


def _window(whole: range, focus: int, room: int) -> range:
    """As much of a range as there is room for, around a place in it."""
    begin = min(max(focus - room // 2, 0), max(len(whole) - room, 0))
    return whole[begin : begin + room]
