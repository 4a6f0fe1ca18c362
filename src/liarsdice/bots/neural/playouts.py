"""Rounds that are played on by the champion on sampled dice, in many copies side by side.

The simulator plays them, or the engine (`play_on_by_engine`) where the simulator does not know the rules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from liarsdice.bots.neural.batch_observation import BatchObserver, sample_actions, to_sim_actions
from liarsdice.bots.neural.belief import Belief, hand_shares, state_with_hands
from liarsdice.bots.neural.champion import Champion, decode_action, with_untrained_moves
from liarsdice.bots.neural.features import (
    SILENT,
    BoolArray,
    FloatArray,
    IntArray,
    NetworkInput,
    concatenated,
    faces_of_pure_bids,
    network_plays,
    observe,
    with_hands,
)
from liarsdice.bots.policy import NamesActionProbs
from liarsdice.bots.simple.moves import must_challenge_pass
from liarsdice.core.actions import MOVES, BidAndShow, Challenge, Exact, PlayerAction, RollAgain
from liarsdice.core.bids.odds import count_spec
from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.evolve import evolve_all
from liarsdice.core.engine.legal import callers_out_of_turn, permitted_by
from liarsdice.core.engine.settle import first_caller
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.meaning import bids_are_about_own_dice, has_pure_bids
from liarsdice.core.rules.tally import Hand
from liarsdice.sim import array_schema as schema
from liarsdice.sim.policies import ExternalPolicy
from liarsdice.sim.vector_env import AgentSelector, VectorEnv
from liarsdice.values.playouts import CHOOSING_SHARE, Playouts, RoundPlays, copies_of, round_ends
from liarsdice.values.round_ends import RoundEnd


class NetworkPlayouts:
    """Copies of a match whose seats all play as the network of a champion does.

    `histories`: int64 [match], a number for what was done before; equal ones mean that the public state is the same.
    """

    def __init__(self, env: VectorEnv, champion: Champion, histories: IntArray) -> None:
        self._env = env
        self._champion = champion
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
        """Return `Champion.network_probs` of some matches, int64 [row]."""
        seats = self.seats
        views = _numbers(self._histories[rows], seats[rows], self._hands_seen[rows, seats[rows]])
        _, firsts, places = np.unique(views, return_index=True, return_inverse=True)
        inputs, probs = self._champion.network_probs(
            self._observer.observe(seats, rows[firsts]), self._env.rules.ruleset
        )
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
    hands: Sequence[Hands],
    champion: Champion,
    rng: np.random.Generator,
) -> Playouts:
    """Play the round on after each move, once for each deal; all seats play as the champion does.

    That is as its network does, in rounds of two players with a solved strategy or a blueprint as that does. `shown`:
    the view of the player who moves. `round_dice`: the dice by seat when the round was dealt. `moves`: legal moves of
    the player; None lets the bid stand. `hands`: by deal and seat. The same deal has the same dice and the
    same random numbers after every move.
    """
    deals, seat = len(hands), shown.seat
    assert seat is not None
    env = copies_of(shown, round_dice, len(moves) * deals)
    env.state.hands[:] = np.tile(face_counts(hands, shown.ruleset.dice.faces), (len(moves), 1, 1))
    first_actions = [env.rules.action_id(move) if isinstance(move, MOVES) else schema.NO_ACTION for move in moves]
    silent = np.zeros((len(env), len(shown.dice)), np.bool_)
    silent[:, seat] = np.repeat([move is None for move in moves], deals)
    env.step(np.repeat(first_actions, deals), np.full(len(env), seat, np.int32))
    playouts = NetworkPlayouts(env, champion, np.repeat(np.arange(len(moves)), deals))
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


Hands = tuple[Hand, ...]
"""Hands by seat; dice in the open come first."""
DRAWN_FOR_EACH = 16
"""So many deals are drawn for each one that is played on."""


def sample_hands(shown: View, beliefs: Mapping[int, Belief], deals: int, rng: np.random.Generator) -> list[Hands]:
    """Return hands of all seats, one for each deal: those that the player sees, and others as they are believed to be.

    The standing bid is true in nearly as many of them as the beliefs say, and so it is in the deals that find the best
    move (`evenly_spread`).
    """
    drawn, rules, bid = deals * DRAWN_FOR_EACH, shown.ruleset, shown.bid
    seen = shown.seen or ((),) * len(shown.dice)
    hands: list[tuple[Hand, ...]] = [(shown.hand if seat == shown.seat else held,) for seat, held in enumerate(seen)]
    places = [np.zeros(drawn, np.int64)] * len(hands)
    for seat, belief in beliefs.items():
        probs = np.array(belief.probs)
        hands[seat], places[seat] = belief.hands, rng.choice(len(probs), drawn, p=probs / probs.sum())
    shares = np.zeros((drawn, 3), np.int64)
    if bid is not None and not bid.is_sum:
        spec = count_spec(rules, bid.face, wilds_count=shown.wilds_in_challenge)
        for seat, held in enumerate(hands):
            if seat == shown.bidder or not bids_are_about_own_dice(rules):
                different, numbers = hand_shares(spec, held)
                shares += np.array(different)[numbers[places[seat]]]
    natural, with_wilds, without = shares.T
    chosen = evenly_spread(np.where(natural > 0, with_wilds, without), deals, rng)
    columns = [[held[place] for place in drawn_for[chosen]] for held, drawn_for in zip(hands, places, strict=True)]
    return list(zip(*columns, strict=True))


def evenly_spread(counts: NDArray[np.int64], deals: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the places of deals, int64 [deal], whose counts are spread as those of all that were drawn.

    `counts`: int64 [drawn], of the dice for a bid, whose number is a multiple of `deals`. So is the share that comes
    first (`CHOOSING_SHARE`), and the others.
    """
    by_count = np.lexsort((rng.random(len(counts)), counts)).reshape(deals, -1)
    chosen = by_count[np.arange(deals), rng.integers(by_count.shape[1], size=deals)]
    first = np.zeros(deals, np.bool_)
    first[(np.arange(round(deals * CHOOSING_SHARE)) / CHOOSING_SHARE + 1).astype(np.int64)] = True
    return np.concatenate([chosen[first], chosen[~first]])


