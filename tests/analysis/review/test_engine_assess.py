"""Costs of decisions under rules that only the engine plays."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np
import pytest

from liarsdice.analysis.fitted_values import fitted
from liarsdice.analysis.fitted_values.fitted import fitted_values
from liarsdice.analysis.habits import observe_decision
from liarsdice.analysis.review.assess import Assessor, assess_by_engine, needs_engine
from liarsdice.analysis.review.decisions import decisions_of
from liarsdice.analysis.review.report import Reviewer, end_values, review_match
from liarsdice.analysis.review.results import Source, is_judged_by_simulator, played_deals
from liarsdice.core.actions import AnswerDouble, BidAndShow, ChallengePass, Pass
from liarsdice.core.events import Dealt, Revealed
from liarsdice.core.records.record import Record
from liarsdice.core.rules.choices import CountScope, MatchEnd
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.match_runner import play_match
from liarsdice.values.value_network import VALUE_VERSION
from liarsdice.version import __version__

PERUDO = preset("perudo").ruleset
BY_ENGINE = {
    "lives": preset("chui-niu+lives").ruleset,
    "doubled calls and pure bids": patched(preset("bar").ruleset, guards__max_rounds=4),
    "shown dice": preset("bluff+show-dice").ruleset,
    "passes": preset("perudo+pass").ruleset,
    "sums of two dice": preset("perudo+face-off").ruleset,
    "dice that differ": patched(PERUDO, dice__faces_by_seat=(4, 6)),
    "bids about the own dice": patched(PERUDO, count__scope=CountScope.BIDDER),
    "the first player out ends it": patched(PERUDO, end=MatchEnd.FIRST_PLAYER_OUT),
    "dice of eight faces": patched(PERUDO, dice__faces=8),
}


@pytest.fixture(autouse=True)
def few_matches(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Values are fitted to few matches here."""
    monkeypatch.setattr(fitted, "MIN_MATCHES", 6)
    monkeypatch.setattr(fitted, "MIN_STATES", 100)
    fitted_values.cache_clear()
    yield
    fitted_values.cache_clear()


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
        if Source.PLAYOUTS is simulated.source is played.source:
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
