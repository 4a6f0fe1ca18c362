"""Explanations: their numbers agree with each other and with the odds, and sentences report them."""

import random

import msgspec
import pytest

from liarsdice.bots.neural.champions import make_champion
from liarsdice.bots.neural.explain import (
    MIN_COUNT_SHIFT,
    MIN_PROB,
    MoveEstimate,
    explain,
    explanation_sentences,
)
from liarsdice.bots.neural.features import is_supported
from liarsdice.bots.registry import make_bot
from liarsdice.bots.simple.bid_odds import BidOdds, convolved
from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.bids.odds import odds
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import MalformedError
from liarsdice.core.records.record import recorded_actions
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.rule_costs import is_learned
from liarsdice.core.rules.tally import tally
from liarsdice.play.match_runner import play_match
from liarsdice.values.endgames import endgame_policy
from liarsdice.values.judgement import Source
from liarsdice.values.playouts import NEARLY_CERTAIN
from tests.bots.positions import dealt_state

PERUDO = preset("perudo").ruleset
HANDS = ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6), (1, 4, 4, 5, 6))


def shown_after(*bids: Bid) -> View:
    return view(dealt_state(PERUDO, HANDS, bids), len(bids) % 3)


def estimate_of(estimates: tuple[MoveEstimate, ...], move: object) -> MoveEstimate:
    return next(estimate for estimate in estimates if estimate.move == move)


def test_the_numbers_agree_with_each_other() -> None:
    shown = shown_after(Bid(3, 6), Bid(4, 6))
    explanation = explain(shown)
    standing, estimates = explanation.standing_bid, explanation.moves
    assert standing is not None
    exact = odds(PERUDO, Bid(4, 6), shown.hand, (5, 5), wilds_count=True)
    assert standing.p_true == pytest.approx(float(exact.p_true))
    assert standing.p_exact == pytest.approx(float(exact.p_exact))
    assert 0 < standing.p_exact_given_bids < standing.p_true_given_bids < 1
    assert estimate_of(estimates, Challenge()).p_right == pytest.approx(1 - standing.p_true)
    assert estimate_of(estimates, Challenge()).p_right_given_bids == pytest.approx(1 - standing.p_true_given_bids)
    assert estimate_of(estimates, Exact()).p_right_given_bids == pytest.approx(standing.p_exact_given_bids)
    raised = estimate_of(estimates, Bid(5, 6))
    assert raised.p_right == pytest.approx(float(odds(PERUDO, Bid(5, 6), shown.hand, (5, 5), wilds_count=True).p_true))
    assert raised.p_right_given_bids == pytest.approx(standing.p_true_given_bids - standing.p_exact_given_bids)


def test_moves_are_legal_and_the_most_valuable_comes_first() -> None:
    shown = shown_after(Bid(3, 6))
    estimates = explain(shown).moves
    assert {estimate.move for estimate in estimates} <= set(shown.moves)
    assert [estimate.value for estimate in estimates] == sorted(
        (estimate.value for estimate in estimates), reverse=True
    )
    assert all(0 <= estimate.value <= 1 for estimate in estimates)
    probs = make_champion().action_probs(shown)
    assert {estimate.move: estimate.prob for estimate in estimates if estimate.prob} == pytest.approx(probs)
    assert sum(estimate.prob for estimate in estimates) == pytest.approx(1)


def test_a_hopeless_bid_is_best_challenged() -> None:
    shown = shown_after(Bid(13, 6))
    explanation = explain(shown)
    assert explanation.moves[0].move == Challenge()
    *_, choice, value, why = explanation_sentences(shown, explanation)
    assert choice == "The champion would challenge (100%)."
    assert value.startswith(f"Estimated chance to win the match: the challenge {explanation.moves[0].value:.0%} ± 6, ")
    assert why.startswith("Why the challenge rather than ")


def test_moves_that_are_worth_as_much_are_told_so() -> None:
    """Next to bids that cannot be told apart, there are but calls that nobody would make."""
    shown = shown_after(Bid(1, 3))
    explanation = explain(shown, deals=60)
    assert [estimate.rank for estimate in explanation.moves] == [1] * 8 + [9, 9]
    assert {estimate.move for estimate in explanation.moves[8:]} == {Challenge(), Exact()}
    why = explanation.reason
    assert why is not None
    assert (why.other, why.reason.p_loses, why.reason.p_gains, why.reason.rival) == (1, None, None, None)
    *_, told = explanation_sentences(shown, explanation)
    assert told.startswith("Either two twos or one four, which is worth as much: None of your dice counts for one")


