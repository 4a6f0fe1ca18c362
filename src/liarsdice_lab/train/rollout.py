"""Rollouts: plays a table of matches under one ruleset, and returns the learners' decisions as experience."""

from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.neural.batch_observation import BatchObserver, sample_actions, to_sim_actions
from liarsdice.bots.neural.champion import champion_network, possible_actions
from liarsdice.bots.neural.features import SILENT, BoolArray, FloatArray, IntArray, NetworkInput, encode
from liarsdice.bots.neural.network import Network
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.sim import array_schema as schema
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.policies import ExternalPolicy, Policy
from liarsdice.sim.vector_env import AgentSelector, VectorEnv
from liarsdice.values.playouts import RoundPlays
from liarsdice_lab.train.model import load_opponent, load_teacher


class OpponentPlayer:
    """Acts for some seats of an environment, each with its own network. The seats must have an `ExternalPolicy`.

    `champions`: those seats that play as the champion does: what their own dice prove wrong is left out, and
    solved rounds and blueprints are played (`RoundPlays`). `learners`: the seats for which the matches are played; ()
    for all seats.
    """

    def __init__(
        self,
        env: VectorEnv,
        selector: AgentSelector,
        observer: BatchObserver,
        networks: Mapping[int, Network],
        champions: Collection[int] = (),
        learners: Collection[int] = (),
    ) -> None:
        self._env = env
        self._selector = selector
        self._observer = observer
        self._networks = networks
        self._champions = frozenset(champions)
        self._learners = list(learners)
        self._round_plays = RoundPlays(env) if champions else None

    def play_turns(self, rng: np.random.Generator) -> None:
        """Act until another seat is selected in every match that is not over.

        Matches in which none of `learners` holds dice stay as they are.
        """
        env, selector = self._env, self._selector
        while len(matches := np.flatnonzero(self._acts_next())):
            acting_seats = selector.seats[matches]
            observation = self._observer.observe(np.maximum(selector.seats, 0), matches)
            inputs = encode(observation)
            moves = np.full(len(matches), schema.NO_ACTION, np.int32)
            for seat, network in self._networks.items():
                actions = np.full(len(matches), SILENT, np.int64)
                is_seat = acting_seats == seat
                rows = np.flatnonzero(is_seat)
                allowed = possible_actions(inputs, env.rules.ruleset) if seat in self._champions else inputs.action_mask
                probs = network.action_probs(inputs.features[rows], allowed[rows])
                actions[rows] = sample_actions(network.drop_unlikely(probs), rng.random(len(probs)))
                moves = np.where(is_seat, to_sim_actions(inputs, actions, env, matches), moves)
            if self._round_plays is not None:
                rows = np.flatnonzero(np.isin(acting_seats, list(self._champions)) & ~selector.out_of_turn[matches])
                is_played, played = self._round_plays.draw(matches[rows], rng.random(len(rows)))
                moves[rows[is_played]] = played[is_played]
            sim_actions = np.full(len(env), schema.NO_ACTION, np.int32)
            sim_actions[matches] = moves
            selector.step(sim_actions, np.isin(np.arange(len(env)), matches))

    def _acts_next(self) -> NDArray[np.bool_]:
        """Return whether one of the networks acts next in a match that is played on, bool [match]."""
        acts: NDArray[np.bool_] = np.isin(self._selector.seats, list(self._networks))
        return acts & (self._env.dice[:, self._learners] > 0).any(axis=1) if self._learners else acts


PLAYERS = 2
MATCHES_PER_START = 200
"""The matches that are played from each start; a share is then within 7 points with a probability of 95%."""
SEED = 24_601


