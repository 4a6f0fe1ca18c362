"""`liarsdice solve blueprint`: trains approximate strategies for rounds with many dice."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from pathlib import Path

import msgspec

from liarsdice.cli.solve.solve_options import read_dice, read_rules, require_positive
from liarsdice.cli.stdio import EXIT_INTERRUPTED
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.runtime.atomic_files import check_writable
from liarsdice.solve.blueprint.blueprint import Blueprint
from liarsdice.solve.blueprint.blueprint_file import read_blueprints, write_blueprints
from liarsdice.solve.blueprint.blueprint_trainer import BlueprintTrainer
from liarsdice.solve.blueprint.recall_graph import make_recall_graph
from liarsdice.solve.game.public_tree import dice_lost_values
from liarsdice.solve.game.round_game import make_round_game
from liarsdice.solve.game.round_start import RoundStart
from liarsdice.version import __version__

RESULT = "blueprint.ldb"
"""The file with the strategies, in the folder of a run."""
SAVE_EVERY_S = 60.0
COLUMNS = 78


class SolveBlueprintOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of `solve blueprint`. `seconds`: of processor time for each round; the run adds them to earlier ones.

    `rounds`: such as `2v2,3v2`. `recall` and `menu`: as in `make_recall_graph`. `min_share`: as in `quantized`.
    """

    rules: str
    rounds: str
    faces: int | None
    seconds: float
    recall: int
    menu: int
    min_share: float
    out: Path


def run(options: SolveBlueprintOptions) -> int:
    """Train each round, and write all rounds of the folder to one file. Returns 0, or 130 after Ctrl-C.

    Raises `MalformedError` if an option has no meaning or the folder holds something else, and `UnavailableError` if a
    round cannot be trained or a file cannot be written.
    """
    require_positive(seconds=options.seconds)
    rules = read_rules(options.rules, options.faces)
    starts = [read_dice(name.strip()) for name in options.rounds.split(",")]
    options.out.mkdir(parents=True, exist_ok=True)
    result = options.out / RESULT
    check_writable(result)
    blueprints = _known_blueprints(result, rules)
    with suppress(KeyboardInterrupt):
        for start in starts:
            trainer, interrupted = _train(rules, start, options)
            blueprints[start] = trainer.blueprint(options.min_share)
            write_blueprints(result, rules, list(blueprints.values()), __version__)
            print(
                f"{start}: {trainer.iterations:,} iterations in {trainer.cpu_s:,.0f} CPU s,"
                f" value for the player who opens {trainer.value:+.4f}",
                flush=True,
            )
            if interrupted:
                break
        else:
            print(f"wrote {result}, which plays as blueprint:{result}")
            return 0
    return EXIT_INTERRUPTED


def _known_blueprints(result: Path, rules: Ruleset) -> dict[RoundStart, Blueprint]:
    """Return the rounds that an earlier run wrote under the same rules."""
    if not result.exists():
        return {}
    file = read_blueprints(result)
    if file.ruleset() != rules:
        return {}
    found = {stored.start: file.blueprint(stored.start) for stored in file.rounds}
    return {start: blueprint.unpacked for start, blueprint in found.items() if blueprint is not None}


def _train(rules: Ruleset, start: RoundStart, options: SolveBlueprintOptions) -> tuple[BlueprintTrainer, bool]:
    """Return the trainer of a round after the run, and whether Ctrl-C ended it."""
    game = make_round_game(rules, start)
    graph = make_recall_graph(game, dice_lost_values(game), options.recall, options.menu)
    trainer = BlueprintTrainer(graph)
    run_file = options.out / f"{start.dice[0]}v{start.dice[1]}.npz"
    if run_file.exists():
        trainer.load(run_file)
    saved_s = time.monotonic()

    def on_progress(trainer: BlueprintTrainer) -> None:
        nonlocal saved_s
        if time.monotonic() - saved_s > SAVE_EVERY_S:
            trainer.save(run_file)
            saved_s = time.monotonic()
            if sys.stderr.isatty():
                line = f"{start}: {trainer.iterations:,} iterations, value {trainer.value:+.4f}"
                print(f"\r{line:<{COLUMNS}}", end="\r", file=sys.stderr, flush=True)

    interrupted = False
    try:
        trainer.run(seconds=options.seconds, on_progress=on_progress)
    except KeyboardInterrupt:
        interrupted = True
    trainer.save(run_file)
    return trainer, interrupted
