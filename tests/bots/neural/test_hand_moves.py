"""The champion's moves with many hands at once are those that it makes with each of them."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from liarsdice.bots.neural.champions import make_champion
from liarsdice.bots.neural.playouts import Situation, hand_moves
from liarsdice.core.engine.view import view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from tests.bots.positions import dealt_state

HANDS = ((1, 2, 3, 4, 5), (2, 2, 2, 3, 6), (1, 1, 4, 4, 4))


@pytest.mark.parametrize(
    "name", ["perudo", "chui-niu+lives", "bar-strict", "bluff+show-dice", "perudo+pass", "mustache"]
)
@pytest.mark.parametrize("bids", [(), (Bid(5, 4),)])
def test_probabilities_are_those_of_one_hand_after_the_other(name: str, bids: tuple[Bid, ...]) -> None:
    state = dealt_state(preset(name).ruleset, (HANDS[0], (1, 3, 3, 5, 6), (2, 4, 5, 6, 6)), bids)
    shown, champion = view(state, state.turn), make_champion(seed=1)
    (moves,) = hand_moves(champion, [Situation(shown, HANDS)])
    for hand in HANDS:
        own = replace(shown, hand=hand)
        drawn = Counter(champion.act(own) for _ in range(400))
        probs = moves.all_probs(hand)
        assert sum(probs.values()) == pytest.approx(1, abs=1e-3)
        assert set(drawn) <= set(probs)
        for move, prob in probs.items():
            assert drawn[move] / 400 == pytest.approx(prob, abs=0.12)
            assert moves.prob(hand, move) == prob


def test_several_situations_are_answered_together_as_alone() -> None:
    rules = preset("chui-niu+lives").ruleset
    states = [dealt_state(rules, (HANDS[0], HANDS[1]), bids) for bids in ((), (Bid(3, 3),), (Bid(5, 6),))]
    situations = [Situation(view(state, state.turn), HANDS) for state in states]
    champion = make_champion(seed=1)
    together = hand_moves(champion, situations)
    for situation, moves in zip(situations, together, strict=True):
        (alone,) = hand_moves(champion, [situation])
        for hand in HANDS:
            for move, prob in alone.all_probs(hand).items():
                assert moves.prob(hand, move) == pytest.approx(prob, abs=1e-5)


def test_a_draw_follows_the_number() -> None:
    state = dealt_state(preset("chui-niu+lives").ruleset, (HANDS[0], HANDS[1]), (Bid(3, 3),))
    (moves,) = hand_moves(make_champion(seed=1), [Situation(view(state, 1), HANDS)])
    probs = moves.all_probs(HANDS[1])
    drawn = Counter(moves.draw(HANDS[1], number / 1000) for number in range(1000))
    for move, prob in probs.items():
        assert drawn[move] / 1000 == pytest.approx(prob, abs=0.01)
