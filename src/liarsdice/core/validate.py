"""Whether rule choices work together: every problem is found before a die is rolled.

Raise relations are not judged from a list of known good ones: the relation itself is walked, and a loop is shown.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from liarsdice.core import choices as c
from liarsdice.core.errors import RulesetError

if TYPE_CHECKING:
    from liarsdice.core.bids import Bid
    from liarsdice.core.ruleset import Bidding, Dice, ExactCall, Ruleset

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
        raise RulesetError(problem)


def problems(rules: Ruleset) -> Iterator[str]:
    """Every reason why the rules do not work, worst first; nothing when they do."""
    sizes = tuple(_sizes(rules))
    yield from sizes
    yield from _special_face(rules)
    yield from _wilds(rules)
    if not sizes and not rules.bidding.no_repeat:
        loop = raise_loop(rules.bidding, rules.dice)
        if loop:
            yield (
                f"bidding.raise {rules.bidding.raise_} lets bids go round in a loop: {' -> '.join(map(str, loop))} "
                "(choose another raise rule or set bidding.no_repeat)"
            )
    yield from _losses(rules)
    if rules.exact_call is not None:
        yield from _exact_call(rules, rules.exact_call)
    yield from _special_round(rules)


def warnings(rules: Ruleset) -> tuple[str, ...]:
    """Choices that can be played but are probably not what was meant."""
    found = []
    if rules.bidding.special_rank is c.SpecialRank.CONVERT:
        if not rules.wilds.special_is_wild:
            found.append("bidding.special_rank convert without wilds.special_is_wild: half as many for no reason")
        if c.SuspendedBy.ANY_BID_ON_SPECIAL in rules.wilds.suspended_by:
            found.append("bidding.special_rank convert while any bid on the special face ends its wildness")
    if rules.bidding.special_may_open is c.SpecialOpening.SPECIAL_ROUND_ONLY and rules.special_round is None:
        found.append("bidding.special_may_open special_round_only without a special_round: it never opens")
    if rules.wilds.needs_natural and not rules.wilds.special_is_wild:
        found.append("wilds.needs_natural changes nothing while wilds.special_is_wild is false")
    call = rules.exact_call
    if call is not None and call.gain_cap is None and call.success_gain > 0:
        found.append("exact_call.gain_cap none lets a hand grow with every right call, and the match with it")
    special = rules.special_round
    if special is not None and special.lock_exempt is not c.LockExempt.NONE and not special.face_locked:
        found.append("special_round.lock_exempt changes nothing unless special_round.face_locked")
    return tuple(found)


def _sizes(rules: Ruleset) -> Iterator[str]:
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
            yield f"{name} is {value}, but needs to be at least {least}"
    for name, size, most in _upper_limits(rules):
        if isinstance(size, int) and size > most:
            yield f"{name} is {size}, but may be at most {most}"
    for name in rules.labels.__struct_fields__:
        label = getattr(rules.labels, name)
        if label is not None and not (label.strip() and label.isprintable() and len(label) <= LONGEST_LABEL):
            yield f"labels.{name} is 1 to {LONGEST_LABEL} printable characters, not {label!r:.60}"
    if not 1 <= rules.dice.special_face <= rules.dice.faces:
        yield f"dice.special_face is {rules.dice.special_face}, which is no face of a die with {rules.dice.faces} faces"
    if isinstance(bidding.min_open, int) and bidding.max_open is not None and bidding.max_open < bidding.min_open:
        yield f"bidding.max_open is {bidding.max_open}, below bidding.min_open {bidding.min_open}"
    if bidding.cap is None and guards.max_bids_per_round is None:
        yield "bidding.cap is none, so a round need not end (set guards.max_bids_per_round)"
    triggers = [penalty.trigger for penalty in rules.penalties]
    if len(set(triggers)) < len(triggers):
        yield "penalties name the same trigger twice"


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


def _special_face(rules: Ruleset) -> Iterator[str]:
    bidding = rules.bidding
    converts = bidding.special_rank is c.SpecialRank.CONVERT
    for name, formula in (("to_special", bidding.to_special), ("from_special", bidding.from_special)):
        if converts and formula is None:
            yield f"bidding.special_rank convert needs bidding.{name} (from_special may be 'never')"
        if not converts and formula is not None:
            yield f"bidding.{name} is {formula}, which has no meaning unless bidding.special_rank is convert"
    if bidding.special_rank is c.SpecialRank.NOT_BIDDABLE and bidding.special_may_open is not False:
        yield "bidding.special_rank not_biddable needs bidding.special_may_open = false"


def _wilds(rules: Ruleset) -> Iterator[str]:
    suspended = rules.wilds.suspended_by
    if suspended and not rules.wilds.special_is_wild:
        yield "wilds.suspended_by has nothing to suspend: wilds.special_is_wild is false"
    if len(set(suspended)) < len(suspended):
        yield "wilds.suspended_by names the same reason twice"
    if c.SuspendedBy.SPECIAL_ROUND in suspended and rules.special_round is None:
        yield "wilds.suspended_by special_round needs a special_round"
    opens = rules.bidding.special_may_open
    never = opens is False or (opens is c.SpecialOpening.SPECIAL_ROUND_ONLY and rules.special_round is None)
    if c.SuspendedBy.OPENING_BID_ON_SPECIAL in suspended and never:
        yield "wilds.suspended_by opening_bid_on_special needs bidding.special_may_open"
    biddable = rules.bidding.special_rank is not c.SpecialRank.NOT_BIDDABLE
    if c.SuspendedBy.ANY_BID_ON_SPECIAL in suspended and not biddable:
        yield "wilds.suspended_by any_bid_on_special needs a special face that may be bid"


def _losses(rules: Ruleset) -> Iterator[str]:
    loss = rules.loss
    if loss.out_of_turn_factor != 1 and rules.challenge.who is not c.WhoCalls.ANYONE_BUT_BIDDER:
        yield (
            f"loss.out_of_turn_factor {loss.out_of_turn_factor} has no meaning when only the next player may challenge "
            "(set challenge.who = anyone_but_bidder)"
        )
    if loss.destination is c.Destination.OPPONENT and rules.guards.max_rounds is None:
        yield "loss.destination opponent never lowers the number of dice, so it needs guards.max_rounds"
    if loss.on_exact is c.OnExact.ALL_BUT_BIDDER and rules.next_starter.rule is c.NextStarter.LOSER:
        yield "loss.on_exact all_but_bidder makes several losers, so next_starter.rule loser names nobody"


def _exact_call(rules: Ruleset, call: ExactCall) -> Iterator[str]:
    for name, value, least in (
        ("success_gain", call.success_gain, 0),
        ("failure_loss", call.failure_loss, 0),
        ("bidder_loss", call.bidder_loss, 0),
        ("others_loss", call.others_loss, 0),
        ("min_players", call.min_players, 2),
        ("budget", call.budget, 1),
    ):
        if value is not None and value < least:
            yield f"exact_call.{name} is {value}, but needs to be at least {least}"
    bounded = rules.guards.max_rounds is not None or call.budget is not None
    if not bounded and (call.success_gain >= 1 or call.bidder_loss + call.others_loss == 0):
        yield (
            "exact_call can be right without anybody losing a die, so the match need not end "
            "(set guards.max_rounds or exact_call.budget)"
        )
    if not bounded and call.failure_loss == 0:
        yield "exact_call.failure_loss 0 costs nobody a die (set guards.max_rounds or exact_call.budget)"
    if call.others_loss > 0 and call.next_starter is c.NextStarter.LOSER:
        yield "exact_call.others_loss makes several losers, so exact_call.next_starter loser names nobody"


def _special_round(rules: Ruleset) -> Iterator[str]:
    special = rules.special_round
    if special is None:
        return
    if special.min_players < 2:
        yield f"special_round.min_players is {special.min_players}, but needs to be at least 2"
    if rules.dice.per_player < 2:
        yield "special_round needs dice.per_player of at least 2: nobody can lose down to one die"


def raise_loop(bidding: Bidding, dice: Dice) -> tuple[Bid, ...]:
    """The shortest loop of bids each of which beats the one before; empty where the relation is acyclic."""
    # only what the relation depends on, so that it is walked once for all other choices
    ranks = {name: getattr(bidding, name) for name in ("raise_", "special_rank", "to_special", "from_special")}
    return _loop(type(bidding)(**ranks), type(dice)(faces=dice.faces, special_face=dice.special_face))


@lru_cache(maxsize=1024)
def _loop(bidding: Bidding, dice: Dice) -> tuple[Bid, ...]:
    from liarsdice.core.bids import Bid, biddable_faces, outranks  # noqa: PLC0415  it reads rulesets, checked here

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
