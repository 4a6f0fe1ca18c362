"""The champion's network for all rules against networks that were trained for one ruleset alone.

`python -m benchmarks.specialist RUN...` takes folders of training runs, each of one preset. It plays their latest
networks (with averaged parameters) against the champion's, both without solved endgames: one champion among
specialists and one specialist among champions, since a single network among three or more is often at a disadvantage.
The figures of earlier champions are kept.
"""

import sys
from pathlib import Path

from benchmarks.figures import Figures, save_figures, stored_figures, win_share_95
from liarsdice.bots.neural.champion import CHAMPION_NAME, champion_network
from liarsdice.bots.neural.features import FEATURE_COUNT
from liarsdice.core.rules.presets import preset
from liarsdice.runtime.optional_dependencies import DISTRIBUTION
from liarsdice.train.checkpoint import load_weights, read_checkpoint
from liarsdice.train.config import CONFIG_FILE, read_config
from liarsdice.train.evaluate import win_share
from liarsdice.train.model import PolicyNetwork, export_network
from liarsdice.train.trainer import CHECKPOINT_FILE

MATCHES = 40_000
SEATS = (2, 3, 4)
SEED = 20_261_121


def win_shares(folder: Path) -> dict[str, Figures]:
    """Return the win share of one champion among networks of a run, and of one of these among champions, by seats."""
    config = read_config(folder / CONFIG_FILE)
    (rules,) = config.rules
    state = read_checkpoint(folder / CHECKPOINT_FILE)
    player = PolicyNetwork(FEATURE_COUNT, config.width, config.layers)
    load_weights(player, state["average"])
    champion = champion_network()
    specialist = export_network(player, champion.min_prob_ratio)
    champion_name, specialist_name = CHAMPION_NAME, "specialist"
    return {
        f"{rules}, {seats}, one {subject_name} among {field_name}": {
            "subject": subject_name,
            "field": field_name,
            "rules": rules,
            "seats": seats,
            "specialist_decisions": state["decisions"],
            **win_share_95(win_share(subject, rules, seats, field, MATCHES, seed=SEED), MATCHES),
        }
        for seats in SEATS
        if seats <= (preset(rules).ruleset.players.max or max(SEATS))
        for subject_name, subject, field_name, field in (
            (champion_name, champion, specialist_name, specialist),
            (specialist_name, specialist, champion_name, champion),
        )
    }


def main(*folders: str) -> None:
    """Measure the network of each run, and save the figures."""
    figures = stored_figures("specialist")
    for folder in folders:
        figures |= win_shares(Path(folder))
    save_figures("specialist", figures, packages=(DISTRIBUTION, "numpy", "torch"))


if __name__ == "__main__":
    main(*sys.argv[1:])
