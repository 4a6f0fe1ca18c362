"""Bounds of a best response for rounds with many dice: it plays on only where the bot often comes.

Elsewhere one opponent calls: what it wins is computed exactly, and is a lower bound of what a best response wins.
Another one sees the bot's hand there and plays on (`SeeingResponse`): what it wins is an upper bound.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from liarsdice.analysis.round_policies import latest_bids, named_probs
from liarsdice.analysis.seeing_response import Memory, SeeingResponse
from liarsdice.bots.neural.champion import Champion
from liarsdice.bots.policy import PolicyBot
from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.rules.bids import Bid
from liarsdice.solve.game.round_game import RoundGame, state_before_bids
from liarsdice.solve.game.round_views import view_after
from liarsdice.solve.strategy.reach import FloatArray

LOW, HIGH = 0, 1
"""Rows of the bounds of each hand."""
MAX_BYTES = 2**30
"""Where the play of who sees the bot's hand takes more memory, that opponent is taken to win every round."""
ASKED_ROWS = 8192
"""The number of views and hands for which the bot is asked at a time, unless one view has more hands."""
NODES_AT_A_TIME = 4096
"""How many nodes are looked at before the bot is asked about them."""


class Interval(NamedTuple):
    """The bounds of a number."""

    low: float
    high: float


class _Node(NamedTuple):
    """A node to which an opponent looks ahead: its situation, the bids before it, and the bot's reach by hand."""

    situation: int
    bids: tuple[Bid, ...]
    reach: FloatArray


