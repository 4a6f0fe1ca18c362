"""The generated page of measured figures: one table for each benchmark, from its newest result."""

import json
from typing import NamedTuple

from benchmarks.figures import RESULTS

HEAD = """# Figures

This page shows what the newest run of each benchmark measured, and the command that measures it again. `make bench`
runs those that take minutes. The files in `benchmarks/results/` name the machine, the versions and the commit. The same
machine on different days differs by a factor of up to 1.7, so compare figures only within one table.
[Strength of the bots](bot-strength.md) has the shares of wins and the exploitability of the bots.
"""


class Benchmark(NamedTuple):
    """A section of the page: its heading, the file with the result, the command, and what the columns mean."""

    heading: str
    result: str
    command: str
    note: str


BENCHMARKS = (
    Benchmark(
        "The engine",
        "engine",
        "python -m benchmarks.engine",
        "Decisions under random legal play, beside OpenSpiel's `liars_dice` driven from Python in the same run.",
    ),
    Benchmark(
        "Start-up",
        "start_up",
        "python -m benchmarks.start_up",
        "CPU time of a fresh interpreter, the interpreter itself included.",
    ),
    Benchmark(
        "Simulation",
        "simulate",
        "python -m benchmarks.simulate",
        "Rounds, and decisions of whole matches.",
    ),
    Benchmark(
        "Environments",
        "environments",
        "python -m benchmarks.environments",
        "Steps of 1,024 matches on one core.",
    ),
    Benchmark(
        "Solving rounds",
        "solve",
        "python -m benchmarks.solve",
        "An iteration updates both players. The first answer is that of a program without cached kernels.",
    ),
    Benchmark(
        "Solved rounds",
        "solved_rounds",
        "python -m benchmarks.solved_rounds",
        "Rules, dice (those of the opener first) and faces, solved to an exploitability of 0.001 on one thread, with"
        " certified bounds of the value.",
    ),
    Benchmark(
        "The server",
        "server",
        "python -m benchmarks.server --full",
        "Six connections to each table and an action per table every four seconds; the server has one core. Times count"
        " from the action to the update at the last of the six.",
    ),
    Benchmark(
        "Memory over time",
        "soak",
        "python -m benchmarks.soak --minutes 60 --tables 86",
        "Memory of a server while clients play, talk, reconnect and attack.",
    ),
    Benchmark(
        "No lost actions",
        "faults",
        "python -m tests.faults.cluster_run --actions 300000 --results FILE",
        "Three servers on one PostgreSQL database that are killed, stopped and cut off while clients play.",
    ),
    Benchmark(
        "Installed size",
        "install_size",
        "python -m benchmarks.install_size",
        "Each extra with all packages that it requires, without liarsdice itself.",
    ),
    Benchmark("Reviews", "review", "python -m benchmarks.review", "CPU time of the review of a match with one thread."),
    Benchmark(
        "Costs of decisions",
        "decision_cost",
        "python -m benchmarks.decision_cost",
        "Bot, opponent and seats in duplicate deals of `perudo`. Costs are hundredths of a match for each decision.",
    ),
    Benchmark(
        "Values of states",
        "state_values",
        "python -m benchmarks.state_values",
        "On new matches of the population: the largest difference of prediction and result in ten groups, the slope of"
        " results on luck (1 is ideal), and by how much results vary less without luck.",
    ),
    Benchmark(
        "Values of round ends",
        "round_ends",
        "python -m benchmarks.round_ends",
        "Root mean square difference from matches that champions play on, less what is by chance.",
    ),
    Benchmark(
        "Values of moves",
        "judge",
        "python -m benchmarks.judge --matches 70 --ranked 16   # and with --mixed",
        "What the judge says of the players' moves, and what was won, in hundredths of a match, with half a 95%"
        " interval; the same against the value of the end of the round (`round_difference`), which varies less; the"
        " slope of results on values (`trend`, 1 is ideal); what the first move loses by 4,000 deals, and how often"
        " intervals hold their values. Groups count the decisions of all tables of champions, or of a mixed field.",
    ),
    Benchmark(
        "Training tables",
        "training",
        "python -m benchmarks.training",
        "How long a player waits for the first and for the settled estimates, alone and among others, while the server"
        " and its workers share one core.",
    ),
    Benchmark(
        "Groups",
        "groups",
        "python -m benchmarks.groups",
        "What the page of a group costs: at the first look since the server started, and again.",
    ),
    Benchmark(
        "Values of blueprints",
        "blueprint_values",
        "python -m benchmarks.blueprint_values",
        "What moves cost by a blueprint and by the solution of the round, in the chance to win the round.",
    ),
    Benchmark(
        "Time of a decision",
        "decision_time",
        "python -m benchmarks.decision_time",
        "Processor time of single decisions; `fresh` means a process for each match.",
    ),
)


def figures() -> str:
    """Return the page, with a section for each benchmark."""
    return HEAD + "".join(map(_section, BENCHMARKS))


def _section(benchmark: Benchmark) -> str:
    result = json.loads((RESULTS / f"{benchmark.result}.json").read_text(encoding="utf-8"))
    text = f"\n## {benchmark.heading}\n\n{benchmark.note} Measured on {result['day']}.\n\n"
    text += f"```sh\n{benchmark.command}\n```\n"
    tables: dict[tuple[str, ...], list[str]] = {}
    for title, values in result["figures"].items():
        keys = tuple(values)
        tables.setdefault(keys, []).append(_cells(title, *(_shown(values[key]) for key in keys)))
    for keys, rows in tables.items():
        head = _cells("", *(key.replace("_", " ") for key in keys))
        text += f"\n{head}|{'---|' * (len(keys) + 1)}\n{''.join(rows)}"
    return text


def _cells(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"


def _shown(value: float | str | None) -> str:
    match value:
        case None:
            return "-"
        case int():
            return f"{value:,}"
        case float() if abs(value) >= 1000:
            return f"{value:,.0f}"
        case float():
            return f"{value:.4g}"
        case _:
            return str(value)
