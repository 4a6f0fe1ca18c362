"""Tests that train: one thread each, since the tests themselves run side by side."""

from __future__ import annotations

import pytest
import torch


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """Let PyTorch leave the other processors alone."""
    torch.set_num_threads(1)
