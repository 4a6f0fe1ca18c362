"""`liarsdice train`: trains a neural bot, and pauses after an iteration on Ctrl-C or a stop signal."""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from liarsdice.cli.stdio import format_duration
from liarsdice.core.errors import MalformedError, counted
from liarsdice.runtime.processes import STOP_SIGNALS, handle_signals
from liarsdice.runtime.public_api import import_optional

if TYPE_CHECKING:
    from liarsdice_lab.train.balance import Figures
    from liarsdice_lab.train.config import TrainingConfig
    from liarsdice_lab.train.distillation import Measure, TaughtRound
    from liarsdice_lab.train.ppo import UpdateStats
    from liarsdice_lab.train.trainer import CollectExperience, Evaluated, Trainer


MAX_THREADS = 1024
SIGNALS = (signal.SIGINT, *STOP_SIGNALS)


class PauseRequest:
    """Whether a signal has requested a pause, and the number of the signal (0: none)."""

    def __init__(self) -> None:
        self.signal = 0

    def __call__(self) -> bool:
        """Whether a pause is requested."""
        return self.signal != 0

    def exit(self, message: str) -> None:
        """Print a message and exit with 128 and the number of the signal. Raises `Exit`."""
        print(message)
        raise typer.Exit(128 + self.signal)


@contextmanager
def pause_on_signal() -> Iterator[PauseRequest]:
    """Make the first Ctrl-C or stop signal request a pause, and the second one end the program."""
    pause = PauseRequest()
    if threading.current_thread() is not threading.main_thread():
        yield pause
        return

    def request(number: int) -> None:
        pause.signal = number
        with suppress(OSError, ValueError):  # print is not reentrant, and may have been interrupted
            os.write(
                sys.stderr.fileno(),
                b"liarsdice: the run pauses after this iteration; a second signal ends it at once\n",
            )

    with handle_signals(SIGNALS, request):
        yield pause


def _folder(text: str) -> Path:
    """Return the folder that an option names. Raises `BadParameter` if it is empty."""
    if not text.strip():
        raise typer.BadParameter("an empty path; use `.` for the current folder")
    return Path(text)


def _collecting(config: TrainingConfig, *, workers: int, ray: bool) -> AbstractContextManager[CollectExperience | None]:
    """Return how experience is collected; None: in this process. Raises `BadParameter` for both ways at once."""
    from liarsdice_lab.train.trainer import collect_with_processes, collect_with_ray

    if ray and workers:
        raise typer.BadParameter("--ray and --workers are two ways to play; choose one")
    if ray:
        return collect_with_ray(config)
    return collect_with_processes(config, workers) if workers else nullcontext()


def describe_best(trainer: Trainer) -> str:
    """Return a clause that names the best network of a run as the bot that plays it, and says how strong it is."""
    if not trainer.best_file.exists():
        return "there is no network yet"
    measured = "its strength is not measured" if trainer.best is None else describe_figures(trainer.best)
    return f"the best network plays as network:{trainer.best_file} ({measured})"


def describe_figures(figures: Figures) -> str:
    """Return a clause that says what was measured of a network."""
    parts = []
    if figures.exploitability is not None:
        parts.append(f"exploitability {figures.exploitability:.3f}")
    if figures.floor is not None:
        parts.append(f"at least {figures.floor:.3f} with more dice")
    if figures.hunter_share is not None:
        parts.append(f"a hunter wins {figures.hunter_share:.0%} of its rounds")
    return ", ".join([*parts, f"it wins {figures.strength:.1%} of the evaluation matches"])


train_app = typer.Typer(invoke_without_command=True, rich_markup_mode=None)