def face_counts(deals: Sequence[Hands], faces: int) -> NDArray[np.int32]:
    """Return how many dice show each face, int32 [deal, seat, face]. A seat has as many dice in every deal."""
    by_seat = [np.array(hands, np.int32)[:, :, np.newaxis] for hands in zip(*deals, strict=True)]
    return np.stack([(dice == np.arange(1, faces + 1)).sum(axis=1) for dice in by_seat], axis=1).astype(np.int32)


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


MoveProbs = Mapping[PlayerAction | None, float]


class Situation(NamedTuple):
    """A player's view, and the hands to ask about in place of the view's own; those in the open come first."""

    shown: View
    hands: Sequence[Hand]


class HandMoves:
    """How a champion plays one view with other hands in place of the view's own.

    `tables`: by hand, the probabilities from which a move is drawn, and whether it is final (`Champion.draw_probs`).
    """

    def __init__(self, shown: View, tables: Mapping[Hand, tuple[MoveProbs, bool]]) -> None:
        self._shown = shown
        self._tables = tables
        self._is_changed = shown.may_double or shown.may_pass or shown.may_challenge_pass or shown.may_show

    def draw(self, hand: Hand, number: float) -> PlayerAction | None:
        """Return the move with a hand; `number`, 0 <= number < 1, decides where the champion draws one."""
        probs, is_final = self._tables[hand]
        if is_final:
            return next(iter(probs))
        left = number * sum(probs.values())
        move = None
        for move, prob in probs.items():  # noqa: B007  the last move takes what rounding leaves
            left -= prob
            if left < 0:
                break
        return with_untrained_moves(self._with_hand(hand), move) if self._is_changed else move

    def all_probs(self, hand: Hand) -> dict[PlayerAction | None, float]:
        """Return the probability of each move with a hand."""
        probs, is_final = self._tables[hand]
        if is_final or not self._is_changed:
            return dict(probs)
        shown, changed = self._with_hand(hand), dict[PlayerAction | None, float]()
        for move, prob in probs.items():
            replaced = with_untrained_moves(shown, move)
            changed[replaced] = changed.get(replaced, 0.0) + prob
        return changed

    def prob(self, hand: Hand, made: PlayerAction | None) -> float:
        """Return the probability of a move with a hand."""
        return self.all_probs(hand).get(made, 0.0)

    def _with_hand(self, hand: Hand) -> View:
        return replace(self._shown, hand=hand)


