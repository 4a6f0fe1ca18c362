"""Plots a strategy: how each hand opens, and how often it calls each bid."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.tally import Hand
from liarsdice.runtime.public_api import import_optional
from liarsdice.solve.strategy.action_values import CallFrequency
from liarsdice.solve.strategy.reach import FloatArray
from liarsdice.solve.strategy.strategy import ActionProbs, Strategy, format_hand

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUFFIXES = ".svg", ".png", ".pdf"
MIN_SHOWN_PROBABILITY = 0.005
"""Actions with a lower probability are not shown."""
MAX_CELL_LABELS = 400
MIN_CHART_HEIGHT, ROW_HEIGHT, COLUMN_WIDTH = 2.0, 0.28, 0.42
"""In inches; the row is that of a hand, the column that of a bid."""


def plot_strategy(
    picture: Path, strategy: Strategy, opening_plays: dict[Hand, ActionProbs], calls: list[CallFrequency]
) -> None:
    """Plot the first bids and the calls of each player as up to three charts.

    `opening_plays` are the action probabilities of each hand without bids. Raises `UnavailableError` without
    matplotlib, for another file suffix, or if the file cannot be written.
    """
    if picture.suffix.lower() not in SUFFIXES:
        raise UnavailableError(f"a picture's name ends in {', '.join(SUFFIXES)}, not {picture.name!r}")
    mpl = import_optional("matplotlib", "research", "drawing needs matplotlib")
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "liarsdice"  # the same strategy gives the same file
    kind = strategy.tree.subtree_types[strategy.tree.root]
    bids = [
        bid
        for bid in strategy.actions(kind)
        if any(play.get(bid, 0) >= MIN_SHOWN_PROBABILITY for play in opening_plays.values())
    ]
    shares = np.array([[play.get(bid, 0.0) for bid in bids] for play in opening_plays.values()])
    charts = [("the player who opens: first bid", [str(bid) for bid in bids], list(opening_plays), shares)]
    for seat, player in enumerate(("the player who opens", "the other player")):
        seat_calls = [frequency for frequency in calls if frequency.seat == seat]
        if seat_calls:
            columns = [str(frequency.bid) for frequency in seat_calls]
            charts.append(
                (
                    f"{player}: calls",
                    columns,
                    list(seat_calls[0].hands),
                    np.array([frequency.p_called for frequency in seat_calls]).T,
                )
            )
    heights = [max(MIN_CHART_HEIGHT, 1 + ROW_HEIGHT * len(hands)) for _, _, hands, _ in charts]
    width = max(6.0, 2 + COLUMN_WIDTH * max(len(columns) for _, columns, _, _ in charts))
    figure = Figure(figsize=(width, sum(heights)), layout="constrained")
    axes = figure.subplots(len(charts), 1, height_ratios=heights, squeeze=False)[:, 0]
    for chart, (title, columns, hands, shares) in zip(axes, charts, strict=True):
        _chart(chart, title, columns, [format_hand(hand) for hand in hands], shares)
    rules = strategy.tree.game.rules
    figure.suptitle(f"{rules.labels.game}, {strategy.start}, {rules.dice.faces} faces")
    try:
        figure.savefig(picture, metadata={"Date": None} if picture.suffix.lower() == ".svg" else None)
    except OSError as error:
        raise UnavailableError(f"cannot write {picture}: {error.strerror}") from error


def _chart(chart: Axes, title: str, columns: list[str], hands: list[str], shares: FloatArray) -> None:
    chart.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    chart.set_title(title, loc="left", fontsize=10)
    chart.set_xticks(range(len(columns)), columns, rotation=90, fontsize=7)
    chart.set_yticks(range(len(hands)), hands, fontsize=7)
    chart.set_ylabel("hand", fontsize=8)
    if shares.size <= MAX_CELL_LABELS:
        for (row, column), share in np.ndenumerate(shares):
            if share >= MIN_SHOWN_PROBABILITY:
                colour = "white" if share > 0.5 else "black"
                chart.text(column, row, f"{100 * share:.0f}", ha="center", va="center", color=colour, fontsize=6)
