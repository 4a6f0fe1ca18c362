"""What decisions cost: solved positions, forced moves, silence, and players of different strength."""

from random import Random

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liarsdice.analysis.habit_observations import observe_decision
from liarsdice.analysis.review.assess import (
    MIXED_PROB,
    Assessor,
    assess_by_engine,
    beliefs_given_moves,
    needs_engine,
    prior_beliefs,
)
from liarsdice.analysis.review.decisions import Decision, decisions_of
from liarsdice.analysis.review.report import Reviewer, end_values, review_match
from liarsdice.analysis.review.results import is_judged_by_simulator, played_deals
from liarsdice.bots.neural.belief import count_beliefs, hand_prior, views_before_bids
from liarsdice.bots.neural.explain import explain
from liarsdice.bots.neural.playouts import sample_hands
from liarsdice.core.actions import AnswerDouble, BidAndShow, Challenge, ChallengePass, Deal, Exact, Pass, SetDirection
from liarsdice.core.bids.odds import to_percent
from liarsdice.core.engine.engine import decide, evolve_all, start
from liarsdice.core.engine.view import View, view
from liarsdice.core.events import Dealt, Event, Revealed, StarterFound
from liarsdice.core.records.record import Record
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import CountScope, MatchEnd, RoundVisibility, ShowDice, StarterMethod
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, simulated_preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.play.match_runner import play_match
from liarsdice.server.http.training import TrainingResponse, training_body
from liarsdice.values.endgames import endgame_policies, endgame_policy, endgame_strategy, endgame_values
from liarsdice.values.judgement import Source
from liarsdice.values.round_ends import learned_values
from liarsdice.values.value_network import VALUE_VERSION
from liarsdice.version import __version__
from tests.bots.positions import dealt_state
from tests.laws.random_matches import random_match

PERUDO = preset("perudo").ruleset

pytestmark = pytest.mark.usefixtures("few_matches")


def last_dice(own: int, other: int, *bids: Bid, rules: Ruleset = PERUDO) -> Decision:
    """The decision of the player on turn in a round of one die each, which seat 0 opens; `move` is to be replaced."""
    state = start(rules, ("Ann", "Bo"))
    state = msgspec.structs.replace(state, dice=(1, 1))
    state = evolve_all(state, [StarterFound(0, StarterMethod.CHOSEN)])
    hands = ((own,), (other,)) if len(bids) % 2 == 0 else ((other,), (own,))
    state = evolve_all(state, decide(state, None, Deal(hands)))
    for bid in bids:
        state = evolve_all(state, decide(state, state.turn, bid))
    return Decision(0, view(state, state.turn), None, state.dice)


@pytest.fixture(scope="module")
def assessor() -> Assessor:
    return Assessor(learned_values(PERUDO, 2), 60)


def test_what_a_solved_strategy_does_costs_nothing_and_a_blunder_costs_what_the_exact_values_say(
    assessor: Assessor,
) -> None:
    undecided = last_dice(3, 5, Bid(1, 5))
    policy = endgame_policy(undecided.view)
    assert policy is not None
    assessments = {
        move: assessor.assess(msgspec.structs.replace(undecided, move=move)) for move in undecided.view.moves
    }
    assert {assessment.judgement.source for assessment in assessments.values()} == {Source.SOLVED}
    values = {value.move: value.value for value in assessments[Challenge()].moves}
    best = max(values.values())
    for move, assessment in assessments.items():
        assert isinstance(move, Bid | Challenge | Exact)
        assert assessment.cost == (0.0 if policy.get(move, 0.0) >= 0.01 else pytest.approx(best - values[move]))
        assert assessment.error == 0.0
    assert max(assessment.cost for assessment in assessments.values()) > 0.2


def test_the_values_of_a_solved_position_are_those_of_the_strategy_against_the_believed_hands(
    assessor: Assessor,
) -> None:
    opening = last_dice(2, 4)
    assessment = assessor.assess(msgspec.structs.replace(opening, move=opening.view.moves[0]))
    exact = endgame_values(opening.view, {(face,): 1 / 6 for face in range(1, 7)})
    assert exact is not None
    assert {value.move: value.value for value in assessment.moves} == pytest.approx(dict(exact), abs=1e-6)


