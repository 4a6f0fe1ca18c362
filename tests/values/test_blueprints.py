"""Blueprints as the play of a bot: where they apply, and what a best answer to them is worth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from liarsdice.analysis.exploitability import exploitability
from liarsdice.bots.external.user_bots import file_digests, load_bot
from liarsdice.bots.neural.champion import Champion, champion_network
from liarsdice.bots.neural.hunter import Hunter, Searcher
from liarsdice.core.actions import Challenge
from liarsdice.core.engine.view import view
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.solve.blueprint.blueprint import Blueprint
from liarsdice.solve.blueprint.packed_blueprint import write_blueprints
from liarsdice.solve.game.round_game import RoundStart
from liarsdice.values.blueprints import BlueprintSet, blueprint_of_view, blueprint_probs, blueprints_of_file
from tests.bots.positions import dealt_state
from tests.solve.blueprint.trained_rounds import make_graph, trained
from tests.solve.solved_rounds import rules_of

RULES = rules_of("perudo", 4)
NETWORK = champion_network()


@pytest.fixture(scope="module")
def blueprint() -> Blueprint:
    return trained(make_graph("perudo", (2, 2), 4, recall=3), 50).blueprint(0.02)


@pytest.fixture(scope="module")
def file(blueprint: Blueprint, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("blueprints") / "small.ldb"
    write_blueprints(path, blueprint.graph.game.rules, [blueprint], "1.0")
    return path


@pytest.fixture(scope="module")
def known(file: Path) -> BlueprintSet:
    return blueprints_of_file(file)


def test_a_blueprint_is_found_by_rules_and_dice(known: BlueprintSet) -> None:
    in_round = view(dealt_state(RULES, ((2, 3), (1, 4)), (Bid(1, 2),)), 1)
    found = blueprint_of_view(known, in_round)
    assert found is not None
    assert found.start == RoundStart((2, 2))
    assert blueprint_of_view(known, in_round) is found  # decoded once
    assert blueprint_of_view(known, view(dealt_state(RULES, ((2,), (1, 4))), 0)) is None
    assert blueprint_of_view(known, view(dealt_state(preset("perudo").ruleset, ((2, 3), (1, 4))), 0)) is None
    assert blueprint_of_view(known, view(dealt_state(RULES, ((2, 3), (1, 4), (1, 1))), 0)) is None


def test_a_champion_plays_the_blueprint_in_its_rounds_alone(blueprint: Blueprint, known: BlueprintSet) -> None:
    champion, alone = Champion(NETWORK, 1, blueprints=known), Champion(NETWORK, 1)
    in_round = view(dealt_state(RULES, ((2, 3), (1, 4)), (Bid(1, 2),)), 1)
    assert champion.action_probs(in_round) == blueprint.action_probs((1, 4), [Bid(1, 2)])
    assert champion.act(in_round) in in_round.moves
    elsewhere = view(dealt_state(RULES, ((2, 3, 4), (1, 4))), 0)
    assert champion.action_probs(elsewhere) == alone.action_probs(elsewhere)


def test_probabilities_of_many_hands_are_those_of_single_ones(blueprint: Blueprint) -> None:
    in_round = view(dealt_state(RULES, ((2, 3), (1, 4)), (Bid(1, 2),)), 1)
    hands, actions = ((4, 1), (2, 2)), (Challenge(), Bid(2, 2), Bid(1, 3))
    probs = blueprint_probs(blueprint, [in_round], hands, actions)
    for column, hand in enumerate(hands):
        named = blueprint.action_probs(hand, [Bid(1, 2)])
        np.testing.assert_allclose(probs[0, :, column], [named.get(action, 0) for action in actions])


def test_a_short_training_leaves_less_to_exploit_than_the_network(known: BlueprintSet) -> None:
    exploited = exploitability(Champion(NETWORK, 1, blueprints=known), RULES, (2, 2)).exploitability
    assert exploited < 0.06
    assert exploitability(Champion(NETWORK, 1), RULES, (2, 2)).exploitability > 0.5


def test_a_champion_computes_the_blueprints_that_it_lacks(known: BlueprintSet) -> None:
    champion = Champion(NETWORK, 1, blueprints=known)
    rules = rules_of("joker", 3)
    shown = view(dealt_state(rules, ((2, 3), (1, 3))), 0)
    assert champion.blueprint(shown) is None
    champion.compute_blueprints()
    computed = champion.blueprint(shown)
    assert computed is not None
    assert champion.action_probs(shown) == computed.action_probs((2, 3), [])
    assert exploitability(champion, rules, (2, 2)).exploitability < 0.05
    in_file = view(dealt_state(RULES, ((2, 3), (1, 4))), 0)
    assert champion.blueprint(in_file) is blueprint_of_view(known, in_file)
    assert champion.blueprint(view(dealt_state(rules, ((2, 3), (1, 3), (1, 1))), 0)) is None


def test_a_hunter_knows_what_a_move_wins_against_a_blueprint(blueprint: Blueprint, known: BlueprintSet) -> None:
    hunter = Hunter(Champion(NETWORK, 1, blueprints=known), 1)
    shown = view(dealt_state(RULES, ((2, 3), (1, 4)), (Bid(3, 3),)), 1)
    values = hunter.values_against(blueprint, shown)
    assert set(values) == set(shown.moves)
    assert all(-1 <= value <= 1 for value in values.values())
    assert hunter.act(shown) == max(values, key=lambda move: values[move])
    impossible = view(dealt_state(RULES, ((2, 3), (2, 4)), (Bid(4, 3),)), 1)
    assert hunter.act(impossible) == Challenge()


def test_a_hunter_knows_what_a_raise_outside_of_the_menu_wins() -> None:
    searcher = load_bot("search:champion", 1)
    hunter = load_bot("hunter:search:champion", 1)
    assert isinstance(searcher, Searcher)
    assert isinstance(hunter, Hunter)
    shown = view(dealt_state(rules_of("joker", 3), ((2, 3), (1, 3)), (Bid(2, 2),)), 1)
    computed = searcher.champion.blueprint(shown)
    assert computed is not None
    values = hunter.values_against(computed, shown)
    assert set(shown.moves) == set(values) > set(computed.decision([Bid(2, 2)]).actions)
    assert hunter.act(shown) == max(values, key=lambda move: values[move])


def test_a_bot_is_loaded_by_the_name_of_its_file(file: Path) -> None:
    bot = load_bot(f"blueprint:{file}", 1)
    assert isinstance(bot, Champion)
    assert bot.blueprint(view(dealt_state(RULES, ((2, 3), (1, 4))), 0)) is not None
    assert isinstance(load_bot(f"hunter:blueprint:{file}", 1), Hunter)
    assert set(file_digests([f"hunter:blueprint:{file}"])) == {str(file)}
    with pytest.raises(MalformedError, match=r"is written blueprint:FILE\.ldb"):
        load_bot("blueprint:")
