"""The evaluation of a language model: duplicate matches against each of some bots.

Each match has a record and a transcript of the model's decisions, and what each of them cost may be reviewed.
Results are added up by opponent and in all.
"""

import os
import re
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from liarsdice.analysis.ratings import wilson_interval
from liarsdice.analysis.review.report import MAX_DEALS, Reviewer
from liarsdice.analysis.review.results import UNASSESSED
from liarsdice.bots.external.user_bots import load_bot, split_command
from liarsdice.bots.protocol import Bot
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.records.record import Record, write_record
from liarsdice.core.rules.rule_costs import is_learned
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.sources import source_bytes
from liarsdice.core.text.turn_text import move_text
from liarsdice.play.match_runner import MatchResult, place_shares
from liarsdice.runtime.atomic_files import write_atomically
from liarsdice.values.judgement import MIN_DEALS as MIN_REVIEW_DEALS
from liarsdice.values.judgement import Z_95, Source
from liarsdice.version import __version__
from liarsdice_lab.evaluate.language_model import (
    AttemptOutcome,
    ChatCommand,
    ChatEndpoint,
    ChatModel,
    EndpointSettings,
    LanguageModelBot,
    ModelDecision,
)
from liarsdice_lab.tournaments.adjustment import AdjustableMatch, AdjustedShare, adjusted_shares, cluster_mean
from liarsdice_lab.tournaments.arena import (
    Arena,
    ArenaFile,
    ArenaMatch,
    DealResult,
    Floats,
    differences,
    make_arena,
    name_differences,
    play_deal,
    win_share_intervals,
)

FORMAT = 1


class TranscriptHeader(msgspec.Struct, frozen=True, kw_only=True, tag="liarsdice_transcript", tag_field="record"):
    """The first line of a transcript. `deal` and `match` count from 1, `seat` counts from 0.

    `system_prompt`: the first message of every chat; the second one is the `prompt` of a decision.
    """

    format: int
    engine: str
    model: str
    opponent: str
    deal: int
    match: int
    seat: int
    system_prompt: str


class DecisionCost(msgspec.Struct, frozen=True):
    """What a decision cost by the review: a share of the match in 0..1, with half of its 95% interval as `error`.

    `source`: where the values come from. `best`: the best move in notation, `silent` for none.
    """

    cost: float
    error: float
    source: Source
    best: str


class TranscriptDecision(msgspec.Struct, frozen=True):
    """A decision, and what it cost; None if it was not reviewed, or if a call by somebody else came first."""

    decision: ModelDecision
    cost: DecisionCost | None


def write_transcript(path: Path, header: TranscriptHeader, decisions: Sequence[TranscriptDecision]) -> None:
    """Write a transcript, whole or not at all. Raises `UnavailableError` if that is not possible."""
    write_atomically(path, msgspec.json.Encoder().encode_lines([header, *decisions]))


MAX_TRANSCRIPT_BYTES = 1024 * 1024 * 1024


def read_transcript(path: Path) -> tuple[TranscriptDecision, ...]:
    """Return the decisions of a transcript.

    Raises `UnavailableError` if the file cannot be read and `MalformedError` if it is no transcript.
    """
    try:
        lines = source_bytes(path, MAX_TRANSCRIPT_BYTES, content="the transcript").splitlines()
        msgspec.json.decode(lines[0] if lines else b"", type=TranscriptHeader)
        return tuple(msgspec.json.decode(line, type=TranscriptDecision) for line in lines[1:])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise MalformedError(f"{path} is not a transcript: {error}") from error


Key = tuple[int, int, bool]
"""The round, the number of bids before the decision, and whether it was made on turn."""


def decision_costs(
    record: Record, seat: int, decisions: Sequence[ModelDecision], *, deals: int
) -> list[DecisionCost | None]:
    """Return the cost of each decision of a seat in a finished match, in the order of `decisions`.

    `deals`: how many deals the review plays out for each decision, 0 for no review. The cost is None without a review,
    and for an answer that did not count because somebody else's call came before it.
    """
    if not deals:
        return [None] * len(decisions)
    reviewer = Reviewer(record, deals=deals)
    numbers: dict[Key, deque[int]] = defaultdict(deque)
    for number in range(reviewer.decision_count):
        view = reviewer.decision(number).view
        if view.seat == seat:
            numbers[view.round_number, len(view.bids), view.on_turn].append(number)
    costs: list[DecisionCost | None] = []
    for decision in decisions:
        reviewed = numbers[decision.round_number, decision.bid_count, decision.on_turn]
        costs.append(_cost(reviewer, reviewed.popleft()) if reviewed else None)
    return costs


def _cost(reviewer: Reviewer, number: int) -> DecisionCost:
    review = reviewer.review(number)
    return DecisionCost(round(review.cost, 6), round(review.error, 6), review.source, move_text(review.best))


MODEL = "model:"
"""The beginning of the model's name among the bots of an arena."""


class ModelSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a model is reached: by an endpoint, or by a command where that is None.

    `name`: how it is called in results. `key_variable`: the environment variable with the API key, "" for no key.
    `timeout_s`: the limit of an answer of the command. `with_odds`: whether it reads the odds of bids.
    """

    name: str
    endpoint: EndpointSettings | None = None
    key_variable: str = ""
    command: str = ""
    timeout_s: float = 60.0
    with_odds: bool = False


class Evaluation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of an evaluation: all but the answers of the model follows from them.

    `seats`: players in each match, the model and copies of one opponent. `review_deals`: the deals that the review
    plays out for each decision, 0 for no review.
    """

    model: ModelSettings
    ruleset: Ruleset
    opponents: tuple[str, ...]
    seats: int
    seed: int
    review_deals: int

    def arena(self, opponent: str) -> Arena:
        """Return the arena of the model against one opponent."""
        return Arena(
            ruleset=self.ruleset,
            bots=(MODEL + self.model.name, opponent),
            has_subject=True,
            seats=self.seats,
            seed=self.seed,
            duplicate=True,
            adjusted=is_learned(self.ruleset),
        )


def make_evaluation(
    model: ModelSettings,
    ruleset: Ruleset,
    opponents: Sequence[str],
    *,
    seats: int = 2,
    seed: int = 0,
    review_deals: int = 240,
) -> Evaluation:
    """Return an evaluation.

    Raises `MalformedError` or `UnavailableError` if the model or an opponent cannot be loaded, or if the settings do
    not fit the rules.
    """
    if not opponents or len({folder_name(opponent) for opponent in opponents}) < len(opponents):
        raise MalformedError(f"the opponents are one or more different bots, not {', '.join(opponents) or 'none'}")
    if review_deals and not MIN_REVIEW_DEALS <= review_deals <= MAX_DEALS:
        raise MalformedError(
            f"a review plays out {MIN_REVIEW_DEALS} to {MAX_DEALS:,} deals, or 0 for none, not {review_deals}"
        )
    for opponent in opponents:
        make_arena(ruleset, (opponent, opponent), seats=seats, seed=seed)
    open_model(model).close()
    return Evaluation(
        model=model,
        ruleset=ruleset,
        opponents=tuple(opponents),
        seats=seats,
        seed=seed,
        review_deals=review_deals,
    )


def open_model(settings: ModelSettings) -> ChatModel:
    """Return the model; nothing is sent yet.

    Raises `UnavailableError` if its key or its program is missing, and `MalformedError` if its address is none.
    """
    if settings.endpoint is None:
        return ChatCommand(split_command(settings.command, settings.command), settings.timeout_s)
    key = os.environ.get(settings.key_variable, "") if settings.key_variable else ""
    if settings.key_variable and not key:
        raise UnavailableError(f"the environment variable {settings.key_variable} has no API key")
    return ChatEndpoint(settings.endpoint, key)


def play_model_deal(evaluation: Evaluation, opponent: str, deal_number: int, folder: Path) -> DealResult:
    """Play one deal against an opponent, from every seat, and write a record and a transcript of each match.

    `folder`: where the files of this opponent are; they are named by the deal and the match, from 1. Raises
    `UnavailableError` if the model fails for good or a file cannot be written.
    """
    arena = evaluation.arena(opponent)

    def make_bot(spec: str, seed: str) -> Bot:
        if spec != arena.bots[0]:
            return load_bot(spec, seed)
        return LanguageModelBot(model, evaluation.ruleset, with_odds=evaluation.model.with_odds)

    def on_match_end(match_number: int, bots: Sequence[Bot], result: MatchResult) -> None:
        seat, bot = next((seat, bot) for seat, bot in enumerate(bots) if isinstance(bot, LanguageModelBot))
        if bot.failure is not None:
            raise bot.failure
        record = Record(__version__, tuple(result.events), result.match.state)
        costs = decision_costs(record, seat, bot.decisions, deals=evaluation.review_deals)
        header = TranscriptHeader(
            format=FORMAT,
            engine=__version__,
            model=evaluation.model.name,
            opponent=opponent,
            deal=deal_number + 1,
            match=match_number + 1,
            seat=seat,
            system_prompt=bot.system_prompt,
        )
        write_atomically(match_path(folder, deal_number, match_number, "record"), _record_bytes(record))
        decisions = [*map(TranscriptDecision, bot.decisions, costs)]
        write_transcript(match_path(folder, deal_number, match_number, "transcript"), header, decisions)

    with closing(open_model(evaluation.model)) as model:
        return play_deal(arena, deal_number, make_bot=make_bot, on_match_end=on_match_end)


def match_path(folder: Path, deal_number: int, match_number: int, kind: str) -> Path:
    """Return the path of a file of a match, `record` or `transcript`; both numbers count from 0."""
    return folder / f"{deal_number + 1:04}-{match_number + 1}.{kind}.jsonl"


def folder_name(opponent: str) -> str:
    """Return the name of the folder with the files of an opponent.

    >>> folder_name("threshold:0.3")
    'threshold-0.3'
    """
    return re.sub(r"[^\w.@+-]+", "-", opponent).strip("-.")[:80] or "bot"


def _record_bytes(record: Record) -> bytes:
    return write_record(record.events, record.engine).encode()


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
    adjustable = [
        AdjustableMatch(
            number,
            [0 if bot == 0 else 1 + opponents.index(deal.opponent) for bot in match.seating],
            match.win_shares,
            match.adjustment,
        )
        for number, deal, match in matches
    ]
    return adjusted_shares(adjustable, 1 + len(opponents))[0]


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
