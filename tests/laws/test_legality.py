"""`legal` lists exactly what `decide` accepts, and both agree with the reference engine."""

from collections.abc import Iterator
from itertools import pairwise, product

import msgspec
import pytest
from hypothesis import given
from msgspec import UNSET

from liarsdice.core.actions import (
    Action,
    AnswerDouble,
    Challenge,
    ChallengePass,
    ChooseKind,
    ClaimExact,
    Deal,
    DeclareSpecial,
    Exact,
    Pass,
    Penalise,
    Reroll,
    SetDirection,
)
from liarsdice.core.bids.bid_chart import ladder
from liarsdice.core.engine.engine import LegalMoves, decide, evolve_all, legal, start
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.errors import IllegalActionError, LiarsDiceError, MalformedError, RulesetError
from liarsdice.core.events import MatchStarted, Penalised, StarterFound
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.bid_space import UNCAPPED_QUANTITY
from liarsdice.core.rules.bids import Bid, beats, face_order
from liarsdice.core.rules.choices import Answer, Direction, PenaltyTiming, Raise, RoundKind, StarterMethod
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Bidding, Dice, Guards
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.core.rules.validate import raise_loop
from tests.bots.positions import dealt_state
from tests.laws.random_matches import RandomMatch, random_match
from tests.laws.random_rulesets import PUNISHED, rulesets, seeds, tables
from tests.laws.reference_engine import (
    Claim,
    Pair,
    PlainRules,
    ReferenceState,
    may_answer,
    may_be_penalised,
    may_bid,
    may_call_exact,
    may_challenge,
    may_choose_direction,
    may_choose_kind,
    may_claim_exact,
    may_declare,
    may_double,
    may_doubt_pass,
    may_pass,
    may_reroll,
    plain_bid,
    plain_rules,
    price_of,
    ranks_above,
)


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
            claim = may_claim_exact(reference, seat)
            assert accepted(state, seat, ClaimExact()) is (seat in moves.claimants) is claim


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
def test_another_roll_is_listed_accepted_and_allowed_by_the_rule_sheet_or_none_of_these(
    table: tuple[Ruleset, int], seed: int
) -> None:
    for state, reference in states_with_reference(random_match(*table, seed)):
        moves = legal(state)
        for seat in seats_and_beyond(state):
            listed = seat == moves.turn and moves.may_reroll
            assert accepted(state, seat, Reroll()) is listed is may_reroll(reference, seat)


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


WAYS: tuple[tuple[str, c.ToSpecial | None, c.FromSpecial | None], ...] = (
    ("plain / top / not_biddable", None, None),
    ("floor+1, double", c.ToSpecial.FLOOR_HALF_PLUS_1, c.FromSpecial.DOUBLE),
    ("floor+1, 2k+1", c.ToSpecial.FLOOR_HALF_PLUS_1, c.FromSpecial.DOUBLE_PLUS_1),
    ("floor+1, never", c.ToSpecial.FLOOR_HALF_PLUS_1, c.FromSpecial.NEVER),
    ("ceil, double", c.ToSpecial.CEIL_HALF, c.FromSpecial.DOUBLE),
    ("ceil, 2k+1", c.ToSpecial.CEIL_HALF, c.FromSpecial.DOUBLE_PLUS_1),
    ("ceil, never", c.ToSpecial.CEIL_HALF, c.FromSpecial.NEVER),
)
KINDS = {
    c.Raise.QUANTITY_FIRST: "total total partial partial CYCLIC total partial",
    c.Raise.NO_DECREASE: "partial partial partial partial CYCLIC partial partial",
    c.Raise.ONE_STEP_DIM: "partial partial partial partial CYCLIC partial partial",
    c.Raise.FACE_FIRST: "total CYCLIC CYCLIC partial CYCLIC CYCLIC partial",
    c.Raise.PRODUCT: "partial CYCLIC CYCLIC partial CYCLIC CYCLIC partial",
    c.Raise.MAX_OF_PAIR: "partial CYCLIC CYCLIC partial CYCLIC CYCLIC partial",
    c.Raise.OTHER_FACE: "CYCLIC CYCLIC CYCLIC CYCLIC CYCLIC CYCLIC CYCLIC",
    c.Raise.EITHER_INCREASES: "CYCLIC CYCLIC CYCLIC CYCLIC CYCLIC CYCLIC CYCLIC",
}


