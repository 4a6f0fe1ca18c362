"""Playouts: copies of a match at a decision, sampled hands, and rounds that are played on."""

import statistics

import numpy as np
import pytest
from msgspec.structs import replace

from liarsdice.analysis.review.decisions import Decision, decisions_of
from liarsdice.bots.neural.belief import beliefs
from liarsdice.bots.neural.champion import Champion, champion_network
from liarsdice.bots.neural.champions import make_champion
from liarsdice.bots.neural.features import BoolArray, FloatArray
from liarsdice.bots.neural.network import Network
from liarsdice.bots.neural.playouts import play_rounds_out, sample_hands
from liarsdice.core.actions import MOVES, Challenge, Deal, PlayerAction
from liarsdice.core.engine.engine import decide, evolve_all, start
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import view
from liarsdice.core.events import StarterFound
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import StarterMethod
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.values.blueprint_values import challenge_prob, move_outcomes
from liarsdice.values.blueprints import blueprint_of_view, packaged_blueprints
from liarsdice.values.judgement import NOTHING_COMPARED
from liarsdice.values.playouts import NEARLY_CERTAIN, Playouts
from liarsdice.values.round_ends import RoundEnd, RoundEndValues, learned_values
from tests.bots.positions import dealt_state
from tests.laws.random_matches import random_match

PERUDO = preset("perudo").ruleset
NETWORK = champion_network()
CHAMPION = make_champion()


def decision_with(rules: Ruleset, seats: int, seed: int, *, bids: int) -> tuple[Decision, State]:
    """A decision of a random match after so many bids, and the state at it."""
    match = random_match(rules, seats, seed)
    states = [step.before for step in match.steps if isinstance(step.action, MOVES)]
    made = [decision for decision in decisions_of(match.events) if decision.move is not None]
    return next(
        (decision, state)
        for decision, state in zip(made, states, strict=True)
        if len(decision.view.bids) == bids and decision.view.on_turn
    )


def test_playouts_tell_which_of_the_bids_were_challenged() -> None:
    decision, _ = decision_with(preset("basic").ruleset, 3, 1, bids=2)
    standing = decision.view.bid
    assert standing is not None
    hands = sample_hands(decision.view, beliefs(decision.view, NETWORK), 100, np.random.default_rng(5))
    raised, absurd = Bid(standing.quantity + 1, standing.face), Bid(14, standing.face)
    playouts = play_rounds_out(
        decision.view, decision.round_dice, (raised, absurd, Challenge()), hands, CHAMPION, np.random.default_rng(1)
    )
    challenged = playouts.challenged.mean(axis=1)
    assert challenged[0] < challenged[1] > 0.8
    assert challenged[2] == 0


def test_a_challenge_has_the_result_that_the_engine_decides() -> None:
    decision, state = decision_with(PERUDO, 3, 2, bids=3)
    hands = [state.hands]
    playouts = play_rounds_out(
        decision.view, decision.round_dice, [Challenge()], hands, CHAMPION, np.random.default_rng(1)
    )
    after = evolve_all(state, decide(state, decision.seat, Challenge()))
    (end,) = playouts.ends
    assert playouts.outcomes.tolist() == [[0]]
    assert after.phase is Phase.DEAL
    assert (end.dice, end.starter) == (after.dice, after.starter)
    assert end.special_seat == (-1 if after.special_seat is None else after.special_seat)


def test_at_the_end_of_a_match_its_winner_has_lost_no_dice() -> None:
    over = RoundEnd((0, 0, 0), -1, -1, 1, (0, 0, 0), (False, False, False), 0, (True, False, False))
    goes_on = RoundEnd((2, 1, 0), 0, -1, 1, (0, 0, 0), (False, False, False), 0, None)
    playouts = Playouts(np.array([[0, 0, 1, 1]]), [over, goes_on], np.zeros((1, 4), np.bool_))
    judgement = playouts.judgement([Challenge()], learned_values(PERUDO, 3), 0, (3, 1, 0), choosing_share=0)
    assert judgement.p_loses[Challenge()] == (0.5, 0.5, 0.0)  # the last had no dice left to lose


