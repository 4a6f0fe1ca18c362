"""A population of players for many matches side by side: all kinds of built-in bots, at tables of mixed kinds.

The bots decide as those of `bots` do, with small differences: greedy bots make no exact calls, champions play their
network to the end, regulars make half of their decisions as `threshold` and half as `novice`, and quantities have a
limit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.neural.batch_observation import BatchObserver, sample_actions, to_sim_actions
from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.features import encode
from liarsdice.bots.neural.observation import selected_rows
from liarsdice.bots.simple.inference import BID_CREDIT
from liarsdice.bots.simple.novice import OPTIMISM
from liarsdice.bots.simple.random_bot import P_OUT_OF_TURN
from liarsdice.sim import array_schema as schema
from liarsdice.sim.agent_selector import AgentSelector
from liarsdice.sim.policies import ExternalPolicy, ThresholdPolicy
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.values.player_kinds import PLAYER_KINDS, PlayerKind
from liarsdice.values.tail_odds import p_at_least

Int32Array = NDArray[np.int32]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
GREEDY_T = 0.4
REGULAR_NOVICE_SHARE = 0.5
"""The share of a regular's decisions in which it plays as the novice, else as `threshold`."""
SHARP_REGULAR_SHARE = 0.4
"""The share of a sharp player's decisions in which it plays as a regular, else as the champion."""

THRESHOLD_POLICIES = {
    PlayerKind.THRESHOLD: ThresholdPolicy(0.4),
    PlayerKind.DOUBTER: ThresholdPolicy(0.55),
    PlayerKind.BELIEVER: ThresholdPolicy(0.25),
    PlayerKind.INFERENCE: ThresholdPolicy(0.4, BID_CREDIT),
}


