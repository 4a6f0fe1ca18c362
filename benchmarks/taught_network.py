"""A network that blueprints have taught: its exploitability in their rounds, and what it wins in matches.

`python -m benchmarks.taught_network RUN` takes a folder of `liarsdice train distill`. Names of rules after it play only
matches under these, and keep those under others. The exploitability is what the run measured first and last
(`curve.csv`). Matches are those of two networks, the taught one and that of `champion@7` that it began as, against
simple bots and against that network, all without solved rounds and blueprints.
"""

import csv
import sys
from collections.abc import Collection
from pathlib import Path

from benchmarks.figures import Figures, save_figures, stored_figures, win_share_95
from liarsdice.bots.neural.network import Network
from liarsdice.runtime.optional_dependencies import DISTRIBUTION
from liarsdice.sim.policies import Policy, ThresholdPolicy
from liarsdice.train.curriculum import INFERENCE_POLICY
from liarsdice.train.distillation import CURVE_FILE, NETWORK_FILE
from liarsdice.train.evaluate import win_share
from liarsdice.train.load_networks import load_network

BEGAN_AS = "champion@7"
RULES = ("perudo", "joker", "openspiel", "official")
BOTS: dict[str, Policy] = {"threshold:0.4": ThresholdPolicy(0.4), "inference": INFERENCE_POLICY}
SEATS = 2
MATCHES = 4_000
SEED = 20_261_128


def bounds(folder: Path) -> dict[str, Figures]:
    """Return the lower bound of the exploitability in each round (0..1), before the run and after it."""
    with (folder / CURVE_FILE).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    first, last = rows[0], rows[-1]
    rounds = [name for name in first if name not in {"step", "rounds", "matches"}]
    return {
        name: {
            "rules": name.split()[0],
            "dice": name.split()[1],
            "before": float(first[name]),
            "after": float(last[name]),
            "steps": int(last["step"]),
        }
        for name in rounds
    }


def win_shares(taught: Network, before: Network, opponent_name: str, names: Collection[str]) -> dict[str, Figures]:
    """Return the win shares of both networks against an opponent, under each of these rules."""
    opponent = BOTS.get(opponent_name, before)
    figures: dict[str, Figures] = {}
    for rules in names:
        for name, network in {"taught": taught, BEGAN_AS: before}.items():
            if network is not opponent:
                share = win_share(network, rules, SEATS, opponent, MATCHES, seed=SEED)
                who: Figures = {"rules": rules, "network": name, "opponent": opponent_name}
                figures[f"{rules}, {name} against {opponent_name}"] = who | win_share_95(share, MATCHES)
    return figures


def main(folder: str, *names: str) -> None:
    """Measure the network of a run, and save the figures after each opponent."""
    taught, before = load_network(str(Path(folder) / NETWORK_FILE)), load_network(BEGAN_AS)
    figures = (stored_figures("taught_network") if names else {}) | bounds(Path(folder))
    for opponent in (BEGAN_AS, *BOTS):
        figures |= win_shares(taught, before, opponent, names or RULES)
        save_figures("taught_network", figures, packages=(DISTRIBUTION, "numpy", "torch"))


if __name__ == "__main__":
    main(*sys.argv[1:])
