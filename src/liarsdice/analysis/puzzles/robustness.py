"""Whether the best move of a puzzle stays best against several ways of playing, why, and how many bots miss it."""

import zlib

import numpy as np
from msgspec.structs import replace

from liarsdice.analysis.puzzles.puzzle import Puzzle
from liarsdice.analysis.review.assess import reference
from liarsdice.bots.neural.belief import beliefs, count_beliefs
from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.judge import judge
from liarsdice.bots.neural.playouts import play_on_by_engine, sample_hands
from liarsdice.bots.neural.reasons import reason_for_best
from liarsdice.bots.policy import policy_of
from liarsdice.bots.registry import CHAMPION, make_bot
from liarsdice.core.actions import Deal, PlayerAction
from liarsdice.core.engine.engine import decide, start
from liarsdice.core.engine.evolve import evolve_all
from liarsdice.core.engine.view import View, view
from liarsdice.core.events import StarterFound
from liarsdice.core.rules.choices import StarterMethod
from liarsdice.core.rules.presets import preset
from liarsdice.core.text.narration import MoveReason
from liarsdice.values.blueprints import packaged_blueprints
from liarsdice.values.judgement import DEALS as USUAL_DEALS
from liarsdice.values.playouts import knows_bids
from liarsdice.values.round_ends import learned_values

OTHERS = ("regular", "inference", CHAMPION)
"""The bots that the best move has to hold against, those that play fast first."""
DEALS = (200, 400)
"""How many deals judge the moves, and how many other ones do if these leave it open."""
SOLVERS = ("threshold", "greedy", "inference", "novice", "regular", "sharp", CHAMPION)
"""The bots that are asked how hard a puzzle is."""


def view_of_puzzle(puzzle: Puzzle) -> View:
    """Return what the player of a puzzle sees, as in the first round of a match."""
    state = start(preset(puzzle.rules).ruleset, [f"Player {seat + 1}" for seat in range(len(puzzle.dice))])
    opener = puzzle.bids[0][0] if puzzle.bids else puzzle.seat
    state = replace(state, dice=puzzle.dice, special_seat=puzzle.special_seat)
    state = evolve_all(state, [StarterFound(opener, StarterMethod.CHOSEN)])
    hands = tuple(puzzle.hand if seat == puzzle.seat else (1,) * held for seat, held in enumerate(puzzle.dice))
    state = evolve_all(state, decide(state, None, Deal(hands)))
    for seat, bid in puzzle.bids:
        state = evolve_all(state, decide(state, seat, bid))
    return view(state, puzzle.seat)


def leads_against(puzzle: Puzzle, others: str, deals: int) -> list[tuple[float, float]]:
    """Return how far each other move is behind the best one, and half of the 95% interval of that.

    `others`: the bot that plays the round on at the other seats; the player goes on as the champion does. The hands of
    the others follow from the champion's beliefs. The end of the round is worth what champions win from there on.
    """
    shown = view_of_puzzle(puzzle)
    seat_beliefs = beliefs(shown, champion_network(shown.ruleset), packaged_blueprints())
    rng = np.random.default_rng((deals, zlib.crc32(f"{puzzle.key} {others}".encode())))
    hands = sample_hands(shown, seat_beliefs, deals, rng)
    moves = [offered.move for offered in puzzle.moves]
    policy = None if others == CHAMPION else policy_of(make_bot(others, 0))
    playouts = play_on_by_engine(shown, moves, hands, reference(), rng, policy)
    values = learned_values(shown.ruleset, len(shown.dice))
    judged = playouts.judgement(moves, values, puzzle.seat, shown.stakes, choosing_share=0)
    return [judged.behind(place, 0) for place in range(1, len(moves))]


def holds_against(puzzle: Puzzle, others: str) -> bool:
    """Return whether the best move leads each other one by more than the interval if the others play as this bot."""
    for deals in DEALS:
        leads = leads_against(puzzle, others, deals)
        if all(lead > error for lead, error in leads):
            return True
        if any(lead < -error for lead, error in leads):
            return False
    return False


def is_robust(puzzle: Puzzle) -> bool:
    """Return whether the best move leads every other one, offered or not, and holds against all of `OTHERS`."""
    return leading_moves(puzzle) == {puzzle.moves[0].move} and all(holds_against(puzzle, others) for others in OTHERS)


def leading_moves(puzzle: Puzzle) -> set[PlayerAction | None]:
    """Return the most valuable move and those that the judge cannot tell from it.

    It compares the offered moves, the bots' own ones, and those that the champion's network considers.
    """
    shown = view_of_puzzle(puzzle)
    seat_beliefs = beliefs(shown, champion_network(shown.ruleset), packaged_blueprints())
    asked = [*(offered.move for offered in puzzle.moves), *bot_moves(shown)]
    known = [move for move in asked if knows_bids(shown, shown.dice, move)]
    judged = judge(shown, shown.dice, seat_beliefs, asked=known, deals=puzzle.deals or USUAL_DEALS)
    return {move for move, rank in zip(judged.moves, judged.ranks(), strict=True) if rank == 1}


def count_missed(puzzle: Puzzle) -> tuple[int, int]:
    """Return how many bots miss the best move, and how many are asked. A bot finds it if it makes it most often."""
    missed = sum(move != puzzle.moves[0].move for move in bot_moves(view_of_puzzle(puzzle)))
    return missed, len(SOLVERS)


def bot_moves(shown: View) -> list[PlayerAction | None]:
    """Return the likeliest move of each of `SOLVERS`."""
    probs = [policy_of(make_bot(name, 0)).action_probs(shown) for name in SOLVERS]
    return [max(named, key=lambda move: named[move]) for named in probs]


def explained(puzzle: Puzzle) -> MoveReason | None:
    """Return why the best move of a puzzle is better than another one, as explanations and reviews say it.

    None if the judge, by the deals of the puzzle, does not put it first.
    """
    shown = view_of_puzzle(puzzle)
    seat_beliefs = beliefs(shown, champion_network(shown.ruleset), packaged_blueprints())
    offered: list[PlayerAction | None] = [one.move for one in puzzle.moves]
    judged = judge(shown, shown.dice, seat_beliefs, asked=offered, only_asked=True, deals=puzzle.deals or USUAL_DEALS)
    if not set(offered) <= set(judged.moves):
        return None
    best, *others = (judged.moves.index(move) for move in offered)
    if any(judged.values[other] > judged.values[best] for other in others):
        return None
    counts = count_beliefs(shown, seat_beliefs)
    other, tied, reason = reason_for_best(shown, best, others, seat_beliefs, counts, judged)
    return MoveReason(offered.index(judged.moves[other]), tied, reason)
