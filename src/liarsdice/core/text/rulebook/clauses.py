"""The clauses of the rulebook in a player's order: which field each one states, and when it has something to state."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from liarsdice.core.rules import choices as c
from liarsdice.core.rules.applicability import (
    bids_are_about_own_dice,
    condition,
    dice_are_hidden,
    has_double_challenge,
    has_exact_call,
    has_penalties,
    has_pure_bids,
    has_special_round,
    may_show_dice,
    special_converts,
    special_is_biddable,
    special_is_wild,
    special_round_follows_loss,
)
from liarsdice.core.rules.lives import counts_taken, has_lives, lives_are_limited
from liarsdice.core.rules.parts import ExactCall, RuleChoices
from liarsdice.core.text.rulebook.bid_variants import (
    cap,
    hand_bonus,
    intro,
    max_open,
    needs_natural,
    only_the_opening_suspends,
    opens_otherwise,
    reveal,
    show_dice,
    special_rank,
    to_pure,
    wild,
    wild_and_biddable,
    worthless,
)
from liarsdice.core.text.rulebook.placeholders import example_raises, lowering_example
from liarsdice.core.text.rulebook.stakes_variants import (
    discard_shows_dice_left,
    end,
    for_lives,
    for_taken,
    penalties_and_special_round,
    penalty_timing,
    round_roll,
    taken,
)


def _always(_: RuleChoices) -> bool:
    return True


class Clause(msgspec.Struct, frozen=True):
    """One field of the rules in the rulebook: one sentence, or one for each item of a list.

    `path` is the dotted path of the field, or a name of the catalogue for a sentence that states no single field.
    `applies` says whether the rules have anything to state here. `variant` computes what is looked up in the catalogue
    instead of the value of the field. A clause with `needs_next_round` is left out in a match of one round, where it
    could never matter.
    """

    path: str
    applies: Callable[[RuleChoices], bool] = _always
    variant: Callable[[RuleChoices], object] | None = None
    needs_next_round: bool = False

    def is_stated(self, rules: RuleChoices) -> bool:
        """Return whether the rulebook states this clause under these rules."""
        return self.applies(rules) and not (self.needs_next_round and _has_one_round(rules))


def _text(path: str, applies: Callable[[RuleChoices], bool] = _always, *, needs_next_round: bool = False) -> Clause:
    """Return a clause with one sentence for all rules under which it applies."""
    return Clause(path, applies, lambda _: "", needs_next_round)


def _field(
    path: str, variant: Callable[[RuleChoices], object] | None = None, *, needs_next_round: bool = False
) -> Clause:
    """Return the clause of a field that does not always apply."""
    return Clause(path, condition(path), variant, needs_next_round)


def _has_one_round(rules: RuleChoices) -> bool:
    return rules.guards.max_rounds == 1


def _players(rules: RuleChoices) -> object:
    players = rules.players
    if players.max is None and players.per_set:
        return "none.set" if players.per_set != players.min else "none.set_as_min"
    return "as_min" if players.max == players.min else players.max


def _examples(rules: RuleChoices) -> object:
    higher, lower = example_raises(rules)
    return "both" if higher and lower else "higher"


def _on_exact(rules: RuleChoices) -> object:
    mode, payer = rules.loss.mode, rules.loss.on_exact
    return payer if mode is c.LossMode.FIXED else f"{payer}.{mode}"


def _exact_call(rules: RuleChoices) -> ExactCall:
    assert rules.exact_call is not None
    return rules.exact_call


def _exact_min_players(rules: RuleChoices) -> object:
    exact = _exact_call(rules)
    out_of_turn = exact.who is c.WhoCallsExact.OUT_OF_TURN
    return "2.out_of_turn" if out_of_turn and exact.min_players == 2 else exact.min_players


def _choices(rules: RuleChoices) -> object:
    exact = rules.exact_call
    return "two" if exact is None or exact.who is c.WhoCallsExact.OUT_OF_TURN else "three"


def _others_loss(rules: RuleChoices) -> object:
    exact = _exact_call(rules)
    return "0.bidder" if not exact.others_loss and exact.bidder_loss else exact.others_loss


def _bidder_loss(rules: RuleChoices) -> object:
    exact = _exact_call(rules)
    suffix = ".others" if exact.others_loss else ""
    return f"{exact.bidder_loss if not exact.bidder_loss else '#'}{suffix}"


def _several_may_come_down_to_one(rules: RuleChoices) -> bool:
    several_lose = rules.loss.on_exact is c.OnExact.ALL_BUT_BIDDER
    return special_round_follows_loss(rules) and (
        several_lose or (has_exact_call(rules) and _exact_call(rules).others_loss > 0)
    )


def _special_rank_is_stated(rules: RuleChoices) -> bool:
    """Return True; read `special_may_open` for a face that cannot be bid, as the sentence then stands for both."""
    return special_is_biddable(rules) or rules.bidding.special_may_open is False


def _wild_in_special_rounds(rules: RuleChoices) -> bool:
    suspended = c.SuspendedBy.SPECIAL_ROUND in rules.wilds.suspended_by
    return special_is_wild(rules) and has_special_round(rules) and not suspended


def _is_mustache_round(rules: RuleChoices) -> bool:
    """Return whether a special round has the name that rule sheet 003 gives it, in either spelling."""
    return has_special_round(rules) and re.search("mou?stache", rules.labels.special_round, re.IGNORECASE) is not None


def _penalties_bring_no_special_round(rules: RuleChoices) -> bool:
    """Return whether some penalties leave a player with one die but bring no special round."""
    between_rounds = rules.penalty_timing is c.PenaltyTiming.IMMEDIATE
    return has_penalties(rules) and has_special_round(rules) and (special_round_follows_loss(rules) or between_rounds)


def _special_round_without_next(rules: RuleChoices) -> bool:
    return has_special_round(rules) and _has_one_round(rules)


CLAUSES: dict[str, tuple[Clause, ...]] = {
    "need": (
        Clause("intro", variant=intro),
        Clause("players.max", variant=_players),
        _text("dice.per_player"),
        Clause("loss.lives", has_lives, for_taken("loss.lives")),
        Clause("loss.tally", lambda rules: lives_are_limited(rules) and counts_taken(rules)),
        Clause("labels.special_face", lambda rules: rules.labels.special_face is not None),
    ),
    "start": (
        Clause("first_starter.method"),
        _field("first_starter.dice"),
        _field("first_starter.tie"),
    ),
    "turn": (
        Clause("round.roll", variant=round_roll),
        _text("round.blind", dice_are_hidden, needs_next_round=True),
        Clause("count.all_different", lambda rules: rules.count.all_different is c.AllDifferent.ROLLED_AGAIN),
        Clause("turn.direction"),
        Clause("turn.starter_may_reverse"),
        _field("turn.reversal_persists", needs_next_round=True),
        _text("round.open"),
        Clause("round.choices", variant=_choices),
        _text("round.goes_on"),
    ),
    "bids": (
        Clause("count.scope"),
        Clause("bidding.min_open"),
        Clause("bidding.max_open", variant=max_open),
        _field("bidding.special_may_open"),
        Clause("bidding.raise"),
        Clause("bidding.raise.examples", lambda rules: bool(example_raises(rules)[0]), _examples),
        _text("bidding.raise.drop", lambda rules: lowering_example(rules) is not None),
        Clause("bidding.special_rank", _special_rank_is_stated, special_rank),
        _field("bidding.to_special"),
        _text("bidding.special_rank.more", special_converts),
        _field("bidding.from_special"),
        Clause("bidding.to_pure", has_pure_bids, to_pure),
        Clause("bidding.from_pure", has_pure_bids),
        Clause("bidding.min_open_pure", opens_otherwise("bidding.min_open_pure")),
        Clause("bidding.min_open_special", opens_otherwise("bidding.min_open_special")),
        Clause("bidding.show_dice", may_show_dice, show_dice),
        Clause("bidding.cap", variant=cap),
        Clause("bidding.no_repeat"),
        Clause("guards.max_bids_per_round"),
    ),
    "wilds": (
        Clause("wilds.special_is_wild", variant=wild),
        _text("wilds.own_bid", wild_and_biddable),
        Clause("wilds.suspended_by", lambda rules: special_is_wild(rules) and not has_pure_bids(rules)),
        _text("wilds.kept_by_later_bids", only_the_opening_suspends),
        _text("wilds.kept_in_special_round", _wild_in_special_rounds, needs_next_round=True),
        _field("wilds.needs_natural", needs_natural),
        Clause("count.hand_bonus", variant=hand_bonus),
        Clause("count.all_different", lambda rules: rules.count.all_different is c.AllDifferent.WORTHLESS, worthless),
    ),
    "calling": (
        Clause("challenge.who"),
        _text("labels.challenge_also", lambda rules: bool(rules.labels.challenge_also)),
        _text("challenge.own_word"),
        Clause("challenge.double", has_double_challenge),
        _field("challenge.tie_break"),
        Clause("round.reveal", variant=reveal),
        _text("round.own_dice", bids_are_about_own_dice),
        _text("round.truth"),
    ),
    "cost": (
        Clause("loss.mode"),
        Clause("loss.on_exact", variant=_on_exact),
        _field("loss.out_of_turn_factor"),
        Clause("loss.opening_factor", lambda rules: isinstance(rules.loss.opening_factor, int)),
        _field("loss.overflow", for_lives("loss.overflow")),
        Clause("loss.destination", variant=for_lives("loss.destination")),
    ),
    "exact": (
        Clause("exact_call", lambda rules: not has_exact_call(rules)),
        _field("exact_call.who"),
        _field("exact_call.success_gain", for_taken("exact_call.success_gain", 0)),
        _field("exact_call.gain_cap", for_taken("exact_call.gain_cap")),
        _field("exact_call.at_cap", for_taken("exact_call.at_cap")),
        _field("exact_call.others_loss", _others_loss),
        _field("exact_call.bidder_loss", _bidder_loss),
        _field("exact_call.failure_loss"),
        _field("exact_call.min_players", _exact_min_players),
        Clause("exact_call.min_dice", lambda rules: bool(rules.exact_call and rules.exact_call.min_dice)),
        _field("exact_call.in_special_round", needs_next_round=True),
        _field("exact_call.budget"),
        _field("exact_call.next_starter", needs_next_round=True),
        _field("exact_call.if_eliminated", needs_next_round=True),
    ),
    "next": (
        _text("next_starter.one_round", _has_one_round),
        Clause("next_starter.rule", needs_next_round=True),
        _field("next_starter.if_eliminated", needs_next_round=True),
    ),
    "special": (
        Clause("special_round", lambda rules: not has_special_round(rules)),
        _text("special_round.one_round", _special_round_without_next),
        _field("special_round.trigger", for_taken("special_round.trigger"), needs_next_round=True),
        _text("special_round.mustache", _is_mustache_round, needs_next_round=True),
        Clause("special_round.several", _several_may_come_down_to_one, taken, needs_next_round=True),
        _field("special_round.repeat", needs_next_round=True),
        _field("special_round.face_locked", needs_next_round=True),
        _field("special_round.lock_exempt", needs_next_round=True),
        _field("special_round.min_players", needs_next_round=True),
        Clause("special_round.visibility", dice_are_hidden, needs_next_round=True),
    ),
    "house": (
        Clause("penalties"),
        _text("penalties.dice_left", discard_shows_dice_left),
        _field("penalty_timing", penalty_timing),
        Clause(
            "penalties.special", _penalties_bring_no_special_round, penalties_and_special_round, needs_next_round=True
        ),
        Clause("table_talk"),
    ),
    "end": (
        _field("end", end),
        Clause("guards.max_rounds", variant=for_taken("guards.max_rounds", 1)),
    ),
}
"""The clauses of each section, in a player's order."""
