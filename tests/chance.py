"""Draws all random numbers of a process of the tests from one seed, so that a test has the same dice each time.

The program takes them from `secrets` and from generators without a seed: codes of tables, keys, tokens, the seeds of
matches, from which bots and dice follow. `LIARSDICE_TEST_SEED=7 pytest ...` runs tests with other numbers.
"""

import os
import random
import secrets

SEED_VARIABLE = "LIARSDICE_TEST_SEED"

_CHANCE = random.Random()
_seed_generator = random.Random.seed


def install() -> None:
    """Let `secrets` and generators without a seed draw from here. NumPy, imported later, draws from `secrets`."""
    secrets.token_bytes = lambda nbytes=None: _CHANCE.randbytes(32 if nbytes is None else nbytes)
    secrets.choice = _CHANCE.choice
    secrets.randbits = _CHANCE.getrandbits  # type: ignore[assignment]
    secrets.randbelow = _CHANCE.randrange  # type: ignore[assignment]
    random.Random.seed = _seed  # type: ignore[method-assign]


def reseed(name: str) -> None:
    """Begin anew with the numbers of a name, such as the id of a test."""
    seed = f"{os.environ.get(SEED_VARIABLE, '')} {name}"
    _seed_generator(_CHANCE, seed)
    random.seed(seed)


def _seed(self: random.Random, a: float | str | bytes | bytearray | None = None, version: int = 2) -> None:
    _seed_generator(self, _CHANCE.getrandbits(128) if a is None else a, version)