class Population:
    """Acts for all seats of an environment. `selector` must have external policies at all seats.

    `kinds`: the kind of each player as its place in `PLAYER_KINDS`, int64 [match, seat], or [seat] for all matches.
    """

    def __init__(self, env: VectorEnv, selector: AgentSelector, kinds: IntArray, rng: np.random.Generator) -> None:
        self._env = env
        self._selector = selector
        self._kinds = np.broadcast_to(kinds, env.dice.shape)
        self._rng = rng
        self._network = champion_network(env.rules.ruleset)
        self._observer = BatchObserver(env)

    def actions(self) -> Int32Array:
        """Return the action id of the selected seat of each match, int32 [match]; -1 for silence and after the end."""
        env, selector = self._env, self._selector
        seats = selector.seats
        acts = seats >= 0
        kinds = self._drawn_kinds(np.maximum(seats, 0))
        legal = env.action_mask(seats)
        actions = np.full(len(env), schema.NO_ACTION, np.int32)
        for player, choose in (
            (PlayerKind.CHAMPION, self._champion_actions),
            (PlayerKind.NOVICE, self._novice_actions),
            (PlayerKind.RANDOM, self._random_actions),
            (PlayerKind.GREEDY, self._greedy_actions),
        ):
            rows = np.flatnonzero(acts & (kinds == PLAYER_KINDS.index(player)))
            if len(rows):
                actions[rows] = choose(rows, seats, legal)
        for player, policy in THRESHOLD_POLICIES.items():
            is_kind = acts & (kinds == PLAYER_KINDS.index(player))
            for seat in np.unique(seats[is_kind]).tolist():
                rows = np.flatnonzero(is_kind & (seats == seat))
                actions[rows] = self._kernel_actions(seat, policy)[rows]
        return actions

    def _drawn_kinds(self, seats: IntArray | Int32Array) -> IntArray:
        """Return the kind of each match's selected player, after regulars and sharp players drew how they decide."""
        kinds = self._kinds[np.arange(len(seats)), seats]
        as_weak = self._rng.random((2, len(kinds)))
        sharp, regular = PLAYER_KINDS.index(PlayerKind.SHARP), PLAYER_KINDS.index(PlayerKind.REGULAR)
        champion, novice, threshold = (
            PLAYER_KINDS.index(player) for player in (PlayerKind.CHAMPION, PlayerKind.NOVICE, PlayerKind.THRESHOLD)
        )
        kinds = np.where(kinds == sharp, np.where(as_weak[0] < SHARP_REGULAR_SHARE, regular, champion), kinds)
        return np.where(kinds == regular, np.where(as_weak[1] < REGULAR_NOVICE_SHARE, novice, threshold), kinds)

    def _kernel_actions(self, seat: int, policy: ThresholdPolicy) -> Int32Array:
        """Return what one seat does by a policy of the kernels, int32 [match], -1 where it is silent."""
        policies = [ExternalPolicy() if other != seat else policy for other in range(self._env.rules.seat_count)]
        deciders, actions = self._env.choose_actions(tuple(policies))
        return np.where(deciders == seat, actions, schema.NO_ACTION).astype(np.int32)

    def _champion_actions(self, rows: IntArray, seats: Int32Array, legal: BoolArray) -> Int32Array:
        del legal
        observation = selected_rows(self._observer.observe(np.maximum(seats, 0)), rows)
        inputs = encode(observation)
        probs = self._network.drop_unlikely(self._network.action_probs(inputs.features, inputs.action_mask))
        return to_sim_actions(inputs, sample_actions(probs, self._rng.random(len(rows))), self._env, rows)

    def _random_actions(self, rows: IntArray, seats: Int32Array, legal: BoolArray) -> Int32Array:
        del seats
        drawn = np.where(legal[rows], self._rng.random((len(rows), legal.shape[1])), -1).argmax(axis=1)
        silent = self._selector.out_of_turn[rows] & (self._rng.random(len(rows)) >= P_OUT_OF_TURN)
        return np.where(silent, schema.NO_ACTION, drawn).astype(np.int32)

    def _novice_actions(self, rows: IntArray, seats: Int32Array, legal: BoolArray) -> Int32Array:
        env, places = self._env, self._env.rules.arrays.faces
        lowest, may_bid = _lowest_bids(legal[rows], len(places))
        own = env.hands[rows, seats[rows]][:, places]
        dice = env.dice[rows]
        others = dice.sum(axis=1) - dice[np.arange(len(rows)), seats[rows]]
        estimates = own + (others / env.rules.ruleset.dice.faces)[:, np.newaxis]
        standing = env.match_field(schema.STANDING_BID)[rows]
        quantity, place = standing // len(places) + 1, np.maximum(standing, 0) % len(places)
        doubts = (standing >= 0) & (quantity > estimates[np.arange(len(rows)), place])
        plausible = may_bid & (lowest <= estimates + OPTIMISM)
        no_bid = ~may_bid.any(axis=1)
        calls = no_bid | (legal[rows, schema.CHALLENGE] & (doubts | ~plausible.any(axis=1)))
        candidates = np.where(plausible.any(axis=1)[:, np.newaxis], plausible, may_bid)
        best = np.where(candidates, own * 1000.0 - lowest, -np.inf).argmax(axis=1)
        bids = schema.FIRST_BID + (lowest[np.arange(len(rows)), best] - 1) * len(places) + best
        actions = np.where(calls, schema.CHALLENGE, bids)
        return np.where(self._selector.out_of_turn[rows], schema.NO_ACTION, actions).astype(np.int32)

    def _greedy_actions(self, rows: IntArray, seats: Int32Array, legal: BoolArray) -> Int32Array:
        env, places = self._env, self._env.rules.arrays.faces
        rules = env.rules.ruleset
        special = np.flatnonzero(places == rules.dice.special_face - 1)
        hands, dice = env.hands[rows, seats[rows]], env.dice[rows]
        wilds = env.match_field(schema.WILDS_COUNT)[rows] == 1
        helps = wilds[:, np.newaxis] & ~np.isin(np.arange(len(places)), special)
        own = hands[:, places] + hands[:, rules.dice.special_face - 1, np.newaxis] * helps
        others = (dice.sum(axis=1) - dice[np.arange(len(rows)), seats[rows]])[:, np.newaxis, np.newaxis]
        bids = legal[rows, schema.FIRST_BID :].reshape(len(rows), -1, len(places))
        quantities = np.arange(1, bids.shape[1] + 1)[np.newaxis, :, np.newaxis]
        needed = (quantities - own[:, np.newaxis]).astype(np.float64)
        faces = rules.dice.faces
        p_bids = np.where(bids, p_at_least(faces, helps[:, np.newaxis], others, needed), -1).reshape(len(rows), -1)
        standing = env.match_field(schema.STANDING_BID)[rows]
        place = np.maximum(standing, 0) % len(places)
        own_needed = (standing // len(places) + 1 - own[np.arange(len(rows)), place]).astype(np.float64)
        p_standing = p_at_least(faces, helps[np.arange(len(rows)), place], others[:, 0, 0], own_needed)
        best = p_bids.max(axis=1)
        calls = legal[rows, schema.CHALLENGE] & (1 - p_standing >= best)
        good = p_bids >= GREEDY_T
        highest = p_bids.shape[1] - 1 - good[:, ::-1].argmax(axis=1)
        bid = np.where(good.any(axis=1), highest, p_bids.argmax(axis=1))
        actions = np.where(calls | (best < 0), schema.CHALLENGE, schema.FIRST_BID + bid)
        return np.where(self._selector.out_of_turn[rows], schema.NO_ACTION, actions).astype(np.int32)


def _lowest_bids(legal: BoolArray, places: int) -> tuple[IntArray, BoolArray]:
    """Return the lowest legal quantity of each place, int64 [row, place], and whether there is one."""
    bids = legal[:, schema.FIRST_BID :].reshape(len(legal), -1, places)
    return bids.argmax(axis=1) + 1, np.asarray(bids.any(axis=1))
