"""The public tree of a two-player round, laid out so that every subtree is one range of memory.

A node is what both players have seen: the bids so far. Which bids and calls are open at a node, and what they cost,
depends on the situation alone (`tables`), but beliefs depend on the whole way there; so every way to a situation is a
node of its own, and equal situations have equal subtrees, laid out alike.

Two reductions lose nothing. *Sure calls:* a hand whose call wins the most that can be won, whatever the bidder holds,
calls. It never raises here, its player is known not to hold it further down, and nothing has to be learned for it.
*Lanes:* the first few bids restrict no hand, and after them the ways with the same player on turn have the same
subtrees; they are walked together, as lanes of one vector.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.core.errors import UnavailableError
from liarsdice.solve.game.round_game import Round, Situation

MOST_KINDS = 200_000
CLOSE = 1e-12


class Kind(msgspec.Struct, frozen=True):
    """A situation with the hands that its two players may still hold there.

    `mine`, `theirs`: hands of the mover and of the bidder. `active`: places in `mine` of the hands that decide; the
    others call. `children`: the kinds after each raise. `actions`: calls, then raises. `rows`: what the mover learns,
    one row an action and active hand. `size`: the rows of the whole subtree. `nodes`: its nodes.
    """

    situation: int
    mine: tuple[int, ...]
    theirs: tuple[int, ...]
    active: tuple[int, ...]
    children: tuple[int, ...]
    actions: int
    rows: int
    size: int
    nodes: int


class Tree(msgspec.Struct, frozen=True):
    """The tree of a round: its kinds, children before parents, and the number of the root's kind.

    `low`, `high`: between what each outcome is worth to seat 0; to seat 1 it is as much less.
    """

    round: Round
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    kinds: tuple[Kind, ...]
    root: int

    @property
    def worth(self) -> NDArray[np.float64]:
        """What players take outcomes to be worth to seat 0."""
        return (self.low + self.high) / 2

    def payoffs(self, situation: Situation, worth: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """What each call of a situation is worth to its caller: [class of the caller's hand, class of the bidder's]."""
        sign = 1 if situation.mover == 0 else -1
        return [sign * worth[call.outcomes] for call in situation.calls]


def tree_of(
    table: Round, low: NDArray[np.float64], high: NDArray[np.float64] | None = None, *, sure_calls: bool = True
) -> Tree:
    """The tree of a round whose outcomes are worth between `low` and `high` to seat 0 (-1 to 1 or so).

    `high` None: exactly `low`. `sure_calls`: whether to leave out what hands that are sure of the best outcome learn.

    Why that loses nothing: let a hand's call win, against every hand that the bidder may hold here, an outcome that is
    worth at least as much as any other outcome of the round. Each way to play on ends in some outcome of the round
    against each of those hands, so that it wins no more against any of them. So a best response may call with this
    hand, whatever it is a response to, and play in equilibrium may, too: from any equilibrium take the one in which
    this hand calls; its player wins no less against anything, and the other player still can't win more than the
    value. Bidders whose every hand is sure need no node further down, and players who raised are known not to hold the
    hands that call: their reach there is zero, whatever is learned.
    """
    high = low if high is None else high
    sure = (_unbeaten(low, high), _unbeaten(-high, -low))
    kinds: list[Kind] = []
    known: dict[tuple[int, tuple[int, ...], tuple[int, ...]], int] = {}

    def add(number: int, mine: tuple[int, ...], theirs: tuple[int, ...]) -> int:
        key = number, mine, theirs
        if key in known:
            return known[key]
        situation = table.situations[number]
        active = tuple(range(len(mine)))
        if len(situation.calls) + len(situation.raises) == 1:
            active = () if situation.calls else active
        elif situation.calls and sure_calls:
            mover = situation.mover
            against = np.unique(situation.classes[1 - mover][list(theirs)])
            wins = [bool(row.all()) for row in sure[mover][situation.calls[0].outcomes[:, against]]]
            active = tuple(place for place in active if not wins[situation.classes[mover][mine[place]]])
        deciding = tuple(mine[place] for place in active)
        children = tuple(add(then, theirs, deciding) for _, then in situation.raises) if active else ()
        actions = len(situation.calls) + len(children)
        rows = len(active) * actions
        known[key] = len(kinds)
        kinds.append(
            Kind(
                situation=number,
                mine=mine,
                theirs=theirs,
                active=active,
                children=children,
                actions=actions,
                rows=rows,
                size=rows + sum(kinds[child].size for child in children),
                nodes=1 + sum(kinds[child].nodes for child in children),
            )
        )
        if len(kinds) > MOST_KINDS:
            raise UnavailableError("too many different hands are ruled out by bids; take fewer dice or faces")
        return known[key]

    starter = table.opening.starter
    everything = tuple(tuple(range(len(held))) for held in table.hands)
    root = add(0, everything[starter], everything[1 - starter])
    return Tree(table, low, high, tuple(kinds), root)


def _unbeaten(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.bool_]:
    """By outcome whether it is at least as good as every other one, whatever they are worth within their bounds."""
    return np.array([one >= np.delete(high, place).max(initial=-np.inf) - CLOSE for place, one in enumerate(low)])


def dice_lost(table: Round) -> NDArray[np.float64]:
    """What outcomes are worth in a round by itself: 1 where seat 1 comes off worse by dice held, -1 where seat 0 does.

    Whoever makes the other one lose a die wins 1; a call that moves no dice, or both sides' alike, is worth nothing.
    """
    before = table.opening.dice[0] - table.opening.dice[1]
    return np.sign([one.dice[0] - one.dice[1] - before for one in table.outcomes]).astype(np.float64)
