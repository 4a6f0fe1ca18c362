"""What simple bots answer to a challenge for twice the stake, by odds computed by hand, and which kinds they choose."""

import pytest

from liarsdice.bots.protocol import Bot
from liarsdice.bots.registry import make_bot
from liarsdice.bots.simple.bid_odds import BID_CREDIT, FALSE_PASS_RATE, BidOdds, counts_after_pass, p_pass_true
from liarsdice.bots.simple.moves import with_shown_dice
from liarsdice.bots.simple.simple_bots import Greedy, Misjudgement, Misjudging, Novice, Threshold
from liarsdice.core.actions import AnswerDouble, BidAndShow, Challenge, ChallengePass, ChooseKind, Pass, PlayerAction
from liarsdice.core.bids.odds import odds
from liarsdice.core.engine.engine import decide, evolve_all, start
from liarsdice.core.engine.state import State
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import MalformedError
from liarsdice.core.events import BidMade
from liarsdice.core.records.position import read_position, write_position
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, DoubleAnswers, RoundKind
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match
from tests.bots.positions import dealt_state, position

BASIC = preset("basic").ruleset  # no wilds: an unseen die shows a face with chance 1/6


def act_in(bot: Bot, state: State) -> PlayerAction | None:
    return bot.act(view(state, state.turn))


@pytest.mark.parametrize(
    "hand, wanted",
    [((5, 5), Answer.REDOUBLE), ((5, 1), Answer.ACCEPT), ((4, 1), Answer.FOLD)],
    ids=["a bid that is true", "11/36", "1/36"],
)
def test_the_simple_bots_answer_a_doubled_challenge_by_the_odds_of_their_bid(
    hand: tuple[int, int], wanted: Answer
) -> None:
    rules = patched(BASIC, challenge__double=c.WhoCalls.NEXT_PLAYER, challenge__answers=DoubleAnswers.REDOUBLE_OR_FOLD)
    state = position(rules, (hand, (2, 2)), "2x5")
    state = evolve_all(state, decide(state, 1, Challenge(double=True)))
    for bot in (Threshold(0.4), Greedy(0.4), Misjudging(Misjudgement.FORGETS_WILDS), make_bot("champion", 1)):
        assert act_in(bot, state) == AnswerDouble(wanted)
    assert act_in(make_bot("novice", 1), state) == AnswerDouble(Answer.ACCEPT)


@pytest.mark.parametrize("hand, wanted", [((5, 5), Answer.FOLD), ((2, 2), Answer.ACCEPT)], ids=["false", "1/36"])
def test_a_challenger_folds_a_redoubling_of_a_bid_that_its_own_dice_make_true(
    hand: tuple[int, int], wanted: Answer
) -> None:
    rules = patched(BASIC, challenge__double=c.WhoCalls.NEXT_PLAYER, challenge__answers=DoubleAnswers.REDOUBLE_OR_FOLD)
    state = position(rules, ((5, 1), hand), "2x5")
    for seat, move in ((1, Challenge(double=True)), (0, AnswerDouble(Answer.REDOUBLE))):
        state = evolve_all(state, decide(state, seat, move))
    assert act_in(Threshold(0.4), state) == AnswerDouble(wanted)


def test_the_simple_bots_open_a_special_round_of_the_open_kind() -> None:
    state = dealt_state(preset("perudo+obligo-chosen").ruleset, ((4,), (2, 2), (3, 3)))
    for bot in (Threshold(0.4), Greedy(0.4), Misjudging(Misjudgement.TRUSTS), make_bot("champion", 1)):
        assert act_in(bot, state) == ChooseKind(RoundKind.OPEN)
    assert act_in(make_bot("novice", 1), state) == ChooseKind(RoundKind.CLOSED)


PASS = preset("perudo+pass").ruleset
BOTS = (Threshold(), Greedy(), Novice(), *map(Misjudging, Misjudgement))


def seen(hands: str, turn: int, bids: str, rules: str = "perudo+pass", further: str = "") -> View:
    """The view of the seat on turn at a table of Ann, Bo and Cy."""
    written = f' {{"passes":{further}}}' if further else ""
    return view(read_position(f"bidding {hands} {turn} {bids} 1 {rules_text(rules)} Ann,Bo,Cy{written}"), turn)


def rules_text(name: str) -> str:
    """The rules as a position names them: the changes to a preset without options."""
    return write_position(start(preset(name).ruleset, ("Ann", "Bo"))).split()[5]


def is_pass(bot: object, shown: View) -> bool:
    assert isinstance(bot, Threshold | Greedy | Novice | Misjudging)
    return bot.act(shown) == Pass()


@pytest.mark.parametrize("bot", [Threshold(), Greedy(), Novice()], ids=repr)
def test_a_bot_passes_with_a_hand_that_allows_it(bot: object) -> None:
    assert is_pass(bot, seen("12346/22555/33446", 1, "0:5x5"))


@pytest.mark.parametrize("bot", BOTS, ids=repr)
def test_no_bot_passes_falsely(bot: object) -> None:
    assert not is_pass(bot, seen("12346/23555/33446", 1, "0:5x5"))


@pytest.mark.parametrize("bot", [Threshold(), Greedy()], ids=repr)
def test_a_bot_challenges_or_bids_where_that_is_better_than_a_pass(bot: object) -> None:
    assert not is_pass(bot, seen("12346/22555/33446", 1, "0:12x6"))
    assert not is_pass(bot, seen("12346/22555/33446", 1, "0:2x4"))