SOLVED_PRESETS = [
    name for name in simulated_preset_names() if endgame_policy(last_dice(1, 1, rules=preset(name).ruleset).view)
]


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(SOLVED_PRESETS), st.integers(1, 6), st.integers(1, 6), st.randoms(use_true_random=False))
def test_a_solved_strategy_costs_nothing_in_its_own_play_and_other_moves_cost_what_is_exact(
    assessor: Assessor, name: str, own: int, other: int, chance: Random
) -> None:
    bids: list[Bid] = []
    while True:
        undecided = last_dice(
            *((own, other) if len(bids) % 2 == 0 else (other, own)), *bids, rules=preset(name).ruleset
        )
        policy = endgame_policy(undecided.view)
        assert policy is not None
        wild = chance.choice(undecided.view.moves)
        assert isinstance(wild, Bid | Challenge | Exact)
        assessment = assessor.assess(msgspec.structs.replace(undecided, move=wild))
        if assessment.judgement.source is Source.SOLVED:
            values = {value.move: value.value for value in assessment.moves}
            exact = 0.0 if policy.get(wild, 0.0) >= MIXED_PROB else max(values.values()) - values[wild]
            assert assessment.cost == pytest.approx(exact, abs=1e-3)
        own_move = chance.choices(list(policy), list(policy.values()))[0]
        if policy[own_move] >= MIXED_PROB:
            assert assessor.assess(msgspec.structs.replace(undecided, move=own_move)).cost == 0
        if not isinstance(own_move, Bid):
            return
        bids.append(own_move)


PLAYERS = (("champion", "champion"), ("sharp", "champion"), ("regular", "sharp"))


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(SOLVED_PRESETS), st.sampled_from(PLAYERS), st.integers(0, 10_000))
def test_the_last_dice_of_recorded_matches_cost_what_is_exact(
    assessor: Assessor, name: str, players: tuple[str, str], seed: int
) -> None:
    """Beliefs by Bayes' rule with the solved strategy alone; the review also thinks a player capable of other bids.

    That changes little after bids that solved players make (`LIKELY`).
    """
    for decision in decisions_of(play_match(preset(name).ruleset, players, seed=seed).events):
        shown = decision.view
        hand_probs = exact_hand_probs(shown) if shown.on_turn and len(shown.moves) > 1 else None
        if hand_probs is None:
            continue
        values = endgame_values(shown, hand_probs)
        assert values is not None
        move, policy = decision.move, endgame_policy(shown) or {}
        assert isinstance(move, Bid | Challenge | Exact)
        exact = 0.0 if policy.get(move, 0.0) >= MIXED_PROB else max(values.values()) - values[move]
        assessment = assessor.assess(decision)
        assert assessment.judgement.source is Source.SOLVED
        assert assessment.cost == pytest.approx(exact, abs=1e-3)


def test_the_last_dice_are_worth_what_is_exact_where_the_engine_judges() -> None:
    """Cacho is solved down to its last dice, but not simulated."""
    rules = preset("cacho").ruleset
    values, solved = learned_values(preset("perudo").ruleset, 2), 0  # solved rounds have values of their own
    for seed in range(8):
        for decision in decisions_of(play_match(rules, ["champion", "champion"], seed=seed).events):
            shown = decision.view
            hand_probs = exact_hand_probs(shown) if shown.on_turn and len(shown.moves) > 1 else None
            if hand_probs is not None:
                assessment = assess_by_engine(decision, values, 30, 0)
                exact = endgame_values(shown, hand_probs)
                assert exact is not None
                assert assessment.judgement.source is Source.SOLVED
                assert {value.move: value.value for value in assessment.moves} == pytest.approx(dict(exact), abs=2e-3)
                solved += 1
    assert solved >= 3


LIKELY = 0.1
"""How likely each bid of a solved opponent is, at least, over all hands that it may have."""


