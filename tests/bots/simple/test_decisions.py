"""Each simple bot decides as its formula says, in positions computed by hand."""

from fractions import Fraction

import msgspec
import pytest

from liarsdice.bots.protocol import Bot
from liarsdice.bots.registry import make_bot
from liarsdice.bots.simple.bid_odds import BID_CREDIT, BidOdds
from liarsdice.bots.simple.moves import exact_call_value
from liarsdice.bots.simple.simple_bots import Greedy, Misjudgement, Misjudging, Novice, Threshold
from liarsdice.core.actions import Challenge, ClaimExact, DeclareSpecial, Exact, PlayerAction, Reroll
from liarsdice.core.engine.evolve import evolve_all
from liarsdice.core.engine.state import State
from liarsdice.core.engine.view import view
from liarsdice.core.events import ExactClaimed
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import ExactCall, Guards, SpecialRound
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from tests.bots.positions import position

BASIC = preset("basic").ruleset  # no wilds: an unseen die shows a face with chance 1/6
OFFICIAL = preset("official").ruleset
TWO_HANDS = ((4, 4), (2, 3))


def act_in(bot: Bot, state: State, seat: int | None = None) -> PlayerAction | None:
    return bot.act(view(state, state.turn if seat is None else seat))


def odds_in(state: State, seat: int | None = None, credit: float = 0.0) -> BidOdds:
    return BidOdds(view(state, state.turn if seat is None else seat), credit)


# threshold: P(at least one five among Ann's two dice) = 11/36 = 0.3056 for Bo, who holds none


@pytest.mark.parametrize("t, wanted", [(0.30, Bid(2, 2)), (0.31, Challenge())])
def test_threshold_challenges_exactly_when_the_chance_is_below_t(t: float, wanted: PlayerAction) -> None:
    state = position(BASIC, ((5, 1), (2, 2)), "1x5")
    assert odds_in(state).p_standing == pytest.approx(11 / 36)
    assert act_in(Threshold(t), state) == wanted


def test_threshold_makes_the_most_probable_raise() -> None:
    state = position(BASIC, ((5, 1), (6, 2)), "1x5")
    assert act_in(Threshold(0.1), state) == Bid(1, 6)


def test_threshold_takes_the_first_listed_of_equally_probable_raises() -> None:
    assert act_in(Threshold(0.1), position(BASIC, ((5, 1), (4, 5)), "1x1")) == Bid(1, 4)
    # Bo holds 3 and 2: 1x4, 1x5, 1x6, 2x2 and 2x3 need one of Ann's dice each.
    assert act_in(Threshold(0.0), position(BASIC, ((5, 1), (3, 2)), "1x3")) == Bid(1, 4)


def test_threshold_opens_with_a_face_that_it_holds() -> None:
    assert act_in(Threshold(), position(BASIC, TWO_HANDS)) == Bid(1, 4)


def test_threshold_zero_never_doubts_while_a_possible_bid_is_left_and_one_always_does() -> None:
    state = position(BASIC, ((4, 4, 4), (2, 2, 3)), "3x6")
    assert act_in(Threshold(0.0), state) == Bid(4, 2)
    assert act_in(Threshold(1.0), state) == Challenge()
    assert act_in(Threshold(0.0), position(BASIC, TWO_HANDS, "4x6")) == Challenge()


# challenges for twice the stake: P = 11/36 for one of Ann's two dice, 1/36 for both of them


def test_the_simple_bots_double_a_challenge_of_a_bid_that_is_probably_false() -> None:
    pi = patched(BASIC, challenge__double=c.WhoCalls.NEXT_PLAYER)
    near, far = position(pi, ((5, 1), (2, 2)), "1x5"), position(pi, ((5, 1), (2, 2)), "2x5")
    for bot in (Threshold(0.4), Greedy(0.4), Misjudging(Misjudgement.FORGETS_WILDS)):
        assert act_in(bot, far) == Challenge(double=True)
    assert act_in(Threshold(0.4), near) == Challenge()
    assert act_in(Threshold(0.4), position(BASIC, ((5, 1), (2, 2)), "2x5")) == Challenge()


