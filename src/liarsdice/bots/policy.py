"""Bots that name the probabilities of their actions, so that their play can be analysed without a random draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.game.round_game import RoundStart
from liarsdice.solve.strategy.strategy import Strategy


class NamesActionProbs(Protocol):
    """A bot that names the probability of each of its moves."""

    def action_probs(self, view: View) -> Mapping[PlayerAction | None, float]:
        """Return the probability of each move that the bot makes; None is silence out of turn."""
        ...


@runtime_checkable
class PolicyBot(NamesActionProbs, Protocol):
    """A bot that names its probabilities for many views and hands at once.

    `memory`: its play depends on so many of the latest bids of the round and on the number of bids; None: on all bids.
    """

    memory: int | None

    def probs_by_hand(
        self, views: Sequence[View], hands: Sequence[Hand], actions: Sequence[PlayerAction]
    ) -> NDArray[np.float64]:
        """Return the probability of each action with each hand in place of a view's own: [view, action, hand].

        The views are of one seat under the same rules, and have the same legal moves. Raises `UnavailableError` if the
        bot cannot play the rules.
        """
        ...


@runtime_checkable
class PlaysSolvedRounds(PolicyBot, Protocol):
    """A bot that follows the strategies of solved rounds, which depend on all bids of the round.

    Where a strategy has no answer, the bot plays safe (`safe_answers`).
    """

    def solved_play(self, rules: Ruleset, start: RoundStart) -> Strategy | None:
        """Return the strategy that the bot follows in a round, or None if it follows no solved strategy there."""
        ...


def probs_one_by_one(
    bot: NamesActionProbs, views: Sequence[View], hands: Sequence[Hand], actions: Sequence[PlayerAction]
) -> NDArray[np.float64]:
    """Return `PolicyBot.probs_by_hand`, float64 [view, action, hand], by asking for one view and hand at a time."""
    probs = np.zeros((len(views), len(actions), len(hands)))
    for row, view in enumerate(views):
        for column, hand in enumerate(hands):
            named = bot.action_probs(msgspec.structs.replace(view, hand=hand))
            probs[row, :, column] = [named.get(action, 0.0) for action in actions]
    return probs
