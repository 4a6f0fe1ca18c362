"""Reviews of finished matches, habits, and other moves played on, computed in worker processes.

Addresses take turns, a decision each. A review is known by its record: everybody who asks for it reads the same lines,
as they are computed and later.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing, asynccontextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVarTuple

import msgspec
import structlog
from litestar import MediaType, Response, get, post
from litestar.background_tasks import BackgroundTask
from litestar.params import JSONBody
from litestar.response import Stream

from liarsdice.analysis.habits import HabitReport, Observation, report_habits
from liarsdice.analysis.luck import matches_to_tell
from liarsdice.analysis.review.decisions import MatchFacts, match_facts
from liarsdice.analysis.review.parts import ResultAccount, result_account
from liarsdice.analysis.review.results import (
    Comparison,
    DecisionReview,
    PlayerReview,
    is_judged_by_simulator,
    played_deals,
    player_reviews,
)
from liarsdice.bots.neural.champion import CHAMPION_NAME, champion_network
from liarsdice.core.actions import Move
from liarsdice.core.decode_errors import describe_decode_error
from liarsdice.core.errors import LiarsDiceError, MalformedError, UnavailableError
from liarsdice.core.records.record import Record, read_record
from liarsdice.core.rules.rule_costs import check_simulation
from liarsdice.runtime.processes import WorkerPool, WorkerPoolError
from liarsdice.server.errors import RateLimitError, TryAgainError
from liarsdice.server.http.address_limits import AddressCounter, RateLimits, client_address
from liarsdice.server.http.app_state import AppRequest, AppState
from liarsdice.server.http.costly_work import CACHED_COST, HABITS_COST, RECORD_COST, VIEW_COST, WHAT_IF_COST, CostlyWork
from liarsdice.server.http.error_responses import ERRORS, responses_with
from liarsdice.server.protocol.messages import ErrorCode, error_code
from liarsdice.values.judgement import DEALS

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
    """What is known of two moves by some deals; the last line goes by `total` deals, 0 where nothing is drawn."""

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
    from liarsdice.analysis.habit_observations import observe_decision  # noqa: PLC0415  it loads compiled code

    reviewer = _reviewer(record)
    review = reviewer.review(number)
    observations = tuple(observe_decision(reviewer.decision(number), review, 0))
    return encode_line(ReviewedDecision(review, observations))


def finished_line(started: bytes, lines: Sequence[bytes]) -> bytes:
    """Return the last line of a review from its first line and the lines of all its decisions."""
    names = _STARTED.decode(started).match.names
    decisions = [_DECISION.decode(line).review for line in lines]
    return encode_line(ReviewFinished(player_reviews(names, decisions)))


def compare_moves(record: bytes, number: int, move: Move | None, deals: int) -> Comparison:
    """Return how much better another move is. Raises as `Reviewer.what_if`, and `RecordError`."""
    return _reviewer(record).what_if(number, move, deals)


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


WHAT_IFS_PER_ADDRESS = 4
WHAT_IF_DEALS = (30, 60, 120, 240, 480, 960)
"""By how many deals another move is judged, one after the other; reviews have 480 as well."""
DECISION_DEADLINE_S = 90.0
"""The first decision after an installation compiles the simulator, which takes most of a minute on a busy machine."""
NO_REVIEWS = "this server offers no reviews; the command `liarsdice review` makes them from the record of a match"


class WhatIfs:
    """All other moves that are played on, a few at once for each address. Used on the event loop only.

    `workers`: the processes of reviews. `offered`: whether the server offers reviews.
    """

    def __init__(self, rate_limits: RateLimits, workers: WorkerPool, *, offered: bool) -> None:
        self._rate_limits, self._workers, self._offered = rate_limits, workers, offered
        self._by_address = AddressCounter(WHAT_IFS_PER_ADDRESS)

    async def open(self, address: str, form: WhatIfForm) -> AsyncGenerator[bytes]:
        """Return the lines about another move, which come while it is played on.

        Raises `UnavailableError` if the server offers no reviews, `RateLimitError` if the budget of the address is used
        up or it has too many in progress, `TryAgainError` if no process answers in time, and as `compare_moves`.
        """
        if not self._offered:
            raise UnavailableError(NO_REVIEWS)
        return await begun(self._lines(address, form), "what_if_failed")

    async def _lines(self, address: str, form: WhatIfForm) -> AsyncGenerator[bytes]:
        with self._by_address.hold(address, "your address plays other moves on already; wait until one is finished"):
            self._rate_limits.check_work(address, WHAT_IF_COST)
            move = (form.record.encode(), form.decision, form.move)
            for deals in WHAT_IF_DEALS:
                found = await self._workers.run(compare_moves, *move, deals, deadline_s=DECISION_DEADLINE_S)
                yield encode_line(WhatIfProgress(found, found.deals * WHAT_IF_DEALS[-1] // deals))
                if found.source.is_exact:
                    return


async def begun(lines: AsyncGenerator[bytes], failure: str) -> AsyncGenerator[bytes]:
    """Return lines whose first one is known, so that what cannot be computed is refused before the answer begins.

    Raises what the first line raises, `TryAgainError` if no process answers. If none does so for a later line, that is
    logged as `failure`, and the last line is a `ReviewFailed`.
    """
    try:
        first = await anext(lines)
    except WorkerPoolError as error:
        raise TryAgainError("the server is busy; try again in a moment") from error
    return _continued(first, lines, failure)


async def _continued(first: bytes, lines: AsyncGenerator[bytes], failure: str) -> AsyncGenerator[bytes]:
    async with aclosing(lines):
        yield first
        try:
            async for line in lines:
                yield line
        except WorkerPoolError as error:
            LOG.warning(failure, error=type(error).__name__)
            yield encode_line(ReviewFailed(ErrorCode.TRY_AGAIN, TOO_LATE))


Arguments = TypeVarTuple("Arguments")

LOG = structlog.get_logger()
MAX_REMEMBERED = 1_000
MAX_AT_ONCE = 64
MAX_WAITING = 16
MAX_PER_ADDRESS = 2
DECISION_COST, ENGINE_COST, MAX_COST = 20, 100, 2_000
"""What a review costs for each decision that is still to be computed (the second one where the engine plays deals on),
and at most (`RateLimits.check_work`)."""
TOO_LATE, BROKEN = "that took too long; try again", "this review failed on the server; try again"
NICENESS = 15
KEPT_BYTES = 32 * 1024 * 1024
LEFT_S = 1.0
"""A review goes on for so long after its last reader has left, because the next one may be about to read it."""
RETELL_S = 15.0
"""A proxy ends a response that is silent for long, so a reader who waits is told again after this time."""


def review_pool(at_once: int) -> WorkerPool:
    """Return the worker processes of reviews. They start with the first one."""
    return WorkerPool(
        max(at_once, 1), max_calls=2 * MAX_AT_ONCE, name="review", niceness=NICENESS, prepare=load_networks
    )


class FairTurns:
    """Lets `at_once` holders go at the same time. Of those who wait, the address goes that went least recently."""

    def __init__(self, at_once: int) -> None:
        self._free = at_once
        self._waiting: list[tuple[str, asyncio.Future[None]]] = []
        self._went: dict[str, int] = {}
        self._count = 0

    @asynccontextmanager
    async def turn(self, address: str) -> AsyncGenerator[None]:
        """Wait for a turn of an address, and hold it while the block runs."""
        ready = asyncio.get_running_loop().create_future()
        self._waiting.append((address, ready))
        self._let_go()
        try:
            await ready
            yield
        finally:
            if ready.done() and not ready.cancelled():
                self._free += 1
            else:
                self._waiting.remove((address, ready))
            self._let_go()

    def _let_go(self) -> None:
        while self._free and (waiting := [pair for pair in self._waiting if not pair[1].done()]):
            address, ready = chosen = min(waiting, key=lambda pair: self._went.get(pair[0], 0))
            self._waiting.remove(chosen)
            self._free -= 1
            self._count += 1
            self._went.pop(address, None)
            self._went[address] = self._count
            if len(self._went) > MAX_REMEMBERED:
                del self._went[next(iter(self._went))]
            ready.set_result(None)


class SharedReview:
    """The review of one record: its lines so far, which any number of readers read. Used on the event loop only.

    `record`: its text. `started`: the first line. `account`: that of luck and play, None until known. `count`: how many
    decisions there are, and `decision_cost` what each costs in units of work. `decisions`: their lines so far.
    `ahead`: how many others take turns with it until something of it is known. `last`: the last line, None until it is
    known. `readers`: how many read now.
    """

    def __init__(self, record: bytes, opened: OpenedReview) -> None:
        self.record, self.started, self.count = record, opened.line, opened.decisions
        self.decision_cost = ENGINE_COST if opened.by_engine else DECISION_COST
        self.account: bytes | None = None
        self.decisions: list[bytes] = []
        self.ahead = 0
        self.last: bytes | None = None
        self.readers = 0
        self.task: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()

    @property
    def size(self) -> int:
        """How many bytes it takes."""
        return sum(map(len, (self.record, self.started, self.account or b"", *self.decisions)))

    def tell(self) -> None:
        """Let the readers look at what has changed."""
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def read(self) -> AsyncGenerator[bytes]:
        """Yield all lines, as they come. The computation stops soon after the last of the readers has left."""
        self.readers += 1
        try:
            yield self.started
            sent = told = 0
            account_sent = False
            while True:
                changed = self._changed
                if self.ahead != told:
                    told = self.ahead
                    yield encode_line(ReviewWaiting(told))
                if self.account is not None and not account_sent:
                    account_sent = True
                    yield self.account
                while sent < len(self.decisions):
                    sent += 1
                    yield self.decisions[sent - 1]
                if self.last is not None:
                    yield self.last
                    return
                try:
                    await asyncio.wait_for(changed.wait(), RETELL_S)
                except TimeoutError:
                    told = -1
        finally:
            self.readers -= 1
            asyncio.get_running_loop().call_later(LEFT_S, self._stop_unread)

    def _stop_unread(self) -> None:
        """Stop the computation if nobody reads the review."""
        if not self.readers and self.task is not None:
            self.task.cancel()
            self.task = None


class MatchReviews:
    """All reviews of a server, of which `at_once` are computed at the same moment; 0 offers none.

    Each computes one decision and then lets the other addresses go first, so that a long match holds up nobody.

    Used on the event loop only. `on_end` is called with how a computation ended: finished, failed or abandoned.
    `what_ifs`: other moves that are played on.
    """

    def __init__(
        self,
        costly_work: CostlyWork,
        rate_limits: RateLimits,
        *,
        at_once: int,
        workers: WorkerPool,
        on_end: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.at_once = at_once
        self._costly_work, self._rate_limits, self._on_end = costly_work, rate_limits, on_end
        self._workers = workers
        self._turns = FairTurns(at_once)
        self._in_progress: list[SharedReview] = []
        self._reviews: OrderedDict[bytes, SharedReview] = OrderedDict()
        self._by_address = AddressCounter(MAX_PER_ADDRESS)
        self.what_ifs = WhatIfs(rate_limits, workers, offered=at_once > 0)
        self._tasks: set[asyncio.Task[None]] = set()

    def close(self) -> None:
        """Stop all reviews and kill the processes."""
        for task in self._tasks:
            task.cancel()
        self._workers.close()

    async def open(self, address: str, record: bytes) -> SharedReview:
        """Return the review of a record, which is computed from now on unless it was before.

        Raises `UnavailableError` if the server offers none, `MalformedError` for a record that cannot be reviewed,
        `RateLimitError` if the address has asked for too much, and `TryAgainError` if too many reviews wait.
        """
        if not self.at_once:
            raise UnavailableError(NO_REVIEWS)
        key = hashlib.sha256(record).digest()
        review = self._reviews.get(key)
        if review is None:
            opened = await self._read_first(address, record)
            review = self._reviews.get(key) or SharedReview(record, opened)
        else:
            self._rate_limits.check_work(address, CACHED_COST)
        if review.last is None and (review.task is None or review.task.done()):
            self._begin(address, key, review)
        self._reviews[key] = review
        self._reviews.move_to_end(key)
        self._drop_old_ones()
        return review

    async def _read_first(self, address: str, record: bytes) -> OpenedReview:
        """Read an unknown record where the address pays for the seconds that this takes. Raises as `open`."""
        with self._costly_work.admitted(address, RECORD_COST):
            return await self._costly_work.in_process(address, started_line, record)

    async def play_on(self, address: str, form: WhatIfForm) -> AsyncGenerator[bytes]:
        """Return the lines about another move (`WhatIfs.open`), whose record is read first unless it is reviewed."""
        record = form.record.encode()
        if self.at_once and hashlib.sha256(record).digest() not in self._reviews:
            await self._read_first(address, record)
        return await self.what_ifs.open(address, form)

    async def lines(self, address: str, record: bytes) -> AsyncGenerator[bytes]:
        """Return the lines of the review of a record. Raises as `open`.

        The reader counts from now on: a generator that has not begun would do nothing when it is closed unread.
        """
        return await begun((await self.open(address, record)).read(), "review_failed")

    def _begin(self, address: str, key: bytes, review: SharedReview) -> None:
        """Let a review be computed, or wait. Raises `RateLimitError` and `TryAgainError`."""
        if len(self._in_progress) >= MAX_WAITING + self.at_once:
            raise TryAgainError("many matches are being reviewed just now; try again in a minute")
        if not self._by_address.add(address):
            raise RateLimitError("your address has other reviews in progress; wait until one of them is finished")
        try:
            left = review.count - len(review.decisions)
            self._rate_limits.check_work(address, min(review.decision_cost * left, MAX_COST))
        except RateLimitError:
            self._by_address.remove(address)
            raise
        self._in_progress.append(review)
        review.task = self._start_task(self._run(address, key, review))
        self._tell_places()

    def _start_task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _run(self, address: str, key: bytes, review: SharedReview) -> None:
        """Compute a review once there is a place for it, and count how it ended."""
        outcome = "abandoned"
        try:
            await self._compute(address, review)
            outcome = "finished"
        except Exception as error:  # noqa: BLE001  readers would wait for ever
            outcome = "failed"
            late = isinstance(error, WorkerPoolError)
            problem = error if isinstance(error, LiarsDiceError) else TryAgainError(TOO_LATE if late else BROKEN)
            LOG.warning("review_failed", error=type(error).__name__)
            review.last = encode_line(ReviewFailed(error_code(problem), str(problem)))
            self._reviews.pop(key, None)
        finally:
            self._in_progress.remove(review)
            self._by_address.remove(address)
            self._on_end(outcome)
            self._tell_places()
            review.tell()

    def _tell_places(self) -> None:
        """Tell the readers of every review of which nothing is known how many others take turns with it."""
        for review in self._in_progress:
            is_known = review.account is not None or len(self._in_progress) <= self.at_once
            review.ahead = 0 if is_known else len(self._in_progress) - 1
            review.tell()

    async def _compute(self, address: str, review: SharedReview) -> None:
        """Compute luck and play, the decisions that are missing, and the end."""

        async def run(function: Callable[[*Arguments], bytes], *arguments: *Arguments) -> bytes:
            async with self._turns.turn(address):
                return await self._workers.run(function, *arguments, deadline_s=DECISION_DEADLINE_S)

        if review.account is None:
            review.account = await run(account_line, review.record)
            self._tell_places()
        for number in range(len(review.decisions), review.count):
            review.decisions.append(await run(decision_line, review.record, number))
            review.tell()
        review.last = await run(finished_line, review.started, tuple(review.decisions))

    def _drop_old_ones(self) -> None:
        """Forget the reviews that were not read for longest, and are not computed, beyond `KEPT_BYTES`."""
        size = sum(review.size for review in self._reviews.values())
        for key, review in list(self._reviews.items())[:-1]:
            if size <= KEPT_BYTES:
                return
            if review.task is None or review.task.done():
                size -= review.size
                del self._reviews[key]


MAX_HABITS_BYTES = 4 * 1024 * 1024
LINES = "application/x-ndjson"
STREAM_HEADERS = {"x-accel-buffering": "no"}
"""A reverse proxy (nginx) must pass on each line at once."""


class ReviewOffer(msgspec.Struct, frozen=True):
    """Whether the server reviews matches."""

    offered: bool


def stream_of(lines: AsyncGenerator[bytes]) -> Stream:
    """Return a response with these lines. They are closed however early the reader leaves, which stops their work."""
    return Stream(lines, media_type=LINES, headers=STREAM_HEADERS, background=BackgroundTask(lines.aclose))


@get("/api/reviews", responses=ERRORS, sync_to_thread=False)
def review_offer(state: AppState) -> ReviewOffer:
    """Return whether the server reviews matches."""
    reviews: MatchReviews = state.reviews
    return ReviewOffer(reviews.at_once > 0)


@post(
    "/api/reviews",
    responses=responses_with(ReviewStarted, LINES),
    status_code=200,
    request_max_body_size=MAX_RECORD_BYTES,
)
async def review(request: AppRequest, state: AppState) -> Stream:
    """Review a finished match, whose record is the body of the request, and return a line for each decision."""
    reviews: MatchReviews = state.reviews
    address = client_address(request)
    with state.costly_work.admitted(address, VIEW_COST):  # so that an address has few long bodies in memory
        record = await request.body()
    return stream_of(await reviews.lines(address, record))


@post(
    "/api/habits",
    responses=responses_with(HabitReport),
    status_code=200,
    request_max_body_size=MAX_HABITS_BYTES,
)
async def habits(request: AppRequest, state: AppState) -> Response[bytes]:
    """Return the habits of a player in matches that were reviewed; the body of the request is a `HabitsForm`."""
    address = client_address(request)
    with state.costly_work.admitted(address, HABITS_COST):
        form = await request.body()
        report = await state.costly_work.in_process(address, habits_body, form)
    return Response(report, media_type=MediaType.JSON)


@post(
    "/api/reviews/what-if",
    responses=responses_with(WhatIfProgress, LINES),
    status_code=200,
    request_max_body_size=2 * MAX_RECORD_BYTES,
)
async def what_if(request: AppRequest, state: AppState, data: JSONBody[WhatIfForm]) -> Stream:
    """Play another move of a decision on 960 times, beside the one that was made, on the same dice."""
    reviews: MatchReviews = state.reviews
    return stream_of(await reviews.play_on(client_address(request), data))
