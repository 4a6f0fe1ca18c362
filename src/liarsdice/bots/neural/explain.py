"""Why the champion plays as it does: how likely the standing bid is, what others may hold, what each move is worth."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import msgspec
import numpy as np

from liarsdice.bots.endgames import endgame_worths
from liarsdice.bots.neural.belief import Belief, beliefs, counts, rolls
from liarsdice.bots.neural.champion import LATEST, Champion, model, move_of
from liarsdice.bots.neural.features import read
from liarsdice.bots.neural.network import Network, shipped
from liarsdice.bots.neural.observation import scene_of
from liarsdice.bots.simple.bid_odds import Outlook
from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import View
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import LossMode
from liarsdice.core.rules.tally import tally, wilds_after_bid


class Chances(msgspec.Struct, frozen=True):
    """Of the standing bid, 0..1: that it is true and that it is exactly right, by the own dice alone, and as heard."""

    p_true: float
    p_exact: float
    p_true_heard: float
    p_exact_heard: float


class Heard(msgspec.Struct, frozen=True):
    """How many dice of a seat count for the standing bid, beside the own hand: by chance alone, and after its bids."""

    seat: int
    by_chance: float
    believed: float


class Option(msgspec.Struct, frozen=True):
    """A move that the champion weighs: how likely it makes it, and the share of the match (0..1) that it expects.

    Of each face it weighs four quantities in a row, and all where the rest of the match is solved. `p_right`,
    `p_right_heard`: that a bid is true, or a call right, by the own dice alone and as heard; None for what can be
    neither. `move`: None for silence out of turn.
    """

    move: PlayerAction | None
    chance: float
    worth: float
    p_right: float | None
    p_right_heard: float | None


class Explanation(msgspec.Struct, frozen=True):
    """What the champion thinks of a view.

    `standing` is None where nobody has bid; `heard` has who bid in this round; `options`, the best first, are empty for
    a seat that may do nothing; `beliefs`, by seat: what it may hold.
    """

    standing: Chances | None
    heard: tuple[Heard, ...]
    options: tuple[Option, ...]
    beliefs: dict[int, Belief]


@cache
def judge() -> Network:
    """The network that says what the newest champion's answers are worth, as it came with the package."""
    return shipped(f"values-{LATEST}")


def explain(shown: View) -> Explanation:
    """What the newest champion thinks of a view in mid-round.

    Raises `MalformedError` for a spectator, a seat without dice and outside a round, and `UnavailableError` for rules
    that the network cannot read.
    """
    if shown.seat is None or not shown.hand or shown.phase is not Phase.BIDDING:
        raise MalformedError("only a player with dice has something to think about, between the deal and the reveal")
    believed = beliefs(shown, model(LATEST))
    standing = _standing(shown, believed)
    return Explanation(
        standing=standing,
        heard=_heard(shown, believed),
        options=_options(shown, believed, standing) if shown.moves else (),
        beliefs=believed,
    )


def _standing(shown: View, believed: dict[int, Belief]) -> Chances | None:
    bid = shown.bid
    if bid is None:
        return None
    outlook, heard = Outlook(shown), counts(shown, believed, bid.face, wilds_count=shown.wilds_count)
    exactly = _sum(heard[bid.quantity : bid.quantity + 1])
    return Chances(outlook.p_standing, outlook.p_exactly, _sum(heard[bid.quantity :]), exactly)


def _sum(chances: tuple[float, ...]) -> float:
    """Their sum, 0..1 however they are rounded."""
    return min(max(float(sum(chances)), 0.0), 1.0)


def _heard(shown: View, believed: dict[int, Belief]) -> tuple[Heard, ...]:
    """Who bid in this round, and what that says about the standing face."""
    if shown.bid is None:
        return ()
    rules, face = shown.ruleset, shown.bid.face
    found = []
    for seat in dict.fromkeys(bidder for bidder, _ in shown.bids if bidder in believed):
        belief, (_, rolled) = believed[seat], rolls(rules.dice.faces, shown.dice[seat])
        counted = [
            tally(rules, (shown.hand, hand), face, wilds_count=shown.wilds_count).counted[1] for hand in belief.hands
        ]
        found.append(Heard(seat, float(np.dot(counted, rolled)), float(np.dot(counted, belief.chances))))
    return tuple(found)


def _options(shown: View, believed: dict[int, Belief], standing: Chances | None) -> tuple[Option, ...]:
    played = Champion(model(LATEST)).weighed(shown)
    found = []
    for move, share in (_solved(shown, believed) or _judged(shown)).items():
        plain, heard = _right(shown, believed, standing, move)
        found.append(Option(move, played.get(move, 0.0), _bounded(shown, move, share, heard), plain, heard))
    return tuple(sorted(found, key=lambda option: -option.worth))


def _solved(shown: View, believed: dict[int, Belief]) -> Mapping[Bid | Challenge | Exact, float] | None:
    """What each move is worth where the rest of the match is solved, against a player who holds what is believed."""
    (belief, *more) = believed.values()
    return None if more else endgame_worths(shown, dict(zip(belief.hands, belief.chances, strict=True)))


def _judged(shown: View) -> dict[PlayerAction | None, float]:
    """What each move is worth as far as the judge can tell; of each face four quantities."""
    reading = read(scene_of(shown), knows_stairs=judge().knows_stairs)
    worth = judge().outputs(reading.numbers)[0].clip(0, 1)
    return {
        move_of(shown, reading, answer): float(worth[answer]) for answer in np.flatnonzero(reading.legal[0]).tolist()
    }


def _bounded(shown: View, move: PlayerAction | None, share: float, p_right: float | None) -> float:
    """What a move is worth, where a call that stakes somebody's last dice is worth no more or less than its chance."""
    if p_right is None or isinstance(move, Bid) or shown.seat is None or shown.bidder is None:
        return share
    loss, exact = shown.ruleset.loss, shown.ruleset.exact_call
    stake = loss.fixed if loss.mode is LossMode.FIXED else min(loss.exact, 1)
    stake *= 1 if shown.on_turn else loss.out_of_turn_factor
    if isinstance(move, Exact):
        stake = 0 if exact is None else exact.failure_loss
    elif len(shown.others) == 1 and shown.dice[shown.bidder] <= stake:
        share = max(share, p_right)
    return min(share, p_right) if shown.dice[shown.seat] <= stake else share


def _right(
    shown: View, believed: dict[int, Belief], standing: Chances | None, move: PlayerAction | None
) -> tuple[float | None, float | None]:
    """How likely a bid is true, or a call right: by the own dice alone, and as heard."""
    if isinstance(move, Bid):
        wilds = wilds_after_bid(shown.ruleset, move.face, wilds_count=shown.wilds_count, opening=shown.bid is None)
        heard = counts(shown, believed, move.face, wilds_count=wilds)
        return Outlook(shown).p_bid(move), _sum(heard[move.quantity :])
    if isinstance(move, Challenge) and standing:
        return _sum((1, -standing.p_true)), _sum((1, -standing.p_true_heard))
    if isinstance(move, Exact) and standing:
        return standing.p_exact, standing.p_exact_heard
    return None, None
