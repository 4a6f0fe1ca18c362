"""The order in which the rulebook tells the rules: a line per rule choice, and when it has something to say."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from liarsdice.core.rules import choices as c
from liarsdice.core.rules.ruleset import ExactCall, Ruleset
from liarsdice.core.text.rulebook.placeholders import drop, neighbours


def _always(_: Ruleset) -> bool:
    return True


class Line(msgspec.Struct, frozen=True):
    """One rule choice in the book: a sentence per value, one for each item of a list.

    `path` is its field, or a bare name that the catalogue knows; `applies` says when there is anything to tell;
    `variant` is what to look up instead of the field's value, None for the bare name.
    """

    path: str
    applies: Callable[[Ruleset], bool] = _always
    variant: Callable[[Ruleset], object] | None = None


def _fixed(path: str, applies: Callable[[Ruleset], bool] = _always) -> Line:
    return Line(path, applies, lambda _: "")


def _players(rules: Ruleset) -> object:
    return "as_min" if rules.players.max == rules.players.min else rules.players.max


def _max_open(rules: Ruleset) -> object:
    most = rules.bidding.max_open
    return "players" if most is not None and isinstance(rules.bidding.min_open, c.MinOpen) else most


def _cap(rules: Ruleset) -> object:
    cap = rules.bidding.cap
    stairs = isinstance(cap, c.Cap) and rules.count.hand_bonus is c.HandBonus.STAIRS
    return f"{cap}.stairs" if stairs else cap


def _examples(rules: Ruleset) -> object:
    higher, lower = neighbours(rules)
    return "both" if higher and lower else "higher"


def _on_exact(rules: Ruleset) -> object:
    mode, payer = rules.loss.mode, rules.loss.on_exact
    return payer if mode is c.LossMode.FIXED else f"{payer}.{mode}"


def _wild(rules: Ruleset) -> object:
    wild = rules.wilds.special_is_wild
    return "false.unbid" if not wild and not _biddable(rules) else wild


def _bidder_loss(rules: Ruleset) -> object:
    exact = _exact(rules)
    ending = ".others" if exact.others_loss else ""
    return f"{exact.bidder_loss if not exact.bidder_loss else '#'}{ending}"


def _exact(rules: Ruleset) -> ExactCall:
    assert rules.exact_call is not None
    return rules.exact_call


def _has_exact(rules: Ruleset) -> bool:
    return rules.exact_call is not None


def _has_special(rules: Ruleset) -> bool:
    return rules.special_round is not None


def _face_locked(rules: Ruleset) -> bool:
    return rules.special_round is not None and rules.special_round.face_locked


def _several_down(rules: Ruleset) -> bool:
    several = rules.loss.on_exact is c.OnExact.ALL_BUT_BIDDER
    return _has_special(rules) and (several or (_has_exact(rules) and _exact(rules).others_loss > 0))


def _biddable(rules: Ruleset) -> bool:
    return rules.bidding.special_rank is not c.SpecialRank.NOT_BIDDABLE


def _rank_told(rules: Ruleset) -> bool:
    """Always; a face that cannot be bid cannot open either, so that its sentence tells both."""
    return _biddable(rules) or rules.bidding.special_may_open is False


def _converts(rules: Ruleset) -> bool:
    return rules.bidding.special_rank is c.SpecialRank.CONVERT


def _can_leave(rules: Ruleset) -> bool:
    return _converts(rules) and rules.bidding.from_special is not c.FromSpecial.NEVER


def _is_wild(rules: Ruleset) -> bool:
    return rules.wilds.special_is_wild


def _wild_and_bid(rules: Ruleset) -> bool:
    return _is_wild(rules) and _biddable(rules)


def _kept_later(rules: Ruleset) -> bool:
    reasons = rules.wilds.suspended_by
    return c.SuspendedBy.OPENING_BID_ON_SPECIAL in reasons and c.SuspendedBy.ANY_BID_ON_SPECIAL not in reasons


def _kept_in_special(rules: Ruleset) -> bool:
    return _is_wild(rules) and _has_special(rules) and c.SuspendedBy.SPECIAL_ROUND not in rules.wilds.suspended_by


def _races(rules: Ruleset) -> bool:
    anyone = c.WhoCalls.ANYONE_BUT_BIDDER
    return rules.challenge.who is anyone or (_has_exact(rules) and _exact(rules).who is anyone)


def _out_of_turn(rules: Ruleset) -> bool:
    return rules.challenge.who is c.WhoCalls.ANYONE_BUT_BIDDER


def _gains(rules: Ruleset) -> bool:
    return _has_exact(rules) and _exact(rules).success_gain > 0


def _capped_gain(rules: Ruleset) -> bool:
    return _has_exact(rules) and _exact(rules).gain_cap is not None


def _starter_may_be_out(rules: Ruleset) -> bool:
    return rules.next_starter.rule in _MAY_BE_OUT


def _exact_starter_may_be_out(rules: Ruleset) -> bool:
    return _has_exact(rules) and _exact(rules).next_starter in _MAY_BE_OUT


def _exact_in_special_told(rules: Ruleset) -> bool:
    return _has_exact(rules) and _has_special(rules)


def _by_roll(rules: Ruleset) -> bool:
    return rules.first_starter.method is c.StarterMethod.HIGH_ROLL


def _may_reverse(rules: Ruleset) -> bool:
    return rules.turn.starter_may_reverse


def _penalties(rules: Ruleset) -> bool:
    return bool(rules.penalties)


def _penalties_and_special(rules: Ruleset) -> bool:
    return _penalties(rules) and _has_special(rules)


_MAY_BE_OUT = (c.NextStarter.LOSER, c.NextStarter.CALLER, c.NextStarter.BIDDER)

OUTLINE: dict[str, tuple[Line, ...]] = {
    "need": (
        _fixed("intro"),
        Line("players.max", variant=_players),
        _fixed("dice.per_player"),
        Line("labels.special_face", lambda rules: rules.labels.special_face is not None),
    ),
    "start": (
        Line("first_starter.method"),
        Line("first_starter.dice", _by_roll),
        Line("first_starter.tie", _by_roll),
    ),
    "turn": (
        _fixed("round.roll"),
        Line("turn.direction"),
        Line("turn.starter_may_reverse"),
        Line("turn.reversal_persists", _may_reverse),
        _fixed("round.open"),
        Line("round.choices", variant=lambda rules: "three" if _has_exact(rules) else "two"),
        _fixed("round.goes_on"),
    ),
    "bids": (
        Line("count.scope"),
        Line("bidding.min_open"),
        Line("bidding.max_open", variant=_max_open),
        Line("bidding.special_may_open", _biddable),
        Line("bidding.raise"),
        Line("bidding.raise.examples", lambda rules: bool(neighbours(rules)[0]), _examples),
        _fixed("bidding.raise.drop", lambda rules: drop(rules) is not None),
        Line("bidding.special_rank", _rank_told),
        Line("bidding.to_special", _converts),
        _fixed("bidding.special_rank.more", _can_leave),
        Line("bidding.from_special", _converts),
        Line("bidding.cap", variant=_cap),
        Line("bidding.no_repeat"),
        Line("guards.max_bids_per_round"),
    ),
    "wilds": (
        Line("wilds.special_is_wild", variant=_wild),
        _fixed("wilds.own_bid", _wild_and_bid),
        Line("wilds.suspended_by", _is_wild),
        _fixed("wilds.kept_by_later_bids", _kept_later),
        _fixed("wilds.kept_in_special_round", _kept_in_special),
        Line("wilds.needs_natural", _is_wild),
        Line("count.hand_bonus"),
    ),
    "calling": (
        Line("challenge.who"),
        Line("challenge.tie_break", _races),
        Line("round.reveal", variant=_is_wild),
        _fixed("round.truth"),
    ),
    "cost": (
        Line("loss.mode"),
        Line("loss.on_exact", variant=_on_exact),
        Line("loss.out_of_turn_factor", _out_of_turn),
        Line("loss.overflow"),
        Line("loss.destination"),
    ),
    "exact": (
        Line("exact_call", lambda rules: not _has_exact(rules)),
        Line("exact_call.who", _has_exact),
        Line("exact_call.success_gain", _has_exact),
        Line("exact_call.gain_cap", _gains),
        Line("exact_call.at_cap", _capped_gain),
        Line("exact_call.others_loss", _has_exact),
        Line("exact_call.bidder_loss", _has_exact, _bidder_loss),
        Line("exact_call.failure_loss", _has_exact),
        Line("exact_call.min_players", _has_exact),
        Line("exact_call.in_special_round", _exact_in_special_told),
        Line("exact_call.budget", _has_exact),
        Line("exact_call.next_starter", _has_exact),
        Line("exact_call.if_eliminated", _exact_starter_may_be_out),
    ),
    "next": (
        Line("next_starter.rule"),
        Line("next_starter.if_eliminated", _starter_may_be_out),
    ),
    "special": (
        Line("special_round", lambda rules: not _has_special(rules)),
        Line("special_round.trigger", _has_special),
        _fixed("special_round.several", _several_down),
        Line("special_round.repeat", _has_special),
        Line("special_round.face_locked", _has_special),
        Line("special_round.lock_exempt", _face_locked),
        Line("special_round.min_players", _has_special),
    ),
    "house": (
        Line("penalties"),
        Line("penalty_timing", _penalties),
        _fixed("penalties.special", _penalties_and_special),
        Line("table_talk"),
    ),
    "end": (
        Line("end"),
        Line("guards.max_rounds"),
    ),
}
"""The lines of each section, in a player's order."""
