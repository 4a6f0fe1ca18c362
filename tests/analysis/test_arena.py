"""The arena: the same dice for every seat, places, intervals that hold, and the same result from the same seed."""

from __future__ import annotations

import random
from collections import Counter

import msgspec
import numpy as np
import pytest

from liarsdice.analysis.arena import Arena, Deal, arena, play_deal
from liarsdice.analysis.summary import intervals, summary
from liarsdice.analysis.timing import quantile_ms, size_of
from liarsdice.bots.registry import make_bot
from liarsdice.core.actions import ChooseStarter
from liarsdice.core.actions import Deal as Dealt
from liarsdice.core.engine.engine import start
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.events import Eliminated
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import patched
from liarsdice.play.dealer import Dealer, Labelled
from liarsdice.play.match import Match
from liarsdice.play.placings import places, shares
from liarsdice.play.referee import Referee

PERUDO = preset("perudo").ruleset


def played(contest: Arena, deals: int) -> list[Deal]:
    return [play_deal(contest, number) for number in range(deals)]


def without_clock(deal: Deal) -> Deal:
    return msgspec.structs.replace(deal, seconds=0.0, times=())


# deals


def hands(seed: str, dice: tuple[int, ...], round_number: int) -> tuple[tuple[int, ...], ...]:
    state = start(PERUDO, ["Ann", "Bo", "Cy"])
    waiting = msgspec.structs.replace(state, phase=Phase.DEAL, dice=dice, round_number=round_number - 1)
    dealt = Dealer(chance=Labelled(seed)).action(waiting)
    assert isinstance(dealt, Dealt)
    return dealt.hands


def test_a_deal_has_dice_for_each_round_and_seat_however_the_match_went() -> None:
    full, later = hands("7", (5, 5, 5), 3), hands("7", (2, 0, 4), 3)
    assert later == (full[0][:2], (), full[2][:4])
    assert hands("7", (5, 5, 5), 4) != full
    assert hands("8", (5, 5, 5), 3) != full


def test_a_deal_has_one_starter() -> None:
    state = start(PERUDO, ["Ann", "Bo", "Cy"])
    drawn = {Dealer(chance=Labelled("7")).action(state) for _ in range(3)}
    assert len(drawn) == 1
    assert isinstance(drawn.pop(), ChooseStarter)


def test_ties_for_the_start_are_rolled_off_with_new_dice() -> None:
    rules = preset("official").ruleset
    for seed in range(40):
        match = Match(rules, ["Ann", "Bo", "Cy", "Di", "Ed", "Flo"], Dealer(chance=Labelled(seed)))
        for _ in range(20):
            if match.state.phase is not Phase.STARTER:
                break
            match.deal()
        assert match.state.phase is not Phase.STARTER


def test_in_duplicate_every_bot_sits_in_every_seat_on_the_same_dice() -> None:
    contest = arena(PERUDO, ["random", "greedy", "inference", "threshold"], seed=5, duplicate=True)
    seatings = contest.seatings(8)
    assert len(seatings) == 4
    assert {(seat, bot) for seating in seatings for seat, bot in enumerate(seating)} == {
        (seat, bot) for seat in range(4) for bot in range(4)
    }
    assert contest.seatings(9) != seatings


def test_bots_that_play_alike_come_out_even_in_every_deal() -> None:
    contest = arena(PERUDO, ["inference", "inference:0.4"], seed=2, duplicate=True)
    found = summary(contest, played(contest, 12))
    for one in found.standings:
        assert one.win_share == 0.5
        assert one.win_share_95 == (0.5, 0.5)
        assert one.mean_place == 1.5


def test_without_duplicate_seats_rotate_from_match_to_match() -> None:
    contest = arena(PERUDO, ["random", "greedy", "threshold"], seed=3)
    sat = Counter((seat, bot) for number in range(30) for seat, bot in enumerate(contest.seatings(number)[0]))
    assert len(sat) == 9
    assert set(sat.values()) == {10}
    assert contest.deals(30) == 30
    assert msgspec.structs.replace(contest, duplicate=True).deals(31) == 11


def test_a_subject_sits_at_every_table_and_its_field_around_it() -> None:
    contest = arena(PERUDO, ["inference"], field=["threshold", "greedy"], seats=4, seed=1, duplicate=True)
    fields = Counter[int]()
    for number in range(40):
        for seating in contest.seatings(number):
            assert seating.count(0) == 1
            fields.update(bot for bot in seating if bot)
    assert fields.total() == 40 * 4 * 3
    assert min(fields.values()) >= 40 * 4  # each of the field at least once; the third chair is drawn


def test_a_pool_larger_than_the_table_is_mixed_over_deals() -> None:
    contest = arena(PERUDO, ["random", "greedy", "threshold", "inference"], seats=2, seed=1)
    met = {frozenset(contest.seatings(number)[0]) for number in range(60)}
    assert len(met) == 6


