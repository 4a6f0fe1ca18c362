"""The clauses of the rulebook in a player's order: which field each one states, and when it has something to state."""

import re
from collections.abc import Callable

import msgspec

from liarsdice.core.rules import choices as c
from liarsdice.core.rules.choices import Destination
from liarsdice.core.rules.meaning import (
    all_rounds_are_hidden,
    ante_of,
    bids_are_about_own_dice,
    calls_exact,
    condition,
    counts_taken,
    dice_are_hidden,
    dice_differ_by_seat,
    doubles_are_answered,
    exact_claim,
    field_applies,
    has_double_challenge,
    has_exact_call,
    has_face_off,
    has_lives,
    has_passes,
    has_pure_bids,
    has_special_round,
    kind_is_chosen,
    least_dice,
    lives_are_limited,
    may_show_dice,
    roll_count_to_pass,
    sheds,
    special_converts,
    special_is_biddable,
    special_is_wild,
    special_round_follows_loss,
    special_round_is_declared,
    visibility_of,
)
from liarsdice.core.rules.overlay import field_value
from liarsdice.core.rules.parts import ExactCall, RuleChoices
from liarsdice.core.text.rulebook.language import example_raises, lowering_example


def _has_one_round(rules: RuleChoices) -> bool:
    """Return whether a match has one round only."""
    return rules.guards.max_rounds == 1


def _player_limit(rules: RuleChoices) -> object:
    """Return which sentence states the number of players, or the largest number."""
    players = rules.players
    if players.max is None and players.per_set:
        return "none.set" if players.per_set != players.min else "none.set_as_min"
    return "as_min" if players.max == players.min else players.max


def _raise_examples(rules: RuleChoices) -> object:
    """Return whether examples of raises include one to a lower bid on a higher face."""
    higher, lower = example_raises(rules)
    return "both" if higher and lower else "higher"


def _on_exact(rules: RuleChoices) -> object:
    """Return who pays for a challenge of an exact bid, and how much if that is not fixed."""
    mode, payer = rules.loss.mode, rules.loss.on_exact
    shed = ".shed" if sheds(rules) and payer is c.OnExact.CHALLENGER else ""
    return payer if mode is c.LossMode.FIXED else f"{payer}.{mode}{shed}"


def _exact_call_of(rules: RuleChoices) -> ExactCall:
    """Return the exact call of rules that have one."""
    assert rules.exact_call is not None
    return rules.exact_call


def _exact_min_players(rules: RuleChoices) -> object:
    """Return the least number of players for the exact call; two need a sentence only out of turn."""
    exact = _exact_call_of(rules)
    out_of_turn = calls_exact(rules) and exact.who is c.WhoCallsExact.OUT_OF_TURN
    return "2.out_of_turn" if out_of_turn and exact.min_players == 2 else exact.min_players


def _choices_on_turn(rules: RuleChoices) -> object:
    """Return how many kinds of moves a player on turn chooses from."""
    exact = rules.exact_call
    only_out_of_turn = exact is not None and calls_exact(rules) and exact.who is c.WhoCallsExact.OUT_OF_TURN
    count = "two" if exact is None or only_out_of_turn else "three"
    return f"{count}.pass" if has_passes(rules) else count


def _may_reverse(rules: RuleChoices) -> object:
    allowed = rules.turn.starter_may_reverse
    return f"{str(allowed).lower()}.hidden" if allowed and visibility_of(rules) else allowed


def _others_loss(rules: RuleChoices) -> object:
    """Return what an exact call that is right costs the others, or that it costs the bidder alone."""
    exact = _exact_call_of(rules)
    return "0.bidder" if not exact.others_loss and exact.bidder_loss else exact.others_loss


def _bidder_loss(rules: RuleChoices) -> object:
    """Return what an exact call that is right costs the bidder, on top of what it costs the others."""
    exact = _exact_call_of(rules)
    suffix = ".others" if exact.others_loss else ""
    return f"{exact.bidder_loss if not exact.bidder_loss else '#'}{suffix}"


def _several_may_come_down_to_one(rules: RuleChoices) -> bool:
    """Return whether several players can come down to one die in one round."""
    several_lose = rules.loss.on_exact is c.OnExact.ALL_BUT_BIDDER or rules.loss.shed_by is c.ShedBy.ALL_BUT_LOSER
    return special_round_follows_loss(rules) and (
        several_lose or (has_exact_call(rules) and _exact_call_of(rules).others_loss > 0)
    )


def _special_rank_is_stated(rules: RuleChoices) -> bool:
    """Return True; read `special_may_open` for a face that cannot be bid, as the sentence then stands for both."""
    return special_is_biddable(rules) or rules.bidding.special_may_open is False