def words_of(bidding: Bidding, dice: Dice) -> PlainRules:
    words: PlainRules = msgspec.to_builtins({"bidding": bidding, "dice": dice})
    return words


def bids_up_to(words: PlainRules, top: int) -> list[Claim]:
    """Return all bids of up to `top` dice; zhai bids on the special face are not marked as such."""
    hidden = words["dice"]["special_face"] if words["bidding"]["special_rank"] == "not_biddable" else None
    faces = [face for face in range(1, words["dice"]["faces"] + 1) if face != hidden]
    zhai_faces = [face for face in faces if face != words["dice"]["special_face"] and "to_pure" in words["bidding"]]
    return [*product(range(1, top + 1), faces), *product(range(1, top + 1), zhai_faces, [True])]


def has_loop_up_to(words: PlainRules, top: int) -> bool:
    """Whether the bids of up to `top` dice have a loop: reachability in bit sets, by repeated squaring."""
    bids = bids_up_to(words, top)
    reach = [sum(1 << place for place, new in enumerate(bids) if ranks_above(words, old, new)) for old in bids]
    for middle in range(len(bids)):
        bit = 1 << middle
        reach = [row | reach[middle] if row & bit else row for row in reach]
    return any(row >> place & 1 for place, row in enumerate(reach))


def kind_of(words: PlainRules, top: int) -> str:
    if has_loop_up_to(words, top):
        return "CYCLIC"
    bids = bids_up_to(words, top)
    pairs = ((old, new) for old in bids for new in bids if old < new)
    one_of_two = all(ranks_above(words, old, new) or ranks_above(words, new, old) for old, new in pairs)
    return "total" if one_of_two else "partial"


def bidding_of(raise_: c.Raise, rank: c.SpecialRank, to: c.ToSpecial | None, back: c.FromSpecial | None) -> Bidding:
    return Bidding(raise_=raise_, special_rank=rank, to_special=to, from_special=back)


@pytest.mark.parametrize("raise_", c.Raise)
def test_brute_force_at_six_faces_and_eight_dice_finds_the_same_ladders_and_loops(raise_: c.Raise) -> None:
    result: list[str] = []
    for _, to, back in WAYS:
        ranks = [c.SpecialRank.CONVERT] if to else [rank for rank in c.SpecialRank if rank is not c.SpecialRank.CONVERT]
        kinds = {kind_of(words_of(bidding_of(raise_, rank, to, back), Dice()), 8) for rank in ranks}
        assert len(kinds) == 1
        result += kinds
    assert " ".join(result) == KINDS[raise_]


ALL_WAYS = [
    (rank, to, back)
    for _, to, back in WAYS
    for rank in c.SpecialRank
    if (rank is c.SpecialRank.CONVERT) == (to is not None)
]


