"""The information sets of a solved round, one after another: a hand, the bids so far, and how the hand acts then."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from liarsdice.core.rules.tally import Hand
from liarsdice.solve.game.situation_graph import Step
from liarsdice.solve.strategy.strategy import ActionProbs, Strategy


class InformationSet(msgspec.Struct, frozen=True):
    """What the player on turn knows, and how a strategy acts then.

    `seat`: 0 is the player who opens. `hand`: the player's dice, ascending. `bids`: those of the round so far, and a
    call for twice the stake that waits for an answer. `probs`: the probability of each action that is taken, the
    likeliest first.
    """

    seat: int
    hand: Hand
    bids: tuple[Step, ...]
    probs: ActionProbs


def iter_information_sets(strategy: Strategy) -> Iterator[InformationSet]:
    """Yield the information sets of a strategy, depth first: all hands after some bids, then the next bids.

    Left out are those that no player comes to who plays to win, and, in a pruned strategy, those that no player comes
    to who follows it.

    >>> from liarsdice.solve.round_solver import solve_round
    >>> nodes = list(iter_information_sets(solve_round("openspiel", faces=2, iterations=10)))
    >>> len(nodes), nodes[-1]
    (32, InformationSet(seat=1, hand=(2,), bids=(Bid(quantity=2, face=2),), probs={Challenge(): 1.0}))
    """
    tree, start = strategy.tree, strategy.tree.game.start.starter
    waiting: list[tuple[int, int, tuple[Step, ...]]] = [(tree.root, 0, ())]
    while waiting:
        type_id, first_row, bids = waiting.pop()
        subtree = tree.subtree_types[type_id]
        situation = tree.game.situations[subtree.situation]
        weights = strategy.node_weights(type_id, np.array([first_row]))[0]
        for place, hand in enumerate(subtree.mover_hands):
            probs = strategy.hand_probs(subtree, weights, place)
            if probs is not None:
                seat = situation.mover ^ start
                yield InformationSet(seat, tree.game.hands[situation.mover][hand], bids, probs)
        below: list[tuple[int, int, tuple[Step, ...]]] = []
        first_row += subtree.row_count
        for child, (step, _) in zip(subtree.children, situation.steps, strict=False):
            below.append((child, first_row, (*bids, step)))
            first_row += tree.subtree_types[child].subtree_rows
        waiting += reversed(below)
