"""The spaces of Gymnasium that the fields of an observation give."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from liarsdice.envs.layout import Game


def observation_box(game: Game) -> spaces.Space[NDArray[np.int16]]:
    """Return the space of a game's observations, int16 [row size]."""
    high = np.zeros(game.row_size, np.int16)
    for field in game.fields:
        high[field.start : field.stop] = field.high
    return spaces.Box(np.zeros_like(high), high, dtype=np.int16)