@pytest.mark.parametrize("raise_", c.Raise)
def test_the_validator_finds_a_loop_exactly_where_there_is_one_among_bids_of_twelve_dice(raise_: c.Raise) -> None:
    for (rank, to, back), faces in product(ALL_WAYS, range(2, 9)):
        for special in {1, faces // 2, faces}:
            bidding, dice = bidding_of(raise_, rank, to, back), Dice(faces=faces, special_face=special)
            loop = raise_loop(bidding, dice)
            words = words_of(bidding, dice)
            assert bool(loop) is has_loop_up_to(words, 12), (bidding, dice, loop)
            for old, new in pairwise(loop):
                assert ranks_above(words, plain_bid(old), plain_bid(new))
            assert loop[:1] == loop[-1:]


@pytest.mark.parametrize("raise_", c.Raise)
def test_a_relation_with_a_loop_is_refused_unless_no_bid_may_be_repeated(raise_: c.Raise) -> None:
    for rank, to, back in ALL_WAYS:
        bidding = bidding_of(raise_, rank, to, back)
        if rank is c.SpecialRank.NOT_BIDDABLE:
            bidding = msgspec.structs.replace(bidding, special_may_open=False)
        if raise_ is not c.Raise.OTHER_FACE and has_loop_up_to(words_of(bidding, Dice()), 8):
            with pytest.raises(RulesetError, match="loop"):
                Ruleset(bidding=bidding)
            guarded = msgspec.structs.replace(bidding, no_repeat=True)
            assert Ruleset(bidding=guarded).bidding == guarded
        else:
            assert Ruleset(bidding=bidding).bidding == bidding


def test_a_round_of_bids_on_any_other_face_ends_without_being_told_so() -> None:
    rules = Ruleset(bidding=Bidding(raise_=c.Raise.OTHER_FACE), dice=Dice(per_player=1, faces=3))
    made = (Bid(1, 3), Bid(1, 2), Bid(1, 1), Bid(2, 1), Bid(2, 3), Bid(2, 2))
    for count in range(1, len(made) + 1):
        bids = legal(dealt_state(rules, ((1,), (1,)), made[:count])).bids
        assert set(bids) == {bid for bid in made[count:] if bid.quantity >= made[count - 1].quantity}


def test_product_with_halving_and_2k_plus_1_is_acyclic_up_to_four_dice_and_cyclic_from_five() -> None:
    words = words_of(
        bidding_of(
            c.Raise.PRODUCT,
            c.SpecialRank.CONVERT,
            c.ToSpecial.FLOOR_HALF_PLUS_1,
            c.FromSpecial.DOUBLE_PLUS_1,
        ),
        Dice(),
    )
    assert [has_loop_up_to(words, top) for top in range(1, 8)] == [False] * 4 + [True] * 3


@given(rulesets())
def test_a_ladder_is_claimed_exactly_where_every_bid_has_its_place(rules: Ruleset) -> None:
    for top in (1, 3, 6):
        words = plain_rules(rules)
        bids = bids_up_to(words, top)
        pairs = [(old, new) for old in bids for new in bids if old != new]
        one_way = all(ranks_above(words, old, new) is not ranks_above(words, new, old) for old, new in pairs)
        places = {new: sum(ranks_above(words, old, new) for old in bids) for new in bids}
        is_order = one_way and sorted(places.values()) == list(range(len(bids)))
        result = ladder(rules, top)
        assert (result is not None) is is_order
        if result is not None:
            assert [plain_bid(bid) for bid in result] == sorted(bids, key=places.__getitem__)
            assert all(beats(rules, low, high) for low, high in pairwise(result))


@pytest.mark.parametrize("name", ["chart", "basic", "classic+aces", "perudo", "official-strict", "joker", "snyd-joker"])
@pytest.mark.parametrize("faces", [2, 3, 4])
def test_a_ladder_of_n_bids_can_be_climbed_in_2_to_the_n_less_1_ways(name: str, faces: int) -> None:
    """Each history is a nonempty choice of bids in rising order, followed by the challenge."""
    known = find_rules(name)
    opens = known.bidding.special_may_open is not c.SpecialOpening.SPECIAL_ROUND_ONLY
    rules = patched(
        known,
        dice=Dice(per_player=1, faces=faces),
        bidding__special_may_open=known.bidding.special_may_open if opens else True,
        wilds__suspended_by=(),
        special_round=None,
        exact_call=None,
    )
    state = evolve_all(start(rules, ("Ann", "Bo")), [StarterFound(0, rules.first_starter.method)])
    state = evolve_all(state, decide(state, None, Deal(((1,), (2,)))))
    bids = 2 * len(face_order(rules))
    assert histories(state) == 2**bids - 1


def histories(state: State) -> int:
    """The number of ways to continue to a challenge."""
    moves = legal(state)
    result = 0
    if moves.turn in moves.challengers:
        assert decide(state, moves.turn, Challenge())
        result += 1
    return result + sum(histories(evolve_all(state, decide(state, moves.turn, bid))) for bid in moves.bids)


@given(rulesets())
def test_no_bid_beats_itself(rules: Ruleset) -> None:
    assert not any(beats(rules, bid, bid) for bid in (Bid(*claim) for claim in bids_up_to(plain_rules(rules), 6)))
