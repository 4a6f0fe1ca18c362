"""The reference engine: a second, slow and plain implementation of the rules, written from the printed rule sheets.

It uses nothing of the engine that it checks. It reads a ruleset as the plain values of its file and a match from its
event log, and keeps a `ReferenceState` of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from liarsdice.core.events import (
    BidMade,
    Dealt,
    DiceGained,
    DiceLost,
    DirectionSet,
    DoubleAnswered,
    Doubled,
    Event,
    ExactCalled,
    KindChosen,
    LivesGained,
    LivesLost,
    MatchEnded,
    MatchStarted,
    Passed,
    Penalised,
    RolledAgain,
    RoundEnded,
    RoundStarted,
    SpecialDeclared,
    StarterFound,
)
from liarsdice.core.rules.choices import Answer
from liarsdice.core.rules.ruleset import Ruleset
from tests.laws.reference_bids import (
    Claim,
    Pair,
    is_on_the_sum,
    plain_bid,
)
from tests.laws.reference_stakes import PlainRules, at_the_start, put_away


def plain_rules(rules: Ruleset) -> PlainRules:
    words: PlainRules = msgspec.to_builtins(rules)
    return words


@dataclass
class ReferenceState:
    """The state of a match as the reference engine keeps it, the hands included."""

    rules: PlainRules
    dice: list[int] = field(default_factory=list)
    phase: str = "starter"
    number: int = 0
    starter: int = 0
    clockwise: bool = True
    turned: bool = False
    bids: list[tuple[int, Claim]] = field(default_factory=list)
    passed: list[Pair] = field(default_factory=list)  # seat, bids before it
    special_of: int | None = None
    announced: int | None = None  # the seat whose special round comes next
    had_special: list[int] = field(default_factory=list)
    had_before: list[int] = field(default_factory=list)
    exact_calls: list[int] = field(default_factory=list)
    due: list[Pair] = field(default_factory=list)  # seat, dice
    hands: list[list[int]] = field(default_factory=list)
    in_the_open: list[list[int]] = field(default_factory=list)  # the dice that each seat has shown in the round
    lives: list[int] = field(default_factory=list)  # empty where losses cost dice
    to_choose: bool = False  # the opener has not said which kind of round it is, and nobody looks
    doubled: list[int] = field(default_factory=list)  # who doubled the call that waits for an answer: caller, bidder

    def apply(self, events: Iterable[Event]) -> None:
        for event in events:
            self._apply(event)

    def _apply(self, event: Event) -> None:
        match event:
            case MatchStarted():
                seats = len(event.names)
                self.dice = [self.rules["dice"]["per_player"]] * seats
                self.lives = [at_the_start(self.rules)] * seats if "lives" in self.rules["loss"] else []
                self.exact_calls = [0] * seats
                self.clockwise = self.rules["turn"]["direction"] == "clockwise"
            case StarterFound():
                self.starter, self.phase = event.seat, "deal"
            case RoundStarted():
                self.number, self.starter, self.special_of = event.number, event.starter, event.special_seat
                self.bids, self.passed, self.turned, self.doubled = [], [], False, []
                self.had_before = list(self.had_special)
                if event.special_seat is not None:
                    self.had_special.append(event.special_seat)
            case Dealt():
                self.hands, self.phase = [list(hand) for hand in event.hands], "bidding"
                self.in_the_open = [[] for _ in event.hands]
                self.to_choose = opens_with_choice(self)
            case DirectionSet() | SpecialDeclared() | KindChosen():
                self._opener_says(event)
            case BidMade():
                if not self.bids:
                    self.starter = event.seat  # the next player opens if the starter is out
                self.bids.append((event.seat, plain_bid(event.bid)))
                if event.shown:
                    self.in_the_open[event.seat] += event.shown
                    self.phase = "rolling"
            case Passed():
                self.passed.append((event.seat, len(self.bids)))
            case RolledAgain():
                self.hands[event.seat] = [*self.in_the_open[event.seat], *event.hand]
                self.phase = "bidding"
            case ExactCalled():
                self.exact_calls[event.seat] += 1
            case Penalised():
                self._punish(event)
            case RoundEnded():
                self.phase, self.due, self.bids, self.starter = "deal", [], [], event.next_starter
                self.passed = []
                self.doubled = []
                self.announced = event.special_seat
                if not self.rules["turn"]["reversal_persists"]:
                    self.clockwise = self.rules["turn"]["direction"] == "clockwise"
            case MatchEnded():
                self.phase = "over"
            case _:
                self._double(event)
                self._pay(event)

    def _opener_says(self, event: DirectionSet | SpecialDeclared | KindChosen) -> None:
        self.starter = event.seat
        if isinstance(event, DirectionSet):
            self.clockwise, self.turned = event.direction.value == "clockwise", True
            return
        self.to_choose = False
        kind = event.kind.value if isinstance(event, KindChosen) else "declared"
        if kind != "ordinary" and self.special_of is None:
            self.special_of = event.seat
            self.had_special.append(event.seat)

    def _punish(self, event: Penalised) -> None:
        if not event.immediate:
            self.due.append((event.seat, event.dice))
        elif self.phase == "bidding":
            hand = self.hands[event.seat]
            self.hands[event.seat] = [die for place, die in enumerate(hand) if place not in event.taken]

    def _double(self, event: Event) -> None:
        if isinstance(event, Doubled) or (isinstance(event, DoubleAnswered) and event.answer is Answer.REDOUBLE):
            self.doubled.append(event.seat)

    def _pay(self, event: Event) -> None:
        """Count what was lost or won; whoever has no life, or too few dice, takes their dice off the table."""
        if not isinstance(event, DiceLost | DiceGained | LivesLost | LivesGained):
            return
        left, lost = self.left(), isinstance(event, DiceLost | LivesLost)
        left[event.seat] += -event.amount if lost else event.amount
        if isinstance(event, DiceLost | LivesLost) and event.to is not None:
            left[event.to] += event.amount
        put_away(self.rules, self.dice)
        if 0 in (left[event.seat], self.dice[event.seat]):
            self.dice[event.seat] = 0
            if self.hands:
                self.hands[event.seat] = []

    def left(self) -> list[int]:
        """What each seat has left of what losses cost."""
        return self.lives or self.dice

    def alive(self) -> list[int]:
        return [seat for seat in range(len(self.dice)) if self.dice[seat] > 0]

    def neighbour(self, seat: int, *, clockwise: bool | None = None) -> int:
        """The next player with dice; `seat` itself only if nobody else has dice."""
        forward = self.clockwise if clockwise is None else clockwise
        for _ in self.dice:
            seat = (seat + (1 if forward else -1)) % len(self.dice)
            if self.dice[seat]:
                break
        return seat

    def special_to_come(self) -> int | None:
        """The seat whose special round is dealt next, if it still has dice and enough players are left."""
        seat, special = self.announced, self.rules["special_round"]
        if one_die_each(self.rules, self.dice):
            return None
        if seat is None or not self.dice[seat] or len(self.alive()) < special["min_players"]:
            return None
        return seat

    def is_face_off(self) -> bool:
        """Whether this round is about the sum: the opening bid was, or it can be, as two players have one die each."""
        if self.bids:
            return is_on_the_sum(self.bids[0][1])
        return self.special_of is None and one_die_each(self.rules, self.dice)

    def turn(self) -> int:
        """The seat on turn: the starter, then the one after whoever bid or passed last; who is out is skipped."""
        if self.passed and self.passed[-1][1] == len(self.bids):
            return self.neighbour(self.passed[-1][0])
        if self.bids:
            return self.neighbour(self.bids[-1][0])
        return self.starter if self.dice[self.starter] else self.neighbour(self.starter)


def one_die_each(rules: PlainRules, dice: list[int]) -> bool:
    """Whether two players are left with one die each, by rules that let them bid on the sum."""
    return rules["bidding"].get("face_off") == "sum" and sorted(dice)[-3:] in ([1, 1], [0, 1, 1])


def may_choose_direction(table: ReferenceState, seat: int) -> bool:
    """Whether a seat may choose the direction: the starter, before the opening bid, once."""
    if not table.rules["turn"]["starter_may_reverse"]:
        return False
    at_start = table.phase == "bidding" and not table.bids and not table.to_choose
    return at_start and seat == table.turn() and not table.turned


def may_declare(table: ReferenceState, seat: int) -> bool:
    """Whether a seat may declare a special round: the opener with one die or life left, before the opening bid."""
    special = table.rules["special_round"]
    if special is None or special.get("visibility") == "chosen" or table.phase != "bidding" or seat != table.turn():
        return False
    return opens_special(table, seat)


def opens_special(table: ReferenceState, seat: int) -> bool:
    """Whether the opener of a round, with one die or life left, may make it a special one."""
    special = table.rules["special_round"]
    if special is None or special["trigger"] != "declared" or table.special_of is not None or table.bids:
        return False
    if table.is_face_off() or table.left()[seat] != 1 or len(table.alive()) < special["min_players"]:
        return False
    return special["repeat"] == "every_time" or seat not in table.had_special


def opens_with_choice(table: ReferenceState) -> bool:
    """Whether the opener of the round that was just dealt says first which kind it is."""
    special = table.rules["special_round"]
    if special is None or special.get("visibility") != "chosen":
        return False
    return table.special_of is not None or opens_special(table, table.turn())


def may_choose_kind(table: ReferenceState, seat: int, kind: str) -> bool:
    """Whether a seat may say which kind of round it is: the opener, before anything else; ordinary if not obliged."""
    if not table.to_choose or table.phase != "bidding" or seat != table.turn():
        return False
    return kind in ("closed", "open") or (kind == "ordinary" and table.special_of is None)
