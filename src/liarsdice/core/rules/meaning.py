"""What rule choices mean together: which fields apply, what losses cost, who may pass, and which dice are seen.

A field such as `bidding.to_special` changes nothing unless bids on the special face convert. The rulebook says nothing
about a field that does not apply, the rule form does not offer it, and a patch resets it.
"""

from collections.abc import Callable, Iterator, Mapping
from math import factorial, perm

from msgspec import UnsetType

from liarsdice.core.rules import choices as c
from liarsdice.core.rules.choices import Answer, DoubleAnswers, PassHand, RoundKind, Visibility
from liarsdice.core.rules.parts import RuleChoices, find_penalty


def has_lives(rules: RuleChoices) -> bool:
    """Return whether losses cost lives, and not dice."""
    return isinstance(rules.loss.lives, int | c.LivesLimit)


def starting_lives(rules: RuleChoices) -> int | None:
    """Return the number of lives that each player starts with, None if losses cost dice."""
    return rules.starting_stakes if has_lives(rules) else None


def lives_are_limited(rules: RuleChoices) -> bool:
    """Return whether players have a number of lives that can run out."""
    return isinstance(rules.loss.lives, int)


def counts_taken(rules: RuleChoices) -> bool:
    """Return whether the table counts the lives that are lost, from none upwards, and not those that are left."""
    return has_lives(rules) and (not lives_are_limited(rules) or rules.loss.tally is c.Tally.TAKEN)


def least_dice(rules: RuleChoices) -> int:
    """Return the fewest dice with which a player is still in (`loss.out_below`)."""
    if has_lives(rules):
        return 1
    fewest = rules.loss.out_below
    return fewest if isinstance(fewest, int) else 1


def sheds(rules: RuleChoices) -> bool:
    """Return whether players want to get rid of their dice or lives, which winners put away (`loss.shed_by`)."""
    return isinstance(rules.loss.shed_by, c.ShedBy)


def ante_of(rules: RuleChoices) -> int:
    """Return how many lives each player puts into the pot of a round, 0 without a pot (`loss.ante`)."""
    ante = rules.loss.ante
    return ante if isinstance(ante, int) and lives_are_limited(rules) else 0


def shown_stakes(rules: RuleChoices, left: int) -> int:
    """Return the number that is shown at the table for a player with `left` dice or lives.

    >>> from liarsdice.core.rules.parts import Loss
    >>> shown_stakes(RuleChoices(loss=Loss(lives=5, tally=c.Tally.TAKEN)), 3)
    2
    """
    return rules.starting_stakes - left if counts_taken(rules) else left


Condition = Callable[[RuleChoices], bool]


def has_exact_call(rules: RuleChoices) -> bool:
    """Return whether the rules have the exact call."""
    return rules.exact_call is not None


def exact_claim(rules: RuleChoices) -> c.ExactClaim | None:
    """Return who may claim that a bid is exactly right; None for nobody, as where bids are about the own dice."""
    claim = None if rules.exact_call is None or bids_are_about_own_dice(rules) else rules.exact_call.claim
    return claim if isinstance(claim, c.ExactClaim) else None


def calls_exact(rules: RuleChoices) -> bool:
    """Return whether players may end a round by an exact call, which does not stand as a bid."""
    return has_exact_call(rules) and exact_claim(rules) is not c.ExactClaim.NEXT_PLAYER


def has_special_round(rules: RuleChoices) -> bool:
    """Return whether the rules have special rounds."""
    return rules.special_round is not None


def visibility_of(rules: RuleChoices) -> c.RoundVisibility | Visibility | None:
    """Return which dice players see instead of their own, in every round or in special ones; None for their own."""
    special = rules.special_round
    return rules.dice.visibility or (None if special is None else special.visibility or None) or None


def all_rounds_are_hidden(rules: RuleChoices) -> bool:
    """Return whether nobody sees their own dice in any round."""
    return isinstance(rules.dice.visibility, c.RoundVisibility)


def dice_are_hidden(rules: RuleChoices) -> bool:
    """Return whether some players do not see their own dice in special rounds."""
    return rules.special_round is not None and isinstance(rules.special_round.visibility, Visibility)


def special_round_follows_loss(rules: RuleChoices) -> bool:
    """Return whether a special round follows a call that leaves a player with one die, and not an opening with one."""
    return rules.special_round is not None and rules.special_round.trigger is c.SpecialTrigger.LOSES_DOWN_TO_ONE


