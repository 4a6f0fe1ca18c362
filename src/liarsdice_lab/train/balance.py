"""Measures how balanced a network plays: best responses in small rounds, a bound in a larger one, and a hunter."""

from collections.abc import Callable
from itertools import islice
from typing import NamedTuple

import numpy as np

from liarsdice.bots.neural.champion import Champion
from liarsdice.bots.neural.hunter import Hunter
from liarsdice.bots.neural.network import Network
from liarsdice.bots.protocol import Bot
from liarsdice.core.engine.engine import match_started
from liarsdice.core.errors import LiarsDiceError
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.solve.round_game import PLAYERS, of_round
from liarsdice_lab.best_response import exploitability, exploitability_floor, measured_round
from liarsdice_lab.tournaments.arena import Arena, play_deal, summarize
from liarsdice_lab.train.config import BALANCE_RULES, BalanceConfig, TrainingConfig

HUNTER, NETWORK = "hunter", "network"
ARENA_SEED = 20_261_128
EXPLOITABILITY_STEP, HUNTER_STEP = 0.01, 0.05
"""Figures that round to the same multiple count as equal. A share of 100 rounds has a standard error of 0.05."""


class BalanceMeasures(NamedTuple):
    """What is measured.

    `rounds`: rules and dice by column of the learning curve. `response`: column, rules, dice, and where a best response
    looks ahead (see `exploitability_floor`), or None. `hunter`: column and arena, or None. `deals`: those of the arena.
    """

    rounds: dict[str, tuple[Ruleset, tuple[int, int]]]
    response: tuple[str, Ruleset, tuple[int, int], float] | None
    hunter: tuple[str, Arena] | None
    deals: int


NO_MEASURES = BalanceMeasures({}, None, None, 0)


class Balance(NamedTuple):
    """How balanced a network plays.

    `exploitability`: by column of the learning curve, the rounds that a best response wins less those it loses, the
    mean of both seats, 0..1. `floors`: the lower bound of the same in the larger round, -1..1, of at most one column.
    `hunter_shares`: the share of single rounds that the hunter wins, 0..1, of at most one column.
    """

    exploitability: dict[str, float]
    floors: dict[str, float]
    hunter_shares: dict[str, float]

    @property
    def columns(self) -> dict[str, float]:
        """All figures by column of the learning curve."""
        return self.exploitability | self.floors | self.hunter_shares


class Figures(NamedTuple):
    """By what the networks of a run are compared.

    `exploitability`: the mean of the exact ones, 0..1. `floor`: the lower bound in a larger round, -1..1.
    `hunter_share` and `strength`: 0..1. The first three are None where they are not measured.
    """

    exploitability: float | None
    floor: float | None
    hunter_share: float | None
    strength: float

    @property
    def rank(self) -> tuple[int, int, int, float]:
        """A key by which the best network is the least: by exploitability, its floor, the hunter's share, strength.

        >>> Figures(0.304, 0.5, 0.9, 0.1).rank < Figures(0.312, 0.4, 0.5, 0.9).rank
        True
        >>> Figures(0.304, 0.5, 0.61, 0.1).rank > Figures(0.296, 0.5, 0.59, 0.2).rank
        True
        """
        steps = (
            (self.exploitability, EXPLOITABILITY_STEP),
            (self.floor, EXPLOITABILITY_STEP),
            (self.hunter_share, HUNTER_STEP),
        )
        worst, bounded, hunted = (round((figure or 0.0) / step) for figure, step in steps)
        return worst, bounded, hunted, -self.strength


