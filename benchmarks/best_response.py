"""An approximate best response to the champion: a lower bound on how much can be won against it.

`python -m benchmarks.best_response` starts from the champion's own network and trains it for a fixed budget in
matches of two. The opponent is the champion as it plays, with solved rounds and blueprints, and does not learn. The
share of matches that the trained network wins is a lower bound on that of a best response. `--iterations` sets how
long it learns, and `--folder` keeps what it learned, to continue from there; figures of other champions are kept.
"""

import argparse
import tempfile
from pathlib import Path

import torch

from benchmarks.figures import Figures, save_figures, stored_figures, win_share_95
from liarsdice.bots.neural.champion import champion_network
from liarsdice.runtime.optional_dependencies import DISTRIBUTION
from liarsdice.train.config import BalanceConfig, PPOConfig, TrainingConfig
from liarsdice.train.evaluate import win_share
from liarsdice.train.load_networks import WHOLE_CHAMPION
from liarsdice.train.model import export_network
from liarsdice.train.ppo import UpdateStats
from liarsdice.train.trainer import Trainer

ITERATIONS = 100
MATCHES = 40_000
RULES = ("openspiel",)
"""A single round with five dice each."""


def train_best_response(rules: str, iterations: int, folder: Path) -> Figures:
    """Train a best response under a preset in a folder, or continue there, and play it against the champion."""
    champion = champion_network()
    config = TrainingConfig(
        rules=(rules,),
        seed=11,
        iterations=iterations,
        width=champion.weights[0].shape[1],
        tables=1,
        tables_per_iteration=1,
        matches=1536,
        bot_table_share=0,
        two_learner_share=0,
        opponent_table_share=1,
        opponents=(WHOLE_CHAMPION,),
        initial_weights="champion@7",  # the network that the champion plays under these rules,
        evaluate_every=iterations,
        evaluation_matches=2,
        balance=BalanceConfig(rules=()),
        ppo=PPOConfig(learning_rate=3e-4, entropy_weight=0.005, final_entropy_weight=0.001),
    )
    torch.manual_seed(config.seed)
    trainer = Trainer(folder, config)

    def report(done: int, stats: UpdateStats, pace: float) -> None:
        if done % 10 == 0:
            trainer.save()
            print(rules, done, f"{pace:,.0f} decisions/s, entropy {stats.entropy:.2f}", flush=True)

    trainer.run(report)
    response = export_network(trainer.average, config.min_prob_ratio)
    share = win_share(response, rules, 2, champion, MATCHES, seed=20_261_121, champions=(1,))
    return {
        "champion": WHOLE_CHAMPION,
        "rules": rules,
        "decisions": trainer.decisions,
        "hours": round(trainer.spent_s / 3600, 3),
        **win_share_95(share, MATCHES),
    }


def main() -> None:
    """Train a best response for each preset, and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rules", nargs="*", default=RULES)
    parser.add_argument("--iterations", type=int, default=ITERATIONS)
    parser.add_argument("--folder", type=Path, help="with a folder for each preset; a temporary one by default")
    arguments = parser.parse_args()
    figures = stored_figures("best_response")
    with tempfile.TemporaryDirectory() as temporary:
        for rules in arguments.rules:
            folder = (arguments.folder or Path(temporary)) / rules
            figures[f"{WHOLE_CHAMPION} {rules}"] = train_best_response(rules, arguments.iterations, folder)
    save_figures("best_response", figures, packages=(DISTRIBUTION, "torch"))


if __name__ == "__main__":
    main()