@cache
def champion_shares(rules: Ruleset, opponent: Policy | str, matches: int = MATCHES_PER_START) -> FloatArray:
    """Return what share of matches of two players the champion wins, float32 [opens, own dice, other's dice].

    `opponent`: a policy, or the name of a network (see `load_opponent`). `opens`: 1 where the champion opens the first
    round, else 0. `matches`: how many are played from each start. Shares are 0..1, and 0 without dice of its own or of
    the other. Raises `UnavailableError` if the champion's rounds depend on earlier ones under these rules.
    """
    compiled = compile_rules(rules, PLAYERS)
    most = compiled.dice[0]
    starts = [(opens, own, other) for opens in (0, 1) for own in range(1, most + 1) for other in range(1, most + 1)]
    opens, own, other = np.repeat(np.array(starts), matches, axis=0).T
    env = VectorEnv(compiled, len(opens), seed=SEED)
    env.reset(np.ones(len(env), np.bool_), starters=1 - opens, dice=np.stack([own, other], axis=1))
    networks, champions = {0: champion_network(rules)}, [0]
    if isinstance(opponent, str):
        player = load_opponent(opponent, rules)
        networks[1] = player.network
        champions += [1] * player.plays_rounds
    selector = AgentSelector(env, (ExternalPolicy(), ExternalPolicy() if isinstance(opponent, str) else opponent))
    selector.advance()
    OpponentPlayer(env, selector, BatchObserver(env), networks, champions).play_turns(np.random.default_rng(SEED))
    won = env.won[:, 0] / np.maximum(env.won.sum(axis=1), 1)
    shares = np.zeros((2, most + 1, most + 1), np.float32)
    shares[tuple(np.array(starts).T)] = won.reshape(len(starts), matches).mean(axis=1)
    return shares


class Endings:
    """Ends the matches of a table where two players are left, for its only learner."""

    def __init__(self, env: VectorEnv, learner: int, shares: FloatArray) -> None:
        self._env, self._learner, self._shares = env, learner, shares

    def reached(self) -> BoolArray:
        """Return in which matches at most two players are left, bool [match]."""
        reached: BoolArray = (self._env.dice > 0).sum(axis=1) <= PLAYERS
        return reached

    def values(self, matches: IntArray) -> FloatArray:
        """Return the share that the learner wins of matches with two players left, int64 [row]; float32 [row]."""
        dice = self._env.dice[matches]
        own = dice[:, self._learner]
        opens = (self._env.match_field(schema.STARTER)[matches] == self._learner).astype(np.int64)
        values: FloatArray = self._shares[opens, own, np.where(own > 0, dice.sum(axis=1) - own, 0)]
        return values


RANDOM_START_SHARE = 0.6
"""The share of matches that start with random numbers of dice."""

ActFunction = Callable[[NetworkInput, FloatArray, np.random.Generator], tuple[IntArray, FloatArray, FloatArray]]
"""From the network's input, the critic's hidden features float32 [match, feature] and a random generator to actions
int64 [match], the logarithms of their probabilities float32 [match], and the critic's values float32 [match]."""


class TableSetup(msgspec.Struct, frozen=True):
    """The setup of a training table: a ruleset, a policy for each seat, and the number of matches side by side.

    Seats with an `ExternalPolicy` learn, except for the last `opponent_count` ones, in which the network `opponent`
    plays (see `load_opponent`). `teacher`: the network that learners imitate at first (see `load_teacher`), or "".
    `ends_with_two`: matches of a single learner end where two players are left (see `Endings`).
    """

    rules: Ruleset
    policies: tuple[Policy, ...]
    matches: int
    opponent: str = ""
    opponent_count: int = 0
    teacher: str = ""
    ends_with_two: bool = False


