"""Finds puzzles in matches between bots: cheap screening of all decisions, then playouts with fresh random numbers.

A decision passes three filters. Playouts of a few deals must show a lead of its best move, then those of more deals.
Whatever passes is judged again with many deals and other random numbers, so that the selection does not make the lead
look larger than it is. In solved rounds, the solved values decide. At last, the best move has to stay best against
other ways of playing.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace

from liarsdice.analysis.puzzles.puzzle import Certificate, HeldCounts, OfferedMove, Puzzle, Theme
from liarsdice.analysis.puzzles.robustness import bot_moves, count_missed, explained, is_robust
from liarsdice.analysis.review.decisions import Decision, decisions_of
from liarsdice.bots.neural.belief import Belief, beliefs, count_beliefs
from liarsdice.bots.neural.champion import CHAMPION_NAME, champion_network
from liarsdice.bots.neural.judge import judge, network_moves
from liarsdice.bots.neural.reasons import p_right as right_of
from liarsdice.bots.neural.reasons import rounded_prob
from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.bids.odds import enumerate_hands
from liarsdice.core.engine.view import View
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import Hand
from liarsdice.play.match_runner import play_match
from liarsdice.solve.round_game import round_start_of
from liarsdice.solve.strategy.strategy import ActionProbs, Strategy, same_round_rules
from liarsdice.solve.strategy.strategy_file import StrategySet
from liarsdice.values.blueprints import blueprint_of_view, packaged_blueprints
from liarsdice.values.endgames import action_shares, endgame_strategy
from liarsdice.values.playouts import highest_quantity, knows_bids
from liarsdice.values.value_network import VALUE_VERSION

MIN_LEAD = 0.08
"""The lead of the best move over other offered moves; its whole 95% interval lies above this share of the match.

