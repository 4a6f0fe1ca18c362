"""The champion: which network it is, when it plays as solved, and what tempers change."""

from __future__ import annotations

from hashlib import sha256
from importlib.resources import files
from itertools import count

import msgspec
import pytest

from liarsdice.bots.endgames import endgame
from liarsdice.bots.neural.champion import LATEST, OUT_OF_TURN_T, Champion, Temper, model
from liarsdice.bots.neural.features import CHALLENGE
from liarsdice.bots.neural.network import Network
from liarsdice.bots.registry import make_bot
from liarsdice.bots.simple.bid_odds import CREDIT, Outlook
from liarsdice.bots.simple.call_policy import out_of_turn
from liarsdice.bots.simple.threshold import Threshold
from liarsdice.core.actions import Challenge
from liarsdice.core.bids.odds import p_true
from liarsdice.core.engine.engine import decide, evolve_all
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Labels, patched
from liarsdice.play.dealer import Dealer
from tests.bots.neural.champions import kept, played
from tests.bots.tables import dealt, hands_of

MODELS = files("liarsdice.bots") / "models"
PINNED = {
    1: "749ebc688197acbb61b8604debd14e5ca074694969ee8f8db84016c12002a45e",
    2: "17851b8b711f0cf1ee13df3ca56f8d53b32e200424ca7ac9b8ecf8702f5b192b",
    3: "68124c10073ef0a969758b36ee7008e74566cb2112675192df767e4f9374ddb2",
    4: "1d3eb9575437f4ac8e341457d96ca7b048085c4f7860ea7438434bc6c5b866b1",
    5: "91620bb9cda51125d0d0480e62c2626a913d017d7b52ae8e633b29d48e90f9b8",
}
"""A champion is the same for ever: its network's SHA-256."""
JUDGE = "5e08b0679550e55740c86ca7582c549c28483758c0fc668ead36e070e7dbde6f"
"""The same of the network that says what the newest champion's answers are worth."""
MOST_BYTES = 4_000_000


def test_networks_stay_what_they_are() -> None:
    assert set(PINNED) == set(range(1, LATEST + 1))
    for number, digest in PINNED.items():
        assert sha256((MODELS / f"champion-{number}.npz").read_bytes()).hexdigest() == digest
    assert sha256((MODELS / f"values-{LATEST}.npz").read_bytes()).hexdigest() == JUDGE


@pytest.mark.parametrize("number", PINNED)
def test_champions_play_as_they_did_when_they_were_new(number: int) -> None:
    for now, then in zip(played(number), kept()[str(number)], strict=True):
        assert now == pytest.approx(then, abs=1e-3)


def test_all_models_together_are_small() -> None:
    assert sum(len(one.read_bytes()) for one in MODELS.iterdir()) <= MOST_BYTES


def test_the_last_dice_are_played_as_solved() -> None:
    ours = patched(preset("perudo").ruleset, labels=Labels(game="Ours"))
    shown = view(dealt(ours, ((3,), (5,)), (Bid(1, 3),)), 1)
    play = endgame(shown)
    assert play is not None
    assert sum(play.values()) == pytest.approx(1)
    bot = make_bot("champion", 1)
    assert {bot.act(shown) for _ in range(200)} <= play.keys()
    assert endgame(view(dealt(ours, ((3, 3), (5,))), 0)) is None
    assert endgame(view(dealt(patched(ours, bidding__min_open=2), ((3,), (5,))), 0)) is None


def test_the_last_dice_are_played_as_solved_whoever_had_a_special_round() -> None:
    for special in (None, 0, 1):
        for had in ((), (0,), (1,), (0, 1)):
            state = dealt(preset("mustache").ruleset, ((3,), (5,)))
            shown = view(msgspec.structs.replace(state, special_seat=special, had_special=had), 0)
            assert endgame(shown) is not None


