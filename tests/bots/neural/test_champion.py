"""The champion: its pinned networks, the solved endgame, and calls out of turn."""

from hashlib import sha256
from importlib.resources import files
from itertools import count

import msgspec
import numpy as np
import pytest

from liarsdice.bots.face_offs import face_off_policy
from liarsdice.bots.neural.champion import (
    CHAMPION_NAME,
    OWN_NETWORKS,
    Champion,
    Temper,
    champion_network,
    possible_actions,
)
from liarsdice.bots.neural.champions import BASELINES, baseline_network, make_champion
from liarsdice.bots.neural.features import CHALLENGE, encode, faces_of_pure_bids, observe
from liarsdice.bots.neural.network import Network
from liarsdice.bots.registry import make_bot
from liarsdice.bots.simple.simple_bots import Threshold
from liarsdice.core.actions import BidAndShow, Challenge, ChallengePass, Pass, PlayerAction
from liarsdice.core.bids.odds import p_true
from liarsdice.core.engine.engine import decide, evolve_all
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.choices import Direction, FromPure, ToPure
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Labels
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.play.match import Dealer
from liarsdice.values.endgames import endgame_answer, endgame_policy
from tests.bots.neural.golden_champions import NAMES, golden_move_probs, move_probs
from tests.bots.positions import dealt_state, first_round_hands, position

MODELS = files("liarsdice.bots") / "models"
NETWORK_DIGESTS = {
    "champion": "702a3e0f1957e4bb828fc801adfb45a1d60dc22ecf8858127bb020928111420e",
    "champion-perudo": "c753aca8b771d58452cdb9b172ea09a147ed016b8a4cde44f11530634921af51",
    "baseline-5": "26852ca3e830eb11fc6e1965b6a8bf15777d344d726e196b4a2160303a5c308f",
}
"""The SHA-256 of each network, which never changes, by its file."""
MAX_MODEL_BYTES = 32_000_000


@pytest.mark.parametrize("name", NETWORK_DIGESTS)
def test_networks_stay_what_they_are(name: str) -> None:
    assert sha256((MODELS / f"{name}.npz").read_bytes()).hexdigest() == NETWORK_DIGESTS[name]


@pytest.mark.parametrize("name", NAMES)
def test_champions_play_as_they_did_when_they_were_new(name: str) -> None:
    for probs, golden in zip(move_probs(name), golden_move_probs()[name], strict=True):
        assert probs == pytest.approx(golden, abs=1e-3)


def test_all_models_together_are_small() -> None:
    assert sum(len(model.read_bytes()) for model in MODELS.iterdir()) <= MAX_MODEL_BYTES


def test_the_last_dice_are_played_as_solved() -> None:
    renamed = patched(preset("perudo").ruleset, labels=Labels(game="Renamed"))
    shown = view(dealt_state(renamed, ((3,), (5,)), (Bid(1, 3),)), 1)
    policy = endgame_policy(shown)
    assert policy is not None
    assert sum(policy.values()) == pytest.approx(1)
    bot = make_bot("champion", 1)
    assert {bot.act(shown) for _ in range(200)} <= policy.keys()
    assert endgame_policy(view(dealt_state(renamed, ((3, 3), (5, 5))), 0)) is None
    assert endgame_policy(view(dealt_state(patched(renamed, bidding__min_open=2), ((3,), (5,))), 0)) is None


def test_the_last_dice_are_played_as_solved_whoever_had_a_special_round() -> None:
    for special in (None, 0, 1):
        for had_special in ((), (0,), (1,), (0, 1)):
            state = dealt_state(preset("mustache").ruleset, ((3,), (5,)))
            shown = view(msgspec.structs.replace(state, special_seat=special, had_special=had_special), 0)
            assert endgame_policy(shown) is not None


@pytest.mark.parametrize("hands", [((3, 3), (5,)), ((5,), (3, 3))])
def test_three_dice_are_played_as_solved(hands: tuple[tuple[int, ...], ...]) -> None:
    shown = view(dealt_state(preset("perudo").ruleset, hands, (Bid(1, 3),)), 1)
    policy = endgame_policy(shown)
    assert policy is not None
    assert make_bot("champion", 1).action_probs(shown) == policy  # type: ignore[attr-defined]
    assert make_bot("champion@5", 1).action_probs(shown) != policy  # type: ignore[attr-defined]


