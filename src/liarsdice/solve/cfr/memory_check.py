"""Whether a round fits into memory, told before anything is taken."""

from __future__ import annotations

import os

from liarsdice.core.errors import UnavailableError
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.cfr.tree_layout import layout_of
from liarsdice.solve.game.public_tree import Tree, dice_lost, tree_of
from liarsdice.solve.game.round_game import MOST_WAYS, Round, round_of, ways_of
from liarsdice.solve.game.round_start import Opening

BYTES = 4
GIB = 2**30


def tree_that_fits(table: Round, method: Method, free: int | None = None) -> Tree:
    """The tree of a round by itself (`dice_lost`).

    Raises `UnavailableError` where it needs more memory than is free; that names the nearest round that fits. `free`:
    bytes, None to ask the system.
    """
    free = free_bytes() if free is None else free
    tree, needed = _fitting(table, method, free)
    if tree is not None:
        return tree
    first, second = table.opening.dice
    while max(first, second) > 1:
        first, second = (first - 1, second) if first >= second else (first, second - 1)
        smaller = round_of(table.rules, Opening((first, second)))
        if _fitting(smaller, method, free)[0] is not None:
            raise UnavailableError(f"{needed}; {first}v{second} fits")
    raise UnavailableError(f"{needed}; fewer faces need less")


def _fitting(table: Round, method: Method, free: int | None) -> tuple[Tree | None, str]:
    """The tree if it fits, and how much it needs."""
    name, ways = f"{table.opening.dice[0]}v{table.opening.dice[1]}", ways_of(table)
    if ways > MOST_WAYS:
        return None, f"{name} has {ways:.1e} public nodes, more than any memory holds"
    tree = tree_of(table, dice_lost(table))
    try:
        need_room(tree, method, free)
    except UnavailableError as error:
        return None, str(error)
    return tree, name


def need_room(tree: Tree, method: Method, free: int | None = None) -> None:
    """Raise `UnavailableError` unless what is learned about a tree fits, and the strategy that comes of it beside it.

    `free`: bytes, None to ask the system.
    """
    free = free_bytes() if free is None else free
    needed = layout_of(tree).rows * BYTES * (4 if method is Method.PCFR_PLUS else 3)
    if free is not None and needed > free:
        name = tree.round.opening
        raise UnavailableError(f"{name} needs {needed / GIB:,.1f} GiB of memory and {free / GIB:,.1f} are free")


def free_bytes() -> int | None:
    """Memory that is free now; None where the system does not tell."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None
