"""The generated page about the strength of the bots: every match-up that was measured and kept."""

import json
from pathlib import Path

KEPT = Path(__file__).parent.parent / "benchmarks" / "results" / "strength"

HEAD = """# How strong the bots are

One bot (the subject) among others (the field), in duplicate: the same dice are played again until the subject has
sat in every seat. In brackets the 95% interval, by bootstrap over deals; a win share above the fair share is strength.
[Bots](bots.md#measure-strength) says how it is measured, and how to measure a bot of your own.

Strength among many isn't transitive, and differs by rules and company: a line speaks of its own table and of no other.

| subject | field | rules | seats | matches | wins | fair share | mean place (fair) | time to decide: median, 99% |
|---|---|---|---|---|---|---|---|---|
"""

FOOT = """
Misplays of all bots together: {faults}. Times are of single decisions of the subject on a busy machine ({cpu},
Python {python}). Seeds, versions and commits are in `benchmarks/results/strength/`, a file for each line.

```sh
.venv/bin/python -m benchmarks.strength                                      # what has no file yet
.venv/bin/python -m benchmarks.strength inference threshold:0.4 perudo 4     # one line anew
```
"""


def strength() -> str:
    """The table of all match-ups, by rules, seats, subject and field."""
    kept = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(KEPT.glob("*.json"))]
    figures = [line for one in kept for line in one["figures"].values()]
    figures.sort(key=lambda line: [line[key] for key in ("rules", "seats", "subject", "field")])
    faults = sum(line["faults"] for line in figures)
    machine, versions = kept[-1]["machine"], kept[-1]["versions"]
    foot = FOOT.format(faults=faults, cpu=machine["cpu"], python=versions["python"])
    return HEAD + "".join(map(_row, figures)) + foot


def _row(line: dict[str, float | str]) -> str:
    cells = (
        f"`{line['subject']}`",
        f"`{line['field']}`",
        f"`{line['rules']}`",
        f"{line['seats']}",
        f"{line['matches']}",
        f"**{line['win_share']:.1%}** ({line['low_95']:.1%} to {line['high_95']:.1%})",
        f"{line['fair_share']:.0%}",
        f"{line['mean_place']:.2f} ({(int(line['seats']) + 1) / 2:g})",
        f"{line['median_ms']:.2f} ms, {line['p99_ms']:.2f} ms",
    )
    return f"| {' | '.join(cells)} |\n"
