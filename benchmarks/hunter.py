"""What a bot wins from champions that knows their probabilities (`hunter:champion@6`), in duplicate with two seats.

`python -m benchmarks.hunter perudo 400` plays so many matches under one ruleset, and keeps all other figures.
"""

import json
import sys

from benchmarks.figures import RESULTS, Figures, save_figures
from liarsdice.analysis.arena import make_arena
from liarsdice.analysis.parallel import play_deals
from liarsdice.analysis.summary import summarize
from liarsdice.bots.neural.champion import LATEST_MODEL
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.runtime.optional_dependencies import DISTRIBUTION

CHAMPION = f"champion@{LATEST_MODEL}"
MATCHES = {"perudo": 400, "openspiel": 1_000}
"""By rules; under `openspiel` a match is a single round with five dice each."""
SEED = 20_261_123


def measure(rules: str, matches: int) -> Figures:
    """Return the share of matches that the hunter wins."""
    arena = make_arena(
        find_rules(rules), [f"hunter:{CHAMPION}"], opponents=[CHAMPION], seats=2, seed=SEED, duplicate=True
    )
    summary = summarize(arena, list(play_deals(arena, range(arena.deals_for(matches)))))
    hunter = summary.standings[0]
    low, high = hunter.win_share_95
    return {
        "champion": CHAMPION,
        "rules": rules,
        "matches": summary.matches,
        "win_share": round(hunter.win_share, 4),
        "low_95": round(low, 4),
        "high_95": round(high, 4),
        "median_ms": round(hunter.median_ms or 0, 1),
        "p99_ms": round(hunter.p99_ms or 0, 1),
        "faults": hunter.faults,
    }


def main(*arguments: str) -> None:
    """Measure and save the figures."""
    path = RESULTS / "hunter.json"
    figures: dict[str, Figures] = json.loads(path.read_text(encoding="utf-8"))["figures"] if path.exists() else {}
    wanted = {arguments[0]: int(arguments[1])} if arguments else MATCHES
    figures |= {f"{CHAMPION} {rules}": measure(rules, matches) for rules, matches in wanted.items()}
    save_figures("hunter", figures, packages=(DISTRIBUTION, "numpy"))


if __name__ == "__main__":
    main(*sys.argv[1:])
