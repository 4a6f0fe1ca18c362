"""`liarsdice train blueprint`: trains approximate strategies for rounds with many dice."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from math import isnan, nan
from pathlib import Path
from typing import NamedTuple

from liarsdice.bots.external.user_bots import load_bot
from liarsdice.bots.policy import PolicyBot, policy_of
from liarsdice.cli.solve.options import read_dice, read_rules, require_positive
from liarsdice.cli.stdio import EXIT_INTERRUPTED
from liarsdice.core.errors import MalformedError, UnavailableError, counted
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.runtime.atomic_files import check_writable
from liarsdice.solve.blueprint.blueprint import Blueprint
from liarsdice.solve.blueprint.blueprint_trainer import BlueprintTrainer, require_memory
from liarsdice.solve.blueprint.learned_arrays import NO_MODELS
from liarsdice.solve.blueprint.packed_blueprint import read_blueprints, write_blueprints
from liarsdice.solve.blueprint.recall_graph import find_menus, make_recall_graph
from liarsdice.solve.match_solver import RoundValues, ValueInterval, make_match_plan, outcome_values
from liarsdice.solve.round_game import RoundStart, dice_lost_values, make_round_game
from liarsdice.values.endgames import solved_round
from liarsdice.version import __version__
from liarsdice_lab.best_response import make_models
from liarsdice_lab.cli.app import TrainBlueprintOptions
from liarsdice_lab.train.run_folder import lock_folder

RESULT = "blueprint.ldb"
"""The file with the strategies, in the folder of a run."""
SAVE_EVERY_S = 60.0
COLUMNS = 78
CYCLE_PASSES = 4
"""In how many turns rounds that lead to each other are trained, each with the latest values of the others."""


def run(options: TrainBlueprintOptions) -> int:
    """Train each round, and write all rounds of the folder to one file. Returns 0, or 130 after Ctrl-C.

    Raises `MalformedError` if an option has no meaning or the folder holds something else, and `UnavailableError` if a
    round cannot be trained or a file cannot be written.
    """
    require_positive(seconds=options.seconds)
    rules = read_rules(options.rules, options.faces)
    opponents = read_opponents(options.against)
    named = [read_dice(name.strip()) for name in options.rounds.split(",")]
    turns = _turns_of_match(rules, named) if options.match_stakes else [_Turn(start) for start in named]
    result = options.out / RESULT
    values: RoundValues = {}
    with suppress(KeyboardInterrupt), lock_folder(options.out):
        check_writable(result)
        blueprints = _known_blueprints(result, rules)
        for turn in turns:
            start = turn.start
            if options.match_stakes and (solved := solved_round(rules, start)) is not None:
                values[start] = ValueInterval(solved.bounds.low, solved.bounds.high)
                print(f"{start}: solved in the package, so it is not trained", flush=True)
                continue
            trainer, interrupted = _train(rules, turn, opponents, options, values)
            values[start] = ValueInterval(trainer.value, trainer.value)
            if interrupted or turn.number == turn.of:
                blueprints[start] = trainer.blueprint(options.min_share, options.levels)
                write_blueprints(result, rules, list(blueprints.values()), __version__)
                print(
                    f"{start}: {counted(trainer.iterations, 'iteration')} in {trainer.cpu_s:,.0f} CPU s,"
                    f" value for the player who opens {trainer.value:+.4f}",
                    flush=True,
                )
            if interrupted:
                break
        else:
            if not blueprints:
                raise UnavailableError("all of these rounds are solved in the package; name larger ones")
            print(f"wrote {result}, which plays as blueprint:{result}")
            return 0
    return EXIT_INTERRUPTED


class _Turn(NamedTuple):
    """The training of a round, or one of several turns of it if the round may come again."""

    start: RoundStart
    number: int = 1
    of: int = 1


def _turns_of_match(rules: Ruleset, named: Sequence[RoundStart]) -> Iterator[_Turn]:
    """Yield turns for some rounds and all that these may lead to, each round after those that it leads to.

    Rounds that lead to each other are trained in several turns, those with the fewest dice first. Raises
    `UnavailableError` as `make_match_plan` does.
    """
    known: set[RoundStart] = set()
    for plan in [make_match_plan(rules, start) for start in named]:
        for group in plan.groups:
            turns = CYCLE_PASSES if plan.is_cycle(group) else 1
            order = sorted(set(group) - known, key=lambda start: sum(start.stakes))
            known.update(group)
            yield from (_Turn(start, number, turns) for number in range(1, turns + 1) for start in order)


def _known_blueprints(result: Path, rules: Ruleset) -> dict[RoundStart, Blueprint]:
    """Return the rounds that an earlier run wrote. Raises `MalformedError` if its rules were others."""
    if not result.exists():
        return {}
    file = read_blueprints(result)
    if file.ruleset() != rules:
        raise MalformedError(f"{result} holds rounds under other rules; choose another folder")
    found = {stored.start: file.blueprint(stored.start) for stored in file.rounds}
    return {start: blueprint.unpacked for start, blueprint in found.items() if blueprint is not None}


def read_opponents(text: str) -> list[tuple[PolicyBot, float]]:
    """Return the bots of a text such as `threshold:0.4=0.03,champion@5=0.1`, each with its probability.

    Raises `MalformedError` if the text is anything else, and `UnavailableError` if there is no such bot, or it does not
    name the probabilities of its actions.
    """
    opponents, names = [], set[str]()
    for part in filter(None, map(str.strip, text.split(","))):
        name, equals, share = part.rpartition("=")
        try:
            prob = float(share)
        except ValueError:
            prob = nan
        if not equals or isnan(prob):
            raise MalformedError(f"--against takes bots such as threshold:0.4=0.03, not {part!r}")
        if (name := name.strip()) in names:
            raise MalformedError(f"--against names {name} twice")
        names.add(name)
        opponents.append((policy_of(load_bot(name)), prob))
    return opponents


def _train(
    rules: Ruleset,
    turn: _Turn,
    opponents: Sequence[tuple[PolicyBot, float]],
    options: TrainBlueprintOptions,
    values: RoundValues,
) -> tuple[BlueprintTrainer, bool]:
    """Return the trainer of a round after a turn, and whether Ctrl-C ended it.

    `values`: of the rounds that may follow, which count with match stakes; an unknown one counts 0.
    """
    start = turn.start
    game = make_round_game(rules, start)
    worth = of_dice = dice_lost_values(game)
    if options.match_stakes:
        low, high = outcome_values(game.outcomes, values)
        worth = (low + high) / 2
    menus = find_menus(game, of_dice, options.menu)  # they stay what they are when the worth changes
    graph = make_recall_graph(game, worth, options.recall, options.menu, menus=menus)
    require_memory(graph, len(opponents))  # before bots are asked at all nodes
    models = make_models(graph, opponents) if opponents else NO_MODELS
    trainer = BlueprintTrainer(graph, models, match_stakes=options.match_stakes)
    run_file = options.out / f"{str(start).replace(', ', '-').replace(' ', '-')}.npz"
    if run_file.exists():
        trainer.load(run_file)
    saved_s = time.monotonic()

    def on_progress(trainer: BlueprintTrainer) -> None:
        nonlocal saved_s
        if time.monotonic() - saved_s > SAVE_EVERY_S:
            trainer.save(run_file)
            saved_s = time.monotonic()
            if sys.stderr.isatty():
                line = f"{start}: {counted(trainer.iterations, 'iteration')}, value {trainer.value:+.4f}"
                print(f"\r{line:<{COLUMNS}}", end="\r", file=sys.stderr, flush=True)

    interrupted = False
    try:
        if options.iterations is None:
            trainer.run(seconds=options.seconds / turn.of, on_progress=on_progress)
        else:
            trainer.run(
                iterations=options.iterations * turn.number // turn.of - trainer.iterations, on_progress=on_progress
            )
    except KeyboardInterrupt:
        interrupted = True
    trainer.save(run_file)
    return trainer, interrupted
