"""Whether solving a round fits into memory, checked before anything is allocated."""

from __future__ import annotations

import os

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.meaning import has_lives
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.cfr.tree_layout import make_tree_layout
from liarsdice.solve.game.public_tree import PublicTree, dice_lost_values, make_public_tree
from liarsdice.solve.game.round_game import MAX_BID_SEQUENCES, RoundGame, count_bid_sequences, make_round_game
from liarsdice.solve.game.round_start import RoundStart

BYTES_PER_NUMBER = 4
GIB = 2**30


def make_tree_that_fits(game: RoundGame, method: Method, free: int | None = None) -> PublicTree:
    """Return the public tree of a round by itself, with outcomes valued by `dice_lost_values`.

    `free`: available bytes, None to ask the system. Raises `UnavailableError` if the tree needs more; the message names
    the nearest smaller round that fits.
    """
    free = free_memory_bytes() if free is None else free
    tree, needs = _tree_if_it_fits(game, method, free)
    if tree is not None:
        return tree
    first, second = (1, 1) if has_lives(game.rules) else game.start.dice  # in games for lives everybody keeps all dice
    while max(first, second) > 1:
        first, second = (first - 1, second) if first >= second else (first, second - 1)
        smaller = make_round_game(game.rules, RoundStart((first, second)))
        if _tree_if_it_fits(smaller, method, free)[0] is not None:
            raise UnavailableError(f"{needs}; {first}v{second} fits")
    raise UnavailableError(f"{needs}; fewer faces need less")


def _tree_if_it_fits(game: RoundGame, method: Method, free: int | None) -> tuple[PublicTree | None, str]:
    """Return the tree, or None and a text that says how much it needs."""
    name, sequences = f"{game.start.dice[0]}v{game.start.dice[1]}", count_bid_sequences(game)
    if sequences > MAX_BID_SEQUENCES:
        return None, f"{name} has {sequences:.1e} public nodes, more than any memory holds"
    tree = make_public_tree(game, dice_lost_values(game))
    try:
        check_memory(tree, method, free)
    except UnavailableError as error:
        return None, str(error)
    return tree, name


def check_memory(tree: PublicTree, method: Method, free: int | None = None) -> None:
    """Raise `UnavailableError` unless there is memory for solving a tree and for the strategy that results.

    `free`: available bytes, None to ask the system.
    """
    free = free_memory_bytes() if free is None else free
    needed = make_tree_layout(tree).rows * BYTES_PER_NUMBER * (4 if method is Method.PCFR_PLUS else 3)
    if free is not None and needed > free:
        name = tree.game.start
        raise UnavailableError(f"{name} needs {needed / GIB:,.1f} GiB of memory and {free / GIB:,.1f} are free")


def free_memory_bytes() -> int | None:
    """Return the available physical memory in bytes, or None if the system does not say."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None
