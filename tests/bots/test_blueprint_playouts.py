"""Playouts by a blueprint: what follows a move if both players keep to it, weighted by its probability."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from liarsdice.bots.blueprint_playouts import BlueprintPlayouts
from liarsdice.bots.blueprints import RoundBlueprint
from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.blueprint.packed_blueprint import PackedBlueprint, stored_blueprint
from liarsdice.solve.blueprint.recall_graph import FloatArray
from liarsdice.solve.game.round_start import RoundStart
from liarsdice.solve.strategy.action_values import Action
from tests.solve.blueprint.trained_rounds import make_graph, trained
from tests.solve.solved_rounds import rules_of

DRAWS = 4_000


@pytest.fixture(scope="module", params=["perudo", "chart"])
def blueprint(request: pytest.FixtureRequest) -> RoundBlueprint:
    """Return one round that is won or lost, and one that may cost several dice."""
    return trained(make_graph(request.param, (2, 2), 4, recall=3), 50).blueprint(0.02)


def outcome_values(blueprint: RoundBlueprint, seat: int) -> FloatArray:
    values: FloatArray = (1 if seat == 0 else -1) * blueprint.outcome_values[:, np.newaxis]
    return values


def test_playouts_add_up_to_the_value_of_the_round(blueprint: RoundBlueprint) -> None:
    """What all hands of the opener win on average is what all hands of the other player lose."""
    game = blueprint.game
    values = [
        sum(
            prob
            * float(
                BlueprintPlayouts(blueprint, seat, hand, outcome_values(blueprint, seat)).after([])[0]
                @ game.hand_probs[1 - seat]
            )
            for hand, prob in zip(game.hands[seat], game.hand_probs[seat], strict=True)
        )
        for seat in (0, 1)
    ]
    assert values[0] == pytest.approx(-values[1])
    assert values[0] != 0


def drawn_outcome(
    blueprint: RoundBlueprint, hands: tuple[Hand, Hand], bids: list[Bid], move: Action, rng: Random
) -> int:
    """Return the outcome of a round that both play on by the blueprint after a move, from its settled calls."""
    made = list(bids)
    while isinstance(move, Bid):
        made.append(move)
        probs = blueprint.action_probs(hands[len(made) % 2], made)
        move = rng.choices(list(probs), list(probs.values()))[0]
    situation = blueprint.game.situations[blueprint.layout.path_of(tuple(made))[-1]]
    call = next(call for call in situation.calls if call.exact == isinstance(move, Exact))
    mover = len(made) % 2
    places = [blueprint.hands[seat].index(hands[seat]) for seat in (mover, 1 - mover)]
    own, other = (situation.hand_buckets[seat][place] for seat, place in zip((mover, 1 - mover), places, strict=True))
    return int(call.outcomes[own, other])


def test_outcomes_are_as_probable_as_they_are_frequent_in_drawn_rounds(blueprint: RoundBlueprint) -> None:
    hands, bids, rng = ((2, 3), (1, 4)), [Bid(1, 3)], Random(1)
    count = len(blueprint.game.outcomes)
    known = np.array([hand == hands[0] for hand in blueprint.hands[0]], np.float64)
    playouts = BlueprintPlayouts(blueprint, 1, hands[1], np.eye(count))
    found = playouts.move_values(bids, known)
    assert {Challenge(), Bid(2, 3)} < set(found)
    for move in (Challenge(), Bid(2, 3), Bid(2, 4)):
        drawn = [drawn_outcome(blueprint, hands, bids, move, rng) for _ in range(DRAWS)]
        np.testing.assert_allclose(np.bincount(drawn, minlength=count) / DRAWS, found[move], atol=0.035)
        assert found[move].sum() == pytest.approx(1)


def test_a_stored_blueprint_leads_to_the_same_outcomes() -> None:
    learned = trained(make_graph("openspiel", (2, 2), 3), 50).blueprint(0.0)
    stored = PackedBlueprint(rules_of("openspiel", 3), RoundStart((2, 2)), stored_blueprint(learned))
    values = [
        BlueprintPlayouts(known, 0, (2, 3), outcome_values(known, 0)).move_values([], learned.game.hand_probs[1])
        for known in (learned, stored)
    ]
    assert values[0].keys() == values[1].keys()
    for move, value in values[0].items():
        assert value[0] == pytest.approx(values[1][move][0], abs=1e-6)
