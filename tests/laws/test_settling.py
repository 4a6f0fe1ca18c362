"""A call is settled as the reference engine settles it."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import lru_cache
from graphlib import TopologicalSorter
from itertools import combinations, product
from unittest.mock import patch

import msgspec
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from liarsdice.core.actions import AnswerDouble, BidAndShow, Challenge, ChallengePass, Exact, Penalise
from liarsdice.core.engine.engine import decide, evolve_all, legal
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import PublicRoll, event_view, view
from liarsdice.core.errors import IllegalActionError, RulesetError, UnavailableError
from liarsdice.core.events import (
    BidMade,
    DiceGained,
    Doubled,
    Eliminated,
    Event,
    LivesGained,
    MatchEnded,
    MatchStarted,
    Revealed,
    RolledAgain,
    RoundEnded,
    RoundStarted,
)
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.bid_space import is_face_off, max_quantity
from liarsdice.core.rules.bids import Bid, face_order
from liarsdice.core.rules.choices import (
    AllDifferent,
    Answer,
    Destination,
    DoubleAnswers,
    PassHand,
    PenaltyTiming,
    PenaltyTrigger,
    SpecialTrigger,
)
from liarsdice.core.rules.meaning import forbids_repeats, has_lives, least_dice, lives_are_limited, players_may_be_out
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Penalty, Players, SpecialRound
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand, tally
from liarsdice.play.match import Dealer
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.cfr.solver import Solver, solve
from liarsdice.solve.match_solver import MatchSolver, make_match_plan
from liarsdice.solve.round_game import (
    RoundGame,
    RoundStart,
    count_bid_sequences,
    dice_lost_values,
    make_public_tree,
    make_round_game,
    of_round,
)
from liarsdice.solve.strategy.average_strategy import average_strategy
from tests.laws.random_matches import RandomMatch, random_match
from tests.laws.random_rulesets import rulesets, seeds, tables
from tests.laws.reference_engine import (
    CallOutcome,
    ReferenceState,
    allows_pass,
    count_face,
    may_be_penalised,
    may_bid,
    may_call_exact,
    may_challenge,
    may_double,
    may_doubt_pass,
    plain_bid,
    plain_rules,
    ranks_above,
    settle_call,
    settle_doubt,
    settle_fold,
    special_is_wild,
)
from tests.solve.sequence_form import CLOSE, SequenceForm, match_value


def calls(match: RandomMatch) -> Iterator[tuple[ReferenceState, State, int, Challenge | Exact]]:
    """Every call that somebody could make in a match: both states, the caller, and the call."""
    reference = ReferenceState(plain_rules(match.ruleset))
    reference.apply([MatchStarted(match.ruleset, match.names)])
    for step in match.steps:
        for seat in range(len(match.names)):
            if may_challenge(reference, seat):
                yield reference, step.before, seat, Challenge()
            if may_double(reference, seat):
                yield reference, step.before, seat, Challenge(double=True)
            if may_call_exact(reference, seat):
                yield reference, step.before, seat, Exact()
        reference.apply(step.events)


def outcome_of_events(state: State, events: list[Event]) -> CallOutcome:
    """The outcome that the engine's events describe."""
    reference = ReferenceState(
        plain_rules(state.ruleset),
        dice=list(state.dice),
        exact_calls=list(state.exact_calls),
        lives=list(state.lives),
    )
    reference.apply(events)
    result = CallOutcome([], reference.left())
    for event in events:
        match event:
            case Revealed():
                result.counted = list(event.counted)
            case Eliminated():
                result.out.add(event.seat)
            case RoundEnded():
                result.next_starter, result.special_of = event.next_starter, event.special_seat
            case MatchEnded():
                result.winners = list(event.winners)
            case _:
                pass
    return result


@given(tables(), seeds)
def test_any_call_at_any_time_is_settled_as_the_rule_sheets_say(table: tuple[Ruleset, int], seed: int) -> None:
    for reference, state, seat, call in calls(random_match(*table, seed)):
        events = decide(state, seat, call)
        if isinstance(events[-1], Doubled):
            doubled = evolve_all(state, events)
            events = decide(doubled, doubled.turn, AnswerDouble(Answer.ACCEPT))
        times = 2 if call == Challenge(double=True) else 1
        assert outcome_of_events(state, events) == settle_call(
            reference, seat, exact=isinstance(call, Exact), times=times
        ), (
            state.dice,
            state.bids,
            events,
        )


