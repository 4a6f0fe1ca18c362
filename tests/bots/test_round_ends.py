"""What the end of a round is worth."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.bots.round_end import RoundEnd
from liarsdice.bots.round_ends import POLICY, RoundEndValues, compiled_for, round_ends
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.sim import array_schema as schema
from liarsdice.sim.rollouts import play_matches
from liarsdice.sim.vector_env import VectorEnv

PERUDO = preset("perudo").ruleset


def end_of(dice: tuple[int, ...], starter: int = 0) -> RoundEnd:
    seats = len(dice)
    return RoundEnd(dice, starter, -1, 1, (0,) * seats, (False,) * seats, 0, None)


def test_the_end_of_a_match_is_worth_equal_parts_to_its_winners() -> None:
    over = end_of((0, 1, 1))._replace(winners=(False, True, True))
    assert RoundEndValues(PERUDO, 10).shares([over]).tolist() == [[0.0, 0.5, 0.5]]


def test_the_start_of_a_match_is_worth_what_whole_matches_say() -> None:
    shares = RoundEndValues(PERUDO, 4000).shares([end_of((5, 5, 5), starter) for starter in range(3)])
    whole = play_matches(PERUDO, 3, 4000, seed=3, policies=(POLICY,)).won.mean(axis=0)
    assert shares.sum(axis=1) == pytest.approx(1)
    assert shares.mean(axis=0) == pytest.approx(whole, abs=5 * np.sqrt(0.25 / 4000))


def test_more_dice_are_worth_more_and_the_same_end_always_the_same() -> None:
    values = RoundEndValues(PERUDO, 500)
    ends = [end_of((5, 1)), end_of((3, 3)), end_of((1, 5)), end_of((5, 1))]
    shares = values.shares(ends)[:, 0]
    assert shares[0] > shares[1] > shares[2]
    assert shares[3] == shares[0]


def test_a_seat_may_hold_more_dice_than_at_the_start() -> None:
    rules = patched(PERUDO, loss__destination="opponent", exact_call=None)
    assert compiled_for(rules, (7, 3)).dice == (7, 5)
    assert RoundEndValues(rules, 500).shares([end_of((7, 3))])[0, 0] > 0.5


def test_ends_say_what_matters_under_the_rules_and_nothing_else() -> None:
    env = VectorEnv(compiled_for(PERUDO, (5, 5, 5)), 200, seed=4)
    env.advance((POLICY,), last_round=6)
    env.deal()
    found, places = round_ends(env)
    ends = [found[place] for place in places]
    assert len(set(found)) == len(found) < len(ends)
    assert all(end.exact_calls == (0, 0, 0) for end in ends)  # exact calls are not limited
    assert all(end.round_number == 0 for end in ends)  # nor are rounds
    special = [(end, row) for row, end in enumerate(ends) if end.winners is None and end.special_seat >= 0]
    assert special
    for end, row in special:
        assert end.starter == end.special_seat
        assert not end.had_special[end.special_seat]  # not before the round that begins
        assert env.seat_field(schema.HAD_SPECIAL)[row, end.special_seat] == 1


def test_matches_that_are_over_have_one_end_for_each_set_of_winners() -> None:
    env = VectorEnv(compiled_for(PERUDO, (5, 5)), 50, seed=4)
    env.advance((POLICY,))
    ends, places = round_ends(env)
    assert {end.winners for end in ends} == {(True, False), (False, True)}
    assert sorted(set(places.tolist())) == [0, 1]
