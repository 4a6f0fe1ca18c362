"""A training run in a folder: resumable, seeded, with a curve and the strongest network so far."""

from __future__ import annotations

import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch
from torch import Tensor

from liarsdice.bots.neural.features import FEATURE_COUNT
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.runtime.atomic_files import error_reason
from liarsdice.train.checkpoint import (
    is_finite,
    load_optimizer,
    load_weights,
    load_weights_widened,
    read_checkpoint,
    read_progress,
)
from liarsdice.train.collect import CollectExperience, collect_locally
from liarsdice.train.config import CONFIG_FILE, TrainingConfig, input_digests, read_config
from liarsdice.train.evaluate import evaluate
from liarsdice.train.load_networks import load_network
from liarsdice.train.model import Critic, PolicyNetwork, export_network, has_fast_bfloat16, policy_state, update_ema
from liarsdice.train.ppo import NO_UPDATE, PPOLearner, UpdateStats
from liarsdice.train.run_folder import append_row, drop_rows, keep

CHECKPOINT, CURVE, BEST = "checkpoint.pt", "curve.csv", "best.npz"
AVERAGE = 0.004
"""How much of the average player is the latest: play that goes round in circles is averaged over 250 iterations."""


class Trainer:
    """A run in a folder, begun or gone on with. `gather`: who plays an iteration ahead, else this process.

    It learns on a GPU where PyTorch finds one. Raises `MalformedError` where the folder holds a run by another plan,
    rules or networks, or a damaged one, and `UnavailableError` where a file cannot be read or written.
    """

    def __init__(self, folder: Path, config: TrainingConfig, gather: CollectExperience | None = None) -> None:
        self.folder = folder
        self.config = config
        device = "cuda" if torch.cuda.is_available() else "cpu"
        fast = has_fast_bfloat16(device)
        self.player = PolicyNetwork(FEATURE_COUNT, config.width, config.layers, bfloat16=fast).to(device)
        self.average = PolicyNetwork(FEATURE_COUNT, config.width, config.layers).to(device)
        self.critic = Critic(FEATURE_COUNT, config.width, config.layers, bfloat16=fast).to(device)
        self.learner = PPOLearner(self.player, self.critic, config.ppo, config.seed)
        self.done = 0
        self.decisions = 0
        self.spent_s = 0.0
        self.best = -1.0
        self._measured = 0
        self._learned = NO_UPDATE
        self._digests = input_digests(config)
        goes_on = (folder / CHECKPOINT).exists()
        if config.initial_weights and not goes_on:
            self._begin_with(config.initial_weights)
        known = self._knows_plan()
        self.average.load_state_dict(self.player.state_dict())
        if goes_on:
            self._go_on(known=known)
        if not known:
            written = msgspec.json.format(msgspec.json.encode(config))
            keep(folder / CONFIG_FILE, lambda beside: beside.write_bytes(written))
        self._stale = gather is not None
        self._gather = gather or collect_locally(config, device)

    def _begin_with(self, name: str) -> None:
        """Take over the networks of a run's checkpoint, or else one network; its critic begins anew."""
        try:
            if name.endswith(Path(CHECKPOINT).suffix):
                state = read_checkpoint(name)
                load_weights_widened(self.player, state.get("average"))
                load_weights_widened(self.critic, state.get("critic"))
            else:
                load_weights_widened(self.player, policy_state(load_network(name)))
        except (OSError, ValueError) as error:
            raise UnavailableError(f"cannot begin with {name}: {error_reason(error)}") from error

    def _knows_plan(self) -> bool:
        """Whether the folder, which is made, holds this plan; False for one that holds none."""
        file = self.folder / CONFIG_FILE
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UnavailableError(f"cannot write to {self.folder}: {error.strerror}") from error
        if not file.exists():
            return False
        kept = read_config(file, complete=True)
        other = [name for name in kept.__struct_fields__ if getattr(kept, name) != getattr(self.config, name)]
        if other:
            raise MalformedError(
                f"{self.folder} holds a run by another plan (other {', '.join(other)}); choose another folder, and"
                f" begin with {self.folder / CHECKPOINT} to go on from there"
            )
        return True

    def go(
        self,
        tell: Callable[[int, UpdateStats, float], None],
        *,
        until_s: float | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Train to the plan's end, or for so many seconds, or until after the iteration in which `stop` says so.

        Raises `UnavailableError` where a file cannot be written, or the networks came to no numbers.
        """
        began_s = time.monotonic()
        drop_rows(self.folder / CURVE, later_than=self._measured)
        while not stop():
            if self._is_due():
                self.save()  # measuring takes long
                self._measure()
            if self.done == self.config.iterations or (until_s is not None and time.monotonic() - began_s > until_s):
                break
            start_s = time.monotonic()
            self._learned, decisions = self._iterate()
            self.spent_s += time.monotonic() - start_s
            self.done += 1
            self.decisions += decisions
            try:
                tell(self.done, self._learned, decisions / (time.monotonic() - start_s))
            except BaseException:
                self.save()  # who listened may be gone, but what was learned is not
                raise
        self.save()

    def _is_due(self) -> bool:
        """Whether the network is to be evaluated now."""
        turn = self.done % self.config.evaluate_every == 0 or self.done == self.config.iterations
        return turn and self.done > self._measured

    def _iterate(self) -> tuple[UpdateStats, int]:
        parts = self._gather(self.done, (_on_cpu(self.player), _on_cpu(self.critic)))
        learned = self.learner.learn(parts, self.done / self.config.iterations, stale=self._stale)
        if not (is_finite(self.player) and is_finite(self.critic)):
            raise UnavailableError(
                f"iteration {self.done + 1} came to no numbers; begin another folder with a smaller rate in the plan's"
                f" recipe (see {self.folder / CONFIG_FILE})"
            )
        update_ema(self.average, self.player, self.done, AVERAGE)
        return learned, sum(len(part.answers) for part in parts)

    def _measure(self) -> None:
        """Add a line to the curve, and keep the average player where it is the strongest so far; then save."""
        network = export_network(self.average, self.config.min_prob_ratio)
        shares = evaluate(network, self.config.evaluation_matches)
        strength = float(np.mean(list(shares.values())))
        columns = ["iteration", "decisions", "hours", "strength", *shares, *UpdateStats._fields]
        row = [self.done, self.decisions, round(self.spent_s / 3600, 4), round(strength, 4)]
        append_row(self.folder / CURVE, columns, [*row, *(round(one, 4) for one in (*shares.values(), *self._learned))])
        if strength > self.best:
            self.best = strength
            keep(self.folder / BEST, network.save)
        self._measured = self.done
        self.save()

    def save(self) -> None:
        """Write all that going on takes, whole or not at all. Raises `UnavailableError` where it cannot be."""
        state: dict[str, Any] = {
            "player": self.player.state_dict(),
            "average": self.average.state_dict(),
            "critic": self.critic.state_dict(),
            "optimizer": self.learner.optimizer.state_dict(),
            "done": self.done,
            "decisions": self.decisions,
            "spent_s": self.spent_s,
            "best": self.best,
            "measured": self._measured,
            "learned": tuple(self._learned),
            "rules": self._digests,
        }
        written = BytesIO()  # so that a full disk gives a clear error
        torch.save(state, written)
        keep(self.folder / CHECKPOINT, lambda beside: beside.write_bytes(written.getbuffer()))

    def _go_on(self, *, known: bool) -> None:
        file = self.folder / CHECKPOINT
        try:
            state = read_checkpoint(file)
            found = read_progress(state, self.config.iterations)
            load_weights(self.player, state.get("player"))
            load_weights(self.average, state.get("average"))
            load_weights(self.critic, state.get("critic"))
            load_optimizer(self.learner.optimizer, state.get("optimizer"))
        except OSError as error:
            raise UnavailableError(f"{file} cannot be read: {error.strerror or error}") from error
        except ValueError as error:
            cure = "" if known else f"name the plan that it was trained by (--config), since {CONFIG_FILE} is gone, or "
            raise MalformedError(f"{file} cannot be read: {error}; {cure}delete it to begin anew") from error
        before = found.rules or {}
        if not known and before and not set(self.config.rules) <= before.keys() <= self._digests.keys():
            raise MalformedError(
                f"{self.folder} was trained by another config, and its {CONFIG_FILE} is gone; put that back, or name it (--config)"
            )
        if changed := [name for name, digest in self._digests.items() if before.get(name, digest) != digest]:
            raise MalformedError(
                f"{self.folder} was trained with others of these: {', '.join(changed)}; put back what has changed, or"
                f" choose another folder, and begin with {file} to go on from there"
            )
        self.done, self.decisions = found.done, found.decisions
        self.spent_s, self.best = found.spent_s, found.best
        self._measured = found.done if found.measured is None else found.measured
        self._learned = NO_UPDATE if found.learned is None else UpdateStats(*found.learned)


def _on_cpu(module: torch.nn.Module) -> dict[str, Tensor]:
    return {name: one.detach().cpu() for name, one in module.state_dict().items()}
