"""Blueprints as the play of a bot: which round of a view they know, and what a best answer to them is worth."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.blueprint.blueprint import Blueprint, BlueprintPlay
from liarsdice.solve.blueprint.packed_blueprint import BlueprintFile, PackedBlueprint, read_blueprints
from liarsdice.solve.blueprint.recall_graph import DEFAULT_RECALL
from liarsdice.solve.round_game import RoundStart, round_start_of
from liarsdice.solve.strategy.strategy import canonical_rules


class BlueprintFiles(NamedTuple):
    """Files of blueprints in the package, one for each of some presets.

    `suffix`: how the names of the files end. `rounds`: the dice of the player who opens and of the other player; empty
    for any round.
    """

    suffix: str
    presets: tuple[str, ...]
    rounds: tuple[tuple[int, int], ...] = ()

    def file(self, name: str) -> str:
        """Return the name of the file of a preset.

        >>> SMALL_ROUNDS.file("joker"), LARGE_ROUNDS.file("perudo")
        ('blueprint-joker-small.ldb', 'blueprint-perudo.ldb')
        """
        return f"blueprint-{name}{self.suffix}.ldb"


LARGE_ROUNDS = BlueprintFiles("", ("openspiel", "perudo"))
"""All rounds of two players of `perudo`, and the round of five dice each of `openspiel`."""
SMALL_ROUNDS = BlueprintFiles(
    "-small",
    (
        "basic",
        "bluff",
        "chart",
        "chui-niu",
        "joker",
        "mustache",
        "official-strict",
        "openspiel",
        "pirates",
        "red-dead",
        "snyd-joker",
    ),
    ((2, 2), (3, 1), (1, 3)),
)
"""The rounds of four dice together; `basic` stands for all presets with its rounds."""
MIDDLE_ROUNDS = BlueprintFiles("-middle", ("openspiel",), ((3, 3),))
"""The rounds of three dice each."""
PACKAGED_FILES = SMALL_ROUNDS, MIDDLE_ROUNDS, LARGE_ROUNDS
"""All files of blueprints in the package."""
LEANING_PRESETS = ("perudo",)
"""The presets whose blueprints were trained for opponents that may be met (`exploitability.make_models`)."""
KEPT_BLUEPRINTS = 64
"""How many computed blueprints a process keeps: each takes up to 0.7 MB with dice of six faces, and 1.5 MB of eight."""
PACKAGED_RECALL = 4
"""The most bids that a blueprint in the package remembers."""


RoundBlueprint = Blueprint | PackedBlueprint
"""A blueprint of one round, in memory or as stored."""


class Blueprints(Protocol):
    """Blueprints of some rounds, as a bot asks for them."""

    @property
    def recall(self) -> int:
        """How many of the latest bids the play depends on."""

    def of_round(self, rules: Ruleset, start: RoundStart) -> RoundBlueprint | None:
        """Return the blueprint of a round, or None."""


def blueprint_of_view(blueprints: Blueprints, view: View) -> RoundBlueprint | None:
    """Return the blueprint of the round of a view, or None if there is none for its rules, dice or start."""
    try:
        start = round_start_of(view)
    except UnavailableError:  # not two players, or none of them opened the round
        return None
    return blueprints.of_round(view.ruleset, start)


class BlueprintSet:
    """The blueprints of a file. What a decision needs of them is unpacked when it is first asked for."""

    def __init__(self, file: BlueprintFile) -> None:
        self._file = file
        self._rules = canonical_rules(file.ruleset())
        self._starts = {stored.start for stored in file.rounds}
        self._known: dict[RoundStart, RoundBlueprint | None] = {}

    @property
    def recall(self) -> int:
        """How many of the latest bids the play depends on."""
        return max((stored.recall for stored in self._file.rounds), default=0)

    def of_round(self, rules: Ruleset, start: RoundStart) -> RoundBlueprint | None:
        """Return the blueprint of a round, or None."""
        if start not in self._starts or canonical_rules(rules) != self._rules:
            return None
        if start not in self._known:
            self._known[start] = self._file.blueprint(start)
        return self._known[start]


class PackagedBlueprints:
    """Blueprints in the package. A file is read when a round by its rules first needs it.

    Of two files with the same round, that of the earlier kind in `PACKAGED_FILES` counts.
    """

    @property
    def recall(self) -> int:
        """How many of the latest bids the play depends on."""
        return PACKAGED_RECALL

    def of_round(self, rules: Ruleset, start: RoundStart) -> RoundBlueprint | None:
        """Return the blueprint of a round, or None."""
        for kind in PACKAGED_FILES:
            name = _by_rules(kind.presets).get(canonical_rules(rules))
            if name is not None and (not kind.rounds or start.dice in kind.rounds):
                return _packaged_set(kind.file(name)).of_round(rules, start)
        return None


class BlueprintsOnNeed:
    """The blueprints of another set, and computed ones for other rounds of up to six dice together.

    `budget`: how much is computed for a round, in hundredths of the usual (`quick_blueprint.WORK`), which takes up to
    0.15 s when the round is first asked for. The process keeps the latest `KEPT_BLUEPRINTS` results. The same round and
    budget always give the same blueprint.
    """

    def __init__(self, known: Blueprints | None = None, budget: int = 100) -> None:
        self._known = known
        self._budget = budget

    @property
    def recall(self) -> int:
        """How many of the latest bids the play depends on."""
        return max(DEFAULT_RECALL, 0 if self._known is None else self._known.recall)

    def of_round(self, rules: Ruleset, start: RoundStart) -> RoundBlueprint | None:
        """Return the blueprint of a round, or None if it has more dice, or the rules are not solved."""
        known = None if self._known is None else self._known.of_round(rules, start)
        return _computed(canonical_rules(rules), start, self._budget) if known is None else known


@lru_cache(KEPT_BLUEPRINTS)
def _computed(rules: Ruleset, start: RoundStart, budget: int) -> RoundBlueprint | None:
    from liarsdice.solve.blueprint.blueprint_trainer import WORK, quick_blueprint  # noqa: PLC0415  it loads numba

    try:
        return quick_blueprint(rules, start, WORK * budget // 100)
    except UnavailableError:  # rules that are not solved
        return None


@cache
def packaged_blueprints() -> PackagedBlueprints:
    """Return the blueprints in the package; what is unpacked of them is kept by the process."""
    return PackagedBlueprints()


@cache
def _by_rules(presets: tuple[str, ...]) -> dict[Ruleset, str]:
    """Return presets by the rules of their rounds."""
    return {canonical_rules(preset(name).ruleset): name for name in presets}


def is_leaning(rules: Ruleset) -> bool:
    """Return whether blueprints of the package for these rules expect opponents who make mistakes."""
    return canonical_rules(rules) in _by_rules(LEANING_PRESETS)


@cache
def _packaged_set(file: str) -> BlueprintSet:
    with as_file(files("liarsdice.bots") / "models" / file) as path:
        return blueprints_of_file(path)


@cache
def blueprints_of_file(path: Path) -> BlueprintSet:
    """Return the blueprints in a file, read once per process. Raises what `read_blueprints` raises."""
    return BlueprintSet(read_blueprints(path))


def blueprint_probs(
    blueprint: BlueprintPlay, views: Sequence[View], hands: Sequence[Hand], actions: Sequence[PlayerAction]
) -> NDArray[np.float64]:
    """Return the probability of each action with each hand, float64 [view, action, hand] (`bots.policy`)."""
    probs = np.zeros((len(views), len(actions), len(hands)))
    for row, view in enumerate(views):
        bids = [bid for _, bid in view.bids]
        decision = blueprint.decision(bids)
        places = {hand: place for place, hand in enumerate(blueprint.hands[len(bids) % 2])}
        columns = [places[tuple(sorted(hand))] for hand in hands]
        rows = {action: place for place, action in enumerate(decision.actions)}
        for column, action in enumerate(actions):
            if action in rows:
                probs[row, column] = decision.probs[rows[action], columns]
    return probs