def test_a_bid_that_the_solution_never_makes_gets_a_safe_answer() -> None:
    """After two of one face and two of a higher one, the player who bid two ones with a one knows that both lie."""
    snyd = preset("snyd").ruleset
    shown = view(dealt_state(snyd, ((1,), (2,)), (Bid(2, 1), Bid(2, 2), Bid(2, 3))), 1)
    assert endgame_policy(shown) is None
    assert endgame_answer(shown) == {Challenge(): 1.0}
    assert make_bot("champion", 1).act(shown) == Challenge()


def test_the_same_seed_and_view_give_the_same_move() -> None:
    shown = view(dealt_state(preset("perudo").ruleset, ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6), (1, 4, 4, 5, 6))), 0)
    for seed in range(5):
        assert make_bot("champion", seed).act(shown) == make_bot(CHAMPION_NAME, seed).act(shown)


def test_dice_of_many_faces_are_played_without_the_network() -> None:
    rules = patched(preset("basic").ruleset, dice__faces=8)
    shown = view(dealt_state(rules, ((1, 8, 8, 3, 2), (7, 7, 2, 2, 4)), (Bid(2, 8),)), 1)
    assert make_bot("champion", 1).act(shown) == Threshold(0.4, 0.7).act(shown)


@pytest.mark.parametrize("name", ["snyd+all-but-loser", "snyd-joker+winner-sheds"])
def test_where_players_shed_the_network_plays_rounds_of_two_alone(name: str) -> None:
    """It was trained where losers lose dice: with three or more players, it would do worse than a simple bot."""
    rules = preset(name).ruleset
    hands = ((1, 2, 3, 4, 5), (2, 3, 3, 6, 6), (1, 4, 4, 5, 6))
    three = view(dealt_state(rules, hands, (Bid(3, 3),)), 1)
    assert {make_bot("champion", seed).act(three) for seed in range(20)} == {Threshold(0.4, 0.7).act(three)}
    two = view(dealt_state(rules, hands[:2], (Bid(3, 3),)), 1)
    losing = msgspec.structs.replace(two, ruleset=patched(rules, loss__shed_by=None))
    for seed in range(10):
        network = Champion(champion_network(), seed)
        assert make_bot("champion", seed).act(two) == network.act(losing)


def test_the_network_bids_each_face_pure_or_not_whichever_is_more_probable() -> None:
    rules = patched(preset("joker").ruleset, bidding__to_pure=ToPure.SAME_QUANTITY, bidding__from_pure=FromPure.DOUBLE)
    hands = ((1, 2, 3, 4, 5), (5, 5, 2, 3, 4))
    shown = view(dealt_state(rules, hands, (Bid(2, 6),)), 1)
    assert Threshold().act(shown) == Bid(2, 5, pure=True)
    probs = Champion(champion_network(), 1).action_probs(shown)
    pure_faces = faces_of_pure_bids(shown)
    bids = [move for move in probs if isinstance(move, Bid)]
    assert Bid(2, 5, pure=True) in bids
    assert all(bid in shown.may_bid and bid.pure is (bid.face in pure_faces) for bid in bids)


@pytest.mark.parametrize(
    "standing, move",
    [(Bid(5, 2), BidAndShow(Bid(5, 3), (3, 3, 1))), (Bid(3, 5), Bid(4, 3))],
    ids=["uncertain", "probable enough"],
)
def test_the_champion_shows_dice_with_an_uncertain_bid(standing: Bid, move: PlayerAction) -> None:
    rules = preset("bluff+show-dice").ruleset
    seen = view(dealt_state(rules, ((2, 2, 4, 5, 6), (3, 3, 1, 2, 5)), (standing,)), 1)
    assert make_bot("champion", 1).act(seen) == move


@pytest.mark.parametrize(
    "hand, passes", [((2, 2, 5, 5, 5), True), ((2, 3, 5, 5, 5), False)], ids=["full house", "none"]
)
def test_the_champion_passes_instead_of_an_uncertain_bid_where_its_hand_allows_it(hand: Hand, passes: bool) -> None:
    hands = ((1, 2, 3, 4, 6), hand, (3, 3, 4, 4, 6))
    shown = view(position(preset("perudo+pass").ruleset, hands, "5x5"), 1)
    moves = {make_bot("champion", seed).act(shown) for seed in range(20)}
    assert (Pass() in moves) is passes


def test_the_champion_doubts_a_pass_that_is_improbable() -> None:
    hands = ((1, 2, 3, 4, 6), (2, 2, 5, 5, 5), (3, 3, 4, 4, 6))
    shown = view(position(preset("perudo+pass-alike").ruleset, hands, "3x5 pass"), 2)
    assert make_bot("champion", 1).act(shown) == ChallengePass()