@train_app.callback()
def train(  # noqa: PLR0917  typer passes arguments by name
    context: typer.Context,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            parser=_folder,
            metavar="PATH",
            help="The folder of the run; an existing run continues.",
        ),
    ] = None,
    config_file: Annotated[
        Path | None,
        typer.Option("--config", help="The configuration to use, such as the plan.json of another run."),
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option(help="Presets or files of rules to learn, separated by commas (default: all that are simulated)."),
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(min=1, help="The number of iterations of play and learning in all (default: 1,000).")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="The same seed gives the same network if the run is not interrupted (default: 1)."),
    ] = None,
    start_from: Annotated[
        str | None,
        typer.Option(help="Start from the checkpoint.pt of another run, or from a network: champion@5 or a file."),
    ] = None,
    width: Annotated[
        int | None,
        typer.Option(min=1, help="Units in each layer, at least those of the network it starts from (default: 256)."),
    ] = None,
    minutes: Annotated[float | None, typer.Option(min=0, help="Pause in time to end within this many minutes.")] = None,
    threads: Annotated[int, typer.Option(min=1, max=MAX_THREADS, help="The number of threads for learning.")] = 2,
    workers: Annotated[
        int, typer.Option(min=0, help="Play in this many processes of this machine, and learn in another one.")
    ] = 0,
    ray: Annotated[
        bool, typer.Option("--ray", help="Play with Ray on all its machines, and learn on this one.")
    ] = False,
) -> None:
    """Train a neural bot by play against itself and other bots. Needs PyTorch, which the extra `train` installs.

    The folder contains the configuration, a checkpoint, the learning curve as CSV, and the best network so far.
    """
    if context.invoked_subcommand is not None:
        return
    began_s = time.monotonic()
    if out is None:
        raise MalformedError("name the folder of the run: liarsdice train --out FOLDER")
    torch = import_optional("torch", "train", "training needs PyTorch")
    from liarsdice_lab.train.config import load_config
    from liarsdice_lab.train.run_folder import lock_folder
    from liarsdice_lab.train.trainer import Trainer

    names = tuple(name.strip() for name in rules.split(",")) if rules is not None else None
    overrides = {"rules": names, "iterations": iterations, "seed": seed, "initial_weights": start_from, "width": width}
    config = load_config(out, config_file, {name: value for name, value in overrides.items() if value is not None})
    torch.set_num_threads(threads)
    torch.manual_seed(config.seed)
    collecting = _collecting(config, workers=workers, ray=ray)
    with lock_folder(out), collecting as collector, pause_on_signal() as pause:
        trainer = Trainer(out, config, collector)

        def print_progress(done: int, stats: UpdateStats, decisions_per_s: float) -> None:
            remaining_s = trainer.remaining_s()
            remaining = "" if remaining_s is None else f", about {format_duration(remaining_s)} left"
            print(
                f"{done}/{config.iterations}, {decisions_per_s:,.0f} decisions/s, entropy {stats.entropy:.2f},"
                f" value loss {stats.value_loss:.4f}{remaining}",
                flush=True,
            )

        def print_evaluation(evaluated: Evaluated) -> None:
            best = "; the best so far" if evaluated.is_best else ""
            print(f"evaluated after {evaluated.iteration}: {describe_figures(evaluated.figures)}{best}", flush=True)

        until_s = math.inf if minutes is None else began_s + 60 * minutes
        trainer.run(print_progress, until_s=until_s, stop=pause, report_evaluation=print_evaluation)
        network = describe_best(trainer)
        if pause():
            pause.exit(
                f"paused after {counted(trainer.iterations_done, 'iteration')}; the same command continues; {network}"
            )
        print(network)


def value(
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder of the run; tables in it are not played again.")],
    tables: Annotated[
        int, typer.Option(min=1, help="The number of tables, each with rules and players by chance.")
    ] = 160,
    matches: Annotated[int, typer.Option(min=1, help="The number of matches at each table.")] = 300,
    champion_tables: Annotated[
        int, typer.Option(min=0, help="The number of further tables, with champions only, whose kind is never hidden.")
    ] = 0,
    typical: Annotated[
        bool, typer.Option("--typical", help="Never show the network who plays: it learns typical players only.")
    ] = False,
    epochs: Annotated[int, typer.Option(min=1, help="How often each sample is learned from.")] = 4,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same network.")] = 1,
    threads: Annotated[int, typer.Option(min=1, max=1024, help="The number of threads for learning.")] = 2,
) -> None:
    """Train the values of states with all dice known, from matches of all kinds of bots.

    The folder contains the samples of each table, and the network `value.npz`. Needs PyTorch, which the extra `train`
    installs.
    """
    if typical and champion_tables:
        raise MalformedError("--typical learns from mixed tables alone: leave out --champion-tables")
    torch = import_optional("torch", "train", "training needs PyTorch")
    from liarsdice_lab.train.run_folder import lock_folder
    from liarsdice_lab.train.state_value_training import NETWORK_FILE, play_tables, train_state_values

    torch.set_num_threads(threads)
    with lock_folder(out):
        paths = play_tables(out, seed, tables, matches, print, champion_tables=champion_tables)
        train_state_values(paths, seed, epochs, print, typical=typical).save(out / NETWORK_FILE)
    print(f"state values: {out / NETWORK_FILE}")


