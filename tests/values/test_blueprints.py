"""Blueprints as the play of a bot: where they apply, and what a best answer to them is worth."""

from pathlib import Path
from random import Random

import numpy as np
import pytest

from liarsdice.bots.external.user_bots import file_digests, load_bot
from liarsdice.bots.neural.champion import Champion, champion_network
from liarsdice.bots.neural.hunter import Hunter, Searcher
from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.blueprint.blueprint import Blueprint
from liarsdice.solve.blueprint.packed_blueprint import PackedBlueprint, stored_blueprint, write_blueprints
from liarsdice.solve.blueprint.recall_graph import FloatArray
from liarsdice.solve.round_game import RoundStart
from liarsdice.solve.strategy.action_values import Action
from liarsdice.values.blueprint_values import BlueprintError, BlueprintPlayouts, challenge_prob, move_outcomes
from liarsdice.values.blueprints import (
    BlueprintSet,
    RoundBlueprint,
    blueprint_of_view,
    blueprint_probs,
    blueprints_of_file,
    packaged_blueprints,
)
from liarsdice.values.round_ends import learned_values
from liarsdice_lab.best_response import exploitability
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


DRAWS = 4_000


@pytest.fixture(scope="module", params=["perudo", "chart"])
def blueprint_values_blueprint(request: pytest.FixtureRequest) -> RoundBlueprint:
    """Return one round that is won or lost, and one that may cost several dice."""
    return trained(make_graph(request.param, (2, 2), 4, recall=3), 50).blueprint(0.02)


def outcome_values(blueprint_values_blueprint: RoundBlueprint, seat: int) -> FloatArray:
    values: FloatArray = (1 if seat == 0 else -1) * blueprint_values_blueprint.outcome_values[:, np.newaxis]
    return values


def test_playouts_add_up_to_the_value_of_the_round(blueprint_values_blueprint: RoundBlueprint) -> None:
    """What all hands of the opener win on average is what all hands of the other player lose."""
    game = blueprint_values_blueprint.game
    values = [
        sum(
            prob
            * float(
                BlueprintPlayouts(
                    blueprint_values_blueprint, seat, hand, outcome_values(blueprint_values_blueprint, seat)
                ).after([])[0]
                @ game.hand_probs[1 - seat]
            )
            for hand, prob in zip(game.hands[seat], game.hand_probs[seat], strict=True)
        )
        for seat in (0, 1)
    ]
    assert values[0] == pytest.approx(-values[1])
    assert values[0] != 0


def drawn_outcome(
    blueprint_values_blueprint: RoundBlueprint, hands: tuple[Hand, Hand], bids: list[Bid], move: Action, rng: Random
) -> int:
    """Return the outcome of a round that both play on by the blueprint after a move, from its settled calls."""
    made = list(bids)
    while isinstance(move, Bid):
        made.append(move)
        probs = blueprint_values_blueprint.action_probs(hands[len(made) % 2], made)
        move = rng.choices(list(probs), list(probs.values()))[0]
    situation = blueprint_values_blueprint.game.situations[blueprint_values_blueprint.layout.path_of(tuple(made))[-1]]
    call = next(call for call in situation.calls if call.exact == isinstance(move, Exact))
    mover = len(made) % 2
    places = [blueprint_values_blueprint.hands[seat].index(hands[seat]) for seat in (mover, 1 - mover)]
    own, other = (situation.hand_buckets[seat][place] for seat, place in zip((mover, 1 - mover), places, strict=True))
    return int(call.outcomes[own, other])


def test_outcomes_are_as_probable_as_they_are_frequent_in_drawn_rounds(
    blueprint_values_blueprint: RoundBlueprint,
) -> None:
    hands, bids, rng = ((2, 3), (1, 4)), [Bid(1, 3)], Random(1)
    count = len(blueprint_values_blueprint.game.outcomes)
    known = np.array([hand == hands[0] for hand in blueprint_values_blueprint.hands[0]], np.float64)
    playouts = BlueprintPlayouts(blueprint_values_blueprint, 1, hands[1], np.eye(count))
    found = playouts.move_values(bids, known)
    assert {Challenge(), Bid(2, 3)} < set(found)
    for move in (Challenge(), Bid(2, 3), Bid(2, 4)):
        drawn = [drawn_outcome(blueprint_values_blueprint, hands, bids, move, rng) for _ in range(DRAWS)]
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


