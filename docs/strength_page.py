"""The generated page about the strength of the bots: every match-up that was measured and kept, and what else was."""

import json
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from liarsdice.core.rules.presets import names
from liarsdice.solve.strategy.strategy_file import read_solved

RESULTS = Path(__file__).parent.parent / "benchmarks" / "results"
KEPT = RESULTS / "strength"

HEAD = """# How strong the bots are

One bot (the subject) among others (the field), in duplicate: the same dice are played again until the subject has
sat in every seat. In brackets the 95% interval, by bootstrap over deals; a win share above the fair share is strength.
[Bots](bots.md#measure-strength) says how it is measured, and how to measure a bot of your own.

Strength among many isn't transitive, and differs by rules and company: a line speaks of its own table and of no other.
The rules `classic+aces+palifico+calza+reversa` are rule sheet 001 with all its options.

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

UNBEATABLE = """## How far the champion is from unbeatable

"""

RESPONSE = """**Many dice.** A network that begins as the champion and then trains against the champion's network
alone (without the solved last rounds), for a fixed budget, shows what can be won at least by whoever knows it by heart
(`python -m benchmarks.best_response`; like all that trains it needs `liarsdice-engine[train]`).
Its wins at two seats:

| against | rules | decisions of training | matches | wins |
|---|---|---|---|---|
"""

ALONE = """**Against one trained for one ruleset alone,** with as many decisions of training from the same start
(`python -m benchmarks.specialist`). What one network for all rules wins among such specialists, and one specialist
among champions; with three or more at the table, who is alone of a kind is often worse off. A champion without a line
here was not measured so:

| one | among | rules | seats | decisions in the last stage | matches | wins | fair share |
|---|---|---|---|---|---|---|---|
"""

LAST = """**The last dice.** Once two players hold their last die each, the champion plays a solved round.
How much an opponent who knows the strategy could gain on average, in rounds won less rounds lost (-1 to 1), computed
exactly for the strategy as it is kept (`official` lets bids follow each other in any order, so that its rounds can't be
solved):

| rules | exploitability, at most |
|---|---|
"""

TEMPERS = """
## What tempers change

Asked at the same {turns} turns of champions in {rules}, {seats} seats (`python -m benchmarks.temper`). A bluff is a
bid that the own dice make less likely than not; `P(true)` is by the own dice too. How strong each is stands above.

| temper | challenges, where it may | bluffs, of its bids | mean `P(true)` of its bids |
|---|---|---|---|
"""


def strength() -> str:
    """The table of all match-ups, by rules, seats, subject and field; then what else is known of the champion."""
    kept = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(KEPT.glob("*.json"))]
    figures = [line for one in kept for line in one["figures"].values()]
    figures.sort(key=lambda line: [line[key] for key in ("rules", "seats", "subject", "field")])
    faults = sum(line["faults"] for line in figures)
    cpus = " and ".join(sorted({one["machine"]["cpu"] for one in kept}))
    foot = FOOT.format(faults=faults, cpu=cpus, python=kept[-1]["versions"]["python"])
    return HEAD + "".join(map(_row, figures)) + foot + UNBEATABLE + _responses() + _alone() + _last_dice() + _tempers()


def _row(line: dict[str, float | str]) -> str:
    return _cells(
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


def _responses() -> str:
    rows = [
        _cells(
            f"`{line['champion']}`",
            f"`{rules}`",
            f"{line['decisions'] / 1e6:.1f} million",
            f"{line['matches']}",
            f"**{line['win_share']:.1%}** ({line['low_95']:.1%} to {line['high_95']:.1%})",
        )
        for rules, line in _figures("best_response").items()
    ]
    return RESPONSE + "".join(rows) + "\n" if rows else ""


def _alone() -> str:
    rows = [
        _cells(
            f"`{line['subject']}`",
            f"`{line['field']}`",
            f"`{line['rules']}`",
            f"{line['seats']}",
            f"{line['specialist_decisions'] / 1e6:.1f} million",
            f"{line['matches']}",
            f"**{line['win_share']:.1%}** ({line['low_95']:.1%} to {line['high_95']:.1%})",
            f"{1 / line['seats']:.0%}",
        )
        for line in _figures("specialist").values()
    ]
    return ALONE + "".join(rows) + "\n" if rows else ""


def _last_dice() -> str:
    rows = []
    for name in names():
        with as_file(files("liarsdice.bots") / "models" / f"endgame-{name}.lds") as path:
            if path.exists():
                most = max(strategy.bounds.exploitability for strategy in read_solved(path).strategies)
                rows.append(_cells(f"`{name}`", f"{most:.5f}"))
    return LAST + "".join(rows)


def _tempers() -> str:
    figures = _figures("temper")
    rows = [
        _cells(name, *(f"{line[key]:.1%}" for key in ("challenge_rate", "bluff_rate", "mean_p_true_of_bids")))
        for name, line in figures.items()
    ]
    return TEMPERS.format(**figures["none"]) + "".join(rows) if rows else ""


def _figures(name: str) -> dict[str, dict[str, Any]]:
    file = RESULTS / f"{name}.json"
    found: dict[str, dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))["figures"] if file.exists() else {}
    return found


def _cells(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"
