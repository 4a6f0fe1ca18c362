"""An approximate best response to the champion: a lower bound on how much can be won against it.

`python -m benchmarks.best_response` starts from the champion's own network and trains it for a fixed budget in
matches of two. The opponent is the champion's network, fixed and without solved endgames. The share of matches that the
trained network wins is a lower bound on that of a best response.
"""

import sys
import tempfile
from pathlib import Path

import torch

from benchmarks.figures import Figures, save_figures, win_share_95
from liarsdice.bots.neural.champion import LATEST_NETWORK, champion_network
from liarsdice.runtime.optional_dependencies import DISTRIBUTION
from liarsdice.train.config import PPOConfig, TrainingConfig
from liarsdice.train.evaluate import win_share
from liarsdice.train.model import export_network
from liarsdice.train.ppo import UpdateStats
from liarsdice.train.trainer import Trainer

ITERATIONS = 100
MATCHES = 40_000
RULES = ("openspiel",)
"""A single round with five dice each."""


def train_best_response(rules: str, iterations: int = ITERATIONS) -> Figures:
    """Train a best response under a preset, and play it against the champion."""
    champion_name = f"champion@{LATEST_NETWORK}"
    champion = champion_network(LATEST_NETWORK)
    config = TrainingConfig(
        rules=(rules,),
        seed=11,
        iterations=iterations,
        width=champion.weights[0].shape[1],
        tables=8,
        bot_table_share=0,
        two_learner_share=0,
        opponent_table_share=1,
        opponents=(champion_name,),
        initial_weights=champion_name,
        evaluate_every=iterations,
        evaluation_matches=2,
        ppo=PPOConfig(learning_rate=3e-4, entropy_weight=0.005, final_entropy_weight=0.001),
    )
    torch.manual_seed(config.seed)
    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer(Path(folder), config)

        def report(done: int, stats: UpdateStats, pace: float) -> None:
            if done % 20 == 0:
                print(rules, done, f"{pace:,.0f} decisions/s, entropy {stats.entropy:.2f}", flush=True)

        trainer.run(report)
        response = export_network(trainer.average, config.min_prob_ratio)
        share = win_share(response, rules, 2, champion, MATCHES, seed=20_261_121)
    return {
        "champion": champion_name,
        "decisions": trainer.decisions,
        "hours": round(trainer.spent_s / 3600, 3),
        **win_share_95(share, MATCHES),
    }


def main(*rules: str) -> None:
    """Train a best response for each preset, and save the figures."""
    figures = {name: train_best_response(name) for name in rules or RULES}
    save_figures("best_response", figures, packages=(DISTRIBUTION, "torch"))


if __name__ == "__main__":
    main(*sys.argv[1:])