def test_expected_counts_follow_from_beliefs_about_the_bidders() -> None:
    explanation = explain(shown_after(Bid(2, 6), Bid(4, 6)))
    assert [count.seat for count in explanation.expected_counts] == [0, 1]
    for count in explanation.expected_counts:
        assert count.prior == pytest.approx(5 / 3)
        belief = explanation.beliefs[count.seat]
        held = sum(p * sum(die in {1, 6} for die in hand) for hand, p in zip(belief.hands, belief.probs, strict=True))
        assert count.posterior == pytest.approx(held)


def test_wilds_need_a_natural_where_the_rules_say_so() -> None:
    rules = patched(PERUDO, wilds__needs_natural=True)
    # if the asking seat holds no two, the other's ones count only beside a two: 5/6 expected twos, and ones beside them
    ones_beside_twos = 5 / 6 - 5 / 6 * (5 / 6) ** 4
    for own, prior in (((2, 2, 3, 6, 6), 5 / 3), ((3, 3, 4, 5, 5), 5 / 6 + ones_beside_twos)):
        explanation = explain(view(dealt_state(rules, ((1, 2, 3, 4, 5), own), (Bid(2, 2),)), 1))
        assert explanation.expected_counts[0].prior == pytest.approx(prior)


def test_the_last_dice_are_explained_by_the_solved_strategy() -> None:
    """The solved strategy opens with one three if it holds a one or a three, and sometimes as a bluff."""
    shown = view(dealt_state(PERUDO, ((3,), (2,)), (Bid(1, 3),)), 1)
    explanation = explain(shown)
    policies = {die: endgame_policy(view(dealt_state(PERUDO, ((die,), (2,))), 0)) for die in range(1, 7)}
    p_opening = {die: policy.get(Bid(1, 3), 0.0) for die, policy in policies.items() if policy is not None}
    p_honest = (p_opening[1] + p_opening[3]) / sum(p_opening.values())
    assert explanation.standing_bid is not None
    assert explanation.standing_bid.p_true_given_bids == pytest.approx(p_honest, abs=0.01)
    challenge = estimate_of(explanation.moves, Challenge())
    assert challenge.value == pytest.approx(challenge.p_right_given_bids)
    best = max(estimate.value for estimate in explanation.moves)
    best_played = max(estimate.value for estimate in explanation.moves if estimate.prob > 0.2)
    assert best - best_played < 0.02
    assert {estimate.move for estimate in explanation.moves} == set(shown.moves)


@pytest.mark.parametrize("name", ["perudo", "openspiel", "joker", "chart"])
@pytest.mark.parametrize("hands", [((3, 4), (5,)), ((5,), (3, 4))])
def test_a_decision_with_three_dice_is_explained_by_the_values_that_it_is_played_for(
    name: str, hands: tuple[tuple[int, ...], ...]
) -> None:
    shown = view(dealt_state(preset(name).ruleset, hands), 0)
    policy, explanation = endgame_policy(shown), explain(shown)
    assert policy is not None
    assert {estimate.move: estimate.prob for estimate in explanation.moves if estimate.prob} == pytest.approx(policy)
    best = explanation.moves[0].value
    assert all(best - estimate.value < 0.005 for estimate in explanation.moves if estimate.prob > 0.05)
    assert all(estimate.prob < 0.01 for estimate in explanation.moves if best - estimate.value > 0.02)


@pytest.mark.parametrize(
    "name, hands, bids",
    [
        ("perudo", ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6)), (Bid(3, 6),)),
        ("perudo", ((1, 2, 2, 4), (3, 3)), ()),
        ("openspiel", ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6)), (Bid(2, 4),)),
        ("joker", ((2, 4), (3, 5)), ()),
    ],
)
def test_a_round_with_a_blueprint_is_explained_by_it(
    name: str, hands: tuple[tuple[int, ...], ...], bids: tuple[Bid, ...]
) -> None:
    """After usual bids, balanced play mixes moves of nearly the same worth."""
    shown = view(dealt_state(preset(name).ruleset, hands, bids), len(bids) % 2)
    blueprint = make_champion().blueprint(shown)
    assert blueprint is not None
    probs, explanation = blueprint.action_probs(shown.hand, list(bids)), explain(shown)
    assert {estimate.move: estimate.prob for estimate in explanation.moves if estimate.prob} == pytest.approx(probs)
    assert {estimate.move for estimate in explanation.moves} <= set(shown.moves)
    usual = [estimate for estimate in explanation.moves if estimate.prob > 0.05]
    apart = explanation.moves[0].value - min(estimate.value for estimate in usual)
    assert apart < 0.02
    assert {estimate.rank for estimate in usual} == {1}