def test_a_face_off_is_played_without_the_network_and_other_rounds_with_it() -> None:
    rules = preset("perudo+face-off").ruleset
    shown = view(dealt_state(rules, ((4,), (3,)), (Bid(4, SUM_FACE),)), 1)
    policy = face_off_policy(shown)
    assert policy is not None
    assert len(policy) > 2
    assert make_bot("champion", 1).action_probs(shown) == policy  # type: ignore[attr-defined]
    assert {make_bot("champion", seed).act(shown) for seed in range(50)} <= set(policy)
    by_odds = Threshold(0.4, 0.7).act(shown)
    assert make_bot("champion:bold", 1).act(shown) == by_odds
    assert make_bot("champion:bold", 1).action_probs(shown) == {by_odds: 1}  # type: ignore[attr-defined]
    state = dealt_state(preset("perudo").ruleset, ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6), (1, 4, 4, 5, 6)))
    other = msgspec.structs.replace(state, ruleset=rules)
    for seed in range(5):
        network = Champion(champion_network(), seed)
        assert make_bot("champion", seed).act(view(other, 0)) == network.act(view(state, 0))


def test_out_of_turn_it_plays_by_its_network() -> None:
    rules, hands = preset("official").ruleset, ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6), (1, 4, 4, 5, 6))
    shown = view(dealt_state(rules, hands, (Bid(4, 3),)), 2)
    before_bids = view(dealt_state(rules, hands), 2)
    network = champion_network()
    for shift, call in ((50.0, Challenge()), (-50.0, None)):
        biases = [layer.copy() for layer in network.biases]
        biases[-1][CHALLENGE] += shift
        champion = Champion(Network(network.weights, biases), 1)
        assert champion.act(shown) == call
        assert champion.act(before_bids) is None


def test_a_bid_that_its_own_stairs_make_true_is_not_challenged() -> None:
    rules = preset("snyd-stairs").ruleset
    for own, other, bid in (((1, 2, 3, 4, 5), (2, 2, 4, 4, 6), Bid(5, 4)), ((2, 1), (6, 6, 5), Bid(3, 6))):
        shown = view(dealt_state(rules, (other, own), (bid,)), 1)
        assert p_true(rules, bid, own, shown.others, wilds_count=True) == 1
        assert Challenge() not in Champion(champion_network()).action_probs(shown)


@pytest.mark.parametrize("name", [names[-1] for names in OWN_NETWORKS.values()])
def test_some_presets_are_played_by_networks_of_their_own(name: str) -> None:
    played, hands = preset(name).ruleset, ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6), (1, 4, 4, 5, 6))
    own, general = champion_network(played), champion_network()
    assert own is not general is champion_network(preset("joker").ruleset)
    assert baseline_network("champion@7") is general
    renamed = patched(played, labels=Labels(game="Renamed"), turn__direction=Direction.ANTICLOCKWISE)
    for rules, network in ((played, own), (renamed, own), (patched(played, bidding__min_open=2), general)):
        shown = view(dealt_state(rules, hands, (Bid(3, 6),)), 1)
        champion = make_champion()
        assert champion.network(rules) is network
        assert champion.action_probs(shown) == Champion(network).action_probs(shown)


PERUDO = preset("perudo").ruleset
OWN = (6, 6, 1, 2, 3)


def shown(bids: str, rules: Ruleset = PERUDO, own: tuple[int, ...] = OWN) -> View:
    """Return the view of the second of two players, whose turn it is."""
    return view(position(rules, ((5,) * len(own), own), bids), 1)


def may_challenge(seen: View) -> bool:
    inputs = encode(observe(seen))
    return bool(possible_actions(inputs, seen.ruleset)[0, CHALLENGE])


@pytest.mark.parametrize("bids, may", [("3x6", False), ("4x6", True)])
def test_a_bid_that_the_own_dice_make_true_is_not_challenged(bids: str, may: bool) -> None:
    assert may_challenge(shown(bids)) == may


def test_a_bid_that_the_own_dice_rule_out_is_challenged() -> None:
    seen = shown("7x4")  # one own die counts, and the other player holds five
    inputs = encode(observe(seen))
    assert np.flatnonzero(possible_actions(inputs, PERUDO)[0]).tolist() == [CHALLENGE]
    assert Champion(champion_network()).action_probs(seen) == {Challenge(): 1.0}


