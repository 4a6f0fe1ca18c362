"""The bid chart of a match: a grid of quantities and faces that shows which bids are legal now."""

from __future__ import annotations

from itertools import pairwise

import msgspec

from liarsdice.core.engine.view import View
from liarsdice.core.rules.bid_space import bid_space
from liarsdice.core.rules.bids import PURE_MARK, SUM_FACE, Bid, face_order, may_be_pure
from liarsdice.core.text.narration import Narrator, bid_name, face_name


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
        lines = [f"The standing bid: {words} ({view.bid}), by {narrator.name(view.bidder)}."]
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
