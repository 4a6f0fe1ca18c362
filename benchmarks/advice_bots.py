"""Bots that follow one piece of advice of rule sheet 001 to the letter, and otherwise play like another bot.

The arena plays them by name, such as `python:benchmarks/advice_bots.py:high_bids_champion`. All chances are those of
the bot's own dice. A raise is safe if it is at least as likely true as false, and a bid is at the ceiling if no raise
over it is safe.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from liarsdice.bots.protocol import Bot
from liarsdice.bots.registry import make_bot
from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.core.actions import Challenge, PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid

SAFE = 0.5
LITTLE_RISK = 0.75
FAIR_CHANCE = 1 / 3
"""The chance of a raise from which on `fewer_challenges` prefers it to a challenge."""

Advice: TypeAlias = Callable[[View, BidOdds, PlayerAction], PlayerAction]
"""Returns the move on the bot's turn, given what it would do otherwise."""


class AdvisedBot:
    """Plays like `base`, except where its advice says something else on its turn."""

    def __init__(self, base: Bot, advice: Advice) -> None:
        self._base = base
        self._advice = advice

    def act(self, view: View) -> PlayerAction | None:
        """Return the move for a view."""
        move = self._base.act(view)
        return self._advice(view, BidOdds(view), move) if view.on_turn and move is not None else move


def at_ceiling(view: View, odds: BidOdds) -> bool:
    """Return whether no raise of the standing bid is safe, as the viewer sees it."""
    best = odds.most_probable(view.may_bid)
    return view.bid is not None and (best is None or best[1] < SAFE)


def bid_high(view: View, odds: BidOdds, move: PlayerAction, chance: float = SAFE) -> PlayerAction:
    """Advice: bid as high as is not too risky (at least as likely as `chance`), so that it does not come back."""
    if not isinstance(move, Bid):
        return move
    return next((bid for bid in reversed(view.may_bid) if odds.p_bid(bid) >= chance), move)


def challenge_at_ceiling(view: View, odds: BidOdds, move: PlayerAction) -> PlayerAction:
    """Advice: challenge if the standing bid seems to be the highest that can be true."""
    return Challenge() if view.may_challenge and at_ceiling(view, odds) else move


def raise_face_only(view: View, odds: BidOdds, move: PlayerAction) -> PlayerAction:
    """Advice: at the ceiling, raise the face and not the number if a challenge is too risky."""
    standing = view.bid
    if standing is None or odds.p_standing < SAFE or not at_ceiling(view, odds):
        return move
    best = odds.most_probable([bid for bid in view.may_bid if bid.quantity == standing.quantity])
    return move if best is None else best[0]


def challenge_face_raiser(view: View, odds: BidOdds, move: PlayerAction) -> PlayerAction:
    """Advice: challenge who raises the face alone, if the bid before seemed to be the highest that can be true."""
    return Challenge() if view.may_challenge and is_desperate_raise(view, odds) else move


def is_desperate_raise(view: View, odds: BidOdds) -> bool:
    """Return whether the standing bid raised the face alone, and one more of the face before it was not safe."""
    if len(view.bids) < 2:
        return False
    (_, before), (_, standing) = view.bids[-2:]
    return standing.quantity == before.quantity and odds.p_bid(Bid(before.quantity + 1, before.face)) < SAFE


def avoid_challenge(view: View, odds: BidOdds, move: PlayerAction) -> PlayerAction:
    """Advice: avoid challenges; raise instead unless that is too risky."""
    best = odds.most_probable(view.may_bid)
    return best[0] if isinstance(move, Challenge) and best is not None and best[1] >= FAIR_CHANCE else move


ADVICE: dict[str, Advice] = {
    "high_bids": bid_high,
    "rather_high_bids": partial(bid_high, chance=LITTLE_RISK),
    "ceiling_challenges": challenge_at_ceiling,
    "face_raises": raise_face_only,
    "face_raiser_challenges": challenge_face_raiser,
    "fewer_challenges": avoid_challenge,
}
BASES = {"champion": "champion@5", "counter": "threshold:0.4"}
"""The bots that are advised: a strong one that nobody understands, and one that counts as people do."""


def _factory(advice: Advice, base: str) -> Callable[[int | str | None], Bot]:
    return lambda seed: AdvisedBot(make_bot(base, seed), advice)


globals().update(
    {f"{name}_{short}": _factory(advice, base) for name, advice in ADVICE.items() for short, base in BASES.items()}
)
