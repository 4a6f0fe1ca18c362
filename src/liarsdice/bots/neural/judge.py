"""What the moves of a view are worth, by the champion's play: the one judge behind everything that teaches.

Where the rest of the match is solved, values are exact. In rounds of two players with a blueprint, what follows is
exact if both play on by it. Elsewhere the other hands are drawn from the champion's beliefs, and the champion plays the
round on after each move. The same position and number of deals give the same values, whoever asks.
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

import msgspec
import numpy as np

from liarsdice.bots.neural.belief import Belief
from liarsdice.bots.neural.champion import champion_network, decode_action
from liarsdice.bots.neural.champions import make_champion
from liarsdice.bots.neural.features import encode, observe
from liarsdice.bots.neural.playouts import play_rounds_out, sample_hands
from liarsdice.bots.neural.reasons import chances
from liarsdice.core.actions import PlayerAction, SetDirection
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid
from liarsdice.values.blueprint_values import exact_judgement
from liarsdice.values.judgement import DEALS, NOTHING_COMPARED, Judgement
from liarsdice.values.playouts import highest_quantity, knows_bids
from liarsdice.values.round_ends import RoundEndValues, learned_values

MAX_BIDS = 5
"""How many bids are compared, beside those that the champion or the player made and all moves that are no bids."""
MAX_UNLIKELY, SCREENING = 4, 1 / 20
"""How many other bids are compared, those that win most in a share of the deals.

They are probably true. What bolder bids win rests on how the champion answers bids that it never meets.
"""
MIN_SCREENING = 12
"""With fewer deals nothing can be told of them."""
SCREENING_SEED = 1_000
SAFE = 0.5
"""A bid that is true with this probability, going by the bids, is probably true."""


def seats_in_turn(shown: View) -> list[int]:
    """Return all seats in the order of play, from the one whose view it is."""
    assert shown.seat is not None
    seats = len(shown.dice)
    return [(shown.seat + shown.direction.step * place) % seats for place in range(seats)]


def position_rng(shown: View, seed: int = 0) -> np.random.Generator:
    """Return the random numbers of a position, which depend neither on who asks nor on the direction of play."""
    order = seats_in_turn(shown)
    bids = [(order.index(bidder), bid) for bidder, bid in shown.bids]
    special = -1 if shown.special_seat is None else order.index(shown.special_seat)
    position = (shown.hand, [shown.dice[seat] for seat in order], bids, order.index(shown.starter), special)
    return np.random.default_rng((seed, zlib.crc32(msgspec.json.encode(position))))


def network_moves(shown: View, round_dice: tuple[int, ...]) -> list[PlayerAction | None]:
    """Return the moves that the champion's network considers and the simulator knows, the likeliest first.

    `round_dice`: as in `judge`.
    """
    highest = highest_quantity(shown, round_dice)
    inputs = encode(observe(shown))
    probs = champion_network(shown.ruleset).action_probs(inputs.features, inputs.action_mask)[0]
    actions = [action for action in np.argsort(-probs, kind="stable").tolist() if inputs.action_mask[0, action]]
    moves = [decode_action(shown, inputs, action) for action in actions]
    known = [move for move in moves if not isinstance(move, Bid) or move.quantity <= highest]
    return [move for move in known if shown.allows(move)]


def promising_moves(shown: View, considered: Sequence[PlayerAction | None]) -> list[PlayerAction | None]:
    """Return the moves that are compared in any case. `considered`: those of `network_moves`.

    They are all that are no bids, those that the champion makes, and the bids that its network makes most often. To
    choose the direction in which play goes already is to bid.
    """
    bids = (move for move in considered if isinstance(move, Bid))
    made = [*make_champion().action_probs(shown)]
    others = [move for move in shown.moves if not isinstance(move, Bid) and move != SetDirection(shown.direction)]
    silence = [] if shown.on_turn else [None]
    return list(dict.fromkeys([*silence, *others, *made, *islice(bids, MAX_BIDS)]))


def safe_bids(
    shown: View, considered: Sequence[PlayerAction | None], seat_beliefs: Mapping[int, Belief]
) -> list[PlayerAction | None]:
    """Return the bids of `network_moves` that are probably true. `seat_beliefs`: as in `judge`."""
    return [move for move in considered if isinstance(move, Bid) and chances(shown, seat_beliefs, move)[0] >= SAFE]


def judge(
    shown: View,
    round_dice: tuple[int, ...],
    seat_beliefs: Mapping[int, Belief],
    *,
    asked: Iterable[PlayerAction | None] = (),
    only_asked: bool = False,
    deals: int = DEALS,
    seed: int = 0,
    values: RoundEndValues | None = None,
) -> Judgement:
    """Return what moves of a player are worth under simulated rules; nothing if the simulator does not know a bid.

    `round_dice`: the dice by seat when the round was dealt, which penalties may have reduced since. `seat_beliefs`:
    about the hand of each other seat. `asked`: legal moves that are compared in any case; None lets the bid stand.
    `only_asked`: whether only they are played out, which changes no value of theirs. `deals`: 6 or more.
    `values`: those of round ends, the learned ones by default.
    """
    values = values or learned_values(shown.ruleset, len(shown.dice))
    exact = exact_judgement(shown, [belief.by_hand() for belief in seat_beliefs.values()], values)
    if exact is not None:
        return exact
    if not knows_bids(shown, round_dice):
        return NOTHING_COMPARED
    in_turn = {seat: seat_beliefs[seat] for seat in seats_in_turn(shown) if seat in seat_beliefs}
    seat = shown.seat
    assert seat is not None

    def play(moves: Sequence[PlayerAction | None], deals: int, seed: int) -> Judgement:
        rng = position_rng(shown, seed)
        hands = sample_hands(shown, in_turn, deals, rng)
        return play_rounds_out(shown, round_dice, moves, hands, make_champion(), rng).judgement(
            moves, values, seat, shown.stakes
        )

    if only_asked:
        return play(list(dict.fromkeys(asked)), deals, seed)
    considered = network_moves(shown, round_dice)
    moves = list(dict.fromkeys([*asked, *promising_moves(shown, considered)]))
    screening = round(SCREENING * deals)
    rest = [move for move in considered if move not in moves]
    others = safe_bids(shown, rest, seat_beliefs) if screening >= MIN_SCREENING else []
    if len(others) > MAX_UNLIKELY:
        screened = play(others, screening, SCREENING_SEED + seed).values
        others = [others[place] for place in np.argsort(-screened, kind="stable")[:MAX_UNLIKELY]]
    return play([*moves, *others], deals, seed)
