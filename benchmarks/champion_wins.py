"""What the champion wins among simple bots, and among networks of `champion@5`.

All seats play in the simulator. `python -m benchmarks.champion_wins perudo 3` measures only the lines with all of
these words, and keeps all other figures. `--matches` sets how many matches a line has.
"""

import argparse
import json

from benchmarks.figures import RESULTS, Figures, save_figures, win_share_95
from liarsdice.bots.neural.champion import CHAMPION_NAME, champion_network
from liarsdice.bots.neural.champions import baseline_network
from liarsdice.bots.neural.network import Network
from liarsdice.core.rules.presets import preset
from liarsdice.runtime.public_api import DISTRIBUTION
from liarsdice.sim.policies import Policy, ThresholdPolicy
from liarsdice_lab.train.trainer import win_share

MATCHES = 10_000
SEED = 20_261_128
FIELDS: dict[str, Policy | Network] = {
    "champion@5": baseline_network("champion@5"),
    "threshold:0.4": ThresholdPolicy(0.4),
    "inference": ThresholdPolicy(0.4, 0.7),
}
LINES = (
    ("perudo", 2, "champion@5"),
    ("perudo", 3, "champion@5"),
    ("perudo", 4, "champion@5"),
    ("perudo", 6, "champion@5"),
    ("joker", 2, "threshold:0.4"),
    ("perudo", 3, "threshold:0.4"),
    ("perudo", 4, "threshold:0.4"),
    ("perudo", 6, "threshold:0.4"),
    ("perudo", 3, "inference"),
    ("perudo", 4, "inference"),
    ("perudo", 6, "inference"),
)
"""Rules, seats, and who plays at all seats but the champion's."""


def title(line: tuple[str, int, str]) -> str:
    """Return the name of a line in the results, such as `champion@11 perudo 3 inference`."""
    rules, seats, field = line
    return f"{CHAMPION_NAME} {rules} {seats} {field}"


def measure(line: tuple[str, int, str], matches: int) -> Figures:
    """Return the share of matches that the champion wins."""
    rules, seats, field = line
    network = champion_network(preset(rules).ruleset)
    share = win_share(network, rules, seats, FIELDS[field], matches, seed=SEED, champions=(0,))
    return {"champion": CHAMPION_NAME, "rules": rules, "seats": seats, "field": field, **win_share_95(share, matches)}


def main() -> None:
    """Measure and save the figures, line by line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="only lines with all of these words")
    parser.add_argument("--matches", type=int, default=MATCHES)
    arguments = parser.parse_args()
    path = RESULTS / "champion_wins.json"
    figures: dict[str, Figures] = json.loads(path.read_text(encoding="utf-8"))["figures"] if path.exists() else {}
    for line in LINES:
        if set(arguments.words) <= set(title(line).split()):
            figures[title(line)] = measure(line, arguments.matches)
            save_figures("champion_wins", figures, packages=(DISTRIBUTION, "numpy"))


if __name__ == "__main__":
    main()
