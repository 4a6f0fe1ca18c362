"""`liarsdice train value`: trains the values of states, by which reviews tell luck from play."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from liarsdice.core.errors import MalformedError
from liarsdice.runtime.optional_dependencies import import_optional


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
    from liarsdice.train.run_folder import lock_folder
    from liarsdice.train.state_value_training import NETWORK_FILE, play_tables, train_state_values

    torch.set_num_threads(threads)
    with lock_folder(out):
        paths = play_tables(out, seed, tables, matches, print, champion_tables=champion_tables)
        train_state_values(paths, seed, epochs, print, typical=typical).save(out / NETWORK_FILE)
    print(f"state values: {out / NETWORK_FILE}")
