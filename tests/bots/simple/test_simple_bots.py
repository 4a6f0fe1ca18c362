"""The threshold bots, with and without credit, make no bid that their own dice rule out."""

from itertools import product

import msgspec
import pytest

from liarsdice.bots.protocol import Bot
from liarsdice.bots.registry import bot_names, make_bot
from liarsdice.bots.simple.bid_odds import BID_CREDIT, BidOdds
from liarsdice.bots.simple.simple_bots import Greedy, Misjudgement, Misjudging, Novice, Random, Threshold
from liarsdice.core.actions import Challenge, Deal, PlayerAction
from liarsdice.core.engine.engine import decide, evolve_all, legal, start
from liarsdice.core.engine.state import State
from liarsdice.core.engine.view import View, view
from liarsdice.core.events import StarterFound
from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.choices import FaceOff, RoundVisibility, StarterMethod
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import Hand, hands_that_count, tally
from liarsdice.play.match_runner import play_match
from tests.bots.positions import position
from tests.bots.simple.test_decisions import act_in, odds_in

BASIC = preset("basic").ruleset


@pytest.mark.parametrize("bot", [Threshold(0.0), Threshold(0.2, BID_CREDIT)])
def test_a_bid_that_the_own_dice_rule_out_is_no_way_round_a_challenge(bot: Bot) -> None:
    """One die each: a bid of two dice needs Bo's own, and Bo holds no three, four, five or six to raise 2x2."""
    assert bot.act(view(position(BASIC, ((4,), (2,)), "1x6"), 1)) == Bid(2, 2)
    assert bot.act(view(position(BASIC, ((4,), (2,)), "2x2"), 1)) == Challenge()


@pytest.mark.parametrize("bot", ["threshold:0", "threshold:0.2", "inference", "greedy", "regular"])
def test_no_bot_bids_in_a_match_what_its_own_dice_rule_out(bot: str) -> None:
    ruled_out: list[View] = []

    class Watched:
        def __init__(self, seed: int) -> None:
            self._bot = make_bot(bot, seed)

        def act(self, view: View) -> PlayerAction | None:
            move = self._bot.act(view)
            if isinstance(move, Bid) and view.may_challenge and BidOdds(view).p_bid(move) == 0:
                ruled_out.append(view)
            return move

    for seed in range(6):
        play_match(preset("joker").ruleset, [Watched(seed), Watched(seed + 100)], seed=seed)
    assert ruled_out == []


MISJUDGING_BASIC, PERUDO = preset("basic").ruleset, preset("perudo").ruleset


def answer(misjudgement: Misjudgement, own: tuple[int, ...], bids: str) -> PlayerAction | None:
    """The answer of the second of two players under perudo; the first holds fives."""
    return Misjudging(misjudgement).act(view(position(PERUDO, ((5,) * len(own), own), bids), 1))


def test_who_forgets_wilds_doubts_what_they_make_likely() -> None:
    # The other needs two of three dice: 26% with ones wild, 7% without; then one, with two own sixes: 70% and 42%.
    assert answer(Misjudgement.FORGETS_WILDS, (6, 2, 3), "3x6") == Challenge()
    assert answer(Misjudgement.FORGETS_WILDS, (6, 6, 3), "3x6") != Challenge()


def test_who_trusts_believes_an_unlikely_bid() -> None:
    assert answer(Misjudgement.TRUSTS, (6, 2, 3), "3x6") != Challenge()


@pytest.mark.parametrize("bids, doubts", [("2x6", False), ("3x6", False), ("4x6", True)])
def test_who_takes_the_average_holds_one_die_more_for_possible(bids: str, doubts: bool) -> None:
    # One own six; of the other's three dice one counts on average, with ones wild.
    assert (answer(Misjudgement.TAKES_AVERAGE, (6, 2, 3), bids) == Challenge()) == doubts


@pytest.mark.parametrize("bids, doubts", [("1x6", False), ("2x6", True)])
def test_who_guesses_doubts_one_die_above_the_average_without_wilds(bids: str, doubts: bool) -> None:
    # One own six; half a six among the other's three dice.
    assert (answer(Misjudgement.GUESSES, (6, 2, 3), bids) == Challenge()) == doubts


@pytest.mark.parametrize("misjudgement", list(Misjudgement))
def test_own_dice_are_known(misjudgement: Misjudgement) -> None:
    assert answer(misjudgement, (6, 1, 1), "3x6") != Challenge()  # true by the own dice
    assert answer(misjudgement, (2, 2, 3), "4x6") == Challenge()  # false by the own dice
    last = view(position(MISJUDGING_BASIC, ((5,), (3,)), "2x5"), 1)
    assert Misjudging(misjudgement).act(last) == Challenge()


