"""The clauses of the rulebook in a player's order: which field each one states, and when it has something to state."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from liarsdice.core.rules import choices as c
from liarsdice.core.rules.meaning import (
    bids_are_about_own_dice,
    condition,
    counts_taken,
    dice_are_hidden,
    dice_differ_by_seat,
    doubles_are_answered,
    has_double_challenge,
    has_exact_call,
    has_face_off,
    has_lives,
    has_passes,
    has_pure_bids,
    has_special_round,
    lives_are_limited,
    may_show_dice,
    special_converts,
    special_is_wild,
)
from liarsdice.core.rules.parts import RuleChoices
from liarsdice.core.text.rulebook.bid_variants import (
    cap,
    dice,
    faces_by_seat,
    hand_bonus,
    intro,
    max_bids,
    max_open,
    needs_natural,
    only_the_opening_suspends,
    opens_otherwise,
    pass_dice,
    reveal,
    show_dice,
    special_rank,
    starting_dice,
    to_pure,
    wild,
    wild_and_biddable,
    wins_dice_that_differ,
    worthless,
)
from liarsdice.core.text.rulebook.clause_variants import (
    bidder_loss,
    choices_on_turn,
    exact_min_players,
    goes_on,
    has_one_round,
    is_mustache_round,
    may_reverse,
    on_exact,
    others_loss,
    passes_cost_no_difference,
    penalties_bring_no_special_round,
    player_limit,
    raise_examples,
    several_may_come_down_to_one,
    special_rank_is_stated,
    special_round_without_next,
    wild_in_special_rounds,
)
from liarsdice.core.text.rulebook.placeholders import example_raises, lowering_example
from liarsdice.core.text.rulebook.stakes_variants import (
    discard_shows_dice_left,
    end,
    for_lives,
    for_taken,
    max_rounds,
    penalties_and_special_round,
    penalty_timing,
    round_roll,
    special_round_repeat,
    special_round_trigger,
    special_round_visibility,
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
        return self.applies(rules) and not (self.needs_next_round and has_one_round(rules))


def _text(path: str, applies: Callable[[RuleChoices], bool] = _always, *, needs_next_round: bool = False) -> Clause:
    """Return a clause with one sentence for all rules under which it applies."""
    return Clause(path, applies, lambda _: "", needs_next_round)


def _field(
    path: str, variant: Callable[[RuleChoices], object] | None = None, *, needs_next_round: bool = False
) -> Clause:
    """Return the clause of a field that does not always apply."""
    return Clause(path, condition(path), variant, needs_next_round)


CLAUSES: dict[str, tuple[Clause, ...]] = {
    "need": (
        Clause("intro", variant=intro),
        Clause("players.max", variant=player_limit),
        Clause("dice.per_player", variant=dice),
        Clause("dice.faces_by_seat", dice_differ_by_seat, faces_by_seat),
        _text("dice.won_by_seat", wins_dice_that_differ, needs_next_round=True),
        Clause("loss.lives", has_lives, for_taken("loss.lives")),
        Clause("loss.tally", lambda rules: lives_are_limited(rules) and counts_taken(rules)),
        Clause("labels.special_face", lambda rules: rules.labels.special_face is not None),
    ),
    "start": (
        Clause("first_starter.method"),
        _field("first_starter.dice", starting_dice),
        _field("first_starter.tie"),
    ),
    "turn": (
        Clause("round.roll", variant=round_roll),
        _text("round.blind", dice_are_hidden, needs_next_round=True),
        Clause("count.all_different", lambda rules: rules.count.all_different is c.AllDifferent.ROLLED_AGAIN),
        Clause("turn.direction"),
        Clause("turn.starter_may_reverse", variant=may_reverse),
        _field("turn.reversal_persists", needs_next_round=True),
        _text("round.open"),
        Clause("round.choices", variant=choices_on_turn),
        Clause("round.goes_on", variant=goes_on),
    ),
    "bids": (
        Clause("count.scope"),
        Clause("bidding.min_open"),
        Clause("bidding.max_open", variant=max_open),
        _field("bidding.special_may_open"),
        Clause("bidding.raise"),
        Clause("bidding.raise.examples", lambda rules: bool(example_raises(rules)[0]), raise_examples),
        _text("bidding.raise.drop", lambda rules: lowering_example(rules) is not None),
        Clause("bidding.special_rank", special_rank_is_stated, special_rank),
        _field("bidding.to_special"),
        _text("bidding.special_rank.more", special_converts),
        _field("bidding.from_special"),
        Clause("bidding.to_pure", has_pure_bids, to_pure),
        Clause("bidding.from_pure", has_pure_bids),
        Clause("bidding.min_open_pure", opens_otherwise("bidding.min_open_pure")),
        Clause("bidding.min_open_special", opens_otherwise("bidding.min_open_special")),
        Clause("bidding.show_dice", may_show_dice, show_dice),
        _text("pass.bid", has_passes),
        Clause("bidding.pass_with", has_passes),
        _field("bidding.pass_dice", pass_dice),
        _text("pass.dice", has_passes),
        _text("pass.bidder", has_passes),
        Clause("bidding.face_off", has_face_off),
        _text("face_off.wilds", lambda rules: has_face_off(rules) and special_is_wild(rules)),
        _text("face_off.special", lambda rules: has_face_off(rules) and has_special_round(rules)),
        _text("face_off.pass", lambda rules: has_face_off(rules) and has_passes(rules)),
        Clause("bidding.cap", variant=cap),
        Clause("bidding.no_repeat"),
        Clause("guards.max_bids_per_round", variant=max_bids),
    ),
    "wilds": (
        Clause("wilds.special_is_wild", variant=wild),
        _text("wilds.own_bid", wild_and_biddable),
        Clause("wilds.suspended_by", lambda rules: special_is_wild(rules) and not has_pure_bids(rules)),
        _text("wilds.kept_by_later_bids", only_the_opening_suspends),
        _text("wilds.kept_in_special_round", wild_in_special_rounds, needs_next_round=True),
        _field("wilds.needs_natural", needs_natural),
        Clause("count.hand_bonus", variant=hand_bonus),
        Clause("count.all_different", lambda rules: rules.count.all_different is c.AllDifferent.WORTHLESS, worthless),
    ),
    "calling": (
        Clause("challenge.who"),
        _text("labels.challenge_also", lambda rules: bool(rules.labels.challenge_also)),
        _text("challenge.own_word"),
        Clause("challenge.double", has_double_challenge),
        Clause("challenge.answers", doubles_are_answered),
        _field("challenge.tie_break"),
        Clause("round.reveal", variant=reveal),
        _text("round.own_dice", bids_are_about_own_dice),
        _text("round.truth"),
        _text("face_off.truth", has_face_off),
        _text("pass.doubt", has_passes),
    ),
    "cost": (
        Clause("loss.mode"),
        Clause("loss.on_exact", variant=on_exact),
        _text("pass.cost", passes_cost_no_difference),
        _field("loss.out_of_turn_factor"),
        Clause("loss.opening_factor", lambda rules: isinstance(rules.loss.opening_factor, int)),
        _field("loss.overflow", for_lives("loss.overflow")),
        Clause("loss.destination", variant=for_lives("loss.destination")),
    ),
    "exact": (
        Clause("exact_call", lambda rules: not has_exact_call(rules)),
        _field("exact_call.who"),
        _text("face_off.exact", lambda rules: has_exact_call(rules) and has_face_off(rules)),
        _field("exact_call.success_gain", for_taken("exact_call.success_gain", 0)),
        _field("exact_call.gain_cap", for_taken("exact_call.gain_cap")),
        _field("exact_call.at_cap", for_taken("exact_call.at_cap")),
        _field("exact_call.others_loss", others_loss),
        _field("exact_call.bidder_loss", bidder_loss),
        _field("exact_call.failure_loss"),
        _field("exact_call.min_players", exact_min_players),
        Clause("exact_call.min_dice", lambda rules: bool(rules.exact_call and rules.exact_call.min_dice)),
        _field("exact_call.in_special_round", needs_next_round=True),
        _field("exact_call.budget"),
        _field("exact_call.next_starter", needs_next_round=True),
        _field("exact_call.if_eliminated", needs_next_round=True),
    ),
    "next": (
        _text("next_starter.one_round", has_one_round),
        Clause("next_starter.rule", needs_next_round=True),
        _field("next_starter.if_eliminated", needs_next_round=True),
    ),
    "special": (
        Clause("special_round", lambda rules: not has_special_round(rules)),
        _text("special_round.one_round", special_round_without_next),
        _field("special_round.trigger", special_round_trigger, needs_next_round=True),
        _text("special_round.mustache", is_mustache_round, needs_next_round=True),
        Clause("special_round.several", several_may_come_down_to_one, taken, needs_next_round=True),
        _field("special_round.repeat", special_round_repeat, needs_next_round=True),
        _field("special_round.face_locked", needs_next_round=True),
        _field("special_round.lock_exempt", needs_next_round=True),
        _field("special_round.min_players", needs_next_round=True),
        Clause("special_round.visibility", dice_are_hidden, special_round_visibility, needs_next_round=True),
    ),
    "house": (
        Clause("penalties"),
        _text("penalties.dice_left", discard_shows_dice_left),
        _field("penalty_timing", penalty_timing),
        Clause(
            "penalties.special", penalties_bring_no_special_round, penalties_and_special_round, needs_next_round=True
        ),
        Clause("table_talk"),
    ),
    "end": (
        _field("end", end),
        Clause("guards.max_rounds", variant=max_rounds),
    ),
}
"""The clauses of each section, in a player's order."""
