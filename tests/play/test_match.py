"""A match in progress: its log and state change together, and it continues from its record."""

from collections import Counter
from itertools import permutations

import msgspec
import pytest

from liarsdice.core.actions import ChooseStarter, Deal, RollAgain, RollForStart
from liarsdice.core.engine.engine import decide, replay, start
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import IllegalActionError
from liarsdice.core.events import StarterFound
from liarsdice.core.records.record import read_record, write_record
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import AllDifferent, PenaltyTiming, PenaltyTrigger, ShowDice, StarterMethod
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import Hand, is_all_different
from liarsdice.play.match import Dealer, LabelledSource, Match, SeededSource
from liarsdice.version import __version__

BASIC = preset("basic").ruleset


def opened_match() -> Match:
    """Return a match of two after its first bid."""
    match = Match(BASIC, ["Ann", "Bo"], Dealer(1))
    while match.waits_for_dealer:
        match.deal()
    match.act(match.state.turn, Bid(1, 3))
    return match


def test_the_state_is_that_of_the_log() -> None:
    match = opened_match()
    assert replay(match.events) == match.state
    assert not match.is_over


def test_an_illegal_action_changes_nothing() -> None:
    match = opened_match()
    events, state = list(match.events), match.state
    with pytest.raises(IllegalActionError):
        match.act(match.state.turn, Bid(1, 2))
    assert (match.events, match.state) == (events, state)


def test_a_match_continues_from_its_record() -> None:
    match = opened_match()
    resumed = Match.from_record(read_record(write_record(match.events, __version__)), Dealer(2))
    assert (resumed.events, resumed.state) == (match.events, match.state)
    resumed.act(resumed.state.turn, Bid(2, 3))
    assert resumed.view(None).bid == Bid(2, 3)


def test_first_rolls_seat_the_players_in_any_order_and_the_first_of_them_starts() -> None:
    rules = patched(BASIC, first_starter__method=StarterMethod.SEATED_BY_ROLL)
    orders = Counter(tuple(Dealer(seed).seat(rules, "ABC")) for seed in range(600))
    assert set(orders) == set(permutations("ABC"))
    assert min(orders.values()) > 60  # of 100 expected
    assert Dealer(1).seat(BASIC, "ABC") == ["A", "B", "C"]
    match = Match(rules, ["Ann", "Bo"], Dealer(1))
    assert match.deal() == [StarterFound(0, StarterMethod.SEATED_BY_ROLL)]
    with pytest.raises(IllegalActionError, match="Ann, who rolled highest for the seats, starts, not Bo"):
        decide(Match(rules, ["Ann", "Bo"], Dealer(1)).state, None, ChooseStarter(1))


PERUDO = preset("perudo").ruleset


def dealt_hands(seed: str, dice: tuple[int, ...], round_number: int) -> tuple[Hand, ...]:
    """Return a labelled dealer's hands for a round in which the seats hold this many dice."""
    state = start(PERUDO, ["Ann", "Bo", "Cy"])
    waiting = msgspec.structs.replace(state, phase=Phase.DEAL, dice=dice, round_number=round_number - 1)
    deal = Dealer(source=LabelledSource(seed)).action(waiting)
    assert isinstance(deal, Deal)
    return deal.hands


def test_labelled_dice_depend_on_seed_round_and_seat_however_the_match_went() -> None:
    full, later = dealt_hands("7", (5, 5, 5), 3), dealt_hands("7", (2, 0, 4), 3)
    assert later == (full[0][:2], (), full[2][:4])
    assert dealt_hands("7", (5, 5, 5), 4) != full
    assert dealt_hands("8", (5, 5, 5), 3) != full


def test_the_same_label_draws_the_same_starter() -> None:
    state = start(preset("classic").ruleset, ["Ann", "Bo", "Cy"])
    drawn = {Dealer(source=LabelledSource("7")).action(state) for _ in range(3)}
    assert len(drawn) == 1
    assert isinstance(drawn.pop(), ChooseStarter)


