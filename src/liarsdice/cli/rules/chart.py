"""`liarsdice chart`: prints the bids of a ruleset in order, or the lowest bids that beat a bid."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer

from liarsdice.cli.arguments import default_dice, language_option, require_biddable
from liarsdice.core.bids.bid_chart import chart_data, chart_max_quantity
from liarsdice.core.bids.notation import parse_bid
from liarsdice.core.errors import IllegalActionError, UnavailableError, counted
from liarsdice.core.rules.bids import Bid, face_order
from liarsdice.core.rules.ruleset import Ruleset

MAX_DICE = 100
MAX_BIDS = 1200
"""The length of the longest chart. Each pair of bids is compared, so the time grows with its square."""


class ChartFormat(StrEnum):
    """The output formats of a chart."""

    TEXT = "text"
    MD = "md"
    JSON = "json"


def chart(
    name: Annotated[str, typer.Argument(help="A preset such as perudo or classic+aces, or a .toml or .json file.")],
    dice_in_play: Annotated[
        int | None,
        typer.Option(min=1, max=MAX_DICE, help="The number of dice of all players (default: three full hands)."),
    ] = None,
    beats: Annotated[
        str | None, typer.Option(help="Show only the bids that beat this bid, such as 5x4 for five fours.")
    ] = None,
    format_: Annotated[
        ChartFormat, typer.Option("--format", help="text and md are to read, json is for programs.")
    ] = ChartFormat.TEXT,
    language: Annotated[str, language_option("the chart")] = "en",
) -> None:
    """Show the bid chart: every bid from the lowest to the highest, or the fewest dice of each face that beat a bid.

    The JSON is a list of all bids as [quantity, face], in ascending order. If the rules do not rank all bids, it has
    the lowest quantity of each face that beats the bid of --beats, or, without --beats, every bid.
    """
    from liarsdice.core.rules.ruleset_io import find_rules
    from liarsdice.core.text.rulebook import (
        chart_as_markdown,
        chart_as_text,
        find_language,
        lowest_bids_text,
        make_chart,
    )

    words = find_language(language)
    rules = find_rules(name)
    dice = default_dice(rules, MAX_DICE) if dice_in_play is None else dice_in_play
    standing = None if beats is None else parse_bid(beats)
    _check_chart(name, rules, dice, standing)
    if format_ is ChartFormat.JSON:
        text = json.dumps(chart_data(rules, dice, standing))
    elif standing is not None:
        text = lowest_bids_text(rules, words, standing, dice)
    else:
        render = chart_as_text if format_ is ChartFormat.TEXT else chart_as_markdown
        text = render(make_chart(rules, words, dice))
    print(text.rstrip("\n"))


def _check_chart(name: str, rules: Ruleset, dice: int, standing: Bid | None) -> None:
    """Raise `UnavailableError` if the chart is too long, and `IllegalActionError` if `standing` is no bid of it."""
    max_quantity = chart_max_quantity(rules, dice)
    bid_count = max_quantity * len(face_order(rules))
    if bid_count > MAX_BIDS:
        raise UnavailableError(f"a chart of {bid_count} bids is too long (at most {MAX_BIDS}: take fewer dice)")
    if standing is None:
        return
    require_biddable(standing, rules, name)
    if not 1 <= standing.quantity <= max_quantity:
        raise IllegalActionError(
            f"{standing} is no bid in {name} with {counted(dice, 'die', 'dice')} "
            f"(1 to {max_quantity} of a face may be bid)"
        )