def read_round(text: str) -> TaughtRound:
    """Return the round of a text such as `perudo:2v2`. Raises `MalformedError` for any other text."""
    from liarsdice.cli.solve.options import read_dice
    from liarsdice_lab.train.distillation import TaughtRound

    rules, separator, dice = text.strip().rpartition(":")
    if not separator:
        raise MalformedError(f"a round is rules and the dice of the two players, such as perudo:2v2, not {text!r}")
    return TaughtRound(rules, read_dice(dice).dice)


def distill(  # noqa: PLR0917  typer passes arguments by name
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder of the run; an existing run continues.")],
    rounds: Annotated[
        str, typer.Option(help="The rounds that blueprints teach, separated by commas.")
    ] = "perudo:2v2,openspiel:2v2",
    teacher: Annotated[
        str, typer.Option(help="The network that teaches everything else: champion@7 or a file.")
    ] = "champion@7",
    start_from: Annotated[str, typer.Option(help="The network to start from.")] = "champion@7",
    width: Annotated[int, typer.Option(min=1, max=4096, help="Units in each layer.")] = 256,
    steps: Annotated[int, typer.Option(min=1, help="The number of minibatches to learn from.")] = 2500,
    learning_rate: Annotated[
        float, typer.Option(min=1e-6, max=1, help="The rate of Adam at first; it falls along a cosine.")
    ] = 1e-3,
    min_prob_ratio: Annotated[
        float, typer.Option(min=0, max=1, help="The network drops actions below this fraction of the likeliest.")
    ] = 0.05,
    iterations: Annotated[int, typer.Option(min=1, help="The number of iterations of each blueprint.")] = 100,
    match_share: Annotated[
        float,
        typer.Option(min=0, max=0.99, help="The share of what is learned that comes from matches of the network."),
    ] = 0.4,
    tables: Annotated[int, typer.Option(min=1, help="The number of tables of these matches.")] = 128,
    measure_every: Annotated[int, typer.Option(min=1, help="Compute best responses after so many minibatches.")] = 250,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same network.")] = 1,
    threads: Annotated[int, typer.Option(min=1, max=1024, help="The number of threads for learning.")] = 2,
) -> None:
    """Teach a network balanced play of rounds of two players, and keep what it knows of everything else.

    The folder contains what the teachers say, a checkpoint, the learning curve as CSV, and the network. Needs PyTorch,
    which the extra `train` installs.
    """
    torch = import_optional("torch", "train", "training needs PyTorch")
    from liarsdice_lab.train.distillation import NETWORK_FILE, DistillationConfig, Distiller
    from liarsdice_lab.train.run_folder import lock_folder

    config = DistillationConfig(
        rounds=tuple(read_round(text) for text in rounds.split(",")),
        teacher=teacher,
        initial_weights=start_from,
        width=width,
        steps=steps,
        learning_rate=learning_rate,
        min_prob_ratio=min_prob_ratio,
        iterations=iterations,
        match_share=match_share,
        tables=tables,
        measure_every=measure_every,
        seed=seed,
    )
    torch.set_num_threads(threads)
    torch.manual_seed(seed)

    def print_measure(done: int, measure: Measure) -> None:
        found = zip(config.different_rounds, measure.exploitability, strict=True)
        by_round = ", ".join(f"{taught} {value:.3f}" for taught, value in found)
        print(f"{done}/{steps}, exploitability at least: {by_round}", flush=True)

    with lock_folder(out), pause_on_signal() as pause:
        distiller = Distiller(out, config, print)
        distiller.run(print_measure, pause)
        if pause():
            pause.exit(f"paused after {counted(distiller.steps_done, 'step')}; the same command continues")
    print(f"the network plays as network:{out / NETWORK_FILE}")