Over moves that bots make, it lies above 0.
"""
MIN_OFFERED, MAX_OFFERED = 3, 4
TOO_SURE = 0.97
"""A best move that is right with this probability is too easy if no other one is likely."""
MIN_P_PLAUSIBLE = 0.2
"""Of the other moves that are offered, one at least is right with this probability, going by the bids."""
LIKELY, MIN_P_BLUFF = 0.5, 0.15

PlayedMove = Bid | Challenge | Exact


class ValuedMoves(NamedTuple):
    """The moves of a decision, the best first: value, how far behind the best, and half of its 95% interval."""

    moves: list[PlayedMove]
    values: list[float]
    behind: list[float]
    errors: list[float]


def offered_moves(valued: ValuedMoves, lead: float, made: Sequence[PlayedMove] = ()) -> ValuedMoves | None:
    """Return the best move and others that are behind by more than a lead, None if there are too few.

    All legal calls are among them, as nobody would believe a puzzle without them. Then come bids that are `made` by
    bots, in this order, for which any lead is enough, and the next best ones.
    """
    leads = [lead if move not in made else 0 for move in valued.moves]
    clear = [place for place, behind in enumerate(valued.behind) if place == 0 or behind > leads[place]]
    calls = _calls(valued)
    if len(clear) < MIN_OFFERED or not calls <= set(clear):
        return None
    order = {move: place for place, move in enumerate(made)}
    bids = [place for place in clear[1:] if place not in calls]
    bids.sort(key=lambda place: order.get(valued.moves[place], len(made)))
    return _at_places(valued, sorted({0, *calls, *bids[: MAX_OFFERED - len({0, *calls})]}))


def _calls(valued: ValuedMoves) -> set[int]:
    return {place for place, move in enumerate(valued.moves) if isinstance(move, Challenge | Exact)}


def _at_places(valued: ValuedMoves, places: list[int]) -> ValuedMoves:
    moves = [valued.moves[place] for place in places]
    columns = (valued.values, valued.behind, valued.errors)
    return ValuedMoves(moves, *([column[place] for place in places] for column in columns))


def certain_moves(valued: ValuedMoves, made: Sequence[PlayedMove] = ()) -> ValuedMoves | None:
    """Return the best move and those that are certainly worse: the whole 95% interval lies behind `MIN_LEAD`.

    For moves that are `made` by bots, it lies behind 0. None if there are too few, if a call or a move of a bot is not
    among them, or if another move turned out to be the best one.
    """
    if valued.behind[0] != 0.0:
        return None
    leads = [MIN_LEAD if move not in made else 0 for move in valued.moves]
    rows = zip(valued.behind, valued.errors, leads, strict=True)
    certain = [place for place, (behind, error, lead) in enumerate(rows) if place == 0 or behind - error > lead]
    needed = _calls(valued) | {valued.moves.index(move) for move in made}
    return offered_moves(_at_places(valued, certain), MIN_LEAD, made) if needed <= set(certain) else None


def is_worth_asking(offered: ValuedMoves, p_right: Mapping[PlayedMove, float]) -> bool:
    """Return whether one of the other moves is plausible, and the answer neither too easy nor hard to believe.

    `p_right`: the probability that each bid is true or each call right. A bid that is hardly ever true is hard to
    believe where a call is likely to be right: that it is best then rests on how rarely the reference calls.
    """
    best, *others = offered.moves
    likeliest = max(p_right[move] for move in others)
    if likeliest < MIN_P_PLAUSIBLE:
        return False
    if not isinstance(best, Bid):
        return p_right[best] <= TOO_SURE
    calls = [p_right[move] for move in others if not isinstance(move, Bid)]
    if p_right[best] < MIN_P_BLUFF and max(calls, default=0.0) >= LIKELY:
        return False
    return p_right[best] <= TOO_SURE or likeliest >= LIKELY


SCREEN_LEAD = 0.08
"""The lead that the first playouts must show over the moves that are offered."""
CALL_LEAD = 0.06
"""The lead that they must show over calls, which are all offered."""
DECOY_LEAD = 0.09
"""Bids that are offered as mistakes are those next behind this lead."""
BEST_BIDS, DECOYS = 2, 3
"""How many bids are compared: those of the highest value, and others."""


def may_be_puzzle(decision: Decision) -> bool:
    """Return whether the player on turn had to choose between bids and calls that playouts know.

    The players' turns go round to the left, as readers of a puzzle expect. Special rounds in which a seat may change
    the face are left out, because a puzzle does not say which seat that is.
    """
    shown = decision.view
    return (
        shown.on_turn
        and isinstance(decision.move, PlayedMove)
        and not shown.may_set_direction
        and shown.direction.step == 1
        and not shown.unlimited
        and (shown.special_seat is None or not shown.exempt)
        and len(shown.moves) >= MIN_OFFERED
        and knows_bids(decision.view, decision.round_dice, decision.move)
    )


def compared_moves(
    decision: Decision, values: Mapping[PlayerAction | None, float], made: Sequence[PlayerAction | None]
) -> list[PlayedMove]:
    """Return the calls, the best bids by these values, and bids that are worse.

    If possible, the latter are bids that are `made` by bots, and on different faces.
    """
    highest = highest_quantity(decision.view, decision.round_dice)
    calls = [move for move in values if isinstance(move, Challenge | Exact)]
    bids = [move for move in values if isinstance(move, Bid) and move.quantity <= highest]
    bids.sort(key=lambda bid: -values[bid])
    most = max(values.values())
    worse = [bid for bid in bids[BEST_BIDS:] if most - values[bid] > DECOY_LEAD]
    first_on_face = {bid.face: bid for bid in reversed(worse)}.values()
    decoys = sorted(worse, key=lambda bid: (bid not in made, bid not in first_on_face, -values[bid]))[:DECOYS]
    return [*calls, *bids[:BEST_BIDS], *decoys]


def known_moves(decision: Decision, made: Sequence[PlayerAction | None]) -> list[PlayedMove]:
    """Return the moves that are `made` by bots, the last one's first; none if playouts do not know one of them."""
    different = list(dict.fromkeys(reversed(made)))
    played = [move for move in different if isinstance(move, PlayedMove)]
    known = [move for move in played if knows_bids(decision.view, decision.round_dice, move)]
    return known if len(known) == len(different) else []


def looks_clear(moves: list[PlayedMove], values: Mapping[PlayerAction | None, float]) -> bool:
    """Return whether the best of these moves leads enough others, and every call, by these values."""
    most = max(values[move] for move in moves)
    leads = sum(most - values[move] > SCREEN_LEAD for move in moves)
    calls = [most - values[move] for move in moves if isinstance(move, Challenge | Exact)]
    return leads >= MIN_OFFERED - 1 and all(behind == 0 or behind > CALL_LEAD for behind in calls)


