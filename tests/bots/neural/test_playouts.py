"""Playouts by a network: copies of a match at a decision, and sampled hands."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from liarsdice.analysis.review.assess import beliefs_given_moves, reference
from liarsdice.analysis.review.decisions import Decision, decisions_of
from liarsdice.bots.neural.belief import beliefs
from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.champions import make_champion
from liarsdice.bots.neural.playouts import (
    Situation,
    face_counts,
    hand_moves,
    play_on_by_engine,
    round_end_of,
    sample_hands,
)
from liarsdice.bots.neural.reasons import total_probs
from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.engine.engine import decide, evolve_all
from liarsdice.core.engine.state import State
from liarsdice.core.engine.view import View, view
from liarsdice.core.records.record import recorded_actions
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import MinOpen, WhoCalls
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.match_runner import play_match
from liarsdice.values.playouts import copies_of, knows_bids
from tests.bots.positions import dealt_state, position
from tests.laws.random_matches import random_match
from tests.laws.random_rulesets import tables


@settings(deadline=None, max_examples=10)
@given(tables(simulated=True), st.integers(0, 10_000))
def test_copies_of_a_match_allow_what_the_engine_allows(table: tuple[Ruleset, int], seed: int) -> None:
    rules, seats = table
    for decision in list(decisions_of(random_match(rules, seats, seed, 60).events))[::4]:
        if not knows_bids(decision.view, decision.round_dice, decision.move):
            assert decision.view.max_quantity is None
            continue
        env = copies_of(decision.view, decision.round_dice, 1)
        mask = env.action_mask(np.array([decision.seat], np.int32))[0]
        allowed = {env.rules.action_from_id(action) for action in np.flatnonzero(mask).tolist()}
        highest = env.rules.bids[-1].quantity
        moves = {move for move in decision.view.moves if not isinstance(move, Bid) or move.quantity <= highest}
        assert moves <= allowed
        assert allowed == moves or decision.view.unlimited


def test_copies_of_a_match_open_as_low_as_those_may_who_are_left_after_a_penalty() -> None:
    rules = patched(preset("basic").ruleset, bidding__min_open=MinOpen.PLAYERS_PLUS_1)
    shown = view(dealt_state(rules, ((1, 2, 3), (4, 5, 6), ())), 0)
    env = copies_of(shown, (3, 3, 1), 1)
    mask = env.action_mask(np.array([0], np.int32))[0]
    assert {env.rules.action_from_id(action) for action in np.flatnonzero(mask).tolist()} >= set(shown.moves)


def test_hands_are_the_own_one_and_others_as_they_are_believed_to_be() -> None:
    state = position(preset("perudo").ruleset, ((1, 2, 3), (2, 2, 6), (1, 4, 6)), "2x6 3x6")
    shown = view(state, 2)
    believed = beliefs(shown, champion_network())
    hands = face_counts(sample_hands(shown, believed, 4000, np.random.default_rng(5)), 6)
    own = np.bincount(np.array(shown.hand) - 1, minlength=6)
    assert (hands[:, 2] == own).all()
    for seat, belief in believed.items():
        sixes = np.array([hand.count(6) for hand in belief.hands])
        assert hands[:, seat].sum(axis=1).tolist() == [shown.dice[seat]] * 4000
        expected = float(np.dot(sixes, belief.probs))
        assert abs(hands[:, seat, 5].mean() - expected) < 5 * np.sqrt(sixes.var() / 4000 + 1e-4)


def test_the_standing_bid_is_as_often_true_in_deals_as_it_is_believed_to_be() -> None:
    """Otherwise a call would lose dice more or less often than the odds beside it say."""
    state = position(preset("perudo").ruleset, ((1, 2, 3, 5, 5), (2, 2, 6, 4, 4), (1, 4, 6, 3, 3)), "4x6 5x6")
    shown = view(state, 2)
    believed = beliefs(shown, champion_network())
    assert shown.bid is not None
    p_true = sum(total_probs(shown, believed, shown.bid)[shown.bid.quantity :])
    for seed in range(20):
        hands = face_counts(sample_hands(shown, believed, 60, np.random.default_rng(seed)), 6)
        is_true = hands[:, :, [0, 5]].sum(axis=(1, 2)) >= shown.bid.quantity
        for part in (is_true, is_true[:20], is_true[20:]):
            assert abs(part.mean() - p_true) < 0.07  # 0.2 if each deal were drawn by itself


LIVES = preset("chui-niu+lives").ruleset


def decision_after(rules_hands: tuple[tuple[int, ...], ...], *bids: Bid) -> tuple[Decision, State]:
    state = dealt_state(LIVES, rules_hands, bids)
    return Decision(0, view(state, state.turn), Challenge(), state.dice), state


def test_a_challenge_has_the_result_that_the_engine_decides() -> None:
    hands = ((2, 2, 3, 4, 6), (3, 3, 4, 5, 6))
    for bid in (Bid(3, 3), Bid(4, 2)):
        decision, state = decision_after(hands, bid)
        playouts = play_on_by_engine(decision.view, [Challenge()], [hands], reference(), np.random.default_rng(1))
        after = evolve_all(state, decide(state, state.turn, Challenge()))
        assert playouts.ends == [round_end_of(after)]
        assert playouts.outcomes.tolist() == [[0]]
        assert not playouts.challenged.any()


def test_playouts_tell_which_of_the_bids_were_challenged() -> None:
    decision, _ = decision_after(((2, 2, 3, 4, 6), (3, 3, 4, 5, 6)), Bid(3, 3))
    rng = np.random.default_rng(2)
    hands = sample_hands(decision.view, beliefs_given_moves(decision), 60, rng)
    playouts = play_on_by_engine(decision.view, [Bid(3, 4), Bid(10, 3)], hands, reference(), rng)
    raised, absurd = playouts.challenged.mean(axis=1)
    assert raised < absurd > 0.8
    assert playouts.outcomes.shape == (2, 60)


class Stubborn:
    """Makes the first of its moves that is, or is not, a challenge."""

    def __init__(self, *, challenges: bool) -> None:
        self.challenges = challenges

    def action_probs(self, view: View) -> dict[PlayerAction | None, float]:
        return {next(move for move in view.moves if isinstance(move, Challenge) == self.challenges): 1.0}


@pytest.mark.parametrize("challenges", [True, False])
def test_the_other_seats_play_as_another_bot_and_the_player_as_the_champion(*, challenges: bool) -> None:
    decision, _ = decision_after(((2, 2, 3, 4, 6), (3, 3, 4, 5, 6)), Bid(3, 3))
    hands = [((2, 2, 3, 4, 6), (3, 3, 4, 5, 6))] * 20
    others = Stubborn(challenges=challenges)
    playouts = play_on_by_engine(
        decision.view, [Bid(3, 4), Bid(10, 3)], hands, reference(), np.random.default_rng(6), others
    )
    assert playouts.challenged.tolist() == [[challenges] * 20] * 2


def test_rounds_end_with_what_everybody_has_left() -> None:
    decision, state = decision_after(((2, 2, 3, 4, 6), (3, 3, 4, 5, 6)), Bid(3, 3))
    hands = [((2, 2, 3, 4, 6), (3, 3, 4, 5, 6))] * 40
    playouts = play_on_by_engine(decision.view, [Bid(4, 3)], hands, reference(), np.random.default_rng(3))
    assert {end.dice for end in playouts.ends} <= {(2, 3), (3, 2)}
    assert {end.round_number for end in playouts.ends} == {state.round_number}


def test_a_player_who_lets_a_bid_stand_does_not_call_it_and_others_may() -> None:
    rules = patched(LIVES, challenge__who=WhoCalls.ANYONE_BUT_BIDDER)
    hands = ((1, 2, 3, 4, 5), (2, 3, 4, 5, 6), (2, 2, 3, 5, 6))
    state = dealt_state(rules, hands, (Bid(9, 4),))
    decision = Decision(0, view(state, 2), None, state.dice)
    playouts = play_on_by_engine(
        decision.view, [None, Challenge()], [hands] * 30, reference(), np.random.default_rng(4)
    )
    called = evolve_all(state, decide(state, 2, Challenge()))
    assert playouts.ends[playouts.outcomes[1, 0]] == round_end_of(called)
    assert playouts.challenged[0].mean() == 0  # the bid that was made before the decision is not counted


def test_the_moves_of_a_match_lead_to_its_own_round_ends() -> None:
    """The last decision of each round of a match, with the dice that were dealt, ends as it did."""
    events = tuple(play_match(preset("perudo+pass").ruleset, ["inference"] * 3, seed=2).events)
    actions = [(state, seat, action) for state, seat, action in recorded_actions(events) if seat is not None]
    made = [decision for decision in decisions_of(events) if decision.move is not None]
    checked = 0
    for decision, (state, seat, action) in zip(made, actions, strict=True):
        if isinstance(action, Challenge | Exact):
            playouts = play_on_by_engine(decision.view, [action], [state.hands], reference(), np.random.default_rng(5))
            assert playouts.ends == [round_end_of(evolve_all(state, decide(state, seat, action)))]
            checked += 1
    assert checked >= 5


HANDS = ((1, 2, 3, 4, 5), (2, 2, 2, 3, 6), (1, 1, 4, 4, 4))


@pytest.mark.parametrize(
    "name", ["perudo", "chui-niu+lives", "bar-strict", "bluff+show-dice", "perudo+pass", "mustache"]
)
@pytest.mark.parametrize("bids", [(), (Bid(5, 4),)])
def test_probabilities_are_those_of_one_hand_after_the_other(name: str, bids: tuple[Bid, ...]) -> None:
    state = dealt_state(preset(name).ruleset, (HANDS[0], (1, 3, 3, 5, 6), (2, 4, 5, 6, 6)), bids)
    shown, champion = view(state, state.turn), make_champion(seed=1)
    (moves,) = hand_moves(champion, [Situation(shown, HANDS)])
    for hand in HANDS:
        own = replace(shown, hand=hand)
        drawn = Counter(champion.act(own) for _ in range(400))
        probs = moves.all_probs(hand)
        assert sum(probs.values()) == pytest.approx(1, abs=1e-3)
        assert set(drawn) <= set(probs)
        for move, prob in probs.items():
            assert drawn[move] / 400 == pytest.approx(prob, abs=0.12)
            assert moves.prob(hand, move) == prob


def test_several_situations_are_answered_together_as_alone() -> None:
    rules = preset("chui-niu+lives").ruleset
    states = [dealt_state(rules, (HANDS[0], HANDS[1]), bids) for bids in ((), (Bid(3, 3),), (Bid(5, 6),))]
    situations = [Situation(view(state, state.turn), HANDS) for state in states]
    champion = make_champion(seed=1)
    together = hand_moves(champion, situations)
    for situation, moves in zip(situations, together, strict=True):
        (alone,) = hand_moves(champion, [situation])
        for hand in HANDS:
            for move, prob in alone.all_probs(hand).items():
                assert moves.prob(hand, move) == pytest.approx(prob, abs=1e-5)


def test_a_draw_follows_the_number() -> None:
    state = dealt_state(preset("chui-niu+lives").ruleset, (HANDS[0], HANDS[1]), (Bid(3, 3),))
    (moves,) = hand_moves(make_champion(seed=1), [Situation(view(state, 1), HANDS)])
    probs = moves.all_probs(HANDS[1])
    drawn = Counter(moves.draw(HANDS[1], number / 1000) for number in range(1000))
    for move, prob in probs.items():
        assert drawn[move] / 1000 == pytest.approx(prob, abs=0.01)
