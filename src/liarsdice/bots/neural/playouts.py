"""Rounds that are played on by the champion in the simulator, on sampled dice: in many copies side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.neural.batch_observation import BatchObserver, sample_actions, to_sim_actions
from liarsdice.bots.neural.belief import Belief
from liarsdice.bots.neural.features import SILENT, NetworkInput, encode
from liarsdice.bots.neural.network import Network
from liarsdice.bots.neural.observation import BoolArray, FloatArray, IntArray
from liarsdice.core.actions import MOVES, PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.tally import Hand
from liarsdice.sim import array_schema as schema
from liarsdice.sim.agent_selector import AgentSelector
from liarsdice.sim.policies import ExternalPolicy
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.values.playouts import Playouts, copies_of
from liarsdice.values.round_plays import RoundPlays
from liarsdice.values.simulator import round_ends


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

    def finish_round(
        self,
        number: int,
        rng: np.random.Generator,
        copies: int,
        *,
        goes_on: BoolArray | None = None,
        silent: BoolArray | None = None,
        plays: RoundPlays | None = None,
    ) -> None:
        """Play the round of this number to its end in all matches, or in those that go on, bool [match].

        The matches stand in so many `copies` of the same deals, which share their random numbers. `silent`: bool
        [match, seat], the seats that do not call the standing bid out of turn. `plays`: the rounds of two players that
        are not played by the network.
        """
        env, bid_counts = self._env, self._env.match_field(schema.BID_COUNT).copy()
        while (unfinished := self.in_round(number) & (True if goes_on is None else goes_on)).any():
            rows = np.flatnonzero(unfinished)
            inputs, probs = self.probs(rows)
            draws = np.tile(rng.random(len(env) // copies), copies)[rows]
            chosen = sample_actions(probs, draws)
            out_of_turn = self.out_of_turn[rows]
            if silent is not None:
                same_bid = env.match_field(schema.BID_COUNT)[rows] == bid_counts[rows]
                chosen = np.where(silent[rows, self.seats[rows]] & out_of_turn & same_bid, SILENT, chosen)
            planned = np.full(len(rows), schema.NO_ACTION, np.int32)
            if plays is not None:
                planned[~out_of_turn] = plays.draw(rows[~out_of_turn], draws[~out_of_turn])[1]
            self.play(inputs, chosen, rows, planned)


def play_rounds_out(
    shown: View,
    round_dice: tuple[int, ...],
    moves: Sequence[PlayerAction | None],
    hands: NDArray[np.int32],
    network: Network,
    rng: np.random.Generator,
) -> Playouts:
    """Play the round on after each move, once for each deal; all seats play as the champion does.

    That is as the network does, in rounds of two players with a solved strategy or a blueprint as that does. `shown`:
    the view of the player who moves. `round_dice`: the dice by seat when the round was dealt. `moves`: legal moves of
    the player; None lets the bid stand. `hands`: int32 [deal, seat, face], as `sample_hands` returns them. The same
    deal has the same dice and the same random numbers after every move.
    """
    deals, seat = len(hands), shown.seat
    assert seat is not None
    env = copies_of(shown, round_dice, len(moves) * deals)
    env.state.hands[:] = np.tile(hands, (len(moves), 1, 1))
    first_actions = [env.rules.action_id(move) if isinstance(move, MOVES) else schema.NO_ACTION for move in moves]
    silent = np.zeros((len(env), len(shown.dice)), np.bool_)
    silent[:, seat] = np.repeat([move is None for move in moves], deals)
    env.step(np.repeat(first_actions, deals), np.full(len(env), seat, np.int32))
    playouts = NetworkPlayouts(env, network, np.repeat(np.arange(len(moves)), deals))
    playouts.finish_round(shown.round_number, rng, len(moves), silent=silent, plays=_round_plays(env))
    ends, outcomes = round_ends(env)
    on_the_move = env.match_field(schema.CALL_BID) == np.repeat(first_actions, deals) - schema.FIRST_BID
    challenged = on_the_move & (env.match_field(schema.CALL) == schema.CHALLENGE)
    return Playouts(outcomes.reshape(len(moves), deals), ends, challenged.reshape(len(moves), deals))


def _round_plays(env: VectorEnv) -> RoundPlays | None:
    """Return the rounds that the champion plays by more than its network, or None if there are none by these rules."""
    try:
        return RoundPlays(env)
    except UnavailableError:
        return None


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
