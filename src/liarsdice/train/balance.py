"""Measures how balanced a network plays: its exact exploitability in small rounds, and what a hunter wins from it."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

import numpy as np

from liarsdice.analysis.arena import Arena, play_deal
from liarsdice.analysis.exploitability import exploitability, measured_round
from liarsdice.analysis.summary import summarize
from liarsdice.bots.neural.champion import Champion, EndgamePlay
from liarsdice.bots.neural.hunter import Hunter
from liarsdice.bots.neural.network import Network
from liarsdice.bots.protocol import Bot
from liarsdice.core.engine.engine import match_started
from liarsdice.core.errors import LiarsDiceError
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.solve.game.round_game import of_round
from liarsdice.solve.game.round_start import PLAYERS
from liarsdice.train.config import BALANCE_RULES, BalanceConfig, TrainingConfig

HUNTER, NETWORK = "hunter", "network"
ARENA_SEED = 20_261_128
EXPLOITABILITY_STEP, HUNTER_STEP = 0.01, 0.05
"""Figures that round to the same multiple count as equal. A share of 100 rounds has a standard error of 0.05."""


class BalanceMeasures(NamedTuple):
    """What is measured. `rounds`: rules and dice by column of the learning curve. `hunter`: column and arena, or None.

    `deals`: those of the arena.
    """

    rounds: dict[str, tuple[Ruleset, tuple[int, int]]]
    hunter: tuple[str, Arena] | None
    deals: int


NO_MEASURES = BalanceMeasures({}, None, 0)


class Balance(NamedTuple):
    """How balanced a network plays.

    `exploitability`: by column of the learning curve, the rounds that a best response wins less those it loses, the
    mean of both seats, 0..1. `hunter_shares`: the share of single rounds that the hunter wins, 0..1, of at most one
    column.
    """

    exploitability: dict[str, float]
    hunter_shares: dict[str, float]


class Figures(NamedTuple):
    """By what the networks of a run are compared: the mean exploitability, the hunter's share, and strength (all 0..1).

    The first two are None where they are not measured.
    """

    exploitability: float | None
    hunter_share: float | None
    strength: float

    @property
    def rank(self) -> tuple[int, int, float]:
        """A key by which the best network is the least: exploitability first, then the hunter's share, then strength.

        >>> Figures(0.304, 0.9, 0.1).rank < Figures(0.312, 0.5, 0.9).rank
        True
        >>> Figures(0.304, 0.61, 0.1).rank > Figures(0.296, 0.59, 0.2).rank
        True
        """
        worst, hunted = self.exploitability or 0.0, self.hunter_share or 0.0
        return round(worst / EXPLOITABILITY_STEP), round(hunted / HUNTER_STEP), -self.strength


def balance_measures(config: TrainingConfig) -> BalanceMeasures:
    """Return what a run measures.

    Raises `UnavailableError` or `MalformedError` if its configuration names a round in which no bot is measured.
    """
    balance = config.balance
    names = _measured_rules(config) if balance.rules is None else balance.rules
    rounds = {f"{name}, {_round_name(balance)}, exploitability": _round(name, balance) for name in names}
    for rules, dice in rounds.values():
        measured_round(rules, dice)
    if not names or not balance.hunter_rounds:
        return NO_MEASURES._replace(rounds=rounds)
    arena = _hunter_arena(find_rules(names[-1]), balance.hunter_dice)
    column = f"{names[-1]}, {balance.hunter_dice}v{balance.hunter_dice}, {HUNTER}"
    return BalanceMeasures(rounds, (column, arena), arena.deals_for(balance.hunter_rounds))


def measure_balance(network: Network, measures: BalanceMeasures) -> Balance:
    """Return how balanced a network plays. It plays alone, without the rounds that champions play as solved."""
    player = _player(network)
    worst = {
        name: exploitability(player, rules, dice).exploitability for name, (rules, dice) in measures.rounds.items()
    }
    if measures.hunter is None:
        return Balance(worst, {})
    name, arena = measures.hunter

    def make_bot(bot: str, seed: str) -> Bot:
        return Hunter(_player(network, seed), seed) if bot == HUNTER else _player(network, seed)

    results = [play_deal(arena, number, make_bot=make_bot) for number in range(measures.deals)]
    return Balance(worst, {name: summarize(arena, results).standings[0].win_share})


def figures_of(balance: Balance, strength: float) -> Figures:
    """Return the figures by which a network is compared. `strength`: the mean of its win shares, 0..1."""
    worst, hunted = (list(shares.values()) for shares in balance)
    return Figures(float(np.mean(worst)) if worst else None, hunted[0] if hunted else None, strength)


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
    return Champion(network, seed, endgame_play=EndgamePlay(0, always=False), heeds_own_dice=False)