@pytest.mark.parametrize("t, wanted", [(0.2, Challenge(double=True)), (0.1, None)])
def test_out_of_turn_a_bot_doubles_below_a_quarter_of_its_threshold(t: float, wanted: PlayerAction | None) -> None:
    """Two opponents, and twice the stake: 0.2 / 4 is more than 1/36, and 0.1 / 4 is less."""
    pi = patched(BASIC, challenge__double=c.WhoCalls.ANYONE_BUT_BIDDER)
    state = position(pi, ((5,), (2,), (2,)), "2x5")
    assert odds_in(state, 2).p_standing == pytest.approx(1 / 36)
    assert act_in(Threshold(t), state, 2) == wanted


# declared special rounds


@pytest.mark.parametrize("bot", [Threshold(0.4), Greedy(0.4), Misjudging(Misjudgement.TRUSTS)])
def test_the_simple_bots_declare_a_special_round_unless_their_die_is_wild(bot: Bot) -> None:
    start = position(preset("perudo+declared-palifico").ruleset, ((4, 4), (2, 2), (3, 3)))
    four, wild = (msgspec.structs.replace(start, dice=(1, 2, 2), hands=((die,), *start.hands[1:])) for die in (4, 1))
    assert act_in(bot, four) == DeclareSpecial()
    assert isinstance(act_in(bot, wild), Bid)
    assert act_in(Novice(), wild) == DeclareSpecial()


# greedy


def test_greedy_challenges_when_the_chance_of_false_is_at_least_that_of_the_best_raise() -> None:
    # Bo holds 2, 3: one four is false with (5/6)^2 = 0.694, and no raise but 2x2 and 2x3 (11/36) or 1x5 (11/36).
    state = position(BASIC, TWO_HANDS, "1x4")
    assert act_in(Greedy(0.4), state) == Challenge()
    # With a five the raise 1x5 is certain.
    assert act_in(Greedy(0.4), position(BASIC, ((4, 4), (2, 5)), "1x4")) == Bid(1, 5)


def test_greedy_makes_the_highest_raise_that_is_probable_enough() -> None:
    state = position(BASIC, ((1, 2, 3), (6, 6, 6)))
    # Ann opens: P(one six unseen in three) = 1 - (5/6)^3 = 0.421; two threes with one own: the same; three: 0.074
    assert act_in(Greedy(0.4), state) == Bid(2, 3)
    assert act_in(Greedy(0.43), state) == Bid(1, 3)
    assert act_in(Greedy(0.07), state) == Bid(3, 3)


def test_greedy_makes_the_most_probable_raise_when_none_is_probable_enough() -> None:
    # Bo holds both fives that were bid. 3x5 needs one more, 11/36; every other raise needs two, 1/36, or is impossible.
    assert act_in(Greedy(0.5), position(BASIC, ((4, 4), (5, 5)), "2x5")) == Bid(3, 5)


# inference


def test_credit_interpolates_linearly_between_two_quantities() -> None:
    state = position(BASIC, ((5, 5), (2, 3)), "2x5")
    without_credit, with_credit = odds_in(state), odds_in(state, credit=0.7)
    # 2 - 0.7 = 1.3: 0.7 of P(1) = 11/36 and 0.3 of P(2) = 1/36
    assert without_credit.p_standing == pytest.approx(1 / 36)
    assert with_credit.p_standing == pytest.approx(0.7 * 11 / 36 + 0.3 / 36)


def test_credit_is_given_once_for_each_opponents_latest_bid_and_not_for_ones_own() -> None:
    state = position(BASIC, ((5, 5), (2, 3), (1, 1)), "1x3 1x5 2x5 3x5")
    # Bo's view: Ann's latest is 3x5, Cy's 2x5; his own 1x5 gives no credit. 3 - 1.4 = 1.6 dice of four unseen.
    one, two = 1 - (5 / 6) ** 4, 1 - (5 / 6) ** 4 - 4 * (1 / 6) * (5 / 6) ** 3
    assert odds_in(state, credit=0.7).p_standing == pytest.approx(0.4 * one + 0.6 * two)