def test_rounds_of_two_players_are_played_on_by_the_blueprint() -> None:
    """A move is followed by what the champion does, as often as the blueprint says, and not by its network."""
    shown = view(dealt_state(PERUDO, ((2, 2, 4), (1, 3, 3, 5)), (Bid(2, 4),)), 1)
    decision = Decision(0, shown, Challenge(), shown.dice)
    raised = Bid(3, 3)
    blueprint = blueprint_of_view(packaged_blueprints(), shown)
    assert blueprint is not None
    hands = [((2, 2, 4), (1, 3, 3, 5))] * 4000
    playouts = play_rounds_out(decision.view, decision.round_dice, (raised,), hands, CHAMPION, np.random.default_rng(1))
    known: dict[Hand, float] = {(2, 2, 4): 1.0}
    expected = challenge_prob(blueprint, shown, raised, known)
    assert playouts.challenged.mean() == pytest.approx(expected, abs=0.03)
    outcomes = move_outcomes(blueprint, shown, known)
    loses = float(outcomes.probs[raised] @ (outcomes.dice[:, 1] < 4))
    judgement = playouts.judgement([raised], learned_values(PERUDO, 2), 1, (3, 4))
    assert judgement.p_loses[raised][1] == pytest.approx(loses, abs=0.03)


def test_a_bid_that_stands_is_called_by_nobody_or_by_others() -> None:
    """Who let a bid stand does not call it out of turn in the playouts of that choice."""
    match = random_match(preset("official").ruleset, 3, 4)
    decision = next(decision for decision in decisions_of(match.events) if decision.move is None)
    hands = [tuple((1,) * dice for dice in decision.view.dice)] * 50
    silent = play_rounds_out(decision.view, decision.round_dice, [None], hands, CHAMPION, np.random.default_rng(1))
    called = play_rounds_out(
        decision.view, decision.round_dice, [Challenge()], hands, CHAMPION, np.random.default_rng(1)
    )
    assert len(called.ends) == 1
    assert silent.outcomes.shape == (1, 50)


class DecidedNetwork(Network):
    """Does what the features decide, without chance, and counts the rows that it is asked about."""

    rows = 0

    def action_probs(self, features: FloatArray, action_mask: BoolArray) -> FloatArray:
        self.rows += len(features)
        best = np.where(action_mask, self.outputs(features), -np.inf).argmax(axis=1)
        probs: FloatArray = np.eye(action_mask.shape[1], dtype=np.float32)[best]
        return probs


def test_deals_that_are_played_out_together_end_as_each_does_alone_and_share_what_the_network_says() -> None:
    network = DecidedNetwork(NETWORK.weights, NETWORK.biases)
    champion = Champion(network)
    for name, seats, deals in (("perudo", 3, 40), ("official", 3, 20)):
        decision, _ = decision_with(preset(name).ruleset, seats, 3, bids=1)
        moves = [decision.view.moves[0], decision.view.moves[2], Challenge()]
        rng = np.random.default_rng(1)
        hands = sample_hands(decision.view, beliefs(decision.view, NETWORK), deals, rng)
        network.rows = 0
        together = play_rounds_out(decision.view, decision.round_dice, moves, hands, champion, rng)
        shared, network.rows = network.rows, 0
        for deal in range(deals):
            alone = play_rounds_out(decision.view, decision.round_dice, moves, hands[deal : deal + 1], champion, rng)
            found = [together.ends[place] for place in together.outcomes[:, deal]]
            assert [alone.ends[place] for place in alone.outcomes[:, 0]] == found
        assert shared < network.rows


def test_the_difference_of_two_moves_is_that_of_their_means_and_errors_fall_with_the_deals() -> None:
    decision, _ = decision_with(PERUDO, 2, 1, bids=1)
    moves = [decision.view.moves[0], Challenge()]
    values = learned_values(PERUDO, 2)
    results: list[Playouts] = []
    for deals in (100, 400):
        rng = np.random.default_rng(1)
        hands = sample_hands(decision.view, beliefs(decision.view, NETWORK), deals, rng)
        results.append(play_rounds_out(decision.view, decision.round_dice, moves, hands, CHAMPION, rng))
    few, many = (
        playouts.judgement(moves, values, decision.seat, decision.view.stakes, choosing_share=0) for playouts in results
    )
    means = results[1].mean(values, decision.seat)
    assert many.values == pytest.approx(means)
    assert many.behind(1, 0)[0] == pytest.approx(means[0] - means[1])
    assert few.margins[0, 1] > many.margins[0, 1] > 0
    assert few.errors[0] > many.errors[0] > 0
    assert many.behind(1, 1) == (0.0, 0.0)


def test_the_best_move_is_found_with_other_deals_than_its_value() -> None:
    over, goes_on = (
        RoundEnd((0, 0), -1, -1, 1, (0, 0), (False, False), 0, winners) for winners in ((True, False), (False, True))
    )
    outcomes = np.array([[0, 0, 1, 1, 1, 1], [1, 1, 0, 1, 1, 0]])
    playouts = Playouts(outcomes, [over, goes_on], np.zeros((2, 6), np.bool_))
    moves: list[PlayerAction | None] = [Bid(1, 2), Challenge()]
    judgement = playouts.judgement(moves, learned_values(PERUDO, 2), 0, (1, 1))
    assert judgement.best == 0
    assert judgement.values.tolist() == [NEARLY_CERTAIN, 0.5]
    together = playouts.judgement(moves, learned_values(PERUDO, 2), 0, (1, 1), choosing_share=0)
    assert together.values.tolist() == pytest.approx([1 / 3, 1 / 3])