def balance_measures(config: TrainingConfig) -> BalanceMeasures:
    """Return what a run measures.

    Raises `UnavailableError` or `MalformedError` if its configuration names a round in which no bot is measured.
    """
    balance = config.balance
    names = _measured_rules(config) if balance.rules is None else balance.rules
    rounds = {f"{name}, {_round_name(balance)}, exploitability": _round(name, balance) for name in names}
    for rules, dice in rounds.values():
        measured_round(rules, dice)
    measures = NO_MEASURES._replace(rounds=rounds)
    if not names:
        return measures
    last = find_rules(names[-1])
    if balance.response_reach is not None:
        dice = balance.response_dice, balance.response_dice
        column = f"{names[-1]}, {dice[0]}v{dice[1]}, best response from {balance.response_reach:g}"
        measures = measures._replace(response=(column, last, dice, balance.response_reach))
    if balance.hunter_rounds:
        arena = _hunter_arena(last, balance.hunter_dice)
        column = f"{names[-1]}, {balance.hunter_dice}v{balance.hunter_dice}, {HUNTER}"
        measures = measures._replace(hunter=(column, arena), deals=arena.deals_for(balance.hunter_rounds))
    return measures


def measure_balance(network: Network, measures: BalanceMeasures, check: Callable[[], None] = lambda: None) -> Balance:
    """Return how balanced a network plays. It plays alone, without the rounds that champions play as solved.

    `check` is called before each measure; what it raises ends them.
    """
    player, worst, floors = _player(network), dict[str, float](), dict[str, float]()
    for name, (rules, dice) in measures.rounds.items():
        check()
        worst[name] = exploitability(player, rules, dice).exploitability
    if measures.response is not None:
        check()
        name, rules, dice, min_reach = measures.response
        floors[name] = exploitability_floor(player, rules, dice, min_reach).exploitability
    if measures.hunter is None:
        return Balance(worst, floors, {})
    name, arena = measures.hunter

    def make_bot(bot: str, seed: str) -> Bot:
        return Hunter(_player(network, seed), seed) if bot == HUNTER else _player(network, seed)

    results = []
    for number in range(measures.deals):
        check()
        results.append(play_deal(arena, number, make_bot=make_bot))
    return Balance(worst, floors, {name: summarize(arena, results).standings[0].win_share})


def figures_of(balance: Balance, strength: float) -> Figures:
    """Return the figures by which a network is compared. `strength`: the mean of its win shares, 0..1."""
    worst, bounded, hunted = (
        float(np.mean(list(figures.values()))) if figures else None
        for figures in (balance.exploitability, balance.floors, balance.hunter_shares)
    )
    return Figures(worst, bounded, hunted, strength)


def _measured_rules(config: TrainingConfig) -> tuple[str, ...]:
    """Return the rules by which a run is measured unless its configuration names others."""
    known = tuple(name for name in BALANCE_RULES if name in config.rules)
    return known or tuple(islice((name for name in config.rules if _is_measured(name, config.balance)), 1))


def _is_measured(name: str, balance: BalanceConfig) -> bool:
    try:
        measured_round(*_round(name, balance))
    except LiarsDiceError:
        return False
    return True


def _round(name: str, balance: BalanceConfig) -> tuple[Ruleset, tuple[int, int]]:
    return of_round(find_rules(name), balance.dice, balance.faces), balance.dice


def _round_name(balance: BalanceConfig) -> str:
    """Return the dice of a round, as in `2v1` or `2v1 of 3 faces`."""
    faces = "" if balance.faces is None else f" of {balance.faces} faces"
    return f"{balance.dice[0]}v{balance.dice[1]}{faces}"


def _hunter_arena(rules: Ruleset, dice: int) -> Arena:
    """Return the arena in which a hunter plays single rounds against a network, each deal from both seats."""
    single = patched(rules, dice__per_player=dice, guards__max_rounds=1, players__min=PLAYERS)
    match_started(single, [HUNTER, NETWORK])
    return Arena(
        ruleset=single, bots=(HUNTER, NETWORK), has_subject=True, seats=PLAYERS, seed=ARENA_SEED, duplicate=True
    )


def _player(network: Network, seed: str | None = None) -> Champion:
    return Champion(network, seed, endgame_dice=0, heeds_own_dice=False)