def exact_hand_probs(shown: View) -> dict[Hand, float] | None:
    """The probability of each hand of the opponent; None if the round is not solved, or a bid is not `LIKELY` there."""
    if endgame_strategy(shown) is None:
        return None
    (other,) = (seat for seat, dice in enumerate(shown.dice) if dice and seat != shown.seat)
    hands, prior = hand_prior(shown.ruleset, shown.dice[other])
    probs = prior.astype(np.float64)
    for bidder, bid, bidder_view in views_before_bids(shown):
        if bidder == other:
            before = probs.sum()
            probs *= [(policy or {}).get(bid, 0.0) for policy in endgame_policies(bidder_view, hands)]
            if probs.sum() < LIKELY * before:
                return None
    return dict(zip(hands, (probs / probs.sum()).tolist(), strict=True))


def in_round(name: str, hands: tuple[Hand, Hand], *bids: Bid) -> Decision:
    """An undecided decision of a round of two players."""
    state = dealt_state(preset(name).ruleset, hands, bids)
    return Decision(0, view(state, state.turn), None, state.dice)


@pytest.mark.parametrize(
    "name, hands, bids",
    [
        ("perudo", ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6)), (Bid(3, 6),)),
        ("perudo", ((2, 2, 4), (1, 3, 3, 5)), (Bid(2, 4), Bid(3, 4))),
        ("chart", ((2, 4), (3, 5)), (Bid(2, 4),)),
    ],
)
def test_rounds_with_a_blueprint_are_judged_by_it(name: str, hands: tuple[Hand, Hand], bids: tuple[Bid, ...]) -> None:
    undecided = in_round(name, hands, *bids)
    values = learned_values(undecided.view.ruleset, 2)
    explanation = explain(undecided.view)
    by_move = {estimate.move: estimate.value for estimate in explanation.moves}
    assessments = {
        move: Assessor(values, 6).assess(msgspec.structs.replace(undecided, move=move)) for move in undecided.view.moves
    }
    best = max(by_move.values())
    for move, assessment in assessments.items():
        assert assessment.judgement.source is Source.BLUEPRINT
        assert assessment.cost == (pytest.approx(best - by_move[move], abs=1e-9) if assessment.cost else 0)
        assert assessment.cost == 0 or assessment.cost > assessment.error > 0
        assert {value.move: value.value for value in assessment.moves} == pytest.approx(
            {value.move: by_move[value.move] for value in assessment.moves}, abs=1e-9
        )
        assert sum(assessment.judgement.p_loses[move]) == pytest.approx(1, abs=0.011)
    if name == "perudo":  # the blueprint of chart is played for the round, whatever it costs
        usual = [estimate.move for estimate in explanation.moves if estimate.prob > 0.1]
        assert {assessments[move].cost for move in usual if move is not None} == {0.0}
    assert max(assessment.cost for assessment in assessments.values()) > 0.1


def test_a_blueprint_says_how_often_a_bid_is_challenged_and_who_loses_dice() -> None:
    undecided = in_round("perudo", ((2, 2, 4), (1, 3, 3, 5)), Bid(2, 4))
    wild, called = Bid(7, 5), Challenge()
    assessor = Assessor(learned_values(PERUDO, 2), 6)
    assessment = assessor.assess(msgspec.structs.replace(undecided, move=wild))
    assert assessment.judgement.p_challenged[wild] > 0.9
    assert assessment.judgement.p_loses[wild][1] > 0.9 > assessment.judgement.p_loses[called][1]
    assert assessment.judgement.p_loses[called][0] == pytest.approx(1 - assessment.judgement.p_loses[called][1])
    assert assessment.judgement.p_gains[called] == 0


def test_a_forced_move_and_a_bid_that_nobody_would_call_cost_nothing(assessor: Assessor) -> None:
    forced = last_dice(3, 5, Bid(1, 5), Bid(2, 1))
    assert forced.view.moves == (Challenge(),)
    assert assessor.assess(msgspec.structs.replace(forced, move=Challenge())).judgement.source is Source.FORCED


