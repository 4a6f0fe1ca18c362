"""What an opponent wins from a bot who also sees the bot's hand: an upper bound of what any opponent wins.

A best response must keep the whole bid sequence, because it says which hands the bot may have. Who sees the hand needs
of the sequence only what the bot's own play depends on, its latest bids (`PolicyBot.memory`), so that rounds with many
dice can be computed, too.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import NamedTuple

import numpy as np

from liarsdice.analysis.round_policies import latest_bids
from liarsdice.core.rules.bids import Bid
from liarsdice.solve.game.round_game import RoundGame
from liarsdice.solve.strategy.reach import FloatArray

BotProbs = Callable[[int, tuple[Bid, ...]], FloatArray]
"""The probabilities of the bot's calls, then its raises, in a situation after some bids: float64 [action, hand]."""


class Memory(NamedTuple):
    """What the play of a bot depends on: so many of the latest bids and, if it `counts`, the number of all bids."""

    bids: int
    counts: bool

    def part_of(self, bids: tuple[Bid, ...]) -> tuple[Bid, ...]:
        """Return the same for all bids of a round that the bot cannot tell apart."""
        if self.counts:
            return latest_bids(bids, self.bids)
        return bids[max(len(bids) - self.bids, 0) :]

    def bytes_needed(self, game: RoundGame) -> int:
        """Return at most how many bytes the values of a `SeeingResponse` take."""
        # the number of bids tells at most as much as one more bid
        paths = sum(comb(len(game.situations), count) for count in range(self.bids + 1 + self.counts))
        return paths * len(game.hands[0]) * len(game.hands[1]) * np.dtype(np.float64).itemsize


class SeeingResponse:
    """The best play of a seat that sees the bot's hand.

    `memory`: what the bot's play depends on. `outcome_values`: float64 [outcome], what each is worth to seat 0.
    """

    def __init__(
        self, game: RoundGame, bot_probs: BotProbs, memory: Memory, seat: int, outcome_values: FloatArray
    ) -> None:
        self._game = game
        self._bot_probs = bot_probs
        self._memory = memory
        self._seat = seat
        self._values = outcome_values if seat == 0 else -outcome_values
        self._known: dict[tuple[int, tuple[Bid, ...]], FloatArray] = {}

    def values(self, index: int, bids: tuple[Bid, ...]) -> FloatArray:
        """Return what each own hand wins against each hand of the bot after some bids: float64 [own hand, bot's hand].

        `index`: the situation after `bids`.
        """
        key = index, self._memory.part_of(bids)
        if key not in self._known:
            situation = self._game.situations[index]
            calls = [self._call_values(index, call) for call in range(len(situation.calls))]
            raises = [self.values(after, (*bids, bid)) for bid, after in situation.raises]
            if situation.mover == self._seat:
                self._known[key] = np.max([*calls, *raises], axis=0)
            else:
                probs = self._bot_probs(index, bids)
                parts = [prob * value for prob, value in zip(probs, [*calls, *raises], strict=True)]
                self._known[key] = np.sum(parts, axis=0)
        return self._known[key]

    def _call_values(self, index: int, call: int) -> FloatArray:
        """Return what a call, of either player, is worth to the seat: float64 [own hand, bot's hand]."""
        situation = self._game.situations[index]
        payoffs: FloatArray = self._values[situation.calls[call].outcomes]
        mover, bidder = situation.hand_buckets[situation.mover], situation.hand_buckets[1 - situation.mover]
        by_hand: FloatArray = payoffs[np.ix_(mover, bidder)]
        return by_hand if situation.mover == self._seat else by_hand.T