@given(tables(), seeds)
def test_a_doubted_pass_is_settled_as_the_rule_sheets_say(table: tuple[Ruleset, int], seed: int) -> None:
    match = random_match(*table, seed, 80)
    reference = ReferenceState(plain_rules(match.ruleset))
    reference.apply([MatchStarted(match.ruleset, match.names)])
    for step in match.steps:
        state = step.before
        if may_doubt_pass(reference, state.turn):
            events = decide(state, state.turn, ChallengePass())
            assert outcome_of_events(state, events) == settle_doubt(reference, state.turn), (state.passes, events)
            reveal = events[1]
            assert isinstance(reveal, Revealed)
            kind = allows_pass(reference.rules, reference.hands[reference.passed[-1][0]])
            assert reveal.pass_hand == (None if kind is None else PassHand(kind))
        reference.apply(step.events)


@given(tables(), seeds)
def test_any_answer_to_a_doubled_call_is_settled_as_the_rule_sheets_say(table: tuple[Ruleset, int], seed: int) -> None:
    match = random_match(*table, seed)
    reference = ReferenceState(plain_rules(match.ruleset))
    reference.apply([MatchStarted(match.ruleset, match.names)])
    for step in match.steps:
        for answer in legal(step.before).answers:
            events = decide(step.before, step.before.turn, AnswerDouble(answer))
            if answer is Answer.FOLD:
                assert not any(isinstance(event, Revealed) for event in events)
                assert outcome_of_events(step.before, events) == settle_fold(reference, step.before.turn)
            elif len(events) > 1:
                times = 4 if answer is Answer.REDOUBLE or len(reference.doubled) > 1 else 2
                wanted = settle_call(reference, reference.doubled[0], exact=False, times=times)
                assert outcome_of_events(step.before, events) == wanted
            else:
                assert answer is Answer.REDOUBLE
                assert match.ruleset.challenge.answers is DoubleAnswers.REDOUBLE_OR_FOLD
        reference.apply(step.events)


@given(tables(), seeds)
def test_the_wild_face_is_known_from_the_bids_and_the_kind_of_round(table: tuple[Ruleset, int], seed: int) -> None:
    for reference, state, _, _ in calls(random_match(*table, seed)):
        assert state.wilds_count is special_is_wild(reference)


@given(rulesets(), st.data())
def test_a_count_is_what_the_rule_sheets_make_of_the_dice(rules: Ruleset, data: st.DataObject) -> None:
    hand = st.lists(st.integers(1, rules.dice.faces), max_size=5).map(tuple)
    hands = tuple(data.draw(st.lists(hand, min_size=2, max_size=4)))
    for face, wild in product(range(1, rules.dice.faces + 1), (False, True)):
        result = tally(rules, hands, face, wilds_count=wild)
        assert list(result.counted) == count_face(plain_rules(rules), hands, face, wild=wild)
        assert result.count == sum(result.counted)
        for seat, places in enumerate(result.marked):
            assert len(set(places)) == len(places) <= result.counted[seat]
            assert set(places) <= set(range(len(hands[seat])))


@given(tables(), seeds)
def test_until_the_end_there_is_a_move(table: tuple[Ruleset, int], seed: int) -> None:
    for step in random_match(*table, seed).steps:
        state = step.before
        moves = legal(state)
        if state.phase is Phase.BIDDING:
            assert moves.turn is not None
            assert state.dice[moves.turn] > 0
            assert moves.moves(moves.turn), "a player who may only doubt a pass has a move as well"
        else:
            assert moves.turn is None
            assert decide(state, None, Dealer(seed).action(state))


@given(tables(), seeds)
def test_the_player_on_turn_may_challenge_the_standing_bid_or_the_pass_after_their_own(
    table: tuple[Ruleset, int], seed: int
) -> None:
    for step in random_match(*table, seed).steps:
        if step.before.phase is Phase.BIDDING and step.before.bids and step.before.doubled_by is None:
            moves, own = legal(step.before), step.before.turn == step.before.bids[-1][0]
            assert moves.may_challenge_pass if own else step.before.turn in moves.challengers


