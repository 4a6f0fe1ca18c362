"""Positions to ask bots about, and whole matches between bots."""

from collections.abc import Mapping

import msgspec

from liarsdice.bots.protocol import Bot
from liarsdice.core.actions import ChooseStarter, Deal
from liarsdice.core.bids.notation import parse
from liarsdice.core.engine.engine import decide, evolve_all, start
from liarsdice.core.engine.state import State
from liarsdice.core.events import StarterFound
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import StarterMethod
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.play.match import Dealer, Match
from liarsdice.play.referee import Referee

NAMES = ("Ann", "Bo", "Cy", "Dee", "Eve", "Flo")


def position(rules: Ruleset, hands: tuple[Hand, ...], bids: str = "") -> State:
    """Return a first round that Ann opens, after these bids in turn. All hands have the same number of dice.

    `bids`: in notation, with spaces between them.
    """
    sizes = {len(hand) for hand in hands}
    assert len(sizes) == 1, "a match begins with as many dice for everybody"
    rules = patched(rules, dice__per_player=sizes.pop(), first_starter__method=StarterMethod.CHOSEN)
    state = start(rules, NAMES[: len(hands)])
    for action in (ChooseStarter(0), Deal(hands)):
        state = evolve_all(state, decide(state, None, action))
    for text in bids.split():
        state = evolve_all(state, decide(state, state.turn, parse(text)))
    return state


def dealt_state(rules: Ruleset, hands: tuple[Hand, ...], bids: tuple[Bid, ...] = ()) -> State:
    """Return a round that the first seat opens, with hands of any sizes, after these bids in turn."""
    names = [chr(ord("A") + seat) for seat in range(len(hands))]
    state = msgspec.structs.replace(start(rules, names), dice=tuple(map(len, hands)))
    state = evolve_all(state, [StarterFound(0, StarterMethod.CHOSEN)])
    state = evolve_all(state, decide(state, None, Deal(hands)))
    for bid in bids:
        state = evolve_all(state, decide(state, state.turn, bid))
    return state


def first_round_hands(dealer: Dealer, rules: Ruleset) -> tuple[Hand, ...]:
    """Return the dealer's dice for the first round of three players."""
    state = evolve_all(start(rules, ("A", "B", "C")), [StarterFound(0, StarterMethod.CHOSEN)])
    deal = dealer.action(state)
    assert isinstance(deal, Deal)
    return deal.hands


def play_out(rules: Ruleset, bots: Mapping[int, Bot], seed: int = 0) -> Referee:
    """Play a match between bots to its end and return its referee."""
    referee = Referee(Match(rules, NAMES[: len(bots)], Dealer(seed)), bots)
    referee.play()
    return referee