def hand_moves(champion: Champion, situations: Sequence[Situation]) -> list[HandMoves]:
    """Return how a champion plays in situations under the same rules, each with all of its hands.

    The network is asked for all of them together.
    """
    tables: list[dict[Hand, tuple[MoveProbs, bool]]] = []
    asked: list[tuple[int, Situation]] = []
    for number, (shown, hands) in enumerate(situations):
        different, table = list(dict.fromkeys(hands)), dict[Hand, tuple[MoveProbs, bool]]()
        if _needs_only_network(champion, shown):
            asked += [(number, Situation(replace(shown, hand=group[0]), group)) for group in _by_pure(shown, different)]
        else:
            table = {hand: champion.draw_probs(replace(shown, hand=hand)) for hand in different}
        tables.append(table)
    answers = _network_moves(champion, [situation for _, situation in asked]) if asked else []
    for (number, situation), probs in zip(asked, answers, strict=True):
        tables[number] |= {hand: (one, False) for hand, one in zip(situation.hands, probs, strict=True)}
    return [HandMoves(shown, table) for (shown, _), table in zip(situations, tables, strict=True)]


def _network_moves(champion: Champion, situations: Sequence[Situation]) -> list[list[dict[PlayerAction | None, float]]]:
    """Return the probability of each move of the network in situations, for each of their hands.

    Where bids may be pure, the hands agree on `faces_of_pure_bids`.
    """
    parts = []
    for shown, hands in situations:
        in_the_open = shown.known[len(shown.hand) :]
        parts.append(with_hands(observe(shown), shown.ruleset, [(*hand, *in_the_open) for hand in hands]))
    inputs, kept = champion.network_probs(concatenated(parts), situations[0].shown.ruleset)
    found, row = [], 0
    for shown, hands in situations:
        pure = faces_of_pure_bids(shown)
        tables = []
        for _ in hands:
            actions = np.flatnonzero(kept[row]).tolist()
            probs = {decode_action(shown, inputs, action, row, pure): float(kept[row, action]) for action in actions}
            tables.append(probs)
            row += 1
        found.append(tables)
    return found


def _by_pure(shown: View, hands: Sequence[Hand]) -> list[list[Hand]]:
    """Return hands in groups that agree on `faces_of_pure_bids`."""
    if not has_pure_bids(shown.ruleset):
        return [list(hands)]
    groups: dict[frozenset[int], list[Hand]] = {}
    for hand in hands:
        groups.setdefault(faces_of_pure_bids(replace(shown, hand=hand)), []).append(hand)
    return list(groups.values())


WEIGHED = {"may_challenge", "may_double", "may_call_exact", "may_set_direction", "may_pass", "may_challenge_pass"}
"""The fields of a view that permit moves which the network, or what replaces its moves, weighs against bids."""


def _needs_only_network(champion: Champion, shown: View) -> bool:
    """Return whether nothing but the network, and what replaces its moves, decides in a view."""
    others = any(may for field, may in permitted_by(shown).items() if field not in WEIGHED)
    chooses = others or must_challenge_pass(shown)
    solved = shown.on_turn and (champion.plays_solved(shown) or champion.blueprint(shown) is not None)
    known = network_plays(shown)
    return known and not (chooses or solved)


DRAWS = 64
"""How many random numbers each deal has; longer playouts use them again."""
SeatMove = tuple[int, PlayerAction]


class _Row:
    """A deal that is played on after one of the moves. `challenged`: whether the first bid from there on was."""

    __slots__ = ("challenged", "deal", "end", "hands", "used")

    def __init__(self, deal: int, hands: Hands) -> None:
        self.deal, self.hands = deal, hands
        self.used = 0
        self.challenged = False
        self.end: RoundEnd | None = None


