"""The message for a refused bid says correctly which bids are legal."""

import pytest

from liarsdice.core.actions import ChooseStarter, Deal, RollForStart
from liarsdice.core.engine.engine import decide, evolve_all, start
from liarsdice.core.engine.player_actions import explain_refusal
from liarsdice.core.engine.state import State
from liarsdice.core.errors import IllegalActionError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import FromPure, Raise, StarterMethod, ToPure
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset


def after(rules: Ruleset, *bids: Bid) -> State:
    """Two players with five dice each, and these bids in turn."""
    state = start(rules, ["Ann", "Bo"])
    chosen = rules.first_starter.method is not StarterMethod.HIGH_ROLL
    roll = tuple((6 - seat,) * rules.first_starter.dice for seat in range(2))
    for action in (ChooseStarter(0) if chosen else RollForStart(roll), Deal(((1, 2, 3, 4, 5), (2, 3, 4, 5, 6)))):
        state = evolve_all(state, decide(state, None, action))
    for bid in bids:
        state = evolve_all(state, decide(state, state.turn, bid))
    return state


def refusal(state: State, bid: Bid) -> str:
    with pytest.raises(IllegalActionError) as refused:
        decide(state, state.turn, bid)
    return str(refused.value)


def test_where_all_bids_are_ranked_the_next_higher_bid_is_named() -> None:
    state = after(preset("classic").ruleset, Bid(4, 2))
    assert refusal(state, Bid(3, 5)) == "bid 3x5 does not beat 4x2 (needs 4x3 or higher)"


def test_where_bids_are_not_ranked_each_face_is_named_that_of_the_bid_first() -> None:
    state = after(preset("mustache").ruleset, Bid(5, 4))
    assert (
        refusal(state, Bid(4, 5))
        == "bid 4x5 does not beat 5x4 (needs 5x5 or more; 3x1 or more; 6x4 or more; 5x6 or more)"
    )


def test_pure_bids_have_a_mark_and_are_refused_where_there_are_none() -> None:
    assert refusal(after(preset("joker").ruleset), Bid(4, 2, pure=True)) == (
        "bid 4x2! is marked as pure, but these rules have no pure bids (leave the mark out: 4x2)"
    )
    rules = patched(preset("joker").ruleset, bidding__to_pure=ToPure.SAME_QUANTITY, bidding__from_pure=FromPure.DOUBLE)
    assert refusal(after(rules), Bid(4, 1, pure=True)) == (
        "bid 4x1! is marked as pure, but bids on face 1 always are (leave the mark out: 4x1)"
    )
    assert refusal(after(rules, Bid(4, 5, pure=True)), Bid(7, 6)) == "bid 7x6 does not beat 4x5! (needs 4x6! or higher)"
    by_faces = patched(rules, bidding__raise_=Raise.NO_DECREASE)
    assert refusal(after(by_faces, Bid(4, 5, pure=True)), Bid(7, 6)) == (
        "bid 7x6 does not beat 4x5! (needs 8x6 or more; 4x6! or more; 8x2 or more; 8x3 or more; 8x4 or more; "
        "8x5 or more; 5x5! or more)"
    )


def test_a_face_with_one_legal_quantity_is_named_with_no_more() -> None:
    state = after(patched(Ruleset(), bidding__raise_=Raise.ONE_STEP_DIM), Bid(3, 4))
    assert (
        refusal(state, Bid(4, 5)) == "bid 4x5 does not beat 3x4 (needs 3x5 and no more; 4x4 or more; 3x6 and no more)"
    )


def test_bids_that_were_already_made_are_excluded_by_name() -> None:
    state = after(preset("official").ruleset, Bid(3, 4), Bid(2, 5), Bid(3, 2))
    message = refusal(state, Bid(2, 2))
    assert message.startswith("bid 2x2 does not beat 3x2 (needs 4x2 or more; ")
    assert "1x4 or more, but not 3x4; 1x5 or more, but not 2x5" in message


def test_over_the_highest_bid_only_a_call_is_left() -> None:
    state = after(preset("classic").ruleset, Bid(10, 6))
    assert refusal(state, Bid(10, 2)) == "bid 10x2 does not beat 10x6 (no bid is left: call it)"


@pytest.mark.parametrize("bid", [Bid(1, 7), Bid(11, 2), Bid(3, 2), Bid(4, 2)])
def test_the_explanation_is_the_message_of_the_refusal(bid: Bid) -> None:
    state = after(preset("classic").ruleset, Bid(4, 2))
    assert explain_refusal(state, bid) == refusal(state, bid)
