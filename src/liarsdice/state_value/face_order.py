"""Features of the faces of all dice, in the order in which the seat on turn is likely to bid them.

Which face a number of dice shows means little in itself. In this order, the same slots mean the same in every round.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from liarsdice.state_value.situation import IntArray, Situation

FACES = 6
"""Faces with features of their own; of dice with more faces, the first ones in the order."""


def faces_in_order(situation: Situation) -> IntArray:
    """Return the faces (from 0) in the order of their slots, int64 [row, `FACES`], -1 where the dice have no more.

    The face of the standing bid comes first, then the faces that the seat on turn holds most of, and among equals those
    that all seats hold most of. Faces that are wild come last.
    """
    rows, hands = np.arange(len(situation.dice)), situation.hands
    faces = hands.shape[2]
    order = hands[rows, situation.turn] * 1000 + hands.sum(axis=1)
    special = np.arange(faces) == situation.rules.dice.special_face - 1
    order = order - (situation.wilds[:, np.newaxis] & special) * 1_000_000
    order = order + (np.arange(faces) == situation.face[:, np.newaxis]) * 2_000_000
    slots = np.full((len(rows), FACES), -1)
    slots[:, : min(faces, FACES)] = np.argsort(-order, axis=1, kind="stable")[:, :FACES]
    return slots


def in_face_order(values: NDArray[np.generic], slots: IntArray) -> list[NDArray[np.generic]]:
    """Return values of faces, [row, face] or [row, seat, face], by slot: one array without the last axis for each."""
    columns = []
    for slot in range(slots.shape[1]):
        face = slots[:, slot].reshape(-1, *(1,) * (values.ndim - 1))
        column = np.take_along_axis(values, np.maximum(face, 0), axis=-1)[..., 0]
        columns.append(column * (face >= 0)[..., 0])
    return columns
