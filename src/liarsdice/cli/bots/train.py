"""`liarsdice train`: how a neural bot is made."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from liarsdice.runtime.optional_dependencies import import_optional
from liarsdice.runtime.signals import ORDERS, hearing

if TYPE_CHECKING:
    from liarsdice.train.ppo import Learned

MOST_THREADS = 1024
SIGNALS = (signal.SIGINT, *ORDERS)


class Stop:
    """Whether a signal asked for a pause, and which one (0: none)."""

    def __init__(self) -> None:
        self.signal = 0

    def __call__(self) -> bool:
        """Whether one did."""
        return self.signal != 0

    def end(self, message: str) -> None:
        """End as whoever got that signal does, and say how far it came."""
        print(message)
        raise typer.Exit(128 + self.signal)


@contextmanager
def stopping() -> Iterator[Stop]:
    """Let the first Ctrl-C or order to stop ask for a pause, and the second one end the program at once."""
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def ask(number: int) -> None:
        stop.signal = number
        with suppress(OSError, ValueError):  # print may be at work just now, and cannot be called within itself
            os.write(sys.stderr.fileno(), b"liarsdice: pauses after this iteration; once more ends it at once\n")

    with hearing(SIGNALS, ask):
        yield stop


def _folder(text: str) -> Path:
    if not text.strip():
        raise typer.BadParameter("it names no folder; `.` is this one")
    return Path(text)


def train(  # noqa: PLR0917  typer calls it by name
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", parser=_folder, metavar="PATH", help="The run's folder; a run that it holds goes on."
        ),
    ],
    plan: Annotated[Path | None, typer.Option(help="A plan to follow, such as another run's plan.json.")] = None,
    rules: Annotated[
        str | None,
        typer.Option(help="Presets or files of rules to learn, with commas between them; all presets unless given."),
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(min=1, help="How many rounds of playing and learning in all; 1,000 unless given.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="The same seed makes the same network, if nothing breaks off; 1 unless given."),
    ] = None,
    begin: Annotated[
        str | None, typer.Option(help="Begin with another run's checkpoint.pt, or a network: champion@1 or a file.")
    ] = None,
    width: Annotated[
        int | None,
        typer.Option(min=1, help="Units in each layer, at least those of what it begins with; 256 unless given."),
    ] = None,
    minutes: Annotated[float | None, typer.Option(min=0, help="Pause after so many minutes.")] = None,
    threads: Annotated[int, typer.Option(min=1, max=MOST_THREADS, help="Threads to learn on.")] = 2,
    values: Annotated[
        int, typer.Option(min=0, help="Then learn what answers are worth, in so many rounds; 400 make good ones.")
    ] = 0,
    ray: Annotated[bool, typer.Option("--ray", help="Play on all that Ray has, and learn here.")] = False,
) -> None:
    """Train a neural bot by playing against itself and others. Needs PyTorch, which the extra `train` installs.

    The folder keeps the plan, a checkpoint, the curve as CSV, and the best network so far by measured strength.
    """
    torch = import_optional("torch", "train", "training needs PyTorch")
    from liarsdice.train.collect import gather_by_ray
    from liarsdice.train.config import planned
    from liarsdice.train.run_folder import held
    from liarsdice.train.trainer import BEST, Run
    from liarsdice.train.value_training import VALUES, learn_values

    names = tuple(name.strip() for name in rules.split(",")) if rules is not None else None
    asked = {"rules": names, "iterations": iterations, "seed": seed, "begin": begin, "width": width}
    followed = planned(out, plan, {name: value for name, value in asked.items() if value is not None})
    torch.set_num_threads(threads)
    torch.manual_seed(followed.seed)
    with held(out), gather_by_ray(followed) if ray else nullcontext() as gather, stopping() as stop:
        run = Run(out, followed, gather)
        before, began_s = run.done, time.monotonic()

        def tell(done: int, learned: Learned, pace: float) -> None:
            left_min = (followed.iterations - done) * (time.monotonic() - began_s) / 60 / max(done - before, 1)
            print(
                f"{done}/{followed.iterations}, {pace:,.0f} decisions/s, entropy {learned.entropy:.2f},"
                f" value loss {learned.value:.4f}, about {left_min:.0f} min left",
                flush=True,
            )

        run.go(tell, until_s=None if minutes is None else 60 * minutes, stop=stop)
        if stop():
            stop.end(f"paused after {run.done} iterations; the same command goes on from there")
        if (out / BEST).exists():
            print(f"strongest so far: {run.best:.1%} of matches at the yardsticks, in {out / BEST}")
        else:
            print(f"paused after {run.done} iterations; strength is measured every {followed.measure_every}")
        if not values:
            return

        def tell_values(done: int, error: float) -> None:
            print(f"{done}/{values}, error {error:.4f}", flush=True)
            if stop() and done < values:
                stop.end(f"stopped after {done} of {values} rounds; what answers are worth is learned in one go")

        learn_values(out, followed, values, tell_values)
        print(f"what answers are worth: {out / VALUES}")