def test_credit_for_a_face_ends_when_its_bidder_moves_on() -> None:
    state = position(BASIC, ((5, 5), (2, 3)), "1x3 1x4 1x5")
    assert odds_in(state, credit=0.7).p_bid(Bid(2, 4)) == odds_in(state).p_bid(Bid(2, 4))
    assert odds_in(state, credit=0.7).p_bid(Bid(2, 5)) > odds_in(state).p_bid(Bid(2, 5))


def test_credit_leaves_impossible_bids_impossible_and_probabilities_in_0_to_1() -> None:
    state = position(BASIC, ((5, 5), (2, 3)), "3x5")
    with_credit = odds_in(state, credit=0.7)
    assert with_credit.p_standing == 0
    for quantity in range(1, 5):
        assert 0 <= with_credit.p_bid(Bid(quantity, 5)) <= 1


def test_there_is_no_credit_where_the_face_is_locked() -> None:
    free = position(BASIC, ((5, 5), (2, 3)), "1x5 2x5")
    locked = msgspec.structs.replace(free, ruleset=patched(free.ruleset, special_round=SpecialRound()), special_seat=0)
    assert odds_in(free, credit=0.7).p_bid(Bid(3, 5)) > odds_in(free).p_bid(Bid(3, 5))
    assert odds_in(locked, credit=0.7).p_bid(Bid(3, 5)) == odds_in(locked).p_bid(Bid(3, 5))


def test_inference_believes_a_bid_that_threshold_doubts() -> None:
    state = position(BASIC, ((5, 1), (2, 2)), "1x5")  # 11/36 without credit; with it 0.7 + 0.3 x 11/36
    assert act_in(Threshold(0.4), state) == Challenge()
    assert act_in(Threshold(0.4, BID_CREDIT), state) != Challenge()


# wilds after the bid


def test_an_opening_on_ones_is_counted_without_wilds_where_it_stops_them() -> None:
    state = position(OFFICIAL, ((1, 1), (2, 3)))
    assert odds_in(state).p_bid(Bid(3, 1)) == pytest.approx(11 / 36)
    assert odds_in(state).p_bid(Bid(3, 2)) == pytest.approx(1 - (2 / 3) ** 2)
    later = position(OFFICIAL, ((1, 1), (2, 3)), "1x1 1x2")
    assert not later.wilds_count
    assert odds_in(later).p_bid(Bid(3, 2)) == 0


def test_a_standing_bid_on_ones_keeps_wilds_for_other_faces_where_the_rules_do() -> None:
    rules = patched(BASIC, wilds__special_is_wild=True)
    state = position(rules, ((1, 1), (2, 3)), "1x1")
    assert odds_in(state).p_bid(Bid(2, 2)) == pytest.approx(float(Fraction(5, 9)))  # one more of two dice, 1 or 2


def test_any_bid_on_ones_stops_wilds_for_good_in_chui_niu() -> None:
    rules = preset("chui-niu").ruleset
    before = position(rules, ((2, 3), (2, 3)), "2x2")
    assert odds_in(before).p_bid(Bid(2, 3)) == pytest.approx(5 / 9)  # one of two dice, a three or a one
    after = position(rules, ((2, 3), (2, 3)), "2x1")
    assert odds_in(after).p_bid(Bid(3, 2)) == pytest.approx(1 / 36)  # both dice have to be twos


# exact calls


def with_exact(rules: Ruleset = BASIC, **fields: object) -> Ruleset:
    """Rules in which the player on turn may call exact, every time for a price."""
    return patched(rules, exact_call=msgspec.structs.replace(ExactCall(), **fields), guards__max_rounds=50)


