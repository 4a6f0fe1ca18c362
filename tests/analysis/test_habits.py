"""Habits: which decisions belong to a kind, what is claimed of it, and what not."""

import pytest

from liarsdice.analysis.habit_observations import observe_match
from liarsdice.analysis.habits import HabitKind, HabitVerdict, HabitWay, Observation, Tip, report_habits
from liarsdice.core.actions import ClaimExact
from liarsdice.core.records.record import read_record, write_record
from liarsdice.core.rules.choices import ExactClaim
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import ExactCall
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.match_runner import play_match


def seen(match: int, kind: HabitKind, cost: float, did: float = 1.0) -> Observation:
    return Observation(match, kind, 0, did, 0.25, cost)


def test_nothing_is_claimed_below_200_decisions_of_a_kind_and_the_matches_that_lack_are_named() -> None:
    some = [seen(match, HabitKind.EXACT, 0.01) for match in range(50) for _ in range(2)]
    (habit,) = report_habits([0.0] * 50, [(one.match, one.cost) for one in some], some).habits
    assert habit.verdict is HabitVerdict.NOT_YET
    assert habit.decisions == 100
    assert habit.more_matches == 50
    (habit,) = report_habits([0.0] * 50, [], some * 2).habits
    assert habit.verdict is HabitVerdict.COSTS
    assert habit.more_matches == 0


def test_a_cost_whose_interval_over_matches_holds_zero_is_no_claim() -> None:
    once = [
        seen(match, HabitKind.BLUFF, 0.5 if match == 0 and number == 0 else 0.0)
        for match in range(20)
        for number in range(10)
    ]
    (habit,) = report_habits([0.0] * 20, [], once).habits
    assert habit.cost == pytest.approx(0.025)
    assert habit.error > habit.cost
    assert habit.verdict is HabitVerdict.CANNOT_TELL


def test_the_dearest_claim_comes_first_and_what_is_not_known_yet_last() -> None:
    dear = [seen(match, HabitKind.CHALLENGE, 0.002) for match in range(20) for _ in range(10)]
    dearer = [seen(match, HabitKind.OPENING, 0.004) for match in range(20) for _ in range(10)]
    rare = [seen(0, HabitKind.SPECIAL, 0.9)]
    report = report_habits([0.0] * 20, [(0, 0.1)], [*rare, *dear, *dearer])
    assert [habit.kind for habit in report.habits] == [HabitKind.OPENING, HabitKind.CHALLENGE, HabitKind.SPECIAL]
    assert report.decisions == 1
    assert report.cost == pytest.approx(0.005)
    assert report.skill.matches == report.matches == 20


def test_how_often_something_was_done_has_an_interval_and_stands_beside_what_the_champion_does() -> None:
    some = [seen(match, HabitKind.CHALLENGE, 0.0, did=float(match % 2)) for match in range(400)]
    (habit,) = report_habits([0.0] * 400, [], some).habits
    assert habit.share == pytest.approx(0.5)
    assert habit.share_95[0] < 0.5 < habit.share_95[1]
    assert habit.usual == pytest.approx(0.25)


def test_a_habit_is_judged_only_where_the_champion_does_otherwise() -> None:
    """Costs are never negative, so nearly every kind costs something after 200 decisions."""
    for usual, way in ((0.3, HabitWay.PLAIN), (0.2, HabitWay.MORE), (0.5, HabitWay.LESS)):
        some = [
            Observation(number % 50, HabitKind.BLUFF, 4, float(number % 25 < 8), usual, 0.01) for number in range(400)
        ]
        (habit,) = report_habits([0.0] * 50, [(one.match, one.cost) for one in some], some).habits
        assert (habit.verdict, habit.share, habit.way) == (HabitVerdict.COSTS, 0.32, way)


CLAIMS = ExactCall(claim=ExactClaim.NEXT_PLAYER, budget=9)


@pytest.mark.parametrize(
    "rules, bot, claims",
    [
        (preset("perudo").ruleset, "champion", False),
        (patched(preset("perudo").ruleset, exact_call=CLAIMS), "random", True),
    ],
    ids=["calls", "claims"],
)
def test_every_assessed_decision_on_turn_of_a_match_belongs_to_a_kind(
    rules: Ruleset, bot: str, *, claims: bool
) -> None:
    events = play_match(rules, ["random", bot], ["Ann", "Bo"], seed=5).events
    record = read_record(write_record(events, "0.1.0"))
    observed = list(observe_match(record, 0, 5, deals=30))
    observations = [one for _, some in observed for one in some]
    assert {one.match for one in observations} == {5}
    assert {one.kind for one in observations} >= {HabitKind.CHALLENGE, HabitKind.BLUFF, HabitKind.OPENING}
    assert claims is any(isinstance(review.move, ClaimExact) for review, _ in observed)
    for review, some in observed:
        kinds = [one for one in some if one.kind is not HabitKind.SPECIAL]
        assert sum(one.cost for one in kinds) == pytest.approx(review.cost if kinds else 0.0)


def test_the_tip_is_about_the_kind_of_decisions_that_cost_most_in_one_direction() -> None:
    """Two bluffs beat one dear challenge; a special round is no kind of its own; what cost nothing gives no tip."""
    some = [
        seen(0, HabitKind.CHALLENGE, 0.05),
        seen(0, HabitKind.CHALLENGE, 0.04, did=0.0),
        seen(0, HabitKind.SPECIAL, 0.9),
        seen(0, HabitKind.BLUFF, 0.03),
        seen(0, HabitKind.BLUFF, 0.03),
        seen(0, HabitKind.BLUFF, 0.0),
    ]
    tip = report_habits([0.0], [], some).tip
    assert tip == Tip(HabitKind.BLUFF, True, 2, 0.06)
    assert report_habits([0.0], [], [seen(0, HabitKind.EXACT, 0.0)]).tip is None
    low = report_habits([0.0], [], [seen(0, HabitKind.OPENING, 0.1, did=0.2)]).tip
    assert low is not None
    assert not low.did, "0.2 dice for each die is below the champion's 0.25"
