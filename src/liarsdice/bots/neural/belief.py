"""What others may hold, judged by their bids: Bayes' rule with a network's play as the likelihood.

Seats roll for themselves, and each bid depends on the bidder's hand and on what everybody saw. So what is believed of
one hand does not depend on the others, and each seat is judged by its own bids of the round.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import combinations_with_replacement
from math import comb, factorial, prod

import msgspec
import numpy as np

from liarsdice.bots.endgames import endgame
from liarsdice.bots.neural.features import BIDS, Reading, read
from liarsdice.bots.neural.network import Network
from liarsdice.bots.neural.observation import Ints, Reals, hand_places, scene_of, with_hands
from liarsdice.core.bids.odds import Share, combined, counted, share_of, spec_of
from liarsdice.core.engine.evolve import evolve
from liarsdice.core.engine.state import Phase, State, Table
from liarsdice.core.engine.view import View, view
from liarsdice.core.events import BidMade
from liarsdice.core.rules.bid_space import menu
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand, wilds_at_start

STRANGE = 0.1
"""How much of everybody's play is believed to be nothing like the network's, so that no bid proves anything."""
STRANGE_AT_LAST = 0.001
"""The same where the last dice are played as solved: more of it, and moves would look better than they are."""
MOST_HANDS = 500
"""Of larger numbers of hands so many are drawn by chance."""


class Belief(msgspec.Struct, frozen=True):
    """What one seat may hold: hands with sorted faces, and how likely each is."""

    hands: tuple[Hand, ...]
    chances: tuple[float, ...]


def beliefs(shown: View, network: Network) -> dict[int, Belief]:
    """What each other seat with dice may hold, as its bids of this round tell. Raises `UnavailableError` as scenes do.

    The likelihood of a bid is `1 - STRANGE` times the chance that the champion makes it, by the network or as solved
    for the last dice, and the rest for any answer alike.
    """
    held = {seat: count for seat, count in enumerate(shown.dice) if count and seat != shown.seat}
    rules = shown.ruleset
    found = {seat: rolls(rules.dice.faces, count) for seat, count in held.items()}
    logs = {seat: np.log(weights) for seat, (_, weights) in found.items()}
    for bidder, bid, then in _moments(shown):
        if bidder in held:
            hands = found[bidder][0]
            reading = read(with_hands(scene_of(then), then.ruleset, hands), knows_stairs=network.knows_stairs)
            plain, strange = _solved(then, hands, bid), STRANGE_AT_LAST
            if plain is None:
                plain, strange = _played(reading, network, bid, hand_places(rules)), STRANGE
            logs[bidder] = logs[bidder] + np.log((1 - strange) * plain + strange / reading.legal.sum(axis=1))
    told = {}
    for seat, (hands, _) in found.items():
        powers = np.exp(logs[seat] - logs[seat].max())
        told[seat] = Belief(hands, tuple((powers / powers.sum()).tolist()))
    return told


def counts(shown: View, believed: Mapping[int, Belief], face: int, *, wilds_count: bool) -> tuple[float, ...]:
    """How likely each count of a face is over all dice, from 0 up: own ones known, the others' as believed."""
    spec = spec_of(shown.ruleset, face, wilds_count=wilds_count)
    ways: dict[Share, float] = {share_of(spec, shown.hand): 1.0}
    for belief in believed.values():
        shares: dict[Share, float] = {}
        for hand, chance in zip(belief.hands, belief.chances, strict=True):
            share = share_of(spec, hand)
            shares[share] = shares.get(share, 0.0) + chance
        ways = combined(ways, shares)
    return counted(spec, ways)


@cache
def rolls(faces: int, dice: int) -> tuple[tuple[Hand, ...], Reals]:
    """Every hand of so many dice with how likely it is; or some drawn by chance, all alike, where there are many."""
    if comb(faces + dice - 1, dice) > MOST_HANDS:
        chance = random.Random(f"{faces} {dice}")
        drawn = tuple(tuple(sorted(chance.choices(range(1, faces + 1), k=dice))) for _ in range(MOST_HANDS))
        return drawn, np.full(MOST_HANDS, 1 / MOST_HANDS, np.float32)
    hands = tuple(combinations_with_replacement(range(1, faces + 1), dice))
    ways = [factorial(dice) // prod(factorial(hand.count(face)) for face in set(hand)) for hand in hands]
    return hands, np.array(ways, np.float32) / faces**dice


def _moments(shown: View) -> Iterator[tuple[int, Bid, View]]:
    """Each bid of the round: who made it, and what it was shown before, save for its hand.

    Dice that a penalty took in mid-round count as if they had never been there.
    """
    public = {name: getattr(shown, name) for name in Table.__struct_fields__}
    wild = wilds_at_start(shown.ruleset, special_round=shown.special_round)
    begun = {"phase": Phase.BIDDING, "bids": (), "wilds_count": wild}
    hands = tuple((1,) * count for count in shown.dice)
    state = State(**{**public, **begun}, menu=menu(shown.ruleset), hands=hands)
    for seat, bid in shown.bids:
        state = msgspec.structs.replace(state, turn=seat)
        yield seat, bid, view(state, seat)
        state = evolve(state, BidMade(seat, bid))


def _solved(then: View, hands: tuple[Hand, ...], bid: Bid) -> Reals | None:
    """How likely the bid was with each hand, as solved: float32[hand]; None where the round is none that was."""
    plays = [endgame(msgspec.structs.replace(then, hand=hand)) for hand in hands]
    if all(play is None for play in plays):
        return None
    return np.array([(play or {}).get(bid, 0.0) for play in plays], np.float32)


def _played(reading: Reading, network: Network, bid: Bid, places: tuple[int, ...]) -> Reals:
    """How likely the bid was with each hand, by the network: float32[row]."""
    place = places.index(bid.face)
    chances = network.chances(reading.numbers, reading.legal)[:, :BIDS].reshape(reading.quantities.shape)
    said: Ints = reading.quantities[:, place] == bid.quantity
    plain: Reals = (chances[:, place] * said).sum(axis=1)
    return plain
