"""Bots that name the probabilities of their actions, so that their play can be analysed without a random draw."""

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.difficulty import MixtureBot
from liarsdice.bots.protocol import Bot
from liarsdice.bots.simple.simple_bots import P_OUT_OF_TURN, Greedy, Misjudging, Novice, Random, Threshold
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.errors import UnavailableError, described
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.round_game import RoundStart
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

    Where a strategy has no answer, the bot plays safe (`safe_answer`).
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


def policy_of(bot: Bot) -> PolicyBot:
    """Return the action probabilities of a bot on its turn.

    Raises `UnavailableError` if the bot does not name them, as a program of a user does not.

    >>> policy_of(Threshold()).memory
    1
    """
    match bot:
        case PolicyBot():
            return bot
        case Threshold() | Greedy() | Novice() | Misjudging():
            return DeterministicPolicy(bot)
        case Random():
            return UniformPolicy()
        case MixtureBot():
            return MixturePolicy([(share, policy_of(part)) for share, part in bot.parts])
        case _:
            raise UnavailableError(
                f"{described(bot)} does not name the probabilities of its actions: a bot of your own needs the method"
                " action_probs(view)"
            )


class DeterministicPolicy:
    """Plays what a deterministic bot answers. Of the bids it sees at most the latest one of each opponent."""

    memory: int | None = 1

    def __init__(self, bot: Bot) -> None:
        self._bot = bot

    def action_probs(self, view: View) -> Mapping[PlayerAction | None, float]:
        """Return the bot's answer with probability 1."""
        return {self._bot.act(view): 1.0}

    def probs_by_hand(
        self, views: Sequence[View], hands: Sequence[Hand], actions: Sequence[PlayerAction]
    ) -> NDArray[np.float64]:
        """Return `PolicyBot.probs_by_hand`, float64 [view, action, hand]."""
        return probs_one_by_one(self, views, hands, actions)


class UniformPolicy:
    """Plays every legal move with the same probability, as the bot `random` does on its turn."""

    memory: int | None = 0

    def action_probs(self, view: View) -> Mapping[PlayerAction | None, float]:
        """Return the same probability for every legal move; out of turn, mostly silence."""
        share = 1.0 if view.on_turn else P_OUT_OF_TURN * bool(view.moves)
        probs: dict[PlayerAction | None, float] = {move: share / len(view.moves) for move in view.moves}
        return probs if view.on_turn else {None: 1 - share, **probs}

    def probs_by_hand(
        self, views: Sequence[View], hands: Sequence[Hand], actions: Sequence[PlayerAction]
    ) -> NDArray[np.float64]:
        """Return `PolicyBot.probs_by_hand`, float64 [view, action, hand]."""
        return np.full((len(views), len(actions), len(hands)), 1 / len(views[0].moves))


class MixturePolicy:
    """Plays each decision as one of its `parts`, policies with the share of the decisions that each makes (sum 1)."""

    def __init__(self, parts: Sequence[tuple[float, PolicyBot]]) -> None:
        self.parts = tuple(parts)
        memories = [part.memory for _, part in self.parts]
        self.memory = None if None in memories else max(memory for memory in memories if memory is not None)

    def action_probs(self, view: View) -> Mapping[PlayerAction | None, float]:
        """Return the weighted sum of the parts' probabilities."""
        probs: dict[PlayerAction | None, float] = {}
        for share, part in self.parts:
            for action, prob in part.action_probs(view).items():
                probs[action] = probs.get(action, 0.0) + share * prob
        return probs

    def probs_by_hand(
        self, views: Sequence[View], hands: Sequence[Hand], actions: Sequence[PlayerAction]
    ) -> NDArray[np.float64]:
        """Return the weighted sum of the parts' probabilities, float64 [view, action, hand]."""
        weighted = [share * part.probs_by_hand(views, hands, actions) for share, part in self.parts]
        total: NDArray[np.float64] = np.sum(weighted, axis=0)
        return total
