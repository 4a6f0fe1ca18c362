"""A review is computed once for all its readers, a few at a time, and only of matches that are over."""

from __future__ import annotations

import asyncio
import itertools
import json
from typing import Any

import pytest

from liarsdice.core.errors import MalformedError, UnavailableError, UnfinishedError
from liarsdice.core.records.record import read_record, write_record
from liarsdice.runtime.worker_pool import DeadlineError
from liarsdice.server.errors import RateLimitError, TryAgainError
from liarsdice.server.http import reviews as reviews_module
from liarsdice.server.http.costly_work import RECORD_COST, CostlyWork
from liarsdice.server.http.limits import RateLimits
from liarsdice.server.http.reviews import (
    MAX_PER_ADDRESS,
    MAX_WAITING,
    MatchReviews,
    SharedReview,
    account_line,
    decision_line,
    finished_line,
)
from tests.server.live_tables import PATIENCE_S, SharedPool, shared_pool
from tests.server.match_records import record_of

HERE, THERE = "192.0.2.1", "192.0.2.2"


class FakeWorkers(SharedPool):
    """Computes nothing: each call, from that of the decision `stops_at` on, waits until it may go on."""

    def __init__(self) -> None:
        super().__init__(1, max_calls=1, name="fake")
        self.calls: list[int] = []
        self.go_on = asyncio.Event()
        self.go_on.set()
        self.stops_at = 0
        self.error: Exception | None = None

    async def run(self, *arguments: Any, **_: Any) -> Any:  # type: ignore[override]  # noqa: ANN401  any call
        function, *rest = arguments
        if function is finished_line:
            return b'{"type":"finished"}\n'
        if function is account_line:
            return b'{"type":"account"}\n'
        assert function is decision_line
        self.calls.append(rest[1])
        if rest[1] >= self.stops_at:
            await self.go_on.wait()
        if self.error is not None:
            raise self.error
        return b'{"type":"decision"}\n'


def reviews_with(workers: FakeWorkers, *, at_once: int = 1, limits: RateLimits | None = None) -> MatchReviews:
    rate_limits = limits or RateLimits()
    return MatchReviews(CostlyWork(rate_limits, shared_pool()), rate_limits, at_once=at_once, workers=workers)


async def types(review: SharedReview) -> list[str]:
    """The types of all lines of a review."""
    return [json.loads(line)["type"] for line in [line async for line in review.read()]]


async def test_the_lines_of_a_review_are_those_that_the_command_computes() -> None:
    reviews = MatchReviews(CostlyWork(RateLimits(), shared_pool()), RateLimits(), at_once=1, workers=shared_pool())
    review = await reviews.open(HERE, record_of(4))
    lines = [json.loads(line) async for line in review.read()]
    started, luck, *decisions, finished = lines
    record = read_record(record_of(4))
    assert started["match"]["names"] == ["Ann", "Bo"]
    assert started["match"]["winners"] == list(record.state.winners)
    for parts, won in zip(
        luck["account"]["parts"], (0 in record.state.winners, 1 in record.state.winners), strict=True
    ):
        assert parts["start"] + parts["luck"] + parts["own_play"] + parts["others_play"] == pytest.approx(
            float(won), abs=1e-9
        )
    assert luck["account"]["win_line"][-1]["shares"] == [float(seat in record.state.winners) for seat in (0, 1)]
    assert [hands["hands"] for hands in started["match"]["rounds"]]
    facts = started["match"]["decisions"]
    assert [line["review"]["number"] for line in decisions] == [fact["number"] for fact in facts]
    assert [line["review"]["move"] for line in decisions] == [fact["move"] for fact in facts]
    assert [player["name"] for player in finished["players"]] == ["Ann", "Bo"]
    for player in finished["players"]:
        costs = [line["review"]["cost"] for line in decisions if line["review"]["seat"] == player["seat"]]
        assert sum(costs) == pytest.approx(player["cost"])


async def test_everybody_who_asks_for_a_review_reads_the_same_which_is_computed_once() -> None:
    workers = FakeWorkers()
    reviews = reviews_with(workers)
    first, second = await reviews.open(HERE, record_of(4)), await reviews.open(THERE, record_of(4))
    assert first is second
    assert await types(first) == await types(second)
    assert workers.calls == list(range(first.count))


async def test_a_review_that_everybody_has_left_stops_and_goes_on_where_it_was_for_the_next_reader() -> None:
    workers = FakeWorkers()
    workers.go_on.clear()
    workers.stops_at = 1
    reviews = reviews_with(workers)
    review = await reviews.open(HERE, record_of(4))
    lines = review.read()
    for _ in ("started", "account", "decision"):
        await anext(lines)
    await lines.aclose()
    assert len(review.decisions) == 1 < review.count
    workers.go_on.set()
    again = await reviews.open(THERE, record_of(4))
    assert again is review
    assert await types(again) == ["started", "account", *["decision"] * review.count, "finished"]
    assert sorted(set(workers.calls)) == list(range(review.count))
    assert len(workers.calls) <= review.count + 1


async def test_who_opens_a_review_just_before_its_last_reader_leaves_reads_it_to_its_end() -> None:
    workers = FakeWorkers()
    workers.go_on.clear()
    reviews = reviews_with(workers)
    lines = (await reviews.open(HERE, record_of(4))).read()
    await anext(lines)
    second = await reviews.open(THERE, record_of(4))
    await lines.aclose()
    workers.go_on.set()
    assert (await types(second))[-1] == "finished"