def _wild_in_special_rounds(rules: RuleChoices) -> bool:
    """Return whether special dice stay wild in special rounds."""
    suspended = c.SuspendedBy.SPECIAL_ROUND in rules.wilds.suspended_by
    return special_is_wild(rules) and has_special_round(rules) and not suspended


def _is_mustache_round(rules: RuleChoices) -> bool:
    """Return whether a special round has the name that rule sheet 003 gives it, in either spelling."""
    return has_special_round(rules) and re.search("mo?ustache", rules.labels.special_round, re.IGNORECASE) is not None


def _penalties_bring_no_special_round(rules: RuleChoices) -> bool:
    """Return whether some penalties leave a player with one die but bring no special round."""
    between_rounds = rules.penalty_timing is c.PenaltyTiming.IMMEDIATE
    by_opening = between_rounds and not special_round_is_declared(rules)
    return bool(rules.penalties) and has_special_round(rules) and (special_round_follows_loss(rules) or by_opening)


def _round_roll(rules: RuleChoices) -> object:
    kind = "one_round" if rules.guards.max_rounds == 1 else "lives" if has_lives(rules) else ""
    return ".".join(filter(None, (kind, "hidden" if all_rounds_are_hidden(rules) else "")))


def for_lives(path: str) -> Callable[[RuleChoices], object]:
    """Return the variant of a field that is in other words if losses cost lives, are counted up, or are shed."""

    def variant(rules: RuleChoices) -> object:
        kind = ".taken" if counts_taken(rules) else ".lives" if has_lives(rules) else ""
        value = field_value(rules, path)
        return f"{value}{'.shed' if sheds(rules) and value is not Destination.OPPONENT else kind}"

    return variant


def for_taken(path: str, own_number: int | None = None) -> Callable[[RuleChoices], object]:
    """Return the variant of a field that is stated in other words if lives are counted as they are taken.

    `own_number`: the number that has a sentence of its own.
    """
    return _in_other_words(path, "taken", counts_taken, own_number)


def for_shed(path: str, own_number: int | None = None) -> Callable[[RuleChoices], object]:
    """Return the variant of a field as `for_taken`, or as it is stated where players shed."""
    taken, shed = for_taken(path, own_number), _in_other_words(path, "shed", sheds, own_number)
    return lambda rules: shed(rules) if sheds(rules) else taken(rules)


def _in_other_words(
    path: str, words: str, apply: Callable[[RuleChoices], bool], own_number: int | None
) -> Callable[[RuleChoices], object]:
    def variant(rules: RuleChoices) -> object:
        value = field_value(rules, path)
        if not apply(rules) or value is None or value is c.LivesLimit.UNLIMITED:
            return value
        return f"{'#' if isinstance(value, int) and value != own_number else value}.{words}"

    return variant


def _end(rules: RuleChoices) -> object:
    """Return the variant of the sentence about the end, which differs with what puts a player out."""
    return f"{rules.end}.below" if least_dice(rules) > 1 else for_shed("end")(rules)


def _taken(rules: RuleChoices) -> object:
    """Return the variant of a sentence that is in other words if lives are counted as they are taken."""
    return "taken" if counts_taken(rules) else ""


def _penalty_timing(rules: RuleChoices) -> object:
    timing = rules.penalty_timing
    return f"{timing}.lives" if timing is c.PenaltyTiming.IMMEDIATE and has_lives(rules) else timing


def _special_round_repeat(rules: RuleChoices) -> object:
    repeat = field_value(rules, "special_round.repeat")
    return f"{repeat}.declared" if special_round_is_declared(rules) else repeat


def _special_round_trigger(rules: RuleChoices) -> object:
    trigger = field_value(rules, "special_round.trigger")
    chosen = special_round_is_declared(rules) and kind_is_chosen(rules)
    shed = ".shed" if sheds(rules) and special_round_follows_loss(rules) else ""
    return f"{trigger}{'.chosen' if chosen else ''}{'.taken' if counts_taken(rules) else shed}"


def _max_rounds(rules: RuleChoices) -> object:
    """Return the variant of the sentence about the number of rounds, which alone ends a match of unlimited lives."""
    most, lives = rules.guards.max_rounds, rules.loss.lives
    if lives is c.LivesLimit.UNLIMITED and most is not None and most > 1:
        return "#.unlimited"
    return for_shed("guards.max_rounds", 1)(rules)


def _failure_loss(rules: RuleChoices) -> object:
    """Return the variant of the sentence about a wrong exact call, which says who sheds, if somebody does."""
    loss, shed_by = _exact_call_of(rules).failure_loss, rules.loss.shed_by
    return loss if not loss or not sheds(rules) else f"#.{shed_by}"


