"""All that a training run is made of."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import msgspec

from liarsdice.bots.neural.observation import SEATS, need_readable
from liarsdice.core.errors import LiarsDiceError, MalformedError, UnavailableError
from liarsdice.core.rules.presets import FULL, names
from liarsdice.core.rules.ruleset import Labels
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.runtime.atomic_files import reason
from liarsdice.sim.compile import compiled
from liarsdice.train.load_networks import CHAMPIONS, network_called, teacher_called

PLAN = "plan.json"
"""What a run's folder calls its plan."""
MOST_SEATS = 6
"""At a table that is trained on, unless the rules want more."""


def rules_to_learn() -> tuple[str, ...]:
    """All presets, and rule sheet 001 with all its options.

    >>> "perudo" in rules_to_learn()
    True
    """
    return (*names(), FULL)


Name = Annotated[str, msgspec.Meta(max_length=4096)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Some = Annotated[float, msgspec.Meta(gt=0, le=1)]
Times = Annotated[int, msgspec.Meta(ge=1, le=10_000_000)]
Tables = Annotated[int, msgspec.Meta(ge=1, le=10_000)]
Matches = Annotated[int, msgspec.Meta(ge=1, le=100_000)]
MOST_DECISIONS = 10_000_000
"""Of an iteration: all of them are in memory at a time, about a kilobyte each."""


class Recipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How to learn. Rates go down to `last` of themselves in a straight line, entropy's weight to `entropy_last`.

    `keep`: λ of the advantages; `longest`: the longest gradient; `teaching`: the weight of being like teachers, which
    falls in a straight line to nothing at half of the training (kickstarting, Schmitt and others 2018).
    """

    rate: Some = 5e-4
    last: Share = 0.05
    clip: Some = 0.2
    epochs: Annotated[int, msgspec.Meta(ge=1, le=100)] = 2
    minibatch: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] = 4096
    entropy: Share = 0.1
    entropy_last: Share = 0.02
    keep: Share = 0.5
    longest: Annotated[float, msgspec.Meta(gt=0, le=1e6)] = 0.5
    teaching: Annotated[float, msgspec.Meta(ge=0, le=100)] = 1.0


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is played, for how long, and how is learned from it.

    `rules`: presets and files of rules. `sparring`: the share of tables that have one learner among bots; `duels`: of
    those with two learners, under rules that are measured so; `against`: of those, of as few seats as may be, that have
    one learner among `rivals`, networks that learn no more (`champion@1` or files). `hardly`: what the network drops
    when it plays, see `Network`. `begin`: the checkpoint of another run, or a network, that this one begins with; it
    has as many layers, and at most as many units in each. `teachers`: by rules, networks of any size
    that show what they would answer, also the latest average of a run (its checkpoint).
    """

    rules: Annotated[tuple[Name, ...], msgspec.Meta(min_length=1, max_length=1000)] = msgspec.field(
        default_factory=rules_to_learn
    )
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)] = 1
    iterations: Times = 1000
    width: Annotated[int, msgspec.Meta(ge=1, le=4096)] = 256
    layers: Annotated[int, msgspec.Meta(ge=1, le=16)] = 2
    tables: Tables = 128
    at_once: Tables = 8
    matches: Matches = 192
    steps: Annotated[int, msgspec.Meta(ge=2, le=1000)] = 32
    sparring: Share = 0.2
    duels: Share = 0.25
    against: Share = 0.06
    rivals: Annotated[tuple[Name, ...], msgspec.Meta(max_length=1000)] = ("champion@1",)
    teachers: Annotated[dict[Name, Name], msgspec.Meta(max_length=1000)] = msgspec.field(default_factory=dict)
    hardly: Share = 0.05
    measure_every: Times = 50
    measure_matches: Matches = 1000
    begin: Name = ""
    recipe: Recipe = Recipe()


def read_plan(path: Path, *, whole: bool = False) -> Plan:
    """The plan in a file. What it leaves out is as usual, unless it has to be whole.

    Raises `UnavailableError` where there is no such file, and `MalformedError` where it holds no plan.
    """
    try:
        raw = path.read_bytes()
        plan = msgspec.json.decode(raw, type=Plan)
        told = msgspec.json.decode(raw)
    except OSError as error:
        raise UnavailableError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise MalformedError(f"{path} holds no plan of a training run: {error}") from error
    if whole and (left := set(plan.__struct_fields__) - told.keys()):
        raise MalformedError(f"{path} was kept by another version of the program: it lacks {', '.join(sorted(left))}")
    return plan


def planned(folder: Path, path: Path | None, changes: Mapping[str, object]) -> Plan:
    """The plan at a path, else that of the run in a folder, else the usual one; with changes by name of field.

    Raises what `read_plan` raises, and an error of ours where it names rules that are none.
    """
    kept = folder / PLAN
    source = path or (kept if kept.exists() else None)
    followed = read_plan(source, whole=source == kept) if source else Plan()
    found = msgspec.structs.replace(followed, **changes)
    try:
        msgspec.convert(msgspec.to_builtins(found), Plan)  # changes were not checked yet
    except msgspec.ValidationError as error:
        raise MalformedError(f"no training run can be like this: {error}") from error
    for name in found.rules:
        _need_learnable(name)
    for name in found.rivals:
        network_called(name)
    for rules, name in found.teachers.items():
        if rules not in found.rules:
            raise MalformedError(f"the plan has a teacher of {rules}, but not these rules; take it out of `teachers`")
        if not teacher_called(name).up_to_date:
            raise UnavailableError(f"{name} cannot teach {rules}: it is by an older version of the program")
    if found.at_once > found.tables:
        raise MalformedError(f"{found.at_once} tables cannot play at once where there are {found.tables}")
    if (shares := found.sparring + found.duels + found.against) > 1:
        raise MalformedError(f"sparring, duels and against are shares of all tables, but come to {shares:g} together")
    if (decisions := found.at_once * found.matches * found.steps) > MOST_DECISIONS:
        raise MalformedError(
            f"an iteration of at_once × matches × steps decisions holds at most {MOST_DECISIONS:,}, not {decisions:,}"
        )
    return found


def digests(plan: Plan) -> dict[str, str]:
    """The SHA-256 of all that a plan names and that may change, by name: rulesets, files of rivals and teachers.

    Rulesets are taken without the table's own words, which change no rule. Raises `UnavailableError` for a file that
    cannot be read.
    """
    plain = {name: msgspec.structs.replace(find_rules(name), labels=Labels()) for name in plan.rules}
    found = {name: sha256(msgspec.json.encode(rules)).hexdigest() for name, rules in plain.items()}
    for name in sorted({*plan.rivals, *plan.teachers.values()} - CHAMPIONS.keys()):
        try:
            found[name] = sha256(Path(name).read_bytes()).hexdigest()
        except OSError as error:
            raise UnavailableError(f"{name} cannot be read: {reason(error)}") from error
    return found


def _need_learnable(name: str) -> None:
    """Raise an error of ours for rules that are none, or that networks cannot play or not with so few or many seats."""
    rules = find_rules(name)
    least = rules.players.min
    try:
        need_readable(rules)
        if least > SEATS:
            raise UnavailableError(f"networks learn at tables of up to {SEATS}, not of {least}")
        for seats in {least, min(max(least, MOST_SEATS), rules.players.max or MOST_SEATS)}:
            compiled(rules, seats)
    except LiarsDiceError as error:
        raise type(error)(f"{name} cannot be learned: {error}") from error