@lru_cache(maxsize=256)
def longest_chain(rules: Ruleset, top: int) -> int:
    """The most bids that one round can have, each beating the one before; all bids if none may be repeated."""
    words = plain_rules(rules)
    kinds = (False, True) if rules.bidding.to_pure else (False,)
    bids = [
        Bid(quantity, face, pure=pure)
        for quantity in range(1, top + 1)
        for face in face_order(rules)
        for pure in kinds
        if not (pure and face == rules.dice.special_face)
    ]
    if forbids_repeats(rules):
        return len(bids)
    beaten_by = {bid: [new for new in bids if ranks_above(words, plain_bid(bid), plain_bid(new))] for bid in bids}
    length: dict[Bid, int] = {}
    for bid in TopologicalSorter(beaten_by).static_order():
        length[bid] = 1 + max((length[new] for new in beaten_by[bid]), default=0)
    return max(length.values())


@given(tables(), seeds)
def test_a_round_has_no_more_bids_than_the_longest_chain_or_its_guard(table: tuple[Ruleset, int], seed: int) -> None:
    rules, seats = table
    made, top = 0, None
    for event in random_match(rules, seats, seed).events:
        if isinstance(event, RoundStarted):  # in a face-off, bids are sums
            made, top = 0, None if is_face_off(rules, event.dice) else max_quantity(rules, event.dice)
        if isinstance(event, BidMade):
            made += 1
            if top is not None:
                assert made <= longest_chain(rules, top)
            if rules.guards.max_bids_per_round is not None:
                assert made <= rules.guards.max_bids_per_round


@given(tables(), seeds)
def test_a_match_has_no_more_rounds_than_its_dice_lives_or_guard_allow(table: tuple[Ruleset, int], seed: int) -> None:
    rules, seats = table
    match = random_match(rules, seats, seed)
    assert match.state.phase is Phase.OVER
    rounds = sum(isinstance(event, RoundStarted) for event in match.events)
    if rules.guards.max_rounds is not None:
        assert rounds <= rules.guards.max_rounds
    stakes, exact = rules.starting_stakes * seats, rules.exact_call
    if rules.loss.destination is Destination.DISCARD and (exact is None or exact.budget is not None):
        calls = 0 if exact is None else seats * (exact.budget or 0) * (exact.success_gain + 1)
        assert rounds <= stakes - 1 + calls


@given(tables(), seeds)
def test_every_round_without_a_gain_costs_somebody_something_unless_it_goes_to_an_opponent(
    table: tuple[Ruleset, int], seed: int
) -> None:
    rules, seats = table
    if rules.exact_call is not None or rules.loss.destination is Destination.OPPONENT:
        return
    before = rules.starting_stakes * seats + 1
    for step in random_match(rules, seats, seed).steps:
        for event in step.events:
            assert not isinstance(event, DiceGained | LivesGained)
            if isinstance(event, RoundStarted):
                assert sum(step.before.stakes) < before
                before = sum(step.before.stakes)


MAX_BID_SEQUENCES = 130
MAX_RAISES = "liarsdice.solve.round_game.MAX_RAISES"
NEAR = 1e-3


LEAST_FACES = 2
"""The fewest faces of dice in the rounds that are solved."""
UNSOLVED = {
    "loss__out_below": None,
    "dice__faces_by_seat": None,
    "dice__visibility": None,
    "bidding__show_dice": None,
    "bidding__pass_with": (),
    "bidding__pass_dice": None,
    "bidding__face_off": None,
}
"""The rules that the solver does not know, switched off; further ones are in `solvable`."""


def solvable(rules: Ruleset) -> Ruleset:
    """Return the rules without those that the solver does not know."""
    changes: dict[str, object] = dict(UNSOLVED) | {"dice__special_face": min(rules.dice.special_face, LEAST_FACES)}
    if rules.bidding.cap is None:
        changes["bidding__cap"] = c.Cap.DICE_IN_PLAY
    if rules.special_round:
        changes |= {"special_round__trigger": SpecialTrigger.LOSES_DOWN_TO_ONE, "special_round__visibility": None}
    if rules.exact_call:
        changes |= {"exact_call__min_dice": None, "exact_call__claim": None}
    return patched(rules, **changes)


