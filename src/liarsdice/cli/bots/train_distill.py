"""`liarsdice train distill`: teaches a network balanced play from blueprints of rounds of two players."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from liarsdice.cli.bots.train import pause_on_signal
from liarsdice.core.errors import MalformedError
from liarsdice.runtime.optional_dependencies import import_optional

if TYPE_CHECKING:
    from liarsdice.train.distillation import Measure, TaughtRound


def read_round(text: str) -> TaughtRound:
    """Return the round of a text such as `perudo:2v2`. Raises `MalformedError` for any other text."""
    from liarsdice.cli.solve.solve_options import read_dice
    from liarsdice.train.distillation import TaughtRound

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
    from liarsdice.train.distillation import NETWORK_FILE, DistillationConfig, Distiller
    from liarsdice.train.run_folder import lock_folder

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
            pause.exit(f"paused after {distiller.steps_done} steps; the same command continues")
    print(f"the network plays as network:{out / NETWORK_FILE}")