def test_ties_for_the_start_are_rolled_off_with_new_dice() -> None:
    rules = preset("official").ruleset
    for seed in range(40):
        match = Match(rules, ["Ann", "Bo", "Cy", "Di", "Ed", "Flo"], Dealer(source=LabelledSource(seed)))
        for _ in range(20):
            if match.state.phase is not Phase.STARTER:
                break
            match.deal()
        assert match.state.phase is not Phase.STARTER


def test_hands_that_are_all_different_are_rolled_again_whole_and_all_others_are_kept() -> None:
    rules = preset("chui-niu").ruleset
    again = preset("chui-niu+reroll-different").ruleset
    waiting = msgspec.structs.replace(start(rules, ["Ann", "Bo", "Cy"]), phase=Phase.DEAL)
    rolled_again = 0
    for seed in range(60):
        dealer = Dealer(source=LabelledSource(seed))
        first, kept = dealer.action(waiting), dealer.action(msgspec.structs.replace(waiting, ruleset=again))
        assert isinstance(first, Deal)
        assert isinstance(kept, Deal)
        for before, after in zip(first.hands, kept.hands, strict=True):
            rolled_again += is_all_different(rules, before)
            assert not is_all_different(rules, after)
            assert before == after or is_all_different(rules, before)
    assert rolled_again > 5


def test_no_dice_are_drawn_for_a_penalty_that_costs_lives() -> None:
    rules = patched(preset("chart").ruleset, loss__lives=3, penalty_timing=PenaltyTiming.IMMEDIATE)
    match = Match(rules, ["Ann", "Bo"], Dealer(1))
    while match.state.phase is not Phase.BIDDING:
        match.deal()
    assert Dealer(1).penalty(match.state, 0, PenaltyTrigger.ASKS_WHOSE_TURN).taken == ()


def test_a_seeded_source_repeats_from_its_seed() -> None:
    first, second = SeededSource("seed"), SeededSource("seed")
    assert first.draw_integers("any", 6, 20) == second.draw_integers("other", 6, 20)
    assert set(first.draw_integers("any", 6, 200)) == set(range(6))


def test_each_seat_rolls_dice_with_its_own_number_of_faces() -> None:
    rules = patched(PERUDO, dice__faces=8, dice__faces_by_seat=(4, 6), bidding__show_dice=ShowDice.COUNTING)
    state = start(rules, ["Ann", "Bo", "Cy"])
    waiting = msgspec.structs.replace(state, phase=Phase.DEAL, dice=(5, 5, 5))
    seen = [set[int](), set[int](), set[int]()]
    for seed in range(100):
        deal, roll = Dealer(seed).action(waiting), Dealer(seed).action(state)
        assert isinstance(deal, Deal)
        assert isinstance(roll, RollForStart)
        for seat, hand in enumerate(deal.hands):
            seen[seat].update(hand, roll.rolls[seat])
    assert seen == [{*range(1, 5)}, {*range(1, 7)}, {*range(1, 9)}]
    again = msgspec.structs.replace(waiting, phase=Phase.ROLL_AGAIN, bids=((0, Bid(1, 2)),), shown=((2,), (), ()))
    rolled = {
        die for seed in range(30) if isinstance(action := Dealer(seed).action(again), RollAgain) for die in action.hand
    }
    assert rolled == {1, 2, 3, 4}


def test_hands_that_are_rolled_again_keep_the_faces_of_their_seat() -> None:
    rules = patched(
        PERUDO, dice__per_player=2, dice__faces_by_seat=(2,), count__all_different=AllDifferent.ROLLED_AGAIN
    )
    waiting = msgspec.structs.replace(start(rules, ["Ann", "Bo"]), phase=Phase.DEAL, dice=(2, 2))
    deals = [Dealer(seed).action(waiting) for seed in range(50)]
    assert {deal.hands[0] for deal in deals if isinstance(deal, Deal)} == {(1, 1), (2, 2)}
