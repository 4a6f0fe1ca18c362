"""Strategies: what they answer to hands, bids and views, and what they refuse."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given

from liarsdice.core.actions import Challenge
from liarsdice.core.engine.view import view
from liarsdice.core.errors import IllegalActionError, MalformedError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Labels
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.solve.strategy.average_strategy import pruned
from liarsdice.solve.strategy.strategy import canonical_rules, iter_information_sets, same_round_rules
from tests.laws.random_rulesets import rulesets
from tests.solve.solved_rounds import deal_hands, learn_strategy


def test_a_hand_acts_by_the_learned_probabilities_the_likeliest_first() -> None:
    strategy = learn_strategy("openspiel", (1, 1), 6)
    first = strategy.action_probs((3,))
    assert sum(first.values()) == pytest.approx(1)
    assert list(first.values()) == sorted(first.values(), reverse=True)
    assert all(isinstance(action, Bid) for action in first)
    assert strategy.action_probs((1,), [Bid(2, 6)]) == {Challenge(): 1.0}


def test_impossible_hands_and_bids_are_refused_with_the_reason() -> None:
    strategy = learn_strategy("openspiel", (2, 1), 3)
    with pytest.raises(MalformedError, match="the player on turn holds 2 dice with faces 1 to 3, not 1,2,3"):
        strategy.action_probs((1, 2, 3))
    with pytest.raises(MalformedError, match="holds 1 die with faces 1 to 3, not 4"):
        strategy.action_probs((4,), [Bid(1, 1)])
    with pytest.raises(IllegalActionError, match=r"1x1 after 1x2 is against the rules \(legal: one of 1x3, "):
        strategy.action_probs((1, 1), [Bid(1, 2), Bid(1, 1)])
    with pytest.raises(IllegalActionError, match="4x1 as the first bid is against the rules"):
        strategy.action_probs((1,), [Bid(4, 1)])
    with pytest.raises(UnavailableError, match="a hand of 2,2 calls earlier"):
        strategy.action_probs((2, 2), [Bid(1, 1), Bid(3, 1), Bid(3, 2), Bid(3, 3)])
    with pytest.raises(UnavailableError, match="after 2x2, every possible hand calls"):
        learn_strategy("snyd", (1, 1), 3).action_probs((3,), [Bid(2, 1), Bid(2, 2), Bid(2, 3)])


def test_a_view_is_answered_from_any_seat() -> None:
    strategy = learn_strategy("perudo", (2, 1), 6)
    renamed = patched(preset("perudo").ruleset, labels=Labels(game="Ours"))
    state = deal_hands(renamed, ((), (4,), (3, 3)), [(2, Bid(1, 4))])
    assert strategy.policy(view(state, 1)) == strategy.action_probs((4,), [Bid(1, 4)])
    with pytest.raises(IllegalActionError, match="only the view of the player on turn"):
        strategy.policy(view(state, 2))
    with pytest.raises(UnavailableError, match=r"plays 2v1 by the rules of Perudo, not 1v2 by Ours"):
        strategy.policy(view(deal_hands(renamed, ((), (3, 4), (3,)), []), 2))
    with pytest.raises(UnavailableError, match="only rounds of two players are solved, and 3 hold dice"):
        strategy.policy(view(deal_hands(renamed, ((2,), (4,), (3, 3)), []), 2))
    with pytest.raises(UnavailableError, match="not 2v1 by"):
        strategy.policy(view(deal_hands(preset("basic").ruleset, ((), (4,), (3, 3)), []), 2))


def test_a_hand_without_weights_takes_every_action_equally() -> None:
    strategy = learn_strategy("openspiel", (1, 1), 3)
    empty = msgspec.structs.replace(strategy, action_weights=np.zeros_like(strategy.action_weights))
    assert list(empty.action_probs((1,)).values()) == pytest.approx([1 / 6] * 6)


@given(rulesets())
def test_what_makes_no_difference_to_a_round_is_left_out_of_any_rules(rules: Ruleset) -> None:
    canonical = canonical_rules(rules)
    assert canonical_rules(canonical) == canonical
    assert canonical.labels == Labels()


@pytest.mark.parametrize("rules", ["perudo+pass-alike", "perudo+face-off", "bar"])
def test_dice_at_the_start_tell_rounds_apart_where_rules_go_by_them(rules: str) -> None:
    five, six = (patched(preset(rules).ruleset, dice__per_player=count) for count in (5, 6))
    assert not same_round_rules(five, six)
    plain = preset("perudo").ruleset
    assert same_round_rules(patched(plain, dice__per_player=4), plain)


@pytest.mark.parametrize("dice", [(1, 1), (2, 1), (1, 2)])
@pytest.mark.parametrize("name", ["openspiel", "perudo"])
def test_each_information_set_has_what_the_strategy_answers_there(name: str, dice: tuple[int, int]) -> None:
    strategy = learn_strategy(name, dice, 3, 20)
    nodes = list(iter_information_sets(strategy))
    assert len({(node.hand, node.bids) for node in nodes}) == len(nodes)
    for node in nodes:
        assert node.probs == strategy.action_probs(node.hand, node.bids)
        assert list(node.probs) == list(strategy.action_probs(node.hand, node.bids))
        assert (node.seat, len(node.hand)) == (len(node.bids) % 2, dice[len(node.bids) % 2])
    counts = {(): len([hand for hand in nodes if not hand.bids])}
    assert counts[()] == {1: 3, 2: 6}[dice[0]]


def test_a_pruned_strategy_has_only_what_its_player_comes_to() -> None:
    whole = learn_strategy("openspiel", (1, 1), 4, 400)
    kept = list(iter_information_sets(pruned(whole, 1 / 4095)))
    everything = {(node.hand, node.bids) for node in iter_information_sets(whole)}
    assert {(node.hand, node.bids) for node in kept} < everything
