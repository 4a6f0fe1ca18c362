"""What a bot wins from champions that knows their probabilities (`hunter:champion`), in duplicate with two seats.

`python -m benchmarks.hunter perudo 400` plays so many matches under one ruleset, and keeps all other figures;
`openspiel 1000 --dice 3` plays with three dice each. `--champion search:champion` plays against another bot
that a hunter knows.
"""

import argparse
import json

from benchmarks.figures import RESULTS, Figures, save_figures
from liarsdice.bots.neural.champion import CHAMPION_NAME
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.runtime.public_api import DISTRIBUTION
from liarsdice_lab.arena.arena import make_arena, play_deals
from liarsdice_lab.arena.summary import summarize

LINES = ("perudo", 5, 400), ("openspiel", 5, 1_000), ("openspiel", 3, 1_000)
"""A preset, the dice of each player, and matches; under `openspiel` a match is a single round."""
SEED = 20_261_123


def measure(champion: str, rules: str, dice: int, matches: int) -> Figures:
    """Return the share of matches that the hunter of a champion wins, with so many dice each."""
    ruleset = patched(preset(rules).ruleset, dice__per_player=dice)
    arena = make_arena(ruleset, [f"hunter:{champion}"], opponents=[champion], seats=2, seed=SEED, duplicate=True)
    summary = summarize(arena, list(play_deals(arena, range(arena.deals_for(matches)))))
    hunter = summary.standings[0]
    low, high = hunter.win_share_95
    return {
        "champion": champion,
        "rules": rules,
        "dice": dice,
        "matches": summary.matches,
        "win_share": round(hunter.win_share, 4),
        "low_95": round(low, 4),
        "high_95": round(high, 4),
        "median_ms": round(hunter.median_ms or 0, 1),
        "p99_ms": round(hunter.p99_ms or 0, 1),
        "faults": hunter.faults,
    }


def main() -> None:
    """Measure and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rules", nargs="?", help="only this preset")
    parser.add_argument("matches", nargs="?", type=int, default=400)
    parser.add_argument("--dice", type=int, default=5)
    parser.add_argument("--champion", default=CHAMPION_NAME, help="the bot that the hunter knows")
    arguments = parser.parse_args()
    path = RESULTS / "hunter.json"
    figures: dict[str, Figures] = json.loads(path.read_text(encoding="utf-8"))["figures"] if path.exists() else {}
    lines = ((arguments.rules, arguments.dice, arguments.matches),) if arguments.rules else LINES
    champion = arguments.champion
    figures |= {f"{champion} {rules} {dice}": measure(champion, rules, dice, matches) for rules, dice, matches in lines}
    save_figures("hunter", figures, packages=(DISTRIBUTION, "numpy"))


if __name__ == "__main__":
    main()