class _Node(NamedTuple):
    """Rows with the same public moves so far, and their state, with the hands of one of them."""

    state: State
    rows: Sequence[_Row]


class _Playouts:
    """Plays rows to the end of the round, all those that are equally far together.

    `draws`: [deal][number], random numbers that are the same after every move.
    """

    def __init__(
        self, shown: View, champion: Champion, draws: Sequence[Sequence[float]], others: NamesActionProbs | None
    ) -> None:
        self._bid_count = len(shown.bids)
        self._seat = shown.seat
        self._champion = champion
        self._others = others
        self._draws = draws
        self._open: list[_Node] = []

    def play(self) -> None:
        """Play all rows to the end of the round."""
        while self._open:
            nodes, self._open = self._open, []
            self.step(nodes)

    def step(self, nodes: Sequence[_Node], silent: int | None = None) -> None:
        """Play one move in each row; a seat that keeps `silent` makes no call out of turn."""
        asked = [
            [*(seat for seat in callers_out_of_turn(node.state) if seat != silent), node.state.turn] for node in nodes
        ]
        askings = [(node, seat) for node, seats in zip(nodes, asked, strict=True) for seat in seats]
        moves = iter(self._moves(askings))
        for node, seats in zip(nodes, asked, strict=True):
            by_move: dict[SeatMove, list[_Row]] = defaultdict(list)
            answers = [next(moves) for _ in seats]
            for row, *made in zip(node.rows, *answers, strict=True):
                by_move[_first_move(node.state, dict(zip(seats, made, strict=True)))].append(row)
            for (seat, action), rows in by_move.items():
                self.make(node.state, seat, action, rows)

    def make(self, state: State, seat: int, action: PlayerAction, rows: Sequence[_Row]) -> None:
        """Make a move in all rows, which share a public state."""
        if isinstance(action, Challenge) and len(state.bids) == self._bid_count + 1:
            for row in rows:
                row.challenged = True
        after = _after(state, seat, action, rows[0].hands)
        if after.phase is Phase.BIDDING:
            if isinstance(action, BidAndShow):  # its dice come first in each hand
                for row in rows:
                    row.hands = _after(state, seat, action, row.hands).hands
            self._open.append(_Node(after, rows))
        elif after.phase is Phase.ROLL_AGAIN:
            for row in rows:
                row.hands = self._rolled(_after(state, seat, action, row.hands), row)
            hidden = after.hidden_count(seat)
            self._open.append(_Node(evolve_all(after, decide(after, None, RollAgain((1,) * hidden))), rows))
        else:
            for row in rows:
                row.end = round_end_of(_after(state, seat, action, row.hands))

    def _moves(self, askings: Sequence[tuple[_Node, int]]) -> list[list[PlayerAction | None]]:
        """Return the move of a seat in each row of a node, for all pairs of a node and a seat; None is silence."""
        situations: list[Situation] = []
        places: list[list[tuple[int, Hand]]] = []
        for node, seat in askings:
            shown = view(replace(node.state, hands=node.rows[0].hands), seat)
            if shown.open_hands:  # everybody sees the dice of the others, so that each row is a view of its own
                views = [view(replace(node.state, hands=row.hands), seat) for row in node.rows]
                places.append([(len(situations) + number, ()) for number in range(len(views))])
                situations += [Situation(one, [()]) for one in views]
            else:
                hands = [() if shown.is_blind else row.hands[seat] for row in node.rows]
                places.append([(len(situations), hand) for hand in hands])
                situations.append(Situation(shown, hands))
        moves = self._hand_moves(situations)
        return [
            [moves[place].draw(hand, self._draw(row)) for (place, hand), row in zip(found, node.rows, strict=True)]
            for (node, _), found in zip(askings, places, strict=True)
        ]

    def _hand_moves(self, situations: Sequence[Situation]) -> Mapping[int, HandMoves]:
        """Return how the seat of each situation plays it, by its place."""
        others, moves = self._others, dict[int, HandMoves]()
        by_champion = [place for place, one in enumerate(situations) if others is None or one.shown.seat == self._seat]
        if others is not None:
            for place in sorted({*range(len(situations))} - {*by_champion}):
                shown, hands = situations[place]
                table = {hand: (others.action_probs(replace(shown, hand=hand)), False) for hand in set(hands)}
                moves[place] = HandMoves(shown, table)
        found = hand_moves(self._champion, [situations[place] for place in by_champion])
        return moves | dict(zip(by_champion, found, strict=True))

    def _draw(self, row: _Row) -> float:
        row.used += 1
        return self._draws[row.deal][row.used % DRAWS]

    def _rolled(self, state: State, row: _Row) -> Hands:
        """Return the hands after the bidder, who showed dice, rolled the others again."""
        assert state.roller is not None
        faces, count = state.ruleset.dice.faces_at(state.roller), state.hidden_count(state.roller)
        roll = tuple(int(self._draw(row) * faces) + 1 for _ in range(count))
        return evolve_all(state, decide(state, None, RollAgain(roll))).hands


