"""What worker processes compute of reviews: only matches that are over, and within limits."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import takewhile

import msgspec
import pytest
from msgspec.structs import replace

from liarsdice.analysis.habits import observe_match, report_habits
from liarsdice.analysis.luck import match_account
from liarsdice.analysis.review.results import DEALS, played_deals
from liarsdice.analysis.skill import gain_without_luck
from liarsdice.core.errors import CostlyRulesError, MalformedError, UnfinishedError
from liarsdice.core.events import Challenged, Dealt, ExactCalled
from liarsdice.core.records.record import read_record, write_record
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.rule_costs import MAX_SIMULATED_DICE
from liarsdice.play.match_runner import play_match
from liarsdice.server.http.reviews import (
    MAX_HABIT_MATCHES,
    account_line,
    decision_line,
    habits_body,
    started_line,
    what_if_part,
)


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
    rules = patched(preset("perudo").ruleset, dice__per_player=MAX_SIMULATED_DICE // seats + 1)
    record = write_record(play_match(rules, ["random"] * seats, seed=1).events, "0.1.0").encode()
    with pytest.raises(CostlyRulesError, match=f"at most {MAX_SIMULATED_DICE} dice"):
        started_line(record)
