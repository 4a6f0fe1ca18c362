"""A review is computed once for all its readers, a few at a time, and only of matches that are over."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from itertools import takewhile
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from liarsdice.analysis.habit_observations import observe_match
from liarsdice.analysis.habits import report_habits
from liarsdice.analysis.luck import match_account
from liarsdice.analysis.review.results import DEALS, played_deals
from liarsdice.analysis.skill import gain_without_luck
from liarsdice.core.errors import MalformedError, UnavailableError, UnfinishedError
from liarsdice.core.events import Challenged, Dealt, ExactCalled
from liarsdice.core.records.record import read_record, write_record
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match
from liarsdice.runtime.worker_pool import DeadlineError
from liarsdice.server.errors import RateLimitError, TryAgainError
from liarsdice.server.http.costly_work import RECORD_COST, CostlyWork
from liarsdice.server.http.rate_limits import RateLimits
from liarsdice.server.http.review_work import (
    MAX_DICE,
    MAX_HABIT_MATCHES,
    account_line,
    decision_line,
    finished_line,
    habits_body,
    started_line,
    what_if_part,
)
from liarsdice.server.http.reviews import MAX_PER_ADDRESS, MAX_WAITING, MatchReviews, SharedReview
from tests.server.live_tables import SharedPool, shared_pool
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
        self.fails = False

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
        if self.fails:
            raise DeadlineError("late")
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


async def test_a_decision_that_takes_too_long_ends_the_review_with_a_message_and_the_next_one_begins_anew() -> None:
    workers = FakeWorkers()
    workers.fails = True
    reviews = reviews_with(workers)
    review = await reviews.open(HERE, record_of(4))
    *_, last = [json.loads(line) async for line in review.read()]
    assert (last["type"], last["code"]) == ("failed", "try_again")
    workers.fails = False
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


@pytest.mark.parametrize(
    "work",
    [
        started_line,
        account_line,
        lambda record: decision_line(record, 0),
        lambda record: what_if_part(record, 0, Bid(1, 3), 0),
    ],
    ids=["match", "account", "decision", "what if"],
)
def test_hidden_dice_change_no_byte_of_the_answer_before_the_match_is_over(work: Callable[[bytes], object]) -> None:
    """The records of a running match hold all dice: twins of it, with other dice, are refused in the same words."""
    events = play_match(preset("perudo").ruleset, ["threshold"] * 3, seed=1).events
    running = list(takewhile(lambda event: not isinstance(event, Challenged | ExactCalled), events))
    answers = set()
    for face in range(1, 7):
        twin = [replace(event, hands=((face,) * 5,) * 3) if isinstance(event, Dealt) else event for event in running]
        with pytest.raises(UnfinishedError) as refusal:
            work(write_record(twin, "0.1.0").encode())
        answers.add(str(refusal.value))
    assert len(answers) == 1


def test_the_observations_of_a_review_make_the_habits_that_the_coach_finds() -> None:
    event_lists = [play_match(preset("perudo").ruleset, ["random", "novice"], seed=seed).events for seed in (1, 2)]
    records = [write_record(events, "0.1.0").encode() for events in event_lists]
    matches, gains, costs, seen = [], [], [], []
    for number, content in enumerate(records):
        count = started_line(content).decisions
        lines = [json.loads(decision_line(content, decision)) for decision in range(count)]
        own = [line for line in lines if line["review"]["seat"] == 0]
        found = [observation for line in own for observation in line["observations"]]
        account = match_account(read_record(content).events)
        gains.append(gain_without_luck(account, 0))
        parts = json.loads(account_line(content))["account"]["parts"][0]
        assert parts["result"] - parts["luck"] - 1 / 2 == pytest.approx(gains[-1])
        matches.append({"gain": gains[-1], "costs": [line["review"]["cost"] for line in own], "observations": found})
        for cost, observations in observe_match(read_record(content), 0, number):
            costs.append((number, cost))
            seen += observations
    report = json.loads(habits_body(json.dumps({"matches": matches}).encode()))
    assert report == json.loads(msgspec.json.encode(report_habits(gains, costs, seen)))
    assert {habit["verdict"] for habit in report["habits"]} == {"not_yet"}


@pytest.mark.parametrize(
    "form",
    [
        b"",
        b"nothing",
        b'{"matches":[]}',
        b'{"matches":[{"costs":[2],"observations":[]}]}',
        b'{"matches":[{"costs":[0.1],"observations":[{"kind":"luck"}]}]}',
        b'{"matches":' + json.dumps([{"costs": [], "observations": []}] * (MAX_HABIT_MATCHES + 1)).encode() + b"}",
    ],
    ids=lambda form: str(form[:60]),
)
def test_what_is_no_list_of_reviewed_matches_shows_no_habits(form: bytes) -> None:
    with pytest.raises(MalformedError, match=r"reviewed matches|1 to 500 matches"):
        habits_body(form)


def test_matches_for_lives_are_reviewed_by_the_engine() -> None:
    record = write_record(play_match(preset("chui-niu+lives").ruleset, ["novice", "random"], seed=1).events, "0.1.0")
    opened = started_line(record.encode())
    assert opened.by_engine
    assert json.loads(opened.line)["deals"] == played_deals(preset("chui-niu+lives").ruleset, DEALS) < DEALS
    review = json.loads(decision_line(record.encode(), opened.decisions - 1))["review"]
    assert review["source"] in {"playouts", "forced"}


def test_more_dice_than_beliefs_can_be_computed_of_are_refused() -> None:
    seats = 10
    rules = patched(preset("perudo").ruleset, dice__per_player=MAX_DICE // seats + 1)
    record = write_record(play_match(rules, ["random"] * seats, seed=1).events, "0.1.0").encode()
    with pytest.raises(MalformedError, match=f"up to {MAX_DICE} dice"):
        started_line(record)


async def test_a_server_without_reviews_says_so() -> None:
    with pytest.raises(UnavailableError, match="offers no reviews"):
        await reviews_with(FakeWorkers(), at_once=0).open(HERE, record_of(4))
