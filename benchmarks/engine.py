"""Decisions a second of the pure engine under random legal play, beside OpenSpiel's `liars_dice` driven from Python.

Both sides list the legal moves, draw one and apply it; dice are drawn and dealt inside the measured time. The rules are
those of the preset `openspiel` on both sides at two seats. OpenSpiel's game seats no more than two.
"""

import random
import statistics
import time
from collections.abc import Callable

from benchmarks.figures import Figures, save_figures
from liarsdice import Challenge, ChooseStarter, Deal, Phase, Ruleset, decide, evolve_all, legal, patched, start
from liarsdice.core.rules.choices import StarterMethod
from liarsdice.core.rules.presets import preset

TURNS = 7
SECONDS = 1.5
NAMES = ("Ann", "Bo", "Cy", "Di", "Ed", "Flo")

Game = Callable[[random.Random], int]  # plays one match and says how many decisions it took


def ours(ruleset: Ruleset, seats: int) -> Game:
    """A match of the pure engine that seat 0 opens: every decision is listed, judged and applied."""
    ruleset = patched(ruleset, first_starter__method=StarterMethod.CHOSEN)
    faces = range(1, ruleset.dice.faces + 1)

    def play(rng: random.Random) -> int:
        decisions = 0
        state = start(ruleset, NAMES[:seats])
        while state.phase is not Phase.OVER:
            if state.phase is Phase.BIDDING:
                moves = legal(state)
                chosen = rng.randrange(len(moves.bids) + len(moves.challengers))
                action = moves.bids[chosen] if chosen < len(moves.bids) else Challenge()
                happened = decide(state, moves.turn, action)
                decisions += 1
            elif state.phase is Phase.DEAL:
                happened = decide(state, None, Deal(tuple(tuple(rng.choices(faces, k=dice)) for dice in state.dice)))
            else:
                happened = decide(state, None, ChooseStarter(0))
            state = evolve_all(state, happened)
        return decisions

    return play


def theirs(seats: int, dice: int) -> Game | None:
    """A game of OpenSpiel, chance nodes sampled from Python; None where it is not installed."""
    try:
        import pyspiel  # noqa: PLC0415  the extra `research` brings it
    except ImportError:
        return None
    game = pyspiel.load_game(f"liars_dice(players={seats},numdice={dice})")

    def play(rng: random.Random) -> int:
        decisions = 0
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(rng.choice(state.chance_outcomes())[0])
            else:
                state.apply_action(rng.choice(state.legal_actions()))
                decisions += 1
        return decisions

    return play


def rate(play: Game, seed: int) -> float:
    """Decisions per CPU second over about `SECONDS`."""
    rng, decisions, started = random.Random(seed), 0, time.process_time()
    while (elapsed := time.process_time() - started) < SECONDS:
        decisions += play(rng)
    return decisions / elapsed


def main() -> None:
    """Measure all sides in turns and keep the medians."""
    one_round = preset("openspiel").ruleset
    games: dict[str, Game | None] = {
        "liarsdice, openspiel rules, 2x5, one round": ours(one_round, 2),
        "OpenSpiel liars_dice from Python, 2x5": theirs(2, 5),
        "liarsdice, openspiel rules, 6x5, one round": ours(one_round, 6),
        "liarsdice, joker rules, 2x5, whole match": ours(preset("joker").ruleset, 2),
        "liarsdice, joker rules, 6x5, whole match": ours(preset("joker").ruleset, 6),
        "liarsdice, perudo rules, 6x5, whole match": ours(preset("perudo").ruleset, 6),
    }
    turns = [{name: rate(play, seed) for name, play in games.items() if play} for seed in range(TURNS)]
    medians = {name: statistics.median(turn[name] for turn in turns) for name in turns[0]}
    peer = medians.get("OpenSpiel liars_dice from Python, 2x5")
    figures: dict[str, Figures] = {}
    for name, median in medians.items():
        figures[name] = {"decisions_per_cpu_s": round(median)}
        if peer is not None:
            figures[name]["of_openspiel"] = round(median / peer, 3)
    save_figures("engine", figures, packages=("liarsdice", "msgspec", "open_spiel"))


if __name__ == "__main__":
    main()
