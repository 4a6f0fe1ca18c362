"""Every raise rule with every conversion is a total order, a partial order, or has loops, as tabulated here."""

from __future__ import annotations

from itertools import pairwise, product

import msgspec
import pytest
from hypothesis import given

from liarsdice.core.actions import Challenge, Deal
from liarsdice.core.bids.bid_chart import ladder
from liarsdice.core.engine.engine import decide, evolve_all, legal, start
from liarsdice.core.engine.state import State
from liarsdice.core.errors import RulesetError
from liarsdice.core.events import StarterFound
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.bids import Bid, beats, face_order
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Bidding, Dice
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.core.rules.validate import raise_loop
from tests.laws.random_rulesets import rulesets
from tests.laws.reference_bids import Claim, plain_bid, ranks_above
from tests.laws.reference_engine import plain_rules
from tests.laws.reference_stakes import PlainRules

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
        if has_loop_up_to(words_of(bidding, Dice()), 8):
            with pytest.raises(RulesetError, match="loop"):
                Ruleset(bidding=bidding)
            guarded = msgspec.structs.replace(bidding, no_repeat=True)
            assert Ruleset(bidding=guarded).bidding == guarded
        else:
            assert Ruleset(bidding=bidding).bidding == bidding


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