@st.composite
def small_rounds(draw: st.DrawFn, *, of_matches: bool = False) -> tuple[Ruleset, RoundStart, RoundGame]:
    """Two-player rounds with few dice and faces, by rules under which bids rise; `of_matches`: lives run out."""
    try:
        rules = patched(solvable(draw(rulesets(most_dice=2))), players=Players())
        if of_matches and has_lives(rules) and not lives_are_limited(rules):
            rules = patched(rules, loss__lives=3)
    except RulesetError:  # the rules need one of those that were switched off
        assume(False)
    special = draw(st.sampled_from([None, 0, 1])) if rules.special_round else None
    had = draw(st.sampled_from([(), (0,), (1,)])) if rules.special_round else ()
    equal = (2, 2) if rules.count.all_different is AllDifferent.ROLLED_AGAIN else (1, 1)
    dice = draw(st.sampled_from([equal] if has_lives(rules) else [(1, 1), (2, 1), (1, 2)]))
    left = draw(st.tuples(st.integers(1, 3), st.integers(1, 3))) if lives_are_limited(rules) else UNSET
    opening = RoundStart(dice, draw(st.integers(0, 1)), special, had, lives=left)
    try:
        rules = of_round(rules, dice, draw(st.integers(LEAST_FACES, 3)))
        with patch("liarsdice.solve.round_game.MAX_RAISES", MAX_BID_SEQUENCES):  # each raise ends another sequence
            table = make_round_game(rules, opening)
    except (RulesetError, UnavailableError):
        assume(False)
    assume(count_bid_sequences(table) <= MAX_BID_SEQUENCES)
    return rules, opening, table


@given(small_rounds())
def test_a_round_is_worth_what_a_linear_program_says(small: tuple[Ruleset, RoundStart, RoundGame]) -> None:
    rules, opening, table = small
    solver = Solver(make_public_tree(table, dice_lost_values(table)))
    solve(solver, target=NEAR, iterations=3_000)
    low, high = average_strategy(solver).bounds[2:]
    assert high - low <= 2.1 * NEAR
    assert low - 1e-7 <= SequenceForm(rules, opening).value() <= high + 1e-7


def leads_back(round_start: RoundStart, game: RoundGame) -> bool:
    """Whether the next round may start as this one did, as when dice are won back; bounds then close in slowly."""
    nexts = [outcome.next_start for outcome in game.outcomes if outcome.next_start is not None]
    return any(after.with_seat_0_opening() == round_start for after in nexts)


@settings(max_examples=10)
@given(small_rounds(of_matches=True))
def test_a_match_is_worth_what_linear_programs_from_its_end_say(small: tuple[Ruleset, RoundStart, RoundGame]) -> None:
    rules, opening, _ = small
    try:
        plan = make_match_plan(rules, opening)
    except UnavailableError:  # hands that grow without end
        assume(False)
    assume(not any(leads_back(round_start, game) for round_start, game in plan.rounds.items()))
    assume(all(len(group) == 1 for group in plan.groups))
    low, high = MatchSolver(plan, Method.DCFR, NEAR).run()
    assert high - low <= 2.1 * NEAR
    assert low - 10 * CLOSE <= match_value(rules, opening) <= high + 10 * CLOSE


ASKED = PenaltyTrigger.ASKS_DICE_LEFT
MOST_DUE = 100


def with_penalty(rules: Ruleset, timing: PenaltyTiming) -> Ruleset:
    assume(not rules.loss.shed_by)  # there are no penalties where winners put dice away
    bidding = {"bidding__show_dice": None, "bidding__pass_with": ()}
    return patched(rules, penalties=(Penalty(trigger=ASKED),), penalty_timing=timing, **bidding)


def states_with_reference(match: RandomMatch) -> Iterator[tuple[State, ReferenceState]]:
    """Every state in which a penalty can be reported, with a copy of the reference engine's state at that point."""
    reference = ReferenceState(plain_rules(match.ruleset))
    reference.apply([MatchStarted(match.ruleset, match.names)])
    for step in match.steps:
        if step.before.phase in (Phase.DEAL, Phase.BIDDING):
            yield step.before, deepcopy(reference)
        reference.apply(step.events)


def is_refused(state: State, seat: int) -> bool:
    try:
        return not decide(state, seat, Penalise(ASKED))
    except IllegalActionError:
        return True