class Experience(NamedTuple):
    """Decisions of learners, one a row: what the networks saw, what was done, and what they learn from it.

    `features`: float32 [decision, feature]. `hidden_features`: what only the critic sees, float32 [decision, feature].
    `action_mask`: the legal actions, bool [decision, action]. `actions`: int64 [decision]. `log_probs`: the logarithms
    of their probabilities when they were chosen, float32 [decision]. `advantages`, `returns`: generalised advantage
    estimates and the targets of the critic, float32 [decision]. `teacher_probs`: a teacher's probabilities of the
    actions, float32 [decision, action]; zeros without a teacher.
    """

    features: FloatArray
    hidden_features: FloatArray
    action_mask: BoolArray
    actions: IntArray
    log_probs: FloatArray
    advantages: FloatArray
    returns: FloatArray
    teacher_probs: FloatArray


class Transition(NamedTuple):
    """One decision in each match; see `Experience` for shapes."""

    inputs: NetworkInput
    hidden_features: FloatArray
    actions: IntArray
    log_probs: FloatArray
    values: FloatArray


class TrainingTable:
    """Matches of one setup. They continue from one rollout to the next; those without a learner left are reset."""

    def __init__(self, setup: TableSetup, seed: int) -> None:
        self.setup = setup
        self._env = VectorEnv(compile_rules(setup.rules, len(setup.policies)), setup.matches, seed=seed)
        self._selector = AgentSelector(self._env, setup.policies)
        self._observer = BatchObserver(self._env)
        self._rng = np.random.default_rng(seed)
        seats = len(setup.policies)
        opponent_seats = range(seats - setup.opponent_count, seats)
        opponents = {seat: load_opponent(setup.opponent, setup.rules) for seat in opponent_seats}
        self._teacher = load_teacher(setup.teacher) if setup.teacher else None
        is_external = [isinstance(policy, ExternalPolicy) for policy in setup.policies]
        self._learners = np.flatnonzero(is_external[: seats - setup.opponent_count])
        self._opponents = OpponentPlayer(
            self._env,
            self._selector,
            self._observer,
            {seat: opponent.network for seat, opponent in opponents.items()},
            champions=[seat for seat, opponent in opponents.items() if opponent.plays_rounds],
            learners=self._learners,
        )
        self._endings = None
        if setup.ends_with_two and len(self._learners) == 1 and seats > PLAYERS:
            shares = champion_shares(setup.rules, setup.opponent or setup.policies[-1])
            self._endings = Endings(self._env, int(self._learners[0]), shares)
        self._reset(np.ones(setup.matches, np.bool_))

    def play(self, steps: int, act: ActFunction, gae_lambda: float) -> Experience:
        """Let learners decide `steps` times in each match, and return the decisions with a known return."""
        env, setup = self._env, self.setup
        transitions: list[Transition] = []
        seats = np.zeros((steps, setup.matches), np.int64)
        over = np.zeros((steps, setup.matches), np.bool_)
        eliminated = np.zeros((steps, setup.matches, len(setup.policies)), np.bool_)
        rewards = np.zeros((steps, setup.matches, len(setup.policies)), np.float32)
        for step in range(steps):
            acting_seats = self._selector.seats
            seats[step] = acting_seats
            inputs = encode(self._observer.observe(acting_seats))
            hidden_features = self._observer.hidden_features(acting_seats)
            transition = Transition(inputs, hidden_features, *act(inputs, hidden_features, self._rng))
            transitions.append(transition)
            self._selector.step(to_sim_actions(inputs, transition.actions, env))
            self._opponents.play_turns(self._rng)
            over[step], eliminated[step] = self._ended(), env.dice == 0
            won = env.won.astype(np.float32)
            rewards[step] = won / np.maximum(won.sum(axis=1, keepdims=True), 1)
            if self._endings is not None:
                two_left = np.flatnonzero(self._endings.reached() & ~env.over)
                rewards[step, two_left, self._learners[0]] = self._endings.values(two_left)
            self._reset(over[step])
        values = np.stack([transition.values for transition in transitions])
        advantages, returns, known = compute_gae(seats, over, eliminated, rewards, values, gae_lambda)
        features = np.concatenate([transition.inputs.features for transition in transitions])[known]
        action_mask = np.concatenate([transition.inputs.action_mask for transition in transitions])[known]
        teacher = self._teacher
        return Experience(
            features=features,
            hidden_features=np.concatenate([transition.hidden_features for transition in transitions])[known],
            action_mask=action_mask,
            actions=np.concatenate([transition.actions for transition in transitions])[known],
            log_probs=np.concatenate([transition.log_probs for transition in transitions])[known],
            advantages=advantages.ravel()[known],
            returns=returns.ravel()[known],
            teacher_probs=(
                teacher.action_probs(features, action_mask) if teacher else np.zeros(action_mask.shape, np.float32)
            ),
        )

    def _reset(self, matches: BoolArray) -> None:
        """Start matches anew, bool [match], until a learner acts next in each."""
        selected = matches.copy()
        while selected.any():
            self._env.reset(selected, dice=start_dice(self._env, self._rng, RANDOM_START_SHARE))
            self._selector.forget(selected)
            self._selector.advance()
            self._opponents.play_turns(self._rng)
            selected = self._ended()

    def _ended(self) -> BoolArray:
        """Return which matches are over or have no learner left, bool [match]."""
        ended: BoolArray = self._env.over | (self._env.dice[:, self._learners] == 0).all(axis=1)
        return ended if self._endings is None else ended | self._endings.reached()


