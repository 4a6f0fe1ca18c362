"""Playouts: copies of a match that go on from a decision, and how their rounds end after each move.

The players that play the copies on, a network or the engine's champion, belong to the bots.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.core.actions import PlayerAction
from liarsdice.core.bids.odds import enumerate_hands
from liarsdice.core.engine.view import View
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bid_space import min_opening_quantity
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Repeat
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.sim import array_schema as schema
from liarsdice.sim.compile import CompiledRules, compile_rules
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.solve.round_game import PLAYERS, RoundStart, two_player_exact_call, two_player_special_round
from liarsdice.values.blueprints import packaged_blueprints
from liarsdice.values.endgames import solved_answer, solved_round
from liarsdice.values.features import UNKNOWN_KIND, Situation
from liarsdice.values.judgement import CHANCE_DIGITS, Z_95, Judgement, Source
from liarsdice.values.round_ends import FloatArray, RoundEnd, RoundEndValues


def situation_of_env(env: VectorEnv) -> Situation:
    """Return the situation of each match of an environment that waits for a player's move."""
    faces, places = env.rules.ruleset.dice.faces, env.rules.arrays.faces
    seats = np.arange(env.rules.seat_count)
    special_seat = env.match_field(schema.SPECIAL_SEAT).astype(np.int64)
    standing = env.match_field(schema.STANDING_BID)
    latest = env.seat_field(schema.LATEST_BID)
    low, high = env.bid_ranges[:, 0], env.bid_ranges[:, 1]
    lowest = np.zeros((len(env), faces), np.int64)
    lowest[:, places] = np.where(low <= high, low, 0)
    return Situation(
        rules=env.rules.ruleset,
        dice=env.dice.astype(np.int64),
        had_special=(env.seat_field(schema.HAD_SPECIAL) == 1) & (seats != special_seat[:, np.newaxis]),
        exempt=env.seat_field(schema.EXEMPT) == 1,
        exact_calls=env.seat_field(schema.EXACT_CALLS).astype(np.int64),
        latest_face=np.where(latest >= 0, places[np.maximum(latest, 0) % len(places)], -1).astype(np.int64),
        hands=env.hands.astype(np.int64),
        step=env.match_field(schema.STEP).astype(np.int64),
        turn=env.match_field(schema.TURN).astype(np.int64),
        quantity=np.where(standing >= 0, standing // len(places) + 1, 0).astype(np.int64),
        face=np.where(standing >= 0, places[np.maximum(standing, 0) % len(places)], -1).astype(np.int64),
        bidder=np.where(standing >= 0, env.match_field(schema.STANDING_BIDDER), -1).astype(np.int64),
        bid_count=env.match_field(schema.BID_COUNT).astype(np.int64),
        wilds=env.match_field(schema.WILDS_COUNT) == 1,
        special_seat=special_seat,
        round_number=env.match_field(schema.ROUND).astype(np.int64),
        lowest=lowest,
        players=np.full(env.dice.shape, UNKNOWN_KIND, np.int64),
    )


CHOOSING_SHARE = 1 / 3
"""The share of the deals with which the best move is found."""
NEARLY_CERTAIN = 1e-4
"""How near to 0 or 1 values are at most: no number of deals makes them certain."""
DISTANT_ROUNDS = 100
"""A limit of rounds that is so far away changes nothing: matches end long before it."""


@lru_cache(64)
def compiled_for(rules: Ruleset, dice: tuple[int, ...]) -> CompiledRules:
    """Return the compiled rules of a table whose seats hold at most these dice, or as many as at the start."""
    if max(dice) <= rules.dice.per_player:
        return _compiled(rules, len(dice))
    return compile_rules(rules, len(dice), tuple(max(held, rules.dice.per_player) for held in dice))


@lru_cache(16)
def _compiled(rules: Ruleset, seats: int) -> CompiledRules:
    return compile_rules(rules, seats)


def round_ends(env: VectorEnv) -> tuple[list[RoundEnd], NDArray[np.int64]]:
    """Return the round ends of an environment whose matches are over or have been dealt their next round.

    They are the different ones, and the place among them of each match's, int64 [match].
    """
    rules = env.rules.ruleset
    special, call, limit = rules.special_round, rules.exact_call, rules.guards.max_rounds
    special_seats, over = env.match_field(schema.SPECIAL_SEAT), env.over
    exact_calls = env.seat_field(schema.EXACT_CALLS) * (call is not None and call.budget is not None)
    matters = special is not None and (special.repeat is Repeat.ONCE_PER_PLAYER or special.lock_exempt is not None)
    had_special = (env.seat_field(schema.HAD_SPECIAL) == 1) & matters
    rows = np.flatnonzero(special_seats >= 0)
    had_special[rows, special_seats[rows]] = False  # the round that has just been dealt
    rounds = env.match_field(schema.ROUND) - 1
    rounds = np.where(rounds + DISTANT_ROUNDS > (limit or 0), rounds, 0) * (limit is not None)
    single = (over, env.match_field(schema.STARTER), special_seats, env.match_field(schema.STEP), rounds)
    fields = np.concatenate(
        [
            np.stack(single, axis=1),
            *(np.where(over[:, np.newaxis], 0, part) for part in (env.dice, exact_calls, had_special)),
            env.won,
        ],
        axis=1,
    )
    fields[over, 1:5] = 0
    _, firsts, numbers = np.unique(fields, axis=0, return_index=True, return_inverse=True)
    return [_round_end(fields[first].tolist(), env.rules.seat_count) for first in firsts.tolist()], numbers.reshape(-1)


def _round_end(fields: Sequence[int], seats: int) -> RoundEnd:
    """Return the round end with these fields: five single ones, and four by seat."""
    is_over, starter, special_seat, step, round_number = fields[:5]
    dice, calls, had, won = (fields[start : start + seats] for start in range(5, 5 + 4 * seats, seats))
    if is_over:
        return RoundEnd((0,) * seats, -1, -1, 1, (0,) * seats, (False,) * seats, 0, tuple(map(bool, won)))
    return RoundEnd(tuple(dice), starter, special_seat, step, tuple(calls), tuple(map(bool, had)), round_number, None)


IntArray = NDArray[np.int64]


class Playouts(NamedTuple):
    """The results of playouts.

    `outcomes`: int64 [move, deal], an index into `ends`, the round ends that occurred. `challenged`: bool [move, deal],
    whether somebody challenged the move, which was a bid.
    """

    outcomes: IntArray
    ends: list[RoundEnd]
    challenged: NDArray[np.bool_]

    def mean(self, values: RoundEndValues, seat: int) -> FloatArray:
        """Return the share of the match that a seat wins on average after each move, float64 [move]."""
        shares: FloatArray = values.shares(self.ends)[:, seat][self.outcomes].mean(axis=1)
        return shares

    def judgement(
        self,
        moves: Sequence[PlayerAction | None],
        values: RoundEndValues,
        seat: int,
        stakes: Sequence[int],
        *,
        choosing_share: float = CHOOSING_SHARE,
    ) -> Judgement:
        """Return what the moves are worth to a seat.

        The best move is found with a share of the deals, and the values are measured with the others, so that the
        choice of the best of several estimates does not make its lead look larger than it is. With a share of 0, all
        deals serve both. Errors count the chance of the deals, as wide as Wilson's interval, so that deals which all
        end alike prove nothing, and that of the values of round ends. `stakes`: what each seat has left of what losses
        cost. At the end of a match, every player but its winners counts as having lost dice.
        """
        choosing = round(self.outcomes.shape[1] * choosing_share)
        first, rest = self.outcomes[:, :choosing], self.outcomes[:, choosing:]
        shares, variances = values.shares(self.ends)[:, seat], values.variances(self.ends)[:, seat]
        by_deal, deals = shares[rest], rest.shape[1]
        end_shares = np.stack([np.bincount(ends, minlength=len(shares)) / deals for ends in rest])
        of_ends = end_shares[:, np.newaxis] - end_shares
        pairs = (by_deal[:, np.newaxis] - by_deal).var(axis=2, ddof=1) / deals + of_ends**2 @ variances
        single = by_deal.var(axis=1, ddof=1) / deals + end_shares**2 @ variances
        dice = np.array([end.dice for end in self.ends])
        lost = np.array(
            [
                np.logical_not(end.winners) if end.winners is not None else left < stakes
                for end, left in zip(self.ends, dice, strict=True)
            ]
        ) & (np.array(stakes) > 0)
        p_loses = (end_shares @ lost).round(CHANCE_DIGITS).tolist()
        p_gains = (end_shares @ (dice[:, seat] > stakes[seat])).round(CHANCE_DIGITS).tolist()
        p_challenged = self.challenged[:, choosing:].mean(axis=1).tolist()
        return Judgement(
            source=Source.PLAYOUTS,
            moves=tuple(moves),
            values=by_deal.mean(axis=1).clip(NEARLY_CERTAIN, 1 - NEARLY_CERTAIN),
            errors=Z_95 * np.sqrt(single + (Z_95 / (2 * deals)) ** 2),
            margins=Z_95 * np.sqrt(pairs),
            best=int((shares[first] if choosing else by_deal).mean(axis=1).argmax()),
            p_challenged={move: p for move, p in zip(moves, p_challenged, strict=True) if isinstance(move, Bid)},
            p_loses=dict(zip(moves, map(tuple, p_loses), strict=True)),
            p_gains=dict(zip(moves, p_gains, strict=True)),
        )


def highest_quantity(shown: View, round_dice: tuple[int, ...]) -> int:
    """Return the highest quantity that the simulator knows in a round. `round_dice`: as in `knows_bids`."""
    return compiled_for(shown.ruleset, round_dice).bids[-1].quantity


def knows_bids(shown: View, round_dice: tuple[int, ...], move: PlayerAction | None = None) -> bool:
    """Return whether the simulator knows all bids of a round, and a move.

    Under rules that do not limit quantities, it knows none above the number of dice on the table. `round_dice`: the
    dice by seat when the round was dealt.
    """
    bids = [bid for _, bid in shown.bids] + ([move] if isinstance(move, Bid) else [])
    highest = highest_quantity(shown, round_dice)
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
    # A penalty before the opening bid may have put somebody out since, on whom the least quantity depends.
    least = min_opening_quantity(shown.ruleset, shown.dice, int(env.rules.arrays.faces[0]))
    np.minimum(env.state.bid_ranges[:, 0], least, out=env.state.bid_ranges[:, 0])
    for seat, bid in shown.bids:
        env.step(np.full(count, env.rules.action_id(bid)), np.full(count, seat, np.int32))
    if shown.max_quantity is not None:  # penalties may have lowered it since the round was dealt
        env.state.matches[:, schema.HIGHEST_QUANTITY] = shown.max_quantity
        np.minimum(env.state.bid_ranges[:, 1], shown.max_quantity, out=env.state.bid_ranges[:, 1])
    return env


class _Play(NamedTuple):
    """What hands do after some bids: `actions`, int32 [action], and `shares`, cumulated, float32 [hand, action]."""

    actions: NDArray[np.int32]
    shares: NDArray[np.float32]


class RoundPlays:
    """Draws the moves of the champion in the rounds of two players that it plays by more than its network.

    Raises `UnavailableError` if a round of two players depends on earlier rounds under these rules.
    """

    def __init__(self, env: VectorEnv) -> None:
        rules = env.rules.ruleset
        call = two_player_exact_call(rules)
        if two_player_special_round(rules) is not None or (call is not None and call.budget is not None):
            raise UnavailableError("rounds of two players depend on earlier rounds under these rules")
        self._env = env
        self._places: dict[int, dict[Hand, int]] = {}
        self._plays: dict[tuple[RoundStart, tuple[int, ...]], _Play | None] = {}

    def draw(
        self, matches: NDArray[np.int64], draws: NDArray[np.float64]
    ) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
        """Return which of some matches are in such a round, bool [row], and the moves drawn there, int32 [row].

        `matches`: int64 [row]; each waits for the move of the seat on turn. `draws`: a random number for each, float64
        [row], 0..1.
        """
        env = self._env
        actions = np.full(len(matches), schema.NO_ACTION, np.int32)
        for row in np.flatnonzero((env.dice[matches] > 0).sum(axis=1) == PLAYERS).tolist():
            match = int(matches[row])
            play = self._play(match)
            if play is not None:
                hand = self._hand_place(env.hands[match, env.turn[match]])
                actions[row] = play.actions[int(np.searchsorted(play.shares[hand], draws[row], side="right"))]
        return actions != schema.NO_ACTION, actions

    def _play(self, match: int) -> _Play | None:
        env, dice = self._env, self._env.dice[match]
        starter = int(env.match_field(schema.STARTER)[match])
        seats = sorted(np.flatnonzero(dice).tolist(), key=lambda seat: seat != starter)
        if seats[0] != starter:
            return None
        bids = tuple(env.bid_history[match, : env.match_field(schema.BID_COUNT)[match], 1].tolist())
        key = RoundStart((int(dice[seats[0]]), int(dice[seats[1]]))), bids
        if key not in self._plays:
            self._plays[key] = self._play_of(*key)
        return self._plays[key]

    def _play_of(self, start: RoundStart, bid_ids: tuple[int, ...]) -> _Play | None:
        rules, bids = self._env.rules.ruleset, [self._env.rules.bids[number] for number in bid_ids]
        strategy = solved_round(rules, start)
        if strategy is not None:
            hands = enumerate_hands(rules.dice.faces, start.dice[len(bids) % PLAYERS])[0]
            named = [solved_answer(strategy, hand, bids) for hand in hands]
            actions = tuple({action: None for probs in named for action in probs})
            probs = np.array([[probs.get(action, 0.0) for action in actions] for probs in named])
        else:
            blueprint = packaged_blueprints().of_round(rules, start)
            if blueprint is None:
                return None
            actions, by_action = blueprint.decision(bids)
            probs = by_action.T
        shares = np.cumsum(probs, axis=1)
        ids = np.array([self._env.rules.action_id(action) for action in actions], np.int32)
        return _Play(ids, (shares / shares[:, -1:]).astype(np.float32))

    def _hand_place(self, counts: NDArray[np.int32]) -> int:
        """Return the place of a hand, int32 [face], among all hands of as many dice."""
        dice = int(counts.sum())
        if dice not in self._places:
            hands = enumerate_hands(len(counts), dice)[0]
            self._places[dice] = {hand: place for place, hand in enumerate(hands)}
        return self._places[dice][tuple(np.repeat(np.arange(1, len(counts) + 1), counts).tolist())]