def special_round_is_declared(rules: RuleChoices) -> bool:
    """Return whether the player who opens a round with one die may declare it special."""
    return rules.special_round is not None and rules.special_round.trigger is c.SpecialTrigger.DECLARED


def kind_is_chosen(rules: RuleChoices) -> bool:
    """Return whether the opener of a special round chooses which kind it is, before anybody looks at dice."""
    return rules.special_round is not None and rules.special_round.visibility is Visibility.CHOSEN


def special_is_biddable(rules: RuleChoices) -> bool:
    """Return whether the special face may be bid."""
    return rules.bidding.special_rank is not c.SpecialRank.NOT_BIDDABLE


def special_may_open(rules: RuleChoices) -> bool:
    """Return whether a round may open with a bid on the special face, if only a special round."""
    return special_is_biddable(rules) and rules.bidding.special_may_open is not False


def special_converts(rules: RuleChoices) -> bool:
    """Return whether bids on the special face are compared with others by a conversion of the quantity."""
    return rules.bidding.special_rank is c.SpecialRank.CONVERT


def bids_are_about_own_dice(rules: RuleChoices) -> bool:
    """Return whether a bid is about the bidder's own dice alone."""
    return rules.count.scope is c.CountScope.BIDDER


def dice_differ_by_seat(rules: RuleChoices) -> bool:
    """Return whether the dice of some seats have fewer faces than those of others."""
    return isinstance(rules.dice.faces_by_seat, tuple)


def has_pure_bids(rules: RuleChoices) -> bool:
    """Return whether bids may be pure, without wild dice."""
    return isinstance(rules.bidding.to_pure, c.ToPure)


def forbids_repeats(rules: RuleChoices) -> bool:
    """Return whether no bid may be made twice in a round; among bids on any other face, that alone ends a round."""
    return rules.bidding.no_repeat or rules.bidding.raise_ is c.Raise.OTHER_FACE


def may_show_dice(rules: RuleChoices) -> bool:
    """Return whether bidders may put dice in the open."""
    return isinstance(rules.bidding.show_dice, c.ShowDice)


def rolls_after_showing(rules: RuleChoices) -> bool:
    """Return whether a bidder who puts dice in the open rolls the others again."""
    return rules.bidding.show_dice is c.ShowDice.COUNTING


def has_passes(rules: RuleChoices) -> bool:
    """Return whether players may pass with some hands."""
    return isinstance(rules.bidding.pass_with, tuple)


def has_face_off(rules: RuleChoices) -> bool:
    """Return whether two players with one die each bid on the sum of both dice."""
    return isinstance(rules.bidding.face_off, c.FaceOff)


def special_is_wild(rules: RuleChoices) -> bool:
    """Return whether the special face counts as every face."""
    return rules.wilds.special_is_wild


ALL_ROUNDS = 10**9
"""More rounds than a match can have."""


def reversal_rounds(rules: RuleChoices) -> int:
    """Return the number of the last round in which its starter may choose the direction of play; 0 for none."""
    match rules.turn.starter_may_reverse:
        case c.Reversal.FIRST_ROUND:
            return 1
        case may_reverse:
            return ALL_ROUNDS if may_reverse else 0


def reversal_persists(rules: RuleChoices) -> bool:
    """Return whether a chosen direction of play is that of later rounds, too."""
    return rules.turn.reversal_persists or rules.turn.starter_may_reverse is c.Reversal.FIRST_ROUND


def has_double_challenge(rules: RuleChoices) -> bool:
    """Return whether challenges can be for twice the stake."""
    return isinstance(rules.challenge.double, c.WhoCalls)


def doubles_are_answered(rules: RuleChoices) -> bool:
    """Return whether a challenge for twice the stake is answered before the dice are shown."""
    return has_double_challenge(rules) and isinstance(rules.challenge.answers, DoubleAnswers)


def may_fold(rules: RuleChoices) -> bool:
    """Return whether a challenge for twice the stake can be folded, so that nobody shows any dice."""
    return has_double_challenge(rules) and rules.challenge.answers is DoubleAnswers.REDOUBLE_OR_FOLD