MIN_BID_PROB = 0.01
"""Bids that the strategy makes less often than this are none of its own: it says little about what follows them."""


class SolvedPosition(msgspec.Struct, frozen=True):
    """A decision in a solved round: what to believe of the opponent's hand, and the solved probability of each move."""

    strategy: Strategy
    hand: Hand
    bids: tuple[Bid, ...]
    opponent: int
    belief: Belief
    policy: ActionProbs

    def values(self, moves: Sequence[PlayedMove]) -> list[float]:
        """Return the share of the match that each move wins, if both follow the strategy from there on."""
        probs = {hand: prob for hand, prob in zip(self.belief.hands, self.belief.probs, strict=True) if prob > 0}
        values = action_shares(self.strategy, self.hand, self.bids, probs, moves)
        return [values[move] for move in moves]


def solved_position(shown: View, files: Sequence[StrategySet]) -> SolvedPosition | None:
    """Return the position of the player on turn in a round that the package or one of these files has solved.

    None if there is no strategy for it, or a bid was made that the strategy hardly ever makes.
    """
    if len(shown.others) != 1:
        return None
    strategy = _strategy(shown, files)
    if strategy is None:
        return None
    bids = tuple(bid for _, bid in shown.bids)
    hand = tuple(sorted(shown.hand))
    own = {hand: 1.0}
    hands, rolls = enumerate_hands(shown.ruleset.dice.faces, shown.others[0])
    theirs = dict(zip(hands, map(float, rolls), strict=True))
    for made, (bidder, bid) in enumerate(shown.bids):
        probs = own if bidder == shown.seat else theirs
        for held in probs:
            probs[held] *= _bid_prob(strategy, held, bids[:made], bid)
        if max(probs.values()) <= 0:
            return None
    total = sum(theirs.values())
    try:
        policy = strategy.action_probs(hand, bids)
    except UnavailableError:
        return None
    belief = Belief(hands, tuple(count / total for count in theirs.values()))
    opponent = next(seat for seat, held in enumerate(shown.dice) if held and seat != shown.seat)
    return SolvedPosition(strategy, hand, bids, opponent, belief, policy)


def _strategy(shown: View, files: Sequence[StrategySet]) -> Strategy | None:
    start = round_start_of(shown)
    for file in files:
        if file.match and same_round_rules(shown.ruleset, file.rules):
            with suppress(UnavailableError):  # the file has other rounds
                return file.strategy(start)
    return endgame_strategy(shown)


def _bid_prob(strategy: Strategy, hand: Hand, bids: Sequence[Bid], bid: Bid) -> float:
    """Return the probability of a bid after others; 0 if it is no bid of the strategy."""
    try:
        prob = strategy.action_probs(hand, bids).get(bid, 0.0)
    except UnavailableError:  # the hand would have called
        return 0.0
    return prob if prob >= MIN_BID_PROB else 0.0


