"""The engine: what the dealer does, what is judged, and what a view holds."""

import msgspec
import pytest

from liarsdice.core.actions import Challenge, ChooseStarter, Deal, RollForStart, Withdraw
from liarsdice.core.engine.engine import MAX_SEATS, decide, decide_dealer, evolve_all, match_started, replay, start
from liarsdice.core.engine.evolve import initial_state
from liarsdice.core.engine.view import HandDealt, PublicPenalty, event_view, view
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.events import (
    BidMade,
    Dealt,
    Eliminated,
    EndReason,
    Event,
    MatchEnded,
    MatchStarted,
    Penalised,
    RoundStarted,
    StarterFound,
    StarterRolled,
    Withdrawn,
)
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Direction, PenaltyTrigger, ShedBy, StarterMethod
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.play.match_runner import final_places

BASIC, CHART = preset("basic").ruleset, preset("chart").ruleset


@pytest.mark.parametrize("seat", [-1, 2, 99, True, "0"])
def test_a_seat_that_does_not_exist_can_see_and_do_nothing(seat: int) -> None:
    state = start(BASIC, ["Ann", "Bo"])
    for call in (
        lambda: view(state, seat),
        lambda: event_view(Dealt(((1,), (2,))), seat),
        lambda: decide(state, seat, Bid(1, 2)),
    ):
        with pytest.raises(MalformedError, match="no seat"):
            call()


def test_players_do_not_deal_and_the_dealer_does_not_play() -> None:
    state = start(BASIC, ["Ann", "Bo"])
    with pytest.raises(MalformedError, match="dice and starters come from the dealer"):
        decide(state, 0, ChooseStarter(0))
    with pytest.raises(MalformedError, match="name the seat that acts"):
        decide(state, None, Bid(1, 2))


def test_an_event_log_begins_with_the_start_of_a_match() -> None:
    started = match_started(BASIC, ["Ann", "Bo"])
    assert replay([started]) == start(BASIC, ["Ann", "Bo"])
    for events in ([], [Dealt(((1,), (2,)))]):
        with pytest.raises(MalformedError, match="begins with match_started"):
            replay(events)


@pytest.mark.parametrize(
    "names",
    [
        ["Ann"],
        ["Ann", ""],
        ["Ann", " "],
        ["Ann", "Ann"],
        ["Ann", "ANN"],
        ["Ann", "Bo "],
        ["Ann", "B\x1bo"],
        ["A", "b" * 41],
    ],
)
def test_players_need_different_printable_names_and_be_as_many_as_the_rules_allow(names: list[str]) -> None:
    with pytest.raises(MalformedError):
        start(BASIC, names)


def test_the_message_names_the_allowed_numbers_of_players() -> None:
    with pytest.raises(MalformedError, match="Basic Liar's Dice seats 2 to 5 players, not 6"):
        start(patched(BASIC, players__max=5), list("ABCDEF"))
    with pytest.raises(MalformedError, match=f"seats 2 to {MAX_SEATS} players"):
        start(CHART, [f"p{number}" for number in range(MAX_SEATS + 1)])


ROLLED = start(preset("chart").ruleset, ("Ann", "Bo", "Cy"))
CHOSEN = start(preset("basic").ruleset, ("Ann", "Bo"))
DEALING = evolve_all(CHOSEN, [StarterFound(1, StarterMethod.CHOSEN)])


def test_players_who_tie_for_the_highest_roll_roll_again() -> None:
    assert decide_dealer(ROLLED, RollForStart(((5,), (6,), (6,)))) == [StarterRolled(((5,), (6,), (6,)), (1, 2))]
    tied = evolve_all(ROLLED, decide_dealer(ROLLED, RollForStart(((5,), (6,), (6,)))))
    assert decide_dealer(tied, RollForStart(((), (2,), (3,))))[1] == StarterFound(2, StarterMethod.HIGH_ROLL)


def test_a_starter_is_chosen_or_rolled_for_as_the_rules_say() -> None:
    assert decide_dealer(CHOSEN, ChooseStarter(1)) == [StarterFound(1, StarterMethod.CHOSEN)]
    with pytest.raises(IllegalActionError, match="nobody rolls for the start now"):
        decide_dealer(CHOSEN, RollForStart(((1,), (2,))))
    with pytest.raises(IllegalActionError, match="no starter is chosen now"):
        decide_dealer(ROLLED, ChooseStarter(0))
    with pytest.raises(MalformedError, match="no seat 2"):
        decide_dealer(CHOSEN, ChooseStarter(2))


