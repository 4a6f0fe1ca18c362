"""`liarsdice strategy`: prints, plots or exports how a solved strategy plays each hand."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.table import Table

from liarsdice.cli.solve.options import read_dice
from liarsdice.cli.stdio import render_table
from liarsdice.core.bids.notation import notate
from liarsdice.core.bids.odds import hundredths, percent
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.tally import Hand, listed_hand
from liarsdice.runtime.public_api import import_optional
from liarsdice.solve.round_game import Step
from liarsdice.solve.strategy.action_values import CallFrequency, call_frequencies
from liarsdice.solve.strategy.export import export_strategy
from liarsdice.solve.strategy.reach import FloatArray
from liarsdice.solve.strategy.strategy import ActionProbs, Strategy, format_hand, read_step
from liarsdice.solve.strategy.strategy_file import StrategySet, read_strategies

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


COLUMNS = 100
MAX_BID_COLUMNS = 16
"""The number of bids in a table of calls; further bids go into a table below it."""


def run_show(file: Path, *, hand: str | None, bids_text: str | None, dice: str | None, as_json: bool) -> int:
    """Print how one hand or all hands act after some bids, and how often each hand calls. Returns 0."""
    strategy_set = read_strategies(file)
    strategy = _select_strategy(strategy_set, dice)
    bids = [] if bids_text is None else [read_step(part) for part in bids_text.split(",")]
    plays = {held: strategy.action_probs(held, bids) for held in _hands(strategy, bids, hand)}
    calls = call_frequencies(strategy) if hand is None and not bids else []
    if as_json:
        print(json.dumps(_as_json(strategy, bids, plays, calls), indent=2))
        return 0
    bounds, rules = strategy.bounds, strategy.tree.game.rules
    print(f"{rules.labels.game}, {strategy.start}, {rules.dice.faces} faces, after {_after(bids)}")
    if strategy_set.match:
        low, high = (1 + bounds.low) / 2, (1 + bounds.high) / 2
        print(f"the player who opens wins the match with a probability of {low:.4%} to {high:.4%}\n")
    else:
        print(f"value for the player who opens: between {bounds.low:.6f} and {bounds.high:.6f}\n")
    print(render_table(_plays_table(plays), COLUMNS))
    for seat, player in enumerate(("the player who opens", "the other player")):
        seat_calls = [frequency for frequency in calls if frequency.seat == seat]
        if seat_calls:
            print(f"\nhow often {player} calls a bid, by hand, if it is reached (in percent)")
            for start in range(0, len(seat_calls), MAX_BID_COLUMNS):
                print(render_table(_calls_table(seat_calls[start : start + MAX_BID_COLUMNS]), COLUMNS))
    return 0


def run_plot(file: Path, picture: Path, *, dice: str | None) -> int:
    """Plot a strategy. Returns 0."""
    strategy = _select_strategy(read_strategies(file), dice)
    plot_strategy(
        picture,
        strategy,
        {hand: strategy.action_probs(hand) for hand in _hands(strategy, [], None)},
        call_frequencies(strategy),
    )
    print(f"wrote {picture}")
    return 0


def run_export(file: Path, table: Path, *, dice: str | None) -> int:
    """Write a strategy as a table. Returns 0. Raises what `export_strategy` raises."""
    export_strategy(_select_strategy(read_strategies(file), dice), table)
    print(f"wrote {table}")
    return 0


def _select_strategy(strategy_set: StrategySet, dice: str | None) -> Strategy:
    """Return the strategy of a round, an ordinary one if there is one; of the round with most dice by default.

    Raises `UnavailableError` if the file holds no strategies.
    """
    if dice is not None:
        start = read_dice(dice)
        same_dice = [strategy for strategy in strategy_set.strategies if strategy.start.dice == start.dice]
        if same_dice and start not in {strategy.start for strategy in same_dice}:
            return max(same_dice, key=lambda strategy: sum(strategy.start.stakes))
        return strategy_set.strategy(start)
    if not strategy_set.strategies:
        raise UnavailableError("this file holds no round yet")
    return max(strategy_set.strategies, key=lambda strategy: sum(strategy.start.stakes))


def _hands(strategy: Strategy, bids: Sequence[Step], hand: str | None) -> list[Hand]:
    """Return the hand of the option, or all hands that the player on turn may have after the bids.

    Raises `MalformedError` if the option is no hand.
    """
    if hand is None:
        kind = strategy.tree.subtree_types[strategy.locate(bids).subtree_type]
        mover = strategy.tree.game.situations[kind.situation].mover
        return [strategy.tree.game.hands[mover][number] for number in kind.mover_hands]
    dice = hand.split(",")
    if not all(die.strip().isdecimal() for die in dice):
        raise MalformedError(f"--hand is dice separated by commas, such as 2,5, not {hand!r}")
    return [listed_hand(strategy.tree.game.rules, tuple(map(int, dice)))]


def _after(bids: Sequence[Step]) -> str:
    return ", ".join(map(notate, bids)) if bids else "no bid"


def _plays_table(plays: dict[Hand, ActionProbs]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("hand", no_wrap=True)
    table.add_column("plays")
    for hand, play in plays.items():
        shown_actions = [
            f"{notate(action)} {percent(probability, 1)}"
            for action, probability in play.items()
            if probability >= MIN_SHOWN_PROBABILITY
        ]
        table.add_row(format_hand(hand), ", ".join(shown_actions))
    return table


def _calls_table(calls: list[CallFrequency]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("hand", no_wrap=True)
    for frequency in calls:
        table.add_column(str(frequency.bid), justify="right")
    for place, hand in enumerate(calls[0].hands):
        table.add_row(format_hand(hand), *(_percent(frequency.p_called[place]) for frequency in calls))
    return table


def _percent(probability: float) -> str:
    return "–" if math.isnan(probability) else hundredths(probability)


def _as_json(
    strategy: Strategy, bids: Sequence[Step], plays: dict[Hand, ActionProbs], calls: list[CallFrequency]
) -> dict[str, object]:
    bounds = strategy.bounds
    return {
        "dice": list(strategy.start.dice),
        "bids": [str(bid) for bid in bids],
        "value_bounds": [bounds.low, bounds.high],
        "exploitability": bounds.exploitability,
        "hands": [
            {"hand": hand, "play": {notate(action): probability for action, probability in play.items()}}
            for hand, play in plays.items()
        ],
        "calls": [
            {
                "bid": str(frequency.bid),
                "seat": frequency.seat,
                "called": {
                    format_hand(hand): None if math.isnan(share) else share
                    for hand, share in zip(frequency.hands, frequency.p_called.tolist(), strict=True)
                },
            }
            for frequency in calls
        ],
    }