def test_a_contest_that_cannot_be_played_is_refused() -> None:
    with pytest.raises(MalformedError, match="needs the names of two bots"):
        arena(PERUDO, ["random"])
    with pytest.raises(MalformedError, match="one subject, not 2"):
        arena(PERUDO, ["random", "greedy"], field=["random"])
    with pytest.raises(MalformedError, match="2 to 100 seats, not 101"):
        arena(PERUDO, ["random", "greedy"], seats=101)
    with pytest.raises(MalformedError, match="seats 2 to 5 players, not 6"):
        arena(preset("basic").ruleset, ["random", "greedy"], seats=6)
    with pytest.raises(UnavailableError, match="no bot is called 'nobody'"):
        arena(PERUDO, ["random"], field=["nobody"])


def test_a_deal_repeats_from_its_seed_and_number_alone() -> None:
    contest = arena(PERUDO, ["random", "greedy", "threshold"], seed=4, duplicate=True)
    alone = play_deal(contest, 3)
    again = played(arena(PERUDO, ["random", "greedy", "threshold"], seed=4, duplicate=True), 4)[3]
    assert without_clock(alone) == without_clock(again)
    assert without_clock(alone) != without_clock(play_deal(msgspec.structs.replace(contest, seed=5), 3))


# places


def test_places_are_those_of_going_out_and_the_winner_is_first() -> None:
    for seed in range(5):
        match = Match(PERUDO, ["Ann", "Bo", "Cy", "Di"], Dealer(seed))
        referee = Referee(match, {seat: make_bot("threshold", seat) for seat in range(4)})
        while referee.step() is not None:
            pass
        out = [event.seat for event in match.events if isinstance(event, Eliminated)]
        came = places(match.events, match.state)
        assert [came.index(place) for place in (4, 3, 2)] == out
        assert came[match.state.winners[0]] == 1


def test_who_survives_the_last_round_with_fewer_dice_comes_in_behind() -> None:
    rules = patched(preset("basic").ruleset, guards__max_rounds=2)
    match = Match(rules, ["Ann", "Bo", "Cy"], Dealer(1))
    referee = Referee(match, {seat: make_bot("threshold") for seat in range(3)})
    while referee.step() is not None:
        pass
    came, dice = places(match.events, match.state), match.state.dice
    assert sorted(came, key=lambda place: place) == sorted(1 + sum(more > one for more in dice) for one in dice)


def test_shared_places_are_divided() -> None:
    assert shares((1, 1, 3), 0) == (0.5, 0.5, 0.0)
    assert shares((1, 1, 3), 2) == (0.0, 0.0, 1.0)


# intervals


def test_intervals_hold_the_true_share_about_19_times_in_20() -> None:
    draw = np.random.default_rng(3)
    held = 0
    for _ in range(100):
        luck = draw.random((80, 1)) < 0.5  # half of the deals are good for the first bot, whatever its seat
        wins = draw.binomial(4, np.where(luck, 0.9, 0.3)).astype(float)
        low, high = intervals(np.hstack([wins, 4 - wins]), np.full((80, 2), 4.0))[0]
        held += low <= 0.6 <= high
    assert 88 <= held <= 99


def test_a_bot_that_won_everything_or_nothing_has_an_interval_of_its_own() -> None:
    wins = np.array([[2.0, 0.0, 0.0]] * 20)
    first, second, third = intervals(wins, np.array([[2.0, 2.0, 0.0]] * 20))
    assert first[0] < 0.9
    assert first[1] == 1
    assert second[1] > 0.1
    assert third == (0, 1)


# misplays and times


def test_misplays_are_counted_for_the_bot_that_made_them_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Lost:
        def act(self, _: object) -> None:
            return None

    make = make_bot
    monkeypatch.setattr(
        "liarsdice.analysis.arena.any_bot",
        lambda spec, seed=None: Lost() if spec == "greedy" else make(spec, seed),
    )
    contest = arena(PERUDO, ["inference", "greedy"], seed=1, duplicate=True)
    found = summary(contest, played(contest, 3))
    assert found.standings[0].faults == 0
    assert found.standings[1].faults >= 3 * 2 * 5
    assert found.standings[1].win_share == 0
    assert len(found.told) == 9
    assert "deal 1, match 1: greedy misplayed in round 1: it gave no answer on its turn" in found.told[0]


def test_times_are_kept_within_a_twentieth() -> None:
    source = random.Random(1)
    times_us = sorted(source.lognormvariate(5, 2) for _ in range(5_000))
    sizes = Counter(map(size_of, times_us))
    for share in (0.1, 0.5, 0.99):
        exact_ms = times_us[int(share * 5_000) - 1] / 1_000
        assert quantile_ms(sizes, share) == pytest.approx(exact_ms, rel=0.06)
    assert quantile_ms({}, 0.5) is None


def test_every_decision_is_timed() -> None:
    contest = arena(PERUDO, ["random", "threshold"], seed=1)
    found = summary(contest, played(contest, 4))
    for one in found.standings:
        assert one.decisions > 10
        assert one.median_ms is not None
        assert one.p99_ms is not None
        assert 0 < one.median_ms <= one.p99_ms