def test_a_deal_starts_a_round() -> None:
    hands = ((1, 2, 3, 4, 5), (6, 6, 6, 6, 6))
    started, dealt = decide_dealer(DEALING, Deal(hands))
    assert isinstance(started, RoundStarted)
    assert (started.number, started.starter, started.dice) == (1, 1, (5, 5))
    assert dealt == Dealt(hands)
    with pytest.raises(IllegalActionError, match="dice are dealt between rounds"):
        decide_dealer(CHOSEN, Deal(hands))


def test_a_full_hand_that_is_all_different_is_rolled_again_where_the_rules_say_so() -> None:
    again = msgspec.structs.replace(DEALING, ruleset=preset("chui-niu+reroll-different").ruleset)
    with pytest.raises(IllegalActionError, match="the dice of Bo are all different: they are rolled again"):
        decide_dealer(again, Deal(((1, 1, 3, 4, 5), (2, 3, 4, 5, 6))))
    assert decide_dealer(again, Deal(((1, 1, 3, 4, 5), (2, 3, 4, 5, 5))))
    assert decide_dealer(DEALING, Deal(((1, 1, 3, 4, 5), (2, 3, 4, 5, 6))))


@pytest.mark.parametrize(
    "hands, message",
    [
        (((1, 2, 3, 4, 5),), "1 hand came for 2 seats"),
        (((1, 2, 3, 4, 5), (1,)), "Bo has 5 dice to roll, but 1 came"),
        (((1, 2, 3, 4, 5), (1, 2, 3, 4, 7)), "7 is no face of a die with 6 faces"),
        (((1, 2, 3, 4, 5), (1, 2, 3, 4, True)), "True is no face"),
    ],
)
def test_hands_that_do_not_fit_the_match_are_refused(hands: tuple[tuple[int, ...], ...], message: str) -> None:
    with pytest.raises(MalformedError, match=message):
        decide_dealer(DEALING, Deal(hands))


def test_dice_show_only_the_faces_that_those_of_the_seat_have() -> None:
    rules = patched(preset("basic").ruleset, dice__faces=8, dice__faces_by_seat=(4,))
    mixed = msgspec.structs.replace(DEALING, ruleset=rules)
    assert decide_dealer(mixed, Deal(((4, 4, 4, 4, 4), (8, 8, 8, 8, 8))))
    with pytest.raises(MalformedError, match="5 is no face of a die with 4 faces"):
        decide_dealer(mixed, Deal(((4, 4, 4, 4, 5), (8, 8, 8, 8, 8))))


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


@pytest.mark.parametrize("name", preset_names())
def test_a_seat_whose_player_has_left_goes_out_between_rounds(name: str) -> None:
    """The starter passes on if it was that seat, and with one player left the match is over."""
    rules = preset(name).ruleset
    seats = min(3, rules.players.max or 3)
    state = start(rules, ["Ann", "Bo", "Cy"][:seats])
    with pytest.raises(IllegalActionError, match="between rounds"):
        decide(state, None, Withdraw(0))
    state = evolve_all(state, [StarterFound(0, rules.first_starter.method)])
    events = list[Event]()
    for seat in range(seats - 1):
        events = decide(state, None, Withdraw(seat))
        assert events[:2] == [Withdrawn(seat), Eliminated(seat)]
        state = evolve_all(state, events)
        assert state.stakes[seat] == state.dice[seat] == 0
        if state.end_reason is not None:
            break
        assert state.starter == state.turn == seat + 1
        with pytest.raises(IllegalActionError, match="out already"):
            decide(state, None, Withdraw(seat))
    reason = EndReason.LAST_PLAYER if state.alive_count == 1 else EndReason.PLAYER_OUT
    assert events[-1] == MatchEnded(tuple(other for other in range(seats) if state.stakes[other]), reason)


def test_where_winners_put_dice_away_nobody_is_safe_who_has_left_the_table() -> None:
    """Ann is safe and has won; Bo leaves, so Cy alone has dice. Without a safe player, the last one wins."""
    rules = patched(preset("basic").ruleset, loss__shed_by=ShedBy.WINNER)
    begun = evolve_all(start(rules, ["Ann", "Bo", "Cy"]), [StarterFound(0, rules.first_starter.method)])
    safe = msgspec.structs.replace(begun, dice=(0, 5, 5), safe=((0, 4),), turn=1, starter=1)
    for state, winners in ((safe, (0,)), (evolve_all(begun, decide(begun, None, Withdraw(0))), (2,))):
        events = decide(state, None, Withdraw(1))
        assert events == [Withdrawn(1), Eliminated(1), MatchEnded(winners, EndReason.LAST_PLAYER)]
        over = evolve_all(state, events)
        assert over.safe == state.safe
        assert final_places(over, {0: 4, 1: 4}) == ((1, 3, 2) if winners == (0,) else (2, 2, 1))
