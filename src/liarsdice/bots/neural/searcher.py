"""The searcher: a champion that plays its likely moves out before it chooses among them, at tables of three or more.

With two players left its champion decides, which computes blueprints at the table.

It takes one step of mirror descent from the champion's policy: the probability of a move grows exponentially with what
the move wins in playouts in which everybody plays as the champion does. A move that the champion hardly ever makes
needs a large gain, so that the play stays near the champion's (a KL divergence holds it there). The ends of rounds are
worth what the state values say.

A budget bounds the work of a decision by what is counted, playouts and iterations, and not by a clock: the same seed
and the same views give the same moves on any machine.
"""

from __future__ import annotations

import random
from functools import cache

import numpy as np

from liarsdice.bots.neural.action_moves import decode_action
from liarsdice.bots.neural.champion import Champion, champion_network
from liarsdice.bots.neural.features import CHALLENGE, EXACT, encode
from liarsdice.bots.neural.hunter import Hunter, is_simulated
from liarsdice.bots.neural.observation import is_supported, observe
from liarsdice.bots.neural.own_dice import possible_actions
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View, view
from liarsdice.core.records.position import read_position
from liarsdice.solve.game.round_start import RoundStart

FIRST_POSITION = "bidding 14/25/36 0 - 1 perudo Ann,Ben,Cy"
"""A position whose decision runs all kernels of a search."""
MIN_PLAYERS = 3
"""With fewer players left the searcher plays as the champion."""
USUAL_BUDGET, MOST_BUDGET = 100, 10_000
"""Budgets of a decision, in hundredths of the usual work."""
PLAYOUTS = 1_500
"""How many playouts the bids of a decision share with the usual budget."""
TEMPERATURE = 0.01
"""The share of the match (0..1) for which a move becomes e times as likely; at 0 the best move would be made."""
MIN_PROB = 0.01
"""Bids that the champion's network makes less often are not compared; calls always are."""
MIN_PRIOR = 0.001
"""The least probability that a move which is compared starts from."""
MIN_PROB_RATIO = 0.2
"""Moves that end up less likely than this, as a fraction of the likeliest one, are not made."""


class Searcher:
    """Draws a move from the champion's probabilities times exp(share of the match / `TEMPERATURE`).

    Out of turn, with two players left, and under rules that the simulator does not know, it plays as the champion. The
    same seed and the same views give the same moves. `budget`: the work of a decision, in hundredths of the usual.
    """

    def __init__(self, champion: Champion, seed: int | str | None = None, budget: int = USUAL_BUDGET) -> None:
        self._champion = champion
        self._playouts = Hunter(
            champion,
            None if seed is None else f"playouts {seed}",
            playouts=PLAYOUTS * budget // USUAL_BUDGET,
        )
        self._random = random.Random(seed)

    @property
    def champion(self) -> Champion:
        """The champion that decides with two players left."""
        return self._champion

    def act(self, view: View) -> PlayerAction | None:
        """Draw a move; out of turn the champion's."""
        if not self._searches(view):
            return self._champion.act(view)
        priors = self._priors(view)
        values = self._playouts.move_values(view, priors)
        if not values:
            return self._champion.act(view)
        probs = stepped({move: priors[move] for move in values}, values)
        return self._random.choices(list(probs), list(probs.values()))[0]

    def _searches(self, view: View) -> bool:
        """Return whether the playouts know the situation, and there is something to choose."""
        return (
            view.on_turn
            and not view.may_answer
            and not view.is_blind
            and len(view.moves) > 1
            and sum(count > 0 for count in view.dice) >= MIN_PLAYERS
            and is_supported(view.ruleset)
            and is_simulated(view)
        )

    def _priors(self, view: View) -> dict[PlayerAction, float]:
        """Return the probability of each move that is compared, by the champion's network."""
        network = self._champion.network(view.ruleset)
        inputs = encode(observe(view))
        mask = possible_actions(inputs, view.ruleset)
        probs = network.action_probs(inputs.features, mask)[0]
        compared = probs >= MIN_PROB
        compared[[CHALLENGE, EXACT]] = mask[0, [CHALLENGE, EXACT]]
        priors: dict[PlayerAction, float] = {}
        for action in np.flatnonzero(compared).tolist():
            move = decode_action(view, inputs, action)
            if move is not None:
                priors[move] = max(float(probs[action]), MIN_PRIOR)
        return priors


def stepped(priors: dict[PlayerAction, float], values: dict[PlayerAction, float]) -> dict[PlayerAction, float]:
    """Return the probability of each move after a step of mirror descent, without unlikely moves.

    `priors`: the probability of each move before, above 0. `values`: the share of the match that each move wins.
    """
    best = max(values.values())
    weights = {move: prior * np.exp((values[move] - best) / TEMPERATURE) for move, prior in priors.items()}
    least = MIN_PROB_RATIO * max(weights.values())
    kept = {move: float(weight) for move, weight in weights.items() if weight >= least}
    total = sum(kept.values())
    return {move: weight / total for move, weight in kept.items()}


@cache
def load_kernels() -> None:
    """Make the first decision of a process as quick as others: read or compile what they all run, about a second."""
    from liarsdice.solve.blueprint.quick_blueprint import quick_blueprint  # noqa: PLC0415  it loads numba

    state = read_position(FIRST_POSITION)
    quick_blueprint(state.ruleset, RoundStart((1, 1)), work=1)
    Searcher(Champion(champion_network(), 0), 0, budget=1).act(view(state, state.turn))