def start_dice(env: VectorEnv, rng: np.random.Generator, random_share: float) -> IntArray:
    """Return the dice of each seat at the start, int64 [match, seat]: all, or in a share of matches random numbers.

    At least two seats have dice. Random starts let every part of a match be practised.
    """
    full = np.array(env.rules.dice)
    drawn = rng.integers(0, full + 1, (len(env), len(full)))
    two_seats = np.argsort(rng.random(drawn.shape), axis=1)[:, :2]
    at_least_one = np.maximum(np.take_along_axis(drawn, two_seats, axis=1), 1)
    np.put_along_axis(drawn, two_seats, at_least_one, axis=1)
    return np.where((rng.random(len(env)) < random_share)[:, np.newaxis], drawn, full)


def compute_gae(
    seats: IntArray, over: BoolArray, eliminated: BoolArray, rewards: FloatArray, values: FloatArray, gae_lambda: float
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return advantages, returns, and which decisions have a known return (Schulman et al. 2016, equation 16).

    The decisions of each seat are a sequence of their own, without discount: A(t) = delta(t) + lambda A(t+1) with
    delta(t) = V(t+1) - V(t), where t+1 is the seat's next decision; after its last one, V(t+1) is the reward.

    `seats`: who decides, int64 [step, match]. `over`: whether the match is over after the step, bool [step, match].
    `eliminated`: who is out after the step, bool [step, match, seat]. `rewards`: the share of the match that is won,
    float32 [step, match, seat]. `values`: float32 [step, match]. Returns float32 [step, match] twice, and bool
    [step * match].
    """
    steps, matches, seat_count = eliminated.shape
    rows = np.arange(matches)
    next_values = np.zeros((matches, seat_count), np.float32)
    next_advantages = np.zeros((matches, seat_count), np.float32)
    has_next = np.zeros((matches, seat_count), np.bool_)
    advantages = np.zeros((steps, matches), np.float32)
    known = np.zeros((steps, matches), np.bool_)
    for step in reversed(range(steps)):
        ended = over[step][:, np.newaxis] | eliminated[step]
        next_values = np.where(ended, rewards[step], next_values)
        next_advantages = np.where(ended, 0, next_advantages)
        has_next |= ended
        seat = seats[step]
        known[step] = has_next[rows, seat]
        estimates = next_values[rows, seat] - values[step] + gae_lambda * next_advantages[rows, seat]
        advantages[step] = np.where(known[step], estimates, 0)
        next_values[rows, seat], next_advantages[rows, seat] = values[step], advantages[step]
        has_next[rows, seat] = True
    return advantages, advantages + values, known.ravel()
