"""The reason of a decision names the bids in question, with what the own dice and the bids of others tell of them."""

import pytest
from msgspec.structs import replace

from liarsdice.bots.neural.explain import explain
from liarsdice.bots.neural.reasons import chances, doubts_matter, p_right, reason_for, rounded_prob, total_probs
from liarsdice.core.actions import AnswerDouble, Challenge, ClaimExact, Deal, Exact, PlayerAction, RollForStart
from liarsdice.core.engine.engine import decide, evolve_all, match_started
from liarsdice.core.engine.evolve import initial_state
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer
from liarsdice.core.rules.presets import preset
from liarsdice.core.text.narration import BidReason, DecisionReason, ReasonRole, RivalLosses
from liarsdice.values.judgement import NOTHING_COMPARED
from tests.bots.positions import dealt_state


def shown_to_cy() -> View:
    """What Cy sees with 4 4 1 2 3 after Ann opened on three fours and Bo bid four fours."""
    state = initial_state(match_started(preset("perudo").ruleset, ["Ann", "Bo", "Cy"]))
    actions = (
        (None, RollForStart(((6,), (2,), (3,)))),
        (None, Deal(((4, 4, 4, 2, 3), (2, 2, 3, 5, 6), (4, 4, 1, 2, 3)))),
        (0, Bid(3, 4)),
        (1, Bid(4, 4)),
    )
    for seat, action in actions:
        state = evolve_all(state, decide(state, seat, action))
    return view(state, 2)


@pytest.fixture(scope="module")
def shown() -> View:
    return shown_to_cy()


def reason(
    shown: View,
    made: PlayerAction | None,
    best: PlayerAction | None,
    p_challenged: dict[Bid, float] | None = None,
    p_loses: dict[PlayerAction | None, tuple[float, ...]] | None = None,
) -> DecisionReason:
    explanation = explain(shown)
    p_gains = {move: 1 - sum(probs) for move, probs in (p_loses or {}).items()}
    judgement = NOTHING_COMPARED._replace(p_challenged=p_challenged or {}, p_loses=p_loses or {}, p_gains=p_gains)
    return reason_for(shown, made, best, explanation.beliefs, explanation.count_beliefs, judgement)


def bid_of(found: DecisionReason, place: int = 0) -> BidReason:
    return found.bids[place]


def test_a_call_is_judged_by_the_standing_bid_and_the_dice_that_count_for_it(shown: View) -> None:
    found = reason(shown, Challenge(), Bid(5, 4))
    assert [(part.role, part.bid) for part in found.bids] == [
        (ReasonRole.STANDING, Bid(4, 4)),
        (ReasonRole.BEST, Bid(5, 4)),
    ]
    assert bid_of(found).held == 3, "two fours and a wild one"
    assert (found.challenge, found.exact) == (True, False)
    odds = explain(shown).standing_bid
    assert odds is not None
    assert bid_of(found).p_stands == pytest.approx(odds.p_true_given_bids, abs=1e-4)
    assert bid_of(found).p_exact == pytest.approx(odds.p_exact_given_bids, abs=1e-4)


def test_a_claim_is_right_as_often_as_the_bid_is_exact_and_its_doubt_otherwise(shown: View) -> None:
    beliefs = explain(shown).beliefs
    p_exact = chances(shown, beliefs, Bid(4, 4))[1]
    claimed = replace(shown, claimed=True)
    assert p_right(shown, beliefs, ClaimExact()) == p_exact
    assert p_right(claimed, beliefs, Challenge()) == 1 - p_exact
    assert chances(claimed, beliefs, Bid(5, 4)) == chances(shown, beliefs, Bid(5, 4))


def test_the_seat_whose_bids_tell_most_is_named_with_what_it_usually_has(shown: View) -> None:
    reading = bid_of(reason(shown, Challenge(), Challenge())).reading
    counts = {belief.seat: belief.posterior for belief in explain(shown).count_beliefs}
    assert reading is not None
    assert reading.face == 4
    assert reading.opened == (reading.seat == 0)
    assert counts[reading.seat][reading.usual] >= 0.5
    assert counts[reading.seat][reading.usual] == max(counts[reading.seat])


def test_two_bids_are_compared_without_the_standing_one(shown: View) -> None:
    found = reason(shown, Bid(5, 4), Bid(5, 2))
    assert [(part.role, part.bid.face) for part in found.bids] == [(ReasonRole.MADE, 4), (ReasonRole.BEST, 2)]
    assert bid_of(found, 1).held == 2
    assert bid_of(found, 1).reading is None, "the beliefs are about fours"
    assert (found.challenge, found.exact) == (False, False)


def test_a_bid_that_nobody_called_out_of_turn_is_the_one_in_question(shown: View) -> None:
    found = reason(shown, None, Exact())
    assert [part.role for part in found.bids] == [ReasonRole.STANDING]
    assert (found.challenge, found.exact) == (False, True)


def test_moves_that_are_no_bids_are_judged_by_the_standing_one(shown: View) -> None:
    found = reason(shown, AnswerDouble(Answer.FOLD), AnswerDouble(Answer.ACCEPT))
    assert [(part.role, part.bid) for part in found.bids] == [(ReasonRole.STANDING, Bid(4, 4))]


