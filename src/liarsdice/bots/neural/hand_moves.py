"""The champion's moves in one situation with each of many hands, under any rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from liarsdice.bots.neural.action_moves import decode_action
from liarsdice.bots.neural.champion import Champion
from liarsdice.bots.neural.observation import concatenated, faces_of_pure_bids, is_observable, observe, with_hands
from liarsdice.bots.neural.untrained_moves import with_untrained_moves
from liarsdice.bots.simple.passing import must_challenge_pass
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.rules.meaning import has_pure_bids
from liarsdice.core.rules.tally import Hand

MoveProbs = Mapping[PlayerAction | None, float]


class Situation(NamedTuple):
    """A player's view, and the hands to ask about in place of the view's own; those in the open come first."""

    shown: View
    hands: Sequence[Hand]


class HandMoves:
    """How a champion plays one view with other hands in place of the view's own.

    `tables`: by hand, the probabilities from which a move is drawn, and whether it is final (`Champion.draw_probs`).
    """

    def __init__(self, shown: View, tables: Mapping[Hand, tuple[MoveProbs, bool]]) -> None:
        self._shown = shown
        self._tables = tables
        self._is_changed = shown.may_double or shown.may_pass or shown.may_challenge_pass or shown.may_show

    def draw(self, hand: Hand, number: float) -> PlayerAction | None:
        """Return the move with a hand; `number`, 0 <= number < 1, decides where the champion draws one."""
        probs, is_final = self._tables[hand]
        if is_final:
            return next(iter(probs))
        left = number * sum(probs.values())
        move = None
        for move, prob in probs.items():  # noqa: B007  the last move takes what rounding leaves
            left -= prob
            if left < 0:
                break
        return with_untrained_moves(self._with_hand(hand), move) if self._is_changed else move

    def all_probs(self, hand: Hand) -> dict[PlayerAction | None, float]:
        """Return the probability of each move with a hand."""
        probs, is_final = self._tables[hand]
        if is_final or not self._is_changed:
            return dict(probs)
        shown, changed = self._with_hand(hand), dict[PlayerAction | None, float]()
        for move, prob in probs.items():
            replaced = with_untrained_moves(shown, move)
            changed[replaced] = changed.get(replaced, 0.0) + prob
        return changed

    def prob(self, hand: Hand, made: PlayerAction | None) -> float:
        """Return the probability of a move with a hand."""
        return self.all_probs(hand).get(made, 0.0)

    def _with_hand(self, hand: Hand) -> View:
        return replace(self._shown, hand=hand)


def hand_moves(champion: Champion, situations: Sequence[Situation]) -> list[HandMoves]:
    """Return how a champion plays in situations under the same rules, each with all of its hands.

    The network is asked for all of them together.
    """
    tables: list[dict[Hand, tuple[MoveProbs, bool]]] = []
    asked: list[tuple[int, Situation]] = []
    for number, (shown, hands) in enumerate(situations):
        different, table = list(dict.fromkeys(hands)), dict[Hand, tuple[MoveProbs, bool]]()
        if _needs_only_network(champion, shown):
            asked += [(number, Situation(replace(shown, hand=group[0]), group)) for group in _by_pure(shown, different)]
        else:
            table = {hand: champion.draw_probs(replace(shown, hand=hand)) for hand in different}
        tables.append(table)
    answers = _network_moves(champion, [situation for _, situation in asked]) if asked else []
    for (number, situation), probs in zip(asked, answers, strict=True):
        tables[number] |= {hand: (one, False) for hand, one in zip(situation.hands, probs, strict=True)}
    return [HandMoves(shown, table) for (shown, _), table in zip(situations, tables, strict=True)]


def _network_moves(champion: Champion, situations: Sequence[Situation]) -> list[list[dict[PlayerAction | None, float]]]:
    """Return the probability of each move of the network in situations, for each of their hands.

    Where bids may be pure, the hands agree on `faces_of_pure_bids`.
    """
    parts = []
    for shown, hands in situations:
        in_the_open = shown.known[len(shown.hand) :]
        parts.append(with_hands(observe(shown), shown.ruleset, [(*hand, *in_the_open) for hand in hands]))
    inputs, kept = champion.network_probs(concatenated(parts), situations[0].shown.ruleset)
    found, row = [], 0
    for shown, hands in situations:
        pure = faces_of_pure_bids(shown)
        tables = []
        for _ in hands:
            actions = np.flatnonzero(kept[row]).tolist()
            probs = {decode_action(shown, inputs, action, row, pure): float(kept[row, action]) for action in actions}
            tables.append(probs)
            row += 1
        found.append(tables)
    return found


def _by_pure(shown: View, hands: Sequence[Hand]) -> list[list[Hand]]:
    """Return hands in groups that agree on `faces_of_pure_bids`."""
    if not has_pure_bids(shown.ruleset):
        return [list(hands)]
    groups: dict[frozenset[int], list[Hand]] = {}
    for hand in hands:
        groups.setdefault(faces_of_pure_bids(replace(shown, hand=hand)), []).append(hand)
    return list(groups.values())


def _needs_only_network(champion: Champion, shown: View) -> bool:
    """Return whether nothing but the network, and what replaces its moves, decides in a view."""
    chooses = shown.may_choose_kind or shown.may_declare or shown.may_answer or must_challenge_pass(shown)
    solved = shown.on_turn and (champion.plays_solved(shown) or champion.blueprint(shown) is not None)
    known = is_observable(shown.ruleset) and not shown.is_blind and not shown.face_off
    return known and not (chooses or solved)
