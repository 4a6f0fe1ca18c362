"""Measures by how many times results could vary less without the luck of the rolls, by rounds that are played out.

`python -m benchmarks.roll_limits [--matches N] [--playouts N]` plays matches of perudo at two seats between players of
the population. Each roll is played out to the end of the round, and compared with as many fresh rolls: by the bots of
the match, and by players that are drawn anew for each playout, as for a value that does not know who plays. The chance
of the playouts is taken out of the ratio by a second, independent set of them. The last row has the packaged values of
typical players. Intervals are of 95%.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from liarsdice.analysis.adjustment import match_adjustment
from liarsdice.analysis.state_valuer import NetworkValues, StateValuer
from liarsdice.bots.protocol import Bot
from liarsdice.bots.registry import make_bot
from liarsdice.core.actions import Deal
from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.evolve import evolve_all
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.events import Event
from liarsdice.core.records.record import recorded_actions
from liarsdice.core.rules.presets import preset
from liarsdice.play.dealer import Dealer
from liarsdice.play.match import Match
from liarsdice.play.match_runner import play_match
from liarsdice.play.referee import Referee
from liarsdice.state_value.player_kinds import PLAYER_KINDS
from liarsdice.state_value.value_network import KNOWN_PLAYERS, value_network
from liarsdice.train.state_samples import StateTable, draw_kinds

RULES, SEATS = "perudo", 2
SEED = 20_261_126
RESAMPLES = 400

FloatArray = NDArray[np.float64]
DrawBots = Callable[[], Sequence[Bot]]


def roll_luck(
    events: Sequence[Event], draw_bots: DrawBots, dealer: Dealer, playouts: int, valuer: StateValuer
) -> float:
    """Return what the rolls of a match gave the first seat, as a share of the match, by playouts of each roll."""
    rolled: list[State] = []
    fresh: list[State] = []
    for state, seat, action in recorded_actions(events):
        if isinstance(action, Deal):
            dealt = evolve_all(state, decide(state, seat, action))
            rolled += [round_end(dealt, draw_bots(), dealer) for _ in range(playouts)]
            fresh += [round_end(state, draw_bots(), dealer) for _ in range(playouts)]
    values = valuer.quick_values([*rolled, *fresh])[:, 0]
    return float(values[: len(rolled)].sum() - values[len(rolled) :].sum()) / playouts


def round_end(state: State, bots: Sequence[Bot], dealer: Dealer) -> State:
    """Return the state after the round that is dealt or about to be dealt."""
    match = Match.from_state(state, dealer)
    if match.state.phase is Phase.DEAL:
        match.deal()
    referee = Referee(match, dict(enumerate(bots)))
    while match.state.phase is not Phase.DEAL and referee.step() is not None:
        pass
    return match.state


def ratio(results: FloatArray, first: FloatArray, second: FloatArray) -> float:
    """Return how many times less results vary without luck; `first`, `second`: equally good estimates of it."""
    results, first, second = (column - column.mean() for column in (results, first, second))
    explained = float(results @ (first + second) / 2) ** 2 / float(first @ second)
    return float(results @ results) / (float(results @ results) - explained)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=400)
    parser.add_argument("--playouts", type=int, default=8)
    options = parser.parse_args()
    rng = np.random.default_rng(SEED)
    kinds = draw_kinds(StateTable(RULES, SEATS, options.matches, SEED), rng)
    pool = [[make_bot(kind.value, f"{SEED}/{seat}") for kind in PLAYER_KINDS] for seat in range(SEATS)]
    anyone = draw_kinds(StateTable(RULES, SEATS, 10_000, SEED), rng)
    typical = StateValuer(values=NetworkValues(value_network()))
    rows = []
    for number, players in enumerate(kinds.tolist()):
        bots = [pool[seat][kind] for seat, kind in enumerate(players)]
        match = play_match(preset(RULES).ruleset, bots, seed=f"{SEED}/{number}")
        dealer = Dealer(f"{SEED}/{number}/playouts")
        known = StateValuer(values=NetworkValues(value_network(KNOWN_PLAYERS), players))

        def drawn() -> list[Bot]:
            return [pool[seat][kind] for seat, kind in enumerate(rng.choice(anyone).tolist())]

        row = [float(0 in match.winners)]
        row += [roll_luck(match.events, lambda: bots, dealer, options.playouts, known) for _ in range(2)]  # noqa: B023
        row += [roll_luck(match.events, drawn, dealer, options.playouts, typical) for _ in range(2)]
        rows.append([*row, *[float(match_adjustment(match.events, {}, number)[0])] * 2])
    columns = np.array(rows)
    print(f"| luck of the rolls, {options.matches} matches | ratio |\n|---|---|")
    for name, place in (("by the bots of the match", 1), ("by players drawn anew", 3), ("by values", 5)):
        picks = [rng.integers(len(columns), size=len(columns)) for _ in range(RESAMPLES)]
        found = [ratio(columns[pick, 0], columns[pick, place], columns[pick, place + 1]) for pick in picks]
        low, high = np.quantile(found, (0.025, 0.975))
        print(f"| {name} | {ratio(*columns[:, [0, place, place + 1]].T):.2f} ({low:.2f} to {high:.2f}) |")


if __name__ == "__main__":
    main()
