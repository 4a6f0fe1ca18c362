"""Validation of rule choices: finds every combination that cannot be played."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import lru_cache

import msgspec

from liarsdice.core.errors import RulesetError
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.bids import Bid, face_order, may_be_pure, raise_relation
from liarsdice.core.rules.call_words import label_problems
from liarsdice.core.rules.choices import Visibility
from liarsdice.core.rules.meaning import (
    bids_are_about_own_dice,
    counts_taken,
    dice_are_hidden,
    dice_differ_by_seat,
    has_face_off,
    has_lives,
    has_passes,
    has_pure_bids,
    impossible_pass_hands,
    least_dice,
    may_fold,
    may_show_dice,
    pass_hands,
    suspension_can_happen,
)
from liarsdice.core.rules.parts import Bidding, Dice, ExactCall, RuleChoices
from liarsdice.core.rules.ruleset_problems import ProblemCode, RulesetProblem


def special_face_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the problems of bids on the special face: formulas that are missing or idle, and impossible openings."""
    bidding = rules.bidding
    converts = bidding.special_rank is c.SpecialRank.CONVERT
    for name, formula in (("to_special", bidding.to_special), ("from_special", bidding.from_special)):
        if converts and formula is None:
            yield RulesetProblem(ProblemCode.NO_CONVERSION, {"path": f"bidding.{name}"})
        if not converts and formula is not None:
            yield RulesetProblem(ProblemCode.IDLE_CONVERSION, {"path": f"bidding.{name}", "formula": str(formula)})
    if bidding.special_rank is c.SpecialRank.NOT_BIDDABLE and bidding.special_may_open is not False:
        yield RulesetProblem(ProblemCode.OPENING_UNBIDDABLE)


def pure_bid_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the problems of pure bids: nothing else may say whether dice are wild."""
    if not has_pure_bids(rules):
        return
    if not rules.wilds.special_is_wild:
        yield RulesetProblem(ProblemCode.PURE_UNWILD)
    if rules.bidding.special_rank is c.SpecialRank.CONVERT:
        yield RulesetProblem(ProblemCode.PURE_CONVERT)
    if rules.wilds.suspended_by:
        yield RulesetProblem(ProblemCode.PURE_SUSPENDED)


def shown_dice_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the problems of dice that are shown: rules about whole hands, and penalties that take dice of a hand."""
    if not may_show_dice(rules):
        return
    count = rules.count
    if count.hand_bonus is not c.HandBonus.NONE:
        yield RulesetProblem(ProblemCode.SHOWN_HANDS, {"value": f"count.hand_bonus {count.hand_bonus}"})
    if isinstance(count.all_different, c.AllDifferent):
        yield RulesetProblem(ProblemCode.SHOWN_HANDS, {"value": f"count.all_different {count.all_different}"})
    if rules.penalties and rules.penalty_timing is c.PenaltyTiming.IMMEDIATE:
        yield RulesetProblem(ProblemCode.SHOWN_TAKEN)


def pass_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the problems of passes: hands that nobody can have, and rules by which hands change or are seen."""
    if not has_passes(rules):
        return
    hands = pass_hands(rules)
    if len(set(hands)) < len(hands):
        yield RulesetProblem(ProblemCode.PASSING_TWICE)
    for hand in impossible_pass_hands(rules):
        yield RulesetProblem(ProblemCode.PASSING_IMPOSSIBLE, {"value": str(hand)})
    if rules.penalties and rules.penalty_timing is c.PenaltyTiming.IMMEDIATE:
        yield RulesetProblem(ProblemCode.PASSING_TAKEN)
    if dice_differ_by_seat(rules):
        yield RulesetProblem(ProblemCode.PASSING_MIXED)
    if may_show_dice(rules):
        yield RulesetProblem(ProblemCode.PASSING_COVERED, {"value": f"bidding.show_dice {rules.bidding.show_dice}"})
    if rules.special_round is not None and dice_are_hidden(rules):
        value = f"special_round.visibility {rules.special_round.visibility}"
        yield RulesetProblem(ProblemCode.PASSING_COVERED, {"value": value})


def face_off_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the problems of a face-off: bids about own dice, and rules by which two players never have one die each."""
    if not has_face_off(rules):
        return
    if bids_are_about_own_dice(rules):
        yield RulesetProblem(ProblemCode.SUMS_OF_OWN_DICE)
    if least_dice(rules) > 1:
        yield RulesetProblem(ProblemCode.SUMS_NEVER, {"path": "loss.out_below", "value": least_dice(rules)})
    if has_lives(rules) and rules.dice.per_player > 1:
        yield RulesetProblem(ProblemCode.SUMS_NEVER, {"path": "dice.per_player", "value": rules.dice.per_player})