@given(tables(), seeds)
def test_however_often_penalties_are_reported_what_is_due_stays_bounded(table: tuple[Ruleset, int], seed: int) -> None:
    rules, seats = table
    match = random_match(with_penalty(rules, PenaltyTiming.END_OF_ROUND), seats, seed, 6)
    rng = random.Random(seed)
    for state, reference in states_with_reference(match):
        reported = state
        for _ in range(MOST_DUE + 5):
            seat = rng.choice(reported.alive())
            allowed = may_be_penalised(reference, seat, ASKED.value, ())
            assert (Penalty(trigger=ASKED) in legal(reported).penalties) is allowed is not is_refused(reported, seat)
            if allowed:
                events = decide(reported, seat, Penalise(ASKED))
                reported = evolve_all(reported, events)
                reference.apply(events)
        assert len(reported.penalties) == len(reference.due) == MOST_DUE


@given(tables(), seeds)
def test_a_special_round_is_called_off_when_its_player_or_too_many_others_are_out_before_it(
    table: tuple[Ruleset, int], seed: int
) -> None:
    rules, seats = table
    assume(rules.starting_stakes > 1 and players_may_be_out(rules) and least_dice(rules) == 1)
    assume(not rules.dice.double)  # no penalty takes dice at once then
    rules = patched(rules, special_round=rules.special_round or SpecialRound(min_players=3))
    rng = random.Random(seed)
    for state, reference in states_with_reference(
        random_match(with_penalty(rules, PenaltyTiming.IMMEDIATE), seats, seed)
    ):
        between = state
        while between.phase is Phase.DEAL:
            started, *_ = decide(between, None, Dealer(seed).action(between))
            assert isinstance(started, RoundStarted)
            assert started.starter == reference.turn()
            assert started.special_seat == reference.special_to_come()
            events = decide(between, rng.choice(between.alive()), Penalise(ASKED))
            between = evolve_all(between, events)
            reference.apply(events)


def with_shown_dice(table: tuple[Ruleset, int]) -> tuple[Ruleset, int]:
    """Rules under which dice may be shown, with the number of players."""
    rules, seats = table
    changes = {"count__hand_bonus": c.HandBonus.NONE, "count__all_different": None}
    timing = {"penalty_timing": c.PenaltyTiming.END_OF_ROUND}
    looks = {} if rules.special_round is None else {"special_round__visibility": None}
    show = rules.bidding.show_dice or c.ShowDice.COUNTING
    bidding = {"bidding__show_dice": show, "bidding__pass_with": (), "dice__visibility": None, "dice__double": None}
    return patched(rules, **bidding, **changes, **timing, **looks), seats


TABLES: st.SearchStrategy[tuple[Ruleset, int]] = tables().map(with_shown_dice)


def may_be_shown(table: ReferenceState, seat: int, bid: Bid, dice: Sequence[int]) -> bool:
    """Whether the rule sheet lets a seat show these dice with a bid."""
    if "show_dice" not in table.rules["bidding"] or not may_bid(table, seat, plain_bid(bid)):
        return False
    under_the_cup = Counter(table.hands[seat]) - Counter(table.in_the_open[seat])
    if not dice or Counter(dice) - under_the_cup or len(dice) == under_the_cup.total():
        return False
    after = replace(table, bids=[*table.bids, (seat, plain_bid(bid))])
    wild = table.rules["dice"]["special_face"] if special_is_wild(after) else bid.face
    return all(die in (bid.face, wild) for die in dice)


def is_accepted(state: State, action: BidAndShow) -> bool:
    try:
        return bool(decide(state, state.turn, action))
    except IllegalActionError:
        return False


def sets_of_dice(hand: Hand) -> set[Hand]:
    """All multisets of a hand's dice, and some with a die that it lacks."""
    own = {tuple(sorted(dice)) for count in range(len(hand) + 1) for dice in combinations(hand, count)}
    return own | {(face,) for face in range(10)} | {(*hand, hand[0])}