def _special_round_visibility(rules: RuleChoices) -> object:
    visibility = field_value(rules, "special_round.visibility")
    return f"{visibility}.declared" if kind_is_chosen(rules) and special_round_is_declared(rules) else visibility


def _penalties_and_special_round(rules: RuleChoices) -> object:
    return _taken(rules) if special_round_follows_loss(rules) else "between"


def _discard_shows_dice_left(rules: RuleChoices) -> bool:
    """Return whether the discarded dice show how many are left, where asking for that is penalised."""
    penalises_dice_left = any(penalty.trigger is c.PenaltyTrigger.ASKS_DICE_LEFT for penalty in rules.penalties)
    return penalises_dice_left and not has_lives(rules) and rules.loss.destination is c.Destination.DISCARD


def _intro(rules: RuleChoices) -> object:
    own, kind = bids_are_about_own_dice(rules), "below" if least_dice(rules) > 1 else _taken(rules)
    return f"own.{kind}" if own and kind else "own" if own else kind


def _dice(rules: RuleChoices) -> object:
    return "by_seat" if dice_differ_by_seat(rules) else rules.dice.per_player


def _starting_dice(rules: RuleChoices) -> object:
    count = rules.first_starter.dice
    return f"{'#' if count > 1 else count}.by_seat" if dice_differ_by_seat(rules) else count


def _faces_by_seat(rules: RuleChoices) -> object:
    """Return the variant of the sentence about dice that differ by seat: for one seat, for some, or for all seats."""
    by_seat = rules.dice.faces_by_seat or ()
    return "one" if len(by_seat) == 1 else "all" if len(by_seat) == rules.players.max else "some"


def _wins_dice_that_differ(rules: RuleChoices) -> bool:
    """Return whether players whose dice differ by seat can win some."""
    call, handed_over = rules.exact_call, rules.loss.destination is Destination.OPPONENT
    wins_dice = handed_over or (call is not None and call.success_gain > 0)
    return dice_differ_by_seat(rules) and wins_dice and not has_lives(rules)


def _max_open(rules: RuleChoices) -> object:
    most = rules.bidding.max_open
    return "players" if most is not None and isinstance(rules.bidding.min_open, c.MinOpen) else most


def _opens_otherwise(path: str) -> Callable[[RuleChoices], bool]:
    """Return the function that says whether the field at `path` gives some opening bids a lowest number of their own.

    It reads the field first, so that a field without a value changes nothing for those who read the sentences.
    """
    return lambda rules: field_value(rules, path) is not None and field_applies(rules, path)


def _max_bids(rules: RuleChoices) -> object:
    most = rules.guards.max_bids_per_round
    return most if most is None or not has_passes(rules) else "#.pass"


def _pass_dice(rules: RuleChoices) -> object:
    """Return the variant of the sentence about dice for a pass: `some` if not all greater numbers will do."""
    least = rules.bidding.pass_dice
    if not isinstance(least, int):
        return None
    sizes = range(least, rules.dice.per_player + 1)
    return least if all(roll_count_to_pass(rules, dice) for dice in sizes) else "#.some"


def _special_rank(rules: RuleChoices) -> object:
    rank = rules.bidding.special_rank
    one_way = rank is c.SpecialRank.CONVERT and rules.bidding.from_special is c.FromSpecial.NEVER
    return f"{rank}.one_way" if one_way else rank


def _to_pure(rules: RuleChoices) -> object:
    return f"{rules.bidding.to_pure}{'' if special_is_biddable(rules) else '.unbid'}"


def _show_dice(rules: RuleChoices) -> object:
    return f"{rules.bidding.show_dice}{'.wild' if special_is_wild(rules) else ''}"


def _cap(rules: RuleChoices) -> object:
    cap = rules.bidding.cap
    bonus = rules.count.hand_bonus
    if isinstance(cap, c.Cap) and bids_are_about_own_dice(rules):
        return f"{cap}.own"
    most = c.HandBonus.STAIRS if bonus.is_for_stairs else bonus
    return cap if bonus is c.HandBonus.NONE or not isinstance(cap, c.Cap) else f"{cap}.{most}"


def _wild(rules: RuleChoices) -> object:
    wild = rules.wilds.special_is_wild
    return "false.unbid" if not wild and not special_is_biddable(rules) else wild


def _needs_natural(rules: RuleChoices) -> object:
    needed = "true" if rules.wilds.needs_natural else "false"
    return f"{needed}.own" if bids_are_about_own_dice(rules) else needed