def test_exact_is_called_where_it_is_worth_more_than_a_challenge_and_any_raise() -> None:
    # Bo holds the only five he needs: 1x5 is exactly right unless Ann's one die is a five, 5/6. No raise is that good.
    state = position(with_exact(), ((4,), (5,)), "1x5")
    assert odds_in(state).p_exact == pytest.approx(5 / 6)
    assert act_in(Threshold(), state) == Exact()
    assert act_in(Greedy(), state) == Exact()


def test_inference_raises_where_threshold_calls_exact() -> None:
    # Ann's bid is worth 0.7 fives of hers: a second five has the chance 0.7 + 0.3 / 6 = 0.75, exactly one 0.25.
    state = position(with_exact(), ((4,), (5,)), "1x5")
    assert odds_in(state, credit=BID_CREDIT).p_exact == pytest.approx(0.25)
    assert act_in(Threshold(0.4, BID_CREDIT), state) == Bid(2, 5)


def test_exact_is_not_called_where_a_safe_raise_is_left() -> None:
    state = position(with_exact(), ((4, 4), (5, 6)), "1x5")
    assert act_in(Threshold(), state) == Bid(1, 6)


def test_the_value_of_an_exact_call_is_what_it_wins_and_costs() -> None:
    state = position(with_exact(), ((4,), (5,)), "1x5")
    # At the cap nothing is regained: 5/6 x 0 - 1/6 x 1.
    assert exact_call_value(view(state, 1), 5 / 6) == pytest.approx(-1 / 6)
    richer = position(
        with_exact(gain_cap=None, others_loss=1, bidder_loss=1, failure_loss=2, next_starter=c.NextStarter.CALLER),
        ((4,), (5,)),
        "1x5",
    )
    assert exact_call_value(view(richer, 1), 0.5) == pytest.approx(0.5 * 3 - 0.5 * 2)
    shedding = position(patched(with_exact(), loss__shed_by=c.ShedBy.WINNER), ((4,), (5,)), "1x5")
    assert exact_call_value(view(shedding, 1), 0.5) == pytest.approx(0.5 * 1 - 0.5 * 1)


def test_exact_is_never_called_where_the_rules_have_no_such_call() -> None:
    assert act_in(Threshold(), position(BASIC, ((4,), (5,)), "1x5")) == Bid(1, 6)


# out of turn


def test_out_of_turn_a_bot_is_silent_unless_a_challenge_is_clearly_favourable() -> None:
    # Three players, factor 2: the limit is t / (2 x 2) = 0.1 of P(true). Cy is not on turn when Ann has bid.
    hands = ((2, 3), (2, 3), (2, 3))
    state = position(OFFICIAL, hands, "3x6")  # 3 of 4 unseen dice, wilds count: 4 (1/3)^3 (2/3) + (1/3)^4 = 1/9
    assert odds_in(state, 2).p_standing == pytest.approx(1 / 9)
    assert act_in(Threshold(0.4), state, 2) is None
    assert act_in(Threshold(0.5), state, 2) == Challenge()
    assert act_in(Greedy(0.5), state, 2) == Challenge()
    assert act_in(Threshold(0.4), position(OFFICIAL, hands, "5x6"), 2) == Challenge()


def test_out_of_turn_the_price_of_a_challenge_makes_a_bot_more_careful() -> None:
    cheap = patched(OFFICIAL, loss__out_of_turn_factor=1)
    state = position(cheap, ((2, 3), (2, 3), (2, 3)), "3x6")  # limit 0.4 / (1 x 2) = 0.2
    assert act_in(Threshold(0.4), state, 2) == Challenge()


def test_out_of_turn_exact_is_called_for_more_than_half_a_die() -> None:
    rules = with_exact(who=c.WhoCallsExact.ANYONE_BUT_BIDDER, gain_cap=None)
    # One die each; Cy holds the five: exact unless one of two unseen is a five, 25/36; worth 25/36 - 11/36 = 0.39.
    state = position(rules, ((4,), (3,), (5,)), "1x5")
    assert act_in(Threshold(), state, 2) is None
    twice = position(patched(rules, exact_call__success_gain=2), ((4,), (3,), (5,)), "1x5")
    assert act_in(Threshold(), twice, 2) == Exact()


