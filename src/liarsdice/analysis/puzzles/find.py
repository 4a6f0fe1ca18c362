"""Finds puzzles in matches between bots: cheap screening of all decisions, then playouts with fresh random numbers.

A decision passes three filters. The champion's value network must see a lead of its best move. Then playouts of a few
deals must show one. Whatever passes is judged again with many deals and other random numbers, so that the selection
does not make the lead look larger than it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from liarsdice.analysis.puzzles.puzzle import Certificate, HeldCounts, OfferedMove, Puzzle, Theme
from liarsdice.analysis.review.decisions import Decision, decisions_of
from liarsdice.analysis.review.playouts import Playouts, highest_quantity, is_playable, play_rounds_out, sample_hands
from liarsdice.analysis.review.results import Z_95
from liarsdice.analysis.review.round_ends import RoundEndValues
from liarsdice.bots.endgames import endgame_values
from liarsdice.bots.neural.champion import LATEST_MODEL, champion_network
from liarsdice.bots.neural.explain import Explanation, MoveEstimate, explain, network_values
from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match

JUDGE = f"champion@{LATEST_MODEL}"
BOTS = ("champion", "sharp")
"""Who plays the matches, by seat in turn: strong players, one of whom makes mistakes that the other may call."""
MIN_LEAD = 0.08
"""The lead of the best move over each other offered move; its whole 95% interval lies above this share of the match."""
SCREEN_LEAD = 0.06
"""The lead that the value network must see."""
PLAYED_SCREEN_LEAD = 0.10
"""The lead that a few deals must show."""
SCREEN_DEALS = 60
SCREEN_MATCHES, CERTIFY_MATCHES = 400, 3000
"""How many matches value each round end."""
MAX_OFFERED = 4
MIN_OFFERED = 3
MAX_P_RIGHT = 0.97
"""A best call that is right with a higher probability is too easy."""
MIN_P_PLAUSIBLE = 0.2
"""Of the other moves that are offered, one at least is right with this probability, going by the bids."""
SOLVED_SHARE = 0.3
"""The share of solved positions that become puzzles, as they differ little from each other."""
MAX_PLAYERS = 4
PER_MATCH = 4
"""The most puzzles of one match."""
DIGITS = 4

PlayedMove = Bid | Challenge | Exact


class _Values(NamedTuple):
    """The moves of a decision, the best first: value, how far behind the best, and half of its 95% interval."""

    moves: list[PlayedMove]
    values: list[float]
    behind: list[float]
    errors: list[float]


class PuzzleFinder:
    """Finds the puzzles of matches under presets. `deals`: of the playouts that certify a puzzle."""

    def __init__(self, presets: Sequence[str], seed: int, deals: int) -> None:
        self._presets = tuple(presets)
        self._seed = seed
        self._deals = deals
        self._network = champion_network(LATEST_MODEL)
        self._round_ends: dict[tuple[str, int], RoundEndValues] = {}

    def puzzles(self, match: int) -> Iterator[Puzzle]:
        """Yield the puzzles of a match; they depend only on its number, the presets, the seed and the deals."""
        rng = np.random.default_rng((self._seed, match))
        name = self._presets[match % len(self._presets)]
        rules = preset(name).ruleset
        seats = int(rng.integers(2, 1 + min(rules.players.max or MAX_PLAYERS, MAX_PLAYERS)))
        bots = [BOTS[(seat + match) % len(BOTS)] for seat in range(seats)]
        events = play_match(rules, bots, seed=f"puzzles/{self._seed}/{match}").events
        found = 0
        for decision in decisions_of(events):
            if found >= PER_MATCH or not _may_be_puzzle(decision):
                continue
            puzzle = self._puzzle(name, match, decision)
            if puzzle is not None:
                found += 1
                yield puzzle

    def _puzzle(self, name: str, match: int, decision: Decision) -> Puzzle | None:
        if not _has_lead(list(network_values(decision.view).values())):
            return None
        explanation = explain(decision.view)
        estimates = _compared(explanation.moves, decision)
        if len(estimates) < MIN_OFFERED or not _is_promising(estimates):
            return None
        moves = [estimate.move for estimate in estimates if isinstance(estimate.move, PlayedMove)]
        solved = self._solved(decision, explanation, moves, match)
        certificate = Certificate.PLAYOUTS if solved is None else Certificate.SOLVED
        if solved is not None:
            offered = _offered(solved, MIN_LEAD)
        elif sum(decision.view.dice) == 2:
            return None
        else:
            screened = _offered(self._played(name, decision, explanation, moves, match), PLAYED_SCREEN_LEAD)
            if screened is None:
                return None
            certified = self._played(name, decision, explanation, screened.moves, match, certify=True)
            offered = certified if _is_certain(certified) else None
        if offered is None:
            return None
        p_right = {estimate.move: estimate.p_right_given_bids or 0.0 for estimate in estimates}
        if all(p_right[move] < MIN_P_PLAUSIBLE for move in offered.moves[1:]):
            return None
        return self._described(name, match, decision, explanation, certificate, offered, p_right)

    def _solved(
        self, decision: Decision, explanation: Explanation, moves: Sequence[PlayedMove], match: int
    ) -> _Values | None:
        """Return the solved values; None for other positions and for most of the solved ones."""
        (belief, *others) = explanation.beliefs.values()
        if others or np.random.default_rng((self._seed, match, decision.number)).random() > SOLVED_SHARE:
            return None
        exact = endgame_values(decision.view, dict(zip(belief.hands, belief.probs, strict=True)))
        if exact is None or not set(moves) <= set(exact):
            return None
        ordered = sorted(moves, key=lambda move: -exact[move])
        values = [exact[move] for move in ordered]
        return _Values(ordered, values, [values[0] - value for value in values], [0.0] * len(values))

    def _played(
        self,
        name: str,
        decision: Decision,
        explanation: Explanation,
        moves: Sequence[PlayedMove],
        match: int,
        *,
        certify: bool = False,
    ) -> _Values:
        """Return the values of playouts; the first of `moves` is the best one where they certify it."""
        deals = self._deals if certify else SCREEN_DEALS
        rng = np.random.default_rng((self._seed, match, decision.number, int(certify)))
        hands = sample_hands(decision, explanation.beliefs, deals, rng)
        playouts: Playouts = play_rounds_out(decision, moves, hands, self._network, rng)
        values = self._values(name, certify=certify)
        means = playouts.mean(values, decision.seat)
        order = np.argsort(-means, kind="stable").tolist()
        best = 0 if certify else order[0]
        behind, errors = [], []
        for move in order:
            lead, error = playouts.difference(values, decision.seat, best, move) if move != best else (0.0, 0.0)
            behind.append(lead)
            errors.append(Z_95 * error)
        return _Values([moves[move] for move in order], [float(means[move]) for move in order], behind, errors)

    def _values(self, name: str, *, certify: bool) -> RoundEndValues:
        matches = CERTIFY_MATCHES if certify else SCREEN_MATCHES
        key = name, matches
        if key not in self._round_ends:
            self._round_ends[key] = RoundEndValues(preset(name).ruleset, matches)
        return self._round_ends[key]

    def _described(
        self,
        name: str,
        match: int,
        decision: Decision,
        explanation: Explanation,
        certificate: Certificate,
        offered: _Values,
        p_right: dict[PlayerAction | None, float],
    ) -> Puzzle:
        shown = decision.view
        odds = explanation.standing_bid
        counts = tuple(
            HeldCounts(belief.seat, _rounded(belief.prior), _rounded(belief.posterior))
            for belief in explanation.count_beliefs
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
            p_true_by_dice=None if odds is None else round(odds.p_true, DIGITS),
        )


def _rounded(numbers: Sequence[float]) -> tuple[float, ...]:
    return tuple(round(number, DIGITS) for number in numbers)


def _may_be_puzzle(decision: Decision) -> bool:
    """Return whether the player on turn had to choose between bids and calls that playouts know."""
    shown = decision.view
    return (
        shown.on_turn
        and isinstance(decision.move, PlayedMove)
        and not shown.may_set_direction
        and not shown.unlimited
        and len(shown.moves) >= MIN_OFFERED
        and is_playable(decision)
    )


def _compared(estimates: Sequence[MoveEstimate], decision: Decision) -> list[MoveEstimate]:
    """Return the calls, the two best bids by the network and two much worse ones, the best move first."""
    highest = highest_quantity(decision)
    known = [one for one in estimates if not isinstance(one.move, Bid) or one.move.quantity <= highest]
    calls = [one for one in known if isinstance(one.move, Challenge | Exact)]
    bids = [one for one in known if isinstance(one.move, Bid)]
    places = sorted({0, 1, len(bids) // 2, 3 * len(bids) // 4} & set(range(len(bids))))
    return sorted([*calls, *(bids[place] for place in places)], key=lambda one: -one.value)


def _has_lead(values: list[float]) -> bool:
    """Return whether the best value leads enough others."""
    return sum(max(values) - value > SCREEN_LEAD for value in values) >= MIN_OFFERED - 1


def _is_promising(estimates: Sequence[MoveEstimate]) -> bool:
    """Return whether the best move leads enough others by the network, one of them plausible, and is not too easy."""
    best, *others = estimates
    behind = [one for one in others if best.value - one.value > SCREEN_LEAD]
    if len(behind) < MIN_OFFERED - 1 or all((one.p_right_given_bids or 0) < MIN_P_PLAUSIBLE for one in behind):
        return False
    return isinstance(best.move, Bid) or (best.p_right_given_bids or 0) <= MAX_P_RIGHT


def _offered(values: _Values, lead: float) -> _Values | None:
    """Return the best move and the next best ones that are behind by more than a lead, None if there are too few.

    Where a challenge is legal it is among them, as nobody would believe a puzzle without it.
    """
    clear = [place for place, behind in enumerate(values.behind) if place == 0 or behind > lead]
    if len(clear) < MIN_OFFERED:
        return None
    challenges = [place for place, move in enumerate(values.moves) if isinstance(move, Challenge)]
    if not set(challenges) <= set(clear):
        return None
    clear = sorted({*clear[: MAX_OFFERED - len(challenges)], *challenges})
    moves, numbers = [values.moves[place] for place in clear], (values.values, values.behind, values.errors)
    return _Values(moves, *([column[place] for place in clear] for column in numbers))


def _is_certain(values: _Values) -> bool:
    """Return whether the first move is better than each other one, with its whole 95% interval above `MIN_LEAD`."""
    others = zip(values.behind[1:], values.errors[1:], strict=True)
    return values.behind[0] == 0.0 and all(behind - error > MIN_LEAD for behind, error in others)


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
