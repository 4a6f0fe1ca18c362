"""Scenes from matches side by side: what `bots.scene.observe` makes of one view, of thousands at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.neural.features import BID_ACTIONS, CHALLENGE, EXACT, QUANTITY_STEPS, REVERSE, NetworkInput
from liarsdice.bots.neural.observation import (
    FACE_SLOTS,
    SEAT_SLOTS,
    BoolArray,
    IntArray,
    Observation,
    require_supported,
    rule_features,
    slot_faces,
    special_slot,
)
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import face_order
from liarsdice.sim import array_schema as schema
from liarsdice.sim.vector_env import VectorEnv


class BatchObserver:
    """Looks at a batch from the seats that are asked. Raises `UnavailableError` for rules that make no scene."""

    def __init__(self, batch: VectorEnv) -> None:
        rules = batch.rules.ruleset
        require_supported(rules)
        if batch.rules.seat_count > SEAT_SLOTS:
            raise UnavailableError(f"networks learn at tables of up to {SEAT_SLOTS}, not of {batch.rules.seat_count}")
        self._batch = batch
        self._places = len(face_order(rules))
        self._faces = np.array([face - 1 for face in slot_faces(rules)])
        self._special = special_slot(rules)
        self._rules = rule_features(rules)
        self._locks = bool(batch.rules.arrays.params[schema.FACE_LOCKED])

    def scene(self, seats: NDArray[np.int32]) -> Observation:
        """The scene of each match as one seat sees it."""
        batch, rows = self._batch, np.arange(len(self._batch))
        count, shown = batch.rules.seat_count, min(batch.rules.seat_count, SEAT_SLOTS)
        step = batch.match_field(schema.STEP)
        round_table = (seats[:, np.newaxis] + step[:, np.newaxis] * np.arange(shown)) % count
        legal = batch.action_mask(seats)
        legal_bids = legal[:, schema.FIRST_BID :].reshape(len(rows), -1, self._places)
        legal_bids = np.pad(legal_bids, ((0, 0), (0, 0), (0, FACE_SLOTS - self._places)))
        hand = np.zeros((len(rows), FACE_SLOTS), np.int64)
        hand[:, : len(self._faces)] = batch.hands[rows, seats][:, self._faces]
        bids, wild, special = (
            batch.match_field(schema.BID_COUNT),
            batch.match_field(schema.WILDS_COUNT) == 1,
            batch.match_field(schema.SPECIAL_SEAT),
        )
        wilds_after = np.zeros((len(rows), FACE_SLOTS), np.bool_)
        wilds_after[:, : self._places] = wild[:, np.newaxis] & (
            batch.rules.arrays.wild_after[(bids == 0).astype(np.int64)] == 1
        )
        turn = np.where(step > 0, schema.ANTICLOCKWISE, schema.CLOCKWISE)
        flags = [
            batch.match_field(schema.TURN) == seats,
            legal[:, schema.CHALLENGE],
            legal[:, schema.EXACT],
            legal[rows, turn],
            special >= 0,
            special == seats,
            (special >= 0) & self._locks,
            batch.seat_field(schema.EXEMPT)[rows, seats] == 1,
        ]
        bidder = batch.match_field(schema.STANDING_BIDDER)
        standing = self._said(batch.match_field(schema.STANDING_BID))
        return Observation(
            hand=hand,
            dice=self._round(batch.dice, round_table),
            latest_bid=self._said(self._round(batch.seat_field(schema.LATEST_BID), round_table, -1)),
            previous_bid=self._said(self._round(batch.seat_field(schema.PREVIOUS_BID), round_table, -1)),
            standing_bid=standing,
            bidder=np.where(standing[:, 0] > 0, (bidder - seats) * step % count, -1),
            bid_count=bids.astype(np.int64),
            legal_bids=legal_bids,
            wilds_after=wilds_after,
            wilds_count=wild,
            flags=np.stack(flags, axis=1),
            has_stairs=self._stairs(seats),
            special_slot=self._special,
            faces=batch.rules.ruleset.dice.faces,
            rules=self._rules,
        )

    def _stairs(self, seats: NDArray[np.int32]) -> BoolArray:
        """Where the hand of the seat that is asked counts as one more than its dice."""
        batch, rows = self._batch, np.arange(len(self._batch))
        if not batch.rules.arrays.params[schema.STAIRS_BONUS]:
            return np.zeros(len(rows), np.bool_)
        hands, held = batch.hands[rows, seats], batch.dice[rows, seats]
        flight = np.arange(hands.shape[1]) < held[:, np.newaxis]
        found: BoolArray = (hands == flight).all(axis=1) & (held > 0) & (held <= hands.shape[1])
        return found

    def _round(self, of_seats: NDArray[np.int32], round_table: NDArray[np.int32], none: int = 0) -> IntArray:
        """Numbers of seats, from the one that is asked on."""
        found = np.full((len(of_seats), SEAT_SLOTS), none, np.int64)
        found[:, : round_table.shape[1]] = np.take_along_axis(of_seats, round_table.astype(np.int64), axis=1)
        return found

    def _said(self, bids: NDArray[np.signedinteger]) -> IntArray:
        """Quantity and place of bids by number, zeros for none."""
        made = bids >= 0
        return np.stack([np.where(made, bids // self._places + 1, 0), np.where(made, bids % self._places, 0)], axis=-1)

    def hidden(self, seats: NDArray[np.int32]) -> NDArray[np.float32]:
        """What only a critic may know: float32[match, 8]: the others' dice by face, and whether the bid is true.

        Stairs and missing naturals do not count here.
        """
        batch, rows = self._batch, np.arange(len(self._batch))
        counts = np.zeros((len(rows), FACE_SLOTS), np.float64)
        counts[:, : len(self._faces)] = batch.hands.sum(axis=1)[:, self._faces]
        wild = (batch.match_field(schema.WILDS_COUNT) == 1)[:, np.newaxis] & (np.arange(FACE_SLOTS) != self._special)
        sides = counts + counts[:, [self._special]] * wild
        own = np.zeros_like(counts)
        own[:, : len(self._faces)] = batch.hands[rows, seats][:, self._faces]
        standing = self._said(batch.match_field(schema.STANDING_BID))
        margin = np.where(standing[:, 0] > 0, sides[rows, standing[:, 1]] - standing[:, 0], 0)
        outcomes = np.concatenate(
            [(counts - own) / 5, (margin / 3)[:, np.newaxis], ((margin >= 0) & (standing[:, 0] > 0))[:, np.newaxis]],
            axis=1,
        )
        return outcomes.astype(np.float32)


def to_sim_actions(inputs: NetworkInput, answers: IntArray, batch: VectorEnv) -> NDArray[np.int32]:
    """The batch's numbers of answers, one for each match."""
    rows, places = np.arange(len(answers)), len(face_order(batch.rules.ruleset))
    bid = answers < BID_ACTIONS
    place, step = np.where(bid, answers // QUANTITY_STEPS, 0), np.where(bid, answers % QUANTITY_STEPS, 0)
    number = schema.FIRST_BID + (inputs.quantities[rows, place, step] - 1) * places + place
    turned = np.where(batch.match_field(schema.STEP) > 0, schema.ANTICLOCKWISE, schema.CLOCKWISE)
    calls = np.select(
        [answers == CHALLENGE, answers == EXACT, answers == REVERSE], [schema.CHALLENGE, schema.EXACT, turned], -1
    )
    return np.where(bid, number, calls).astype(np.int32)