def several_may_call(rules: RuleChoices) -> bool:
    """Return whether several players may make the same call at once."""
    double_out_of_turn = rules.challenge.double is c.WhoCalls.ANYONE_BUT_BIDDER
    return challenges_out_of_turn(rules) or double_out_of_turn or exact_calls_out_of_turn(rules)


def exact_calls_out_of_turn(rules: RuleChoices) -> bool:
    """Return whether players may call exact out of turn."""
    call = rules.exact_call
    return call is not None and calls_exact(rules) and call.who is not c.WhoCallsExact.NEXT_PLAYER


def challenges_out_of_turn(rules: RuleChoices) -> bool:
    """Return whether players may challenge out of turn."""
    return rules.challenge.who is c.WhoCalls.ANYONE_BUT_BIDDER


def rounds_follow_eliminations(rules: RuleChoices) -> bool:
    """Return whether a match goes on after a player is out, if several are left."""
    return rules.end is c.MatchEnd.LAST_PLAYER_WITH_DICE and players_may_be_out(rules)


def players_may_be_out(rules: RuleChoices) -> bool:
    """Return whether players can lose all that they have."""
    return lives_are_limited(rules) or not has_lives(rules)


def _may_be_out(rules: RuleChoices, starter: c.NextStarter) -> bool:
    paying = c.NextStarter.WINNER if sheds(rules) else c.NextStarter.LOSER
    may_be_out = starter in (paying, c.NextStarter.CALLER, c.NextStarter.BIDDER)
    return may_be_out and rounds_follow_eliminations(rules)


CONDITIONS: Mapping[str, Condition] = {
    "dice.double_lost": lambda rules: bool(rules.dice.double) and not has_lives(rules),
    "first_starter.dice": lambda rules: rules.first_starter.method is c.StarterMethod.HIGH_ROLL,
    "first_starter.tie": lambda rules: rules.first_starter.method is c.StarterMethod.HIGH_ROLL,
    "turn.reversal_persists": lambda rules: rules.turn.starter_may_reverse is True,
    "bidding.to_special": special_converts,
    "bidding.from_special": special_converts,
    "bidding.special_may_open": special_is_biddable,
    "bidding.no_repeat": lambda rules: rules.bidding.raise_ is not c.Raise.OTHER_FACE,
    "bidding.to_pure": special_is_wild,
    "bidding.from_pure": has_pure_bids,
    "bidding.min_open_pure": has_pure_bids,
    "bidding.min_open_special": special_may_open,
    "bidding.pass_dice": lambda rules: has_passes(rules) and not has_lives(rules),  # with lives, all dice are kept
    "wilds.suspended_by": special_is_wild,
    "wilds.needs_natural": special_is_wild,
    "count.straights": lambda rules: isinstance(rules.count.all_different, c.AllDifferent),
    "challenge.tie_break": several_may_call,
    "challenge.answers": has_double_challenge,
    "loss.fixed": lambda rules: rules.loss.mode is c.LossMode.FIXED,
    "loss.exact": lambda rules: rules.loss.mode is c.LossMode.DIFFERENCE,
    "loss.out_of_turn_factor": challenges_out_of_turn,
    "loss.overflow": players_may_be_out,
    "loss.tally": lives_are_limited,
    "loss.out_below": lambda rules: not has_lives(rules),
    "loss.ante": lives_are_limited,
    "exact_call.who": calls_exact,
    "exact_call.success_gain": has_exact_call,
    "exact_call.gain_cap": lambda rules: (
        rules.exact_call is not None and rules.exact_call.success_gain > 0 and not sheds(rules)
    ),
    "exact_call.at_cap": lambda rules: (
        rules.exact_call is not None and rules.exact_call.gain_cap is not None and not sheds(rules)
    ),
    "exact_call.failure_loss": calls_exact,
    "exact_call.bidder_loss": lambda rules: calls_exact(rules) and not sheds(rules),
    "exact_call.others_loss": lambda rules: has_exact_call(rules) and not sheds(rules),
    "exact_call.min_players": has_exact_call,
    "exact_call.in_special_round": lambda rules: has_exact_call(rules) and has_special_round(rules),
    "exact_call.next_starter": calls_exact,
    "exact_call.if_eliminated": lambda rules: (
        rules.exact_call is not None and calls_exact(rules) and _may_be_out(rules, rules.exact_call.next_starter)
    ),
    "exact_call.budget": has_exact_call,
    "exact_call.min_dice": has_exact_call,
    "exact_call.claim": lambda rules: has_exact_call(rules) and not bids_are_about_own_dice(rules),
    "next_starter.if_eliminated": lambda rules: _may_be_out(rules, rules.next_starter.rule),
    "special_round.trigger": has_special_round,
    "special_round.repeat": has_special_round,
    "special_round.face_locked": has_special_round,
    "special_round.lock_exempt": lambda rules: rules.special_round is not None and rules.special_round.face_locked,
    "special_round.min_players": has_special_round,
    "special_round.visibility": has_special_round,
    "penalty_timing": lambda rules: bool(rules.penalties),
    "end": players_may_be_out,
    "labels.exact": has_exact_call,
    "labels.special_round": has_special_round,
    "labels.lives": has_lives,
    "labels.offences": lambda rules: find_penalty(rules.penalties, c.PenaltyTrigger.COMMITS_OFFENCE) is not None,
}
"""The condition of every field that does not always apply, by path, in the order of the fields."""


