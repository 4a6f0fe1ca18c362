"""Scenes from matches side by side: what `bots.scene.scene_of` makes of one view, of thousands at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.neural.features import BIDS, CHALLENGE, EXACT, STEPS, TURN, Reading
from liarsdice.bots.neural.observation import (
    PLACES,
    SEATS,
    Flags,
    Ints,
    Scene,
    hand_places,
    need_readable,
    rule_numbers,
    special_place,
)
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import face_order
from liarsdice.sim import array_schema as f
from liarsdice.sim.vector_env import Batch


class Watcher:
    """Looks at a batch from the seats that are asked. Raises `UnavailableError` for rules that make no scene."""

    def __init__(self, batch: Batch) -> None:
        rules = batch.rules.ruleset
        need_readable(rules)
        if batch.rules.seats > SEATS:
            raise UnavailableError(f"networks learn at tables of up to {SEATS}, not of {batch.rules.seats}")
        self._batch = batch
        self._places = len(face_order(rules))
        self._faces = np.array([face - 1 for face in hand_places(rules)])
        self._special = special_place(rules)
        self._rules = rule_numbers(rules)
        self._locks = bool(batch.rules.arrays.numbers[f.FACE_LOCKED])

    def scene(self, seats: NDArray[np.int32]) -> Scene:
        """The scene of each match as one seat sees it."""
        batch, rows = self._batch, np.arange(len(self._batch))
        count, shown = batch.rules.seats, min(batch.rules.seats, SEATS)
        step = batch.now(f.STEP)
        round_table = (seats[:, np.newaxis] + step[:, np.newaxis] * np.arange(shown)) % count
        legal = batch.legal(seats)
        may = legal[:, f.FIRST_BID :].reshape(len(rows), -1, self._places)
        may = np.pad(may, ((0, 0), (0, 0), (0, PLACES - self._places)))
        hand = np.zeros((len(rows), PLACES), np.int64)
        hand[:, : len(self._faces)] = batch.hands[rows, seats][:, self._faces]
        bids, wild, special = batch.now(f.BIDS), batch.now(f.WILD) == 1, batch.now(f.SPECIAL)
        wild_if = np.zeros((len(rows), PLACES), np.bool_)
        wild_if[:, : self._places] = wild[:, np.newaxis] & (
            batch.rules.arrays.wild_after[(bids == 0).astype(np.int64)] == 1
        )
        turn = np.where(step > 0, f.ANTICLOCKWISE, f.CLOCKWISE)
        flags = [
            batch.now(f.TURN) == seats,
            legal[:, f.CHALLENGE],
            legal[:, f.EXACT],
            legal[rows, turn],
            special >= 0,
            special == seats,
            (special >= 0) & self._locks,
            batch.of_seats(f.EXEMPT)[rows, seats] == 1,
        ]
        bidder = batch.now(f.STOOD_BY)
        standing = self._said(batch.now(f.STANDING))
        return Scene(
            hand=hand,
            dice=self._round(batch.dice, round_table),
            latest=self._said(self._round(batch.of_seats(f.LATEST), round_table, -1)),
            before=self._said(self._round(batch.of_seats(f.BEFORE), round_table, -1)),
            standing=standing,
            bidder=np.where(standing[:, 0] > 0, (bidder - seats) * step % count, -1),
            bids=bids.astype(np.int64),
            may=may,
            wild_if=wild_if,
            wild=wild,
            flags=np.stack(flags, axis=1),
            stairs=self._stairs(seats),
            special=self._special,
            faces=batch.rules.ruleset.dice.faces,
            rules=self._rules,
        )

    def _stairs(self, seats: NDArray[np.int32]) -> Flags:
        """Where the hand of the seat that is asked counts as one more than its dice."""
        batch, rows = self._batch, np.arange(len(self._batch))
        if not batch.rules.arrays.numbers[f.STAIRS]:
            return np.zeros(len(rows), np.bool_)
        hands, held = batch.hands[rows, seats], batch.dice[rows, seats]
        flight = np.arange(hands.shape[1]) < held[:, np.newaxis]
        found: Flags = (hands == flight).all(axis=1) & (held > 0) & (held <= hands.shape[1])
        return found

    def _round(self, of_seats: NDArray[np.int32], round_table: NDArray[np.int32], none: int = 0) -> Ints:
        """Numbers of seats, from the one that is asked on."""
        found = np.full((len(of_seats), SEATS), none, np.int64)
        found[:, : round_table.shape[1]] = np.take_along_axis(of_seats, round_table.astype(np.int64), axis=1)
        return found

    def _said(self, bids: NDArray[np.signedinteger]) -> Ints:
        """Quantity and place of bids by number, zeros for none."""
        made = bids >= 0
        return np.stack([np.where(made, bids // self._places + 1, 0), np.where(made, bids % self._places, 0)], axis=-1)

    def hidden(self, seats: NDArray[np.int32]) -> NDArray[np.float32]:
        """What only a critic may know: float32[match, 8]: the others' dice by face, and whether the bid is true.

        Stairs and missing naturals do not count here.
        """
        batch, rows = self._batch, np.arange(len(self._batch))
        counts = np.zeros((len(rows), PLACES), np.float64)
        counts[:, : len(self._faces)] = batch.hands.sum(axis=1)[:, self._faces]
        wild = (batch.now(f.WILD) == 1)[:, np.newaxis] & (np.arange(PLACES) != self._special)
        sides = counts + counts[:, [self._special]] * wild
        own = np.zeros_like(counts)
        own[:, : len(self._faces)] = batch.hands[rows, seats][:, self._faces]
        standing = self._said(batch.now(f.STANDING))
        margin = np.where(standing[:, 0] > 0, sides[rows, standing[:, 1]] - standing[:, 0], 0)
        told = np.concatenate(
            [(counts - own) / 5, (margin / 3)[:, np.newaxis], ((margin >= 0) & (standing[:, 0] > 0))[:, np.newaxis]],
            axis=1,
        )
        return told.astype(np.float32)


def actions_of(reading: Reading, answers: Ints, batch: Batch) -> NDArray[np.int32]:
    """The batch's numbers of answers, one for each match."""
    rows, places = np.arange(len(answers)), len(face_order(batch.rules.ruleset))
    bid = answers < BIDS
    place, step = np.where(bid, answers // STEPS, 0), np.where(bid, answers % STEPS, 0)
    number = f.FIRST_BID + (reading.quantities[rows, place, step] - 1) * places + place
    turned = np.where(batch.now(f.STEP) > 0, f.ANTICLOCKWISE, f.CLOCKWISE)
    calls = np.select([answers == CHALLENGE, answers == EXACT, answers == TURN], [f.CHALLENGE, f.EXACT, turned], -1)
    return np.where(bid, number, calls).astype(np.int32)