def test_costs_are_the_same_for_the_same_seed() -> None:
    events = play_match(PERUDO, ["champion", "random"], seed=5).events
    some = [decision for decision in decisions_of(events) if decision.view.bids][:3]
    first, second = (
        [Assessor(learned_values(PERUDO, 2), 60, seed=2).assess(decision) for decision in some] for _ in range(2)
    )
    assert repr(first) == repr(second)


def test_a_player_without_a_plan_gives_away_more_than_the_champion(assessor: Assessor) -> None:
    costs = [0.0, 0.0]
    for seed in range(2):
        for decision in decisions_of(play_match(PERUDO, ["champion", "random"], seed=seed).events):
            assessment = assessor.assess(decision)
            costs[decision.seat] += assessment.cost
            assert assessment.cost == 0 or assessment.cost > assessment.error
    assert costs[1] > 2 * costs[0]
    assert costs[1] > 0.5


@pytest.mark.parametrize("name", simulated_preset_names())
def test_the_decisions_of_every_simulated_preset_are_assessed(name: str) -> None:
    rules = preset(name).ruleset
    assessor = Assessor(end_values(rules, 2), 6)
    for decision in list(decisions_of(random_match(rules, 2, 3).events))[-8:]:
        assessment = assessor.assess(decision)
        assert assessment.cost >= 0
        assert assessment.best in {decision.move, *(value.move for value in assessment.moves)}


def test_moves_above_the_dice_on_the_table_are_not_compared() -> None:
    """Without a limit, the champion considers bids that no playout knows."""
    rules = patched(preset("basic").ruleset, bidding__cap=None, guards__max_bids_per_round=20)
    decision = msgspec.structs.replace(last_dice(3, 4, Bid(9, 5), Bid(10, 5), rules=rules), move=Challenge())
    assessment = Assessor(learned_values(rules, 2), 6).assess(decision)
    assert assessment.judgement.source is Source.PLAYOUTS
    assert all(value.move.quantity <= 10 for value in assessment.moves if isinstance(value.move, Bid))


def test_a_chosen_direction_is_assessed_although_no_solved_strategy_has_it() -> None:
    rules = patched(PERUDO, turn__starter_may_reverse=True)
    undecided = last_dice(3, 4, rules=rules)
    assert undecided.view.may_set_direction
    for direction in undecided.view.may_set_direction:
        made = msgspec.structs.replace(undecided, move=SetDirection(direction))
        assert Assessor(learned_values(rules, 2), 6).assess(made).judgement.source is Source.PLAYOUTS


BY_ENGINE = {
    "lives": preset("chui-niu+lives").ruleset,
    "doubled calls and pure bids": patched(preset("bar").ruleset, guards__max_rounds=4),
    "shown dice": preset("bluff+show-dice").ruleset,
    "shown dice, the others kept": patched(preset("bluff").ruleset, bidding__show_dice=ShowDice.COUNTING_KEPT),
    "dice that nobody sees": patched(PERUDO, dice__visibility=RoundVisibility.BLIND),
    "passes": preset("perudo+pass").ruleset,
    "sums of two dice": preset("perudo+face-off").ruleset,
    "dice that differ": patched(PERUDO, dice__faces_by_seat=(4, 6)),
    "bids about the own dice": patched(PERUDO, count__scope=CountScope.BIDDER),
    "the first player out ends it": patched(PERUDO, end=MatchEnd.FIRST_PLAYER_OUT),
    "the winner sheds dice": preset("snyd-joker+winner-sheds").ruleset,
    "dice of eight faces": patched(PERUDO, dice__faces=8),
}


def record_of(rules: Ruleset, bots: list[str], seed: int) -> Record:
    result = play_match(rules, bots, seed=seed)
    return Record(__version__, tuple(result.events), result.match.state)