def test_the_counts_on_the_table_sum_to_one_and_include_the_own_dice(shown: View) -> None:
    totals = total_probs(shown, explain(shown).beliefs, Bid(4, 4))
    assert sum(totals) == pytest.approx(1)
    assert sum(totals[:3]) == pytest.approx(0), "Cy holds three that count"


def test_what_is_not_certain_is_not_called_certain() -> None:
    assert [rounded_prob(prob) for prob in (0.0, 1e-7, 0.5, 1 - 1e-7, 1 - 1e-12)] == [0.0, 0.0001, 0.5, 0.9999, 1.0]


def test_a_bolder_bid_that_was_worth_more_leaves_less_room_and_it_is_told_how_often_each_is_challenged(
    shown: View,
) -> None:
    found = reason(shown, Bid(5, 6), Bid(6, 4), {Bid(5, 6): 0.12, Bid(6, 4): 0.05})
    assert [part.p_challenged for part in found.bids] == [0.12, 0.05]
    drawn = reason(shown, Bid(5, 6), Bid(6, 4), {Bid(5, 6): 1.0, Bid(6, 4): 0.0})
    assert [part.p_challenged for part in drawn.bids] == [0.9999, 0.0001], "deals prove nothing"
    assert found.less_room
    official = view(dealt_state(preset("official").ruleset, ((3, 3, 1), (1, 1, 3, 4, 5))), 0)
    assert not reason(official, Bid(2, 3), Bid(1, 5)).less_room, "each of the two beats the other one"
    assert not reason(shown, Bid(6, 4), Bid(5, 6)).less_room
    assert not reason(shown, Challenge(), Bid(5, 4)).less_room


@pytest.mark.parametrize(
    "stands, challenged, told",
    [
        ((0.9, 0.3), (0.3, 0.005), True),  # less often true, and yet not doubted
        ((0.9, 0.3), (0.005, 0.004), True),
        ((0.9, 0.3), (0.3, 0.6), False),  # both speak against it
        ((0.5, 0.9), (0.4, 0.1), True),
        ((0.5, 0.9), (0.1, 0.4), True),  # a doubt of a true bid wins
        ((0.3, 0.4), (0.1, 0.4), False),
        ((0.9, 0.9), (0.2, 0.2), False),  # alike
        ((0.9, 0.9), (0.5, 0.1), False),  # whoever doubts them mostly loses dice
        ((0.9, 0.9), (0.1, 0.5), True),
    ],
)
def test_doubts_are_told_where_they_speak_for_the_better_bid(
    stands: tuple[float, float], challenged: tuple[float, float], told: bool
) -> None:
    made, best = (
        BidReason(role, Bid(2, 3), 1, p_stands, 0.1, None, p_challenged)
        for role, p_stands, p_challenged in zip((ReasonRole.MADE, ReasonRole.BEST), stands, challenged, strict=True)
    )
    assert doubts_matter(made, best) == told


def test_it_is_told_how_often_the_moves_lose_dice_where_both_were_played_on(shown: View) -> None:
    p_loses: dict[PlayerAction | None, tuple[float, ...]] = {Bid(5, 2): (0.2, 0.4, 0.4), Challenge(): (0.0, 0.5, 0.1)}
    found = reason(shown, Bid(5, 2), Challenge(), p_loses=p_loses)
    assert found.p_loses == (0.4, 0.1)
    assert found.p_gains == pytest.approx((0.0001, 0.4))
    assert reason(shown, Bid(5, 2), Bid(5, 2), p_loses=p_loses).p_loses is None
    assert reason(shown, Bid(5, 2), Bid(5, 4), p_loses=p_loses).p_loses is None


def test_the_rival_is_the_seat_that_the_best_move_makes_most_likelier_to_lose_dice(shown: View) -> None:
    p_loses: dict[PlayerAction | None, tuple[float, ...]] = {Bid(5, 2): (0.7, 0.2, 0.1), Bid(5, 4): (0.2, 0.6, 0.2)}
    assert reason(shown, Bid(5, 2), Bid(5, 4), p_loses=p_loses).rival == RivalLosses(1, (0.2, 0.6))
    assert reason(shown, Bid(5, 4), Bid(5, 2), p_loses=p_loses).rival == RivalLosses(0, (0.2, 0.7))
    unchanged: dict[PlayerAction | None, tuple[float, ...]] = {Bid(5, 2): (0.7, 0.2, 0.1), Bid(5, 4): (0.6, 0.2, 0.3)}
    assert reason(shown, Bid(5, 2), Bid(5, 4), p_loses=unchanged).rival is None
    assert reason(shown, Bid(5, 2), Bid(5, 2), p_loses=p_loses).rival is None


def test_the_probabilities_of_the_dice_on_the_table_add_up_to_one(shown: View) -> None:
    for bid in (Bid(4, 4), Bid(5, 2), Bid(3, 1)):
        assert abs(sum(total_probs(shown, explain(shown).beliefs, bid)) - 1) < 1e-12


def test_a_bid_that_the_own_dice_make_certain_stands_every_time(shown: View) -> None:
    assert bid_of(reason(shown, Bid(3, 4), Bid(3, 4))).p_stands == 1.0
