"""What the moves of a round with a blueprint are worth, if both players follow it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from liarsdice.bots.blueprints import BlueprintPlayouts, RoundBlueprint
from liarsdice.bots.round_ends import FloatArray, RoundEnd, RoundEndValues
from liarsdice.core.engine.view import View
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.game.round_game import Outcome
from liarsdice.solve.strategy.action_values import Action

END_MATCHES = 1_000
"""How many matches tell the value of the end of a round."""


def blueprint_values(
    blueprint: RoundBlueprint, shown: View, hand_probs: Mapping[Hand, float]
) -> dict[Action, float] | None:
    """Return the share of the match (0..1) that each legal move wins, if both follow the blueprint after it.

    `hand_probs`: the probability of each hand of the opponent. A blueprint is played for the chance to win the round;
    the share after a round won and lost is that of `RoundEndValues`. Returns None if the round may end in more than two
    ways, as the blueprint does not tell these apart.
    """
    whole = blueprint.unpacked
    if sorted(whole.graph.values.tolist()) != [-1, 1]:
        return None
    outcomes, bids = whole.graph.game.outcomes, [bid for _, bid in shown.bids]
    seat = len(bids) % 2
    other_probs = np.array([hand_probs.get(hand, 0.0) for hand in whole.hands[1 - seat]])
    ends = _end_shares(shown.ruleset, tuple(outcomes))
    by_value = dict(zip(whole.graph.values.tolist(), ends[:, seat].tolist(), strict=True))
    lost, won = (by_value[value] for value in ((-1, 1) if seat == 0 else (1, -1)))
    playouts = BlueprintPlayouts(whole, seat, shown.hand, {})
    values = playouts.move_values(bids, other_probs / other_probs.sum())
    return {move: lost + (1 + value) / 2 * (won - lost) for move, value in values.items()}


@lru_cache(256)
def _end_shares(rules: Ruleset, outcomes: tuple[Outcome, ...]) -> FloatArray:
    """Return the share of the match that each player wins after each outcome, float64 [outcome, seat]."""
    return RoundEndValues(rules, END_MATCHES).shares([_round_end(outcome) for outcome in outcomes])


def _round_end(outcome: Outcome) -> RoundEnd:
    start, winners = outcome.next_start, outcome.winners
    if start is None:
        return RoundEnd((0, 0), -1, -1, 1, (0, 0), (False, False), 0, (0 in winners, 1 in winners))
    special = -1 if start.special is None else start.special
    had_special = (0 in start.had_special, 1 in start.had_special)
    return RoundEnd(outcome.dice, start.starter, special, 1, start.exact_calls, had_special, 0, None)
