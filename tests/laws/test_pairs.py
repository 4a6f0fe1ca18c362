"""Pairwise coverage: every two rule choices that can be combined are combined in some match that is played here."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import cache
from itertools import combinations

import msgspec
import pytest

from liarsdice.core.engine.engine import replay
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import RulesetError
from liarsdice.core.records.record import verify_events
from liarsdice.core.rules.choices import PassHand, PenaltyTrigger, SuspendedBy
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import from_dict
from tests.laws.random_matches import random_match
from tests.laws.random_rulesets import rule_axes
from tests.laws.test_legality import has_loop_up_to

Value = bool | int | str | None
"""The value of a rule choice."""

LOOKED_AT = ("open", "chosen", "others")
"""Where players may see the dice of others."""
VISIBILITY = ("dice.visibility", "special_round.visibility")
ABSENT = "-"
"""The value of a field whose part is missing."""


NUMBERS: dict[str, tuple[Value, ...]] = {
    "dice.double": (None, 1),
    "dice.double_lost": (None, "first"),
    "dice.visibility": (None, "blind", "others"),
    "bidding.cap": ("dice_in_play", None, 4),
    "bidding.min_open": (1, "players", "players_plus_1", "players_plus_2", "players_times_1_5"),
    "bidding.min_open_pure": (None, 2, "players"),
    "bidding.min_open_special": (None, 2, "players_plus_1"),
    "bidding.to_pure": (None, "same_quantity", "one_less"),
    "bidding.from_pure": (None, "double", "plus_1", "plus_2"),
    "bidding.show_dice": (None, "counting", "counting_kept"),
    "bidding.pass_dice": (None, 2),
    "bidding.face_off": (None, "sum"),
    "count.all_different": (None, "worthless", "rolled_again", "may_roll_again"),
    "count.straights": (None, "low", "high", "either"),
    "challenge.double": (None, "next_player", "anyone_but_bidder"),
    "challenge.answers": (None, "redouble", "redouble_or_fold"),
    "loss.out_of_turn_factor": (1, 2),
    "loss.lives": (None, 3, "unlimited"),
    "loss.tally": (None, "taken"),
    "loss.out_below": (None, 3),
    "loss.opening_factor": (None, 2),
    "loss.ante": (None, 1),
    "loss.shed_by": (None, "winner", "all_but_loser"),
    "exact_call.success_gain": (0, 1),
    "exact_call.failure_loss": (0, 1),
    "exact_call.bidder_loss": (0, 1),
    "exact_call.others_loss": (0, 1),
    "exact_call.budget": (None, 2),
    "exact_call.min_dice": (None, "half"),
    "exact_call.claim": (None, "next_player", "bidder"),
    "special_round.visibility": (None, "closed", "open", "chosen"),
    "guards.max_rounds": (None, 12),
    "guards.max_bids_per_round": (None, 9),
}
PARTS = ("exact_call", "special_round")


def all_axes() -> dict[str, tuple[Value, ...]]:
    """Each axis with its values; a list of choices is one boolean axis for each of them."""
    result: dict[str, tuple[Value, ...]] = dict.fromkeys(PARTS, (False, True))
    for path, values in rule_axes():
        written = [value.value if isinstance(value, Enum) else value for value in values]
        if path in ("wilds.suspended_by", "penalties.trigger", "bidding.pass_with"):
            result |= {f"{path}.{value}": (False, True) for value in written}
        else:
            result[path] = tuple(v for v in written if isinstance(v, bool | int | str))
    for path in ("bidding.to_special", "bidding.from_special", "exact_call.gain_cap"):
        result[path] = (None, *result[path])
    result |= NUMBERS
    for path in result:
        if path.partition(".")[0] in PARTS and path not in PARTS:
            result[path] = (ABSENT, *result[path])
    return result


AXES = all_axes()


@cache
def has_loop(raise_: Value, rank: Value, to: Value, back: Value, to_pure: Value, from_pure: Value) -> bool:
    if ((rank == "convert"), (rank == "convert")) != (to is not None, back is not None):
        return False  # no ruleset has such a pair
    bidding = {"raise": raise_, "special_rank": rank, "to_special": to, "from_special": back}
    if to_pure is not None:
        bidding |= {"to_pure": to_pure, "from_pure": from_pure}
    return has_loop_up_to({"bidding": bidding, "dice": {"faces": 6, "special_face": 1}}, 8)


def exact_call_ends(
    call: Value, budget: Value, gain: Value, failure: Value, bidder: Value, others: Value, rounds: Value, shed: Value
) -> bool:
    """Whether the exact call lets matches end: if it can cost nobody a die, calls or rounds must be limited."""
    if not call or ABSENT in (budget, gain, failure, bidder, others) or budget is not None or rounds is not None:
        return True
    if shed is not None:
        return gain != 0 and failure != 0
    return gain == 0 and failure != 0 and (bidder, others) != (0, 0)


def counts_up(lives: Value, tally: Value) -> bool:
    """Whether lives are counted as they are lost, so that nobody can receive any."""
    return lives == "unlimited" or (lives is not None and tally == "taken")


RAISE_AXES = tuple(
    f"bidding.{name}" for name in ("raise", "special_rank", "to_special", "from_special", "to_pure", "from_pure")
)
"""The axes that the raise relation depends on."""
SUSPENDED = "wilds.suspended_by."
PASSING = {hand: f"bidding.pass_with.{hand.value}" for hand in PassHand}
PASSED = tuple(PASSING.values())
Constraint = tuple[tuple[str, ...], Callable[..., bool]]
CONSTRAINTS: list[Constraint] = [
    # The raise relation must have no loop, unless no bid may be repeated, as among bids on any other face.
    (
        (*RAISE_AXES, "bidding.no_repeat"),
        lambda *values: values[-1] or values[0] == "other_face" or not has_loop(*values[:-1]),
    ),
    # Pure bids take wild dice away, as nothing else does then; bids on the special face are pure and cannot convert.
    (("bidding.to_pure", "wilds.special_is_wild"), lambda to, wild: to is None or wild),
    (("bidding.to_pure", "bidding.special_rank"), lambda to, rank: to is None or rank != "convert"),
    *((("bidding.to_pure", SUSPENDED + reason.value), lambda to, on: to is None or not on) for reason in SuspendedBy),
    # Conversion needs both formulas, and only conversion has them.
    (("bidding.special_rank", "bidding.to_special"), lambda rank, to: (rank == "convert") == (to is not None)),
    (("bidding.special_rank", "bidding.from_special"), lambda rank, back: (rank == "convert") == (back is not None)),
    # Wildness can be suspended only if the special face is wild, and by events that can happen.
    *((("wilds.special_is_wild", SUSPENDED + reason.value), lambda wild, on: wild or not on) for reason in SuspendedBy),
    (("special_round", SUSPENDED + "special_round"), lambda part, on: part or not on),
    (
        ("bidding.special_may_open", "special_round", SUSPENDED + "opening_bid_on_special"),
        lambda opens, part, on: not on or opens is True or (opens is not False and bool(part)),
    ),
    (
        ("bidding.special_rank", SUSPENDED + "any_bid_on_special"),
        lambda rank, on: rank != "not_biddable" or not on,
    ),
    # A face that cannot be bid opens no round; a factor needs calls out of turn; endless play needs a limit.
    (
        ("bidding.special_rank", "bidding.special_may_open"),
        lambda rank, opens: rank != "not_biddable" or opens is False,
    ),
    (
        ("loss.out_of_turn_factor", "challenge.who"),
        lambda factor, who: factor == 1 or who == "anyone_but_bidder",
    ),
    (("bidding.cap", "guards.max_bids_per_round"), lambda cap, bids: cap is not None or bids is not None),
    (("loss.destination", "guards.max_rounds"), lambda to, rounds: to != "opponent" or rounds is not None),
    # Hands count for more only among all dice.
    (("count.scope", "count.hand_bonus"), lambda scope, bonus: scope != "bidder" or bonus == "none"),
    # Nobody shows dice that they may not look at.
    *(((path, "bidding.show_dice"), lambda see, show: see in (None, ABSENT) or show is None) for path in VISIBILITY),
    # Where nobody sees their own dice in any round, special rounds are no exception.
    (VISIBILITY, lambda always, see: always is None or see in (None, ABSENT)),
    # Who sees which dice is settled before anybody can declare a special round, or with that.
    (
        ("special_round.trigger", "special_round.visibility"),
        lambda trigger, see: trigger != "declared" or see in (None, ABSENT, "chosen"),
    ),
    # Where players see the hands of others, no hand counts for more or for nothing.
    *(((path, "count.hand_bonus"), lambda see, bonus: see not in LOOKED_AT or bonus == "none") for path in VISIBILITY),
    *(
        ((path, "count.all_different"), lambda see, choice: see not in LOOKED_AT or choice is None)
        for path in VISIBILITY
    ),
    # Where nobody looks at any dice, nobody knows which hands to roll again.
    (
        ("dice.visibility", "count.all_different"),
        lambda see, choice: see != "blind" or choice in (None, "worthless"),
    ),
    # Dice that count double lie as they were dealt, and each counts by itself.
    (("dice.double", "count.hand_bonus"), lambda double, bonus: double is None or bonus == "none"),
    *(
        (("dice.double", path), lambda double, choice: double is None or choice is None)
        for path in ("count.all_different", "bidding.show_dice", "bidding.face_off")
    ),
    *((("dice.double", path), lambda double, see: double is None or see not in LOOKED_AT) for path in VISIBILITY),
    *(
        (
            ("dice.double", f"penalties.trigger.{trigger.value}", "penalty_timing", "loss.lives"),
            lambda double, on, timing, lives: double is None or not on or timing != "immediate" or lives is not None,
        )
        for trigger in PenaltyTrigger
    ),
    (
        ("dice.double", "loss.destination", "loss.lives"),
        lambda double, to, lives: double is None or to != "opponent" or lives is not None,
    ),
    # Stairs are all different.
    (("count.hand_bonus", "count.all_different"), lambda bonus, choice: "stairs" not in bonus or choice is None),
    # Shown dice part a hand, and a penalty at once would take some of them.
    *(
        (
            ("bidding.show_dice", f"penalties.trigger.{trigger.value}", "penalty_timing"),
            lambda show, on, timing: show is None or not on or timing != "immediate",
        )
        for trigger in PenaltyTrigger
    ),
    (("bidding.show_dice", "count.hand_bonus"), lambda show, bonus: show is None or bonus == "none"),
    (("bidding.show_dice", "count.all_different"), lambda show, choice: show is None or choice is None),
    # A pass is about a whole hand that only its owner sees, and that no penalty changes.
    *(((hand, "bidding.show_dice"), lambda on, show: not on or show is None) for hand in PASSED),
    *(((hand, path), lambda on, see: not on or see in (None, ABSENT)) for hand in PASSED for path in VISIBILITY),
    *(
        (
            (hand, f"penalties.trigger.{trigger.value}", "penalty_timing"),
            lambda on, punished, timing: not on or not punished or timing != "immediate",
        )
        for hand in PASSED
        for trigger in PenaltyTrigger
    ),
    # With all dice, nobody has a hand that is all different and has to be rolled again; for lives, dice are never lost.
    (
        (PASSING[PassHand.ALL_DIFFERENT], "bidding.pass_dice", "count.all_different", "loss.lives"),
        lambda passing, least, choice, lives: (
            not passing or choice != "rolled_again" or (least is not None and lives is None)
        ),
    ),
    # After a fold nobody knows the difference.
    (
        ("challenge.double", "challenge.answers", "loss.mode"),
        lambda double, answers, mode: double is None or answers != "redouble_or_fold" or mode == "fixed",
    ),
    # Two players come down to one die each only where dice are lost, one by one, and a sum is about both.
    (("bidding.face_off", "count.scope"), lambda sums, scope: sums is None or scope != "bidder"),
    (("bidding.face_off", "loss.lives"), lambda sums, lives: sums is None or lives is None),
    (("bidding.face_off", "loss.out_below"), lambda sums, least: sums is None or least is None),
    # Unlimited lives never run out, and what is counted as it is lost goes to nobody.
    (("loss.lives", "guards.max_rounds"), lambda lives, rounds: lives != "unlimited" or rounds is not None),
    (
        ("loss.lives", "loss.tally", "loss.ante"),
        lambda lives, tally, ante: lives is None or not counts_up(lives, tally) or lives == "unlimited" or ante is None,
    ),
    # Nobody comes down to one die who is out with two.
    (
        ("loss.lives", "loss.out_below", "special_round"),
        lambda lives, below, part: lives is not None or below is None or not part,
    ),
    (("loss.lives", "special_round"), lambda lives, part: lives != "unlimited" or not part),
    (
        ("loss.lives", "loss.tally", "loss.destination"),
        lambda lives, tally, to: not counts_up(lives, tally) or to != "opponent",
    ),
    (
        ("loss.lives", "loss.tally", "exact_call.success_gain", "exact_call.gain_cap"),
        lambda lives, tally, gain, cap: not counts_up(lives, tally) or gain != 1 or cap is not None,
    ),
    (
        (
            "exact_call",
            "exact_call.budget",
            "exact_call.success_gain",
            "exact_call.failure_loss",
            "exact_call.bidder_loss",
            "exact_call.others_loss",
            "guards.max_rounds",
            "loss.shed_by",
        ),
        exact_call_ends,
    ),
    # Where winners put dice or lives away, nobody else loses or receives any, and it brings the winners to safety.
    (("loss.shed_by", "loss.on_exact"), lambda shed, exact: shed is None or exact == "challenger"),
    (("loss.shed_by", "loss.destination"), lambda shed, to: shed is None or to == "discard"),
    (("loss.shed_by", "loss.out_below"), lambda shed, least: shed is None or least is None),
    (
        ("loss.shed_by", "loss.lives", "loss.ante"),
        lambda shed, lives, ante: shed is None or lives != 3 or ante is None,
    ),
    (("loss.shed_by", "loss.lives"), lambda shed, lives: shed is None or lives != "unlimited"),
    (
        ("loss.shed_by", "loss.lives", "loss.tally"),
        lambda shed, lives, tally: shed is None or not counts_up(lives, tally),
    ),
    *(
        (("loss.shed_by", f"penalties.trigger.{trigger.value}"), lambda shed, on: shed is None or not on)
        for trigger in PenaltyTrigger
    ),
    # If all others pay, there is no single loser to open the next round.
    (("loss.on_exact", "next_starter.rule"), lambda exact, rule: exact != "all_but_bidder" or rule != "loser"),
    (
        ("exact_call.others_loss", "exact_call.next_starter", "loss.shed_by"),
        lambda others, rule, shed: others in (0, ABSENT) or rule != "loser" or shed is not None,
    ),
    # A missing part has no fields, and a present one has all.
    *(
        ((path.partition(".")[0], path), lambda part, value: part == (value != ABSENT))
        for path in AXES
        if AXES[path][0] == ABSENT
    ),
]


Row = dict[str, Value]
Pair = tuple[tuple[str, Value], tuple[str, Value]]


@cache
def constraints_of() -> Mapping[str, list[Constraint]]:
    result: dict[str, list[Constraint]] = defaultdict(list)
    for constraint in CONSTRAINTS:
        for axis in constraint[0]:
            result[axis].append(constraint)
    return result


def fits(row: Row, axis: str, value: Value) -> bool:
    """Whether a value violates no constraint whose other axes are chosen."""
    chosen = row | {axis: value}
    return all(
        holds(*(chosen[name] for name in names))
        for names, holds in constraints_of().get(axis, ())
        if all(name in chosen for name in names)
    )


def axes_by_constraints(start: Row) -> list[str]:
    """The other axes, those that share a constraint with chosen ones first, so that contradictions show early."""
    order = list(start)
    for axis in order:
        near = (name for names, _ in constraints_of().get(axis, ()) for name in names)
        order += dict.fromkeys(name for name in near if name not in order)
    order += [axis for axis in AXES if axis not in order]
    return order[len(start) :]


def complete_row(row: Row, free: list[str], coverage: Callable[[Row, str, Value], int]) -> Row | None:
    """A complete row that keeps the chosen values and prefers values that cover more missing pairs."""
    if not free:
        return row
    axis, *rest = free
    values = [value for value in AXES[axis] if fits(row, axis, value)]
    for value in sorted(values, key=lambda value: -coverage(row, axis, value)):
        result = complete_row(row | {axis: value}, rest, coverage)
        if result is not None:
            return result
    return None


def pairs_of(row: Row) -> Iterator[Pair]:
    return combinations(row.items(), 2)


@cache
def covering() -> tuple[tuple[Row, ...], tuple[Pair, ...]]:
    """Rows that cover every possible pair of values, and the pairs that no row can have."""
    missing: dict[Pair, None] = {
        ((one, value), (other, value2)): None
        for one, other in combinations(AXES, 2)
        for value in AXES[one]
        for value2 in AXES[other]
    }
    place = {axis: number for number, axis in enumerate(AXES)}

    def coverage(row: Row, axis: str, value: Value) -> int:
        new = (axis, value)
        return sum(((new, old) if place[axis] < place[old[0]] else (old, new)) in missing for old in row.items())

    rows: list[Row] = []
    impossible: list[Pair] = []
    while missing:
        pair = next(iter(missing))
        (one, value), (other, value2) = pair
        start = {one: value, other: value2}
        row = complete_row(start, axes_by_constraints(start), coverage) if fits({one: value}, other, value2) else None
        if row is None:
            impossible.append(pair)
            del missing[pair]
            continue
        row = {axis: row[axis] for axis in AXES}
        rows.append(row)
        for covered in pairs_of(row):
            missing.pop(covered, None)
    return tuple(rows), tuple(impossible)


LISTS = (SUSPENDED, "penalties.", "bidding.pass_with.")
"""How the axes begin that are one item of a list each."""


def ruleset_of_row(row: Row) -> Ruleset:
    plain: dict[str, object] = {}
    for path, value in row.items():
        part, _, field = path.partition(".")
        if field and value != ABSENT and not path.startswith(LISTS):
            inner = plain.setdefault(part, {})
            assert isinstance(inner, dict)
            inner[field] = value
        elif not field and path not in PARTS:
            plain[path] = value
    reasons = [reason.value for reason in SuspendedBy if row[SUSPENDED + reason.value]]
    wilds = plain["wilds"]
    assert isinstance(wilds, dict)
    wilds["suspended_by"] = reasons
    bidding = plain["bidding"]
    assert isinstance(bidding, dict)
    bidding["pass_with"] = [hand.value for hand in PassHand if row[PASSING[hand]]]
    plain["penalties"] = [
        {"trigger": trigger.value} for trigger in PenaltyTrigger if row[f"penalties.trigger.{trigger.value}"]
    ]
    return from_dict(plain)


def test_every_pair_of_choices_is_in_some_ruleset_or_in_none_that_is_valid() -> None:
    rows, impossible = covering()
    covered = {pair for row in rows for pair in pairs_of(row)}
    assert not covered & set(impossible)
    wanted = sum(len(AXES[one]) * len(AXES[other]) for one, other in combinations(AXES, 2))
    assert len(covered) + len(impossible) == wanted
    assert len(rows) <= 190


def test_a_ruleset_of_the_covering_has_the_choices_of_its_row() -> None:
    for row in covering()[0]:
        plain = msgspec.to_builtins(ruleset_of_row(row))
        for path, value in row.items():
            if path not in PARTS and value != ABSENT and not path.startswith(LISTS):
                inner = plain
                for step in path.split("."):
                    inner = inner.get(step)  # a field that is not set is not written
                assert inner == value, path


def test_the_validator_refuses_every_pair_that_no_ruleset_can_hold() -> None:
    rows, impossible = covering()
    visible = [pair for pair in impossible if ABSENT not in (pair[0][1], pair[1][1])]
    visible = [pair for pair in visible if not {pair[0][0], pair[1][0]} & set(PARTS)]
    assert visible
    for (one, value), (other, value2) in visible:
        base = next(row for row in rows if row["exact_call"] and row["special_round"])
        with pytest.raises(RulesetError):
            ruleset_of_row(base | {one: value, other: value2})


@pytest.mark.parametrize("seed", range(3))
def test_matches_are_played_to_their_end_by_every_pair_of_choices(seed: int) -> None:
    for number, row in enumerate(covering()[0]):
        rules = ruleset_of_row(row)
        match = random_match(rules, 2 + (number + seed) % 5, seed)
        assert match.state.phase is Phase.OVER
        assert replay(match.events) == verify_events(match.events) == match.state
