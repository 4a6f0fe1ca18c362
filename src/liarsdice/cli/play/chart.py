"""The claim chart of the human's turn: a grid of quantity and face on which the legal bids are lit."""

from __future__ import annotations

from itertools import pairwise

import msgspec

from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid, face_order
from liarsdice.core.text.narration import Voice, bid_words, face_name


class Chart(msgspec.Struct, frozen=True):
    """All bids at a glance: `faces` lowest first, quantities 1..`top`, the `lit` ones legal now, the `standing` one."""

    faces: tuple[int, ...]
    top: int
    lit: frozenset[Bid]
    standing: Bid | None

    def start(self) -> Bid:
        """Where the picker stands first: on the lowest legal bid, or else on the standing one."""
        return min(self.lit, key=self._order, default=self.standing or Bid(1, self.faces[0]))

    def moved(self, at: Bid, *, right: int = 0, down: int = 0) -> Bid:
        """The cell next to another one, at most at the edge."""
        row = min(max(self.faces.index(at.face) + down, 0), len(self.faces) - 1)
        return Bid(min(max(at.quantity + right, 1), self.top), self.faces[row])

    def _order(self, bid: Bid) -> tuple[int, int]:
        return bid.quantity, self.faces.index(bid.face)


def chart_of(view: View) -> Chart:
    """The chart as the viewing seat may use it now; nothing is lit when it is not that seat's turn."""
    quantities = [bid.quantity for bid in view.may_bid]
    if view.bid is not None:
        quantities.append(view.bid.quantity)
    top = max(quantities, default=1) if view.top is None else max(view.top, max(quantities, default=1))
    return Chart(face_order(view.ruleset), top, frozenset(view.may_bid), view.bid)


def wild_note(view: View, face: int) -> str:
    """What a player must know about a face in this round: whether it is wild."""
    return "wild" if view.wilds_count and face == view.ruleset.dice.special_face else ""


def face_label(view: View, face: int) -> str:
    """A face by number and name."""
    return f"{face} {face_name(view.ruleset, face)}"


def ranges(numbers: list[int]) -> str:
    """Ascending whole numbers as a reader says them.

    >>> ranges([2, 4, 5, 6])
    '2, 4 to 6'
    """
    cuts = [0, *(place for place, (low, high) in enumerate(pairwise(numbers), 1) if high > low + 1), len(numbers)]
    runs = [numbers[begin:end] for begin, end in pairwise(cuts)]
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs if run)


def chart_lines(view: View, voice: Voice) -> list[str]:
    """The chart in words, one line a face."""
    chart = chart_of(view)
    lines = ["There is no bid yet."]
    if view.bid is not None and view.bidder is not None:
        words = bid_words(view.ruleset, view.bid)
        lines = [f"The standing bid: {words} ({view.bid}), by {voice.name(view.bidder)}."]
    width = max(len(face_label(view, face)) for face in chart.faces)
    for face in chart.faces:
        may = sorted(bid.quantity for bid in chart.lit if bid.face == face)
        wild = wild_note(view, face)
        lines.append(
            f"  {face_label(view, face):{width}}  {ranges(may) if may else '-'}{f'  ({wild})' if wild else ''}"
        )
    return lines


def least_bids(view: View) -> str:
    """The legal bids in short: the least of each face, with a plus where more may be bid."""
    by_face: dict[int, list[int]] = {}
    for bid in view.may_bid:
        by_face.setdefault(bid.face, []).append(bid.quantity)
    return " ".join(
        f"{Bid(min(may), face)}{'+' if len(may) > 1 or view.unlimited else ''}" for face, may in by_face.items()
    )