class CutBestResponse:
    """Bounds of the best play of a seat against a bot, which is followed where the bot's own bids often lead.

    `outcome_values`: float64 [outcome], what each is worth to seat 0. `min_reach` (0..1): how likely the bot, over all
    of its hands, makes its own bids so far; below that, the seat takes its best call, or sees the bot's hand. Its
    opening is always a bid. `with_upper`: whether the upper bound is computed; if not, it says nothing.
    """

    def __init__(
        self,
        game: RoundGame,
        bot: PolicyBot,
        seat: int,
        outcome_values: FloatArray,
        min_reach: float,
        *,
        with_upper: bool = True,
    ) -> None:
        self._game = game
        self._bot = bot
        self._seat = seat
        self._sign = 1 if seat == 0 else -1
        self._values = outcome_values
        self._min_reach = min_reach
        self._before_bids = state_before_bids(game.rules, game.start)
        self._probs: dict[tuple[int, tuple[Bid, ...]], FloatArray] = {}
        self._payoffs = cache(self._call_payoffs)
        self._seeing = None
        memory = self._memory() if with_upper else None
        if memory is not None and memory.bytes_needed(game) <= MAX_BYTES:
            self._seeing = SeeingResponse(game, self._bot_probs, memory, seat, outcome_values)

    def _memory(self) -> Memory | None:
        """Return what the bot's play depends on, or None if it depends on all bids."""
        opening = view_after(self._before_bids, (), 0)
        blueprint = self._bot.blueprint(opening) if isinstance(self._bot, Champion) else None
        if blueprint is not None:
            return Memory(blueprint.layout.recall, counts=False)
        return None if self._bot.memory is None else Memory(self._bot.memory, counts=True)

    def value(self) -> Interval:
        """Return bounds of what the seat wins. Raises `UnavailableError` if the bot cannot play the rules."""
        start = _Node(0, (), self._game.hand_probs[1 - self._seat])
        self._ask_ahead(start)
        low, high = self._value(*start) @ self._game.hand_probs[self._seat]
        return Interval(float(low), float(high))

    def _ask_ahead(self, start: _Node) -> None:
        """Ask the bot for its probabilities at all nodes to which the opponent looks ahead, many at a time."""
        waiting = [[start]]
        while waiting:
            nodes = waiting.pop()
            self._ask(nodes)
            after = [child for node in nodes for child in self._children(node)]
            waiting += [after[first : first + NODES_AT_A_TIME] for first in range(0, len(after), NODES_AT_A_TIME)]

    def _children(self, node: _Node) -> list[_Node]:
        """Return the nodes after all bids of the seat, where it looks ahead, or after those that the bot makes."""
        situation = self._game.situations[node.situation]
        if situation.mover == self._seat:
            looks_ahead = not situation.calls or node.reach.sum() >= self._min_reach
            parts = [node.reach] * len(situation.raises) if looks_ahead else []
        else:
            parts = list((node.reach * self._bot_probs(node.situation, node.bids))[len(situation.calls) :])
        return [
            _Node(after, (*node.bids, bid), part)
            for (bid, after), part in zip(situation.raises, parts, strict=False)
            if part.any()
        ]

    def _ask(self, nodes: list[_Node]) -> None:
        """Ask the bot for its probabilities at nodes where it is on turn."""
        unknown: dict[int, dict[tuple[Bid, ...], tuple[Bid, ...]]] = defaultdict(dict)
        for index, bids, _ in nodes:
            latest = latest_bids(bids, self._bot.memory)
            if self._game.situations[index].mover != self._seat and (index, latest) not in self._probs:
                unknown[index].setdefault(latest, bids)
        size = max(1, ASKED_ROWS // len(self._game.hands[1 - self._seat]))
        for index, sequences in unknown.items():
            known_by = list(sequences)
            for first in range(0, len(known_by), size):
                part = known_by[first : first + size]
                probs = self._probs_after(index, [sequences[latest] for latest in part])
                self._probs |= {(index, latest): matrix for latest, matrix in zip(part, probs, strict=True)}

    def _value(self, index: int, bids: tuple[Bid, ...], reach: FloatArray) -> FloatArray:
        """Return bounds of what each own hand wins after some bids, float64 [`LOW` or `HIGH`, hand].

        `reach`: float64 [hand of the bot], how likely the bot has each hand and makes its bids with it.
        """
        situation = self._game.situations[index]
        if situation.mover != self._seat:
            return self._value_of_bot(index, bids, reach)
        moves = [self._called(index, place, reach) for place in range(len(situation.calls))]
        if not moves or reach.sum() >= self._min_reach:
            moves = [np.stack([move, move]) for move in moves]
            moves += [self._value(after, (*bids, bid), reach) for bid, after in situation.raises]
            best: FloatArray = np.max(moves, axis=0)
            return best
        return np.stack([np.max(moves, axis=0), self._seen(index, bids) @ reach])

    def _seen(self, index: int, bids: tuple[Bid, ...]) -> FloatArray:
        """Return at least what each own hand wins against each hand of the bot, float64 [own hand, bot's hand]."""
        if self._seeing is not None:
            return self._seeing.values(index, bids)
        shape = len(self._game.hands[self._seat]), len(self._game.hands[1 - self._seat])
        return np.full(shape, np.max(self._sign * self._values))

    def _value_of_bot(self, index: int, bids: tuple[Bid, ...], reach: FloatArray) -> FloatArray:
        """Return bounds of what each own hand wins if the bot is on turn, float64 [`LOW` or `HIGH`, hand]."""
        situation, total = self._game.situations[index], np.zeros((2, len(self._game.hands[self._seat])))
        parts = reach * self._bot_probs(index, bids)
        for action in np.flatnonzero(parts.any(axis=1)).tolist():
            if action < len(situation.calls):
                total += self._called(index, action, parts[action])
            else:
                bid, after = situation.raises[action - len(situation.calls)]
                total += self._value(after, (*bids, bid), parts[action])
        return total

    def _bot_probs(self, index: int, bids: tuple[Bid, ...]) -> FloatArray:
        """Return the probability of each call, then of each raise, with each hand, float64 [action, hand]."""
        key = index, latest_bids(bids, self._bot.memory)
        if key not in self._probs:
            self._probs[key] = self._probs_after(index, [bids])[0]
        return self._probs[key]

    def _probs_after(self, index: int, sequences: Sequence[tuple[Bid, ...]]) -> FloatArray:
        """Return the bot's probabilities in a situation, float64 [sequence of bids, action, hand]."""
        situation, seat = self._game.situations[index], 1 - self._seat
        calls = [Exact() if call.exact else Challenge() for call in situation.calls]
        views = [view_after(self._before_bids, bids, seat) for bids in sequences]
        actions = [*calls, *(bid for bid, _ in situation.raises)]
        return named_probs(self._bot, views, self._game.hands[seat], actions)

    def _called(self, index: int, call: int, reach: FloatArray) -> FloatArray:
        """Return what each own hand wins by a call, of either player, float64 [hand]."""
        payoffs = self._payoffs(index, call)
        own, other = (self._game.situations[index].hand_buckets[seat] for seat in (self._seat, 1 - self._seat))
        by_bucket: FloatArray = payoffs @ np.bincount(other, reach, payoffs.shape[1])
        return by_bucket[own]

    def _call_payoffs(self, index: int, call: int) -> FloatArray:
        """Return what a call is worth to the seat, float64 [bucket of the own hand, bucket of the bot's hand]."""
        situation = self._game.situations[index]
        payoffs: FloatArray = self._sign * self._values[situation.calls[call].outcomes]
        return payoffs if situation.mover == self._seat else payoffs.T
