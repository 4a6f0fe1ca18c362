"""A training run in a folder: resumable, seeded, with a curve and the best player so far by measured strength."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch

from liarsdice.bots.features import ANSWERS
from liarsdice.bots.network import Network
from liarsdice.core.errors import MalformedError
from liarsdice.train.measure import measured
from liarsdice.train.model import Actor, Critic, Player
from liarsdice.train.pool import drawn
from liarsdice.train.ppo import Learned, Learner, Recipe
from liarsdice.train.rollout import Table

CHECKPOINT, CURVE, BEST, PLAN = "checkpoint.pt", "curve.csv", "best.npz", "plan.json"
AVERAGE = 0.01
"""How much of the average of parameters is the latest of them; more at the beginning."""


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that a run is made of."""

    rules: tuple[str, ...]
    seed: int = 1
    iterations: int = 1000
    features: int = 217
    width: int = 256
    layers: int = 2
    tables: int = 64
    at_once: int = 6
    matches: int = 256
    steps: int = 32
    measure_every: int = 50
    measure_matches: int = 1000
    recipe: Recipe = Recipe()


class Run:
    """A run in a folder, begun or gone on with. Raises `MalformedError` where the folder holds another plan."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.plan = plan
        self.player = Player(plan.features, plan.width, plan.layers)
        self.average = Player(plan.features, plan.width, plan.layers)
        self.critic = Critic(plan.features, plan.width, plan.layers)
        self.learner = Learner(self.player, self.critic, plan.recipe, plan.seed)
        self.done = 0
        self.decisions = 0
        self.spent_s = 0.0
        self.best = -1.0
        self._keep_plan()
        if (folder / CHECKPOINT).exists():
            self._go_on()
        else:
            self.average.load_state_dict(self.player.state_dict())
        self._actor = Actor(self.player, self.critic, plan.seed + self.done)
        settings = drawn(plan.rules, plan.tables, plan.matches, plan.seed)
        self._settings = settings
        self._tables: dict[int, Table] = {}

    def _keep_plan(self) -> None:
        file = self.folder / PLAN
        if not file.exists():
            file.write_bytes(msgspec.json.format(msgspec.json.encode(self.plan)))
            return
        kept = msgspec.json.decode(file.read_bytes(), type=Plan)
        if kept != self.plan:
            raise MalformedError(f"{self.folder} holds a run by another plan ({PLAN}); choose another folder")

    def go(self, tell: Callable[[int, Learned, float], None], *, until_s: float | None = None) -> None:
        """Train to the plan's end, or for so many seconds."""
        began_s = time.monotonic()
        while self.done < self.plan.iterations:
            if until_s is not None and time.monotonic() - began_s > until_s:
                break
            start_s = time.monotonic()
            learned, decisions = self._iterate()
            self.spent_s += time.monotonic() - start_s
            self.done += 1
            self.decisions += decisions
            tell(self.done, learned, decisions / (time.monotonic() - start_s))
            if self.done % self.plan.measure_every == 0 or self.done == self.plan.iterations:
                self._measure(learned)
                self.save()
        self.save()

    def _iterate(self) -> tuple[Learned, int]:
        plan = self.plan
        chosen = np.random.default_rng((plan.seed, self.done)).choice(plan.tables, plan.at_once, replace=False)
        parts = []
        for number in chosen.tolist():
            if number not in self._tables:
                self._tables[number] = Table(self._settings[number], plan.seed * 100_003 + number * 1_009 + self.done)
            parts.append(self._tables[number].play(plan.steps, self._actor, plan.recipe.keep))
        learned = self.learner.learn(parts, self.done / plan.iterations)
        with torch.no_grad():
            for mean, now in zip(self.average.parameters(), self.player.parameters(), strict=True):
                mean.lerp_(now, max(AVERAGE, 1 / (self.done + 1)))
        return learned, sum(len(part.answers) for part in parts)

    def _measure(self, learned: Learned) -> None:
        """Add a line to the curve, and keep the average player where it is the strongest so far."""
        network = network_of(self.average)
        shares = measured(network, self.plan.measure_matches)
        strength = float(np.mean(list(shares.values())))
        file = self.folder / CURVE
        new = not file.exists()
        with file.open("a", newline="") as opened:
            writer = csv.writer(opened)
            if new:
                writer.writerow(["iteration", "decisions", "hours", "strength", *shares, *Learned._fields])
            row = [self.done, self.decisions, round(self.spent_s / 3600, 4), round(strength, 4)]
            writer.writerow([*row, *(round(one, 4) for one in (*shares.values(), *learned))])
        if strength > self.best:
            self.best = strength
            network.save(self.folder / BEST)

    def save(self) -> None:
        """Write all that going on takes, whole or not at all."""
        state: dict[str, Any] = {
            "player": self.player.state_dict(),
            "average": self.average.state_dict(),
            "critic": self.critic.state_dict(),
            "optimizer": self.learner.optimizer.state_dict(),
            "done": self.done,
            "decisions": self.decisions,
            "spent_s": self.spent_s,
            "best": self.best,
        }
        beside = self.folder / (CHECKPOINT + ".part")
        torch.save(state, beside)
        beside.replace(self.folder / CHECKPOINT)

    def _go_on(self) -> None:
        state = torch.load(self.folder / CHECKPOINT, weights_only=True)
        self.player.load_state_dict(state["player"])
        self.average.load_state_dict(state["average"])
        self.critic.load_state_dict(state["critic"])
        self.learner.optimizer.load_state_dict(state["optimizer"])
        self.done, self.decisions = state["done"], state["decisions"]
        self.spent_s, self.best = state["spent_s"], state["best"]


def network_of(player: Player) -> Network:
    """A player's network for numpy."""
    layers: Sequence[torch.nn.Linear] = [one for one in player.body if isinstance(one, torch.nn.Linear)]
    assert layers[-1].out_features == ANSWERS
    weights = [layer.weight.detach().numpy().T for layer in layers]
    return Network(weights, [layer.bias.detach().numpy() for layer in layers])