@given(TABLES, seeds)
def test_dice_may_be_shown_exactly_where_the_rule_sheet_lets_them(table: tuple[Ruleset, int], seed: int) -> None:
    match = random_match(*table, seed, 25)
    reference = ReferenceState(plain_rules(match.ruleset))
    reference.apply([MatchStarted(match.ruleset, match.names)])
    for step in match.steps:
        state = step.before
        if state.phase is Phase.BIDDING:
            shown, seen = sets_of_dice(state.hands[state.turn]), view(state, state.turn)
            for bid in [*legal(state).bids[:3], Bid(1, 1), Bid(99, 1)]:
                may = {dice for dice in shown if may_be_shown(reference, state.turn, bid, dice)}
                assert may == {dice for dice in shown if is_accepted(state, BidAndShow(bid, dice))}
                assert may == {dice for dice in shown if seen.allows(BidAndShow(bid, dice))}
                assert all(Counter(dice) <= Counter(seen.showable(bid)) for dice in may)
        reference.apply(step.events)
        assert [sorted(hand) for hand in step.after.hands] == [sorted(hand) for hand in reference.hands] or (
            step.after.phase in (Phase.DEAL, Phase.OVER, Phase.ROLL_AGAIN)
        )


@given(TABLES, seeds)
def test_shown_dice_stay_in_the_open_for_everybody_until_the_round_ends(table: tuple[Ruleset, int], seed: int) -> None:
    for step in random_match(*table, seed, 80).steps:
        before, after = step.before, step.after
        for seat, dice in enumerate(before.shown):
            assert before.hands[seat][: len(dice)] == dice
            assert dice == () or len(dice) < len(before.hands[seat])
            if after.phase in (Phase.BIDDING, Phase.ROLL_AGAIN) and after.round_number == before.round_number:
                assert after.shown_by(seat)[: len(dice)] == dice
        if before.phase is Phase.DEAL:
            assert before.shown == ()
        if isinstance(step.action, BidAndShow):
            rolls = before.ruleset.bidding.show_dice is c.ShowDice.COUNTING
            assert (after.phase is Phase.ROLL_AGAIN) is rolls
            assert rolls or sorted(after.hands[before.turn]) == sorted(before.hands[before.turn])
        for viewer in (None, *range(len(before.names))):
            assert view(before, viewer).shown == before.shown


@given(TABLES, seeds)
def test_only_the_bidder_sees_what_was_rolled_again(table: tuple[Ruleset, int], seed: int) -> None:
    for step in random_match(*table, seed, 80).steps:
        for event in step.events:
            if isinstance(event, RolledAgain):
                assert event_view(event, event.seat) == event
                others = {None, *range(len(step.before.names))} - {event.seat}
                public = PublicRoll(event.seat, step.before.hidden_count(event.seat))
                assert {event_view(event, other) for other in others} == {public}
                assert step.after.hands[event.seat] == (*step.after.shown_by(event.seat), *event.hand)
            if isinstance(event, BidMade) and event.shown:
                assert {event_view(event, viewer) for viewer in (None, 0, 1)} == {event}
                rolls = table[0].bidding.show_dice is c.ShowDice.COUNTING
                assert (step.after.phase is Phase.ROLL_AGAIN) is rolls


@given(TABLES, seeds)
def test_a_seat_knows_its_dice_and_those_in_the_open(table: tuple[Ruleset, int], seed: int) -> None:
    for step in random_match(*table, seed, 60).steps:
        state = step.before
        if state.phase is Phase.BIDDING:
            for seat in state.alive():
                seen = view(state, seat)
                assert len(seen.known) + sum(seen.others) == sum(state.dice)
                assert seen.hand == (*seen.shown_by(seat), *seen.hidden)


@given(TABLES, seeds)
def test_the_dice_of_others_change_no_word_of_a_refusal_to_show(table: tuple[Ruleset, int], seed: int) -> None:
    rng = random.Random(seed)
    for step in random_match(*table, seed, 40).steps:
        state, seat = step.before, step.before.turn
        if state.phase is not Phase.BIDDING:
            continue
        other_hands = tuple(
            hand if place == seat else tuple(rng.choices(range(1, state.ruleset.dice.faces + 1), k=len(hand)))
            for place, hand in enumerate(state.hands)
        )
        same = msgspec.structs.replace(state, shown=())
        other = msgspec.structs.replace(same, hands=other_hands)
        for bid in legal(state).bids[:2]:
            for dice in sets_of_dice(state.hands[seat]):
                assert _answer(same, BidAndShow(bid, dice)) == _answer(other, BidAndShow(bid, dice))


def _answer(state: State, action: BidAndShow) -> str:
    try:
        return str(decide(state, state.turn, action))
    except IllegalActionError as error:
        return str(error)