@pytest.mark.parametrize("misjudgement", list(Misjudgement))
def test_a_bid_that_the_own_dice_rule_out_is_made_only_where_a_challenge_loses(misjudgement: Misjudgement) -> None:
    shown = view(
        position(MISJUDGING_BASIC, ((5,), (5,)), "1x5"), 1
    )  # proven, and the raises need what is not there but 2x5
    move = Misjudging(misjudgement).act(shown)
    assert move == Bid(2, 5) or (isinstance(move, Bid) and move.face == 6)


OFFICIAL = preset("official").ruleset


def test_it_opens_with_the_face_that_it_holds_most_of() -> None:
    assert Novice().act(view(position(BASIC, ((2, 4, 4), (1, 1, 1))), 0)) == Bid(1, 4)


@pytest.mark.parametrize("bid, move", [("1x5", Bid(2, 3)), ("2x5", Challenge())])
def test_it_challenges_a_bid_above_its_estimate(bid: str, move: PlayerAction) -> None:
    # It holds one five; of the other's three dice half a die is the average: 1.5.
    assert Novice().act(view(position(BASIC, ((5, 1, 1), (5, 3, 3)), bid), 1)) == move


def test_it_ignores_wild_dice() -> None:
    # With ones wild, two of the other's three dice would be enough; without, its estimate is 0.5.
    assert Novice().act(view(position(OFFICIAL, ((6, 1, 1), (1, 1, 3)), "2x6"), 1)) == Challenge()


def test_it_never_calls_out_of_turn() -> None:
    assert Novice().act(view(position(OFFICIAL, ((2, 3), (2, 3), (2, 3)), "6x6"), 2)) is None


TWO_HANDS = ((4, 4), (2, 3))


def test_the_random_bot_draws_from_all_of_its_moves() -> None:
    state = position(preset("classic+reversa").ruleset, TWO_HANDS)
    bot = Random(1)
    drawn = {bot.act(view(state, 0)) for _ in range(1_000)}
    assert drawn == set(view(state, 0).moves)


def test_the_random_bot_seldom_calls_out_of_turn() -> None:
    state = position(OFFICIAL, ((2, 3), (2, 3), (2, 3)), "1x6")
    bot = Random(1)
    calls = sum(bot.act(view(state, 2)) is not None for _ in range(1_000))
    assert 20 <= calls <= 90


def test_the_random_bot_keeps_to_the_dice_on_the_table_where_quantities_have_no_limit() -> None:
    rules = patched(BASIC, bidding__cap=None, guards__max_bids_per_round=20)
    bot = Random(1)
    opening = view(position(rules, TWO_HANDS), 0)
    assert max(bid.quantity for bid in (bot.act(opening) for _ in range(200)) if isinstance(bid, Bid)) == 4
    beyond = view(position(rules, TWO_HANDS, "900x6"), 1)
    assert {bot.act(beyond) for _ in range(200)} == {Challenge(), *(Bid(901, face) for face in range(1, 7))}


def test_simple_bots_know_which_faces_the_dice_of_each_seat_have() -> None:
    rules = preset("basic+mixed-dice").ruleset
    # Ann's dice have four faces and Bo's six, so only Bo can hold a five, and nobody a seven.
    as_bo, as_ann = (
        odds_in(state) for state in (position(rules, ((4,), (5,)), "1x4"), position(rules, ((4, 4), (5, 2))))
    )
    assert [as_bo.p_standing, as_bo.p_bid(Bid(1, 5)), as_bo.p_bid(Bid(2, 5))] == [0.25, 1, 0]
    assert [as_ann.p_bid(Bid(1, face)) for face in (4, 5, 7)] == pytest.approx([1, 11 / 36, 0])
    assert act_in(Threshold(0.3), position(rules, ((4,), (3,)), "1x5")) == Challenge()
    for name in ("novice", "threshold", "greedy", "inference", "champion"):
        assert act_in(make_bot(name), position(rules, ((4,), (3,)), "1x7")) == Challenge()