def _hand_bonus(rules: RuleChoices) -> object:
    bonus = rules.count.hand_bonus
    return f"{bonus}.wild" if bonus is c.HandBonus.ALIKE and special_is_wild(rules) else bonus


def _differ(*choices: c.AllDifferent, straight: bool = False) -> Callable[[RuleChoices], bool]:
    """Return the condition that one of these happens to dice that are all different; `straight`: only to straights."""
    return lambda rules: (
        rules.count.all_different in choices and (isinstance(rules.count.straights, c.Straights) or not straight)
    )


def _different(rules: RuleChoices) -> object:
    is_straight = isinstance(rules.count.straights, c.Straights)
    return f"{rules.count.all_different}{'.straight' if is_straight else ''}"


def _worthless(rules: RuleChoices) -> object:
    return f"{_different(rules)}{'.wild' if special_is_wild(rules) else ''}"


def _reveal(rules: RuleChoices) -> object:
    wild = special_is_wild(rules)
    if has_pure_bids(rules):
        return "true.pure"
    if c.SuspendedBy.OPENING_CHALLENGE in rules.wilds.suspended_by:
        return "true.count"
    return "true.always" if wild and not rules.wilds.suspended_by else wild


def _only_the_opening_suspends(rules: RuleChoices) -> bool:
    """Return whether an opening bid on the special face ends its wildness, but no later bid does."""
    reasons = rules.wilds.suspended_by
    return c.SuspendedBy.OPENING_BID_ON_SPECIAL in reasons and c.SuspendedBy.ANY_BID_ON_SPECIAL not in reasons


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


