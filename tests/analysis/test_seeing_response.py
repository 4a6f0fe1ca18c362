"""An opponent who sees the bot's hand, against bots whose play is known."""

from __future__ import annotations

import numpy as np

from liarsdice.analysis.exploitability import Memory, SeeingResponse
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.solve.game.round_game import RoundGame, RoundStart, dice_lost_values, make_round_game, with_faces
from liarsdice.solve.strategy.reach import FloatArray


def small_round() -> RoundGame:
    return make_round_game(with_faces(preset("openspiel").ruleset, 3), RoundStart((1, 1)))


def response(game: RoundGame, seat: int, memory: Memory) -> SeeingResponse:
    """Against a bot that challenges every bid, and opens with its lowest one."""

    def first_action(index: int, _: tuple[Bid, ...]) -> FloatArray:
        situation = game.situations[index]
        probs = np.zeros((len(situation.calls) + len(situation.raises), len(game.hands[1 - seat])))
        probs[0] = 1.0
        return probs

    return SeeingResponse(game, first_action, memory, seat, dice_lost_values(game))


def test_whoever_bids_their_own_die_beats_a_bot_that_challenges_every_bid() -> None:
    game = small_round()
    assert response(game, 0, Memory(1, counts=True)).values(0, ()).tolist() == [[1.0] * 3] * 3


def test_a_challenge_is_right_where_the_hands_show_that_the_bid_is_false() -> None:
    game = small_round()
    top = len(game.situations) - 1  # after the highest bid, two dice of the wild face, only a challenge is left
    challenger = game.situations[top].mover
    values = response(game, challenger, Memory(1, counts=True)).values(top, (Bid(2, 3),))
    assert values.tolist() == [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, -1.0]]


def test_bids_that_a_bot_forgets_are_left_out() -> None:
    bids = Bid(1, 1), Bid(1, 2), Bid(2, 1)
    assert Memory(1, counts=False).part_of(bids) == (Bid(2, 1),)
    assert Memory(3, counts=False).part_of(bids) == bids
    assert Memory(1, counts=True).part_of(bids) != Memory(1, counts=True).part_of(bids[1:])


def test_a_longer_memory_needs_more_bytes() -> None:
    game = small_round()
    needed = [Memory(bids, counts=False).bytes_needed(game) for bids in range(4)]
    assert needed == sorted(set(needed))
    assert Memory(1, counts=True).bytes_needed(game) == Memory(2, counts=False).bytes_needed(game)