@pytest.mark.parametrize("kind", BY_ENGINE)
def test_every_decision_of_a_match_is_judged_under_all_rules(kind: str) -> None:
    record = record_of(BY_ENGINE[kind], ["champion", "random"], seed=2)
    review = review_match(record, deals=30)
    assert not is_judged_by_simulator(record.state.ruleset)
    assert review.deals == played_deals(record.state.ruleset, 30) < 30
    assert review.value_version == (0 if kind != "dice of eight faces" else VALUE_VERSION)
    assert review.decisions
    for decision, facts in zip(review.decisions, decisions_of(record.events), strict=True):
        for observation in observe_decision(facts, decision, 0):
            assert 0 <= observation.usual <= 1 + 1e-6
        assert decision.cost == 0 or decision.cost > decision.error
        for value in decision.moves:
            assert -1e-9 <= value.value <= 1 + 1e-9
            assert value.p_right is None or -1e-6 <= value.p_right <= 1 + 1e-6
        for count in decision.counts:
            assert sum(count.posterior) == pytest.approx(1, abs=1e-3)
    for parts in review.luck:
        total = parts.start + parts.luck + parts.own_play + parts.others_play
        assert total == pytest.approx(parts.result, abs=1e-9)


@pytest.mark.parametrize("name, seats", [("perudo", 2), ("perudo", 5), ("classic+aces", 3), ("bluff", 4)])
def test_everything_that_teaches_gives_the_same_answer_to_the_digit(name: str, seats: int) -> None:
    """A review, "What if", `explain` and the panel of a training table, asked about one position with one budget."""
    rules = preset(name).ruleset
    reviewer = Reviewer(record_of(rules, ["champion", "regular", "inference", "novice", "sharp"][:seats], 11), deals=60)
    compared = 0
    for number in range(1, min(reviewer.decision_count, 60), 9):
        reviewed = reviewer.review(number)
        shown = reviewer.decision(number).view
        if reviewed.source is Source.FORCED or not shown.moves:
            continue
        explained = {estimate.move: estimate for estimate in explain(shown, deals=60).moves}
        values = {value.move: value.value for value in reviewed.moves}
        for move in values.keys() & explained.keys():
            assert explained[move].value == values[move]
            what_if = reviewer.what_if(number, move, 60)
            assert (what_if.made, what_if.other) == (values[reviewed.move], values[move])
            compared += 1
        told = msgspec.json.decode(training_body(shown, 1, 1, 60), type=TrainingResponse)
        assert told.moves
        assert all(worth.value == to_percent(explained[worth.move].value, 1000) for worth in told.moves)
    assert compared > 10


def test_moves_that_only_some_rules_know_are_judged() -> None:
    made = set[type]()
    kinds = {"passes": "inference", "shown dice": "inference", "doubled calls and pure bids": "threshold"}
    for kind, bots in kinds.items():
        for seed in (1, 2):
            reviewer = Reviewer(record_of(BY_ENGINE[kind], [bots] * 3, seed), deals=30)
            for number in range(reviewer.decision_count):
                decision = reviewer.decision(number)
                if isinstance(decision.move, Pass | ChallengePass | BidAndShow | AnswerDouble):
                    if type(decision.move) not in made:
                        assert reviewer.review(number).source in {Source.PLAYOUTS, Source.FORCED}
                    made.add(type(decision.move))
    assert made >= {Pass, BidAndShow, AnswerDouble}


def test_the_engine_and_the_simulator_judge_moves_alike() -> None:
    """Both play rounds on by the champion, in programs that share little: values agree within their errors."""
    record = record_of(PERUDO, ["champion", "regular", "inference"], seed=9)
    values = end_values(PERUDO, 3)
    assessor, compared, differences = Assessor(values, 400), 0, list[float]()
    for decision in list(decisions_of(record.events))[5:40:6]:
        assert not needs_engine(decision)
        simulated, played = assessor.assess(decision), assess_by_engine(decision, values, 400, 5)
        if Source.PLAYOUTS is simulated.judgement.source is played.judgement.source:
            by_move = {value.move: value for value in played.moves}
            for value in simulated.moves:
                if value.move in by_move:
                    differences.append(value.value - by_move[value.move].value)
            compared += 1
    assert compared >= 4
    assert np.abs(differences).max() < 0.08
    assert abs(np.mean(differences)) < 0.015