def condition(path: str) -> Condition:
    """Return the function that says whether the field at `path` applies under given rules."""
    return CONDITIONS.get(path, lambda _: True)


def field_applies(rules: RuleChoices, path: str) -> bool:
    """Return whether the field at `path` has a meaning under these rules.

    >>> from liarsdice.core.rules.presets import preset
    >>> field_applies(preset("basic").ruleset, "bidding.to_special")
    False
    """
    return condition(path)(rules)


def suspension_can_happen(rules: RuleChoices, reason: c.SuspendedBy) -> bool:
    """Return whether the event that would end wildness for a round can happen under these rules."""
    may_open, special_rounds = rules.bidding.special_may_open, has_special_round(rules)
    match reason:
        case c.SuspendedBy.SPECIAL_ROUND:
            return special_rounds
        case c.SuspendedBy.OPENING_BID_ON_SPECIAL:
            return may_open is not False and (special_rounds or may_open is not c.SpecialOpening.SPECIAL_ROUND_ONLY)
        case c.SuspendedBy.ANY_BID_ON_SPECIAL:
            return special_is_biddable(rules)
        case c.SuspendedBy.OPENING_CHALLENGE:
            return True


FULL_HOUSE_DICE = (2, 3)
"""How many dice of each of its two faces a full house has."""


def pass_hands(rules: RuleChoices) -> tuple[PassHand, ...]:
    """Return the hands with which players may pass; empty if nobody may pass."""
    return rules.bidding.pass_with if isinstance(rules.bidding.pass_with, tuple) else ()


def least_dice_to_pass(rules: RuleChoices) -> int:
    """Return the fewest dice with which a player may pass: `bidding.pass_dice`, or all that a player starts with."""
    least = rules.bidding.pass_dice
    return least if isinstance(least, int) else rules.dice.per_player


def pass_hand_of(rules: RuleChoices, hand: tuple[int, ...]) -> PassHand | None:
    """Return what a hand is that allows a pass; None if it does not.

    >>> from liarsdice.core.rules.presets import preset
    >>> pass_hand_of(preset("perudo+pass").ruleset, (2, 5, 2, 5, 2))
    PassHand.FULL_HOUSE
    """
    if len(hand) < least_dice_to_pass(rules):
        return None
    return next((kind for kind in pass_hands(rules) if _is_hand(kind, hand)), None)


def _is_hand(kind: PassHand, hand: tuple[int, ...]) -> bool:
    counts = sorted(hand.count(face) for face in set(hand))
    match kind:
        case PassHand.ALIKE:
            return len(counts) == 1
        case PassHand.ALL_DIFFERENT:
            return len(counts) == len(hand)
        case PassHand.FULL_HOUSE:
            return tuple(counts) == FULL_HOUSE_DICE


def straights(rules: RuleChoices) -> tuple[tuple[int, ...], ...]:
    """Return the straights, ascending, that `count.all_different` is about; empty if it is about any different dice.

    >>> from liarsdice.core.rules.parts import Count
    >>> straights(RuleChoices(count=Count(straights=c.Straights.EITHER)))
    ((1, 2, 3, 4, 5), (2, 3, 4, 5, 6))
    """
    faces, dice = rules.dice.faces, rules.dice.per_player
    low, high = tuple(range(1, dice + 1)), tuple(range(faces - dice + 1, faces + 1))
    match rules.count.straights:
        case c.Straights.LOW:
            return (low,)
        case c.Straights.HIGH:
            return (high,)
        case c.Straights.EITHER:
            return (low,) if low == high else (low, high)
        case _:
            return ()


