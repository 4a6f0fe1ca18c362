"""An explanation in words."""

from __future__ import annotations

from liarsdice.bots.neural.explain import Chances, Explanation, Heard, Option
from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid
from liarsdice.core.text.narration import bid_words, face_name

CLEARLY = 0.02
"""A move is named as better than the champion's own if it is worth so much more of the match."""
TOLD = 3
"""So many of the champion's own moves are named."""
HARDLY = 0.05
"""Moves that the champion makes less often than this aren't named as its own."""
HEARD = 0.15
"""A seat is named whose bids make so many dice of the standing face more, or fewer, to be expected."""


def reasons(shown: View, found: Explanation) -> tuple[str, ...]:
    """Sentences for the player whose view was explained."""
    told = []
    if shown.bid is not None and found.standing is not None:
        told.append(_standing(shown, shown.bid, found.standing))
        told += [_heard(shown, one, shown.bid) for one in found.heard if abs(one.believed - one.by_chance) >= HEARD]
    usual = sorted((one for one in found.options if one.chance >= HARDLY), key=lambda one: -one.chance)[:TOLD]
    if usual:
        choices = " or ".join(f"{_done(shown, one.move)} ({one.chance:.0%})" for one in usual)
        told.append(f"The champion would {choices}.")
        told.append(_worth(shown, usual, found.options))
    return tuple(told)


def _standing(shown: View, bid: Bid, chances: Chances) -> str:
    verb = "is" if bid.quantity == 1 else "are"
    said = bid_words(shown.ruleset, bid)
    return (
        f"{said[0].upper()}{said[1:]} {verb} there {chances.p_true:.0%} of the time by your own dice;"
        f" with what was bid {chances.p_true_heard:.0%}, and exactly so many {chances.p_exact_heard:.0%}."
    )


def _heard(shown: View, one: Heard, bid: Bid) -> str:
    more = "more" if one.believed > one.by_chance else "fewer"
    return (
        f"{shown.names[one.seat]} bids like someone with {more} {face_name(shown.ruleset, bid.face)} than chance gives:"
        f" about {one.believed:.1f}, not {one.by_chance:.1f}."
    )


def _worth(shown: View, usual: list[Option], options: tuple[Option, ...]) -> str:
    """What the champion's own moves are worth, a challenge, and what looks clearly better."""
    best, own = options[0], max(one.worth for one in usual)
    named = [one for one in options if one in usual or isinstance(one.move, Challenge)]
    if best.worth - own >= CLEARLY and best not in named:
        named.insert(0, best)
    worth = ", ".join(f"{_said(shown, one.move)} {one.worth:.0%}" for one in named)
    return f"Chance to win the match, as far as it can tell: {worth}."


def _said(shown: View, move: PlayerAction | None) -> str:
    if isinstance(move, Bid):
        return bid_words(shown.ruleset, move)
    if isinstance(move, Challenge):
        return "the challenge"
    if move is None:
        return "silence"
    return "the exact call" if isinstance(move, Exact) else "turning the direction"


def _done(shown: View, move: PlayerAction | None) -> str:
    if isinstance(move, Bid):
        return f"bid {bid_words(shown.ruleset, move)}"
    if isinstance(move, Challenge):
        return "challenge"
    if move is None:
        return "keep silent"
    return "call exact" if isinstance(move, Exact) else "turn the direction"
