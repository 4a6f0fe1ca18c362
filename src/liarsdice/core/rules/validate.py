"""Whether rule choices work together: every problem is found before a die is rolled.

Raise relations are not judged from a list of known good ones: the relation itself is walked, and a loop is shown.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from liarsdice.core.errors import RulesetError
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.ruleset_problems import Misfit, Reason

if TYPE_CHECKING:
    from liarsdice.core.rules.bids import Bid
    from liarsdice.core.rules.ruleset import Bidding, Dice, ExactCall, Ruleset

CHECKED_QUANTITY = 8
"""Loops are looked for among bids of up to this many dice.

Every known loop needs fewer: leaving the special face loses at most the rounding of one halving, which any face order
can turn into a loop by seven dice.
"""

SHORTEST_LOOP = 4
"""A bid, two others, and the first again. Two bids that beat each other are looked for before."""

MOST_FACES = 100
MOST_DICE = 100
MOST_QUANTITY = 1_000
MOST_ROUNDS = 1_000_000
"""Far above any table, and what bounds the time and memory that strange rules can cost."""

LONGEST_LABEL = 40


def check(rules: Ruleset) -> None:
    """Raise `RulesetError` for the first combination of choices that cannot be played."""
    for problem in problems(rules):
        raise RulesetError(str(problem))


def problems(rules: Ruleset) -> Iterator[Misfit]:
    """Every reason why the rules do not work, worst first; nothing when they do."""
    sizes = tuple(_sizes(rules))
    yield from sizes
    yield from _special_face(rules)
    yield from _wilds(rules)
    if not sizes and not rules.bidding.no_repeat:
        yield from _loops(rules.bidding, rules.dice)
    yield from _losses(rules)
    if rules.exact_call is not None:
        yield from _exact_call(rules, rules.exact_call)
    yield from _special_round(rules)


def warnings(rules: Ruleset) -> Iterator[Misfit]:
    """Choices that can be played but are probably not what was meant."""
    if rules.bidding.special_rank is c.SpecialRank.CONVERT:
        if not rules.wilds.special_is_wild:
            yield Misfit(Reason.CONVERT_UNWILD)
        if c.SuspendedBy.ANY_BID_ON_SPECIAL in rules.wilds.suspended_by:
            yield Misfit(Reason.CONVERT_SUSPENDED)
    if rules.bidding.special_may_open is c.SpecialOpening.SPECIAL_ROUND_ONLY and rules.special_round is None:
        yield Misfit(Reason.NEVER_OPENS)
    if rules.wilds.needs_natural and not rules.wilds.special_is_wild:
        yield Misfit(Reason.NATURAL_UNWILD)
    call = rules.exact_call
    if call is not None and call.gain_cap is None and call.success_gain > 0:
        yield Misfit(Reason.UNLIMITED_GAIN)
    special = rules.special_round
    if special is not None and special.lock_exempt is not c.LockExempt.NONE and not special.face_locked:
        yield Misfit(Reason.EXEMPT_UNLOCKED)


def _sizes(rules: Ruleset) -> Iterator[Misfit]:
    bidding, guards = rules.bidding, rules.guards
    lower_limits = [
        ("players.min", rules.players.min, 2),
        ("players.max", rules.players.max, rules.players.min),
        ("dice.per_player", rules.dice.per_player, 1),
        ("dice.faces", rules.dice.faces, 2),
        ("first_starter.dice", rules.first_starter.dice, 1),
        ("bidding.min_open", bidding.min_open, 1),
        ("bidding.max_open", bidding.max_open, 1),
        ("bidding.cap", bidding.cap, 1),
        ("loss.fixed", rules.loss.fixed, 1),
        ("loss.exact", rules.loss.exact, 1),
        ("loss.out_of_turn_factor", rules.loss.out_of_turn_factor, 1),
        ("guards.max_rounds", guards.max_rounds, 1),
        ("guards.max_bids_per_round", guards.max_bids_per_round, 1),
    ]
    lower_limits += [(f"penalties.{penalty.trigger}", penalty.dice, 1) for penalty in rules.penalties]
    for name, value, least in lower_limits:
        if isinstance(value, int) and value < least:
            yield Misfit(Reason.TOO_LOW, {"path": name, "value": value, "least": least})
    for name, size, most in _upper_limits(rules):
        if isinstance(size, int) and size > most:
            yield Misfit(Reason.TOO_HIGH, {"path": name, "value": size, "most": most})
    for name in rules.labels.__struct_fields__:
        label = getattr(rules.labels, name)
        if label is not None and not (label.strip() and label.isprintable() and len(label) <= LONGEST_LABEL):
            shown = f"{label!r:.60}"
            yield Misfit(Reason.NO_LABEL, {"path": f"labels.{name}", "most": LONGEST_LABEL, "label": shown})
    if not 1 <= rules.dice.special_face <= rules.dice.faces:
        yield Misfit(Reason.NO_SUCH_FACE, {"face": rules.dice.special_face, "faces": rules.dice.faces})
    if isinstance(bidding.min_open, int) and bidding.max_open is not None and bidding.max_open < bidding.min_open:
        yield Misfit(Reason.NO_OPENING, {"most": bidding.max_open, "least": bidding.min_open})
    if bidding.cap is None and guards.max_bids_per_round is None:
        yield Misfit(Reason.ENDLESS_ROUND)
    triggers = [penalty.trigger for penalty in rules.penalties]
    if len(set(triggers)) < len(triggers):
        yield Misfit(Reason.PENALTY_TWICE)


def _upper_limits(rules: Ruleset) -> Iterator[tuple[str, object, int]]:
    bidding, loss, call = rules.bidding, rules.loss, rules.exact_call
    yield "players.min", rules.players.min, MOST_DICE
    yield "players.max", rules.players.max, MOST_DICE
    yield "dice.faces", rules.dice.faces, MOST_FACES
    yield "dice.per_player", rules.dice.per_player, MOST_DICE
    yield "first_starter.dice", rules.first_starter.dice, MOST_DICE
    yield "bidding.min_open", bidding.min_open, MOST_QUANTITY
    yield "bidding.max_open", bidding.max_open, MOST_QUANTITY
    yield "bidding.cap", bidding.cap, MOST_QUANTITY
    yield "loss.fixed", loss.fixed, MOST_DICE
    yield "loss.exact", loss.exact, MOST_DICE
    yield "loss.out_of_turn_factor", loss.out_of_turn_factor, MOST_DICE
    yield "guards.max_rounds", rules.guards.max_rounds, MOST_ROUNDS
    yield "guards.max_bids_per_round", rules.guards.max_bids_per_round, MOST_ROUNDS
    for penalty in rules.penalties:
        yield f"penalties.{penalty.trigger}", penalty.dice, MOST_DICE
    if rules.special_round is not None:
        yield "special_round.min_players", rules.special_round.min_players, MOST_DICE
    if call is not None:
        for name in ("success_gain", "failure_loss", "bidder_loss", "others_loss", "min_players", "budget"):
            yield f"exact_call.{name}", getattr(call, name), MOST_DICE


def _special_face(rules: Ruleset) -> Iterator[Misfit]:
    bidding = rules.bidding
    converts = bidding.special_rank is c.SpecialRank.CONVERT
    for name, formula in (("to_special", bidding.to_special), ("from_special", bidding.from_special)):
        if converts and formula is None:
            yield Misfit(Reason.NO_CONVERSION, {"path": f"bidding.{name}"})
        if not converts and formula is not None:
            yield Misfit(Reason.IDLE_CONVERSION, {"path": f"bidding.{name}", "formula": str(formula)})
    if bidding.special_rank is c.SpecialRank.NOT_BIDDABLE and bidding.special_may_open is not False:
        yield Misfit(Reason.OPENING_UNBIDDABLE)


def _wilds(rules: Ruleset) -> Iterator[Misfit]:
    suspended = rules.wilds.suspended_by
    if suspended and not rules.wilds.special_is_wild:
        yield Misfit(Reason.SUSPENDED_UNWILD)
    if len(set(suspended)) < len(suspended):
        yield Misfit(Reason.SUSPENDED_TWICE)
    if c.SuspendedBy.SPECIAL_ROUND in suspended and rules.special_round is None:
        yield Misfit(Reason.SUSPENDED_BY_NO_ROUND)
    opens = rules.bidding.special_may_open
    never = opens is False or (opens is c.SpecialOpening.SPECIAL_ROUND_ONLY and rules.special_round is None)
    if c.SuspendedBy.OPENING_BID_ON_SPECIAL in suspended and never:
        yield Misfit(Reason.SUSPENDED_BY_NO_OPENING)
    biddable = rules.bidding.special_rank is not c.SpecialRank.NOT_BIDDABLE
    if c.SuspendedBy.ANY_BID_ON_SPECIAL in suspended and not biddable:
        yield Misfit(Reason.SUSPENDED_BY_NO_BID)


def _loops(bidding: Bidding, dice: Dice) -> Iterator[Misfit]:
    # by quantity first nothing goes round but conversions, and then they do so by any raise rule
    loop = raise_loop(msgspec.structs.replace(bidding, raise_=c.Raise.QUANTITY_FIRST), dice)
    if loop:
        formulas = {"to_special": str(bidding.to_special), "from_special": str(bidding.from_special)}
        yield Misfit(Reason.CONVERSION_LOOP, {**formulas, "loop": loop})
        return
    loop = raise_loop(bidding, dice)
    if loop:
        yield Misfit(Reason.RAISE_LOOP, {"raise_rule": str(bidding.raise_), "loop": loop})


def _losses(rules: Ruleset) -> Iterator[Misfit]:
    loss = rules.loss
    if loss.out_of_turn_factor != 1 and rules.challenge.who is not c.WhoCalls.ANYONE_BUT_BIDDER:
        yield Misfit(Reason.NEVER_OUT_OF_TURN, {"value": loss.out_of_turn_factor})
    if loss.destination is c.Destination.OPPONENT and rules.guards.max_rounds is None:
        yield Misfit(Reason.DICE_STAY)
    if loss.on_exact is c.OnExact.ALL_BUT_BIDDER and rules.next_starter.rule is c.NextStarter.LOSER:
        yield Misfit(Reason.SEVERAL_LOSERS)


def _exact_call(rules: Ruleset, call: ExactCall) -> Iterator[Misfit]:
    for name, value, least in (
        ("success_gain", call.success_gain, 0),
        ("failure_loss", call.failure_loss, 0),
        ("bidder_loss", call.bidder_loss, 0),
        ("others_loss", call.others_loss, 0),
        ("min_players", call.min_players, 2),
        ("budget", call.budget, 1),
    ):
        if value is not None and value < least:
            yield Misfit(Reason.TOO_LOW, {"path": f"exact_call.{name}", "value": value, "least": least})
    bounded = rules.guards.max_rounds is not None or call.budget is not None
    if not bounded and (call.success_gain >= 1 or call.bidder_loss + call.others_loss == 0):
        yield Misfit(Reason.EXACT_KEEPS_DICE)
    if not bounded and call.failure_loss == 0:
        yield Misfit(Reason.EXACT_IS_FREE)
    if call.others_loss > 0 and call.next_starter is c.NextStarter.LOSER:
        yield Misfit(Reason.EXACT_SEVERAL_LOSERS)


def _special_round(rules: Ruleset) -> Iterator[Misfit]:
    special = rules.special_round
    if special is None:
        return
    if special.min_players < 2:
        yield Misfit(Reason.TOO_LOW, {"path": "special_round.min_players", "value": special.min_players, "least": 2})
    if rules.dice.per_player < 2:
        yield Misfit(Reason.NEVER_DOWN_TO_ONE)


def raise_loop(bidding: Bidding, dice: Dice) -> tuple[Bid, ...]:
    """The shortest loop of bids each of which beats the one before; empty where the relation is acyclic."""
    # only what the relation depends on, so that it is walked once for all other choices
    ranks = {name: getattr(bidding, name) for name in ("raise_", "special_rank", "to_special", "from_special")}
    return _loop(type(bidding)(**ranks), type(dice)(faces=dice.faces, special_face=dice.special_face))


@lru_cache(maxsize=1024)
def _loop(bidding: Bidding, dice: Dice) -> tuple[Bid, ...]:
    from liarsdice.core.rules.bids import Bid, biddable_faces, outranks  # noqa: PLC0415  it reads rulesets, checked here

    bids = [
        Bid(quantity, face) for quantity in range(1, CHECKED_QUANTITY + 1) for face in biddable_faces(bidding, dice)
    ]
    above = {old: [new for new in bids if outranks(bidding, dice, old, new)] for old in bids}
    for old, higher in above.items():
        for new in higher:
            if outranks(bidding, dice, new, old):
                return old, new, old
    shortest: tuple[Bid, ...] = ()
    for start in _without_ends(above):
        loop = _loop_from(start, above)
        if loop and (not shortest or len(loop) < len(shortest)):
            shortest = loop
        if len(shortest) == SHORTEST_LOOP:
            break
    return shortest


def _without_ends(above: dict[Bid, list[Bid]]) -> list[Bid]:
    """The bids that remain when those with nothing above them are taken away again and again: none if acyclic."""
    below: dict[Bid, list[Bid]] = {bid: [] for bid in above}
    for old, higher in above.items():
        for new in higher:
            below[new].append(old)
    left = {bid: len(higher) for bid, higher in above.items()}
    ends = deque(bid for bid, count in left.items() if count == 0)
    while ends:
        end = ends.popleft()
        del left[end]
        for old in below[end]:
            left[old] -= 1
            if left[old] == 0:
                ends.append(old)
    return list(left)


def _loop_from(start: Bid, above: dict[Bid, list[Bid]]) -> tuple[Bid, ...]:
    came_from: dict[Bid, Bid] = {}
    queue = deque([start])
    while queue:
        old = queue.popleft()
        for new in above[old]:
            if new == start:
                path = [start, old]
                while old != start:
                    old = came_from[old]
                    path.append(old)
                return tuple(reversed(path))
            if new not in came_from:
                came_from[new] = old
                queue.append(new)
    return ()