def test_a_pass_that_is_improbable_is_doubted_and_a_usual_one_is_not() -> None:
    alike = seen("12346/22555/33446", 2, "0:4x6", "perudo+pass-alike", "[[1,1]]")
    assert Threshold().act(alike) == ChallengePass()
    usual = seen("12346/22555/33446", 2, "0:4x6", "perudo+pass", "[[1,1]]")
    assert Threshold().act(usual) != ChallengePass()


@pytest.mark.parametrize("bot", [*BOTS, make_bot("champion")], ids=[*map(repr, BOTS), "champion"])
def test_a_bidder_without_another_move_doubts_the_last_pass(bot: Bot) -> None:
    shown = seen("12344/22555/33446", 0, "0:15x1", "perudo+pass", "[[1,1],[2,1]]")
    assert not shown.may_bid
    assert not shown.may_challenge
    assert bot.act(shown) == ChallengePass()


def test_a_pass_is_probably_true_if_players_seldom_pass_falsely() -> None:
    prior = 1026 / 7776  # 6 alike, 720 different, 300 full houses
    assert p_pass_true(PASS, 5) == pytest.approx(prior / (prior + (1 - prior) * FALSE_PASS_RATE))
    assert p_pass_true(PASS, 4) == 0.0


def test_after_a_pass_the_hand_is_one_of_those_that_allow_it() -> None:
    probs = counts_after_pass(PASS, 5, frozenset({4}))
    assert sum(probs) == pytest.approx(1)
    assert probs[1] == pytest.approx((600 + FALSE_PASS_RATE * (3125 - 600)) / (1026 + FALSE_PASS_RATE * 6750))
    assert sum(count * prob for count, prob in enumerate(probs)) == pytest.approx(5 / 6)  # no face is favoured


def test_inference_goes_by_a_pass_and_the_odds_of_the_dice_do_not() -> None:
    state = read_position(f"bidding 12346/22555/33446 1 0:4x6 1 {rules_text('perudo+pass')} Ann,Bo,Cy")
    after: State = evolve_all(state, decide(state, 1, Pass()))
    silent = view(state, 2)
    told = view(after, 2)
    assert BidOdds(told).p_standing == BidOdds(silent).p_standing
    assert BidOdds(told, BID_CREDIT).p_standing != pytest.approx(BidOdds(silent, BID_CREDIT).p_standing)


RULES = preset("bluff+show-dice").ruleset


def on_turn(hands: str, bids: str, show_dice: str = "counting") -> View:
    rules = f'{{"extends":"bluff","bidding":{{"show_dice":"{show_dice}"}}}}'
    state = read_position(f"bidding {hands} 1 {bids} 1 {rules} Ann,Bo")
    return view(state, 1)


def test_dice_are_shown_with_an_uncertain_bid_that_becomes_more_probable() -> None:
    seen = on_turn("22456/33125", "0:3x2")
    assert with_shown_dice(seen, BidOdds(seen), Bid(5, 3)) == BidAndShow(Bid(5, 3), (3, 3, 1))
    alone = float(odds(RULES, Bid(5, 3), (3, 3, 1, 2, 5), (5,), wilds_count=True).p_true)
    shown = float(odds(RULES, Bid(5, 3), (3, 3, 1), (5, 2), wilds_count=True).p_true)
    assert BidOdds(seen).p_bid(Bid(5, 3)) == pytest.approx(alone)
    assert BidOdds(seen).after_showing((3, 3, 1)).p_bid(Bid(5, 3)) == pytest.approx(shown)


def test_no_dice_are_shown_with_a_safe_bid_and_none_that_count_for_nothing() -> None:
    seen = on_turn("22456/33125", "0:3x2")
    assert with_shown_dice(seen, BidOdds(seen), Bid(3, 3)) == Bid(3, 3)
    none = on_turn("22456/33225", "0:3x2")
    assert with_shown_dice(none, BidOdds(none), Bid(4, 6)) == Bid(4, 6)


def test_no_dice_are_shown_where_no_others_are_rolled_again() -> None:
    seen = on_turn("22456/33125", "0:3x2", "counting_kept")
    assert seen.showable(Bid(5, 3)) == (3, 3, 1)
    assert with_shown_dice(seen, BidOdds(seen), Bid(5, 3)) == Bid(5, 3)


def test_the_other_simple_bots_show_dice_too() -> None:
    seen = on_turn("22456/33125", "0:4x3")
    greedy = Greedy(0.3).act(seen)
    assert isinstance(greedy, BidAndShow)
    assert greedy.shown == seen.showable(greedy.bid)
    novice = Novice().act(on_turn("22456/33125", "0:1x2"))
    assert novice == BidAndShow(Bid(1, 3), (3, 3, 1))
    moves = {kind: Misjudging(kind).act(seen) for kind in Misjudgement}
    assert any(isinstance(move, BidAndShow) for move in moves.values()), moves


def test_one_die_stays_under_the_cup_of_a_bot_whose_dice_all_count() -> None:
    seen = on_turn("22456/33", "0:3x2")
    move = with_shown_dice(seen, BidOdds(seen), Bid(5, 3))
    assert move in (Bid(5, 3), BidAndShow(Bid(5, 3), (3,)))


def test_odds_are_for_dice_under_the_cup() -> None:
    seen = on_turn("22456/33125", "0:3x2")
    with pytest.raises(MalformedError, match="not under the cup"):
        BidOdds(seen).after_showing((6,))


def test_bots_play_matches_with_shown_dice_to_the_end() -> None:
    result = play_match(RULES, [Threshold(), Threshold(0.3, 0.7)], ["Ann", "Bo"], seed=3)
    assert result.match.is_over
    assert not result.faults
    assert any(isinstance(event, BidMade) and event.shown for event in result.events)
