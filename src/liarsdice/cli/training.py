"""`liarsdice train`: how a neural bot is made."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from liarsdice.train.ppo import Learned


def train(
    out: Annotated[Path, typer.Option("--out", "-o", help="The run's folder; a run that it holds goes on.")],
    rules: Annotated[
        str, typer.Option(help="Rulesets to learn, with commas between them; all presets unless given.")
    ] = "",
    iterations: Annotated[int, typer.Option(min=1, help="How many rounds of playing and learning in all.")] = 1000,
    minutes: Annotated[float | None, typer.Option(help="Pause after so many minutes.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed makes the same network, if nothing breaks off.")] = 1,
    threads: Annotated[int, typer.Option(min=1, help="Threads to learn on.")] = 2,
) -> None:
    """Train a neural bot by playing against itself. Needs PyTorch: pip install 'liarsdice[train]'.

    The folder keeps the plan, a checkpoint, the curve as CSV, and the best network so far by measured strength.
    """
    from liarsdice.core.errors import UnavailableError
    from liarsdice.core.presets import preset

    try:
        import torch
    except ImportError as error:
        raise UnavailableError("training needs PyTorch: pip install 'liarsdice[train]'") from error
    from liarsdice.train.pool import rules_to_learn
    from liarsdice.train.run import BEST, Plan, Run

    names = tuple(name.strip() for name in rules.split(",")) if rules else rules_to_learn()
    for name in names:
        preset(name)
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    run = Run(out, Plan(names, seed=seed, iterations=iterations))
    began_s = time.monotonic()

    def tell(done: int, learned: Learned, pace: float) -> None:
        left_min = (iterations - done) * (time.monotonic() - began_s) / 60 / max(done - before, 1)
        print(
            f"{done}/{iterations}, {pace:,.0f} decisions/s, entropy {learned.entropy:.2f},"
            f" value loss {learned.value:.4f}, about {left_min:.0f} min left",
            flush=True,
        )

    before = run.done
    run.go(tell, until_s=None if minutes is None else 60 * minutes)
    print(f"strongest so far: {run.best:.1%} of matches at the yardsticks, in {out / BEST}")
