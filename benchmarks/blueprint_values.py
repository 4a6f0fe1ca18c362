"""Measures how far the values of moves by a blueprint are from those of the solved round.

`python -m benchmarks.blueprint_values` learns a blueprint of each small round as those of the package were learned, and
solves the round. Both players then play by the blueprint, but make every fifth move by chance. For each decision, the
legal moves are valued twice against the same belief about the other hand: if both follow the blueprint from there on,
and if both follow the solution. The figures are about the cost of the move that was made: how much less it is worth
than the best one, in the chance to win the round.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

from benchmarks.figures import Figures, save_figures
from liarsdice.bots.policy import policy_of
from liarsdice.bots.registry import make_bot
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.solve.blueprint.blueprint import Blueprint
from liarsdice.solve.blueprint.blueprint_trainer import BlueprintTrainer
from liarsdice.solve.blueprint.learned_arrays import NO_MODELS
from liarsdice.solve.blueprint.recall_graph import FloatArray, make_recall_graph
from liarsdice.solve.cfr.solver import Solver
from liarsdice.solve.round_game import (
    RoundGame,
    RoundStart,
    dice_lost_values,
    make_public_tree,
    make_round_game,
    with_faces,
)
from liarsdice.solve.strategy.action_values import Action, action_values
from liarsdice.solve.strategy.average_strategy import average_strategy
from liarsdice.solve.strategy.strategy import Strategy
from liarsdice.values.blueprint_values import BlueprintPlayouts, blueprint_error
from liarsdice.values.judgement import Z_95
from liarsdice_lab.best_response import make_models

ROUNDS = (("perudo", (2, 2), 4), ("openspiel", (2, 2), 4), ("joker", (2, 2), 4), ("perudo", (2, 1), 6))
"""Presets, dice and faces: rounds that are solved in seconds."""
RECALL, MENU, MIN_SHARE = 4, 20, 0.03
BLUEPRINT_ITERATIONS, SOLVER_ITERATIONS = 60, 2_000
OPPONENTS = {"perudo": (("threshold:0.4", 0.1), ("champion@5", 0.2))}
"""The bots that blueprints of a preset expect, each with its probability, as those of the package do."""
CHANCE_SHARE = 0.2
"""How many moves are made by chance, as other players make moves that a blueprint does not make."""
UNIFORM_SHARE = 0.1
"""How many bids a belief takes as uniform, as reviews do."""
PLAYED = 400
SMALL = 0.03
"""Costs below this count as small: of these, the absolute error is told, of others the relative one."""


def learn(name: str, game: RoundGame) -> tuple[Blueprint, Strategy]:
    """Return the blueprint and the solution of a round of a preset."""
    values = dice_lost_values(game)
    graph = make_recall_graph(game, values, RECALL, MENU)
    opponents = [(policy_of(make_bot(bot)), prob) for bot, prob in OPPONENTS.get(name, ())]
    trainer = BlueprintTrainer(graph, make_models(graph, opponents) if opponents else NO_MODELS)
    trainer.run(iterations=BLUEPRINT_ITERATIONS)
    solver = Solver(make_public_tree(game, values))
    solver.iterate(SOLVER_ITERATIONS)
    return trainer.blueprint(MIN_SHARE), average_strategy(solver)


def costs(blueprint: Blueprint, strategy: Strategy, rng: random.Random) -> Iterator[tuple[float, float]]:
    """Yield what each move of a round costs by the blueprint and by the solution, in the chance to win the round."""
    game = blueprint.game
    deal = [rng.choices(range(len(probs)), probs.tolist())[0] for probs in game.hand_probs]
    beliefs = [probs.copy() for probs in game.hand_probs]
    bids: list[Bid] = []
    while True:
        seat = len(bids) % 2
        hand, belief = game.hands[seat][deal[seat]], beliefs[1 - seat] / beliefs[1 - seat].sum()
        values = (1 if seat == 0 else -1) * blueprint.outcome_values[:, np.newaxis]
        found = BlueprintPlayouts(blueprint, seat, hand, values).move_values(bids, belief)
        by_blueprint = {move: float(value) for move, (value,) in found.items()}
        other_probs = dict(zip(game.hands[1 - seat], belief.tolist(), strict=True))
        by_solution = action_values(strategy, hand, bids, other_probs)
        actions, probs = blueprint.decision(bids)
        move: Action
        if rng.random() < CHANCE_SHARE:
            move = rng.choice(list(by_blueprint))
        else:
            move = rng.choices(actions, probs[:, deal[seat]].tolist())[0]
        if len(by_blueprint) > 1:
            yield _cost(by_blueprint, move), _cost(by_solution, move)
        if not isinstance(move, Bid):
            return
        planned: FloatArray = probs[actions.index(move)] if move in actions else np.zeros(len(game.hands[seat]))
        beliefs[seat] = beliefs[seat] * ((1 - UNIFORM_SHARE) * planned + UNIFORM_SHARE / len(by_blueprint))
        bids.append(move)


def _cost(values: dict[Action, float], move: Action) -> float:
    return (max(values.values()) - values[move]) / 2


def main() -> None:
    """Print and save the figures of all rounds."""
    figures: dict[str, Figures] = {}
    for name, dice, faces in ROUNDS:
        game = make_round_game(with_faces(preset(name).ruleset, faces), RoundStart(dice))
        blueprint, strategy = learn(name, game)
        rng = random.Random(f"{name} {dice} {faces}")
        pairs = np.array([pair for _ in range(PLAYED) for pair in costs(blueprint, strategy, rng)])
        cost, apart = pairs[:, 0], np.abs(pairs[:, 0] - pairs[:, 1])
        small = cost < SMALL
        error = np.sqrt(blueprint_error(preset(name).ruleset).variance(cost, 1.0))
        figures[f"{name} {dice[0]}v{dice[1]}, {faces} faces"] = {
            "decisions": len(pairs),
            "mean_cost_blueprint": round(float(cost.mean()), 3),
            "mean_cost_solution": round(float(pairs[:, 1].mean()), 3),
            "rms_difference_small": round(float(np.sqrt((apart[small] ** 2).mean())), 4),
            "rms_relative_difference_large": round(float(np.sqrt(((apart[~small] / cost[~small]) ** 2).mean())), 2),
            "within_interval": round(float((apart <= Z_95 * error).mean()), 3),
            "within_interval_large": round(float((apart <= Z_95 * error)[~small].mean()), 3),
        }
    save_figures("blueprint_values", figures)


if __name__ == "__main__":
    main()