MIN_FACES = 2
"""The fewest faces of a die."""

MAX_SEATS = 100
"""The most seats that rules can name the dice of where they do not limit the players."""


def faces_by_seat_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the problems of dice that differ by seat: more seats than players, and impossible dice."""
    by_seat, most = rules.dice.faces_by_seat or (), rules.players.max or MAX_SEATS
    if len(by_seat) > most:
        yield RulesetProblem(ProblemCode.FACES_OF_NO_SEAT, {"seats": len(by_seat), "most": most})
    for faces in by_seat:
        if faces < MIN_FACES:
            values: dict[str, int | str] = {"path": "dice.faces_by_seat", "value": faces, "least": MIN_FACES}
            yield RulesetProblem(ProblemCode.TOO_LOW, values)
        if faces > rules.dice.faces:
            yield RulesetProblem(ProblemCode.FACES_ABOVE_HIGHEST, {"highest": faces, "faces": rules.dice.faces})


def counted_dice_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the problems of bids about own dice, and of hands that are all different."""
    dice, bonus = rules.dice, rules.count.hand_bonus
    if bids_are_about_own_dice(rules) and bonus is not c.HandBonus.NONE:
        yield RulesetProblem(ProblemCode.OWN_DICE_BONUS)
    if not isinstance(rules.count.all_different, c.AllDifferent):
        return
    if not 2 <= dice.per_player <= dice.faces:
        yield RulesetProblem(ProblemCode.DIFFERENT_DICE, {"faces": dice.faces, "dice": dice.per_player})
    if bonus is c.HandBonus.STAIRS:
        yield RulesetProblem(ProblemCode.DIFFERENT_STAIRS)


CHECKED_QUANTITY = 10
"""Loops are searched for among bids of up to this many dice.

Every known loop needs at most so many: converting to the special face and back loses at most the rounding of one
halving, and every face order that turns this into a loop does so with at most seven dice. Pure bids let the product of
a bid fall twice by the ratio of two faces before the price doubles it, which with faces 2 and 3 takes ten dice.
"""

SHORTEST_LOOP = 4
"""The length of a loop of three bids, with the first repeated; pairs that beat each other are searched for before."""


def raise_loop(bidding: Bidding, dice: Dice) -> tuple[Bid, ...]:
    """Return the shortest loop of bids each of which beats the one before; empty if the relation has no loop.

    The first bid is repeated at the end.
    """
    # only the fields that the relation depends on, so that the cache serves all other choices
    names = ("raise_", "special_rank", "to_special", "from_special", "to_pure", "from_pure")
    ranks = {name: getattr(bidding, name) for name in names}
    relation = RuleChoices(
        bidding=Bidding(**ranks),
        dice=Dice(faces=dice.faces, special_face=dice.special_face),
    )
    return _find_loop(relation)


@lru_cache(maxsize=1024)
def _find_loop(relation: RuleChoices) -> tuple[Bid, ...]:
    quantities, faces = range(1, CHECKED_QUANTITY + 1), face_order(relation)
    bids = [Bid(quantity, face) for quantity in quantities for face in faces]
    bids += [Bid(quantity, face, pure=True) for quantity in quantities for face in faces if may_be_pure(relation, face)]
    beats = raise_relation(relation)
    above = {old: [new for new in bids if beats(old, new)] for old in bids}
    higher_sets = {old: frozenset(higher) for old, higher in above.items()}
    for old, higher in above.items():
        for new in higher:
            if old in higher_sets[new]:
                return old, new, old
    shortest: tuple[Bid, ...] = ()
    for start in _bids_on_cycles(above):
        loop = _shortest_loop_from(start, above)
        if loop and (not shortest or len(loop) < len(shortest)):
            shortest = loop
        if len(shortest) == SHORTEST_LOOP:
            break
    return shortest


