"""Playouts by a network: copies of a match at a decision, and sampled hands."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from liarsdice.analysis.review.decisions import decisions_of
from liarsdice.bots.neural.belief import beliefs
from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.playouts import sample_hands
from liarsdice.core.engine.view import view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.values.playouts import copies_of, knows_bids
from tests.bots.positions import position
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


def test_hands_are_the_own_one_and_others_as_they_are_believed_to_be() -> None:
    state = position(preset("perudo").ruleset, ((1, 2, 3), (2, 2, 6), (1, 4, 6)), "2x6 3x6")
    shown = view(state, 2)
    believed = beliefs(shown, champion_network())
    hands = sample_hands(shown, believed, 4000, np.random.default_rng(5))
    own = np.bincount(np.array(shown.hand) - 1, minlength=6)
    assert (hands[:, 2] == own).all()
    for seat, belief in believed.items():
        sixes = np.array([hand.count(6) for hand in belief.hands])
        assert hands[:, seat].sum(axis=1).tolist() == [shown.dice[seat]] * 4000
        expected = float(np.dot(sixes, belief.probs))
        assert abs(hands[:, seat, 5].mean() - expected) < 5 * np.sqrt(sixes.var() / 4000 + 1e-4)
