"""When the simple bots pass, and when they doubt a pass.

A true pass costs nothing, so a bot whose hand allows one passes if it would not challenge and its best bid is not
safe. It never passes falsely while it has another move. It doubts a pass that is improbable, if that is likelier to win
than a challenge.
"""

from __future__ import annotations

from liarsdice.bots.simple.pass_beliefs import p_pass_true
from liarsdice.core.actions import ChallengePass, Pass, PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.rules.meaning import pass_hand_of

SAFE_BID = 0.75
"""The probability from which a bot bids although it could pass."""


def pass_or_doubt(view: View, p_standing: float, p_raise: float | None, t: float) -> PlayerAction | None:
    """Return a pass or the doubt of one for a bot on turn, None if it does better to bid or to challenge.

    `p_standing`: the probability of the standing bid. `p_raise`: that of the best legal bid, None without one. `t`: the
    probability below which the bot calls.
    """
    p_true = _p_latest_pass(view)
    if p_true is not None and p_true < min(t, p_standing if view.may_challenge else 1.0):
        return ChallengePass()
    calls = view.may_challenge and p_standing < t
    if view.may_pass and pass_hand_of(view.ruleset, view.hand) and not calls and (p_raise or 0.0) < SAFE_BID:
        return Pass()
    return ChallengePass() if must_challenge_pass(view) else None


def must_challenge_pass(view: View) -> bool:
    """Return whether a player can only doubt a pass or pass as well: the bidder, if no bid is higher."""
    other_moves = view.may_bid or view.unlimited or view.may_challenge or view.may_call_exact
    return view.may_challenge_pass and not other_moves


def _p_latest_pass(view: View) -> float | None:
    """Return the probability that the pass of the player before is true; None if it may not be doubted."""
    if not view.may_challenge_pass or view.passer is None:
        return None
    return p_pass_true(view.ruleset, view.dice[view.passer])
