"""A view holds what its seat may see: its own dice and moves, and the dice of others as numbers."""

from liarsdice.core.actions import Challenge
from liarsdice.core.engine.engine import evolve_all
from liarsdice.core.engine.evolve import initial_state
from liarsdice.core.engine.view import HandDealt, PublicPenalty, event_view, view
from liarsdice.core.events import BidMade, Dealt, Event, MatchStarted, Penalised, RoundStarted
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Direction, PenaltyTrigger
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset

EVENTS: list[Event] = [
    RoundStarted(1, 0, (5, 5), Direction.CLOCKWISE),
    Dealt(((1, 2, 3, 4, 5), (6, 6, 6, 6, 6))),
    BidMade(0, Bid(9, 6)),
]
STATE = evolve_all(initial_state(MatchStarted(preset("classic").ruleset, ("Ann", "Bo"))), EVENTS)


def test_a_view_has_the_own_hand_and_the_sizes_of_the_others() -> None:
    seen = view(STATE, 1)
    assert (seen.hand, seen.others, seen.on_turn) == ((6, 6, 6, 6, 6), (5,), True)
    assert seen.moves == (*(Bid(10, face) for face in range(1, 7)), Challenge())
    assert seen.max_quantity == 10


def test_a_seat_that_is_not_on_turn_has_no_bids() -> None:
    seen = view(STATE, 0)
    assert (seen.hand, seen.on_turn, seen.moves) == ((1, 2, 3, 4, 5), False, ())


def test_a_spectator_sees_no_dice() -> None:
    assert view(STATE, None).hand == ()
    assert event_view(EVENTS[1], None) == HandDealt(())


def test_only_the_penalised_seat_sees_which_dice_it_lost() -> None:
    penalty = Penalised(1, PenaltyTrigger.ASKS_DICE_LEFT, 1, immediate=True, taken=(2,))
    assert event_view(penalty, 1) == penalty
    assert event_view(penalty, 0) == PublicPenalty(1, PenaltyTrigger.ASKS_DICE_LEFT, 1, immediate=True)


def test_a_bid_about_own_dice_is_about_the_dice_of_its_bidder() -> None:
    own = evolve_all(initial_state(MatchStarted(preset("basic+aetolia").ruleset, ("Ann", "Bo"))), EVENTS)
    ann, bo = view(own, 0), view(own, 1)
    assert [view(STATE, 1).dice_of_bid(bidder) for bidder in (0, 1)] == [((6, 6, 6, 6, 6), (5,), (6,))] * 2
    assert [bo.dice_of_bid(bidder) for bidder in (0, 1)] == [((), (5,), (6,)), ((6, 6, 6, 6, 6), (), ())]
    assert ann.dice_of_bid(0) == ((1, 2, 3, 4, 5), (), ())


def test_a_seat_knows_how_many_faces_the_dice_of_each_other_seat_have() -> None:
    mixed = patched(preset("basic").ruleset, dice__faces=8, dice__faces_by_seat=(6, 7))
    names, sizes = ("Ann", "Bo", "Cy"), (5, 5, 5)
    dealt: list[Event] = [RoundStarted(1, 0, sizes, Direction.CLOCKWISE, None), Dealt(((1,) * 5, (7,) * 5, (8,) * 5))]
    state = evolve_all(initial_state(MatchStarted(mixed, names)), dealt)
    assert view(state, 1).dice_of_bid(0) == ((7,) * 5, (5, 5), (6, 8))
    assert view(state, None).dice_of_bid(0) == ((), sizes, (6, 7, 8))
