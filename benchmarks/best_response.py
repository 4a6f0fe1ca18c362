"""How much a network gains that trains against the champion alone, and so how far the champion is from unbeatable.

`python -m benchmarks.best_response` begins with the champion's own network and trains it for a fixed budget at tables
of two. The other seat is the champion's network, without solved last rounds, which does not learn. What it wins then is
a lower bound on what can be won.
"""

import sys
import tempfile
from pathlib import Path

import torch

from benchmarks.measured import Figures, save, share_95
from liarsdice.bots.neural.champion import LATEST, model
from liarsdice.train.config import Plan, Recipe
from liarsdice.train.evaluate import win_share
from liarsdice.train.model import network_of
from liarsdice.train.ppo import Learned
from liarsdice.train.trainer import Run

ITERATIONS = 100
MATCHES = 40_000
RULES = ("openspiel",)
"""A single round with five dice each."""


def respond(rules: str, iterations: int = ITERATIONS) -> Figures:
    """Train a best response under some rules, and play it against the champion."""
    champion = f"champion@{LATEST}"
    plan = Plan(
        rules=(rules,),
        seed=11,
        iterations=iterations,
        width=model(LATEST).weights[0].shape[1],
        tables=8,
        sparring=0,
        duels=0,
        against=1,
        rivals=(champion,),
        begin=champion,
        measure_every=iterations,
        measure_matches=2,
        recipe=Recipe(rate=3e-4, entropy=0.005, entropy_last=0.001),
    )
    torch.manual_seed(plan.seed)
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder), plan)

        def tell(done: int, learned: Learned, pace: float) -> None:
            if done % 20 == 0:
                print(rules, done, f"{pace:,.0f} decisions/s, entropy {learned.entropy:.2f}", flush=True)

        run.go(tell)
        share = win_share(network_of(run.average, plan.hardly), rules, 2, model(LATEST), MATCHES, seed=20_261_121)
    return {
        "champion": champion,
        "decisions": run.decisions,
        "hours": round(run.spent_s / 3600, 3),
        **share_95(share, MATCHES),
    }


def main(*rules: str) -> None:
    """Train a best response for each of some rules."""
    figures = {name: respond(name) for name in rules or RULES}
    save("best_response", figures, packages=("liarsdice", "torch"))


if __name__ == "__main__":
    main(*sys.argv[1:])
