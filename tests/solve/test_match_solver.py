"""Matches solved from the end, against rounds whose linear programs are solved from the end."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from liarsdice.core.actions import Deal
from liarsdice.core.engine.engine import decide, evolve_all, start
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import view
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.events import StarterFound
from liarsdice.core.rules.choices import Repeat, StarterMethod
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import ExactCall, SpecialRound
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.solve.cfr.solver import Method
from liarsdice.solve.game.round_game import RoundStart, with_faces
from liarsdice.solve.match_solver import MatchSolver, ValueInterval, check_match_memory, make_match_plan
from liarsdice.solve.strategy.strategy import Strategy
from liarsdice.solve.strategy.strategy_file import StrategySet
from tests.solve.sequence_form import CLOSE, match_value

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
