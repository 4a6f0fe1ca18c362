"""Exact exploitability of bots: against the solver, against play, and against OpenSpiel."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise, product

import msgspec
import numpy as np
import pyspiel
import pytest
from numpy.typing import NDArray

from liarsdice.bots.policy import PolicyBot, policy_of, probs_one_by_one
from liarsdice.bots.registry import bot_names, make_bot
from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.engine.engine import decide, evolve, evolve_all
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.events import BidMade
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.blueprint.blueprint import Blueprint
from liarsdice.solve.blueprint.recall_graph import RecallGraph, bids_to_nodes
from liarsdice.solve.round_game import (
    PublicTree,
    RoundGame,
    RoundStart,
    dice_lost_values,
    make_public_tree,
    make_round_game,
    state_before_bids,
    view_after,
    with_faces,
)
from liarsdice.solve.round_solver import solve_round
from liarsdice.solve.strategy.reach import FloatArray
from liarsdice.solve.strategy.strategy import Strategy
from liarsdice.values.endgames import endgame_policy, endgame_strategy
from liarsdice_lab.best_response import (
    Memory,
    SeeingResponse,
    exploitability,
    exploitability_bounds,
    make_models,
    model_weights,
    round_probs,
)
from tests.bots.positions import dealt_state
from tests.openspiel_tables import load_game, openspiel_table
from tests.solve.blueprint.trained_rounds import make_graph

SINGLE_PRECISION = 1e-6
"""A network computes in float32: some processors round a row otherwise in a batch of another size."""
HOUSE_BOTS = (*bot_names(), "champion:bold")


def small_rules(name: str, faces: int = 3) -> Ruleset:
    return with_faces(preset(name).ruleset, faces)


class SolvedPlayer:
    """Plays a solved strategy for both players of a round."""

    memory = None

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy

    def act(self, view: View) -> PlayerAction | None:
        raise AssertionError(view)

    def action_probs(self, view: View) -> Mapping[PlayerAction | None, float]:
        try:
            return dict(self._strategy.policy(view).items())
        except UnavailableError:  # who plays to win never comes here
            return {view.moves[0]: 1.0}

    def probs_by_hand(
        self, views: Sequence[View], hands: Sequence[Hand], actions: Sequence[PlayerAction]
    ) -> NDArray[np.float64]:
        return probs_one_by_one(self, views, hands, actions)


@pytest.mark.parametrize("name", ["openspiel", "perudo", "basic"])
def test_a_solved_strategy_has_the_exploitability_that_its_solver_certifies(name: str) -> None:
    strategy = solve_round(small_rules(name), (1, 1), iterations=40)
    measured = exploitability(SolvedPlayer(strategy), small_rules(name), (1, 1))
    assert measured.exploitability == pytest.approx(strategy.bounds.exploitability, abs=1e-6)
    assert measured.as_first == pytest.approx(strategy.bounds.high, abs=1e-6)
    assert measured.as_second == pytest.approx(-strategy.bounds.low, abs=1e-6)


@pytest.mark.parametrize("name", HOUSE_BOTS)
def test_a_best_response_never_wins_less_than_the_solved_strategy_guarantees(name: str) -> None:
    rules = small_rules("perudo")
    value = solve_round(rules, (2, 1), target=1e-4).bounds
    measured = exploitability(make_bot(name, 1), rules, (2, 1))
    assert measured.as_first >= value.low
    assert measured.as_second >= -value.high


@pytest.mark.parametrize("name", HOUSE_BOTS)
def test_a_response_with_the_bot_s_own_moves_wins_no_more(name: str) -> None:
    rules, bot = small_rules("openspiel"), make_bot(name, 1)
    restricted, measured = (exploitability(bot, rules, (1, 2), min_prob=min_prob) for min_prob in (0.05, 0.0))
    assert restricted.as_first <= measured.as_first + 1e-12
    assert restricted.as_second <= measured.as_second + 1e-12


@pytest.mark.parametrize("dice, faces", [(1, 4), (2, 2)])
@pytest.mark.parametrize("name", ["champion@7", "sharp", "regular", "threshold:0.3", "random"])
def test_openspiel_finds_the_same_exploitability(name: str, dice: int, faces: int) -> None:
    rules, bot = small_rules("openspiel", faces), make_bot(name, 1)
    policy = policy_of(bot)

    def play(hand: Hand, bids: tuple[Bid, ...]) -> Mapping[PlayerAction | None, float]:
        return policy.action_probs(seen_after(rules, hand, (1,) * dice, bids, len(bids) % 2))

    game = load_game(dice, faces)
    expected = pyspiel.exploitability(game, openspiel_table(game, play))
    measured = exploitability(bot, rules, (dice, dice))
    assert measured.exploitability == pytest.approx(expected, abs=SINGLE_PRECISION)


def seen_after(rules: Ruleset, hand: Hand, other: Hand, bids: tuple[Bid, ...], seat: int) -> View:
    """Return what a seat with a hand sees after some bids."""
    return view(dealt_state(rules, (hand, other) if seat == 0 else (other, hand), bids), seat)


class SlowResponse:
    """A best response that settles every call of every pair of hands by the engine.

    It takes only moves that the bot makes with the same hand with probability `min_prob`, or its likeliest moves.
    """

    def __init__(self, bot: PolicyBot, rules: Ruleset, dice: tuple[int, int], seat: int, min_prob: float) -> None:
        self._bot = bot
        self._rules = rules
        self._dice = dice
        self._seat = seat
        self._min_prob = min_prob

    def value(self) -> float:
        own, other = (dealt_hands(self._dice[seat], self._rules.dice.faces) for seat in (self._seat, 1 - self._seat))
        return sum(prob * self._value(hand, other, ()) for hand, prob in own.items())

    def _value(self, hand: Hand, reach: Mapping[Hand, float], bids: tuple[Bid, ...]) -> float:
        """Return what a hand wins after some bids. `reach`: how likely each hand of the bot comes there."""
        if len(bids) % 2 == self._seat:
            probs = self._probs(hand, bids)
            least = min(self._min_prob, max(probs.values()))
            moves = [
                move
                for move in seen_after(self._rules, hand, next(iter(reach)), bids, self._seat).moves
                if probs.get(move, 0.0) >= least
            ]
            return max(self._after(hand, reach, bids, move) for move in moves)
        by_move: dict[PlayerAction | None, dict[Hand, float]] = {}
        for other, weight in reach.items():
            for move, prob in self._probs(other, bids).items():
                if weight * prob:
                    by_move.setdefault(move, {})[other] = weight * prob
        return sum(self._after(hand, part, bids, move) for move, part in by_move.items())

    def _probs(self, hand: Hand, bids: tuple[Bid, ...]) -> Mapping[PlayerAction | None, float]:
        seat = len(bids) % 2
        return self._bot.action_probs(seen_after(self._rules, hand, (1,) * self._dice[1 - seat], bids, seat))

    def _after(
        self, hand: Hand, reach: Mapping[Hand, float], bids: tuple[Bid, ...], move: PlayerAction | None
    ) -> float:
        if isinstance(move, Bid):
            return self._value(hand, reach, (*bids, move))
        assert move is not None
        return sum(weight * self._settled(hand, other, bids, move) for other, weight in reach.items())

    def _settled(self, hand: Hand, other: Hand, bids: tuple[Bid, ...], call: PlayerAction) -> int:
        """Return 1 if the bot loses more dice by a call, -1 if the seat does, else 0."""
        before = dealt_state(self._rules, (hand, other) if self._seat == 0 else (other, hand), bids)
        after = evolve_all(before, decide(before, before.turn, call))
        lost = [before.dice[seat] - after.dice[seat] for seat in (self._seat, 1 - self._seat)]
        return int(np.sign(lost[1] - lost[0]))


def dealt_hands(dice: int, faces: int) -> dict[Hand, float]:
    """Return the probability of each hand."""
    rolls = Counter(tuple(sorted(roll)) for roll in product(range(1, faces + 1), repeat=dice))
    return {hand: count / faces**dice for hand, count in rolls.items()}


@pytest.mark.parametrize("min_prob", [0.05, 0.3])
@pytest.mark.parametrize("rules_name, dice, faces", [("openspiel", (1, 1), 3), ("perudo", (2, 1), 2)])
@pytest.mark.parametrize("name", ["champion@7", "regular"])
def test_the_responses_are_those_that_the_engine_finds(
    name: str, rules_name: str, dice: tuple[int, int], faces: int, min_prob: float
) -> None:
    rules, bot = small_rules(rules_name, faces), make_bot(name, 1)
    measured = exploitability(bot, rules, dice, min_prob=min_prob)
    first, second = (SlowResponse(policy_of(bot), rules, dice, seat, min_prob).value() for seat in (0, 1))
    assert measured.as_first == pytest.approx(first, abs=SINGLE_PRECISION)
    assert measured.as_second == pytest.approx(second, abs=SINGLE_PRECISION)


def test_a_bot_that_names_no_probabilities_is_refused() -> None:
    class Silent:
        def act(self, view: View) -> PlayerAction | None:
            raise AssertionError(view)

    with pytest.raises(UnavailableError, match="does not name the probabilities"):
        exploitability(Silent(), small_rules("openspiel"), (1, 1))


def test_a_round_that_is_too_large_is_refused() -> None:
    with pytest.raises(UnavailableError, match="take fewer dice"):
        exploitability(make_bot("random"), preset("openspiel").ruleset, (3, 3))


@pytest.mark.parametrize(
    "name, within", [("champion@5", SINGLE_PRECISION), ("regular", 1e-9), ("random", 1e-9), ("threshold", 1e-9)]
)
@pytest.mark.parametrize("rules_name, dice", [("perudo", (2, 1)), ("openspiel", (1, 2))])
def test_without_a_limit_it_is_the_best_response(
    name: str, within: float, rules_name: str, dice: tuple[int, int]
) -> None:
    rules = with_faces(preset(rules_name).ruleset, 3)
    exact = exploitability(make_bot(name, 1), rules, dice)
    bounds = exploitability_bounds(make_bot(name, 1), rules, dice, 0.0)
    for bound in (bounds.low, bounds.high):
        assert bound.as_first == pytest.approx(exact.as_first, abs=within)
        assert bound.as_second == pytest.approx(exact.as_second, abs=within)


@pytest.mark.parametrize("name", ["champion@5", "threshold"])
def test_a_larger_limit_leaves_wider_bounds(name: str) -> None:
    rules = with_faces(preset("openspiel").ruleset, 3)
    found = [exploitability_bounds(make_bot(name, 1), rules, (2, 2), limit) for limit in (1.0, 0.2, 0.02, 0.0)]
    for wider, closer in pairwise(found):
        assert wider.low.as_first <= closer.low.as_first + 1e-12
        assert wider.low.as_second <= closer.low.as_second + 1e-12
        assert wider.high.as_first >= closer.high.as_first - 1e-12
        assert wider.high.as_second >= closer.high.as_second - 1e-12
    assert found[0].low.exploitability < found[-1].low.exploitability
    assert found[0].high.exploitability > found[-1].high.exploitability


def test_rounds_with_many_dice_are_bounded() -> None:
    bounds = exploitability_bounds(make_bot("threshold", 1), preset("openspiel").ruleset, (3, 3), 0.5)
    assert 0 < bounds.low.exploitability < bounds.high.exploitability <= 1 + 1e-12


def test_where_too_much_memory_would_be_needed_the_opponent_wins_all(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = with_faces(preset("openspiel").ruleset, 3)
    close = exploitability_bounds(make_bot("threshold", 1), rules, (2, 2), 0.2)
    monkeypatch.setattr("liarsdice_lab.best_response.MAX_BYTES", 0)
    rough = exploitability_bounds(make_bot("threshold", 1), rules, (2, 2), 0.2)
    assert rough.low == close.low
    assert close.high.exploitability < rough.high.exploitability <= 1 + 1e-12


def whole_tree(name: str, dice: tuple[int, int]) -> PublicTree:
    game = make_round_game(preset(name).ruleset, RoundStart(dice))
    return make_public_tree(game, dice_lost_values(game), sure_calls=False)


def nodes(tree: PublicTree, count: int) -> Iterator[tuple[int, int, list[Bid]]]:
    """Yield nodes that random bids lead to: the subtree type, the first row, and the bids."""
    rng = np.random.default_rng(5)
    for _ in range(count):
        type_id, row, bids = tree.root, 0, list[Bid]()
        for _ in range(rng.integers(5)):
            subtree = tree.subtree_types[type_id]
            if not subtree.children:
                break
            slot = int(rng.integers(min(len(subtree.children), 9)))
            bids.append(tree.game.situations[subtree.situation].raises[slot][0])
            row += subtree.row_count + sum(tree.subtree_types[child].subtree_rows for child in subtree.children[:slot])
            type_id = subtree.children[slot]
        yield type_id, row, bids


def shown_after(tree: PublicTree, bids: list[Bid], hand: Hand) -> View:
    state = state_before_bids(tree.game.rules, tree.game.start)
    for bid in bids:
        state = evolve(state, BidMade(state.turn, bid))
    dealt = tuple((1,) * count for count in state.dice)
    return msgspec.structs.replace(view(msgspec.structs.replace(state, hands=dealt), state.turn), hand=hand)


def is_played(shown: View, bids: list[Bid]) -> bool:
    """Return whether a player of the solved strategy may be asked: not after own bids that it never makes."""
    strategy = endgame_strategy(shown)
    assert strategy is not None
    with suppress(UnavailableError):  # there is no such node: the opponent made a bid that no solved player makes
        strategy.locate(bids)
        return endgame_policy(shown) is not None
    return True


@pytest.mark.parametrize("bot", ["champion", "champion@5", "sharp", "regular"])
@pytest.mark.parametrize("name, dice", [("snyd", (1, 1)), ("perudo", (2, 1)), ("mustache", (1, 2))])
def test_the_probabilities_at_a_node_are_those_of_the_bot(bot: str, name: str, dice: tuple[int, int]) -> None:
    tree, policy = whole_tree(name, dice), policy_of(make_bot(bot, 1))
    probs_at = round_probs(tree, policy)
    for type_id, row, bids in nodes(tree, 40):
        subtree = tree.subtree_types[type_id]
        situation = tree.game.situations[subtree.situation]
        if not subtree.deciding:
            continue
        probs = probs_at(type_id, np.array([row]))[0]
        actions = [*(Exact() if call.exact else Challenge() for call in situation.calls), *dict(situation.raises)]
        column = len(subtree.deciding) // 2
        hand = tree.game.hands[situation.mover][subtree.mover_hands[subtree.deciding[column]]]
        shown = shown_after(tree, bids, hand)
        if not is_played(shown, bids):
            continue
        named = policy.action_probs(shown)
        assert probs[:, column] == pytest.approx([named.get(action, 0.0) for action in actions], abs=1e-5)


@pytest.mark.parametrize("name", ["openspiel", "snyd-joker+loser-pays"])
def test_solved_play_after_strange_bids_gives_nothing_away(name: str) -> None:
    """It was measured by the network where one of the hands would have called, and after other bids than were made."""
    measured = exploitability(make_bot("champion"), preset(name).ruleset, (1, 1))
    assert measured.exploitability <= 1e-4


@pytest.mark.parametrize("name, dice", [("perudo", (2, 1)), ("perudo", (1, 2)), ("chart", (2, 1))])
def test_three_dice_are_hardly_exploitable_as_they_are_played(name: str, dice: tuple[int, int]) -> None:
    stakes = name == "chart"
    measured = exploitability(make_bot("champion"), preset(name).ruleset, dice, match_stakes=stakes)
    assert measured.exploitability <= 1e-3


def small_round() -> RoundGame:
    return make_round_game(with_faces(preset("openspiel").ruleset, 3), RoundStart((1, 1)))


def response(game: RoundGame, seat: int, memory: Memory) -> SeeingResponse:
    """Against a bot that challenges every bid, and opens with its lowest one."""

    def first_action(index: int, _: tuple[Bid, ...]) -> FloatArray:
        situation = game.situations[index]
        probs = np.zeros((len(situation.calls) + len(situation.raises), len(game.hands[1 - seat])))
        probs[0] = 1.0
        return probs

    return SeeingResponse(game, first_action, memory, seat, dice_lost_values(game))


def test_whoever_bids_their_own_die_beats_a_bot_that_challenges_every_bid() -> None:
    game = small_round()
    assert response(game, 0, Memory(1, counts=True)).values(0, ()).tolist() == [[1.0] * 3] * 3


def test_a_challenge_is_right_where_the_hands_show_that_the_bid_is_false() -> None:
    game = small_round()
    top = len(game.situations) - 1  # after the highest bid, two dice of the wild face, only a challenge is left
    challenger = game.situations[top].mover
    values = response(game, challenger, Memory(1, counts=True)).values(top, (Bid(2, 3),))
    assert values.tolist() == [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, -1.0]]


def test_bids_that_a_bot_forgets_are_left_out() -> None:
    bids = Bid(1, 1), Bid(1, 2), Bid(2, 1)
    assert Memory(1, counts=False).part_of(bids) == (Bid(2, 1),)
    assert Memory(3, counts=False).part_of(bids) == bids
    assert Memory(1, counts=True).part_of(bids) != Memory(1, counts=True).part_of(bids[1:])


def test_a_longer_memory_needs_more_bytes() -> None:
    game = small_round()
    needed = [Memory(bids, counts=False).bytes_needed(game) for bids in range(4)]
    assert needed == sorted(set(needed))
    assert Memory(1, counts=True).bytes_needed(game) == Memory(2, counts=False).bytes_needed(game)


@pytest.mark.parametrize("name", ["threshold:0.4", "inference", "regular", "champion@7"])
def test_a_model_plays_as_the_bot_does(name: str) -> None:
    graph = make_graph("perudo", (2, 1), 6, recall=3)
    policy = policy_of(make_bot(name, 1))
    model = Blueprint(graph, model_weights(graph, policy))
    before_bids = state_before_bids(graph.game.rules, graph.game.start)
    for node, bids in list(enumerate(bids_to_nodes(graph)))[::80]:
        mover = int(graph.arrays.movers[node])
        hand = graph.game.hands[mover][node % len(graph.game.hands[mover])]
        shown = view_after(before_bids, bids, mover)
        known = offered(graph, node)
        named = policy.probs_by_hand([shown], [hand], known)[0, :, 0]
        played: dict[PlayerAction, float] = dict(model.action_probs(hand, bids).items())
        for action, prob in zip(known, named / named.sum(), strict=True):
            assert played.get(action, 0.0) == pytest.approx(prob, abs=0.005)


def offered(graph: RecallGraph, node: int) -> list[PlayerAction]:
    """Return the actions that the graph offers at a node."""
    index = int(graph.arrays.situations[node])
    situation = graph.game.situations[index]
    calls: list[PlayerAction] = [Exact() if call.exact else Challenge() for call in situation.calls]
    return [*calls, *(situation.raises[place][0] for place in graph.menus[index])]


def test_models_carry_their_probabilities() -> None:
    graph = make_graph("openspiel", (1, 1), 3)
    policies = [(policy_of(make_bot(name)), share) for name, share in (("threshold", 0.1), ("random", 0.2))]
    models = make_models(graph, policies)
    np.testing.assert_allclose(models.shares, [0.1, 0.2])
    assert models.weights.shape == (2, graph.row_count)
    even = models.weights[1, graph.arrays.first_row[0] : graph.arrays.first_row[1]]
    assert len(set(even.tolist())) == 1
    assert even[0] > 0


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.0, 0.1), (-0.1, 0.1), (1 - 1e-9, 1e-60)])
def test_probabilities_that_leave_no_room_are_refused(shares: tuple[float, float]) -> None:
    graph = make_graph("openspiel", (1, 1), 3)
    threshold = policy_of(make_bot("threshold"))
    with pytest.raises(MalformedError, match="below 1 together"):
        make_models(graph, [(threshold, share) for share in shares])


class CountsBids:
    """Takes the first action after an even number of bids and the last one after an odd number, and reads no bid."""

    memory: int | None = 0

    def action_probs(self, view: View) -> Mapping[PlayerAction | None, float]:
        raise NotImplementedError

    def probs_by_hand(
        self, views: Sequence[View], hands: Sequence[Hand], actions: Sequence[PlayerAction]
    ) -> NDArray[np.float64]:
        probs = np.zeros((len(views), len(actions), len(hands)))
        for row, shown in enumerate(views):
            probs[row, -(len(shown.bids) % 2)] = 1.0
        return probs


def test_a_bot_is_asked_again_after_another_number_of_bids() -> None:
    graph = make_graph("openspiel", (1, 1), 3, recall=6)
    model = Blueprint(graph, model_weights(graph, CountsBids()))
    for node, bids in enumerate(bids_to_nodes(graph)):
        np.testing.assert_array_equal(model.node_probs(node)[-(len(bids) % 2)], 1.0)