@pytest.mark.parametrize("kind", ["lives", "passes", "bids about the own dice"])
def test_hidden_dice_change_nothing_of_what_is_judged(kind: str) -> None:
    """A twin of the match with other dice under the cups of the others gives the same review of a decision."""
    record = record_of(BY_ENGINE[kind], ["inference", "threshold"], seed=4)
    place = next(number for number, event in enumerate(record.events) if isinstance(event, Dealt))
    first = next(number for number, event in enumerate(record.events) if isinstance(event, Revealed))
    before = record.events[: first - 1]
    dealt = before[place]
    assert isinstance(dealt, Dealt)
    values = end_values(record.state.ruleset, 2)
    reviews = set[str]()
    for face in (2, 3, 5):
        decision = list(decisions_of(before))[-1]
        hands = tuple(hand if seat == decision.seat else (face,) * len(hand) for seat, hand in enumerate(dealt.hands))
        twin = (*before[:place], msgspec.structs.replace(dealt, hands=hands), *before[place + 1 :])
        reviews.add(repr(assess_by_engine(list(decisions_of(twin))[-1], values, 30, 1)))
    assert len(reviews) == 1


def test_a_bid_that_the_own_dice_prove_costs_less_than_one_that_they_rule_out() -> None:
    record = record_of(BY_ENGINE["lives"], ["champion", "random"], seed=2)
    review = review_match(record, deals=60)
    champion, random_bot = review.players
    assert champion.cost / champion.decisions < random_bot.cost / random_bot.decisions


SHOWN = preset("bluff+show-dice").ruleset


def decisions(name: str, bot: str, seed: int) -> list[Decision]:
    events: tuple[Event, ...] = tuple(play_match(preset(name).ruleset, [bot] * 3, seed=seed).events)
    return list(decisions_of(events))


def after_shown_dice() -> Decision:
    """A decision of a player who sees dice that another one has put in the open."""
    for seed in range(20):
        for decision in decisions("bluff+show-dice", "inference", seed):
            shown = decision.view.shown
            if any(dice and seat != decision.seat for seat, dice in enumerate(shown)):
                return decision
    raise AssertionError("nobody showed dice")


def test_before_any_move_hands_are_as_likely_as_rolls() -> None:
    first = decisions("chui-niu+lives", "champion", 3)[0]
    beliefs = beliefs_given_moves(first)
    assert set(beliefs) == {0, 1, 2} - {first.seat}
    for belief in beliefs.values():
        assert len(belief.hands) == 252
        assert sum(belief.probs) == pytest.approx(1, abs=1e-4)
        assert belief.probs[belief.hands.index((1, 2, 3, 4, 5))] == pytest.approx(120 / 6**5, rel=1e-4)


def test_bids_make_hands_likelier_that_have_their_faces() -> None:
    shifts = []
    for decision in decisions("bar-strict", "inference", 3):
        beliefs = beliefs_given_moves(decision) if decision.view.bid is not None else {}
        for count in count_beliefs(decision.view, beliefs):
            if count.seat == decision.view.bidder:
                prior, posterior = (np.arange(len(probs)) @ probs for probs in (count.prior, count.posterior))
                shifts.append(posterior - prior)
    assert len(shifts) > 20
    assert np.mean(shifts) > 0.1


def test_dice_in_the_open_are_known_and_come_first() -> None:
    decision = after_shown_dice()
    beliefs = beliefs_given_moves(decision)
    hands = sample_hands(decision.view, beliefs, 50, np.random.default_rng(1))
    assert len(set(hands)) > 10
    for deal in hands:
        assert deal[decision.seat] == decision.view.hand
        for seat, held in enumerate(decision.view.dice):
            in_the_open = decision.view.shown_by(seat)
            assert len(deal[seat]) == held
            assert deal[seat][: len(in_the_open)] == in_the_open


def test_moves_before_dice_were_rolled_again_tell_nothing_of_them() -> None:
    decision = after_shown_dice()
    beliefs, priors = beliefs_given_moves(decision), prior_beliefs(decision.view)
    fresh = [
        seat
        for seat in beliefs
        if (own := [past.action for past in decision.history if past.seat == seat]) and isinstance(own[-1], BidAndShow)
    ]
    assert fresh
    for seat in fresh:
        assert beliefs[seat].probs == pytest.approx(priors[seat].probs, rel=1e-5)
