"""A training run in a folder: resumable, seeded, with a curve and the best player so far by measured strength."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import msgspec
import numpy as np
import torch
from torch import Tensor

from liarsdice.bots.features import FEATURES
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.train.gather import Gather, gather_here
from liarsdice.train.measure import measured
from liarsdice.train.model import Critic, Player, follow, multiplies_bfloat16, network_of, weights_of
from liarsdice.train.plan import PLAN, Plan, read_plan
from liarsdice.train.ppo import Learned, Learner
from liarsdice.train.rollout import network_called

CHECKPOINT, CURVE, BEST = "checkpoint.pt", "curve.csv", "best.npz"

DAMAGED = (RuntimeError, KeyError, EOFError, UnpicklingError)
"""What PyTorch raises for a file that holds something else."""


class Run:
    """A run in a folder, begun or gone on with. `gather`: who plays an iteration ahead, else this process.

    It learns on a GPU where PyTorch finds one. Raises `MalformedError` where the folder holds another plan.
    """

    def __init__(self, folder: Path, plan: Plan, gather: Gather | None = None) -> None:
        self.folder = folder
        self.plan = plan
        device = "cuda" if torch.cuda.is_available() else "cpu"
        fast = multiplies_bfloat16(device)
        self.player = Player(FEATURES, plan.width, plan.layers, bfloat16=fast).to(device)
        self.average = Player(FEATURES, plan.width, plan.layers).to(device)
        self.critic = Critic(FEATURES, plan.width, plan.layers, bfloat16=fast).to(device)
        self.learner = Learner(self.player, self.critic, plan.recipe, plan.seed)
        self.done = 0
        self.decisions = 0
        self.spent_s = 0.0
        self.best = -1.0
        goes_on = (folder / CHECKPOINT).exists()
        if plan.begin and not goes_on:
            self._begin_with(plan.begin)
        self._keep_plan()
        self.average.load_state_dict(self.player.state_dict())
        if goes_on:
            self._go_on()
        self._stale = gather is not None
        self._gather = gather or gather_here(plan, device)

    def _begin_with(self, name: str) -> None:
        """Take over the networks of a run's checkpoint, or else one network; its critic begins anew."""
        try:
            if name.endswith(Path(CHECKPOINT).suffix):
                state = torch.load(name, weights_only=True, map_location="cpu")
                self.player.load_state_dict(state["average"])
                self.critic.load_state_dict(state["critic"])
            else:
                self.player.load_state_dict(weights_of(network_called(name)))
        except (OSError, *DAMAGED) as error:
            shape = f"{self.plan.layers} layers of {self.plan.width}"
            why = error.strerror if isinstance(error, OSError) else f"it holds no networks with {shape}"
            raise UnavailableError(f"cannot begin with {name}: {why}") from error

    def _keep_plan(self) -> None:
        file = self.folder / PLAN
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UnavailableError(f"cannot write to {self.folder}: {error.strerror}") from error
        if not file.exists():
            file.write_bytes(msgspec.json.format(msgspec.json.encode(self.plan)))
            return
        kept = read_plan(file, whole=True)
        other = [name for name in kept.__struct_fields__ if getattr(kept, name) != getattr(self.plan, name)]
        if other:
            raise MalformedError(
                f"{self.folder} holds a run by another plan (other {', '.join(other)}); choose another folder, and"
                f" begin with {self.folder / CHECKPOINT} to go on from there"
            )

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
        parts = self._gather(self.done, (_on_cpu(self.player), _on_cpu(self.critic)))
        learned = self.learner.learn(parts, self.done / self.plan.iterations, stale=self._stale)
        follow(self.average, self.player, self.done)
        return learned, sum(len(part.answers) for part in parts)

    def _measure(self, learned: Learned) -> None:
        """Add a line to the curve, and keep the average player where it is the strongest so far."""
        network = network_of(self.average, self.plan.hardly)
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
        file = self.folder / CHECKPOINT
        try:
            state = torch.load(file, weights_only=True, map_location="cpu")
            self.player.load_state_dict(state["player"])
            self.average.load_state_dict(state["average"])
            self.critic.load_state_dict(state["critic"])
            self.learner.optimizer.load_state_dict(state["optimizer"])
            self.done, self.decisions = state["done"], state["decisions"]
            self.spent_s, self.best = state["spent_s"], state["best"]
        except (OSError, *DAMAGED) as error:
            raise MalformedError(f"{file} cannot be read; delete it to begin anew") from error


def _on_cpu(module: torch.nn.Module) -> dict[str, Tensor]:
    return {name: one.detach().cpu() for name, one in module.state_dict().items()}
