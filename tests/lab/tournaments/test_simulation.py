"""Simulations: fair seats, intervals as published, and the same figures from the same seed."""

from collections import Counter

import pytest

from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice_lab.tournaments.simulation import (
    BotScore,
    Simulation,
    SimulationResult,
    bot_labels,
    make_simulation,
)

PERUDO = preset("perudo").ruleset


def simulate(simulation: Simulation, matches: int) -> SimulationResult:
    result = simulation.empty_result()
    for number in range(matches):
        result += simulation.play(number)
    return result


def test_every_bot_sits_in_every_seat_equally_often() -> None:
    simulation = make_simulation(PERUDO, ["random"], seats=5, seed=3)
    seats_of_bots = Counter((seat, bot) for number in range(50) for seat, bot in enumerate(simulation.seating(number)))
    assert len(seats_of_bots) == 25
    assert set(seats_of_bots.values()) == {10}


def test_neighbours_change() -> None:
    simulation = make_simulation(PERUDO, ["random"], seats=5, seed=3)
    left_of_first = Counter(
        order[(order.index(0) + 1) % 5] for order in (simulation.seating(number) for number in range(500))
    )
    assert len(left_of_first) == 4
    assert min(left_of_first.values()) > 60


def test_bots_are_repeated_until_the_table_is_full() -> None:
    assert make_simulation(PERUDO, ["greedy", "random"], seats=5).bots == (
        "greedy",
        "random",
        "greedy",
        "random",
        "greedy",
    )
    assert make_simulation(PERUDO, ["greedy", "random", "greedy"]).bots == ("greedy", "random", "greedy")
    assert make_simulation(PERUDO, ["greedy"]).bots == ("greedy", "greedy")


def test_a_simulation_that_cannot_be_played_is_refused() -> None:
    with pytest.raises(MalformedError, match="needs at least one bot"):
        make_simulation(PERUDO, [])
    with pytest.raises(MalformedError, match="3 bots do not fit in 2 seats"):
        make_simulation(PERUDO, ["random"] * 3, seats=2)
    with pytest.raises(MalformedError, match="seats 2 to 5 players, not 6"):
        make_simulation(patched(PERUDO, players__max=5), ["random"], seats=6)
    with pytest.raises(MalformedError, match="at most 100 seats, not 1000000000000"):
        make_simulation(PERUDO, ["random"], seats=10**12)
    with pytest.raises(UnavailableError, match="no bot is called 'nobody'"):
        make_simulation(PERUDO, ["random", "nobody"])


def test_a_bot_named_twice_is_numbered() -> None:
    assert bot_labels(["threshold:0.4", "threshold:0.4", "threshold:0.3"]) == (
        "threshold:0.4 #1",
        "threshold:0.4 #2",
        "threshold:0.3",
    )


def test_the_same_seed_gives_the_same_figures_and_another_seed_others() -> None:
    simulation = make_simulation(PERUDO, ["random", "greedy", "inference"], seed=1)
    assert simulate(simulation, 6) == simulate(make_simulation(PERUDO, ["random", "greedy", "inference"], seed=1), 6)
    assert simulate(simulation, 6) != simulate(make_simulation(PERUDO, ["random", "greedy", "inference"], seed=2), 6)


def test_a_match_depends_on_its_number_and_not_on_those_before() -> None:
    simulation = make_simulation(PERUDO, ["random", "threshold"], seed=1)
    result = simulation.play(3)
    simulate(simulation, 3)
    assert simulation.play(3) == result


def test_wins_add_up_to_matches_and_calls_to_rounds() -> None:
    result = simulate(make_simulation(PERUDO, ["random", "greedy", "inference", "threshold"], seed=1), 20)
    assert sum(score.wins for score in result.scores) == result.matches == 20
    assert sum(score.calls + score.exact_calls for score in result.scores) == result.rounds
    for score in result.scores:
        assert score.matches == 20
        assert 0 <= score.calls_right <= score.calls <= score.decisions
        assert score.exact_calls_right <= score.exact_calls
        assert score.faults == 0


def test_a_shared_match_is_shared_among_its_winners() -> None:
    # One round of this game ends the match: everybody with the most dice wins, all but the loser.
    result = make_simulation(preset("openspiel").ruleset, ["threshold"], seats=4, seed=1).play(0)
    assert sorted(score.wins for score in result.scores) == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3])


@pytest.mark.parametrize("bot", ["threshold:0.4", "inference"])
def test_a_bot_that_knows_the_odds_beats_the_random_bot(bot: str) -> None:
    score = simulate(make_simulation(PERUDO, [bot, "random"], seed=1), 200).scores[0]
    assert score.win_share > 0.9


def test_inference_beats_threshold() -> None:
    score = simulate(make_simulation(PERUDO, ["inference", "threshold:0.4"], seed=1), 300).scores[0]
    assert score.win_share_95[0] > 0.55


def test_without_matches_the_win_share_is_0() -> None:
    assert BotScore().win_share == 0.0
