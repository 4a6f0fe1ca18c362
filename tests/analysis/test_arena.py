"""The arena: seatings, duplicate deals, and the same results from the same seed."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from liarsdice.analysis.arena import DealResult, make_arena, play_deal
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset

PERUDO = preset("perudo").ruleset


def without_times(deal: DealResult) -> DealResult:
    """Return a deal without what differs from run to run."""
    return msgspec.structs.replace(deal, seconds=0.0, times=())


def test_in_duplicate_every_bot_sits_in_every_seat_on_the_same_dice() -> None:
    arena = make_arena(PERUDO, ["random", "greedy", "inference", "threshold"], seed=5, duplicate=True)
    seatings = arena.seatings(8)
    assert len(seatings) == 4
    assert {(seat, bot) for seating in seatings for seat, bot in enumerate(seating)} == {
        (seat, bot) for seat in range(4) for bot in range(4)
    }
    assert arena.seatings(9) != seatings


def test_without_duplicate_seats_rotate_from_match_to_match() -> None:
    arena = make_arena(PERUDO, ["random", "greedy", "threshold"], seed=3)
    seats_of_bots = Counter((seat, bot) for number in range(30) for seat, bot in enumerate(arena.seatings(number)[0]))
    assert len(seats_of_bots) == 9
    assert set(seats_of_bots.values()) == {10}
    assert arena.deals_for(30) == 30
    assert msgspec.structs.replace(arena, duplicate=True).deals_for(31) == 11


def test_a_subject_plays_every_match_and_the_field_fills_the_table() -> None:
    arena = make_arena(PERUDO, ["inference"], opponents=["threshold", "greedy"], seats=4, seed=1, duplicate=True)
    field_seats = Counter[int]()
    for number in range(40):
        for seating in arena.seatings(number):
            assert seating.count(0) == 1
            field_seats.update(bot for bot in seating if bot)
    assert field_seats.total() == 40 * 4 * 3
    assert min(field_seats.values()) >= 40 * 4  # each of the field at least once; the third seat is drawn by lot


def test_the_tables_of_a_larger_pool_are_mixed_over_deals() -> None:
    arena = make_arena(PERUDO, ["random", "greedy", "threshold", "inference"], seats=2, seed=1)
    pairings = {frozenset(arena.seatings(number)[0]) for number in range(60)}
    assert len(pairings) == 6


def test_an_arena_that_cannot_be_played_is_refused() -> None:
    with pytest.raises(MalformedError, match="needs at least two bots"):
        make_arena(PERUDO, ["random"])
    with pytest.raises(MalformedError, match="one subject, not 2"):
        make_arena(PERUDO, ["random", "greedy"], opponents=["random"])
    with pytest.raises(MalformedError, match="2 to 100 seats, not 101"):
        make_arena(PERUDO, ["random", "greedy"], seats=101)
    with pytest.raises(MalformedError, match="seats 2 to 5 players, not 6"):
        make_arena(patched(PERUDO, players__max=5), ["random", "greedy"], seats=6)
    with pytest.raises(UnavailableError, match="no bot is called 'nobody'"):
        make_arena(PERUDO, ["random"], opponents=["nobody"])


def test_a_deal_repeats_from_its_seed_and_number_alone() -> None:
    arena = make_arena(PERUDO, ["random", "greedy", "threshold"], seed=4, duplicate=True)
    deal = play_deal(arena, 3)
    same_arena = make_arena(PERUDO, ["random", "greedy", "threshold"], seed=4, duplicate=True)
    deals = [play_deal(same_arena, number) for number in range(4)]
    assert without_times(deal) == without_times(deals[3])
    assert without_times(deal) != without_times(play_deal(msgspec.structs.replace(arena, seed=5), 3))
