"""The review of a match as lines of JSON. Its functions run in worker processes, one call for each decision."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec

from liarsdice.analysis.habits import Observation, report_habits
from liarsdice.analysis.review.facts import MatchFacts, match_facts
from liarsdice.analysis.review.parts import ResultAccount, result_account
from liarsdice.analysis.review.results import (
    DEALS,
    Comparison,
    DecisionReview,
    PlayerReview,
    WhatIfBatch,
    is_judged_by_simulator,
    played_deals,
    player_reviews,
)
from liarsdice.analysis.skill import matches_to_tell
from liarsdice.bots.neural.champion import CHAMPION_NAME, champion_network
from liarsdice.core.actions import Move
from liarsdice.core.errors import MalformedError
from liarsdice.core.records.record import Record, read_record
from liarsdice.core.rules.rule_costs import check_simulation
from liarsdice.server.protocol.decode_errors import describe_decode_error
from liarsdice.server.protocol.error_codes import ErrorCode

if TYPE_CHECKING:
    from liarsdice.analysis.review.report import Reviewer

MAX_RECORD_BYTES = 512 * 1024
"""A match of ten players and 120 rounds has half of it."""
MAX_HABIT_MATCHES = 500
MAX_GAIN = 100
"""The luck of a match, in shares of it, is far smaller."""
MAX_OPEN_REVIEWS = 16
"""How many matches each worker process keeps in memory between its calls."""


Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class ReviewStarted(msgspec.Struct, frozen=True, tag="started"):
    """The first line of a review.

    `deals`: how many are played out for each decision. `judge`: the bot that judges. `matches_to_tell`: about how many
    matches of so many players it takes to see that one of them plays 5 points better.
    """

    match: MatchFacts
    deals: int
    judge: str
    matches_to_tell: int


class ReviewWaiting(msgspec.Struct, frozen=True, tag="waiting"):
    """Nothing of the review is known yet; `ahead` others take turns with it."""

    ahead: int


class ReviewAccount(msgspec.Struct, frozen=True, tag="account"):
    """Luck and play in the match, with all dice known."""

    account: ResultAccount


class ReviewedDecision(msgspec.Struct, frozen=True, tag="decision"):
    """What one decision cost, and what it shows of habits."""

    review: DecisionReview
    observations: tuple[Observation, ...]


class ReviewFinished(msgspec.Struct, frozen=True, tag="finished"):
    """The last line of a review: what each player gave away in all, by seat."""

    players: tuple[PlayerReview, ...]


class ReviewFailed(msgspec.Struct, frozen=True, tag="failed"):
    """The last line of a review that could not be finished, as in `ErrorResponse`."""

    code: ErrorCode
    text: str


class ReviewedMatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the review of a match says of one player: the `costs` of all decisions, and what they show of habits.

    `gain`: how much more than an even share of the match the player won, without luck: `result - luck` of their parts
    less one divided by the number of players.
    """

    gain: Annotated[float, msgspec.Meta(ge=-MAX_GAIN, le=MAX_GAIN)]
    costs: tuple[Share, ...]
    observations: tuple[Observation, ...]


class HabitsForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A request for the habits of a player in reviewed matches."""

    matches: tuple[ReviewedMatch, ...]


class WhatIfForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A request to play another move of a decision on. `record`: the text of the record. `move`: None for silence."""

    record: Annotated[str, msgspec.Meta(max_length=MAX_RECORD_BYTES)]
    decision: int
    move: Move | None


class WhatIfProgress(msgspec.Struct, frozen=True, tag="progress"):
    """What is known of two moves so far; `total` deals are played out in all."""

    comparison: Comparison
    total: int


WhatIfLine = WhatIfProgress | ReviewFailed
ReviewLine = ReviewStarted | ReviewWaiting | ReviewAccount | ReviewedDecision | ReviewFinished | ReviewFailed
_ENCODER = msgspec.json.Encoder()
_STARTED = msgspec.json.Decoder(ReviewStarted)
_DECISION = msgspec.json.Decoder(ReviewedDecision)
_HABITS = msgspec.json.Decoder(HabitsForm)