def _bids_on_cycles(above: dict[Bid, list[Bid]]) -> list[Bid]:
    """Return the bids that remain after removing, again and again, those that no other beats: none without a loop."""
    below: dict[Bid, list[Bid]] = {bid: [] for bid in above}
    for old, higher in above.items():
        for new in higher:
            below[new].append(old)
    higher_count = {bid: len(higher) for bid, higher in above.items()}
    unbeaten = deque(bid for bid, count in higher_count.items() if count == 0)
    while unbeaten:
        bid = unbeaten.popleft()
        del higher_count[bid]
        for old in below[bid]:
            higher_count[old] -= 1
            if higher_count[old] == 0:
                unbeaten.append(old)
    return list(higher_count)


def _shortest_loop_from(start: Bid, above: dict[Bid, list[Bid]]) -> tuple[Bid, ...]:
    """Return the shortest way from a bid back to itself; empty if there is none."""
    previous: dict[Bid, Bid] = {}
    queue = deque([start])
    while queue:
        old = queue.popleft()
        for new in above[old]:
            if new == start:
                path = [start, old]
                while old != start:
                    old = previous[old]
                    path.append(old)
                return tuple(reversed(path))
            if new not in previous:
                previous[new] = old
                queue.append(new)
    return ()


MAX_FACES = 100
MAX_DICE = 100
MAX_QUANTITY = 1_000
MAX_ROUNDS = 1_000_000
"""Upper limits far above any real table; they bound the time and memory that hostile rules can cost."""

MAX_LABEL_LENGTH = 40

IMPOSSIBLE_SUSPENSIONS = {
    c.SuspendedBy.SPECIAL_ROUND: ProblemCode.SUSPENDED_BY_NO_ROUND,
    c.SuspendedBy.OPENING_BID_ON_SPECIAL: ProblemCode.SUSPENDED_BY_NO_OPENING,
    c.SuspendedBy.ANY_BID_ON_SPECIAL: ProblemCode.SUSPENDED_BY_NO_BID,
}
ENDLESS_MATCH = (
    ProblemCode.DICE_STAY,
    ProblemCode.LIVES_UNLIMITED,
    ProblemCode.EXACT_KEEPS_DICE,
    ProblemCode.EXACT_IS_FREE,
)
"""The problems that `guards.max_rounds` solves."""


def check_rules(rules: RuleChoices) -> None:
    """Raise `RulesetError` with the first problem of the rules, if there is one."""
    for problem in find_problems(rules):
        raise RulesetError(str(problem))


def find_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield every reason why the rules cannot be played, most serious first; a `Ruleset` has none."""
    sizes = tuple(_sizes(rules))
    yield from sizes
    yield from special_face_problems(rules)
    yield from pure_bid_problems(rules)
    yield from shown_dice_problems(rules)
    yield from pass_problems(rules) if not sizes else ()
    yield from face_off_problems(rules)
    yield from _wilds(rules)
    if not sizes and not rules.bidding.no_repeat:
        yield from _loops(rules.bidding, rules.dice)
    yield from faces_by_seat_problems(rules)
    yield from counted_dice_problems(rules)
    yield from _losses(rules)
    if rules.exact_call is not None:
        yield from _exact_call(rules, rules.exact_call)
    yield from _special_round(rules)


def may_never_end(rules: RuleChoices) -> bool:
    """Return whether a match by these rules could go on for ever, so that it needs `guards.max_rounds`."""
    problems = [*_losses(rules), *(_exact_call(rules, rules.exact_call) if rules.exact_call is not None else ())]
    return any(problem.code in ENDLESS_MATCH for problem in problems)


def find_warnings(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield every choice that can be played but is probably not what was meant."""
    if rules.bidding.special_rank is c.SpecialRank.CONVERT:
        if not rules.wilds.special_is_wild:
            yield RulesetProblem(ProblemCode.CONVERT_UNWILD)
        if c.SuspendedBy.ANY_BID_ON_SPECIAL in rules.wilds.suspended_by:
            yield RulesetProblem(ProblemCode.CONVERT_SUSPENDED)
    if rules.bidding.special_may_open is c.SpecialOpening.SPECIAL_ROUND_ONLY and rules.special_round is None:
        yield RulesetProblem(ProblemCode.NEVER_OPENS)
    if rules.wilds.needs_natural and not rules.wilds.special_is_wild:
        yield RulesetProblem(ProblemCode.NATURAL_UNWILD)
    if gains_without_limit(rules):
        yield RulesetProblem(ProblemCode.UNLIMITED_GAIN)
    special = rules.special_round
    if special is not None and special.lock_exempt is not c.LockExempt.NONE and not special.face_locked:
        yield RulesetProblem(ProblemCode.EXEMPT_UNLOCKED)


