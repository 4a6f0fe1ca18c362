"""The public tree of a two-player round, laid out so that every subtree is one range of memory.

A node is what both players have seen: the bids so far. Which bids and calls are open at a node, and what they cost,
depends on the situation alone (`round_game`), but beliefs depend on the whole bid sequence. So every bid sequence is a
node of its own, and nodes of one subtree type have equal subtrees, laid out alike.

Two reductions lose nothing. *Certain calls:* a hand whose call wins the most that can be won, whatever the bidder
holds, calls. It never raises here, its player is known not to hold it further down, and nothing has to be learned for
it. *Lanes:* the first few bids rule out no hand, and after them the bid sequences with the same player on turn have the
same subtrees; they are walked together, as lanes of one vector.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.choices import WhoCalls
from liarsdice.solve.game.round_game import RoundGame, Situation

MAX_SUBTREE_TYPES = 200_000
TOLERANCE = 1e-12


class SubtreeType(msgspec.Struct, frozen=True):
    """A situation together with the hands that its two players may still hold: all nodes of a type look alike.

    `situation`: index in `RoundGame.situations`. `mover_hands`, `bidder_hands`: indices of hands. `deciding`: positions
    in `mover_hands` of the hands that decide; the others have a certain call. `children`: indices of the types after
    each step (`Situation.steps`). `action_count`: calls, then steps. `row_count`: rows of one node, one for each action
    and deciding hand. `subtree_rows`, `node_count`: rows and nodes of the whole subtree.
    """

    situation: int
    mover_hands: tuple[int, ...]
    bidder_hands: tuple[int, ...]
    deciding: tuple[int, ...]
    children: tuple[int, ...]
    action_count: int
    row_count: int
    subtree_rows: int
    node_count: int


class PublicTree(msgspec.Struct, frozen=True):
    """The public tree of a round. `subtree_types`: children before parents; `root`: the index of the root's type.

    `low`, `high`: float64 [outcome], bounds of what each outcome is worth to seat 0; seat 1 gets the negative.
    """

    game: RoundGame
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    subtree_types: tuple[SubtreeType, ...]
    root: int

    @property
    def outcome_values(self) -> NDArray[np.float64]:
        """What players take outcomes to be worth to seat 0, the middle of the bounds: float64 [outcome]."""
        return (self.low + self.high) / 2

    def payoffs(self, situation: Situation, values: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Return the value of each call to its caller: float64 [bucket of the caller, bucket of the bidder].

        `values`: float64 [outcome], to seat 0.
        """
        sign = 1 if situation.mover == 0 else -1
        return [sign * values[call.outcomes] for call in situation.calls]


def make_public_tree(
    game: RoundGame, low: NDArray[np.float64], high: NDArray[np.float64] | None = None, *, sure_calls: bool = True
) -> PublicTree:
    """Return the public tree of a round whose outcomes are worth between `low` and `high` to seat 0.

    `low`, `high`: float64 [outcome], about -1 to 1; without `high` exactly `low`. `sure_calls`: whether hands with a
    certain call are left out of learning. Raises `UnavailableError` for more than `MAX_SUBTREE_TYPES`.

    Proof that certain calls lose nothing. A call is certain if, against every hand that the bidder may hold here, its
    outcome is worth at least as much as any other outcome of the round. Every other action ends in some outcome of the
    round against each of those hands, so it wins no more against any of them. Therefore, against any strategy, there is
    a best response in which this hand calls. There is also an equilibrium in which it calls: take any equilibrium, and
    change the player's strategy only so that this hand calls. The changed strategy wins at least as much as before
    against every strategy of the other player. It therefore still guarantees the value of the round, and the two
    strategies are still in equilibrium. If every hand of a player has a certain call, no node is needed further down. A
    player who raised does not hold a hand with a certain call, so the reach of these hands is zero in the subtrees
    below.
    """
    high = low if high is None else high
    unbeaten = (_unbeaten_outcomes(low, high), _unbeaten_outcomes(-high, -low))
    subtree_types: list[SubtreeType] = []
    known: dict[tuple[int, tuple[int, ...], tuple[int, ...]], int] = {}

    def add(index: int, mover_hands: tuple[int, ...], bidder_hands: tuple[int, ...]) -> int:
        key = index, mover_hands, bidder_hands
        if key in known:
            return known[key]
        situation = game.situations[index]
        deciding = tuple(range(len(mover_hands)))
        if len(situation.calls) + len(situation.steps) == 1:
            deciding = () if situation.calls else deciding
        elif situation.calls and sure_calls:
            mover = situation.mover
            opposing = np.unique(situation.hand_buckets[1 - mover][list(bidder_hands)])
            is_sure = [bool(row.all()) for row in unbeaten[mover][situation.calls[0].outcomes[:, opposing]]]
            buckets = situation.hand_buckets[mover]
            deciding = tuple(place for place in deciding if not is_sure[buckets[mover_hands[place]]])
        still_held = tuple(mover_hands[place] for place in deciding)
        children = tuple(add(child, bidder_hands, still_held) for _, child in situation.steps) if deciding else ()
        action_count = len(situation.calls) + len(children)
        row_count = len(deciding) * action_count
        known[key] = len(subtree_types)
        subtree_types.append(
            SubtreeType(
                situation=index,
                mover_hands=mover_hands,
                bidder_hands=bidder_hands,
                deciding=deciding,
                children=children,
                action_count=action_count,
                row_count=row_count,
                subtree_rows=row_count + sum(subtree_types[child].subtree_rows for child in children),
                node_count=1 + sum(subtree_types[child].node_count for child in children),
            )
        )
        if len(subtree_types) > MAX_SUBTREE_TYPES:
            raise UnavailableError("too many different hands are ruled out by bids; take fewer dice or faces")
        return known[key]

    starter = game.start.starter
    all_hands = tuple(tuple(range(len(hands))) for hands in game.hands)
    root = add(0, all_hands[starter], all_hands[1 - starter])
    return PublicTree(game, low, high, tuple(subtree_types), root)


def _unbeaten_outcomes(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether each outcome is at least as good as every other, whatever they are worth within their bounds."""
    best_others = [np.delete(high, outcome).max(initial=-np.inf) for outcome in range(len(high))]
    return low >= np.array(best_others) - TOLERANCE


def dice_lost_values(game: RoundGame) -> NDArray[np.float64]:
    """Return outcome values of a round by itself, float64 [outcome]: 1 if seat 1 loses more dice, -1 if seat 0 does.

    A player who makes the other one lose a die or a life wins 1; a call after which both have lost as many is worth 0.
    Where calls can double the stake, a player wins as many points as the other one loses more dice or lives.
    """
    stakes = [outcome.stakes for outcome in game.outcomes]
    before = game.start.stakes[0] - game.start.stakes[1]  # unlimited lives are as many for both
    lost = np.array([first - second - before for first, second in stakes], np.float64)
    return lost if isinstance(game.rules.challenge.double, WhoCalls) else np.sign(lost)
