"""Simulates matches under every preset, for the figures that the page shows of them without a simulation.

`python -m benchmarks.rules_lab [--matches N] [--rules NAMES] [--seats NUMBERS]` writes
`analysis/rules_lab/preset_figures.json` after each preset. Figures of the same rules and the same champion are kept, so
that only those that are missing or out of date are simulated; `--again` simulates all.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import liarsdice.analysis.rules_lab.measures as lab
from liarsdice.analysis.rules_lab.simulate import judge_name, lab_figures, simulate_batch
from liarsdice.core.rules.presets import FULL, preset, simulated_preset_names
from liarsdice.core.rules.ruleset import Ruleset

FILE = Path(lab.__file__).with_name(lab.FIGURES_FILE)
RULES = (*simulated_preset_names(), FULL)
SEATS = (2, 3, 4, 6)
MATCHES = 1000
SEED = 20_261_125


def is_current(entry: lab.PresetFigures, rules: Ruleset, matches: int) -> bool:
    """Return whether these figures are those of the rules and of the champion, from as many matches."""
    figures = entry.figures
    same_play = (entry.digest, figures.judge) == (lab.rules_digest(rules), judge_name(rules))
    return same_play and (entry.seed, figures.matches) == (SEED, matches)


def simulate(name: str, seats: int, matches: int) -> lab.PresetFigures:
    """Return the figures of a preset."""
    rules = preset(name).ruleset
    sample = simulate_batch(rules, seats, range(matches), SEED)
    return lab.PresetFigures(name, lab.rules_digest(rules), SEED, lab_figures(rules, sample))


def main() -> None:
    """Simulate what is missing, and write the file after each preset."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=MATCHES)
    parser.add_argument("--rules", default=",".join(RULES))
    parser.add_argument("--seats", default=",".join(map(str, SEATS)))
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    known = lab.read_preset_figures(FILE.read_bytes()) if FILE.exists() else ()
    found = {(entry.rules, entry.figures.seats): entry for entry in known if entry.rules in RULES}
    for name in options.rules.split(","):
        rules = preset(name).ruleset
        for seats in map(int, options.seats.split(",")):
            kept = found.get((name, seats))
            if not rules.players.min <= seats <= (rules.players.max or seats):
                continue
            if kept is None or options.again or not is_current(kept, rules, options.matches):
                started = time.process_time()
                found[name, seats] = simulate(name, seats, options.matches)
                print(f"{name}, {seats} seats: {time.process_time() - started:.1f} s of CPU", flush=True)
        ordered = sorted(found.values(), key=lambda entry: (RULES.index(entry.rules), entry.figures.seats))
        FILE.write_bytes(lab.write_preset_figures(ordered))


if __name__ == "__main__":
    main()
