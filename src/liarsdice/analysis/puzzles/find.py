"""Finds puzzles in matches between bots: cheap screening of all decisions, then playouts with fresh random numbers.

A decision passes three filters. The champion's value network must see a lead of its best move. Then playouts of a few
deals must show one. Whatever passes is judged again with many deals and other random numbers, so that the selection
does not make the lead look larger than it is. In solved rounds, the solved values decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from liarsdice.analysis.puzzles.puzzle import Certificate, HeldCounts, OfferedMove, Puzzle, Theme
from liarsdice.analysis.puzzles.screening import compared_moves, looks_clear, may_be_puzzle
from liarsdice.analysis.puzzles.solved_positions import SolvedPosition, solved_position
from liarsdice.analysis.puzzles.valued_moves import (
    MIN_LEAD,
    PlayedMove,
    ValuedMoves,
    certain_moves,
    is_worth_asking,
    offered_moves,
)
from liarsdice.analysis.review.decisions import Decision, decisions_of
from liarsdice.analysis.review.results import Z_95
from liarsdice.bots.neural.belief import Belief, beliefs
from liarsdice.bots.neural.champion import CHAMPION_NAME, champion_network
from liarsdice.bots.neural.count_beliefs import count_beliefs
from liarsdice.bots.neural.explain import network_values, p_right_given_bids
from liarsdice.bots.neural.playouts import play_rounds_out, sample_hands
from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.engine.view import View
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match
from liarsdice.solve.strategy.strategy_file import StrategySet
from liarsdice.values.blueprints import blueprint_of_view, packaged_blueprints
from liarsdice.values.playouts import Playouts
from liarsdice.values.round_ends import learned_values
from liarsdice.values.value_network import VALUE_VERSION

JUDGE = f"{CHAMPION_NAME}, values@{VALUE_VERSION}"
BOTS = ("champion", "sharp")
"""Who plays the matches, by seat in turn: strong players, one of whom makes mistakes that the other may call."""
SCREENS = ((0, 60, 0.10), (2, 120, 0.085))
"""The numbers, deals and leads of the playouts that choose the moves that are worth a certificate."""
CERTIFICATE = 1
"""The number of the playouts that certify."""
SOLVED_SHARE = 0.3
"""The share of positions with the last two dice that become puzzles, as they differ little from each other."""
MAX_SOLVED_DICE = 3
"""So few dice only the solver certifies: playouts of the champion's network are often wrong there."""
MIN_SOLVED_PROB = 0.9
"""A solved strategy makes the best move at least so often."""
MAX_PLAYERS = 4
PER_MATCH = 4
"""The most puzzles of one match."""
DIGITS = 4


def is_played_by_network(shown: View) -> bool:
    """Return whether the champion's network decides in the round of a view, so that its playouts may certify puzzles.

    With three dice or fewer only the solver certifies, and the blueprints of other rounds bluff more than the network
    believes.
    """
    return sum(shown.dice) > MAX_SOLVED_DICE and blueprint_of_view(packaged_blueprints(), shown) is None


