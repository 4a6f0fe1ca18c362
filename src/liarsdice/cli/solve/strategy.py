"""`liarsdice strategy`: what a solved strategy does with a hand, printed or drawn."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from liarsdice.cli.solve.solve_options import read_dice
from liarsdice.cli.solve.strategy_plot import SELDOM, draw
from liarsdice.cli.text_table import render_table
from liarsdice.core.bids.notation import notate, parse_bid
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.strategy.call_frequency import CallFrequency, call_frequencies
from liarsdice.solve.strategy.strategy import ActionProbs, Strategy, format_hand
from liarsdice.solve.strategy.strategy_file import StrategySet, read_strategies

COLUMNS = 100
MAX_BIDS = 16
"""Columns of a table."""


def run_show(file: Path, *, hand: str | None, history: str | None, dice: str | None, as_json: bool) -> int:
    """Print how hands act after some bids. Returns 0."""
    solved = read_strategies(file)
    strategy = _chosen(solved, dice)
    bids = [] if history is None else [parse_bid(one) for one in history.split(",")]
    plays = {one: strategy.action_probs(one, bids) for one in _hands(strategy, bids, hand)}
    calls = call_frequencies(strategy) if hand is None and not bids else []
    if as_json:
        print(json.dumps(_as_json(strategy, bids, plays, calls), indent=2))
        return 0
    bounds, rules = strategy.bounds, strategy.tree.game.rules
    print(f"{rules.labels.game}, {strategy.start}, {rules.dice.faces} faces, after {_after(bids)}")
    if solved.match:
        low, high = (1 + bounds.low) / 2, (1 + bounds.high) / 2
        print(f"the player who opens wins the match with a probability of {low:.4%} to {high:.4%}\n")
    else:
        print(f"value for the player who opens: between {bounds.low:.6f} and {bounds.high:.6f}\n")
    print(render_table(_plays_table(plays), COLUMNS))
    for seat, whose in enumerate(("the player who opens", "the other player")):
        one_seat = [habit for habit in calls if habit.seat == seat]
        if one_seat:
            print(f"\nhow often {whose} calls a bid, by hand, if it is reached (in percent)")
            for start in range(0, len(one_seat), MAX_BIDS):
                print(render_table(_calls_table(one_seat[start : start + MAX_BIDS]), COLUMNS))
    return 0


def run_plot(file: Path, picture: Path, *, dice: str | None) -> int:
    """Draw a strategy. Returns 0."""
    strategy = _chosen(read_strategies(file), dice)
    draw(
        picture,
        strategy,
        {hand: strategy.action_probs(hand) for hand in _hands(strategy, [], None)},
        call_frequencies(strategy),
    )
    print(f"wrote {picture}")
    return 0


def _chosen(solved: StrategySet, dice: str | None) -> Strategy:
    """The round that is asked about, an ordinary one where there is one; the largest one where nothing is asked."""
    if dice is not None:
        asked = read_dice(dice)
        alike = [one for one in solved.strategies if one.start.dice == asked.dice]
        return alike[0] if alike and asked not in {one.start for one in alike} else solved.strategy(asked)
    if not solved.strategies:
        raise UnavailableError("this file holds no round yet")
    return max(solved.strategies, key=lambda one: sum(one.start.dice))


def _hands(strategy: Strategy, bids: Sequence[Bid], hand: str | None) -> list[Hand]:
    """The hand that is asked about, or all that who is on turn may hold there."""
    if hand is None:
        kind = strategy.tree.subtree_types[strategy.locate(bids).subtree_type]
        mover = strategy.tree.game.situations[kind.situation].mover
        return [strategy.tree.game.hands[mover][number] for number in kind.mover_hands]
    dice = hand.split(",")
    if not all(die.strip().isdecimal() for die in dice):
        raise MalformedError(f"--hand is dice separated by commas, such as 2,5, not {hand!r}")
    return [tuple(sorted(map(int, dice)))]


def _after(bids: Sequence[Bid]) -> str:
    return ", ".join(map(str, bids)) if bids else "no bid"


def _plays_table(plays: dict[Hand, ActionProbs]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("hand", no_wrap=True)
    table.add_column("plays")
    for hand, play in plays.items():
        told = [f"{notate(action)} {chance:.1%}" for action, chance in play.items() if chance >= SELDOM]
        table.add_row(format_hand(hand), ", ".join(told))
    return table


def _calls_table(calls: list[CallFrequency]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("hand", no_wrap=True)
    for habit in calls:
        table.add_column(str(habit.bid), justify="right")
    for place, hand in enumerate(calls[0].hands):
        table.add_row(format_hand(hand), *(_percent(habit.p_called[place]) for habit in calls))
    return table


def _percent(chance: float) -> str:
    return "–" if math.isnan(chance) else f"{100 * chance:.0f}"


def _as_json(
    strategy: Strategy, bids: Sequence[Bid], plays: dict[Hand, ActionProbs], calls: list[CallFrequency]
) -> dict[str, object]:
    bounds = strategy.bounds
    return {
        "dice": list(strategy.start.dice),
        "history": [str(bid) for bid in bids],
        "value_bounds": [bounds.low, bounds.high],
        "exploitability": bounds.exploitability,
        "hands": [
            {"hand": hand, "play": {notate(action): chance for action, chance in play.items()}}
            for hand, play in plays.items()
        ],
        "calls": [
            {
                "bid": str(habit.bid),
                "seat": habit.seat,
                "called": {
                    format_hand(hand): None if math.isnan(share) else share
                    for hand, share in zip(habit.hands, habit.p_called.tolist(), strict=True)
                },
            }
            for habit in calls
        ],
    }
