"""When the simple bots call: exact calls on their turn, and any call out of turn.

The worth of an answer is a number of dice, as if it were settled at once: what the bot gains or another loses when it
is right, less what the bot loses when it is wrong, each times its chance. A die that all others lose counts once.
"""

from __future__ import annotations

from liarsdice.bots.simple.bid_odds import Outlook
from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.engine.view import View
from liarsdice.core.rules.choices import GainCap, LossMode

CLEARLY = 0.5
"""The worth, in dice, from which an exact call out of turn is clearly favourable."""


def exact_is_best(view: View, outlook: Outlook, p_raise: float | None) -> bool:
    """Whether calling exact is worth more than challenging, and than the raise if it were doubted at once.

    `p_raise`: the chance of the bid that the bot would make instead; None where none is legal.
    """
    if not view.may_call_exact:
        return False
    loss = view.ruleset.loss
    stake = loss.fixed if loss.mode is LossMode.FIXED else 1
    instead = [(1 - 2 * outlook.p_standing) * stake] if view.may_challenge else []
    if p_raise is not None:
        instead.append((2 * p_raise - 1) * stake)
    return exact_worth(view, outlook.p_exactly) > max(instead)


def exact_worth(view: View, p_exactly: float) -> float:
    """The worth of an exact call, in dice; no more is regained than the rules let this seat hold."""
    call = view.ruleset.exact_call
    assert call is not None
    assert view.seat is not None
    gain = call.success_gain
    if call.gain_cap is GainCap.STARTING_DICE:
        gain = max(min(gain, view.ruleset.dice.per_player - view.dice[view.seat]), 0)
    return p_exactly * (gain + call.others_loss + call.bidder_loss) - (1 - p_exactly) * call.failure_loss


def out_of_turn(view: View, outlook: Outlook, t: float) -> Challenge | Exact | None:
    """A call when it is somebody else's turn, where it is clearly favourable; else None.

    A bot that keeps silent risks nothing, and what it wins is shared by all but the bidder. So it challenges only if
    P(standing bid true) < t / (out_of_turn_factor × opponents with dice), and calls exact only if that is worth more
    than half a die.
    """
    if view.may_challenge:
        limit = t / (view.ruleset.loss.out_of_turn_factor * len(view.others))
        if outlook.p_standing < limit:
            return Challenge()
    if view.may_call_exact and exact_worth(view, outlook.p_exactly) > CLEARLY:
        return Exact()
    return None