def test_a_round_of_one_match_is_worth_the_chance_to_win_it() -> None:
    """Under openspiel the round is the match: calls are worth the chance that they are right."""
    hands = ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6))
    explanation = explain(view(dealt_state(preset("openspiel").ruleset, hands, (Bid(5, 6),)), 1))
    challenge = estimate_of(explanation.moves, Challenge())
    assert challenge.value == pytest.approx(challenge.p_right_given_bids)


def test_moves_of_a_round_that_ends_in_several_ways_are_worth_what_its_ends_are() -> None:
    """A loser under chart loses as many dice as the bid was wrong by. No die of the caller counts for the bid."""
    hands = ((2, 4), (3, 5))
    shown = view(dealt_state(preset("chart").ruleset, hands, (Bid(3, 6),)), 1)
    assert make_champion().blueprint(shown) is not None
    values = {estimate.move: estimate for estimate in explain(shown).moves}
    challenge = values[Challenge()]
    assert challenge.p_right_given_bids is not None
    assert 2 / 3 < challenge.value < 1
    assert challenge.value > max(estimate.value for move, estimate in values.items() if move != Challenge())


@pytest.mark.parametrize("name", ["perudo", "openspiel", "joker", "chart", "official"])
def test_a_challenge_that_stakes_the_last_dice_is_worth_no_more_than_its_chance(name: str) -> None:
    rules = preset(name).ruleset
    for hands in (((3,), (3,)), ((3, 4, 4), (3,), (2, 2)), ((2, 2), (3,))):
        if not rules.players.min <= len(hands) <= (rules.players.max or len(hands)):
            continue
        explanation = explain(view(dealt_state(rules, hands, (Bid(1, 3),)), 1))
        challenge = estimate_of(explanation.moves, Challenge())
        assert challenge.p_right_given_bids == pytest.approx(0, abs=1e-6)
        assert challenge.value <= NEARLY_CERTAIN


def test_an_opening_has_no_standing_bid() -> None:
    shown = shown_after()
    explanation = explain(shown)
    assert (explanation.standing_bid, explanation.expected_counts) == (None, ())
    choice, value, why = explanation_sentences(shown, explanation)
    assert choice.startswith("The champion would bid ")
    assert value.startswith("Estimated chance to win the match: ")
    assert why.startswith("Why ")


def test_sentences_name_the_bid_the_bidders_and_the_moves() -> None:
    shown = shown_after(Bid(3, 6), Bid(5, 6))
    explanation = explain(shown)
    sentences = explanation_sentences(shown, explanation)
    assert sentences[0].startswith("A bid of five sixes is true ")
    for count in explanation.expected_counts:
        more = "more" if count.posterior > count.prior else "fewer"
        start = f"{'AB'[count.seat]} bids like someone with {more} sixes"
        is_named = any(sentence.startswith(start) for sentence in sentences)
        assert is_named == (abs(count.posterior - count.prior) >= MIN_COUNT_SHIFT)
    assert sentences[-3].startswith("The champion would ")
    for estimate in explanation.moves:
        if estimate.prob >= MIN_PROB:
            assert f"{estimate.value:.0%}" in sentences[-2]
    assert "the challenge " in sentences[-2]


def test_a_move_that_looks_clearly_better_is_named() -> None:
    shown = shown_after(Bid(3, 6))
    explanation = explain(shown)
    better = msgspec.structs.replace(explanation.moves[0], move=Bid(4, 2), prob=0.0, value=0.9, error=0.0)
    others = tuple(estimate for estimate in explanation.moves if estimate.move != Bid(4, 2))
    sentences = explanation_sentences(shown, msgspec.structs.replace(explanation, moves=(better, *others)))
    assert sentences[-2].startswith("Estimated chance to win the match: four twos 90%, ")
    assert "four twos 90%" not in explanation_sentences(shown, explanation)[-2]


def test_probabilities_are_in_0_to_1() -> None:
    for bids in ((), (Bid(3, 6),), (Bid(2, 6), Bid(4, 6)), (Bid(3, 2), Bid(9, 6))):
        for estimate in explain(shown_after(*bids)).moves:
            assert estimate.p_right is None or 0 <= estimate.p_right <= 1
            assert estimate.p_right_given_bids is None or 0 <= estimate.p_right_given_bids <= 1