def play_on_by_engine(
    shown: View,
    moves: Sequence[PlayerAction | None],
    hands: Sequence[Hands],
    champion: Champion,
    rng: np.random.Generator,
    others: NamesActionProbs | None = None,
) -> Playouts:
    """Play the round on after each move, once for each deal; all seats play as the champion does.

    `shown`: the view of the player who moves. `moves`: legal moves of the player; None lets the bid stand. `hands`: by
    deal and seat. `others`: how the other seats play in the champion's place. The same deal has the same dice and the
    same random numbers after every move. The dice of round ends are what the players have left of what losses cost.
    """
    seat = shown.seat
    assert seat is not None
    playouts = _Playouts(shown, champion, rng.random((len(hands), DRAWS)).tolist(), others)
    by_move: list[list[_Row]] = []
    for move in moves:
        rows = [_Row(deal, dealt) for deal, dealt in enumerate(hands)]
        state = state_with_hands(shown, hands[0])
        if move is None:
            playouts.step([_Node(state, rows)], silent=seat)
        else:
            playouts.make(state, seat, move, rows)
        by_move.append(rows)
    playouts.play()
    ends: dict[RoundEnd, int] = {}
    outcomes = [[ends.setdefault(row.end, len(ends)) for row in rows if row.end is not None] for rows in by_move]
    challenged = [[row.challenged for row in rows] for rows in by_move]
    return Playouts(np.array(outcomes), list(ends), np.array(challenged))


def _first_move(state: State, answers: Mapping[int, PlayerAction | None]) -> SeatMove:
    """Return which of the moves at the same moment is made, as at the table: a call before a bid."""
    calls = [seat for seat, move in answers.items() if move is not None and seat != state.turn]
    if isinstance(answers[state.turn], Challenge | Exact):
        calls.append(state.turn)
    seat = first_caller(state, tuple(calls)) if calls else state.turn
    move = answers[seat]
    assert move is not None
    return seat, move


def round_end_of(state: State) -> RoundEnd:
    """Return the end of a round from the state before the next deal, or after the match.

    Where players shed, it is as after the match once somebody is safe: who wins is known then.
    """
    seats = len(state.names)
    if state.phase is Phase.OVER or state.safe:
        known = state.winners or state.first_safe
        winners = tuple(seat in known for seat in range(seats))
        return RoundEnd((0,) * seats, -1, -1, 1, (0,) * seats, (False,) * seats, 0, winners)
    return RoundEnd(
        dice=state.stakes,
        starter=state.starter,
        special_seat=-1 if state.special_seat is None else state.special_seat,
        step=state.direction.step,
        exact_calls=state.exact_calls or (0,) * seats,
        had_special=tuple(seat in state.had_special for seat in range(seats)),
        round_number=state.round_number,
        winners=None,
    )


def _after(state: State, seat: int, action: PlayerAction, hands: Hands) -> State:
    dealt = replace(state, hands=hands)
    return evolve_all(dealt, decide(dealt, seat, action))
