"""Whether a round fits into memory, told before anything is taken."""

from __future__ import annotations

import os

from liarsdice.core.errors import UnavailableError
from liarsdice.solve.cfr import Method
from liarsdice.solve.tables import round_of
from liarsdice.solve.tree import Tree, dice_lost, layout_of, tree_of

BYTES = 4
GIB = 2**30


def needed_bytes(tree: Tree, method: Method) -> int:
    """What solving takes: two numbers a row and lane, three for PCFR+."""
    return layout_of(tree).rows * BYTES * (3 if method is Method.PCFR_PLUS else 2)


def free_bytes() -> int | None:
    """Memory that is free now; None where the system does not tell."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None


def check_fits(tree: Tree, method: Method, free: int | None = None) -> None:
    """Raise `UnavailableError` where a round needs more memory than there is; it names the nearest that fits."""
    free = free_bytes() if free is None else free
    needed = needed_bytes(tree, method)
    if free is None or needed <= free:
        return
    dice = tree.round.dice
    told = f"{dice[0]}v{dice[1]} needs {needed / GIB:,.1f} GiB of memory and {free / GIB:,.1f} are free"
    while max(dice) > 1:
        dice = (dice[0] - 1, dice[1]) if dice[0] >= dice[1] else (dice[0], dice[1] - 1)
        smaller = round_of(tree.round.rules, dice, starter=tree.round.starter)
        if needed_bytes(tree_of(smaller, dice_lost(smaller)), method) <= free:
            raise UnavailableError(f"{told}; {dice[0]}v{dice[1]} fits")
    raise UnavailableError(f"{told}; fewer faces need less")