def rolled_again_count(rules: RuleChoices, dice: int) -> int:
    """Return the number of ordered rolls of `dice` dice that nobody keeps (`AllDifferent.ROLLED_AGAIN`)."""
    if rules.count.all_different is not c.AllDifferent.ROLLED_AGAIN or dice != rules.dice.per_player:
        return 0
    return len(straights(rules)) * factorial(dice) or perm(rules.dice.faces, dice)


def roll_count_to_pass(rules: RuleChoices, dice: int) -> int:
    """Return the number of ordered rolls of `dice` dice that allow a pass, of `faces ** dice`."""
    return sum(_roll_count(rules, kind, dice) for kind in set(pass_hands(rules)))


def impossible_pass_hands(rules: RuleChoices) -> Iterator[PassHand]:
    """Yield the hands of `bidding.pass_with` that nobody can have with enough dice; with lives, all keep their dice."""
    full = rules.dice.per_player
    sizes = range(full if has_lives(rules) else least_dice_to_pass(rules), full + 1)
    for kind in pass_hands(rules):
        if not any(_roll_count(rules, kind, dice) for dice in sizes):
            yield kind


def _roll_count(rules: RuleChoices, kind: PassHand, dice: int) -> int:
    faces = rules.dice.faces
    if dice < least_dice_to_pass(rules):
        return 0
    match kind:
        case PassHand.ALIKE:
            return faces
        case PassHand.ALL_DIFFERENT:
            return perm(faces, dice) - rolled_again_count(rules, dice)
        case PassHand.FULL_HOUSE:
            return 10 * faces * (faces - 1) if dice == sum(FULL_HOUSE_DICE) else 0


def possible_answers(rule: object, *, redoubled: bool) -> tuple[Answer, ...]:
    """Return the answers to a challenge for twice the stake, or to its redoubling.

    `rule`: `challenge.answers` of the rules; nobody answers anything unless it is a `DoubleAnswers`.

    >>> possible_answers(DoubleAnswers.REDOUBLE, redoubled=False)
    (Answer.ACCEPT, Answer.REDOUBLE)
    """
    if not isinstance(rule, DoubleAnswers):
        return ()
    match rule:
        case DoubleAnswers.REDOUBLE:
            return () if redoubled else (Answer.ACCEPT, Answer.REDOUBLE)
        case DoubleAnswers.REDOUBLE_OR_FOLD:
            return (Answer.ACCEPT, Answer.FOLD) if redoubled else tuple(Answer)


def blind_seats(
    visibility: c.RoundVisibility | Visibility | RoundKind | UnsetType | None,
    dice: tuple[int, ...],
    stakes: tuple[int, ...],
    special_seat: int | None,
) -> tuple[int, ...]:
    """Return the seats that do not see their own dice, given the dice and the stakes by seat.

    `visibility`: that of the rules, or the kind that the opener chose. Unless it is that of every round, nobody is
    blind in an ordinary round, where `special_seat` is None. Everybody is blind until the opener has chosen.

    >>> blind_seats(Visibility.CLOSED, (1, 3, 1), (1, 3, 1), 0)
    (1,)
    """
    held = tuple(seat for seat, count in enumerate(dice) if count)
    if isinstance(visibility, c.RoundVisibility):
        return held
    if special_seat is None:
        return ()
    match visibility:
        case Visibility.CLOSED | RoundKind.CLOSED:
            return tuple(seat for seat in held if seat != special_seat and stakes[seat] != 1)
        case Visibility.OPEN | RoundKind.OPEN | Visibility.CHOSEN:
            return held
        case _:
            return ()


def shows_other_hands(visibility: c.RoundVisibility | Visibility | RoundKind | None, special_seat: int | None) -> bool:
    """Return whether everybody sees the dice of all others; the arguments are those of `blind_seats`."""
    in_special_round = visibility in (Visibility.OPEN, RoundKind.OPEN) and special_seat is not None
    return visibility is c.RoundVisibility.OTHERS or in_special_round
