"""Rounds that the engine plays on."""

from __future__ import annotations

import numpy as np

from liarsdice.analysis.review.assess import beliefs_given_moves, draw_hands, reference
from liarsdice.analysis.review.decisions import Decision, decisions_of
from liarsdice.bots.neural.playouts import play_on_by_engine, round_end_of
from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.engine.engine import decide, evolve_all
from liarsdice.core.engine.state import State
from liarsdice.core.engine.view import view
from liarsdice.core.records.record import recorded_actions
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import WhoCalls
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match
from tests.bots.positions import dealt_state

LIVES = preset("chui-niu+lives").ruleset


def position(rules_hands: tuple[tuple[int, ...], ...], *bids: Bid) -> tuple[Decision, State]:
    state = dealt_state(LIVES, rules_hands, bids)
    return Decision(0, view(state, state.turn), Challenge(), state.dice), state


def test_a_challenge_has_the_result_that_the_engine_decides() -> None:
    hands = ((2, 2, 3, 4, 6), (3, 3, 4, 5, 6))
    for bid in (Bid(3, 3), Bid(4, 2)):
        decision, state = position(hands, bid)
        playouts = play_on_by_engine(decision.view, [Challenge()], [hands], reference(), np.random.default_rng(1))
        after = evolve_all(state, decide(state, state.turn, Challenge()))
        assert playouts.ends == [round_end_of(after)]
        assert playouts.outcomes.tolist() == [[0]]
        assert not playouts.challenged.any()


def test_playouts_tell_which_of_the_bids_were_challenged() -> None:
    decision, _ = position(((2, 2, 3, 4, 6), (3, 3, 4, 5, 6)), Bid(3, 3))
    rng = np.random.default_rng(2)
    hands = draw_hands(decision.view, beliefs_given_moves(decision), 60, rng)
    playouts = play_on_by_engine(decision.view, [Bid(3, 4), Bid(10, 3)], hands, reference(), rng)
    raised, absurd = playouts.challenged.mean(axis=1)
    assert raised < absurd > 0.8
    assert playouts.outcomes.shape == (2, 60)


def test_rounds_end_with_what_everybody_has_left() -> None:
    decision, state = position(((2, 2, 3, 4, 6), (3, 3, 4, 5, 6)), Bid(3, 3))
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