def test_the_simple_bots_never_change_the_direction() -> None:
    state = position(preset("classic+reversa").ruleset, TWO_HANDS)
    for name in ("threshold", "greedy", "inference"):
        assert isinstance(act_in(make_bot(name), state), Bid)


def test_simple_bots_go_by_the_dice_that_a_bid_about_own_dice_is_about() -> None:
    rules = preset("basic+aetolia").ruleset
    # Ann may hold a five with 91/216; Bo's own fives do not help her, and his two sixes make his raise certain.
    state = position(rules, ((5, 1, 2), (5, 6, 6)), "1x5")
    odds = odds_in(state)
    assert odds.p_standing == pytest.approx(91 / 216)
    assert [odds.p_bid(bid) for bid in (Bid(2, 6), Bid(3, 6))] == [1, 0]
    assert act_in(Threshold(0.4), state) == Bid(1, 6)
    assert act_in(Threshold(0.5), state) == Challenge()
    assert act_in(Threshold(0.4), position(rules, ((5, 1, 2), (2, 2, 3)), "2x5")) == Challenge()


BULL = patched(BASIC, exact_call=ExactCall(claim=c.ExactClaim.NEXT_PLAYER), guards=Guards(max_rounds=99))


@pytest.mark.parametrize("t", [0.1, 0.4])
def test_the_bots_claim_a_bid_that_is_more_probably_exact_than_any_raise_is_true(t: float) -> None:
    # 1x5 with one five in hand is exact unless Ann's two dice show another: 25/36; the best raise needs one of them.
    state = position(BULL, ((1, 2), (5, 3)), "1x5")
    assert odds_in(state).p_exact == pytest.approx(25 / 36)
    assert act_in(Threshold(t), state) == ClaimExact() == act_in(Greedy(t), state)
    assert act_in(Threshold(t), position(BULL, ((1, 2), (6, 6)), "1x5")) != ClaimExact()


def test_a_bot_doubts_a_claim_by_the_chance_that_it_is_exact() -> None:
    claimed = evolve_all(position(BULL, ((1, 2), (5, 3)), "1x5"), [ExactClaimed(1, 0, Bid(1, 5))])
    assert (claimed.turn, claimed.bidder, claimed.claimed) == (0, 1, True)
    assert odds_in(claimed).p_standing == pytest.approx(10 / 36)  # one of two unseen dice, not both
    assert act_in(Threshold(0.4), claimed) == Challenge()


def test_a_bot_claims_its_own_bid_where_bidders_may() -> None:
    rules = patched(BASIC, exact_call=ExactCall(claim=c.ExactClaim.BIDDER, gain_cap=None), guards=Guards(max_rounds=99))
    state = position(rules, ((6, 6), (2, 3)), "2x6")
    assert act_in(Threshold(), state, seat=0) == ClaimExact()
    assert act_in(Threshold(), position(rules, ((6, 6), (2, 3)), "1x6"), seat=0) is None


def test_a_hand_is_rolled_again_before_an_uncertain_bid_but_kept_for_a_challenge() -> None:
    rules = preset("chui-niu+reroll-straights").ruleset
    hands = ((5, 3, 4, 2, 1), (6, 2, 4, 5, 3))
    for bot in (Threshold(0.4), Greedy(0.4), Novice()):
        assert act_in(bot, position(rules, hands, "2x6")) == Reroll()
    assert act_in(Threshold(0.4), position(rules, hands, "9x6")) == Challenge()
    assert isinstance(act_in(Threshold(0.4), position(rules, ((5, 3, 4, 2, 1), (6, 2, 4, 5, 1)), "2x6")), Bid)
