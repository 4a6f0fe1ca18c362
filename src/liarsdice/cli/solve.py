"""`liarsdice solve`: exact play in one round of two players, and how far from it play still is."""

from __future__ import annotations

import json
import re
import resource
import sys
import time

import msgspec

from liarsdice.core.errors import MalformedError
from liarsdice.core.files import find_rules
from liarsdice.solve.cfr import Bounds, Method, Solver, solve
from liarsdice.solve.fits import tree_that_fits
from liarsdice.solve.tables import Opening, Round, round_of, with_faces

DICE = re.compile(r"([1-9]\d*)v([1-9]\d*)")
USUAL_TARGET = 1e-3


class Options(msgspec.Struct, frozen=True):
    """What to solve, and when to stop."""

    rules: str
    dice: str
    faces: int | None
    method: str
    target: float | None
    iterations: int | None
    seconds: float | None
    threads: int
    as_json: bool


def run(options: Options) -> int:
    """Solve and print. Returns 0."""
    rules = find_rules(options.rules)
    if options.faces is not None:
        rules = with_faces(rules, options.faces)
    found = DICE.fullmatch(options.dice)
    if found is None:
        raise MalformedError(f"--dice is the dice of the two players, as in 2v1, not {options.dice!r}")
    dice = int(found[1]), int(found[2])
    try:
        method = Method(options.method)
    except ValueError:
        raise MalformedError(f"--method is one of {', '.join(map(str, Method))}, not {options.method!r}") from None
    target = options.target
    if target is None and options.iterations is None and options.seconds is None:
        target = USUAL_TARGET
    for name, number in (("target", target), ("iterations", options.iterations), ("seconds", options.seconds)):
        if number is not None and not 0 < number < float("inf"):
            raise MalformedError(f"--{name} is a number above 0, not {number}")
    table = round_of(rules, Opening(dice))
    tree = tree_that_fits(table, method)
    solver = Solver(tree, method, threads=options.threads)
    compile_s = solver.get_ready()
    began_s, cpu_s = time.perf_counter(), time.process_time()
    tell = None if options.as_json or not sys.stderr.isatty() else _tell
    bounds = solve(solver, target=target, iterations=options.iterations, seconds=options.seconds, tell=tell)
    learned_s, nodes = round(time.process_time() - cpu_s, 3), tree.kinds[tree.root].nodes
    if tell:
        print(file=sys.stderr)
    if not options.as_json:
        print(_as_text(table, nodes, bounds, f"{bounds.iterations} iterations of {method}, {learned_s} CPU s"))
        return 0
    figures = {
        "exploitability": bounds.exploitability,
        "value": (bounds.low + bounds.high) / 2,
        "value_bounds": [bounds.low, bounds.high],
        "iterations": bounds.iterations,
        "cpu_s": learned_s,
        "wall_s": round(time.perf_counter() - began_s, 3),
        "compile_s": round(compile_s, 3),
        "rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000, 1),
        "public_nodes": nodes,
        "method": method.value,
    }
    print(json.dumps(figures, indent=2))
    return 0


def _tell(bounds: Bounds) -> None:
    print(f"\r{bounds.iterations:>8} iterations, exploitability {bounds.exploitability:.2e} ", end="", file=sys.stderr)


def _as_text(table: Round, nodes: int, bounds: Bounds, spent: str) -> str:
    rules, value = table.rules, (bounds.low + bounds.high) / 2
    game = f"{rules.labels.game}, {table.opening.dice[0]} dice against {table.opening.dice[1]}, {rules.dice.faces} faces"
    return "\n".join(
        (
            f"{game}: {nodes:,} public nodes",
            f"value for who opens: {value:+.6f} (between {bounds.low:.6f} and {bounds.high:.6f})",
            f"exploitability {bounds.exploitability:.2e} after {spent}",
        )
    )
