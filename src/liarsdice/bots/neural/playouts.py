"""Rounds that are played on by a network from a position, on sampled dice: in many copies side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.neural.batch_observation import BatchObserver, to_sim_actions
from liarsdice.bots.neural.belief import Belief
from liarsdice.bots.neural.features import NetworkInput, encode
from liarsdice.bots.neural.network import Network
from liarsdice.bots.neural.observation import BoolArray, FloatArray, IntArray
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand
from liarsdice.sim import array_schema as schema
from liarsdice.sim.agent_selector import AgentSelector
from liarsdice.sim.policies import ExternalPolicy
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.values.simulator import compiled_for


class NetworkPlayouts:
    """Copies of a match whose seats all play as a network does.

    `histories`: int64 [match], a number for what was done before; equal ones mean that the public state is the same.
    """

    def __init__(self, env: VectorEnv, network: Network, histories: IntArray) -> None:
        self._env = env
        self._network = network
        self._selector = AgentSelector(env, (ExternalPolicy(),))
        self._observer = BatchObserver(env)
        self._hands_seen = _hand_numbers(env.hands)
        self._histories = histories
        self._selector.advance()

    @property
    def seats(self) -> NDArray[np.int32]:
        """The seat that acts next, int32 [match]; -1 after the end of a match."""
        return self._selector.seats

    @property
    def out_of_turn(self) -> BoolArray:
        """Whether that seat is not on turn, bool [match]."""
        return self._selector.out_of_turn

    def in_round(self, number: int) -> BoolArray:
        """Return whether each match still plays the round of this number, bool [match]."""
        goes_on: BoolArray = ~self._env.over & (self._env.match_field(schema.ROUND) == number)
        return goes_on

    def probs(self, rows: IntArray) -> tuple[NetworkInput, FloatArray]:
        """Return the network's input and the probability of each action in some matches, int64 [row]."""
        seats = self.seats
        views = _numbers(self._histories[rows], seats[rows], self._hands_seen[rows, seats[rows]])
        _, firsts, places = np.unique(views, return_index=True, return_inverse=True)
        inputs = encode(self._observer.observe(seats, rows[firsts]))
        probs = self._network.drop_unlikely(self._network.action_probs(inputs.features, inputs.action_mask))
        return inputs._replace(quantities=inputs.quantities[places]), probs[places]

    def play(
        self, inputs: NetworkInput, chosen: IntArray, rows: IntArray, planned: NDArray[np.int32] | None = None
    ) -> None:
        """Apply the network's actions, int64 [row], in these matches.

        `planned`: int32 [row], actions of the simulator that are made in place of the network's, `NO_ACTION` for none.
        """
        acts = np.zeros(len(self._env), np.bool_)
        acts[rows] = True
        actions = np.full(len(self._env), schema.NO_ACTION, np.int32)
        actions[rows] = to_sim_actions(inputs, chosen, self._env, rows)
        if planned is not None:
            actions[rows] = np.where(planned == schema.NO_ACTION, actions[rows], planned)
        self._selector.step(actions, acts)
        public = (schema.BID_COUNT, schema.STANDING_BID, schema.STEP)
        self._histories = _numbers(self._histories, *(self._env.match_field(field) for field in public))


def sample_hands(shown: View, beliefs: Mapping[int, Belief], deals: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """Return hands of all seats, int32 [deal, seat, face]: the own hand, and others as they are believed to be."""
    faces = shown.ruleset.dice.faces
    hands = np.zeros((deals, len(shown.dice), faces), np.int32)
    hands[:, shown.seat] = _face_counts([shown.hand], faces)[0]
    for seat, belief in beliefs.items():
        probs = np.array(belief.probs)
        drawn = rng.choice(len(probs), deals, p=probs / probs.sum())
        hands[:, seat] = _face_counts(belief.hands, faces)[drawn]
    return hands


def _face_counts(hands: Sequence[Hand], faces: int) -> NDArray[np.int32]:
    """Return how many dice show each face, int32 [hand, face]."""
    return np.stack([np.bincount(np.array(hand, np.int64) - 1, minlength=faces) for hand in hands]).astype(np.int32)


def knows_bids(shown: View, round_dice: tuple[int, ...], move: PlayerAction | None = None) -> bool:
    """Return whether the simulator knows all bids of a round, and a move.

    Under rules that do not limit quantities, it knows none above the number of dice on the table. `round_dice`: the
    dice by seat when the round was dealt.
    """
    bids = [bid for _, bid in shown.bids] + ([move] if isinstance(move, Bid) else [])
    highest = compiled_for(shown.ruleset, round_dice).bids[-1].quantity
    return all(bid.quantity <= highest for bid in bids)


def copies_of(shown: View, round_dice: tuple[int, ...], count: int) -> VectorEnv:
    """Return an environment with this many copies of a match during the bidding, with random hands.

    `round_dice`: the dice by seat when the round was dealt, which penalties may have reduced since.
    """
    special = -1 if shown.special_seat is None else shown.special_seat
    env = VectorEnv(compiled_for(shown.ruleset, round_dice), count, deals=False)
    every = np.ones(count, np.bool_)
    env.reset(every, starters=shown.starter, dice=round_dice, special=special)
    env.state.matches[:, schema.ROUND] = shown.round_number
    env.state.matches[:, schema.STEP] = shown.direction.step
    env.state.matches[:, schema.DIRECTION_CHOSEN] = shown.direction_chosen
    env.state.matches[:, schema.ALIVE_COUNT] = shown.alive_count
    env.state.seats[:, :, schema.DICE] = shown.dice
    env.state.seats[:, :, schema.EXACT_CALLS] = shown.exact_calls or 0
    env.state.seats[:, :, schema.HAD_SPECIAL] = [seat in shown.had_special for seat in range(len(shown.dice))]
    env.state.seats[:, :, schema.EXEMPT] = [seat in shown.exempt for seat in range(len(shown.dice))]
    for seat, bid in shown.bids:
        env.step(np.full(count, env.rules.action_id(bid)), np.full(count, seat, np.int32))
    if shown.max_quantity is not None:  # penalties may have lowered it since the round was dealt
        env.state.matches[:, schema.HIGHEST_QUANTITY] = shown.max_quantity
        np.minimum(env.state.bid_ranges[:, 1], shown.max_quantity, out=env.state.bid_ranges[:, 1])
    return env


def _hand_numbers(hands: NDArray[np.int32]) -> IntArray:
    """Return a number for each hand, int64 [deal, seat], from hands [deal, seat, face]; equal hands share theirs."""
    return _numbers(*np.moveaxis(hands, 2, 0))


def _numbers(*columns: NDArray[np.signedinteger]) -> IntArray:
    """Return a number from 0 for each place of arrays of the same shape; places with the same values share theirs.

    Playouts in the same situation need the network only once.
    """
    numbers = np.zeros(columns[0].shape, np.int64)
    for column in columns:
        low, high = int(column.min()), int(column.max())
        if numbers.max() >= 2**62 // (high - low + 1):
            numbers = np.unique(numbers, return_inverse=True)[1].reshape(numbers.shape)
        numbers = numbers * (high - low + 1) + (column - low)
    return np.unique(numbers, return_inverse=True)[1].reshape(numbers.shape)
