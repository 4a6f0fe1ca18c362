"""Adds up the deals of an arena: each bot's win share with a confidence interval, places, decision times and faults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.analysis.ratings import wilson_interval
from liarsdice.play.match_runner import place_shares
from liarsdice_lab.arena.adjustment import AdjustedShare, adjusted_shares
from liarsdice_lab.arena.arena import Arena, DealResult, merge_times, quantile_ms
from liarsdice_lab.arena.simulation import bot_labels

Floats: TypeAlias = NDArray[np.float64]

RESAMPLES = 2_000
PERCENTILES_95 = (2.5, 97.5)


class BotSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The results of one bot.

    `seats`: the seats that it had in all matches; it won `wins` of them (a shared win counts as a part). Shares are in
    0..1: `win_share` of its seats with the 95% interval, `fair_share` of a bot as strong as the others, and
    `place_shares` for every place from the first on, where tied seats have equal parts. `mean_place` is 1 at best.
    `adjusted`: the win share after adjustment, None if the arena is not adjusted. Times are of one decision; None
    without decisions.
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
    adjusted: AdjustedShare | None = None


class ArenaSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The results of an arena. `matches_per_s` is the speed of one process; `warnings` describe the first faults."""

    deals: int
    matches: int
    rounds: int
    matches_per_s: float
    standings: tuple[BotSummary, ...]
    warnings: tuple[str, ...]


def summarize(arena: Arena, deals: Sequence[DealResult], max_warnings: int = 20) -> ArenaSummary:
    """Add up one or more deals, in the order of their numbers."""
    ordered = sorted(deals, key=lambda deal: deal.number)
    bot_count = len(arena.bots)
    places = np.zeros((len(ordered), bot_count, arena.seats))  # [deal, bot, place]: share of each place
    for row, deal in enumerate(ordered):
        for match in deal.matches:
            for seat, bot in enumerate(match.seating):
                places[row, bot] += place_shares(match.places, seat)
    match_count = sum(len(deal.matches) for deal in ordered)
    intervals = win_share_intervals(places[:, :, 0], places.sum(axis=2))
    adjusted = _adjusted(arena, ordered)
    return ArenaSummary(
        deals=len(ordered),
        matches=match_count,
        rounds=sum(match.rounds for deal in ordered for match in deal.matches),
        matches_per_s=match_count / sum(deal.seconds for deal in ordered),
        standings=tuple(
            _bot_summary(arena, ordered, bot, places[:, bot].sum(axis=0), intervals[bot], adjusted[bot])
            for bot in range(bot_count)
        ),
        warnings=tuple(warning for deal in ordered for warning in deal.warnings)[:max_warnings],
    )


def _adjusted(arena: Arena, deals: Sequence[DealResult]) -> tuple[AdjustedShare | None, ...]:
    if not arena.adjusted:
        return (None,) * len(arena.bots)
    matches = [(deal.number, match) for deal in deals for match in deal.matches]
    return adjusted_shares(
        [match.seating for _, match in matches],
        [[place_shares(match.places, seat)[0] for seat in range(arena.seats)] for _, match in matches],
        [match.adjustment for _, match in matches],
        [number for number, _ in matches],
        len(arena.bots),
        [match.playouts for _, match in matches],
    )


def _bot_summary(
    arena: Arena,
    deals: Sequence[DealResult],
    bot: int,
    places: Floats,
    interval: tuple[float, float],
    adjusted: AdjustedShare | None,
) -> BotSummary:
    """Add up one bot's results. `places`: float64 [place], how many seats of the bot came in there."""
    times = merge_times(deal.times[bot] for deal in deals)
    seats = float(places.sum())
    shares = (places / seats if seats else places).tolist()
    faults = (
        seat_faults
        for deal in deals
        for match in deal.matches
        for seated, seat_faults in zip(match.seating, match.faults, strict=True)
        if seated == bot
    )
    return BotSummary(
        bot=bot_labels(arena.bots)[bot],
        seats=round(seats),
        wins=float(places[0]),
        win_share=shares[0],
        win_share_95=interval,
        fair_share=1 / arena.seats,
        place_shares=tuple(shares),
        mean_place=sum(place * share for place, share in enumerate(shares, start=1)),
        decisions=sum(times.values()),
        median_ms=quantile_ms(times, 0.5),
        p99_ms=quantile_ms(times, 0.99),
        faults=sum(faults),
        adjusted=adjusted,
    )


def win_share_intervals(wins: Floats, seats: Floats) -> list[tuple[float, float]]:
    """Return the 95% interval of each bot's win share, by the percentile bootstrap over deals.

    Matches of one deal depend on each other, so whole deals are resampled (cluster bootstrap; Efron and Tibshirani, "An
    Introduction to the Bootstrap", 1993, chapters 8 and 13). Where a bot won all of its seats or none, resampling shows
    no spread; its deals then count as single trials of Wilson's interval. A bot without seats gets 0..1.

    `wins`, `seats`: float64 [deal, bot], the seats that the bot won and had in each deal.
    """
    deals, bots = wins.shape
    generator = np.random.default_rng(deals)
    resampled = np.empty((RESAMPLES, bots))
    for row in range(RESAMPLES):
        weights = np.bincount(generator.integers(deals, size=deals), minlength=deals)
        with np.errstate(invalid="ignore"):  # a bot may have no seat in the deals that were drawn
            resampled[row] = (weights @ wins) / (weights @ seats)
    return [_interval(wins[:, bot], seats[:, bot], resampled[:, bot]) for bot in range(bots)]


def _interval(wins: Floats, seats: Floats, resampled: Floats) -> tuple[float, float]:
    """Return the interval of one bot, from float64 [deal], [deal] and [resample]."""
    deals_played = int(np.count_nonzero(seats))
    if wins.sum() in (0, seats.sum()):
        return wilson_interval(deals_played if wins.any() else 0, deals_played)
    low, high = np.nanpercentile(resampled, PERCENTILES_95)
    return float(low), float(high)
