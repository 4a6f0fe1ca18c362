"""Blueprints as the play of a bot: which round of a view they know, and what a best answer to them is worth."""

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Protocol

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
from liarsdice.solve.strategy.strategy import two_player_rules

PACKAGED_PRESETS = (
    "basic",
    "bluff",
    "chart",
    "chui-niu",
    "joker",
    "mustache",
    "official-strict",
    "openspiel",
    "perudo",
    "pirates",
    "red-dead",
    "snyd-joker+loser-pays",
)
"""The presets with a file of blueprints in the package; `basic` stands for all presets with its rounds."""
LEANING_PRESETS = ("perudo", "mustache", "official-strict", "bluff")
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
        self._rules = two_player_rules(file.ruleset())
        self._starts = {stored.start for stored in file.rounds}
        self._known: dict[RoundStart, RoundBlueprint | None] = {}

    @property
    def recall(self) -> int:
        """How many of the latest bids the play depends on."""
        return max((stored.recall for stored in self._file.rounds), default=0)

    def of_round(self, rules: Ruleset, start: RoundStart) -> RoundBlueprint | None:
        """Return the blueprint of a round, or None."""
        if start not in self._starts or two_player_rules(rules) != self._rules:
            return None
        if start not in self._known:
            self._known[start] = self._file.blueprint(start)
        return self._known[start]


class PackagedBlueprints:
    """Blueprints in the package. A file is read when a round by its rules first needs it."""

    @property
    def recall(self) -> int:
        """How many of the latest bids the play depends on."""
        return PACKAGED_RECALL

    def of_round(self, rules: Ruleset, start: RoundStart) -> RoundBlueprint | None:
        """Return the blueprint of a round, or None."""
        name = _presets_by_rules().get(two_player_rules(rules))
        return None if name is None else _packaged_set(name).of_round(rules, start)


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
        return _computed(two_player_rules(rules), start, self._budget) if known is None else known


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
def _presets_by_rules() -> dict[Ruleset, str]:
    """Return the presets with a file, by the rules of their rounds."""
    return {two_player_rules(preset(name).ruleset): name for name in PACKAGED_PRESETS}


def is_leaning(rules: Ruleset) -> bool:
    """Return whether blueprints of the package for these rules expect opponents who make mistakes."""
    return _presets_by_rules().get(two_player_rules(rules)) in LEANING_PRESETS


def blueprint_file(name: str) -> str:
    """Return the name of the file of a preset, whatever its options.

    >>> blueprint_file("perudo")
    'blueprint-perudo.ldb'
    """
    return f"blueprint-{name.partition('+')[0]}.ldb"


@cache
def _packaged_set(name: str) -> BlueprintSet:
    with as_file(files("liarsdice.bots") / "models" / blueprint_file(name)) as path:
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
