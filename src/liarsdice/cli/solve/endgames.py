"""`liarsdice solve endgames`: solves the last rounds of two players under presets, for the champion bot."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from liarsdice.bots.face_offs import FACE_OFF_FILE, SOLVED_FACES
from liarsdice.cli.solve.options import read_dice, require_positive
from liarsdice.core.errors import UnavailableError, counted
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.face_off_solver import assess_face_off, solve_face_off, write_face_off
from liarsdice.solve.match_solver import MatchSolver, make_match_plan
from liarsdice.solve.round_game import RoundStart, remembers_special_rounds, two_player_special_round
from liarsdice.solve.strategy.average_strategy import pruned
from liarsdice.solve.strategy.strategy import Strategy, two_player_rules
from liarsdice.solve.strategy.strategy_file import StrategySet, write_strategies
from liarsdice.values.endgames import endgame_file
from liarsdice.version import __version__

LAST_DICE = (1, 1)
"""The round whose strategies are stored whole; those of larger rounds are pruned."""
MIN_PROB = 0.001
"""Less likely actions are left out of pruned strategies and of the face-off."""


def solve_last_rounds(rules: Ruleset, dice: tuple[int, int], target: float) -> list[Strategy]:
    """Solve all rounds with these dice that two-player matches may end with, for what they are worth in the match.

    `dice`: of the player who opens, and of the other. `target`: the exploitability of each round. A round is left out
    if a later round of the match can have more dice, because the rules let a player win dice back.
    """
    strategies: dict[RoundStart, Strategy] = {}
    known: dict[RoundStart, Strategy] = {}
    for start in _last_rounds(rules, dice):
        plan = make_match_plan(rules, start)
        if any(sum(later.dice) > sum(dice) for later in plan.rounds):
            continue
        solver = MatchSolver(plan, Method.DCFR, target, known=tuple(known.values()))
        solver.run()
        known |= solver.strategies
        strategies |= {later: strategy for later, strategy in solver.strategies.items() if later.dice == dice}
    return [one if dice == LAST_DICE else pruned(one, MIN_PROB) for one in strategies.values()]


def _last_rounds(rules: Ruleset, dice: tuple[int, int]) -> list[RoundStart]:
    """Return how rounds with these dice may start: every special round, with every earlier one.

    Only a player with one die has a special round, and only such a player has had one.
    """
    last = tuple(seat for seat in (0, 1) if dice[seat] == 1)
    specials: tuple[int | None, ...] = (None,) if two_player_special_round(rules) is None else (None, *last)
    earlier_specials: list[tuple[int, ...]] = [()]
    if remembers_special_rounds(rules):
        earlier_specials += [(seat,) for seat in last] + ([last] if len(last) > 1 else [])
    return [RoundStart(dice, 0, seat, earlier) for seat in specials for earlier in earlier_specials]


def run(folder: Path, rules: str | None, rounds: str, target: float) -> int:
    """Solve the last rounds of presets, write a file for each and print its exploitability. Returns 0.

    `rules`: presets separated by commas; None for all. `rounds`: such as `1v1,2v1`; a file holds these alone. Presets
    with the same rules in rounds of two players share a file. Rounds of one die each under all presets include the
    face-off. Raises `MalformedError` if the target is not positive or the rounds are none, and `UnavailableError` if
    there is no such preset.
    """
    require_positive(target=target)
    starts = [read_dice(name.strip()).dice for name in rounds.split(",")]
    folder.mkdir(parents=True, exist_ok=True)
    known: set[Ruleset] = set()
    for name in preset_names() if rules is None else [preset(word.strip()).name for word in rules.split(",")]:
        ruleset = preset(name).ruleset
        if two_player_rules(ruleset) in known:
            continue
        known.add(two_player_rules(ruleset))
        strategies: list[Strategy] = []
        for dice in starts:
            began_s = time.process_time()
            try:
                solved = solve_last_rounds(ruleset, dice, target)
            except UnavailableError as error:
                print(f"{name}: {error}")
                break
            strategies += solved
            worst = max((strategy.bounds.exploitability for strategy in solved), default=0.0)
            title, seconds = f"{name} {dice[0]}v{dice[1]}", time.process_time() - began_s
            print(
                f"{title}: {counted(len(solved), 'round')}, exploitability at most {worst:.1e}, {seconds:.1f} CPU s",
                flush=True,
            )
        if strategies:
            write_strategies(
                folder / endgame_file(name), StrategySet(ruleset, match=True, strategies=tuple(strategies)), __version__
            )
    if rules is None and LAST_DICE in starts:
        _solve_last_face_off(folder)
    return 0


def _solve_last_face_off(folder: Path) -> None:
    """Solve the face-off, write its file without unlikely actions and print its exploitability."""
    began_s = time.process_time()
    probs = solve_face_off(SOLVED_FACES).probs
    strategy = assess_face_off(SOLVED_FACES, np.where(probs < MIN_PROB, 0.0, probs))
    write_face_off(folder / FACE_OFF_FILE, strategy)
    seconds = time.process_time() - began_s
    print(f"face-off: exploitability {strategy.exploitability:.1e}, {seconds:.1f} CPU s", flush=True)
