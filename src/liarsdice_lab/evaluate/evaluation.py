"""The evaluation of a language model: duplicate matches against each of some bots.

Each match has a record and a transcript of the model's decisions, and what each of them cost may be reviewed.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict, deque
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from liarsdice.analysis.review.report import MAX_DEALS, Reviewer
from liarsdice.bots.external.user_bots import load_bot, split_command
from liarsdice.bots.protocol import Bot
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.records.record import Record, write_record
from liarsdice.core.rules.rule_costs import missing_condition
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.turn_text import move_text
from liarsdice.play.match_runner import MatchResult
from liarsdice.runtime.atomic_files import write_atomically
from liarsdice.values.judgement import MIN_DEALS, Source
from liarsdice.version import __version__
from liarsdice_lab.arena.arena import Arena, DealResult, make_arena, play_deal
from liarsdice_lab.evaluate.language_model import (
    ChatCommand,
    ChatEndpoint,
    ChatModel,
    EndpointSettings,
    LanguageModelBot,
    ModelDecision,
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


def read_transcript(path: Path) -> tuple[TranscriptDecision, ...]:
    """Return the decisions of a transcript.

    Raises `UnavailableError` if the file cannot be read and `MalformedError` if it is no transcript.
    """
    try:
        lines = path.read_bytes().splitlines()
        msgspec.json.decode(lines[0] if lines else b"", type=TranscriptHeader)
        return tuple(msgspec.json.decode(line, type=TranscriptDecision) for line in lines[1:])
    except OSError as error:
        raise UnavailableError(f"cannot read {path}: {error.strerror}") from error
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
            adjusted=missing_condition(self.ruleset) is None,
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
    if review_deals and not MIN_DEALS <= review_deals <= MAX_DEALS:
        raise MalformedError(
            f"a review plays out {MIN_DEALS} to {MAX_DEALS:,} deals, or 0 for none, not {review_deals}"
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
