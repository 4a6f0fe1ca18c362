"""Matches solved from the end, against rounds whose linear programs are solved from the end."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from random import Random
from typing import cast

import msgspec
import pytest

from liarsdice.core.actions import AnswerDouble, Challenge, Deal
from liarsdice.core.engine.engine import decide, evolve_all, start
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import view
from liarsdice.core.errors import MalformedError, NotationError, UnavailableError
from liarsdice.core.events import StarterFound
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, Repeat, ShedBy, StarterMethod
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import ExactCall, SpecialRound
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.cfr.solver import Solver, solve
from liarsdice.solve.match_solver import (
    MatchSolver,
    SolveJob,
    SolveResult,
    ValueInterval,
    check_match_memory,
    make_match_plan,
    solve_many,
)
from liarsdice.solve.round_game import (
    RoundStart,
    make_round_game,
    of_round,
    round_start_of,
    state_before_bids,
    with_faces,
)
from liarsdice.solve.round_solver import DEFAULT_TARGET, solve_round
from liarsdice.solve.strategy.action_values import safe_answer
from liarsdice.solve.strategy.average_strategy import quantized
from liarsdice.solve.strategy.strategy import Strategy, iter_information_sets
from liarsdice.solve.strategy.strategy_file import StrategySet, read_strategies, write_strategies
from tests.solve.sequence_form import CLOSE, SequenceForm, deals, match_value
from tests.solve.solved_rounds import make_tree

ONCE = Repeat.ONCE_PER_PLAYER


def rules_of(name: str, faces: int, dice: int) -> Ruleset:
    return patched(with_faces(preset(name).ruleset, faces), dice__per_player=dice)


def solve_match(rules: Ruleset, round_start: RoundStart, target: float) -> ValueInterval:
    return MatchSolver(make_match_plan(rules, round_start), Method.DCFR, target).run()


@pytest.mark.parametrize("name", ["perudo", "basic", "snyd", "snyd-joker", "mustache", "chui-niu", "pirates"])
@pytest.mark.parametrize("dice, faces", [((2, 1), 2), ((1, 2), 3)])
def test_the_value_of_a_match_is_that_of_linear_programs_from_its_end(
    name: str, dice: tuple[int, int], faces: int
) -> None:
    rules, round_start = rules_of(name, faces, max(dice)), RoundStart(dice)
    low, high = solve_match(rules, round_start, 1e-3)
    assert high - low <= 2.1e-3
    assert low - 1e-7 <= match_value(rules, round_start) <= high + 1e-7


@pytest.mark.parametrize("shed_by", ShedBy)
def test_where_players_shed_a_match_is_won_with_fewer_dice(shed_by: ShedBy) -> None:
    rules = patched(rules_of("snyd-joker", 3, 2), loss__shed_by=shed_by)
    for dice, expected in {(1, 1): 1 / 3, (1, 2): match_value(rules, RoundStart((1, 2)))}.items():
        low, high = solve_match(rules, RoundStart(dice), 1e-3)
        assert low - 1e-7 <= expected <= high + 1e-7
        assert low > 0
    assert solve_match(rules, RoundStart((2, 1)), 1e-3).high < 0


@pytest.mark.parametrize("shed_by", ShedBy)
@pytest.mark.parametrize("name", ["snyd", "snyd-joker"])
def test_where_players_shed_matches_follow_from_the_values_of_single_rounds(shed_by: ShedBy, name: str) -> None:
    """Whoever wins with one die is safe; else the winner has one die less, and the loser opens the next round."""
    rules = patched(rules_of(name, 2, 2), loss__shed_by=shed_by)
    one, few, many, both = (SequenceForm(rules, RoundStart(dice)).value() for dice in ((1, 1), (1, 2), (2, 1), (2, 2)))
    against_more = (1 + few) / 2 + (1 - few) / 2 * one
    against_fewer = (1 + many) / 2 * -one - (1 - many) / 2
    by_hand = {(1, 1): one, (1, 2): against_more, (2, 1): against_fewer, (2, 2): -both * against_fewer}
    for dice, expected in by_hand.items():
        low, high = solve_match(rules, RoundStart(dice), 1e-3)
        assert low - 1e-6 <= expected <= high + 1e-6, dice


@pytest.mark.parametrize(
    "exact_call, special_round",
    [
        (ExactCall(), None),
        (ExactCall(success_gain=0, others_loss=1, gain_cap=None), None),
        (ExactCall(budget=1), None),
        (None, SpecialRound(repeat=ONCE)),
        (ExactCall(), SpecialRound(face_locked=False)),
    ],
)
def test_rounds_that_lead_back_to_each_other_are_solved_in_turns(
    exact_call: ExactCall | None, special_round: SpecialRound | None
) -> None:
    plain = rules_of("basic", 2, 2)
    rules = patched(plain, exact_call=exact_call, special_round=special_round, guards__max_rounds=1000)
    round_start = RoundStart((2, 1))
    low, high = solve_match(rules, round_start, 2e-3)
    assert high - low <= 4.1e-3
    assert low - 10 * CLOSE <= match_value(rules, round_start) <= high + 10 * CLOSE


@pytest.mark.parametrize("name", ["mustache", "chui-niu", "classic+palifico+calza"])
def test_a_player_who_follows_the_strategies_wins_as_often_as_the_bounds_say(name: str) -> None:
    rules, round_start = rules_of(name, 3, 2), RoundStart((2, 1))
    solver = MatchSolver(make_match_plan(rules, round_start), Method.DCFR, 4e-3)
    low, high = solver.run()
    known = StrategySet(rules, True, tuple(solver.strategies.values()))
    rng, matches = Random(1), 1_000
    won = sum(_play_match(rules, known, rng) for _ in range(matches)) / matches
    assert low - 4 / matches**0.5 <= won <= high + 4 / matches**0.5


def _play_match(rules: Ruleset, known: StrategySet, rng: Random) -> int:
    """Whether seat 2 wins a match (1) or loses it (-1), which it opens with two dice against the one of seat 0."""
    state = msgspec.structs.replace(start(rules, ("Ann", "Bo", "Cy")), dice=(1, 0, 2))
    state = evolve_all(state, [StarterFound(2, StarterMethod.CHOSEN)])
    while state.phase is not Phase.OVER:
        if state.phase is Phase.DEAL:
            hands = tuple(tuple(rng.choices(range(1, 4), k=count)) for count in state.dice)
            state = evolve_all(state, decide(state, None, Deal(hands)))
        else:
            action_probs = known.policy(view(state, state.turn))
            (action,) = rng.choices(list(action_probs), list(action_probs.values()))
            state = evolve_all(state, decide(state, state.turn, action))
    return 1 if 2 in state.winners else -1


def test_known_strategies_are_not_solved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = make_match_plan(rules_of("perudo", 3, 2), RoundStart((2, 2)))
    solved: list[Strategy] = []
    value = MatchSolver(plan, Method.DCFR, 1e-3).run(solved.append)
    assert [strategy.start for strategy in solved] == [group[0] for group in plan.groups]
    monkeypatch.setattr("liarsdice.solve.match_solver.solve", None)
    assert MatchSolver(plan, Method.DCFR, 1e-3, known=solved).run() == value
    with pytest.raises(TypeError):
        MatchSolver(plan, Method.DCFR, 1e-4, known=solved).run()


def test_the_value_of_a_match_depends_on_who_opens_and_not_on_seats() -> None:
    rules = rules_of("snyd-joker", 3, 2)
    low, high = solve_match(rules, RoundStart((2, 1)), 1e-3)
    assert solve_match(rules, RoundStart((1, 2), starter=1), 1e-3) == (low, high)
    assert RoundStart((1, 2), 1, 0, (1,), (0, 1)).mirrored() == RoundStart((2, 1), 0, 1, (0,), (1, 0))


def test_a_match_that_cannot_be_solved_is_refused_with_the_reason() -> None:
    with pytest.raises(UnavailableError, match="grows like a factorial"):
        make_match_plan(rules_of("official", 6, 1), RoundStart((1, 1)))
    with pytest.raises(MalformedError, match="two players with dice"):
        make_match_plan(rules_of("basic", 6, 1), RoundStart((1, 0)))
    calza = patched(rules_of("basic", 6, 3), exact_call=ExactCall(), guards__max_rounds=9)
    with pytest.raises(UnavailableError, match=r"a match of 3v1 may come to 3v3: 3v3 needs .* GiB .*fits"):
        check_match_memory(make_match_plan(calza, RoundStart((3, 1))), Method.DCFR, free=2**30)
    grows = patched(calza, exact_call__gain_cap=None)
    with pytest.raises(UnavailableError, match="lets hands grow without end"):
        make_match_plan(grows, RoundStart((1, 1)))


TARGET = 2e-3
PATIENCE_S = 120


def make_job(
    name: str, dice: tuple[int, int], *, faces: int = 3, match: bool = False, target: float = TARGET
) -> SolveJob:
    rules = with_faces(preset(name).ruleset, faces)
    return SolveJob(f"{name}-{dice[0]}-{dice[1]}", rules, RoundStart(dice), match, Method.DCFR, target)


JOBS = (make_job("perudo", (1, 1)), make_job("official", (1, 1)), make_job("snyd", (2, 1), match=True))


def results_by_name(results: Iterator[SolveResult]) -> dict[str, SolveResult]:
    return {result.job.name: result for result in results}


def test_games_are_solved_by_processes_and_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = results_by_name(solve_many(JOBS, tmp_path, "0", workers=2))
    assert found.keys() == {job.name for job in JOBS}
    assert "grows like a factorial" in found["official-1-1"].refusal
    for name in ("perudo-1-1", "snyd-2-1"):
        strategy = found[name].strategy
        assert strategy is not None
        assert strategy.bounds.exploitability <= 1.01 * TARGET
    strategies = found["snyd-2-1"].strategies
    assert strategies is not None
    assert [str(one.start) for one in strategies.strategies] == ["1v1", "2v1"]
    monkeypatch.setattr("liarsdice.solve.match_solver.run_job", None)  # nothing is left to do
    again = results_by_name(solve_many((JOBS[0], JOBS[2]), tmp_path, "0"))
    assert {name: result.strategy and result.strategy.bounds for name, result in again.items()} == {
        name: result.strategy and result.strategy.bounds for name, result in found.items() if not result.refusal
    }


def test_a_damaged_or_inexact_file_is_solved_again(tmp_path: Path) -> None:
    first = JOBS[0]
    file = tmp_path / "perudo-1-1.lds"
    assert results_by_name(solve_many([first], tmp_path, "0"))["perudo-1-1"].strategies
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])
    assert results_by_name(solve_many([first], tmp_path, "0"))["perudo-1-1"].strategies
    assert file.read_bytes() == whole
    nearer = results_by_name(solve_many([make_job("perudo", (1, 1), target=1e-4)], tmp_path, "0"))[
        "perudo-1-1"
    ].strategy
    assert nearer is not None
    assert nearer.bounds.exploitability <= 1.01e-4


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UnavailableError, match="cannot write to"):
        list(solve_many(JOBS, tmp_path / "file", "0"))


QUICK_AND_ENDLESS = (make_job("perudo", (1, 1)), make_job("perudo", (2, 1), faces=6, target=1e-12))


def test_workers_end_when_results_are_no_longer_awaited(tmp_path: Path) -> None:
    other_children = set(multiprocessing.active_children())
    results = solve_many(QUICK_AND_ENDLESS, tmp_path, "0", workers=2)
    assert next(results).strategies
    assert set(multiprocessing.active_children()) > other_children
    with pytest.raises(KeyboardInterrupt):
        cast("Generator[SolveResult]", results).throw(KeyboardInterrupt)
    assert set(multiprocessing.active_children()) <= other_children


def test_a_process_that_is_killed_is_reported(tmp_path: Path) -> None:
    other_children = set(multiprocessing.active_children())
    results = solve_many(QUICK_AND_ENDLESS, tmp_path, "0", workers=2)
    assert next(results).strategies
    for process in set(multiprocessing.active_children()) - other_children:
        process.kill()
    with pytest.raises(UnavailableError, match="was killed, perhaps because memory ran out"):
        next(results)


def test_a_killed_run_goes_on_from_the_last_finished_game(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "liarsdice", "solve", "table", "--rules", "perudo", "--up-to", "4", "--faces", "3"]
    words += ["--jobs", "1", "--target", "0.001", "-o", str(tmp_path)]
    running = subprocess.Popen(words, start_new_session=True)
    until_s = time.monotonic() + PATIENCE_S
    while not _finished_files(tmp_path):
        assert running.poll() is None
        assert time.monotonic() < until_s
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    finished = _finished_files(tmp_path)
    assert 1 <= len(finished) < 6
    lines = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()
    assert [line.split()[1] for line in lines[1:]] == ["1v1", "2v1", "1v2", "3v1", "2v2", "1v3"]
    assert all("to" in line for line in lines[1:])
    after = _finished_files(tmp_path)
    assert len(after) == 6
    assert finished.items() <= after.items()


def _finished_files(folder: Path) -> dict[str, int]:
    """The strategy files and when they were written, in ns; a killed process may leave a part of one beside them."""
    return {file.name: file.stat().st_mtime_ns for file in folder.glob("*.lds") if ".part." not in file.name}


ONE_EACH = (1, 1)
PI, COUNTER_PI = "chui-niu+pi", "chui-niu+counter-pi"


def round_rules(name: str, faces: int) -> Ruleset:
    return of_round(find_rules(name), ONE_EACH, faces)


@pytest.mark.parametrize("name", ["chui-niu+lives", PI, COUNTER_PI, "bar-strict"])
@pytest.mark.parametrize("faces", [2, 3])
def test_a_round_is_worth_what_a_linear_program_says(name: str, faces: int) -> None:
    rules = round_rules(name, faces)
    low, high = solve_round(rules, ONE_EACH, target=1e-4).bounds[2:]
    assert high - low <= 2.1e-4
    assert low - 1e-7 <= SequenceForm(rules, RoundStart(ONE_EACH)).value() <= high + 1e-7


def test_hands_that_are_rolled_again_are_not_dealt() -> None:
    rules = patched(find_rules("chui-niu+reroll-different"), dice={"per_player": 2, "faces": 2})
    game = make_round_game(rules, RoundStart((2, 1)))
    assert game.hands == (((1, 1), (2, 2)), ((1,), (2,)))
    assert [probs.tolist() for probs in game.hand_probs] == [[0.5, 0.5], [0.5, 0.5]]
    low, high = solve_round(rules, (2, 1), target=1e-4).bounds[2:]
    assert low - 1e-7 <= SequenceForm(rules, RoundStart((2, 1))).value() <= high + 1e-7


@pytest.mark.parametrize("name", ["chui-niu+lives", "bar-strict"])
def test_a_match_for_lives_is_worth_what_linear_programs_from_its_end_say(name: str) -> None:
    rules = patched(round_rules(name, 2), loss__lives=3)
    solver = MatchSolver(make_match_plan(rules, RoundStart(ONE_EACH)), Method.DCFR, 1e-3)
    low, high = solver.run()
    assert high - low <= 2.1e-3
    assert low - 1e-7 <= match_value(rules, RoundStart(ONE_EACH)) <= high + 1e-7
    assert {strategy.start.lives for strategy in solver.strategies.values()} >= {(3, 3), (1, 3), (1, 1)}


def test_the_value_counts_stakes_where_they_are_doubled() -> None:
    """With one life each nothing is left to double; with three a doubled call is worth two."""
    for lives, most in ((1, 1.0), (3, 3.0)):
        rules = patched(round_rules("bar-strict", 2), loss__lives=lives)
        low, high = (float(end(solve_round(rules, target=1e-3).tree.outcome_values)) for end in (min, max))
        assert (low, high) == (-most, most)


def expected_value(state: State, strategy: Strategy) -> float:
    """What a state of a round is worth to seat 0 in lost stakes, if both players follow the strategy."""
    if state.phase is not Phase.BIDDING:
        return state.stakes[0] - state.stakes[1]
    value = 0.0
    for action, p in strategy.policy(view(state, state.turn)).items():
        value += p * expected_value(evolve_all(state, decide(state, state.turn, action)), strategy)
    return value


@pytest.mark.parametrize("name", ["chui-niu+lives", PI, COUNTER_PI, "bar-strict"])
def test_strategies_that_the_engine_plays_out_win_the_value(name: str) -> None:
    rules = round_rules(name, 3)
    strategy = solve_round(rules, ONE_EACH, target=1e-4)
    state = state_before_bids(strategy.tree.game.rules, RoundStart(ONE_EACH))
    value = sum(
        p * expected_value(msgspec.structs.replace(state, hands=hands), strategy) for hands, p in deals(rules, ONE_EACH)
    )
    assert strategy.bounds.low - 1e-7 <= value <= strategy.bounds.high + 1e-7


def test_answers_follow_the_bids_as_text_and_from_a_view() -> None:
    strategy = solve_round(COUNTER_PI, faces=3)
    answers = strategy.action_probs((1,), ["2x2", "double"])
    assert set(answers) <= {AnswerDouble(answer) for answer in Answer}
    redoubled = strategy.action_probs((1,), ["2x2", "double", "redouble"])
    assert set(redoubled) <= {AnswerDouble(Answer.ACCEPT), AnswerDouble(Answer.FOLD)}
    paths = {node.bids for node in iter_information_sets(strategy)}
    assert any(path and path[-1] == Challenge(double=True) for path in paths)
    with pytest.raises(NotationError, match="'liar' ends a round"):
        strategy.action_probs((1,), ["2x2", "liar"])


def test_what_a_strategy_leaves_out_is_answered_safely() -> None:
    strategy = solve_round(COUNTER_PI, faces=3)
    bid = strategy.tree.game.situations[0].raises[0][0]
    assert set(safe_answer(strategy, (2,), [bid, Challenge(double=True)]).values()) == {1.0}


def test_a_file_holds_the_rounds_of_a_match_for_lives(tmp_path: Path) -> None:
    rules = patched(round_rules("chui-niu+lives", 2), loss__lives=2)
    solver = MatchSolver(make_match_plan(rules, RoundStart(ONE_EACH)), Method.DCFR, 1e-3)
    solver.run()
    file = tmp_path / "lives.lds"
    strategies = tuple(quantized(strategy) for strategy in solver.strategies.values())
    write_strategies(file, StrategySet(rules, True, strategies), "0")
    again = read_strategies(file)
    assert {strategy.start for strategy in again.strategies} == set(solver.plan.rounds)
    state = state_before_bids(rules, RoundStart(ONE_EACH, lives=(1, 2)))
    shown = view(msgspec.structs.replace(state, hands=((1,), (2,))), 0)
    assert round_start_of(shown).lives == (1, 2)
    assert again.policy(shown) == again.strategy(RoundStart(ONE_EACH, lives=(1, 2))).action_probs((1,))


def test_lives_and_dice_that_cannot_be_are_refused() -> None:
    rules = round_rules("chui-niu+lives", 3)
    with pytest.raises(MalformedError, match="everybody keeps all dice, 1 each"):
        make_round_game(rules, RoundStart((2, 1)))
    with pytest.raises(MalformedError, match="two players with dice"):
        make_round_game(rules, RoundStart(ONE_EACH, lives=(0, 1)))
    with pytest.raises(UnavailableError, match="choose a number of lives"):
        make_match_plan(round_rules("bar-strict", 2), RoundStart(ONE_EACH))


RULES = patched(preset("openspiel").ruleset, dice__faces=3, dice__special_face=3)


@pytest.mark.parametrize("method", list(Method))
def test_a_round_is_solved_to_the_default_target(method: Method) -> None:
    strategy = solve_round(RULES, method=method)
    assert strategy.bounds.exploitability <= DEFAULT_TARGET
    assert strategy.bounds.low <= strategy.bounds.high


def test_a_lower_target_takes_more_iterations() -> None:
    assert solve_round(RULES, target=1e-5).bounds.iterations > solve_round(RULES, target=1e-2).bounds.iterations


def test_the_number_of_iterations_is_a_limit() -> None:
    assert solve_round(RULES, iterations=3).bounds.iterations == 3


def test_the_seconds_count_from_before_the_compilation() -> None:
    solver = Solver(make_tree(RULES, (1, 1)), Method.DCFR)
    assert solve(solver, seconds=60, began_s=time.perf_counter() - 61).iterations == 1


@pytest.mark.parametrize("limits", [{"target": 0.0}, {"seconds": -1.0}, {"target": float("nan")}], ids=str)
def test_a_limit_that_is_not_positive_is_refused(limits: dict[str, float]) -> None:
    with pytest.raises(MalformedError, match="is a positive number, not"):
        solve_round(RULES, (1, 1), target=limits.get("target"), seconds=limits.get("seconds"))


def test_a_round_that_does_not_fit_into_memory_is_refused() -> None:
    with pytest.raises(UnavailableError):
        solve_round(preset("openspiel").ruleset, (9, 9))


def test_rules_are_named_and_their_faces_are_chosen() -> None:
    strategy = solve_round("openspiel", faces=3, iterations=8)
    assert strategy.tree.game.rules == RULES
    assert strategy.bounds.low <= strategy.value <= strategy.bounds.high
    assert strategy.action_probs((1,), ["1x1", "2x3"]) == strategy.action_probs((1,), [Bid(1, 1), Bid(2, 3)])
