"""Fixtures of the training tests: one thread each, since tests run in parallel, and a paused run's checkpoint."""

from typing import Any

import pytest
import torch

from liarsdice_lab.train.trainer import CHECKPOINT_FILE, Trainer
from tests.lab.train.training_configs import SMALL, ignore_report


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """Let PyTorch use one processor."""
    torch.set_num_threads(1)


@pytest.fixture(scope="package")
def paused_state(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The content of a checkpoint of `SMALL` after two of four iterations."""
    folder = tmp_path_factory.mktemp("paused")
    run = Trainer(folder, SMALL)
    run.run(ignore_report, stop=lambda: run.iterations_done == 2)
    state: dict[str, Any] = torch.load(folder / CHECKPOINT_FILE, weights_only=True)
    return state
