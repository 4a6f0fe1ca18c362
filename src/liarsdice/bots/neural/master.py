"""The master: a champion that looks ahead once the match has shown that the others play as champions."""

from math import prod

from liarsdice.bots.difficulty import make_regular, make_sharp
from liarsdice.bots.neural.champions import Learner, MatchMemory, make_baseline, make_champion
from liarsdice.bots.neural.hunter import USUAL_BUDGET, Searcher
from liarsdice.bots.policy import policy_of
from liarsdice.bots.protocol import Bot
from liarsdice.bots.simple.bid_odds import BID_CREDIT
from liarsdice.bots.simple.simple_bots import Greedy, Novice, Threshold
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View

SIMPLE_KINDS: tuple[Bot, ...] = (
    Threshold(0.4, BID_CREDIT),
    Threshold(0.3),
    Threshold(0.4),
    Threshold(0.55),
    Greedy(),
    Novice(),
)
"""What a player may be, beside mixtures of bots, an earlier champion and the champion."""
CHAMPION_PRIOR, ALIKE_PRIOR = 0.5, 0.2
"""The probability, before any round, that a player plays as the champion, and that a table was set up for all to."""


class Master(Learner, Searcher):
    """Plays as the champion, and searches as `Searcher` as far as the others are likely to play as the champion.

    It compares the moves of each round whose hands were shown with those of several kinds of players, and forgets them
    when a new match begins. The same seed and the same views in the same order give the same moves. `budget`: the work
    of a decision, in hundredths of the usual.
    """

    def __init__(self, seed: int | str | None = None, budget: int = USUAL_BUDGET) -> None:
        super().__init__(make_champion(seed), seed, budget, trust=self._p_champions)
        others = [make_baseline("champion@5"), make_sharp(make_champion()), make_regular(), *SIMPLE_KINDS]
        rest = (1 - CHAMPION_PRIOR) / len(others)
        self._match = MatchMemory([(CHAMPION_PRIOR, make_champion()), *((rest, policy_of(kind)) for kind in others)])

    def act(self, view: View) -> PlayerAction | None:
        """Draw a move, after taking into account what the view tells of the round before."""
        self._match.learn(view)
        move = super().act(view)
        if self._searches(view):
            self._match.note(view, move)
        return move

    def _p_champions(self, view: View) -> float:
        """Return how likely all others play as the champion; 0 before the first hands were shown.

        Either the table was set up so, or each player is of a kind of its own.
        """
        if not self._match.notes.weights:
            return 0.0
        probs = [float(self._match.probs(seat)[0]) for seat, held in enumerate(view.dice) if held and seat != view.seat]
        each, ratio = prod(probs), prod(prob / CHAMPION_PRIOR for prob in probs)
        as_set_up = ALIKE_PRIOR * ratio / (ALIKE_PRIOR * ratio + 1 - ALIKE_PRIOR)
        return as_set_up + (1 - as_set_up) * each