async def test_a_review_that_nobody_reads_stops_and_gives_its_place_to_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reviews_module, "LEFT_S", 0.01)
    workers = FakeWorkers()
    workers.stops_at = 1
    workers.go_on.clear()
    ended: list[str] = []
    costly_work = CostlyWork(RateLimits(), shared_pool())
    reviews = MatchReviews(costly_work, RateLimits(), at_once=1, workers=workers, on_end=ended.append)
    lines = (await reviews.open(HERE, record_of(4))).read()
    for _ in ("started", "account", "decision"):
        await anext(lines)
    await lines.aclose()
    workers.stops_at = 1_000
    assert (await types(await reviews.open(THERE, record_of(5))))[-1] == "finished"
    assert ended == ["abandoned", "finished"]


async def test_a_review_whose_lines_are_never_read_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reviews_module, "LEFT_S", 0.01)
    workers, ended = FakeWorkers(), asyncio.Queue[str]()
    workers.go_on.clear()
    costly_work = CostlyWork(RateLimits(), shared_pool())
    reviews = MatchReviews(costly_work, RateLimits(), at_once=1, workers=workers, on_end=ended.put_nowait)
    for close in (True, False):
        lines = await reviews.lines(HERE, record_of(4))
        if close:
            await lines.aclose()
        del lines
        assert await asyncio.wait_for(ended.get(), PATIENCE_S) == "abandoned"


async def test_reviews_wait_for_each_other_and_their_readers_are_told_how_many_come_first() -> None:
    workers = FakeWorkers()
    workers.go_on.clear()
    reviews = reviews_with(workers)
    first = await reviews.open(HERE, record_of(4))
    second = await reviews.open(THERE, record_of(5))
    lines = second.read()
    assert json.loads(await anext(lines))["type"] == "started"
    assert json.loads(await anext(lines)) == {"type": "waiting", "ahead": 1}
    workers.go_on.set()
    assert (await types(first))[-1] == "finished"
    assert [json.loads(line)["type"] async for line in lines][-1] == "finished"


async def test_a_long_review_lets_another_address_go_after_each_decision() -> None:
    class NotedWorkers(FakeWorkers):
        async def run(self, *arguments: Any, **_: Any) -> Any:  # type: ignore[override]  # noqa: ANN401  as before
            await asyncio.sleep(0)
            noted.append(arguments[1])
            return await super().run(*arguments)

    noted: list[bytes] = []
    reviews = reviews_with(NotedWorkers())
    long, other = [await reviews.open(HERE, record_of(seed)) for seed in (4, 6)]
    short = await reviews.open(THERE, record_of(5))
    await asyncio.gather(*(types(review) for review in (long, other, short)))
    calls = [record == short.record for record in noted if record in {long.record, other.record, short.record}]
    first, last = calls.index(True), len(calls) - calls[::-1].index(True)
    during = calls[first:last]
    assert not any(mine == again is False for mine, again in itertools.pairwise(during)), "both of HERE share its turns"


async def test_too_many_reviews_and_too_many_of_one_address_are_refused() -> None:
    workers = FakeWorkers()
    workers.go_on.clear()
    reviews = reviews_with(workers)
    for seed in range(MAX_PER_ADDRESS):
        await reviews.open(HERE, record_of(seed))
    with pytest.raises(RateLimitError, match="other reviews in progress"):
        await reviews.open(HERE, record_of(99))
    await asyncio.sleep(0)
    for number in range(MAX_WAITING + 1 - MAX_PER_ADDRESS):
        await reviews.open(f"198.51.100.{number}", record_of(10 + number))
        await asyncio.sleep(0)
    with pytest.raises(TryAgainError, match="many matches are being reviewed"):
        await reviews.open(THERE, record_of(99))
    reviews.close()


async def test_a_review_is_paid_from_the_budget_of_the_address_and_a_known_one_costs_next_to_nothing() -> None:
    workers = FakeWorkers()
    limits = RateLimits(work_per_minute=RECORD_COST + 5)
    with pytest.raises(RateLimitError, match="asked for very much"):
        await reviews_with(workers, limits=limits).open(HERE, record_of(4))
    rich = reviews_with(workers, limits=RateLimits(work_per_minute=2_000 + RECORD_COST))
    review = await rich.open(HERE, record_of(4))
    assert (await types(review))[-1] == "finished"
    for _ in range(5):
        assert await rich.open(HERE, record_of(4)) is review


@pytest.mark.parametrize(
    "error, text",
    [
        (DeadlineError("late"), "that took too long; try again"),
        (KeyError("an error of the program"), "this review failed on the server; try again"),
    ],
    ids=["late", "broken"],
)
async def test_a_decision_that_fails_ends_the_review_with_a_message_and_the_next_one_begins_anew(
    error: Exception, text: str
) -> None:
    """Its readers would wait for ever after an error that nobody foresaw."""
    workers = FakeWorkers()
    workers.error = error
    reviews = reviews_with(workers)
    review = await reviews.open(HERE, record_of(4))
    *_, last = [json.loads(line) async for line in review.read()]
    assert last == {"type": "failed", "code": "try_again", "text": text}
    workers.error = None
    assert (await types(await reviews.open(HERE, record_of(4))))[-1] == "finished"


async def test_only_finished_matches_that_follow_the_rules_are_reviewed() -> None:
    reviews = reviews_with(FakeWorkers())
    events = read_record(record_of(4)).events
    with pytest.raises(UnfinishedError, match="not over"):
        await reviews.open(HERE, write_record(events[:4], "0.1.0").encode())
    winner = read_record(record_of(4)).state.winners[0]
    forged = record_of(4).replace(f'"winners":[{winner}]'.encode(), f'"winners":[{1 - winner}]'.encode())
    for content in (b"", b"nothing", forged):
        with pytest.raises(MalformedError):
            await reviews.open(HERE, content)


async def test_a_server_without_reviews_says_so() -> None:
    with pytest.raises(UnavailableError, match="offers no reviews"):
        await reviews_with(FakeWorkers(), at_once=0).open(HERE, record_of(4))
