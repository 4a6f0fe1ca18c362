"""Small rounds for tests: their rules, trees, learned strategies, and states of a match that come to them."""

import msgspec

from liarsdice.core.actions import Deal
from liarsdice.core.engine.engine import decide, evolve_all, start
from liarsdice.core.engine.state import State
from liarsdice.core.events import StarterFound
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import StarterMethod
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.solve.cfr.solver import Solver
from liarsdice.solve.round_game import (
    PublicTree,
    RoundStart,
    dice_lost_values,
    make_public_tree,
    make_round_game,
    with_faces,
)
from liarsdice.solve.strategy.average_strategy import average_strategy
from liarsdice.solve.strategy.strategy import Strategy


def rules_of(name: str, faces: int) -> Ruleset:
    return with_faces(preset(name).ruleset, faces)


def make_tree(rules: Ruleset, dice: tuple[int, int], *, sure_calls: bool = True) -> PublicTree:
    table = make_round_game(rules, RoundStart(dice))
    return make_public_tree(table, dice_lost_values(table), sure_calls=sure_calls)


def learn_strategy(name: str, dice: tuple[int, int], faces: int, iterations: int = 100) -> Strategy:
    solver = Solver(make_tree(rules_of(name, faces), dice))
    solver.iterate(iterations)
    return average_strategy(solver)


def deal_hands(rules: Ruleset, hands: tuple[tuple[int, ...], ...], bids: list[tuple[int, Bid]]) -> State:
    state = msgspec.structs.replace(start(rules, ("Ann", "Bo", "Cy")), dice=tuple(map(len, hands)))
    state = evolve_all(state, [StarterFound(2, StarterMethod.CHOSEN)])
    state = evolve_all(state, decide(state, None, Deal(hands)))
    for seat, bid in bids:
        state = evolve_all(state, decide(state, seat, bid))
    return state