def test_the_last_dice_go_on_where_nobody_would_have_bid() -> None:
    snyd = preset("snyd").ruleset
    shown = view(dealt(snyd, ((1,), (2,)), (Bid(2, 1), Bid(2, 2), Bid(2, 3))), 1)
    assert endgame(shown) is None
    assert make_bot("champion", 1).act(shown) in shown.moves


def test_the_same_seed_and_view_give_the_same_move() -> None:
    shown = view(dealt(preset("perudo").ruleset, ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6), (1, 4, 4, 5, 6))), 0)
    for seed in range(5):
        assert make_bot("champion", seed).act(shown) == make_bot(f"champion@{LATEST}", seed).act(shown)


def test_dice_of_many_faces_are_played_without_the_network() -> None:
    rules = patched(preset("basic").ruleset, dice__faces=8)
    shown = view(dealt(rules, ((1, 8, 8, 3, 2), (7, 7, 2, 2, 4)), (Bid(2, 8),)), 1)
    assert make_bot("champion", 1).act(shown) == Threshold(0.4, 0.7).act(shown)


def test_out_of_turn_it_answers_by_its_network_if_that_learned_to() -> None:
    rules, hands = preset("official").ruleset, ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6), (1, 4, 4, 5, 6))
    shown = view(dealt(rules, hands, (Bid(4, 3),)), 2)
    nothing = view(dealt(rules, hands), 2)
    plain = model(3)
    for bias, call in ((50.0, Challenge()), (-50.0, None)):
        biases = [one.copy() for one in plain.biases]
        biases[-1][CHALLENGE] += bias
        knows = Champion(Network(plain.weights, biases, answers_out_of_turn=True), 1)
        assert knows.act(shown) == call
        assert knows.act(nothing) is None
        never = Champion(Network(plain.weights, biases), 1)
        assert never.act(shown) == out_of_turn(shown, Outlook(shown, CREDIT), OUT_OF_TURN_T)


def test_a_bid_that_its_own_stairs_make_true_is_not_doubted() -> None:
    rules = preset("snyd-stairs").ruleset
    for own, other, bid in (((1, 2, 3, 4, 5), (2, 2, 4, 4, 6), Bid(5, 4)), ((2, 1), (6, 6, 5), Bid(3, 6))):
        shown = view(dealt(rules, (other, own), (bid,)), 1)
        assert p_true(rules, bid, own, shown.others, wilds_count=True) == 1
        assert Challenge() not in Champion(model(LATEST)).weighed(shown)


def habits(temper: Temper | None) -> tuple[float, float]:
    """How often a champion of that temper challenges, and how likely its bids are, at the same 400 turns."""
    bot, rules = Champion(model(LATEST), "seed", temper), preset("perudo").ruleset
    challenges, chances, turns = 0, list[float](), 0
    for seed in count():
        other = Champion(model(LATEST), seed)
        state = dealt(rules, hands_of(Dealer(seed), rules))
        while state.phase is Phase.BIDDING:
            shown = view(state, state.turn)
            answer = bot.act(shown)
            turns += 1
            challenges += isinstance(answer, Challenge)
            if isinstance(answer, Bid):
                chances.append(_p(shown, answer))
            move = other.act(shown)
            assert move is not None
            state = evolve_all(state, decide(state, state.turn, move))
        if turns >= 400:
            return challenges / turns, sum(chances) / len(chances)
    raise AssertionError


def _p(shown: View, bid: Bid) -> float:
    return p_true(shown.ruleset, bid, shown.hand, shown.others, wilds_count=shown.wilds_count)


def test_tempers_show_in_how_often_bids_are_doubted_and_how_true_they_are() -> None:
    found = {temper: habits(temper) for temper in (None, *Temper)}
    plain_challenges, plain_chance = found[None]
    assert found[Temper.SUSPICIOUS][0] > plain_challenges > found[Temper.TRUSTING][0]
    assert found[Temper.CAUTIOUS][1] > plain_chance > found[Temper.BOLD][1]