@pytest.mark.parametrize("name", BASELINES)
@pytest.mark.parametrize("bids", ["6x4 7x3", "5x4 7x3", "6x3 6x4 7x3"])
def test_what_the_own_dice_prove_mends_a_bid_that_the_network_alone_makes(bids: str, name: str) -> None:
    mover = len(bids.split()) % 2
    hands = ((1, 4, 4, 4, 4), (2,) * 5) if mover == 0 else ((2,) * 5, (1, 4, 4, 4, 4))
    seen = view(position(preset("joker").ruleset, hands, bids), mover)
    network = baseline_network(name)
    alone = Champion(network, heeds_own_dice=False).action_probs(seen)
    assert alone[Bid(7, 4)] > 0.7
    assert Champion(network).action_probs(seen) == {Challenge(): 1.0}


def test_a_bid_that_the_own_dice_rule_out_is_not_made() -> None:
    seen = shown("6x2")  # 7x4 and 7x5 are ruled out, as one own die counts for them; 7x6 needs four of five
    inputs = encode(observe(seen))
    bids = [move for move in Champion(champion_network()).action_probs(seen) if isinstance(move, Bid)]
    assert inputs.ruled_out.any()
    assert all(bid.quantity <= 6 or bid.face in {1, 2, 6} for bid in bids)


def test_without_any_other_move_all_legal_ones_are_left() -> None:
    rules = preset("basic").ruleset
    seen = shown("1x6", rules, (6,))  # a challenge loses, and only 2x6 may be true; every other raise is ruled out
    inputs = encode(observe(seen))
    left = possible_actions(inputs, rules)[0]
    assert left.sum() == 1
    highest = shown("2x6", rules, (6,))
    inputs = encode(observe(highest))
    assert np.flatnonzero(possible_actions(inputs, rules)[0]).tolist() == [CHALLENGE]


def test_where_wild_dice_need_a_natural_one_no_bid_is_taken_for_proven() -> None:
    rules = patched(PERUDO, wilds__needs_natural=True)
    assert may_challenge(shown("3x6", rules))


def test_where_stairs_count_one_more_nothing_is_left_out() -> None:
    seen = shown("3x3", preset("snyd-stairs").ruleset, (1, 2, 3, 4, 5))
    inputs = encode(observe(seen))
    assert (possible_actions(inputs, seen.ruleset) == inputs.action_mask).all()


def test_a_baseline_from_before_that_rule_plays_by_its_network_alone() -> None:
    seen = shown("7x4")
    latest, earlier = make_bot("champion@7", 1), make_bot("champion@5", 1)
    assert isinstance(latest, Champion)
    assert isinstance(earlier, Champion)
    assert latest.action_probs(seen).keys() == {Challenge()}
    inputs = encode(observe(seen))
    network = baseline_network("champion@5")
    probs = network.drop_unlikely(network.action_probs(inputs.features, inputs.action_mask))
    assert len(earlier.action_probs(seen)) == int((probs > 0).sum())


def challenge_rate_and_bid_odds(temper: Temper | None) -> tuple[float, float]:
    """Return how often a champion of this temper challenges, and the mean probability of its bids, in 400 turns."""
    bot, rules = Champion(champion_network(), "seed", temper), preset("perudo").ruleset
    challenges, bid_odds, turns = 0, list[float](), 0
    for seed in count():
        other = Champion(champion_network(), seed)
        state = dealt_state(rules, first_round_hands(Dealer(seed), rules))
        while state.phase is Phase.BIDDING:
            shown = view(state, state.turn)
            move = bot.act(shown)
            turns += 1
            challenges += isinstance(move, Challenge)
            if isinstance(move, Bid):
                bid_odds.append(_p_true(shown, move))
            other_move = other.act(shown)
            assert other_move is not None
            state = evolve_all(state, decide(state, state.turn, other_move))
        if turns >= 400:
            return challenges / turns, sum(bid_odds) / len(bid_odds)
    raise AssertionError


def _p_true(shown: View, bid: Bid) -> float:
    return p_true(shown.ruleset, bid, shown.hand, shown.others, wilds_count=shown.wilds_count)


def test_tempers_change_how_often_bids_are_challenged_and_how_likely_bids_are() -> None:
    by_temper = {temper: challenge_rate_and_bid_odds(temper) for temper in (None, *Temper)}
    plain_rate, plain_odds = by_temper[None]
    assert by_temper[Temper.SUSPICIOUS][0] > plain_rate > by_temper[Temper.TRUSTING][0]
    assert by_temper[Temper.CAUTIOUS][1] > plain_odds > by_temper[Temper.BOLD][1]
