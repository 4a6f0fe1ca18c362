"""Rounds and matches in bulk: reproducible from a seed, fair, and distributed as exact probabilities say."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import sqrt

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from liarsdice.core.engine.engine import decide, evolve, evolve_all, legal, start
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.errors import MalformedError
from liarsdice.core.events import RoundStarted
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.sim import array_schema as schema
from liarsdice.sim import rollouts
from liarsdice.sim.policies import ThresholdPolicy, UniformPolicy
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.solve.round_game import with_faces


def same(one: msgspec.Struct, other: msgspec.Struct) -> bool:
    return all((getattr(one, name) == getattr(other, name)).all() for name in one.__struct_fields__)


@pytest.mark.parametrize("name", ["perudo", "official", "openspiel"])
def test_results_do_not_depend_on_the_number_of_threads(name: str) -> None:
    rules = preset(name).ruleset
    first = rollouts.play_matches(rules, 3, 2_500, seed=9)
    assert same(first, rollouts.play_matches(rules, 3, 2_500, seed=9, threads=2))
    assert same(
        rollouts.play_rounds(rules, (5, 5), 2_500, seed=9),
        rollouts.play_rounds(rules, (5, 5), 2_500, seed=9, threads=3),
    )
    assert not same(first, rollouts.play_matches(rules, 3, 2_500, seed=10))


def test_more_matches_of_a_seed_begin_with_the_same_ones() -> None:
    rules = preset("perudo").ruleset
    few, many = rollouts.play_matches(rules, 4, 10, seed=1), rollouts.play_matches(rules, 4, 3_000, seed=1, threads=2)
    assert (few.won == many.won[:10]).all()


def ways(state: State, chance: Fraction) -> Iterator[tuple[Fraction, State, int]]:
    """Every way in which a round of random play ends, how likely it is, and who lost a die."""
    moves = legal(state).moves(state.turn)
    for move in moves:
        after = evolve_all(state, decide(state, state.turn, move))
        if after.phase is Phase.BIDDING:
            yield from ways(after, chance / len(moves))
        else:
            yield chance / len(moves), after, len(state.bids) + 1


def exact_ends(rules: Ruleset, dice: tuple[int, int]) -> dict[tuple[tuple[int, ...], int], Fraction]:
    """How likely a round ends with these dice after so many actions, over all deals and all ways to play."""
    ends: dict[tuple[tuple[int, ...], int], Fraction] = defaultdict(Fraction)
    faces = range(1, rules.dice.faces + 1)
    table = msgspec.structs.replace(start(rules, ("Ann", "Bo")), dice=dice)
    table = evolve(table, RoundStarted(1, 0, dice, rules.turn.direction))
    for roll in product(faces, repeat=sum(dice)):
        hands = (roll[: dice[0]], roll[dice[0] :])
        state = msgspec.structs.replace(table, hands=hands, phase=Phase.BIDDING)
        for chance, after, actions in ways(state, Fraction(1, rules.dice.faces ** sum(dice))):
            ends[after.dice, actions] += chance
    return ends


@pytest.mark.parametrize(
    "name, dice",
    [
        ("openspiel", (1, 1)),
        ("chart", (1, 1)),
        ("perudo", (2, 1)),
        ("red-dead", (1, 2)),
        ("snyd-joker+winner-sheds", (1, 2)),
        ("snyd-joker", (2, 1)),
    ],
)
def test_random_rounds_end_in_each_way_as_often_as_exact_probabilities_say(name: str, dice: tuple[int, int]) -> None:
    rules, count = with_faces(preset(name).ruleset, 3), 200_000
    results = rollouts.play_rounds(rules, dice, count, seed=11)
    seen = Counter(zip(map(tuple, results.dice.tolist()), results.actions.tolist(), strict=True))
    exact = exact_ends(rules, dice)
    assert sum(exact.values()) == 1
    assert seen.keys() <= exact.keys()
    for end, p in exact.items():
        spread = sqrt(float(p * (1 - p)) * count)
        assert abs(seen[end] - float(p) * count) <= 4.5 * spread + 1, end


def test_every_seat_wins_equally_often_with_equal_policies() -> None:
    results = rollouts.play_matches(preset("perudo").ruleset, 6, 12_000, seed=2)
    assert np.abs(results.won.sum(axis=0) - 2_000).max() < 4.5 * sqrt(12_000 * 5 / 36)


def test_places_rank_seats_by_when_they_went_out() -> None:
    results = rollouts.play_matches(preset("basic").ruleset, 5, 500, seed=8)
    assert (np.sort(results.place, axis=1) == np.arange(1, 6)).all()
    assert ((results.place == 1) == results.won).all()


@pytest.mark.parametrize("option", ["winner-sheds", "all-but-loser"])
def test_places_rank_seats_by_when_they_were_safe(option: str) -> None:
    results = rollouts.play_matches(patched(preset(f"snyd+{option}").ruleset, dice__per_player=2), 4, 500, seed=8)
    assert ((results.place == 1) == results.won).all()
    assert ((results.place == results.place.max(axis=1, keepdims=True)).sum(axis=1) == 1).all()  # with the last dice
    assert (results.won.sum(axis=1) > 1).any() == (option == "all-but-loser")


def test_players_who_go_out_together_share_a_place() -> None:
    results = rollouts.play_matches(patched(preset("bluff").ruleset, dice__per_player=1), 5, 500, seed=8)
    assert ((results.place == 1) == results.won).all()
    better = (results.place[:, None, :] < results.place[:, :, None]).sum(axis=2)
    assert (results.place == 1 + better).all()
    assert (np.sort(results.place, axis=1) != np.arange(1, 6)).any()


def test_a_policy_in_python_is_called_for_its_matches_and_the_others_play_on() -> None:
    asked: list[int] = []

    def lowest(env: VectorEnv, matches: NDArray[np.intp]) -> NDArray[np.intp]:
        asked.append(len(matches))
        assert set(env.turn[matches].tolist()) == {0}
        calls = env.action_mask()[matches, schema.CHALLENGE]
        return np.where(calls, schema.CHALLENGE, env.action_mask()[matches].argmax(axis=1))

    results = rollouts.play_matches(
        preset("perudo").ruleset, 3, 1_500, seed=6, threads=2, policies=(lowest, ThresholdPolicy(0.4), UniformPolicy())
    )
    assert results.won.sum() == 1_500
    assert max(asked) == rollouts.BATCH_SIZE
    assert results.won[:, 1].mean() > 0.99


@pytest.mark.parametrize("count, seed, threads", [(1, -1, 1), (1, 0, 0), (-1, 0, 1), (1, 2**63, 1)])
def test_counts_seeds_and_threads_out_of_range_are_refused(count: int, seed: int, threads: int) -> None:
    with pytest.raises(MalformedError, match="wanted a count, a seed"):
        rollouts.play_rounds(preset("basic").ruleset, (2, 2), count, seed=seed, threads=threads)


@pytest.mark.parametrize("starter, special", [(3, None), (-1, None), (1, None), (0, 1)])
def test_a_round_is_opened_by_a_seat_with_dice(starter: int, special: int | None) -> None:
    with pytest.raises(MalformedError, match="opened by a seat with dice"):
        rollouts.play_rounds(preset("classic+palifico").ruleset, (2, 0, 1), 1, starter=starter, special=special)


def test_no_matches_at_all_are_played_at_once() -> None:
    assert rollouts.play_matches(preset("basic").ruleset, 2, 0).won.shape == (0, 2)