def gains_without_limit(rules: RuleChoices) -> bool:
    """Return whether exact calls can win any number of dice or lives."""
    call = rules.exact_call
    return call is not None and call.gain_cap is None and call.success_gain > 0


def _sizes(rules: RuleChoices) -> Iterator[RulesetProblem]:
    bidding, guards = rules.bidding, rules.guards
    lower_limits = [
        ("players.min", rules.players.min, 2),
        ("players.max", rules.players.max, rules.players.min),
        ("players.per_set", rules.players.per_set, rules.players.min),
        ("dice.per_player", rules.dice.per_player, 1),
        ("dice.faces", rules.dice.faces, MIN_FACES),
        ("first_starter.dice", rules.first_starter.dice, 1),
        ("bidding.min_open", bidding.min_open, 1),
        ("bidding.min_open_pure", bidding.min_open_pure, 1),
        ("bidding.min_open_special", bidding.min_open_special, 1),
        ("bidding.max_open", bidding.max_open, 1),
        ("bidding.pass_dice", bidding.pass_dice, 2),
        ("bidding.cap", bidding.cap, 1),
        ("loss.fixed", rules.loss.fixed, 1),
        ("loss.exact", rules.loss.exact, 1),
        ("loss.out_of_turn_factor", rules.loss.out_of_turn_factor, 1),
        ("loss.lives", rules.loss.lives, 1),
        ("loss.out_below", rules.loss.out_below, 2),
        ("loss.opening_factor", rules.loss.opening_factor, 2),
        ("guards.max_rounds", guards.max_rounds, 1),
        ("guards.max_bids_per_round", guards.max_bids_per_round, 1),
    ]
    lower_limits += [(f"penalties.{penalty.trigger}", penalty.dice, 1) for penalty in rules.penalties]
    for path, value, minimum in lower_limits:
        if isinstance(value, int) and value < minimum:
            yield RulesetProblem(ProblemCode.TOO_LOW, {"path": path, "value": value, "least": minimum})
    for path, size, maximum in _upper_limits(rules):
        if isinstance(size, int) and size > maximum:
            yield RulesetProblem(ProblemCode.TOO_HIGH, {"path": path, "value": size, "most": maximum})
    for path, label in _labels(rules):
        if not (label.strip() and label.isprintable() and len(label) <= MAX_LABEL_LENGTH):
            shown = f"{label!r:.60}"
            yield RulesetProblem(ProblemCode.NO_LABEL, {"path": path, "most": MAX_LABEL_LENGTH, "label": shown})
    yield from label_problems(rules)
    if not 1 <= rules.dice.special_face <= rules.dice.faces:
        yield RulesetProblem(ProblemCode.NO_SUCH_FACE, {"face": rules.dice.special_face, "faces": rules.dice.faces})
    for path in ("min_open", "min_open_pure", "min_open_special"):
        least, most = getattr(bidding, path), bidding.max_open
        if isinstance(least, int) and most is not None and most < least:
            yield RulesetProblem(ProblemCode.NO_OPENING, {"most": most, "path": f"bidding.{path}", "least": least})
    if bidding.cap is None and guards.max_bids_per_round is None:
        yield RulesetProblem(ProblemCode.ENDLESS_ROUND)
    yield from _penalties(rules)


