"""One network for all rules against networks that were trained for one ruleset alone.

`python -m benchmarks.specialist RUN...` takes folders of training runs, each of one preset, and plays their latest
networks (the average of the parameters) against the champion's, neither with solved last rounds: one champion among
specialists and, since who is alone of a kind among three or more is often worse off, one specialist among champions.
"""

import sys
from pathlib import Path

from benchmarks.measured import Figures, save, share_95
from liarsdice.bots.neural.champion import LATEST, model
from liarsdice.bots.neural.features import FEATURES
from liarsdice.core.rules.presets import preset
from liarsdice.train.checkpoint import load_weights, read_checkpoint
from liarsdice.train.config import PLAN, read_plan
from liarsdice.train.evaluate import win_share
from liarsdice.train.model import Player, network_of
from liarsdice.train.trainer import CHECKPOINT

MATCHES = 40_000
SEATS = (2, 3, 4)
SEED = 20_261_121


def against(folder: Path) -> dict[str, Figures]:
    """What the champion wins among networks of a run, and one of these among champions, by number of seats."""
    plan = read_plan(folder / PLAN)
    (rules,) = plan.rules
    state = read_checkpoint(folder / CHECKPOINT)
    player = Player(FEATURES, plan.width, plan.layers)
    load_weights(player, state["average"])
    champion, specialist = model(LATEST), network_of(player, model(LATEST).hardly)
    newest, alone = f"champion@{LATEST}", "specialist"
    return {
        f"{rules}, {seats}, one {name}": {
            "subject": name,
            "field": other_name,
            "rules": rules,
            "seats": seats,
            "specialist_decisions": state["decisions"],
            **share_95(win_share(one, rules, seats, other, MATCHES, seed=SEED), MATCHES),
        }
        for seats in SEATS
        if seats <= (preset(rules).ruleset.players.max or max(SEATS))
        for name, one, other_name, other in (
            (newest, champion, alone, specialist),
            (alone, specialist, newest, champion),
        )
    }


def main(*folders: str) -> None:
    """Play against the network of each run."""
    figures = {name: line for folder in folders for name, line in against(Path(folder)).items()}
    save("specialist", figures, packages=("liarsdice", "numpy", "torch"))


if __name__ == "__main__":
    main(*sys.argv[1:])