JUDGE = f"{CHAMPION_NAME}, values@{VALUE_VERSION}"
BOTS = ("champion", "sharp")
"""Who plays the matches, by seat in turn: strong players, one of whom makes mistakes that the other may call."""
SCREENS = ((1, 90, 0.10), (2, 180, 0.085))
"""The seeds, deals and leads of the judgements that choose the moves that are worth a certificate."""
FIRST, FIRST_DEALS = 3, 24
"""The seed and deals of the judgement of all moves, from which those that are worth comparing are chosen."""
CERTIFICATE = 0
"""The seed of the judgement that certifies: that of explanations and reviews, which say the same by as many deals."""
SOLVED_SHARE = 0.3
"""The share of positions with the last two dice that become puzzles, as they differ little from each other."""
MAX_SOLVED_DICE = 3
"""So few dice only the solver certifies: playouts of the champion's network are often wrong there."""
MIN_SOLVED_PROB = 0.9
"""A solved strategy makes the best move at least so often."""
MAX_PLAYERS = 6
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
            if puzzle is not None and is_robust(puzzle):
                hands.add(hand)
                yield replace(puzzle, missed=count_missed(puzzle), reason=explained(puzzle))

    def _puzzle(self, name: str, match: int, decision: Decision) -> Puzzle | None:
        position = solved_position(decision.view, self._solved)
        if position is None and (self._only_solved or not is_played_by_network(decision.view)):
            return None
        hands = beliefs(decision.view, champion_network(decision.view.ruleset), packaged_blueprints())
        considered = network_moves(decision.view, decision.round_dice)
        played = [move for move in considered if isinstance(move, PlayedMove)]
        first = _judged(decision, hands, played, FIRST, FIRST_DEALS)
        estimates = dict[PlayerAction | None, float](zip(first.moves, first.values, strict=True))
        of_bots = bot_moves(decision.view)
        moves, made = compared_moves(decision, estimates, of_bots), known_moves(decision, of_bots)
        if not looks_clear(moves, estimates):
            return None
        if position is not None:
            return self._solved_puzzle(name, match, decision, position, moves, made)
        p_right = {move: (right_of(decision.view, hands, move) or 0.0) for move in moves}
        for number, deals, lead in SCREENS:
            screened = offered_moves(_judged(decision, hands, moves, number, deals), lead)
            if screened is None or not is_worth_asking(screened, p_right):
                return None
            moves = screened.moves
        if not made:
            return None
        moves = list(dict.fromkeys([*moves, *made]))
        p_right = {move: (right_of(decision.view, hands, move) or 0.0) for move in moves}
        certified = certain_moves(_judged(decision, hands, moves, CERTIFICATE, self._deals), made)
        if certified is None or not is_worth_asking(certified, p_right):
            return None
        return self._described(name, match, decision, hands, Certificate.PLAYOUTS, certified)

    def _solved_puzzle(
        self,
        name: str,
        match: int,
        decision: Decision,
        position: SolvedPosition,
        moves: Sequence[PlayedMove],
        made: Sequence[PlayedMove],
    ) -> Puzzle | None:
        """Return the puzzle of a solved position; None for most of those with the last two dice.

        `made`: moves of bots.
        """
        rng = np.random.default_rng((self._seed, match, decision.number))
        if sum(decision.view.dice) == 2 and rng.random() > SOLVED_SHARE:
            return None
        moves = list(dict.fromkeys([*moves, *made]))
        values = dict(zip(moves, position.values(moves), strict=True))
        ordered = sorted(moves, key=lambda move: -values[move])
        best = values[ordered[0]]
        column = [values[move] for move in ordered]
        valued = ValuedMoves(ordered, column, [best - value for value in column], [0.0] * len(column))
        offered = offered_moves(valued, MIN_LEAD, made)
        if offered is None or position.policy.get(ordered[0], 0.0) < MIN_SOLVED_PROB:
            return None
        hands = {position.opponent: position.belief}
        if not is_worth_asking(offered, {move: (right_of(decision.view, hands, move) or 0.0) for move in moves}):
            return None
        return self._described(name, match, decision, hands, Certificate.SOLVED, offered)

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
        p_right = {move: (right_of(shown, hands, move) or 0.0) for move in offered.moves}
        counts = tuple(
            HeldCounts(belief.seat, *(tuple(map(rounded_prob, probs)) for probs in (belief.prior, belief.posterior)))
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
            missed=(0, 0),
            dice=shown.dice,
            seat=decision.seat,
            hand=shown.hand,
            bids=shown.bids,
            wilds_count=shown.wilds_count,
            special_seat=shown.special_seat,
            moves=tuple(
                OfferedMove(
                    move, round(value, DIGITS), round(behind, DIGITS), round(error, DIGITS), rounded_prob(p_right[move])
                )
                for move, value, behind, error in zip(*offered, strict=True)
            ),
            counts=counts,
        )


def _judged(
    decision: Decision, hands: dict[int, Belief], moves: Sequence[PlayedMove], seed: int, deals: int
) -> ValuedMoves:
    """Return what the judge says of moves; the first of `moves` is the best one after the first screen."""
    judged = judge(decision.view, decision.round_dice, hands, asked=moves, only_asked=True, deals=deals, seed=seed)
    ranked = sorted(((judged.moves.index(move), move) for move in moves), key=lambda one: -judged.values[one[0]])
    best = ranked[0][0] if seed in {SCREENS[0][0], FIRST} else judged.moves.index(moves[0])
    values = [float(judged.values[place]) for place, _ in ranked]
    behind, errors = zip(*(judged.behind(place, best) for place, _ in ranked), strict=True)
    return ValuedMoves([move for _, move in ranked], values, list(behind), list(errors))


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
