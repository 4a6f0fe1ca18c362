"""The rounds of two players that the champion plays as solved or by blueprints, in many matches side by side."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from liarsdice.core.bids.hands import enumerate_hands
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.tally import Hand
from liarsdice.sim import array_schema as schema
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.solve.game.round_start import PLAYERS, RoundStart, two_player_exact_call, two_player_special_round
from liarsdice.values.blueprints import packaged_blueprints
from liarsdice.values.endgames import solved_answer, solved_round


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
