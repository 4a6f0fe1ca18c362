"""Adds up an evaluation: win shares, costs of decisions, unusable answers, times and tokens, by opponent and in all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from liarsdice.analysis.ratings import Z_95, wilson_interval
from liarsdice.analysis.review.results import UNASSESSED
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.play.match_runner import place_shares
from liarsdice.runtime.atomic_files import write_atomically
from liarsdice.values.judgement import Source
from liarsdice.version import __version__
from liarsdice_lab.arena.adjustment import AdjustedShare, adjusted_shares, cluster_mean
from liarsdice_lab.arena.arena import ArenaFile, ArenaMatch, DealResult, differences, name_differences
from liarsdice_lab.arena.summary import Floats, win_share_intervals
from liarsdice_lab.evaluate.evaluation import (
    Evaluation,
    TranscriptDecision,
    folder_name,
    match_path,
    read_transcript,
)
from liarsdice_lab.evaluate.language_model import AttemptOutcome

MIN_DEALS = 10
"""With fewer deals, costs have no interval, and win shares are not adjusted: both rest on the spread of the deals."""
MIN_SPREAD = 1e-9
"""Win shares of deals that differ by less are equal: rounding errors are smaller."""


class ModelResult(msgspec.Struct, frozen=True, kw_only=True):
    """The results of the model against one opponent, or against all of them (`opponent` is `all`).

    `win_share` (0..1) with its 95% interval; `fair_share` is that of an equal player. `adjusted`: the win share without
    what chance gave, None under rules without it, with less than `MIN_DEALS` deals, or if all matches ended alike.
    `cost`: the mean cost of a decision as a share of the match, over the `assessed` decisions, with its 95% interval;
    None where there are none, or too few deals for the interval. `sources`: how many decisions were valued by each
    source. `unreadable`, `illegal` and `missing` are numbers of answers, `fallbacks` of decisions. Times are of one
    answer. Tokens are None if untold.
    """

    opponent: str
    deals: int
    matches: int
    win_share: float
    win_share_95: tuple[float, float]
    fair_share: float
    adjusted: AdjustedShare | None
    decisions: int
    assessed: int
    cost: float | None
    cost_95: tuple[float, float] | None
    sources: dict[Source, int]
    unreadable: int
    illegal: int
    missing: int
    fallbacks: int
    median_ms: float | None
    p95_ms: float | None
    prompt_tokens: int | None
    completion_tokens: int | None

    def per_100(self, count: int) -> float:
        """Return a number of answers or fallbacks for each 100 decisions."""
        return 100 * count / self.decisions if self.decisions else 0.0


class PlayedDeal(msgspec.Struct, frozen=True):
    """A finished deal against an opponent, with all decisions of the model in its matches."""

    opponent: str
    result: DealResult
    decisions: tuple[TranscriptDecision, ...]


def read_deals(folder: Path, opponent: str, deals: Iterable[DealResult]) -> list[PlayedDeal]:
    """Return finished deals with the decisions of their transcripts. Raises as `read_transcript`."""
    played = []
    for deal in sorted(deals, key=lambda deal: deal.number):
        paths = (
            match_path(folder / folder_name(opponent), deal.number, match, "transcript")
            for match in range(len(deal.matches))
        )
        played.append(
            PlayedDeal(opponent, deal, tuple(decision for path in paths for decision in read_transcript(path)))
        )
    return played


def summarize_model(evaluation: Evaluation, deals: Mapping[str, Sequence[PlayedDeal]]) -> tuple[ModelResult, ...]:
    """Return the results by opponent, without those that have no deal, and then those in all if there are several."""
    by_opponent = [(opponent, deals[opponent]) for opponent in evaluation.opponents if deals.get(opponent)]
    results = [_result(evaluation, opponent, played) for opponent, played in by_opponent]
    if len(results) > 1:
        results.append(_result(evaluation, "all", [deal for _, played in by_opponent for deal in played]))
    return tuple(results)


def _result(evaluation: Evaluation, opponent: str, deals: Sequence[PlayedDeal]) -> ModelResult:
    matches = [(number, deal, match) for number, deal in enumerate(deals) for match in deal.result.matches]
    wins, seats = np.zeros((len(deals), 1)), np.zeros((len(deals), 1))
    for number, _, match in matches:
        wins[number] += place_shares(match.places, match.seating.index(0))[0]
        seats[number] += 1
    decisions = [decision for deal in deals for decision in deal.decisions]
    attempts = [attempt for decision in decisions for attempt in decision.decision.attempts]
    outcomes = [attempt.outcome for attempt in attempts]
    times_ms = [attempt.latency_ms for attempt in attempts if attempt.answer is not None]
    costs = {number: _costs(deal) for number, deal in enumerate(deals)}
    assessed = {number: values for number, values in costs.items() if values}
    mean, error, _ = cluster_mean(assessed) if assessed else (None, 0.0, 0.0)
    has_interval = len(assessed) >= MIN_DEALS
    sources = [decision.cost.source for decision in decisions if decision.cost is not None]
    return ModelResult(
        opponent=opponent,
        deals=len(deals),
        matches=len(matches),
        win_share=float(wins.sum() / seats.sum()),
        win_share_95=_win_share_95(wins, seats),
        fair_share=1 / evaluation.seats,
        adjusted=_adjusted(evaluation, matches) if len(deals) >= MIN_DEALS and 0 < wins.sum() < seats.sum() else None,
        decisions=len(decisions),
        assessed=sum(map(len, assessed.values())),
        cost=mean,
        cost_95=(max(mean - Z_95 * error, 0.0), mean + Z_95 * error) if has_interval and mean is not None else None,
        sources={source: sources.count(source) for source in Source if source in sources},
        unreadable=outcomes.count(AttemptOutcome.UNREADABLE),
        illegal=outcomes.count(AttemptOutcome.ILLEGAL),
        missing=outcomes.count(AttemptOutcome.NO_ANSWER),
        fallbacks=sum(decision.decision.is_fallback for decision in decisions),
        median_ms=float(np.quantile(times_ms, 0.5)) if times_ms else None,
        p95_ms=float(np.quantile(times_ms, 0.95)) if times_ms else None,
        prompt_tokens=_sum_told(attempt.prompt_tokens for attempt in attempts),
        completion_tokens=_sum_told(attempt.completion_tokens for attempt in attempts),
    )


def _win_share_95(wins: Floats, seats: Floats) -> tuple[float, float]:
    """Return the 95% interval of the win share; `wins`, `seats`: float64 [deal, 1], of the model.

    Where it won the same share of every deal, resampling deals shows no spread, although another deal could end
    otherwise: the deals then count as single trials.
    """
    shares = wins / seats
    if np.ptp(shares) < MIN_SPREAD:
        return wilson_interval(float(shares.sum()), len(shares))
    return win_share_intervals(wins, seats)[0]


def _costs(deal: PlayedDeal) -> list[float]:
    """Return the costs of the decisions of a deal in which there was a choice."""
    costs = (decision.cost for decision in deal.decisions)
    return [cost.cost for cost in costs if cost is not None and cost.source not in UNASSESSED]


def _adjusted(evaluation: Evaluation, matches: Sequence[tuple[int, PlayedDeal, ArenaMatch]]) -> AdjustedShare | None:
    """Return the adjusted win share of the model. `matches`: each with the place of its deal among all deals."""
    if not all(match.adjustment for _, _, match in matches):
        return None
    opponents = evaluation.opponents
    seatings = [
        [0 if bot == 0 else 1 + opponents.index(deal.opponent) for bot in match.seating] for _, deal, match in matches
    ]
    results = [[place_shares(match.places, seat)[0] for seat in range(evaluation.seats)] for _, _, match in matches]
    adjustments = [match.adjustment for _, _, match in matches]
    numbers = [number for number, _, _ in matches]
    return adjusted_shares(seatings, results, adjustments, numbers, 1 + len(opponents))[0]


def _sum_told(counts: Iterable[int | None]) -> int | None:
    told = [count for count in counts if count is not None]
    return sum(told) if told else None


SETTINGS_FILE = "evaluation.json"
DEALS_FILE = "deals.jsonl"


def open_folder(folder: Path, evaluation: Evaluation) -> None:
    """Make the folder of an evaluation, or check that it belongs to the same one; opponents may be added later.

    Raises `UnavailableError` if it belongs to another evaluation or cannot be written, and `MalformedError` if its
    settings cannot be read.
    """
    settings = _settings(evaluation)
    path = folder / SETTINGS_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        known = msgspec.json.decode(path.read_bytes()) if path.exists() else None
    except OSError as error:
        raise UnavailableError(f"cannot keep an evaluation in {folder}: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise MalformedError(f"{path} has no settings of an evaluation: {error}") from error
    if known is None:
        write_atomically(path, msgspec.json.format(msgspec.json.encode(settings)) + b"\n")
        return
    different = [*differences("", known, settings)]
    if different:
        named = name_differences(different)
        raise UnavailableError(f"{folder} belongs to another evaluation: {named} (name another folder)")


def open_deals(folder: Path, evaluation: Evaluation, opponent: str) -> ArenaFile:
    """Open the file of the deals against an opponent, for use in a `with` block.

    Raises `UnavailableError` and `MalformedError` as `ArenaFile`.
    """
    opponent_folder = folder / folder_name(opponent)
    try:
        opponent_folder.mkdir(exist_ok=True)
    except OSError as error:
        raise UnavailableError(f"cannot keep deals in {opponent_folder}: {error.strerror}") from error
    return ArenaFile(opponent_folder / DEALS_FILE, evaluation.arena(opponent), __version__)


def _settings(evaluation: Evaluation) -> dict[str, Any]:
    """Return what the results depend on, as JSON: not the opponents, and not where the API key is."""
    settings = msgspec.json.decode(msgspec.json.encode(evaluation), type=dict[str, Any])  # as it is read back
    del settings["opponents"], settings["model"]["key_variable"]
    return settings | {"engine": __version__}