CLAUSES: dict[str, tuple[Clause, ...]] = {
    "need": (
        Clause("intro", variant=_intro),
        Clause("players.max", variant=_player_limit),
        Clause("dice.per_player", variant=_dice),
        Clause("dice.faces_by_seat", dice_differ_by_seat, _faces_by_seat),
        Clause("dice.double", lambda rules: bool(rules.dice.double)),
        _field("dice.double_lost"),
        _text("dice.won_by_seat", _wins_dice_that_differ, needs_next_round=True),
        Clause("loss.lives", has_lives, for_taken("loss.lives")),
        Clause("loss.tally", lambda rules: lives_are_limited(rules) and counts_taken(rules)),
        Clause("labels.special_face", lambda rules: rules.labels.special_face is not None),
    ),
    "start": (
        Clause("first_starter.method"),
        _field("first_starter.dice", _starting_dice),
        _field("first_starter.tie"),
    ),
    "turn": (
        Clause("round.roll", variant=_round_roll),
        Clause("dice.visibility", all_rounds_are_hidden),
        _text("round.blind", dice_are_hidden, needs_next_round=True),
        Clause("count.all_different", _differ(c.AllDifferent.ROLLED_AGAIN, c.AllDifferent.MAY_ROLL_AGAIN), _different),
        Clause("count.straights", _differ(c.AllDifferent.ROLLED_AGAIN, c.AllDifferent.MAY_ROLL_AGAIN, straight=True)),
        Clause("turn.direction"),
        Clause("turn.starter_may_reverse", variant=_may_reverse),
        _field("turn.reversal_persists", needs_next_round=True),
        _text("round.open"),
        Clause("round.choices", variant=_choices_on_turn),
        Clause("round.goes_on", variant=lambda rules: "pass" if has_passes(rules) else ""),
    ),
    "bids": (
        Clause("count.scope"),
        Clause("bidding.min_open"),
        Clause("bidding.max_open", variant=_max_open),
        _field("bidding.special_may_open"),
        Clause("bidding.raise"),
        Clause("bidding.raise.examples", lambda rules: bool(example_raises(rules)[0]), _raise_examples),
        _text("bidding.raise.drop", lambda rules: lowering_example(rules) is not None),
        Clause("bidding.special_rank", _special_rank_is_stated, _special_rank),
        _field("bidding.to_special"),
        _text("bidding.special_rank.more", special_converts),
        _field("bidding.from_special"),
        Clause("bidding.to_pure", has_pure_bids, _to_pure),
        Clause("bidding.from_pure", has_pure_bids),
        Clause("bidding.min_open_pure", _opens_otherwise("bidding.min_open_pure")),
        Clause("bidding.min_open_special", _opens_otherwise("bidding.min_open_special")),
        Clause("bidding.show_dice", may_show_dice, _show_dice),
        _text("pass.bid", has_passes),
        Clause("bidding.pass_with", has_passes),
        _field("bidding.pass_dice", _pass_dice),
        _text("pass.dice", has_passes),
        _text("pass.bidder", has_passes),
        Clause("bidding.face_off", has_face_off),
        _text("face_off.wilds", lambda rules: has_face_off(rules) and special_is_wild(rules)),
        _text("face_off.special", lambda rules: has_face_off(rules) and has_special_round(rules)),
        _text("face_off.pass", lambda rules: has_face_off(rules) and has_passes(rules)),
        Clause("bidding.cap", variant=_cap),
        Clause("bidding.no_repeat"),
        Clause("guards.max_bids_per_round", variant=_max_bids),
    ),
    "wilds": (
        Clause("wilds.special_is_wild", variant=_wild),
        _text("wilds.own_bid", lambda rules: special_is_wild(rules) and special_is_biddable(rules)),
        Clause("wilds.suspended_by", lambda rules: special_is_wild(rules) and not has_pure_bids(rules)),
        _text("wilds.kept_by_later_bids", _only_the_opening_suspends),
        _text("wilds.kept_in_special_round", _wild_in_special_rounds, needs_next_round=True),
        _field("wilds.needs_natural", _needs_natural),
        Clause("count.hand_bonus", variant=_hand_bonus),
        Clause("count.all_different", _differ(c.AllDifferent.WORTHLESS), _worthless),
        Clause("count.straights", _differ(c.AllDifferent.WORTHLESS, straight=True)),
    ),
    "calling": (
        Clause("challenge.who"),
        _text("labels.challenge_also", lambda rules: bool(rules.labels.challenge_also)),
        _text("challenge.own_word"),
        Clause("challenge.double", has_double_challenge),
        Clause("challenge.answers", doubles_are_answered),
        _field("challenge.tie_break"),
        Clause("round.reveal", variant=_reveal),
        _text("round.own_dice", bids_are_about_own_dice),
        _text("round.truth"),
        _text("face_off.truth", has_face_off),
        _text("pass.doubt", has_passes),
    ),
    "cost": (
        Clause("loss.shed_by", sheds),
        Clause("loss.mode", variant=lambda rules: f"{rules.loss.mode}{'.shed' if sheds(rules) else ''}"),
        Clause("loss.on_exact", variant=_on_exact),
        _text("pass.cost", lambda rules: has_passes(rules) and rules.loss.mode is c.LossMode.DIFFERENCE),
        _field("loss.out_of_turn_factor"),
        Clause("loss.opening_factor", lambda rules: isinstance(rules.loss.opening_factor, int)),
        _field("loss.overflow", for_lives("loss.overflow")),
        Clause("loss.destination", variant=for_lives("loss.destination")),
        Clause("loss.ante", lambda rules: ante_of(rules) > 0),
        _text("ante.exact", lambda rules: ante_of(rules) > 0 and calls_exact(rules)),
    ),
    "exact": (
        Clause("exact_call", lambda rules: not has_exact_call(rules)),
        _field("exact_call.who"),
        Clause("exact_call.claim", lambda rules: exact_claim(rules) is not None),
        _text("face_off.exact", lambda rules: has_exact_call(rules) and has_face_off(rules)),
        _field("exact_call.success_gain", for_shed("exact_call.success_gain", 0)),
        _field("exact_call.gain_cap", for_taken("exact_call.gain_cap")),
        _field("exact_call.at_cap", for_taken("exact_call.at_cap")),
        _field("exact_call.others_loss", _others_loss),
        _field("exact_call.bidder_loss", _bidder_loss),
        _field("exact_call.failure_loss", _failure_loss),
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
        _text("special_round.one_round", lambda rules: has_special_round(rules) and _has_one_round(rules)),
        _field("special_round.trigger", _special_round_trigger, needs_next_round=True),
        _text("special_round.mustache", _is_mustache_round, needs_next_round=True),
        Clause("special_round.several", _several_may_come_down_to_one, _taken, needs_next_round=True),
        _field("special_round.repeat", _special_round_repeat, needs_next_round=True),
        _field("special_round.face_locked", needs_next_round=True),
        _field("special_round.lock_exempt", needs_next_round=True),
        _field("special_round.min_players", needs_next_round=True),
        Clause("special_round.visibility", dice_are_hidden, _special_round_visibility, needs_next_round=True),
    ),
    "house": (
        Clause("penalties"),
        _text("penalties.dice_left", _discard_shows_dice_left),
        _field("penalty_timing", _penalty_timing),
        Clause(
            "penalties.special", _penalties_bring_no_special_round, _penalties_and_special_round, needs_next_round=True
        ),
        Clause("table_talk"),
    ),
    "end": (
        _field("end", _end),
        Clause("guards.max_rounds", variant=_max_rounds),
    ),
}
"""The clauses of each section, in a player's order."""
