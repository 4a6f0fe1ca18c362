"""All that a training run is made of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.files import find_rules
from liarsdice.core.presets import names
from liarsdice.train.rollout import network_called

PLAN = "plan.json"
"""What a run's folder calls its plan."""
FULL = "classic+aces+palifico+calza+reversa"


def rules_to_learn() -> tuple[str, ...]:
    """All presets, and rule sheet 001 with all its options.

    >>> "perudo" in rules_to_learn()
    True
    """
    return (*names(), FULL)


Positive = Annotated[int, msgspec.Meta(ge=1)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Recipe(msgspec.Struct, frozen=True):
    """How to learn. Rates go down to `last` of themselves in a straight line, entropy's weight to `entropy_last`."""

    rate: float = 5e-4
    last: float = 0.05
    clip: float = 0.2
    epochs: int = 2
    minibatch: int = 4096
    entropy: float = 0.1
    entropy_last: float = 0.02
    keep: float = 0.9
    longest: float = 0.5


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is played, for how long, and how is learned from it.

    `rules`: presets and files of rules. `sparring`: the share of tables that have one learner among bots; `duels`: of
    those with two learners, under rules that are measured so; `against`: of those, of as few seats as may be, that have
    one learner among `rivals`, networks that learn no more (`champion@1` or files). `hardly`: what the network drops
    when it plays, see `Network`. `begin`: the checkpoint of another run, or a network, of the same size, that this one
    begins with.
    """

    rules: tuple[str, ...] = msgspec.field(default_factory=rules_to_learn)
    seed: Annotated[int, msgspec.Meta(ge=0)] = 1
    iterations: Positive = 1000
    width: Positive = 256
    layers: Positive = 2
    tables: Positive = 128
    at_once: Positive = 8
    matches: Positive = 192
    steps: Positive = 32
    sparring: Share = 0.28
    duels: Share = 0.25
    against: Share = 0.06
    rivals: tuple[str, ...] = ("champion@1",)
    hardly: Share = 0.05
    measure_every: Positive = 50
    measure_matches: Positive = 1000
    begin: str = ""
    recipe: Recipe = Recipe()


def read_plan(path: Path, *, whole: bool = False) -> Plan:
    """The plan in a file. What it leaves out is as usual, unless it has to be whole.

    Raises `UnavailableError` where there is no such file, and `MalformedError` where it holds no plan.
    """
    try:
        plan = msgspec.json.decode(path.read_bytes(), type=Plan)
        if whole and (left := set(plan.__struct_fields__) - msgspec.json.decode(path.read_bytes()).keys()):
            raise MalformedError(
                f"{path} was kept by another version of the program: it lacks {', '.join(sorted(left))}"
            )
        return plan
    except OSError as error:
        raise UnavailableError(f"{path} cannot be read: {error.strerror}") from error
    except msgspec.MsgspecError as error:
        raise MalformedError(f"{path} holds no plan of a training run: {error}") from error


def planned(folder: Path, path: Path | None, changes: Mapping[str, object]) -> Plan:
    """The plan at a path, else that of the run in a folder, else the usual one; with changes by name of field.

    Raises what `read_plan` raises, and an error of ours where it names rules that are none.
    """
    kept = folder / PLAN
    source = path or (kept if kept.exists() else None)
    followed = read_plan(source, whole=source == kept) if source else Plan()
    found = msgspec.structs.replace(followed, **changes)
    for name in found.rules:
        find_rules(name)
    for name in found.rivals:
        network_called(name)
    if found.at_once > found.tables:
        raise MalformedError(f"{found.at_once} tables cannot play at once where there are {found.tables}")
    if (shares := found.sparring + found.duels + found.against) > 1:
        raise MalformedError(f"sparring, duels and against are shares of all tables, but come to {shares:g} together")
    return found
