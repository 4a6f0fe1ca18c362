"""A review is computed once for all its readers, a few at a time, and only of matches that are over."""

import asyncio
import itertools
import json
from collections.abc import Callable
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
from msgspec.structs import replace

from liarsdice.analysis.habit_observations import observe_match
from liarsdice.analysis.habits import report_habits
from liarsdice.analysis.luck import gain_without_luck, match_account
from liarsdice.analysis.review.results import Comparison, played_deals
from liarsdice.core.errors import CostlyRulesError, MalformedError, UnavailableError, UnfinishedError
from liarsdice.core.events import Challenged, Dealt, ExactCalled
from liarsdice.core.records.record import read_record, write_record
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.rule_costs import MAX_SIMULATED_DICE
from liarsdice.play.match_runner import play_match
from liarsdice.runtime.processes import DeadlineError
from liarsdice.server.errors import RateLimitError, TryAgainError
from liarsdice.server.http import reviews as reviews_module
from liarsdice.server.http.address_limits import RateLimits
from liarsdice.server.http.auth import hash_token
from liarsdice.server.http.connections import ConnectionLimits
from liarsdice.server.http.costly_work import RECORD_COST, WHAT_IF_COST, CostlyWork
from liarsdice.server.http.reviews import (
    MAX_HABIT_MATCHES,
    MAX_PER_ADDRESS,
    MAX_RECORD_BYTES,
    MAX_WAITING,
    WHAT_IF_DEALS,
    WHAT_IFS_PER_ADDRESS,
    MatchReviews,
    OpenedReview,
    SharedReview,
    WhatIfForm,
    WhatIfs,
    account_line,
    compare_moves,
    decision_line,
    finished_line,
    habits_body,
    started_line,
)
from liarsdice.server.http.rules_lab import RulesLab, lab_batch
from liarsdice.server.table import commands as c
from liarsdice.values.judgement import DEALS, Source
from tests.server.live_tables import PATIENCE_S, SharedPool, begin_match, is_over, make_table, shared_pool, wait_until
from tests.server.running_server import RunningServer, run_server


@lru_cache(64)
def record_of(seed: int) -> bytes:
    """The record of a match with one die each, all of whose positions are solved, so that its review takes no time."""
    match = play_match(preset("openspiel").ruleset, ["random", "random"], ["Ann", "Bo"], seed=seed)
    return write_record(match.events, "0.1.0").encode()


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


