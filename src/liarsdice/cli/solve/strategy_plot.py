"""A strategy as a picture: how each hand opens, and how often it calls each bid."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.tally import Hand
from liarsdice.runtime.optional_dependencies import import_optional
from liarsdice.solve.strategy.call_frequency import CallFrequency
from liarsdice.solve.strategy.reach import FloatArray
from liarsdice.solve.strategy.strategy import ActionProbs, Strategy, format_hand

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ENDINGS = ".svg", ".png", ".pdf"
SELDOM = 0.005
"""What is less likely isn't shown."""
MOST_NUMBERS = 400
SHORTEST, A_HAND, A_BID = 2.0, 0.28, 0.42
"""Inches: of a chart at least, of a hand's row, of a bid's column."""


def draw(picture: Path, strategy: Strategy, opens: dict[Hand, ActionProbs], calls: list[CallFrequency]) -> None:
    """Draw three charts, one under the other. Raises `UnavailableError` without matplotlib or for other endings."""
    if picture.suffix.lower() not in ENDINGS:
        raise UnavailableError(f"a picture's name ends in {', '.join(ENDINGS)}, not {picture.name!r}")
    mpl = import_optional("matplotlib", "research", "drawing needs matplotlib")
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "liarsdice"  # the same strategy, the same file
    kind = strategy.tree.subtree_types[strategy.tree.root]
    bids = [bid for bid in strategy.actions(kind) if any(play.get(bid, 0) >= SELDOM for play in opens.values())]
    shares = np.array([[play.get(bid, 0.0) for bid in bids] for play in opens.values()])
    charts = [("the player who opens: first bid", [str(bid) for bid in bids], list(opens), shares)]
    for seat, whose in enumerate(("the player who opens", "the other player")):
        habit = [one for one in calls if one.seat == seat]
        if habit:
            columns = [str(one.bid) for one in habit]
            charts.append(
                (f"{whose}: calls", columns, list(habit[0].hands), np.array([one.p_called for one in habit]).T)
            )
    rows = [max(SHORTEST, 1 + A_HAND * len(hands)) for _, _, hands, _ in charts]
    wide = max(6.0, 2 + A_BID * max(len(columns) for _, columns, _, _ in charts))
    figure = Figure(figsize=(wide, sum(rows)), layout="constrained")
    axes = figure.subplots(len(charts), 1, height_ratios=rows, squeeze=False)[:, 0]
    for chart, (title, columns, hands, chances) in zip(axes, charts, strict=True):
        _chart(chart, title, columns, [format_hand(hand) for hand in hands], chances)
    rules = strategy.tree.game.rules
    figure.suptitle(f"{rules.labels.game}, {strategy.start}, {rules.dice.faces} faces")
    try:
        figure.savefig(picture, metadata={"Date": None} if picture.suffix.lower() == ".svg" else None)
    except OSError as error:
        raise UnavailableError(f"cannot write {picture}: {error.strerror}") from error


def _chart(chart: Axes, title: str, columns: list[str], hands: list[str], chances: FloatArray) -> None:
    chart.imshow(chances, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    chart.set_title(title, loc="left", fontsize=10)
    chart.set_xticks(range(len(columns)), columns, rotation=90, fontsize=7)
    chart.set_yticks(range(len(hands)), hands, fontsize=7)
    chart.set_ylabel("hand", fontsize=8)
    if chances.size <= MOST_NUMBERS:
        for (row, column), chance in np.ndenumerate(chances):
            if chance >= SELDOM:
                colour = "white" if chance > 0.5 else "black"
                chart.text(column, row, f"{100 * chance:.0f}", ha="center", va="center", color=colour, fontsize=6)