def encode_line(line: ReviewLine | WhatIfLine) -> bytes:
    """Return a line of a review with its line feed."""
    return _ENCODER.encode(line) + b"\n"


class OpenedReview(NamedTuple):
    """The first line of a review, the number of its decisions, and whether the engine plays their deals on."""

    line: bytes
    decisions: int
    by_engine: bool


def started_line(record: bytes) -> OpenedReview:
    """Return the first line of the review of a record, and how much work it is.

    Raises `RecordError` for a record that cannot be read, `UnfinishedError` for a match that is not over, and
    `CostlyRulesError` as `check_simulation`.
    """
    read = _read(record)
    facts = match_facts(read)
    check_simulation(read.state.ruleset, len(facts.names), len(facts.decisions))
    deals, needed = played_deals(read.state.ruleset, DEALS), matches_to_tell(len(facts.names))
    line = encode_line(ReviewStarted(facts, deals, CHAMPION_NAME, needed))
    return OpenedReview(line, len(facts.decisions), not is_judged_by_simulator(read.state.ruleset))


def account_line(record: bytes) -> bytes:
    """Return the line of luck and play. Raises `RecordError`, and `UnfinishedError` for a match that is not over."""
    return encode_line(ReviewAccount(result_account(_read(record).events)))


def decision_line(record: bytes, number: int) -> bytes:
    """Return the line of a decision."""
    from liarsdice.analysis.habit_observations import observe_decision  # noqa: PLC0415  it loads numba

    reviewer = _reviewer(record)
    review = reviewer.review(number)
    observations = tuple(observe_decision(reviewer.decision(number), review, 0))
    return encode_line(ReviewedDecision(review, observations))


def finished_line(started: bytes, lines: Sequence[bytes]) -> bytes:
    """Return the last line of a review from its first line and the lines of all its decisions."""
    names = _STARTED.decode(started).match.names
    decisions = [_DECISION.decode(line).review for line in lines]
    return encode_line(ReviewFinished(player_reviews(names, decisions)))


def what_if_part(record: bytes, number: int, move: Move | None, batch: int) -> WhatIfBatch:
    """Return the results of a batch of deals. Raises as `Reviewer.what_if`, and `RecordError`."""
    return _reviewer(record).what_if(number, move, batch)


def habits_body(form: bytes) -> bytes:
    """Return the habits that a `HabitsForm` shows, both as JSON. Raises `MalformedError` for another body."""
    try:
        matches = _HABITS.decode(form).matches
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        problem = describe_decode_error(str(error), "the list")
        raise MalformedError(f"this is no list of reviewed matches: {problem}") from error
    if not 0 < len(matches) <= MAX_HABIT_MATCHES:
        raise MalformedError(f"habits are found in 1 to {MAX_HABIT_MATCHES} matches")
    costs = [(number, cost) for number, match in enumerate(matches) for cost in match.costs]
    replace = msgspec.structs.replace
    seen = [replace(one, match=number) for number, match in enumerate(matches) for one in match.observations]
    return _ENCODER.encode(report_habits([match.gain for match in matches], costs, seen))


def load_networks() -> None:
    """Read what every review needs; called first in each worker process."""
    champion_network()


@lru_cache(MAX_OPEN_REVIEWS)
def _reviewer(record: bytes) -> Reviewer:
    from liarsdice.analysis.review.report import Reviewer  # noqa: PLC0415  it loads numba

    return Reviewer(_read(record))


def _read(record: bytes) -> Record:
    """Return the record.

    Raises `RecordError`, and `CostlyRulesError` for more dice than `check_simulation` allows.
    """
    read = read_record(record)
    check_simulation(read.state.ruleset, len(read.state.names))
    return read