class PuzzleFinder:
    """Finds the puzzles of matches under presets.

    `deals`: of the playouts that certify a puzzle. `solved`: strategies for rounds of two players. `only_solved`: look
    for decisions of solved rounds only, in matches of two players.
    """

    def __init__(
        self,
        presets: Sequence[str],
        seed: int,
        deals: int,
        solved: Sequence[StrategySet] = (),
        *,
        only_solved: bool = False,
    ) -> None:
        self._presets = tuple(presets)
        self._seed = seed
        self._deals = deals
        self._solved = tuple(solved)
        self._only_solved = only_solved

    def puzzles(self, match: int) -> Iterator[Puzzle]:
        """Yield the puzzles of a match; they depend only on its number and what the finder was made with.

        A player's hand gives at most one puzzle in a round.
        """
        rng = np.random.default_rng((self._seed, match))
        name = self._presets[match % len(self._presets)]
        rules = preset(name).ruleset
        most = 2 if self._only_solved else min(rules.players.max or MAX_PLAYERS, MAX_PLAYERS)
        seats = int(rng.integers(2, 1 + most))
        bots = [BOTS[(seat + match) % len(BOTS)] for seat in range(seats)]
        events = play_match(rules, bots, seed=f"puzzles/{self._seed}/{match}").events
        hands: set[tuple[int, int]] = set()
        for decision in decisions_of(events):
            hand = decision.view.round_number, decision.seat
            if len(hands) >= PER_MATCH or hand in hands or not may_be_puzzle(decision):
                continue
            puzzle = self._puzzle(name, match, decision)
            if puzzle is not None:
                hands.add(hand)
                yield puzzle

    def _puzzle(self, name: str, match: int, decision: Decision) -> Puzzle | None:
        estimates = network_values(decision.view)
        moves = compared_moves(decision, estimates)
        if not looks_clear(moves, estimates):
            return None
        position = solved_position(decision.view, self._solved)
        if position is not None:
            return self._solved_puzzle(name, match, decision, position, moves)
        if self._only_solved or not is_played_by_network(decision.view):
            return None
        hands = beliefs(decision.view, champion_network(decision.view.ruleset))
        p_right = {move: p_right_given_bids(decision.view, hands, move) for move in moves}
        for number, deals, lead in SCREENS:
            screened = offered_moves(self._played(name, decision, hands, moves, match, number, deals), lead)
            if screened is None or not is_worth_asking(screened, p_right):
                return None
            moves = screened.moves
        certified = certain_moves(self._played(name, decision, hands, moves, match, CERTIFICATE, self._deals))
        if certified is None or not is_worth_asking(certified, p_right):
            return None
        return self._described(name, match, decision, hands, Certificate.PLAYOUTS, certified)

    def _solved_puzzle(
        self, name: str, match: int, decision: Decision, position: SolvedPosition, moves: Sequence[PlayedMove]
    ) -> Puzzle | None:
        """Return the puzzle of a solved position; None for most of those with the last two dice."""
        rng = np.random.default_rng((self._seed, match, decision.number))
        if sum(decision.view.dice) == 2 and rng.random() > SOLVED_SHARE:
            return None
        values = dict(zip(moves, position.values(moves), strict=True))
        ordered = sorted(moves, key=lambda move: -values[move])
        best = values[ordered[0]]
        column = [values[move] for move in ordered]
        offered = offered_moves(
            ValuedMoves(ordered, column, [best - value for value in column], [0.0] * len(column)), MIN_LEAD
        )
        if offered is None or position.policy.get(ordered[0], 0.0) < MIN_SOLVED_PROB:
            return None
        hands = {position.opponent: position.belief}
        if not is_worth_asking(offered, {move: p_right_given_bids(decision.view, hands, move) for move in moves}):
            return None
        return self._described(name, match, decision, hands, Certificate.SOLVED, offered)

    def _played(
        self,
        name: str,
        decision: Decision,
        hands: dict[int, Belief],
        moves: Sequence[PlayedMove],
        match: int,
        number: int,
        deals: int,
    ) -> ValuedMoves:
        """Return the values of playouts; the first of `moves` is the best one after the first screen.

        `number`: of the sequence of random numbers.
        """
        rng = np.random.default_rng((self._seed, match, decision.number, number))
        sampled = sample_hands(decision.view, hands, deals, rng)
        network = champion_network(decision.view.ruleset)
        playouts: Playouts = play_rounds_out(decision.view, decision.round_dice, moves, sampled, network, rng)
        rules = preset(name).ruleset
        values = learned_values(rules, len(decision.view.dice))
        means = playouts.mean(values, decision.seat)
        order = np.argsort(-means, kind="stable").tolist()
        best = order[0] if number == 0 else 0
        behind, errors = [], []
        for move in order:
            lead, error = playouts.difference(values, decision.seat, best, move) if move != best else (0.0, 0.0)
            behind.append(lead)
            errors.append(Z_95 * error)
        return ValuedMoves([moves[move] for move in order], [float(means[move]) for move in order], behind, errors)

    def _described(
        self,
        name: str,
        match: int,
        decision: Decision,
        hands: dict[int, Belief],
        certificate: Certificate,
        offered: ValuedMoves,
    ) -> Puzzle:
        shown = decision.view
        p_right = {move: p_right_given_bids(shown, hands, move) for move in offered.moves}
        counts = tuple(
            HeldCounts(belief.seat, _rounded(belief.prior), _rounded(belief.posterior))
            for belief in count_beliefs(shown, hands)
        )
        return Puzzle(
            rules=name,
            seed=self._seed,
            match=match,
            decision=decision.number,
            theme=_theme(decision, offered.moves[0], p_right[offered.moves[0]]),
            certificate=certificate,
            deals=self._deals if certificate is Certificate.PLAYOUTS else 0,
            dice=shown.dice,
            seat=decision.seat,
            hand=shown.hand,
            bids=shown.bids,
            wilds_count=shown.wilds_count,
            special_seat=shown.special_seat,
            moves=tuple(
                OfferedMove(move, *_rounded((value, behind, error, p_right[move])))
                for move, value, behind, error in zip(*offered, strict=True)
            ),
            counts=counts,
            p_true_by_dice=None if shown.bid is None else round(BidOdds(shown).p_standing, DIGITS),
        )


def _rounded(numbers: Sequence[float]) -> tuple[float, ...]:
    return tuple(round(number, DIGITS) for number in numbers)


def _theme(decision: Decision, best: PlayedMove, p_right: float) -> Theme:
    if isinstance(best, Exact):
        return Theme.EXACT
    if decision.view.special_seat is not None:
        return Theme.SPECIAL
    if decision.view.bid is None:
        return Theme.OPENING
    if isinstance(best, Challenge):
        return Theme.CHALLENGE
    return Theme.RAISE if p_right >= 0.5 else Theme.BLUFF
