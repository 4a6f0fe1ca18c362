"""What the deals of an arena add up to: win shares with honest intervals, places, times and misplays of each bot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.analysis.arena import Arena, Deal
from liarsdice.analysis.simulation import labels, wilson
from liarsdice.analysis.timing import quantile_ms, together
from liarsdice.play.placings import shares

Numbers: TypeAlias = NDArray[np.float64]

RESAMPLES = 2_000
BOTH_ENDS = (2.5, 97.5)


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """How one bot did. `seats`: how many seats it had in all matches together, of which it won `wins`.

    Shares are in 0..1: `win_share` of its seats, with the 95% interval, and `place_shares` for every place, the first
    one first; who shares a place has an equal part of it. `mean_place` is 1 at best. Times are of one decision;
    None where it made none.
    """

    bot: str
    seats: int
    wins: float
    win_share: float
    win_share_95: tuple[float, float]
    fair_share: float
    place_shares: tuple[float, ...]
    mean_place: float
    decisions: int
    median_ms: float | None
    p99_ms: float | None
    faults: int


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What so many deals add up to; `matches_per_s` is the pace of one process."""

    deals: int
    matches: int
    rounds: int
    matches_per_s: float
    standings: tuple[Standing, ...]
    told: tuple[str, ...]


def summary(contest: Arena, deals: Sequence[Deal], told: int = 20) -> Summary:
    """Add up at least one deal, in the order of their numbers; the first `told` misplays are told in words."""
    played = sorted(deals, key=lambda deal: deal.number)
    count, seats = len(contest.bots), contest.seats
    places = np.zeros((len(played), count, seats))  # of each deal: how much of each place each bot had
    for row, deal in enumerate(played):
        for match in deal.matches:
            for seat, bot in enumerate(match.seating):
                places[row, bot] += shares(match.places, seat)
    matches = sum(len(deal.matches) for deal in played)
    ends = intervals(places[:, :, 0], places.sum(axis=2))
    standings = tuple(_standing(contest, played, bot, places[:, bot].sum(axis=0), ends[bot]) for bot in range(count))
    return Summary(
        deals=len(played),
        matches=matches,
        rounds=sum(match.rounds for deal in played for match in deal.matches),
        matches_per_s=matches / sum(deal.seconds for deal in played),
        standings=standings,
        told=tuple(line for deal in played for line in deal.told)[:told],
    )


def _standing(contest: Arena, played: Sequence[Deal], bot: int, places: Numbers, ends: tuple[float, float]) -> Standing:
    times = together(deal.times[bot] for deal in played)
    seats = float(places.sum())
    parts = (places / seats if seats else places).tolist()
    faults = (
        faults
        for deal in played
        for match in deal.matches
        for who, faults in zip(match.seating, match.faults, strict=True)
        if who == bot
    )
    return Standing(
        bot=labels(contest.bots)[bot],
        seats=round(seats),
        wins=float(places[0]),
        win_share=parts[0],
        win_share_95=ends,
        fair_share=1 / contest.seats,
        place_shares=tuple(parts),
        mean_place=sum(place * part for place, part in enumerate(parts, start=1)),
        decisions=sum(times.values()),
        median_ms=quantile_ms(times, 0.5),
        p99_ms=quantile_ms(times, 0.99),
        faults=sum(faults),
    )


def intervals(wins: Numbers, seats: Numbers) -> list[tuple[float, float]]:
    """The 95% intervals of the bots' win shares by bootstrap: whole deals are drawn again, matches of one depend.

    `wins`, `seats`: float64 [deal, bot]. Where a bot won all or nothing there is nothing to draw; then each of its
    deals counts as one match of Wilson's interval. All of 0..1 for a bot that never sat down.
    """
    deals, bots = wins.shape
    draw = np.random.default_rng(deals)
    drawn = np.empty((RESAMPLES, bots))
    for row in range(RESAMPLES):
        times = np.bincount(draw.integers(deals, size=deals), minlength=deals)
        with np.errstate(invalid="ignore"):  # a bot may be in none of the deals that were drawn
            drawn[row] = (times @ wins) / (times @ seats)
    return [_ends(wins[:, bot], seats[:, bot], drawn[:, bot]) for bot in range(bots)]


def _ends(wins: Numbers, seats: Numbers, drawn: Numbers) -> tuple[float, float]:
    sat = int(np.count_nonzero(seats))
    if wins.sum() in (0, seats.sum()):
        return wilson(sat if wins.any() else 0, sat)
    low, high = np.nanpercentile(drawn, BOTH_ENDS)
    return float(low), float(high)
