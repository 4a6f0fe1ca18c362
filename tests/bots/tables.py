"""Positions to ask bots about, and matches between bots."""

from __future__ import annotations

from collections.abc import Mapping

from liarsdice.analysis.dealer import Dealer
from liarsdice.analysis.match import Match
from liarsdice.analysis.referee import Referee
from liarsdice.bots.bot import Bot
from liarsdice.core.actions import ChooseStarter, Deal
from liarsdice.core.choices import StarterMethod
from liarsdice.core.engine import decide, evolve_all, start
from liarsdice.core.notation import parse
from liarsdice.core.ruleset import Ruleset, patched
from liarsdice.core.state import State
from liarsdice.core.tally import Hand

NAMES = ("Ann", "Bo", "Cy", "Dee", "Eve", "Flo")


def position(rules: Ruleset, hands: tuple[Hand, ...], bids: str = "") -> State:
    """A first round in which Ann opens, as many dice each as the hands hold, after these bids in turn."""
    sizes = {len(hand) for hand in hands}
    assert len(sizes) == 1, "a match begins with as many dice for everybody"
    rules = patched(rules, dice__per_player=sizes.pop(), first_starter__method=StarterMethod.CHOSEN)
    state = start(rules, NAMES[: len(hands)])
    for action in (ChooseStarter(0), Deal(hands)):
        state = evolve_all(state, decide(state, None, action))
    for text in bids.split():
        state = evolve_all(state, decide(state, state.turn, parse(text)))
    return state


def played_out(rules: Ruleset, bots: Mapping[int, Bot], seed: int = 0) -> Referee:
    """A match of bots alone, with its referee."""
    referee = Referee(Match(rules, NAMES[: len(bots)], Dealer(seed)), bots)
    while referee.step() is not None:
        pass
    return referee