def second_after(rules: str, hands: tuple[Hand, Hand], bid: Bid) -> tuple[RoundBlueprint, View]:
    """Return the blueprint of a round, and the view of the second player after a bid."""
    ruleset = preset(rules).ruleset
    blueprint_values_blueprint = packaged_blueprints().of_round(ruleset, RoundStart((len(hands[0]), len(hands[1]))))
    assert blueprint_values_blueprint is not None
    return blueprint_values_blueprint, view(dealt_state(ruleset, hands, (bid,)), 1)


def challenge_value(rules: str, hands: tuple[Hand, Hand], bid: Bid, other: Hand) -> float:
    """Return the value of a challenge for the second player, who knows the hand of the first."""
    blueprint_values_blueprint, shown = second_after(rules, hands, bid)
    outcomes, values = move_outcomes(blueprint_values_blueprint, shown, {other: 1.0}), learned_values(shown.ruleset, 2)
    judgement = outcomes.judgement(shown, values, {other: 1.0})
    assert set(judgement.moves) == set(shown.moves)
    return float(judgement.values[judgement.moves.index(Challenge())])


def test_a_call_that_ends_the_match_is_worth_the_match() -> None:
    """The first holds its last die, and its bid of two fives is false or true."""
    hands = ((5,), (1, 2, 3))
    assert challenge_value("perudo", hands, Bid(3, 5), (5,)) == pytest.approx(1)
    assert challenge_value("perudo", hands, Bid(2, 5), (5,)) < 0.95
    assert challenge_value("openspiel", ((2, 4), (3, 5)), Bid(1, 2), (2, 4)) == pytest.approx(0)
    assert challenge_value("openspiel", ((2, 4), (3, 5)), Bid(1, 1), (2, 4)) == pytest.approx(1)


def test_a_round_won_is_worth_more_than_one_lost_and_neither_decides_the_match() -> None:
    hands = ((1, 2, 3, 4), (2, 2, 3, 6))
    right, wrong = (challenge_value("perudo", hands, bid, hands[0]) for bid in (Bid(8, 6), Bid(1, 6)))
    assert 0.1 < wrong < right < 0.9
    assert right - wrong > 0.1


def test_a_bid_that_is_wrong_by_more_costs_more_dice_under_chart() -> None:
    """The bidder loses as many dice as the bid was wrong by."""
    for bid, lost in ((Bid(1, 2), 1), (Bid(2, 2), 2)):
        blueprint_values_blueprint, shown = second_after("chart", ((3, 4), (3, 5)), bid)
        outcomes = move_outcomes(blueprint_values_blueprint, shown, {(3, 4): 1.0})
        (end,) = np.flatnonzero(outcomes.probs[Challenge()]).tolist()
        assert outcomes.dice[end].tolist() == [2 - lost, 2]
        assert outcomes.seat == 1


def test_a_bid_is_challenged_as_often_as_the_believed_hands_do_it() -> None:
    blueprint_values_blueprint, shown = second_after("perudo", ((2, 2), (3, 5)), Bid(1, 2))
    high, low = (
        challenge_prob(blueprint_values_blueprint, shown, bid, {(2, 2): 1.0}) for bid in (Bid(4, 5), Bid(1, 5))
    )
    assert low < 0.2
    assert high > 0.9
    mixed = challenge_prob(blueprint_values_blueprint, shown, Bid(2, 2), {(2, 2): 0.5, (5, 6): 0.5})
    each = [challenge_prob(blueprint_values_blueprint, shown, Bid(2, 2), {hand: 1.0}) for hand in ((2, 2), (5, 6))]
    assert mixed == pytest.approx(np.mean(each))


def test_the_error_of_a_lead_by_a_blueprint_grows_with_it_up_to_a_share_of_the_stake() -> None:
    error = BlueprintError(stake=0.03, relative=0.5, most=0.04)
    assert np.sqrt(error.variance(np.array([0.0, 0.08, -0.08, 0.8]), 1.0)).tolist() == pytest.approx(
        [0.03, 0.05, 0.05, 0.05]
    )
    assert error.variance(np.array([0.8]), 0.1) == pytest.approx(error.variance(np.array([0.8]), 1.0) / 100)
