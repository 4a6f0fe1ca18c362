"""The ends of rounds in many matches side by side."""

from __future__ import annotations

from liarsdice.bots.simple.bid_odds import BID_CREDIT
from liarsdice.core.rules.presets import preset
from liarsdice.sim import array_schema as schema
from liarsdice.sim.policies import ThresholdPolicy
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.values.playouts import compiled_for, round_ends

INFERENCE = ThresholdPolicy(0.4, BID_CREDIT)
PERUDO = preset("perudo").ruleset


def test_ends_say_what_matters_under_the_rules_and_nothing_else() -> None:
    env = VectorEnv(compiled_for(PERUDO, (5, 5, 5)), 200, seed=4)
    env.advance((INFERENCE,), last_round=6)
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
    env.advance((INFERENCE,))
    ends, places = round_ends(env)
    assert {end.winners for end in ends} == {(True, False), (False, True)}
    assert sorted(set(places.tolist())) == [0, 1]
