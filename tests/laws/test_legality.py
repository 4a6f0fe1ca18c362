"""`legal` lists exactly what `decide` accepts, and both agree with the reference engine."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from hypothesis import given
from msgspec import UNSET

from liarsdice.core.actions import (
    Action,
    AnswerDouble,
    Challenge,
    ChallengePass,
    ChooseKind,
    Deal,
    DeclareSpecial,
    Exact,
    Pass,
    Penalise,
    SetDirection,
)
from liarsdice.core.engine.engine import LegalMoves, decide, evolve_all, legal, start
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.errors import IllegalActionError, LiarsDiceError, MalformedError
from liarsdice.core.events import MatchStarted, Penalised, StarterFound
from liarsdice.core.rules.bid_space import UNCAPPED_QUANTITY
from liarsdice.core.rules.bids import Bid, beats
from liarsdice.core.rules.choices import Answer, Direction, PenaltyTiming, Raise, RoundKind, StarterMethod
from liarsdice.core.rules.parts import Bidding, Dice, Guards
from liarsdice.core.rules.ruleset import Ruleset
from tests.laws.random_matches import RandomMatch, random_match
from tests.laws.random_rulesets import PUNISHED, rulesets, seeds, tables
from tests.laws.reference_bidding import may_bid
from tests.laws.reference_bids import Pair, ranks_above
from tests.laws.reference_calls import may_answer, may_call_exact, may_challenge, may_double
from tests.laws.reference_engine import (
    ReferenceState,
    may_choose_direction,
    may_choose_kind,
    may_declare,
    plain_rules,
)
from tests.laws.reference_passes import may_doubt_pass, may_pass
from tests.laws.reference_penalties import may_be_penalised, price_of


def accepted(state: State, seat: int, action: Action) -> bool:
    try:
        events = decide(state, seat, action)
    except LiarsDiceError:
        return False
    return bool(events)


def states_with_reference(match: RandomMatch) -> Iterator[tuple[State, ReferenceState]]:
    """Every state of a match, with the state of the reference engine at that point."""
    reference = ReferenceState(plain_rules(match.ruleset))
    reference.apply([MatchStarted(match.ruleset, match.names)])
    for step in match.steps:
        yield step.before, reference
        reference.apply(step.events)
    yield match.state, reference


def all_bids(state: State) -> list[Bid]:
    """Bids with quantities from the lowest to too high ones, on faces from that of sums to above the highest."""
    top = sum(state.dice) + 2 if state.max_quantity is None else state.max_quantity + 2
    standing = 0 if state.bid is None else state.bid.quantity
    quantities = {*range(1, min(top, standing + 6) + 1), max(1, top - 2), top - 1, top, 2 * standing + 1}
    return [Bid(*pair) for pair in product(sorted(quantities), range(state.ruleset.dice.faces + 2))]


def is_beyond_the_list(moves: LegalMoves, bid: Bid) -> bool:
    """Whether this bid is higher than any listed, under rules without a limit."""
    return moves.unlimited and bid.quantity > max((listed.quantity for listed in moves.bids), default=UNCAPPED_QUANTITY)


def seats_and_beyond(state: State) -> range:
    return range(-1, len(state.names) + 1)


@given(tables(), seeds)
def test_a_bid_is_listed_accepted_and_allowed_by_the_rule_sheet_or_none_of_these(
    table: tuple[Ruleset, int], seed: int
) -> None:
    for state, reference in states_with_reference(random_match(*table, seed, 25)):
        moves = legal(state)
        for bid in all_bids(state):
            pair = (bid.quantity, bid.face)
            allowed = may_bid(reference, state.turn, pair)
            assert accepted(state, state.turn, bid) is allowed, (state.bids, bid)
            if not is_beyond_the_list(moves, bid):
                assert (bid in moves.bids) is allowed, (state.bids, bid)
        for seat in seats_and_beyond(state):
            if seat != state.turn:
                assert not any(accepted(state, seat, bid) for bid in moves.bids[:1] + moves.bids[-1:])


def test_without_a_cap_bids_are_listed_as_far_as_the_first_that_is_legal() -> None:
    rules = Ruleset(
        dice=Dice(per_player=1, faces=8),
        bidding=Bidding(raise_=Raise.MAX_OF_PAIR, cap=None),
        guards=Guards(max_bids_per_round=20),
    )
    state = evolve_all(start(rules, ("Ann", "Bo")), [StarterFound(0, StarterMethod.CHOSEN)])
    state = evolve_all(state, decide(state, None, Deal(((1,), (2,)))))
    state = evolve_all(state, decide(state, 0, Bid(1, 8)))
    assert legal(state).bids[0] == Bid(9, 1)
    assert accepted(state, 1, Bid(9, 1))
    assert not accepted(state, 1, Bid(8, 8))


@given(tables(), seeds)
def test_a_call_is_listed_accepted_and_allowed_by_the_rule_sheet_or_none_of_these(
    table: tuple[Ruleset, int], seed: int
) -> None:
    for state, reference in states_with_reference(random_match(*table, seed)):
        moves = legal(state)
        for seat in seats_and_beyond(state):
            challenge, exact = may_challenge(reference, seat), may_call_exact(reference, seat)
            assert accepted(state, seat, Challenge()) is (seat in moves.challengers) is challenge
            double = may_double(reference, seat)
            assert accepted(state, seat, Challenge(double=True)) is (seat in moves.doublers) is double
            assert accepted(state, seat, Exact()) is (seat in moves.exact_callers) is exact


@given(tables(), seeds)
def test_a_pass_and_its_doubt_are_listed_accepted_and_allowed_by_the_rule_sheet_or_none_of_these(
    table: tuple[Ruleset, int], seed: int
) -> None:
    for state, reference in states_with_reference(random_match(*table, seed, 60)):
        moves = legal(state)
        for seat in seats_and_beyond(state):
            on_turn = seat == moves.turn
            assert accepted(state, seat, Pass()) is (on_turn and moves.may_pass) is may_pass(reference, seat)
            doubt = may_doubt_pass(reference, seat)
            assert accepted(state, seat, ChallengePass()) is (on_turn and moves.may_challenge_pass) is doubt


@given(tables(), seeds)
def test_an_answer_is_listed_accepted_and_allowed_by_the_rule_sheet_or_none_of_these(
    table: tuple[Ruleset, int], seed: int
) -> None:
    for state, reference in states_with_reference(random_match(*table, seed)):
        moves = legal(state)
        for seat, answer in product(seats_and_beyond(state), Answer):
            listed = seat == moves.turn and answer in moves.answers
            assert accepted(state, seat, AnswerDouble(answer)) is listed is may_answer(reference, seat, answer.value)


@given(tables(), seeds)
def test_a_direction_is_listed_accepted_and_allowed_by_the_rule_sheet_or_none_of_these(
    table: tuple[Ruleset, int], seed: int
) -> None:
    for state, reference in states_with_reference(random_match(*table, seed)):
        moves = legal(state)
        for seat, direction in product(seats_and_beyond(state), Direction):
            listed = seat == moves.turn and direction in moves.directions
            assert accepted(state, seat, SetDirection(direction)) is listed is may_choose_direction(reference, seat)


@given(tables(), seeds)
def test_a_special_round_is_listed_accepted_and_allowed_by_the_rule_sheet_or_none_of_these(
    table: tuple[Ruleset, int], seed: int
) -> None:
    for state, reference in states_with_reference(random_match(*table, seed)):
        moves = legal(state)
        for seat in seats_and_beyond(state):
            listed = seat == moves.turn and moves.may_declare
            assert accepted(state, seat, DeclareSpecial()) is listed is may_declare(reference, seat)


@given(tables(), seeds)
def test_a_kind_of_round_is_listed_accepted_and_allowed_by_the_rule_sheet_or_none_of_these(
    table: tuple[Ruleset, int], seed: int
) -> None:
    for state, reference in states_with_reference(random_match(*table, seed)):
        moves = legal(state)
        for seat, kind in product(seats_and_beyond(state), RoundKind):
            listed = seat == moves.turn and kind in moves.kinds
            assert accepted(state, seat, ChooseKind(kind)) is listed is may_choose_kind(reference, seat, kind.value)


@given(tables(), seeds)
def test_a_penalty_is_listed_accepted_and_allowed_by_the_rule_sheet_or_none_of_these(
    table: tuple[Ruleset, int], seed: int
) -> None:
    for state, reference in states_with_reference(random_match(*table, seed, 25)):
        moves = legal(state)
        at_once = state.ruleset.penalty_timing is PenaltyTiming.IMMEDIATE and state.phase is Phase.BIDDING
        listed = {penalty.punishes for penalty in moves.penalties}
        for seat, (trigger, offence) in product(seats_and_beyond(state), PUNISHED):
            holds = 0 <= seat < len(state.dice) and state.dice[seat] > 0
            for taken in ((), (0,), (0, 1), (1, 0), (0, 0), (-1,), (5, 6)):
                allowed = may_be_penalised(reference, seat, trigger.value, taken, offence)
                assert accepted(state, seat, Penalise(trigger, taken, offence)) is allowed
                assert not allowed or ((trigger, offence) in listed and holds)
            if (trigger, offence) in listed and holds and not at_once:
                penalised = decide(state, seat, Penalise(trigger, offence=offence))[0]
                assert isinstance(penalised, Penalised)
                price = price_of(reference, trigger.value, offence)
                assert penalised.dice == price or (penalised.immediate and penalised.dice == state.stakes[seat])
                assert penalised.offence == (offence or UNSET)


@given(tables(), seeds)
def test_the_moves_of_a_seat_are_those_that_it_may_make(table: tuple[Ruleset, int], seed: int) -> None:
    for state, _ in states_with_reference(random_match(*table, seed, 25)):
        moves = legal(state)
        for seat in range(len(state.names)):
            assert all(accepted(state, seat, move) for move in moves.moves(seat))


@given(tables(), seeds)
def test_a_refusal_changes_nothing_and_says_why_in_one_line(table: tuple[Ruleset, int], seed: int) -> None:
    for state, _ in states_with_reference(random_match(*table, seed, 15)):
        actions: list[Action] = [*all_bids(state), Challenge(), Exact()]
        for seat, action in product(seats_and_beyond(state), actions):
            try:
                decide(state, seat, action)
            except (IllegalActionError, MalformedError) as error:
                why = str(error)
                assert why
                assert "\n" not in why
                assert not why.endswith(".")


@given(rulesets())
def test_the_raise_relation_is_that_of_the_rule_sheets(rules: Ruleset) -> None:
    words = plain_rules(rules)
    faces = [face for face in range(1, rules.dice.faces + 1) if _is_biddable(rules, face)]
    pairs: list[Pair] = list(product(range(1, 10), faces))
    for old, new in product(pairs, pairs):
        assert beats(rules, Bid(*old), Bid(*new)) is ranks_above(words, old, new), (old, new)


def _is_biddable(rules: Ruleset, face: int) -> bool:
    return rules.bidding.special_rank.value != "not_biddable" or face != rules.dice.special_face
