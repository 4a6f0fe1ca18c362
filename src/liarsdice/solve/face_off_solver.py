"""The solution of a face-off: two players with one die each bid on the sum of both, and the loser of the call is out.

The bids of a round are a rising list of sums, so every list is a subset of the sums: bit i of the number of a list is
the sum i + 2. Lists with the same highest sum have numbers in a row, and so have those that follow them by the same
bid. CFR+ (Tammelin 2014) therefore walks the whole tree in few operations on arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.runtime.atomic_files import replace_atomically

FloatArray = NDArray[np.float64]

LOWEST_SUM = 2
"""The lowest sum of two dice."""

MAX_FACES = 16
"""The most faces of both dice together that are solved: each one more doubles the number of lists."""

ITERATIONS = 1000
RARE_REACH = 1e-4
"""Where own bids lead less often than this, a player does what is best on average whether or not they lead there."""


@dataclass(frozen=True)
class FaceOffStrategy:
    """What both players do in a face-off whose opener and responder have dice with `faces`.

    `probs`: float64 [list of bids, own die - 1, action], 0 to 1; action i is the bid on the sum i + 2, the last action
    the challenge. `value`: the share of matches that the opener wins, 0 to 1. `exploitability`: the share of matches
    that a best response wins beyond the value, as the mean of both seats.
    """

    faces: tuple[int, int]
    probs: FloatArray
    value: float
    exploitability: float

    def bid_probs(self, die: int, sums: tuple[int, ...]) -> dict[int, float]:
        """Return the probability of each sum that the player on turn may bid; a challenge has the rest.

        `die`: the own die. `sums`: those bid so far, in order.
        """
        bids = sum(1 << (total - LOWEST_SUM) for total in sums)
        row = self.probs[bids, die - 1, bids.bit_length() : -1]
        return {LOWEST_SUM + bids.bit_length() + place: float(p) for place, p in enumerate(row)}


def solve_face_off(faces: tuple[int, int], iterations: int = ITERATIONS) -> FaceOffStrategy:
    """Return the solution of a face-off by CFR+, with the faces of the dice of the opener and of the responder.

    The exploitability falls with `iterations`; 1000 of them take some seconds. The solution also answers after own bids
    that it makes with a probability below `RARE_REACH`, as a player needs who did not make them by the solution. Raises
    `UnavailableError` for dice with more than `MAX_FACES` faces together, or one with fewer than two.
    """
    tree = _tree(faces)
    regret, strategy_sum, unweighted_sum = (np.zeros(tree.shape) for _ in range(3))
    for iteration in range(1, iterations + 1):
        for acting in (~tree.is_responder, tree.is_responder):
            probs = tree.normalised(regret)
            own_reach, other_reach = tree.reach(probs)
            action_values, values = tree.values(probs, own_reach, other_reach)
            gains = np.where(tree.is_legal[:, None, :], action_values - values[:, :, None], 0.0)
            regret[acting] = np.maximum(regret[acting] + gains[acting], 0.0)
            strategy_sum[acting] += iteration * (own_reach[:, :, None] * probs)[acting]
            unweighted_sum[acting] += iteration * probs[acting]
    average = tree.normalised(strategy_sum)
    is_rare = tree.reach(average)[0] < RARE_REACH
    return _assessed(tree, np.where(is_rare[:, :, None], unweighted_sum, average))


def assess_face_off(faces: tuple[int, int], weights: FloatArray) -> FaceOffStrategy:
    """Return any strategy with its value and exploitability.

    `weights`: float64 [list of bids, own die - 1, action], those of its actions, at least 0. All legal actions are
    equally likely where the weights are 0. Raises `UnavailableError` as `solve_face_off` does.
    """
    return _assessed(_tree(faces), weights)


def _tree(faces: tuple[int, int]) -> _Tree:
    if min(faces) < LOWEST_SUM or sum(faces) > MAX_FACES:
        raise UnavailableError(f"face-offs are solved of dice with 2 faces and more, {MAX_FACES} together, not {faces}")
    return _Tree(faces)


def _assessed(tree: _Tree, weights: FloatArray) -> FaceOffStrategy:
    probs = tree.normalised(weights)
    own_reach, other_reach = tree.reach(probs)
    value = float(tree.values(probs, own_reach, other_reach)[1][0] @ tree.weights[0])
    best = [tree.best_response(probs, own_reach, other_reach, responder=responder) for responder in (False, True)]
    return FaceOffStrategy(tree.faces, probs, (1 + value) / 2, sum(best) / 4)


class _Tree:
    """All lists of bids of a face-off, and walks over them.

    `shape`: (lists, dice, actions). `is_responder`: bool [list], whether the responder acts after it. `is_legal`: bool
    [list, action]. `weights`: the probability of each die of the opener and of the responder, with zeros for faces that
    only the other die has. The actor of a list is who acts after it; a payoff is 1 for a match won and -1 for one lost.
    """

    def __init__(self, faces: tuple[int, int]) -> None:
        self.faces, sums, sides = faces, sum(faces) - 1, max(faces)
        self.shape = 1 << sums, sides, sums + 1
        lists = np.arange(1 << sums)
        self.is_responder = np.array([int(bids).bit_count() % 2 == 1 for bids in lists])
        lengths = np.array([int(bids).bit_length() for bids in lists])
        self.is_legal = np.arange(sums + 1) >= lengths[:, None]
        self.is_legal[0, -1] = False
        dice = np.arange(1, sides + 1)
        self.weights = tuple((dice <= faces[seat]) / faces[seat] for seat in (0, 1))
        self._is_too_low = [dice[:, None] + dice[None, :] < total for total in range(LOWEST_SUM, LOWEST_SUM + sums)]
        self._levels = [slice(0, 1), *(slice(1 << place, 2 << place) for place in range(sums))]

    def normalised(self, weights: FloatArray) -> FloatArray:
        """Return weights of actions as probabilities; all legal actions are equal where the weights are 0."""
        totals = weights.sum(axis=2, keepdims=True)
        uniform = self.is_legal[:, None, :] / self.is_legal.sum(axis=1)[:, None, None]
        return np.where(totals > 0, weights / np.where(totals > 0, totals, 1.0), uniform)

    def _next_lists(self, level: int) -> list[tuple[int, slice]]:
        """Return each bid that can follow the lists of a level, as an action, and the lists that it leads to."""
        here = self._levels[level]
        return [
            (action, slice((1 << action) + here.start, (1 << action) + here.stop))
            for action in range(level, self.shape[2] - 1)
        ]

    def reach(self, probs: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the probability of own die and own actions up to each list: of its actor, and of the other player."""
        own, other = np.zeros(self.shape[:2]), np.zeros(self.shape[:2])
        own[0], other[0] = self.weights
        for level, here in enumerate(self._levels):
            for action, after in self._next_lists(level):
                own[after], other[after] = other[here], own[here] * probs[here, :, action]
        return own, other

    def values(
        self, probs: FloatArray, own_reach: FloatArray, other_reach: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return counterfactual values for the actor of each list, by own die: of each action, and of the strategy."""
        action_values, values, _ = self._walk_back(probs, own_reach, other_reach, takes_best=False)
        return action_values, values

    def best_response(
        self, probs: FloatArray, own_reach: FloatArray, other_reach: FloatArray, *, responder: bool
    ) -> float:
        """Return the payoff of a best response of one seat: the mean over its dice."""
        _, as_actor, as_other = self._walk_back(probs, own_reach, other_reach, takes_best=True)
        return float((as_other if responder else as_actor)[0] @ self.weights[int(responder)])

    def _walk_back(
        self, probs: FloatArray, own_reach: FloatArray, other_reach: FloatArray, *, takes_best: bool
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the values of each action and of each list for its actor, and of each list for the other player.

        With `takes_best`, a player who acts takes the best action. Each player's values rest on the other's reach
        alone, so that one walk gives the best response of both.
        """
        action_values = np.full(self.shape, -np.inf if takes_best else 0.0)
        as_actor, as_other = np.zeros(self.shape[:2]), np.zeros(self.shape[:2])
        for level in reversed(range(len(self._levels))):
            here = self._levels[level]
            for action, after in self._next_lists(level):
                action_values[here, :, action] = as_other[after]
                as_other[here] += as_actor[after]
            if level:
                payoffs = np.where(self._is_too_low[level - 1], 1.0, -1.0)
                action_values[here, :, -1] = other_reach[here] @ payoffs
                as_other[here] -= (own_reach[here] * probs[here, :, -1]) @ payoffs
            as_actor[here] = (
                action_values[here].max(axis=2) if takes_best else (probs[here] * action_values[here]).sum(axis=2)
            )
        return action_values, as_actor, as_other


UNITS = 65_535
"""The stored number of a probability of 1."""


def write_face_off(path: Path, strategy: FaceOffStrategy) -> None:
    """Write a strategy to an `.npz` file, whole or not at all. Raises `OSError` if it cannot be written."""
    stored = np.rint(strategy.probs * UNITS).astype(np.uint16)
    with replace_atomically(path) as temporary:
        np.savez_compressed(temporary, allow_pickle=False, faces=np.array(strategy.faces), probs=stored)


def read_face_off(path: Path) -> FaceOffStrategy:
    """Return the strategy in a file, with its value and exploitability.

    Raises `OSError` if the file cannot be opened, and `MalformedError` if it is no file of a face-off.
    """
    with path.open("rb") as file:
        try:
            arrays = np.load(file, allow_pickle=False)
            opener, responder = (int(faces) for faces in arrays["faces"])
            return assess_face_off((opener, responder), arrays["probs"].astype(np.float64))
        except (EOFError, KeyError, TypeError, ValueError) as error:
            raise MalformedError(f"{path} is no file of a face-off: {error}") from error