def enumerated_odds(state: State, seat: int, bid: Bid, bidder: int, *, wilds_count: bool) -> float:
    """The share of all rolls of the dice that a seat does not see which make a bid of the bidder true."""
    rules, shown = state.ruleset, view(state, seat)
    hidden = [
        other
        for other in range(len(state.hands))
        if (shown.is_blind if other == seat else not (shown.open_hands and shown.seen))
    ]
    rolls = [
        list(product(range(1, rules.dice.faces_at(other) + 1), repeat=len(hand))) if other in hidden else [hand]
        for other, hand in enumerate(state.hands)
    ]
    deals = list(product(*rolls))
    counts = (
        tally(rules, hands_that_count(rules, hands, bidder), bid.face, wilds_count=wilds_count).count for hands in deals
    )
    return sum(count >= bid.quantity for count in counts) / len(deals)


OBLIGOS = ("perudo+obligo-closed", "perudo+obligo-open")


@pytest.mark.parametrize("visibility", [None, *RoundVisibility])
@pytest.mark.parametrize("name", ["basic+mixed-dice", "basic+aetolia", *OBLIGOS])
def test_odds_of_simple_bots_are_those_of_all_rolls_of_the_dice_that_they_do_not_see(
    name: str, visibility: RoundVisibility | None
) -> None:
    rules, least = preset(name).ruleset, 1
    if visibility is not None:
        special_round = {"special_round__visibility": None} if name in OBLIGOS else {}
        rules = patched(rules, dice__visibility=visibility, **special_round)
    if name == "basic+aetolia":  # players are out with two dice, and more dice with fewer faces roll as quickly
        rules, least = patched(rules, dice__faces=4), 3
    special = 0 if rules.special_round else None
    hands: tuple[Hand, ...] = ((4,) * least, (3,) * (least + 1), (2, 1, 2))
    state = msgspec.structs.replace(start(rules, ("Ann", "Bo", "Cy")), dice=tuple(map(len, hands)))
    state = evolve_all(state, [StarterFound(0, StarterMethod.CHOSEN)])
    state = msgspec.structs.replace(state, special_seat=special)
    state = evolve_all(state, decide(state, None, Deal(hands)))
    state = evolve_all(state, decide(state, 0, Bid(1, 4)))
    assert view(state, 2).is_blind is (special is not None or visibility is not None)
    for seat in (1, 2):
        odds = odds_in(msgspec.structs.replace(state, turn=seat))
        p_standing = enumerated_odds(state, seat, Bid(1, 4), 0, wilds_count=state.wilds_count)
        assert odds.p_standing == pytest.approx(p_standing)
        for bid in (Bid(2, 4), Bid(3, 4)):
            p_bid = enumerated_odds(state, seat, bid, seat, wilds_count=state.wilds_count)
            assert odds.p_bid(bid) == pytest.approx(p_bid)


def test_simple_bots_play_a_face_off_by_the_odds_of_both_dice() -> None:
    rules = patched(preset("basic").ruleset, bidding__face_off=FaceOff.SUM)
    # With a three, Bo needs a four or more for a sum of seven, and cannot have ten.
    hopeful, hopeless = position(rules, ((4,), (3,)), "sum7"), position(rules, ((4,), (3,)), "sum10")
    odds = odds_in(hopeful)
    assert [odds.p_standing, odds.p_exact, odds.p_bid(Bid(8, SUM_FACE))] == pytest.approx([1 / 2, 1 / 6, 1 / 3])
    assert odds_in(hopeless).p_standing == 0
    best = odds.most_probable(bids := legal(hopeful).bids)
    assert best is not None
    assert best[0] == bids[0]
    assert best[1] == pytest.approx(1 / 3)
    for name in ("novice", "forgetful", "cautious", "trusting", "threshold", "greedy", "inference", "champion"):
        if name in bot_names():
            assert act_in(make_bot(name), hopeless) == Challenge()
            assert act_in(make_bot(name), position(rules, ((4,), (3,)), "sum4")) != Challenge()


def test_the_greedy_bot_opens_a_face_off_on_the_same_sum_with_every_die() -> None:
    rules = patched(preset("basic").ruleset, bidding__face_off=FaceOff.SUM)
    # With a one, a sum of five needs a four or more: one half. A sum of six has one chance in three.
    for die in range(1, 7):
        assert act_in(Greedy(0.4), position(rules, ((die,), (3,)))) == Bid(5, SUM_FACE)
        assert act_in(Greedy(0.3), position(rules, ((die,), (3,)))) == Bid(6, SUM_FACE)
    # Above that, it bids the next sum if its own die makes it likelier than that the standing bid is false.
    assert act_in(Greedy(0.4), position(rules, ((4,), (6,)), "sum7")) == Bid(8, SUM_FACE)
