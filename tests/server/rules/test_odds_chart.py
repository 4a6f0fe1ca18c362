"""The charts of odds have the exact odds of the package, for any rules and own dice."""

from __future__ import annotations

import pytest

from liarsdice.core.bids.odds import odds, to_percent
from liarsdice.core.errors import LiarsDiceError, MalformedError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.rule_costs import MAX_DICE_EACH
from liarsdice.server.rules.odds_chart import HIDDEN_DICE, MAX_SEATS, OddsForm, odds_response


def percents(form: OddsForm, hidden: int, *, wilds: bool) -> tuple[int, ...]:
    (chart,) = [chart for chart in odds_response(form).charts if chart.wilds is wilds]
    return next(row.percents for row in chart.rows if row.hidden == hidden)


def test_a_chart_has_the_exact_odds() -> None:
    form = OddsForm(rules="perudo", hand=(1, 4, 4), face=4)
    rules = preset("perudo").ruleset
    for wilds in (True, False):
        for hidden in (1, 7, 20):
            for quantity, percent in enumerate(percents(form, hidden, wilds=wilds), start=1):
                exact = odds(rules, Bid(quantity, 4), (1, 4, 4), (hidden,), wilds_count=wilds)
                assert percent == to_percent(float(exact.p_true))


def test_known_chances_of_unseen_dice() -> None:
    """Each of 8 dice helps one time in three with wild ones: at least three of them in 53 of 100 deals."""
    assert percents(OddsForm(rules="perudo"), 8, wilds=True)[:4] == (96, 80, 53, 26)
    assert percents(OddsForm(rules="classic"), 10, wilds=False)[:3] == (84, 52, 22)


def test_rules_and_faces_without_wild_dice_have_one_chart() -> None:
    assert [chart.wilds for chart in odds_response(OddsForm(rules="classic")).charts] == [False]
    assert [chart.wilds for chart in odds_response(OddsForm(rules="perudo", face=1)).charts] == [False]
    charts = odds_response(OddsForm(rules="perudo")).charts
    assert [chart.wilds for chart in charts] == [True, False]
    assert all(tuple(row.hidden for row in chart.rows) == HIDDEN_DICE for chart in charts)


def test_a_bonus_for_stairs_is_in_the_odds() -> None:
    plain, stairs = (percents(OddsForm(rules=name), 4, wilds=True) for name in ("perudo", "snyd-stairs"))
    assert plain != stairs


MIXED = "basic+mixed-dice"


def test_a_chart_of_dice_that_differ_by_seat_goes_by_the_seats_that_are_still_in() -> None:
    """Seats 0 to 3 have dice with 4, 6, 8 and 10 faces, all others with 12."""
    rules = preset(MIXED).ruleset
    form = OddsForm(rules=MIXED, hand=(3, 4), face=4, seat=1, others=(4, 0))
    response = odds_response(form)
    assert response.others == (0, 4)
    assert [row.hidden for row in response.charts[0].rows] == [2, 4, 6, 8, 10]
    for dice, row in enumerate(response.charts[0].rows, start=1):
        for quantity, percent in enumerate(row.percents, start=1):
            exact = odds(rules, Bid(quantity, 4), (3, 4), (dice, dice), wilds_count=False, faces=(4, 12))
            assert percent == to_percent(float(exact.p_true))


def test_all_seats_with_dice_of_their_own_and_one_without_are_in_unless_seats_are_named() -> None:
    response = odds_response(OddsForm(rules=MIXED, seat=2))
    assert response.others == (0, 1, 3, 4)
    assert odds_response(OddsForm(rules="basic", seat=2, others=(1,))).others == ()


def test_a_face_that_only_one_seat_has_can_be_shown_by_its_dice_alone() -> None:
    (chart,) = odds_response(OddsForm(rules=MIXED, face=11, others=(1, 4))).charts
    assert len(chart.rows[-1].percents) == 5


@pytest.mark.parametrize(
    "form, message",
    [
        (OddsForm(rules=MIXED, hand=(5,)), "the dice of seat 1 have 4 faces; none shows a 5"),
        (OddsForm(rules=MIXED, seat=1, others=(1, 2)), "seats of their own"),
        (OddsForm(rules=MIXED, others=(2, 2)), "seats of their own"),
        (OddsForm(rules=MIXED, others=(MAX_SEATS,)), "numbered from 0"),
        (OddsForm(rules=MIXED, seat=-1), "numbered from 0"),
    ],
)
def test_seats_that_cannot_be_are_refused(form: OddsForm, message: str) -> None:
    with pytest.raises(MalformedError, match=message):
        odds_response(form)


@pytest.mark.parametrize(
    "form",
    [
        OddsForm(face=7),
        OddsForm(hand=(0,)),
        OddsForm(hand=(1,) * (MAX_DICE_EACH + 1)),
        OddsForm(rules="nothing"),
        OddsForm(changes={"dice.faces": "x"}),
    ],
)
def test_what_cannot_be_is_refused(form: OddsForm) -> None:
    with pytest.raises(LiarsDiceError):
        odds_response(form)


def test_there_is_no_chart_of_bids_about_own_dice() -> None:
    with pytest.raises(LiarsDiceError, match="only of bids about all dice"):
        odds_response(OddsForm(rules="basic+aetolia"))