@pytest.mark.parametrize(
    "work",
    [
        started_line,
        account_line,
        lambda record: decision_line(record, 0),
        lambda record: compare_moves(record, 0, Bid(1, 3), 30),
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
        for review, observations in observe_match(read_record(content), 0, number):
            costs.append((number, review.cost))
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


@pytest.mark.usefixtures("few_matches")
def test_matches_for_lives_are_reviewed_by_the_engine() -> None:
    record = write_record(play_match(preset("chui-niu+lives").ruleset, ["novice", "random"], seed=1).events, "0.1.0")
    opened = started_line(record.encode())
    assert opened.by_engine
    assert json.loads(opened.line)["deals"] == played_deals(preset("chui-niu+lives").ruleset, DEALS) < DEALS
    review = json.loads(decision_line(record.encode(), opened.decisions - 1))["review"]
    assert review["source"] in {"playouts", "forced"}


def test_more_dice_than_beliefs_can_be_computed_of_are_refused() -> None:
    seats = 10
    rules = patched(preset("perudo").ruleset, dice__per_player=MAX_SIMULATED_DICE // seats + 1)
    record = write_record(play_match(rules, ["random"] * seats, seed=1).events, "0.1.0").encode()
    with pytest.raises(CostlyRulesError, match=f"at most {MAX_SIMULATED_DICE} dice"):
        started_line(record)


FORM = WhatIfForm(record="", decision=0, move=None)


class WhatIfsFakeWorkers(SharedPool):
    """Answers each call with a comparison; the call for `fails_at` deals takes too long."""

    def __init__(self, fails_at: int = 0, source: Source = Source.PLAYOUTS) -> None:
        super().__init__(1, max_calls=1, name="fake")
        self._fails_at, self._source = fails_at, source

    async def run(self, *arguments: Any, **_: Any) -> Any:  # type: ignore[override]  # noqa: ANN401  any call
        if arguments[-1] == self._fails_at:
            raise DeadlineError("too slow")
        return Comparison(self._source, 0 if self._source.is_exact else arguments[-1], 0.4, 0.5, 0.1, 0.05)


def what_ifs(fails_at: int = 0, *, work_per_minute: int = 0, offered: bool = True) -> WhatIfs:
    return WhatIfs(RateLimits(work_per_minute=work_per_minute), WhatIfsFakeWorkers(fails_at), offered=offered)


async def test_a_move_is_judged_by_more_and_more_deals() -> None:
    lines = [json.loads(line) async for line in await what_ifs().open(HERE, FORM)]
    assert [line["comparison"]["deals"] for line in lines] == [*WHAT_IF_DEALS]


async def test_what_is_computed_exactly_is_told_once_and_names_no_deals() -> None:
    moves = WhatIfs(RateLimits(), WhatIfsFakeWorkers(source=Source.SOLVED), offered=True)
    (line,) = [json.loads(line) async for line in await moves.open(HERE, FORM)]
    assert (line["total"], line["comparison"]["deals"], line["comparison"]["source"]) == (0, 0, "solved")


async def test_one_address_has_a_few_in_progress_and_those_that_end_or_are_left_make_room() -> None:
    moves = what_ifs()
    opened = [await moves.open(HERE, FORM) for _ in range(WHAT_IFS_PER_ADDRESS)]
    with pytest.raises(RateLimitError, match="wait until one is finished"):
        await moves.open(HERE, FORM)
    assert await anext(await moves.open(THERE, FORM))
    assert len([line async for line in opened.pop()]) == len(WHAT_IF_DEALS)
    opened.append(await moves.open(HERE, FORM))
    del opened
    for _ in range(3):  # the event loop closes what was left
        await asyncio.sleep(0)
    assert await anext(await moves.open(HERE, FORM))


async def test_what_is_refused_leaves_no_place_taken() -> None:
    moves = what_ifs(fails_at=WHAT_IF_DEALS[0])
    for _ in range(WHAT_IFS_PER_ADDRESS + 1):
        with pytest.raises(TryAgainError, match="busy"):
            await moves.open(HERE, FORM)
    poor = what_ifs(work_per_minute=WHAT_IF_COST)
    assert await anext(await poor.open(HERE, FORM))
    for _ in range(WHAT_IFS_PER_ADDRESS + 1):
        with pytest.raises(RateLimitError, match="wait a minute"):
            await poor.open(HERE, FORM)


async def test_a_part_that_takes_too_long_ends_with_a_message() -> None:
    lines = [json.loads(line) async for line in await what_ifs(fails_at=WHAT_IF_DEALS[2]).open(HERE, FORM)]
    assert [line["type"] for line in lines] == ["progress", "progress", "failed"]


async def test_what_ifs_a_server_without_reviews_says_so() -> None:
    with pytest.raises(UnavailableError, match="offers no reviews"):
        await what_ifs(offered=False).open(HERE, FORM)


async def test_a_review_comes_over_http_line_by_line_and_is_counted(server: RunningServer) -> None:
    async with server.browser().stream("POST", "/api/reviews", content=record_of(4)) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("application/x-ndjson")
        lines = [json.loads(line) async for line in answer.aiter_lines()]
    assert [lines[place]["type"] for place in (0, 1, -1)] == ["started", "account", "finished"]
    assert b'liarsdice_reviews_total{outcome="finished"} 1.0' in server.services.metrics.text()
    for body, status in ((b"nothing", 400), (b"x" * (MAX_RECORD_BYTES + 1), 413)):
        assert (await server.browser().post("/api/reviews", content=body)).status_code == status


async def test_the_record_of_a_match_at_a_table_is_reviewed_and_one_of_a_running_match_is_not_to_be_had(
    server: RunningServer,
) -> None:
    running = await make_table(server.registry, "Ann", "Bo")
    await begin_match(server.registry, running)
    assert (await server.browser().get(f"/api/tables/{running.code}/matches/1")).status_code == 403
    live_table = await make_table(server.registry, "Ann", bots=("random",))
    await server.registry.submit(live_table, hash_token("Ann"), "begin", c.Begin())
    await server.registry.submit(live_table, hash_token("Ann"), "bot", c.StandIn(1, bot=True))
    await wait_until(live_table, is_over)
    record = (await server.browser().get(f"/api/tables/{live_table.code}/matches/1")).content
    review = await server.services.reviews.open("192.0.2.1", record)
    assert json.loads(review.started)["match"]["names"][0] == "Ann (bot)"
    server.services.reviews.close()


async def test_another_move_is_compared_over_http_and_impossible_ones_are_refused(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    bid = next(
        fact for fact in json.loads(started_line(record_of(4)).line)["match"]["decisions"] if fact["bid"] is None
    )
    form = {"record": record_of(4).decode(), "decision": bid["number"], "move": bid["move"]}
    read_first = list[str]()
    monkeypatch.setattr(server.services.rate_limits, "charge_work", lambda address, _: read_first.append(address))
    async with server.browser().stream("POST", "/api/reviews/what-if", json=form) as answer:
        assert answer.status_code == 200
        lines = [json.loads(line) async for line in answer.aiter_lines()]
    assert [(line["comparison"]["deals"], line["total"]) for line in lines] == [(0, 0)], "a blueprint draws nothing"
    assert lines[-1]["comparison"]["difference"] == 0
    assert read_first == ["127.0.0.1"], "the address pays for the seconds in which the record is read"
    for move, status in (({"type": "exact"}, 409), ({"type": "nonsense"}, 400)):
        refused = await server.browser().post("/api/reviews/what-if", json={**form, "move": move})
        assert refused.status_code == status
    first, *events = form["record"].splitlines()
    spaces = " " * (MAX_RECORD_BYTES - len(form["record"]))
    for longer, status in ((spaces, 200), (spaces + " ", 400)):
        long_form = {**form, "record": "\n".join([first[:-1] + longer + first[-1], *events]) + "\n"}
        assert (await server.browser().post("/api/reviews/what-if", json=long_form)).status_code == status


async def test_the_page_learns_whether_the_server_reviews_matches(server: RunningServer) -> None:
    assert (await server.browser().get("/api/reviews")).json() == {"offered": True}
    server.services.reviews.at_once = 0
    assert (await server.browser().get("/api/reviews")).json() == {"offered": False}


async def test_habits_come_over_http_and_other_bodies_are_refused(server: RunningServer) -> None:
    seen = {"match": 0, "kind": "opening", "band": 0, "did": 0.3, "usual": 0.2, "cost": 0.01}
    form = {"matches": [{"gain": 0.25, "costs": [0.01], "observations": [seen]}] * 2}
    report = (await server.browser().post("/api/habits", json=form)).json()
    assert (report["matches"], report["decisions"], report["habits"][0]["kind"]) == (2, 2, "opening")
    assert report["habits"][0]["more_matches"] == 198
    assert report["skill"] == {"matches": 2, "gain": None, "error": None, "more_matches": 28}
    form["matches"] *= 15
    report = (await server.browser().post("/api/habits", json=form)).json()
    assert report["skill"] == {"matches": 30, "gain": 0.25, "error": 0, "more_matches": 0}
    assert (await server.browser().post("/api/habits", content=b"nothing")).status_code == 400


JOBS = {
    "/api/reviews": ("record {}", 2),
    "/api/reviews/what-if": ('{"record":"","decision":0,"move":null}', 4),
    "/api/rules-lab": ('{"rules":"perudo","changes":{"exact_call":null},"seats":{}}', 1),
}
"""What asks for each long job, and how many of them an address may have in progress."""
RESULTS: dict[object, object] = {
    started_line: OpenedReview(b'{"type":"started"}\n', 9, by_engine=False),
    account_line: b'{"type":"account"}\n',
    decision_line: b'{"type":"decision"}\n',
    finished_line: b'{"type":"finished"}\n',
    compare_moves: Comparison(Source.PLAYOUTS, 30, 0.4, 0.5, 0.1, 0.05),
    lab_batch: (b"part", b'{"type":"progress"}\n'),
}


class GatedWorkers(SharedPool):
    """Computes nothing: each call waits for a permit. `running`: how many calls wait; `asked`: there was one."""

    def __init__(self) -> None:
        super().__init__(1, max_calls=1, name="fake")
        self.permits = asyncio.Semaphore(0)
        self.asked = asyncio.Event()
        self.running = 0

    async def run(self, *arguments: Any, **_: Any) -> Any:  # type: ignore[override]  # noqa: ANN401  any call
        self.asked.set()
        self.running += 1
        try:
            await self.permits.acquire()
        finally:
            self.running -= 1
        timed = arguments[0] not in RESULTS  # the call that is charged by its seconds, around another one
        return (0.0, RESULTS[arguments[1]], None) if timed else RESULTS[arguments[0]]


@pytest.mark.parametrize("path", JOBS)
@pytest.mark.parametrize("line_count", [0, 1, 2, 3, None], ids=["0", "1", "2", "3", "all"])
async def test_a_long_job_whose_reader_leaves_at_any_point_stops_and_leaves_nothing(
    path: str, line_count: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The address asks once more than it may have jobs in progress, so a job that went on would make it wait."""
    monkeypatch.setattr(reviews_module, "LEFT_S", 0.01)
    limits, workers, ended = ConnectionLimits(), GatedWorkers(), list[str]()
    form, most = JOBS[path]
    reads = path.endswith("what-if")  # a call of its own reads the record, before that of the first line
    async with run_server(tmp_path / "db", limits=limits) as server, asyncio.timeout(PATIENCE_S):
        state, rate_limits = server.app.state, server.services.rate_limits
        state.costly_work = CostlyWork(rate_limits, workers)
        state.reviews = MatchReviews(state.costly_work, rate_limits, at_once=1, workers=workers, on_end=ended.append)
        state.rules_lab = RulesLab(rate_limits, workers, offered=True)
        address = urlsplit(server.address)
        for count in range(most + 1):
            workers.asked.clear()
            reader, writer = await asyncio.open_connection(address.hostname, address.port)
            body = form.replace("{}", str(count + 2))
            head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
            await workers.asked.wait()
            for _ in range(99 if line_count is None else line_count + (line_count and reads)):
                workers.permits.release()
            for _ in range(line_count or 0):
                await reader.readuntil(b"}\n")
            if line_count is None:
                await reader.readuntil(b"\r\n0\r\n\r\n")
            writer.transport.abort()
            while len(limits):  # noqa: ASYNC110  the server notices the end later
                await asyncio.sleep(0)
            for _ in range(1 + (0 if line_count else reads)):
                workers.permits.release()  # the call in progress ends, and what follows the reading of the record
            while workers.running or (path == "/api/reviews" and len(ended) <= count):  # noqa: ASYNC110  as above
                await asyncio.sleep(0.001)
            workers.permits = asyncio.Semaphore(0)
