"""Observations from many matches side by side: the arrays that `observe` makes from one view, and sampled actions."""

import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.neural.features import (
    BID_ACTIONS,
    CHALLENGE,
    EXACT,
    QUANTITY_STEPS,
    REVERSE,
    SEAT_SLOTS,
    BoolArray,
    FloatArray,
    IntArray,
    NetworkInput,
    Observation,
    require_supported,
)
from liarsdice.core.rules.bids import face_order
from liarsdice.sim import array_schema as schema
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.values.features import FACE_SLOTS, rule_features, slot_faces, special_slot


class BatchObserver:
    """Observes the matches of an environment from the seats that act next.

    Raises `UnavailableError` if networks do not support the rules.
    """

    def __init__(self, env: VectorEnv) -> None:
        rules = env.rules.ruleset
        require_supported(rules)
        self._env = env
        self._face_count = len(face_order(rules))
        self._face_indices = np.array([face - 1 for face in slot_faces(rules)])
        self._special_slot = special_slot(rules)
        self._rule_features = rule_features(rules)
        self._special_locks_face = bool(env.rules.arrays.params[schema.FACE_LOCKED])

    def observe(self, seats: NDArray[np.int32], matches: IntArray | None = None) -> Observation:
        """Return the observation of matches from one seat of each, int32 [match]; see `Observation` for shapes.

        `matches`: which matches, int64 [row]; None for all of them.
        """
        env = self._env
        rows = np.arange(len(env)) if matches is None else matches
        legal = env.action_mask(seats)[rows]
        seats = seats[rows]
        count = env.rules.seat_count
        direction = env.match_field(schema.STEP)[rows]
        seat_order = (seats[:, np.newaxis] + direction[:, np.newaxis] * np.arange(count)) % count
        legal_bids = legal[:, schema.FIRST_BID :].reshape(len(rows), -1, self._face_count)
        legal_bids = np.pad(legal_bids, ((0, 0), (0, 0), (0, FACE_SLOTS - self._face_count)))
        hand = np.zeros((len(rows), FACE_SLOTS), np.int64)
        hand[:, : len(self._face_indices)] = env.hands[rows, seats][:, self._face_indices]
        bid_count, wilds_count, special_seat = (
            env.match_field(schema.BID_COUNT)[rows],
            env.match_field(schema.WILDS_COUNT)[rows] == 1,
            env.match_field(schema.SPECIAL_SEAT)[rows],
        )
        wilds_after = np.zeros((len(rows), FACE_SLOTS), np.bool_)
        wilds_after[:, : self._face_count] = wilds_count[:, np.newaxis] & (
            env.rules.arrays.wild_after[(bid_count == 0).astype(np.int64)] == 1
        )
        reverse = np.where(direction > 0, schema.ANTICLOCKWISE, schema.CLOCKWISE)
        flags = [
            env.match_field(schema.TURN)[rows] == seats,
            legal[:, schema.CHALLENGE],
            legal[:, schema.EXACT],
            legal[np.arange(len(rows)), reverse],
            special_seat >= 0,
            special_seat == seats,
            (special_seat >= 0) & self._special_locks_face,
            env.seat_field(schema.EXEMPT)[rows, seats] == 1,
        ]
        bidder = env.match_field(schema.STANDING_BIDDER)[rows]
        standing_bid = self._quantity_and_slot(env.match_field(schema.STANDING_BID)[rows])
        latest_bids = _bids_by_slot(env.seat_field(schema.LATEST_BID)[rows], seat_order)
        previous_bids = _bids_by_slot(env.seat_field(schema.PREVIOUS_BID)[rows], seat_order)
        return Observation(
            hand=hand,
            dice=_dice_by_slot(env.dice[rows], seat_order),
            latest_bid=self._quantity_and_slot(latest_bids),
            previous_bid=self._quantity_and_slot(previous_bids),
            standing_bid=standing_bid,
            bidder=np.where(
                standing_bid[:, 0] > 0, np.minimum((bidder - seats) * direction % count, SEAT_SLOTS - 1), -1
            ),
            bid_count=bid_count.astype(np.int64),
            legal_bids=legal_bids,
            wilds_after=wilds_after,
            wilds_count=wilds_count,
            flags=np.stack(flags, axis=1),
            has_stairs=self._has_stairs(rows, seats),
            special_slot=self._special_slot,
            faces=env.rules.ruleset.dice.faces,
            rules=self._rule_features,
        )

    def _has_stairs(self, rows: IntArray, seats: NDArray[np.int32]) -> BoolArray:
        """Whether the hand of a seat of each match is stairs, which count as one more than its dice; bool [row]."""
        env = self._env
        if not env.rules.arrays.params[schema.STAIRS_BONUS]:
            return np.zeros(len(rows), np.bool_)
        hands, dice = env.hands[rows, seats], env.dice[rows, seats]
        stairs = np.arange(hands.shape[1]) < dice[:, np.newaxis]
        has_stairs: BoolArray = (hands == stairs).all(axis=1) & (dice > 0) & (dice <= hands.shape[1])
        return has_stairs

    def _quantity_and_slot(self, bids: NDArray[np.signedinteger]) -> IntArray:
        """Return quantity and face slot, int64 [..., 2], of bids as indices, int [...]; zeros for -1 (no bid)."""
        is_bid = bids >= 0
        quantity, slot = bids // self._face_count + 1, bids % self._face_count
        return np.stack([np.where(is_bid, quantity, 0), np.where(is_bid, slot, 0)], axis=-1)

    def hidden_features(self, seats: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return what only the critic sees from one seat of each match, int32 [match]; float32 [match, feature].

        The features are the other seats' dice by face, and by how much and whether the standing bid is true. They
        ignore stairs, and rules under which a bid needs natural dice.
        """
        env, rows = self._env, np.arange(len(self._env))
        dice_by_face = np.zeros((len(rows), FACE_SLOTS), np.float64)
        dice_by_face[:, : len(self._face_indices)] = env.hands.sum(axis=1)[:, self._face_indices]
        wilds_help = (env.match_field(schema.WILDS_COUNT) == 1)[:, np.newaxis] & (
            np.arange(FACE_SLOTS) != self._special_slot
        )
        counts = dice_by_face + dice_by_face[:, [self._special_slot]] * wilds_help
        own_dice = np.zeros_like(dice_by_face)
        own_dice[:, : len(self._face_indices)] = env.hands[rows, seats][:, self._face_indices]
        standing_bid = self._quantity_and_slot(env.match_field(schema.STANDING_BID))
        has_bid = standing_bid[:, 0] > 0
        margin = np.where(has_bid, counts[rows, standing_bid[:, 1]] - standing_bid[:, 0], 0)
        features = np.concatenate(
            [(dice_by_face - own_dice) / 5, (margin / 3)[:, np.newaxis], ((margin >= 0) & has_bid)[:, np.newaxis]],
            axis=1,
        )
        return features.astype(np.float32)


def _dice_by_slot(dice: NDArray[np.int32], seat_order: NDArray[np.int32]) -> IntArray:
    """Return the dice of seats in the direction of play, int64 [match, seat slot]; those of the last slot together."""
    ordered = np.take_along_axis(dice, seat_order.astype(np.int64), axis=1)
    slots = np.zeros((len(dice), SEAT_SLOTS), np.int64)
    for place in range(ordered.shape[1]):
        slots[:, min(place, SEAT_SLOTS - 1)] += ordered[:, place]
    return slots


def _bids_by_slot(bids: NDArray[np.int32], seat_order: NDArray[np.int32]) -> IntArray:
    """Return the bids of seats in the direction of play, int64 [match, seat slot]; in the last slot the furthest one.

    Bids are indices, -1 for none.
    """
    ordered = np.take_along_axis(bids, seat_order.astype(np.int64), axis=1)
    slots = np.full((len(bids), SEAT_SLOTS), -1, np.int64)
    for place in range(ordered.shape[1]):
        slot = min(place, SEAT_SLOTS - 1)
        slots[:, slot] = np.where(ordered[:, place] >= 0, ordered[:, place], slots[:, slot])
    return slots


def to_sim_actions(
    inputs: NetworkInput, actions: IntArray, env: VectorEnv, matches: IntArray | None = None
) -> NDArray[np.int32]:
    """Return the simulator's action ids, int32 [row], of the network's actions, int64 [row]; -1 for silence.

    `matches`: the match of each row, int64 [row]; None if the rows are the matches.
    """
    steps = env.match_field(schema.STEP) if matches is None else env.match_field(schema.STEP)[matches]
    rows, face_count = np.arange(len(actions)), len(face_order(env.rules.ruleset))
    is_bid = actions < BID_ACTIONS
    slot, quantity_step = np.where(is_bid, actions // QUANTITY_STEPS, 0), np.where(is_bid, actions % QUANTITY_STEPS, 0)
    bids = schema.FIRST_BID + (inputs.quantities[rows, slot, quantity_step] - 1) * face_count + slot
    reverse = np.where(steps > 0, schema.ANTICLOCKWISE, schema.CLOCKWISE)
    calls = np.select(
        [actions == CHALLENGE, actions == EXACT, actions == REVERSE],
        [schema.CHALLENGE, schema.EXACT, reverse],
        schema.NO_ACTION,
    )
    return np.where(is_bid, bids, calls).astype(np.int32)


def sample_actions(probs: FloatArray, draws: NDArray[np.float64]) -> IntArray:
    """Sample an action of each row of `probs`, float32 [row, action]; returns int64 [row].

    `draws`: a random number for each row, 0 <= draw < 1, float64 [row]. An action with probability 0 is never sampled,
    even if the probabilities of a row sum to slightly less than 1.
    """
    cumulative = probs.cumsum(axis=1)
    sampled: IntArray = (cumulative <= draws[:, np.newaxis] * cumulative[:, -1:]).sum(axis=1)
    last_possible = (cumulative < cumulative[:, -1:]).sum(axis=1)
    actions: IntArray = np.minimum(sampled, last_possible)
    return actions