def test_the_interval_counts_the_chance_of_the_deals_and_that_of_the_values_of_round_ends() -> None:
    ends = [RoundEnd((held, 1), 0, -1, 1, (0, 0), (False, False), 0, None) for held in (1, 2)]
    values = RoundEndValues(lambda known: np.array([[end.dice[0] / 4, 0.25] for end in known]), 0.2)
    moves: list[PlayerAction | None] = [Bid(1, 2), Challenge()]
    for outcomes, differences, of_ends in (
        ([[0, 1, 0, 1], [1, 0, 1, 0]], [0.25, -0.25, 0.25, -0.25], 0.0),
        ([[0, 0, 0, 0], [1, 1, 1, 1]], [0.25] * 4, 2 * 0.2**2),
    ):
        playouts = Playouts(np.array(outcomes), ends, np.zeros((2, 4), np.bool_))
        judgement = playouts.judgement(moves, values, 0, (2, 1), choosing_share=0)
        by_deals = statistics.variance(differences) / 4
        assert judgement.margins[0, 1] == pytest.approx(1.96 * (by_deals + of_ends) ** 0.5)
        assert judgement.behind(0, 1)[0] == pytest.approx(statistics.mean(differences))


def test_moves_that_cannot_be_told_apart_share_a_rank() -> None:
    margins = np.full((3, 3), 0.05)
    judgement = NOTHING_COMPARED._replace(values=np.array([0.50, 0.52, 0.40]), margins=margins)
    assert judgement.ranks() == [1, 1, 3]
    assert judgement._replace(margins=margins / 5).ranks() == [2, 1, 3]
    uncertain = margins / 5
    uncertain[2] = uncertain[:, 2] = 1.0
    assert judgement._replace(margins=uncertain).ranks() == [1, 1, 1], "a higher value never ranks lower"


def test_one_of_two_players_loses_a_die_after_each_move() -> None:
    decision, _ = decision_with(PERUDO, 2, 1, bids=1)
    moves = [decision.view.moves[0], Challenge()]
    rng = np.random.default_rng(1)
    hands = sample_hands(decision.view, beliefs(decision.view, NETWORK), 60, rng)
    played = play_rounds_out(decision.view, decision.round_dice, moves, hands, CHAMPION, rng)
    judgement = played.judgement(moves, learned_values(PERUDO, 2), 0, decision.view.stakes)
    assert sum(judgement.p_loses[Challenge()]) == 1, "a challenge costs one of them a die"
    assert set(judgement.p_gains.values()) == {0.0}
    without = played.judgement(moves, learned_values(PERUDO, 2), 0, (0, 0))
    assert {loses[0] for loses in without.p_loses.values()} == {0.0}
    assert set(without.p_gains.values()) == {1.0}, "everybody is left with some"


@pytest.mark.parametrize("is_special", [True, False])
@pytest.mark.parametrize("name", ["classic+palifico", "classic+aces+palifico+calza"])
def test_a_bid_is_challenged_as_often_in_playouts_as_the_champion_challenges_it(name: str, *, is_special: bool) -> None:
    hand = (4,)
    state = start(preset(name).ruleset, ["Ann", "Bo"])
    state = replace(state, dice=(1, 1), special_seat=0 if is_special else None)
    state = evolve_all(state, [StarterFound(0, StarterMethod.CHOSEN)])
    state = evolve_all(state, decide(state, None, Deal((hand, (1,)))))
    shown = view(state, 0)
    hands = [(hand, (face,)) for face in range(1, 7)] * 50
    bids = [bid for bid in shown.moves if isinstance(bid, Bid) and bid.quantity == 1]
    playouts = play_rounds_out(shown, shown.dice, bids, hands, CHAMPION, np.random.default_rng(1))
    for bid, challenged in zip(bids, playouts.challenged.mean(axis=1).tolist(), strict=True):
        after = evolve_all(state, decide(state, 0, bid))
        answers = [CHAMPION.action_probs(view(replace(after, hands=(hand, (face,))), 1)) for face in range(1, 7)]
        assert challenged == pytest.approx(np.mean([probs.get(Challenge(), 0.0) for probs in answers]), abs=0.1), bid