def _penalties(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield what is wrong with the penalties: each is for something else, and questions are no offences."""
    unnamed = [penalty.trigger for penalty in rules.penalties if not penalty.offence]
    if len(set(unnamed)) < len(unnamed):
        yield RulesetProblem(ProblemCode.PENALTY_TWICE)
    named = [(penalty.trigger, penalty.offence) for penalty in rules.penalties if penalty.offence]
    offences = (*(offence for _, offence in named), *(rules.labels.offences or ()))
    heard = [" ".join(offence.split()).casefold() for offence in offences]  # nobody hears case or spaces
    for place, (trigger, offence) in enumerate(named):
        if trigger is not c.PenaltyTrigger.COMMITS_OFFENCE:
            yield RulesetProblem(ProblemCode.OFFENCE_OF_QUESTION, {"value": trigger.value})
        if heard.count(heard[place]) > 1:
            yield RulesetProblem(ProblemCode.OFFENCE_TWICE, {"label": f"{offence!r:.60}"})
            return


def _labels(rules: RuleChoices) -> Iterator[tuple[str, str]]:
    """Yield every word of the labels, and every offence that a penalty names, with the path of its field."""
    for name in rules.labels.__struct_fields__:
        value = getattr(rules.labels, name)
        words = value if isinstance(value, tuple) else (value,)
        yield from ((f"labels.{name}", word) for word in words if isinstance(word, str))
    for penalty in rules.penalties:
        if isinstance(penalty.offence, str):
            yield "penalties.offence", penalty.offence


def _upper_limits(rules: RuleChoices) -> Iterator[tuple[str, object, int]]:
    bidding, loss, call = rules.bidding, rules.loss, rules.exact_call
    yield "players.min", rules.players.min, MAX_DICE
    yield "players.max", rules.players.max, MAX_DICE
    yield "players.per_set", rules.players.per_set, MAX_DICE
    yield "dice.faces", rules.dice.faces, MAX_FACES
    yield "dice.per_player", rules.dice.per_player, MAX_DICE
    yield "first_starter.dice", rules.first_starter.dice, MAX_DICE
    for name in ("min_open", "min_open_pure", "min_open_special"):
        yield f"bidding.{name}", getattr(bidding, name), MAX_QUANTITY
    yield "bidding.max_open", bidding.max_open, MAX_QUANTITY
    yield "bidding.cap", bidding.cap, MAX_QUANTITY
    yield "bidding.pass_dice", bidding.pass_dice, rules.dice.per_player
    yield "loss.fixed", loss.fixed, MAX_DICE
    yield "loss.exact", loss.exact, MAX_DICE
    yield "loss.out_of_turn_factor", loss.out_of_turn_factor, MAX_DICE
    yield "loss.lives", loss.lives, MAX_DICE
    yield "loss.out_below", loss.out_below, rules.dice.per_player
    yield "loss.opening_factor", loss.opening_factor, MAX_DICE
    yield "guards.max_rounds", rules.guards.max_rounds, MAX_ROUNDS
    yield "guards.max_bids_per_round", rules.guards.max_bids_per_round, MAX_ROUNDS
    for penalty in rules.penalties:
        yield f"penalties.{penalty.trigger}", penalty.dice, MAX_DICE
    if rules.special_round is not None:
        yield "special_round.min_players", rules.special_round.min_players, MAX_DICE
    if call is not None:
        for name in ("success_gain", "failure_loss", "bidder_loss", "others_loss", "min_players", "budget"):
            yield f"exact_call.{name}", getattr(call, name), MAX_DICE


def _wilds(rules: RuleChoices) -> Iterator[RulesetProblem]:
    suspended = rules.wilds.suspended_by
    if suspended and not rules.wilds.special_is_wild:
        yield RulesetProblem(ProblemCode.SUSPENDED_UNWILD)
    if len(set(suspended)) < len(suspended):
        yield RulesetProblem(ProblemCode.SUSPENDED_TWICE)
    for reason, code in IMPOSSIBLE_SUSPENSIONS.items():
        if reason in suspended and not suspension_can_happen(rules, reason):
            yield RulesetProblem(code)


def _loops(all_bidding: Bidding, dice: Dice) -> Iterator[RulesetProblem]:
    bidding = msgspec.structs.replace(all_bidding, to_pure=None)
    # quantity_first has loops through conversions only, and those exist under every raise rule
    loop = raise_loop(msgspec.structs.replace(bidding, raise_=c.Raise.QUANTITY_FIRST), dice)
    if loop:
        formulas = {"to_special": str(bidding.to_special), "from_special": str(bidding.from_special)}
        yield RulesetProblem(ProblemCode.CONVERSION_LOOP, {**formulas, "loop": loop})
        return
    loop = raise_loop(bidding, dice)
    if loop:
        yield RulesetProblem(ProblemCode.RAISE_LOOP, {"raise_rule": str(bidding.raise_), "loop": loop})
        return
    loop = raise_loop(all_bidding, dice)
    if loop:
        prices = {"to_pure": str(all_bidding.to_pure), "from_pure": str(all_bidding.from_pure or "none")}
        yield RulesetProblem(ProblemCode.PURE_LOOP, {**prices, "loop": loop})


def _losses(rules: RuleChoices) -> Iterator[RulesetProblem]:
    loss = rules.loss
    if loss.out_of_turn_factor != 1 and rules.challenge.who is not c.WhoCalls.ANYONE_BUT_BIDDER:
        yield RulesetProblem(ProblemCode.NEVER_OUT_OF_TURN, {"value": loss.out_of_turn_factor})
    if loss.destination is c.Destination.OPPONENT and rules.guards.max_rounds is None:
        yield RulesetProblem(ProblemCode.DICE_STAY)
    if loss.lives is c.LivesLimit.UNLIMITED and rules.guards.max_rounds is None:
        yield RulesetProblem(ProblemCode.LIVES_UNLIMITED)
    if counts_taken(rules) and (loss.destination is c.Destination.OPPONENT or gains_without_limit(rules)):
        yield RulesetProblem(ProblemCode.TAKEN_FROM_NOBODY)
    if loss.on_exact is c.OnExact.ALL_BUT_BIDDER and rules.next_starter.rule is c.NextStarter.LOSER:
        yield RulesetProblem(ProblemCode.SEVERAL_LOSERS)
    if may_fold(rules) and loss.mode is c.LossMode.DIFFERENCE:
        yield RulesetProblem(ProblemCode.FOLD_DIFFERENCE)


def _exact_call(rules: RuleChoices, call: ExactCall) -> Iterator[RulesetProblem]:
    for name, value, least in (
        ("success_gain", call.success_gain, 0),
        ("failure_loss", call.failure_loss, 0),
        ("bidder_loss", call.bidder_loss, 0),
        ("others_loss", call.others_loss, 0),
        ("min_players", call.min_players, 2),
        ("budget", call.budget, 1),
    ):
        if value is not None and value < least:
            yield RulesetProblem(ProblemCode.TOO_LOW, {"path": f"exact_call.{name}", "value": value, "least": least})
    bounded = rules.guards.max_rounds is not None or call.budget is not None
    if not bounded and (call.success_gain >= 1 or call.bidder_loss + call.others_loss == 0):
        yield RulesetProblem(ProblemCode.EXACT_KEEPS_DICE)
    if not bounded and call.failure_loss == 0:
        yield RulesetProblem(ProblemCode.EXACT_IS_FREE)
    if call.others_loss > 0 and call.next_starter is c.NextStarter.LOSER:
        yield RulesetProblem(ProblemCode.EXACT_SEVERAL_LOSERS)


def _special_round(rules: RuleChoices) -> Iterator[RulesetProblem]:
    special = rules.special_round
    if special is None:
        return
    if special.min_players < 2:
        yield RulesetProblem(
            ProblemCode.TOO_LOW, {"path": "special_round.min_players", "value": special.min_players, "least": 2}
        )
    counts_hands = rules.count.hand_bonus is not c.HandBonus.NONE or isinstance(
        rules.count.all_different, c.AllDifferent
    )
    if isinstance(special.visibility, Visibility) and isinstance(rules.bidding.show_dice, c.ShowDice):
        yield RulesetProblem(ProblemCode.COVERED_SHOW)
    settled_at_deal = special.visibility in (Visibility.CLOSED, Visibility.OPEN)
    if settled_at_deal and special.trigger is c.SpecialTrigger.DECLARED:
        yield RulesetProblem(ProblemCode.DECLARED_BLIND)
    if special.visibility in (Visibility.OPEN, Visibility.CHOSEN) and counts_hands:
        yield RulesetProblem(ProblemCode.OPEN_HANDS)
    if rules.loss.lives is c.LivesLimit.UNLIMITED:
        yield RulesetProblem(ProblemCode.NEVER_LAST_LIFE)
    elif least_dice(rules) > 1:
        yield RulesetProblem(ProblemCode.NEVER_LAST_DIE, {"value": least_dice(rules)})
    elif rules.loss.lives == 1:
        yield RulesetProblem(ProblemCode.TOO_LOW, {"path": "loss.lives", "value": 1, "least": 2})
    elif rules.starting_stakes < 2:
        yield RulesetProblem(ProblemCode.NEVER_DOWN_TO_ONE)