def test_out_of_turn_silence_has_a_value_too() -> None:
    shown = view(dealt_state(preset("official").ruleset, HANDS, (Bid(7, 2), Bid(8, 2))), 0)
    explanation = explain(shown)
    assert {estimate.move for estimate in explanation.moves} == {Challenge(), None}
    assert sum(estimate.prob for estimate in explanation.moves) == pytest.approx(1)
    challenge, silence = estimate_of(explanation.moves, Challenge()), estimate_of(explanation.moves, None)
    assert challenge.p_right_given_bids is not None
    assert challenge.p_right_given_bids > 0.5
    assert silence.p_right is None
    sentence = explanation_sentences(shown, explanation)[-2]
    assert f"the challenge {challenge.value:.0%}" in sentence
    assert ("letting the bid stand" in sentence) == (silence.prob >= MIN_PROB or silence is explanation.moves[0])


def test_a_seat_that_may_do_nothing_has_no_moves() -> None:
    shown = view(dealt_state(PERUDO, HANDS, (Bid(3, 6),)), 2)
    explanation = explain(shown)
    assert explanation.standing_bid is not None
    assert explanation.moves == ()
    assert not any(sentence.startswith("The champion") for sentence in explanation_sentences(shown, explanation))


def test_hidden_dice_do_not_change_an_explanation() -> None:
    other_hands = ((1, 2, 3, 4, 5), (3, 3, 3, 3, 3), (1, 4, 4, 5, 6))
    bids = (Bid(3, 6), Bid(4, 6))
    original, changed = (explain(view(dealt_state(PERUDO, hands, bids), 2)) for hands in (HANDS, other_hands))
    assert msgspec.json.encode(original) == msgspec.json.encode(changed)


def test_views_that_cannot_be_explained_are_refused() -> None:
    state = dealt_state(PERUDO, HANDS)
    for shown in (view(state, None), msgspec.structs.replace(view(state, 0), hand=(), dice=(0, 5, 5))):
        with pytest.raises(MalformedError, match="explain needs the view of a player with dice"):
            explain(shown)


UNKNOWN_RULES = [
    choice
    for name in preset_names()
    for choice in (name, *(f"{name}+{option}" for option in preset(name).options))
    if not (is_learned(preset(choice).ruleset) and is_supported(preset(choice).ruleset))
]


@pytest.mark.parametrize("name", UNKNOWN_RULES)
def test_the_odds_answer_under_rules_that_the_champion_does_not_know(name: str) -> None:
    rules = preset(name).ruleset
    seats = min(3, rules.players.max or 3)
    played = play_match(rules, [make_bot("random", seed) for seed in range(seats)], seed=name).match
    bidding = [state for state, _, _ in recorded_actions(played.events) if state.phase is Phase.BIDDING]
    for state in random.Random(name).sample(bidding, min(12, len(bidding))):
        others = {seat for seat, held in enumerate(state.dice) if held}
        for seat in others:
            shown = view(state, seat)
            explanation = explain(shown)
            assert explanation.source is Source.ODDS
            assert explanation.moves == ()
            assert explanation_sentences(shown, explanation)
            assert {one.seat for one in explanation.count_beliefs} <= others - {seat}
            assert all(sum(one.prior) == pytest.approx(1) for one in explanation.count_beliefs)
            assert (explanation.standing_bid is None) == (shown.bid is None)
            if shown.bid is not None and explanation.standing_bid is not None:
                assert explanation.standing_bid.p_true == BidOdds(shown).p_standing
                assert 0 <= explanation.standing_bid.p_exact <= 1


def test_counts_of_fair_dice_make_the_odds_of_the_bid() -> None:
    """Dice in the open and of other faces count as they are, and where bids are about own dice, the bidder's alone."""
    for name, hands, bids in (
        ("basic+mixed-dice", ((1, 4), (6, 2), (8, 6)), (Bid(2, 6),)),
        ("basic+aetolia", ((1, 4), (6, 2), (6, 6)), (Bid(1, 6),)),
    ):
        state = dealt_state(preset(name).ruleset, hands, bids)
        shown = view(state, 1)
        explanation = explain(shown)
        own = tally(state.ruleset, (hands[1],), 6, wilds_count=shown.wilds_count).count
        about_all = name == "basic+mixed-dice"
        assert [one.seat for one in explanation.count_beliefs] == ([0, 2] if about_all else [0])
        counts = [1.0]
        for one in explanation.count_beliefs:
            counts = convolved(counts, one.prior)
        needed = bids[0].quantity - (own if about_all else 0)
        assert sum(counts[max(needed, 0) :]) == pytest.approx(BidOdds(shown).p_standing)
