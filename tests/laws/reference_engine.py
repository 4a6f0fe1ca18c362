"""The reference engine: a second, slow and plain implementation of the rules, written from the printed rule sheets.

It uses nothing of the engine that it checks. It reads a ruleset as the plain values of its file and a match from its
event log, and keeps a `ReferenceState` of its own.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import msgspec

from liarsdice.core.events import (
    BidMade,
    Dealt,
    DiceGained,
    DiceLost,
    DirectionSet,
    DoubleAnswered,
    Doubled,
    Eliminated,
    Event,
    ExactCalled,
    ExactClaimed,
    KindChosen,
    LivesGained,
    LivesLost,
    MatchEnded,
    MatchStarted,
    Passed,
    Penalised,
    Rerolled,
    RolledAgain,
    RoundEnded,
    RoundStarted,
    SpecialDeclared,
    StarterFound,
)
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer
from liarsdice.core.rules.ruleset import Ruleset

PlainRules = Mapping[str, Any]  # a ruleset as its file says it: the value's type differs by field


def at_the_start(words: PlainRules) -> int:
    """What a player begins with of what losses cost: lives where the rules have them, otherwise dice."""
    lives = words["loss"].get("lives", words["dice"]["per_player"])
    return 1_000_000_000_000 if lives == "unlimited" else int(lives)


def put_away(words: PlainRules, dice: list[int]) -> None:
    """Take away the dice of everybody who has too few, where players can have too few; `dice` is changed."""
    fewest = words["loss"].get("ante" if "lives" in words["loss"] else "out_below", 0)
    dice[:] = [0 if held < fewest else held for held in dice]


Pair = tuple[int, int]  # quantity, face


Zhai = tuple[int, int, bool]  # quantity, face, True: the ones are not wild for this bid


Claim = Pair | Zhai


def plain_bid(bid: Bid) -> Claim:
    return (bid.quantity, bid.face, True) if bid.pure else (bid.quantity, bid.face)


def highest_face(words: PlainRules, seat: int) -> int:
    """The highest face of the dice of a seat: the one in the list, or that of all seats that are not in it."""
    return int(dict(enumerate(words["dice"].get("faces_by_seat", []))).get(seat, words["dice"]["faces"]))


def is_zhai(words: PlainRules, bid: Claim) -> bool:
    """Whether a bid takes the wildness of the ones away: it says so, or it is on them."""
    return len(bid) > 2 or bid[1] == words["dice"]["special_face"]


def is_on_the_sum(bid: Claim) -> bool:
    """Whether a bid is on the sum of the dice, which is written as face 0."""
    return bid[1] == 0


def rank(words: PlainRules, face: int) -> int:
    """The rank of a face, as a number to compare and to multiply."""
    top = words["bidding"]["special_rank"] == "top_face" and face == words["dice"]["special_face"]
    return int(words["dice"]["faces"]) + 1 if top else face


def ranks_above(words: PlainRules, old: Claim, new: Claim) -> bool:
    """Whether `new` beats `old`, by the raise rule and the rules of the special face."""
    bidding, special = words["bidding"], words["dice"]["special_face"]
    (q, f, *_), (q2, f2, *_) = old, new
    if is_on_the_sum(old) or is_on_the_sum(new):
        return is_on_the_sum(old) and is_on_the_sum(new) and q2 > q
    if bidding["special_rank"] == "not_biddable" and f2 == special:
        return False
    if "to_pure" in bidding:
        if not is_zhai(words, old) and is_zhai(words, new):
            return q2 >= q if bidding["to_pure"] == "same_quantity" else q2 > q - 2
        if is_zhai(words, old) and not is_zhai(words, new):
            wanted = {None: None, "double": q + q, "plus_1": q + 1, "plus_2": q + 2}[bidding.get("from_pure")]
            return wanted is not None and q2 >= wanted
    if bidding["special_rank"] == "convert":
        if f != special and f2 == special:
            # more than half as many, or half as many rounded up
            return 2 * q2 > q if bidding["to_special"] == "floor_half_plus_1" else 2 * q2 >= q
        if f == special and f2 != special:
            return {"double": q2 >= 2 * q, "double_plus_1": q2 > 2 * q, "never": False}[bidding["from_special"]]
        if f == special and f2 == special:
            return q2 > q
    r, r2 = rank(words, f), rank(words, f2)
    more, same, less, higher, level, lower = q2 > q, q2 == q, q2 < q, r2 > r, r2 == r, r2 < r
    match bidding["raise"]:
        case "quantity_first":
            return more or (same and higher)
        case "no_decrease":
            return (more or higher) and not less and not lower
        case "either_increases":
            return more or higher
        case "face_first":
            return higher or (level and more)
        case "one_step_dim":
            return (level and more) or (same and higher)
        case "other_face":
            return more or (same and not level)
        case "product":
            return q2 * r2 > q * r
        case other:
            assert other == "max_of_pair"
            return max(q2, r2) > max(q, r)


def is_on_a_die(words: PlainRules, bid: Claim) -> bool:
    quantity, face, *zhai = bid
    if zhai and ("to_pure" not in words["bidding"] or face == words["dice"]["special_face"]):
        return False
    hidden = words["bidding"]["special_rank"] == "not_biddable" and face == words["dice"]["special_face"]
    return quantity >= 1 and 1 <= face <= words["dice"]["faces"] and not hidden


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
    spoken_exact: bool = False  # the latest bid is claimed to be neither too high nor too low
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
    unseeing: list[int] = field(default_factory=list)  # the seats that may not look at their own dice
    doubled: list[int] = field(default_factory=list)  # who doubled the call that waits for an answer: caller, bidder
    safe: list[list[int]] = field(default_factory=list)  # seats without dice where players shed, first those safe first
    safe_at: int = 0  # the round after which the last of them came to be safe

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
                self.bids, self.passed, self.turned, self.doubled, self.spoken_exact = [], [], False, [], False
                self.had_before = list(self.had_special)
                if event.special_seat is not None:
                    self.had_special.append(event.special_seat)
            case Dealt():
                self.hands, self.phase = [list(hand) for hand in event.hands], "bidding"
                self.in_the_open = [[] for _ in event.hands]
                self.to_choose = opens_with_choice(self)
                self.unseeing = list(event.blind or ())
            case DirectionSet() | SpecialDeclared() | KindChosen():
                self._opener_says(event)
            case BidMade():
                if not self.bids:
                    self.starter = event.seat  # the next player opens if the starter is out
                self.bids.append((event.seat, plain_bid(event.bid)))
                self.spoken_exact = False
                if event.shown:
                    self.in_the_open[event.seat] += event.shown
                    self.phase = "rolling" if self.rules["bidding"]["show_dice"] == "counting" else self.phase
            case Passed():
                self.passed.append((event.seat, len(self.bids)))
            case Rerolled() | RolledAgain():
                self._roll_again(event)
            case ExactCalled() | ExactClaimed():
                self._say_exact(event)
            case Penalised():
                self._punish(event)
            case RoundEnded():
                self.phase, self.due, self.bids, self.starter = "deal", [], [], event.next_starter
                self.passed, self.doubled = [], []
                self.announced = event.special_seat
                turn = self.rules["turn"]
                if turn["starter_may_reverse"] is True and not turn["reversal_persists"]:
                    self.clockwise = self.rules["turn"]["direction"] == "clockwise"
            case MatchEnded():
                self.phase = "over"
            case _:
                self._double(event)
                self._pay(event)

    def _say_exact(self, event: ExactCalled | ExactClaimed) -> None:
        self.exact_calls[event.seat] += 1
        self.spoken_exact = isinstance(event, ExactClaimed)
        if self.spoken_exact and event.seat != self.bids[-1][0]:  # the bid is taken over from another player
            self.bids.append((event.seat, self.bids[-1][1]))

    def _roll_again(self, event: Rerolled | RolledAgain) -> None:
        self.phase = "rolling" if isinstance(event, Rerolled) else "bidding"
        if isinstance(event, RolledAgain):
            self.hands[event.seat] = [*self.in_the_open[event.seat], *event.hand]

    def _opener_says(self, event: DirectionSet | SpecialDeclared | KindChosen) -> None:
        self.starter = event.seat
        if isinstance(event, DirectionSet):
            self.clockwise, self.turned = event.direction.value == "clockwise", True
            return
        self.to_choose = False
        kind = event.kind.value if isinstance(event, KindChosen) else "declared"
        self.unseeing = list(event.blind) if isinstance(event, KindChosen) else self.unseeing
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
        if isinstance(event, Eliminated) and self.lives:
            self._leave(event.seat)
        if not isinstance(event, DiceLost | DiceGained | LivesLost | LivesGained):
            return
        left, lost = self.left(), isinstance(event, DiceLost | LivesLost)
        if "shed_by" in self.rules["loss"] and event.amount == left[event.seat]:
            if not self.safe or self.safe_at != self.number:
                self.safe.append([])
            self.safe[-1].append(event.seat)
            self.safe_at = self.number
        left[event.seat] += -event.amount if lost else event.amount
        if isinstance(event, DiceLost | LivesLost) and event.to is not None:
            left[event.to] += event.amount
        if not self.lives:
            put_away(self.rules, self.dice)
        if 0 in (left[event.seat], self.dice[event.seat]):
            self._leave(event.seat)

    def _leave(self, seat: int) -> None:
        self.left()[seat] = self.dice[seat] = 0
        if self.hands:
            self.hands[seat] = []

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
    """Whether a seat may choose the direction: the starter, before the opening bid, once a round or a match."""
    allowed = table.rules["turn"]["starter_may_reverse"]
    if not allowed or (allowed == "first_round" and table.number > 1):
        return False
    at_start = table.phase == "bidding" and not table.bids and not table.to_choose
    return at_start and seat == table.turn() and not table.turned


def may_declare(table: ReferenceState, seat: int) -> bool:
    """Whether a seat may declare a special round: the opener with one die or life left, before the opening bid."""
    special = table.rules["special_round"]
    if special is None or special.get("visibility") == "chosen" or table.phase != "bidding" or seat != table.turn():
        return False
    return opens_special(table, seat)


def may_reroll(table: ReferenceState, seat: int) -> bool:
    """Whether a seat may say that its dice are all different or a straight, and roll again: before it has bid."""
    if table.rules["count"].get("all_different") != "may_roll_again" or table.phase != "bidding":
        return False
    waits = (
        table.doubled or table.to_choose or seat in table.unseeing or any(bidder == seat for bidder, _ in table.bids)
    )
    return seat == table.turn() and not waits and is_special_different(table.rules, table.hands[seat])


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


def max_quantity(table: ReferenceState) -> int:
    """The highest quantity that may be bid; each hand that can count one die more than it has adds one.

    Where the rules have no cap, no number is read that is larger than a thousand.
    """
    if table.is_face_off():
        return sum(highest_face(table.rules, seat) for seat in table.alive())
    wanted = table.rules["bidding"]["cap"]
    if wanted != "dice_in_play":
        return 1_000 if wanted is None else int(wanted)
    counts = [held + coloured_dice(table.rules, held) for held in table.dice]
    most = max(counts) if table.rules["count"]["scope"] == "bidder" else sum(counts)
    if table.rules["count"]["hand_bonus"] in ("stairs", "stairs_in_order"):
        most += len([seat for seat in table.alive() if table.dice[seat] <= highest_face(table.rules, seat)])
    if table.rules["count"]["hand_bonus"] == "alike":
        most += 2 * len([seat for seat in table.alive() if table.dice[seat] == table.rules["dice"]["per_player"]])
    return most


def may_bid(table: ReferenceState, seat: int, bid: Claim) -> bool:
    bidding, (quantity, face, *_) = table.rules["bidding"], bid
    special, most = table.rules["dice"]["special_face"], max_quantity(table)
    if table.phase != "bidding" or table.doubled or table.to_choose or seat != table.turn() or quantity > most:
        return False
    limit = table.rules["guards"]["max_bids_per_round"]
    if limit is not None and len(table.bids) >= limit:
        return False
    if table.is_face_off():
        return is_on_the_sum(bid) and quantity > (table.bids[-1][1][0] if table.bids else 1)
    if not is_on_a_die(table.rules, bid):
        return False
    if not table.bids:
        opening = bidding["special_may_open"]
        if face == special and not (table.special_of is not None if opening == "special_round_only" else opening):
            return False
        return _opens(table, bid, most)
    old = table.bids[-1][1]
    special_round = table.rules["special_round"]
    if table.special_of is not None and special_round["face_locked"] and face != old[1]:
        exempt = table.had_before if special_round["lock_exempt"] == "had_special" else []
        if seat not in exempt:
            return False
    if (bidding["no_repeat"] or bidding["raise"] == "other_face") and bid in [made for _, made in table.bids]:
        return False
    return ranks_above(table.rules, old, bid)


def _opens(table: ReferenceState, bid: Claim, most: int) -> bool:
    """Whether a quantity may open: the minimum is at most the cap, and the maximum at least the minimum.

    Bids on the special face have the minimum of their own, or that of zhai bids, or that of all.
    """
    bidding, (quantity, face, *_) = table.rules["bidding"], bid
    least = bidding["min_open"]
    if "to_pure" in bidding and is_zhai(table.rules, bid):
        least = bidding.get("min_open_pure", least)
    if face == table.rules["dice"]["special_face"]:
        least = bidding.get("min_open_special", least)
    seated = len(table.alive())
    by_players = {"players": seated, "players_plus_1": seated + 1, "players_plus_2": seated + 2}
    by_players["players_times_1_5"] = seated + seated // 2 + seated % 2
    least = min(by_players.get(least, least), most)
    if quantity < least:
        return False
    return bidding["max_open"] is None or quantity <= max(least, bidding["max_open"])


def may_challenge(table: ReferenceState, seat: int) -> bool:
    return _may_call(table, seat, table.rules["challenge"]["who"])


def may_double(table: ReferenceState, seat: int) -> bool:
    return "double" in table.rules["challenge"] and _may_call(table, seat, table.rules["challenge"]["double"])


def may_answer(table: ReferenceState, seat: int, answer: str) -> bool:
    """Whether a seat may answer a doubled call: the bidder, then the caller; only the bidder doubles it again."""
    if table.phase != "bidding" or not table.doubled:
        return False
    caller, bidder, again = table.doubled[0], table.bids[-1][0], len(table.doubled) > 1
    folding = table.rules["challenge"]["answers"] == "redouble_or_fold"
    answers = {"accept"} | ({"fold"} if folding else set()) | (set() if again else {"redouble"})
    return seat == (caller if again else bidder) and answer in answers


def claim_of(rules: PlainRules) -> str | None:
    """Who says "exactly" so that it stands as a bid: nobody where bids are about the dice of the bidder."""
    if rules["exact_call"] is None or rules["count"]["scope"] == "bidder":
        return None
    who: str | None = rules["exact_call"].get("claim")
    return who


def may_call_exact(table: ReferenceState, seat: int) -> bool:
    call = table.rules["exact_call"]
    if call is None or claim_of(table.rules) == "next_player" or table.spoken_exact:
        return False
    return _may_call(table, seat, call["who"]) and _exact_is_open(table, seat)


def may_claim_exact(table: ReferenceState, seat: int) -> bool:
    """Whether a seat may claim the latest bid to be exact: the next player, or the bidder if nobody has answered."""
    who = claim_of(table.rules)
    if who is None or table.phase != "bidding" or table.doubled or not table.bids or table.spoken_exact:
        return False
    bidder = table.bids[-1][0]
    if table.turn() == bidder or seat not in table.alive():
        return False
    if who == "next_player":
        return seat == table.turn() and _exact_is_open(table, seat)
    is_answered = bool(table.passed) and table.passed[-1][1] == len(table.bids)
    return seat == bidder and not is_answered and _exact_is_open(table, seat)


def _exact_is_open(table: ReferenceState, seat: int) -> bool:
    call = table.rules["exact_call"]
    if table.special_of is not None and not call["in_special_round"]:
        return False
    if len(table.alive()) < call["min_players"]:
        return False
    if call.get("min_dice") == "half" and sum(table.dice) < table.rules["dice"]["per_player"] * len(table.dice) / 2:
        return False
    if call["budget"] is not None and table.exact_calls[seat] >= call["budget"]:
        return False
    capped = call["gain_cap"] == "starting_dice" and table.left()[seat] >= at_the_start(table.rules)
    return "shed_by" in table.rules["loss"] or not (capped and call["at_cap"] == "forbidden")


def _may_call(table: ReferenceState, seat: int, who: str) -> bool:
    """Whether a seat may call: after a bid, the next player, anybody with dice except the bidder, or except both."""
    if table.phase != "bidding" or table.doubled or not table.bids or seat not in table.alive():
        return False
    if who == "next_player":
        return seat == table.turn() and seat != table.bids[-1][0]
    return seat != table.bids[-1][0] and not (who == "out_of_turn" and seat == table.turn())


def needed_dice(rules: PlainRules) -> int:
    return int(rules["bidding"].get("pass_dice", rules["dice"]["per_player"]))


def allows_pass(rules: PlainRules, hand: Sequence[int]) -> str | None:
    """What a hand is that allows a pass, the first that the rules name; None if it is nothing of that."""
    repeats = sorted(Counter(hand).values())
    is_kind = {
        "alike": repeats == [len(hand)],
        "all_different": repeats == [1] * len(hand),
        "full_house": repeats == [2, 3],
    }
    for kind in rules["bidding"].get("pass_with", []):
        if len(hand) >= needed_dice(rules) and is_kind[kind]:
            return str(kind)
    return None


def is_special_different(rules: PlainRules, hand: Sequence[int]) -> bool:
    """Whether a hand is one for which the rules have a word where the dice are all different."""
    full, faces, wanted = rules["dice"]["per_player"], rules["dice"]["faces"], rules["count"].get("straights", "any")
    if len(hand) != full or len({*hand}) != full:
        return False
    starts_at = {"low": [1], "high": [faces - full + 1], "either": [1, faces - full + 1], "any": []}[wanted]
    return wanted == "any" or any({*hand} == {*range(first, first + full)} for first in starts_at)


def some_hand_allows_pass(rules: PlainRules, dice: int) -> bool:
    """Whether a number of dice can make a hand that allows a pass and that no rule makes the players roll again."""
    faces, kinds = rules["dice"]["faces"], rules["bidding"].get("pass_with", [])
    again = rules["count"].get("all_different") == "rolled_again"
    examples = [[1] * dice] if "alike" in kinds else []
    if "all_different" in kinds:
        different = map(list, combinations(range(1, faces + 1), dice))
        examples += [hand for hand in different if not (again and is_special_different(rules, hand))]
    if "full_house" in kinds and dice == 5:
        examples.append([1, 1, 1, 2, 2])
    return any(allows_pass(rules, hand) for hand in examples)


def may_pass(table: ReferenceState, seat: int) -> bool:
    """Whether a seat may pass, with any hand: on its turn, after a bid, once a round, with enough dice."""
    if table.phase != "bidding" or table.doubled or not table.bids or seat != table.turn() or table.is_face_off():
        return False
    return seat not in [who for who, _ in table.passed] and some_hand_allows_pass(table.rules, table.dice[seat])


def may_doubt_pass(table: ReferenceState, seat: int) -> bool:
    """Whether a seat may doubt the pass before it: nothing has happened since."""
    just_passed = bool(table.passed) and table.passed[-1][1] == len(table.bids)
    return table.phase == "bidding" and not table.doubled and just_passed and seat == table.turn()


def may_be_penalised(table: ReferenceState, seat: int, trigger: str, taken: tuple[int, ...], offence: str = "") -> bool:
    """Whether a penalty may be reported: at any time, for anybody with dice, while fewer than a hundred are due.

    The dealer picks dice that go from under a cup.
    """
    price = price_of(table, trigger, offence)
    if price is None or table.phase in ("starter", "over") or seat not in table.alive() or len(table.due) >= 100:
        return False
    if (table.doubled or table.to_choose or table.phase == "rolling") and table.rules["penalty_timing"] == "immediate":
        return False  # a player has to answer, to choose or to roll first
    if table.rules["penalty_timing"] == "end_of_round" or table.phase == "deal" or table.lives:
        return taken == ()
    dice = min(price, table.dice[seat])
    return len(taken) == dice == len(set(taken)) and all(0 <= place < table.dice[seat] for place in taken)


def price_of(table: ReferenceState, trigger: str, offence: str) -> int | None:
    """What the penalty for this costs; None if the rules have none."""
    listed = table.rules["penalties"]
    prices = [item["dice"] for item in listed if item["trigger"] == trigger and item.get("offence", "") == offence]
    return prices[0] if prices else None


@dataclass
class CallOutcome:
    """The outcome of a call: the counts and the dice or lives left by seat, the seats now out, and what comes next."""

    counted: list[int]
    left: list[int]
    out: set[int] = field(default_factory=set)
    next_starter: int | None = None
    special_of: int | None = None
    winners: list[int] = field(default_factory=list)
    first_safe: list[int] = field(default_factory=list, compare=False)  # where players shed, who was safe before


def special_is_wild(table: ReferenceState) -> bool:
    """Whether the special face is wild now; a special round, an opening bid or any bid on it may end that."""
    wilds, special = table.rules["wilds"], table.rules["dice"]["special_face"]
    if table.is_face_off():
        return False
    if "to_pure" in table.rules["bidding"]:
        return bool(wilds["special_is_wild"]) and not (table.bids and is_zhai(table.rules, table.bids[-1][1]))
    faces = [face for _, (_, face, *_) in table.bids]
    ends = {
        "special_round": table.special_of is not None,
        "opening_bid_on_special": faces[:1] == [special],
        "any_bid_on_special": special in faces,
        "opening_challenge": False,  # it ends wildness only for the count of that challenge
    }
    return bool(wilds["special_is_wild"]) and not any(ends[reason] for reason in wilds["suspended_by"])


def coloured_dice(rules: PlainRules, held: int) -> int:
    """How many of the dice that a player holds are of the colour that counts double."""
    coloured, full = int(rules["dice"].get("double", 0)), int(rules["dice"]["per_player"])
    if rules["dice"].get("double_lost") == "first":
        return max(coloured - max(full - held, 0), 0)
    return min(coloured, held)


def count_face(rules: PlainRules, hands: Sequence[Sequence[int]], face: int, *, wild: bool) -> list[int]:
    """The share of each hand in the count of a face."""
    if face == 0:
        return [sum(hand) for hand in hands]
    special, full = rules["dice"]["special_face"], rules["dice"]["per_player"]
    if rules["count"].get("all_different") == "worthless":
        hands = [[] if is_special_different(rules, hand) else hand for hand in hands]
    naturals = sum(list(hand).count(face) for hand in hands)
    helps = wild and face != special and (naturals > 0 or not rules["wilds"]["needs_natural"])
    shares = []
    for hand in hands:
        steps = [*range(1, len(hand) + 1)]
        if hand and (rules["count"]["hand_bonus"], steps) in (("stairs", sorted(hand)), ("stairs_in_order", [*hand])):
            shares.append(len(hand) + 1)
        else:
            wilds = list(hand).count(special) if helps else 0
            share = list(hand).count(face) + wilds
            coloured = hand[: coloured_dice(rules, len(hand))]
            share += coloured.count(face) + (coloured.count(special) if helps else 0)
            if rules["count"]["hand_bonus"] == "alike" and hand and share == len(hand) == full:
                share += 1 if wilds else 2
            shares.append(share)
    return shares


def hand_out_pot(rules: PlainRules, left: list[int], winner: int) -> None:
    """Let everybody who is in put the ante into a pot, and its winner take it, unless that player is out."""
    if "lives" not in rules["loss"] or not left[winner]:
        return
    pot = 0
    for seat, held in enumerate(left):
        if held:
            left[seat] -= rules["loss"].get("ante", 0)
            pot += rules["loss"].get("ante", 0)
    left[winner] += pot


def settle_call(table: ReferenceState, caller: int, *, exact: bool, times: int = 1) -> CallOutcome:
    """Everything that follows from a call; pending penalties are taken last."""
    rules, (bidder, (quantity, face, *_)) = table.rules, table.bids[-1]
    wild = special_is_wild(table)
    if not exact and len(table.bids) == 1 and "opening_challenge" in rules["wilds"]["suspended_by"]:
        wild = False
    own_only = rules["count"]["scope"] == "bidder"
    hands = [[] if own_only and seat != bidder else hand for seat, hand in enumerate(table.hands)]
    counted = count_face(rules, hands, face, wild=wild)
    total, before = sum(counted), list(table.left())
    result = CallOutcome(counted, list(before), first_safe=first_safe(table))
    if exact:
        loser = _pay_exact(rules, result.left, caller, bidder, hit=total == quantity)
        rule, instead = rules["exact_call"]["next_starter"], rules["exact_call"]["if_eliminated"]
    else:
        times *= rules["loss"]["out_of_turn_factor"] if caller != table.turn() else 1
        times *= rules["loss"].get("opening_factor", 1) if len(table.bids) == 1 else 1
        over = total - quantity
        is_hit = table.spoken_exact and over == 0
        loser = _pay_challenge(rules, result.left, caller, bidder, -abs(over) if table.spoken_exact else over, times)
        if is_hit and before[bidder]:
            _reward_claim(rules, result.left, caller, bidder)
        rule, instead = rules["next_starter"]["rule"], rules["next_starter"]["if_eliminated"]
    _go_on(table, result, (caller, bidder, loser), rule, instead)
    return result


def settle_doubt(table: ReferenceState, caller: int) -> CallOutcome:
    """Everything that follows when the pass of the player before is doubted."""
    rules, passer = table.rules, table.passed[-1][0]
    bidder, (_, face, *_) = table.bids[-1]
    hands = [[] if rules["count"]["scope"] == "bidder" and seat != bidder else h for seat, h in enumerate(table.hands)]
    counted = count_face(rules, hands, face, wild=special_is_wild(table))
    result = CallOutcome(counted, list(table.left()), first_safe=first_safe(table))
    loser, winner = (caller, passer) if allows_pass(rules, table.hands[passer]) else (passer, caller)
    hand_out_pot(rules, result.left, winner)
    stake = rules["loss"]["fixed"] if rules["loss"]["mode"] == "fixed" else rules["loss"]["exact"]
    _cost(rules, result.left, loser, winner, stake)
    starters = rules["next_starter"]
    _go_on(table, result, (caller, passer, loser), starters["rule"], starters["if_eliminated"])
    return result


def settle_fold(table: ReferenceState, folding: int) -> CallOutcome:
    """Everything that follows when a player folds a doubled call: half of what it would cost to be wrong."""
    rules, caller, bidder = table.rules, table.doubled[0], table.bids[-1][0]
    result = CallOutcome([], list(table.left()), first_safe=first_safe(table))
    stake = rules["loss"]["fixed"] * (1 if len(table.doubled) == 1 else 2)
    stake *= rules["loss"]["out_of_turn_factor"] if caller != table.turn() else 1
    stake *= rules["loss"].get("opening_factor", 1) if len(table.bids) == 1 else 1
    hand_out_pot(rules, result.left, caller if folding == bidder else bidder)
    _cost(rules, result.left, folding, caller if folding == bidder else bidder, stake)
    starters = rules["next_starter"]
    _go_on(table, result, (caller, bidder, folding), starters["rule"], starters["if_eliminated"])
    return result


def _go_on(table: ReferenceState, result: CallOutcome, players: tuple[int, int, int], rule: str, instead: str) -> None:
    """Put out who has nothing left, and say who opens next; `players` are the caller, who was called, and the loser."""
    rules, before, (caller, bidder, loser) = table.rules, list(table.left()), players
    put_away(rules, result.left)
    result.out = {seat for seat, held in enumerate(before) if held and not result.left[seat]}
    if _over(rules, result):
        return
    after = ReferenceState(rules, dice=result.left, clockwise=table.clockwise)
    starter = {
        "loser": loser,
        "winner": caller + bidder - loser,
        "caller": caller,
        "bidder": bidder,
        "after_loser": after.neighbour(loser),
        "rotate": after.neighbour(table.starter),
    }[rule]
    if not result.left[starter]:
        other = caller if starter == bidder else bidder
        if instead == "opponent" and result.left[other]:
            starter = other
        elif instead == "fewest_dice":
            fewest = min(held for held in result.left if held)
            while result.left[starter] != fewest:
                starter = after.neighbour(starter)
        else:
            forward = table.clockwise if instead != "previous" else not table.clockwise
            starter = after.neighbour(starter, clockwise=forward)
    down_to_one = [seat for seat in _from(caller, after) if before[seat] > 1 and result.left[seat] == 1]
    if _take_due(table, result):
        return
    if not result.left[starter]:
        starter = after.neighbour(starter)
    if rules["special_round"] is not None and rules["special_round"]["trigger"] == "starts_with_one":
        down_to_one = [starter] if result.left[starter] == 1 else []
    if rules["special_round"] is not None and rules["special_round"]["trigger"] == "declared":
        down_to_one = []  # nobody knows before the opener speaks
    result.special_of = _special(table, result, down_to_one)
    result.next_starter = starter if result.special_of is None else result.special_of
    limit = rules["guards"]["max_rounds"]
    if limit is not None and table.number >= limit:
        result.winners = ahead(rules, result)
        result.next_starter = result.special_of = None


def _pay_challenge(rules: PlainRules, left: list[int], caller: int, bidder: int, over: int, times: int) -> int:
    """Settle a challenge in `left`, never taking more than a seat holds; returns the seat that lost."""
    loss = rules["loss"]
    stake = times * (loss["fixed"] if loss["mode"] == "fixed" else (abs(over) or loss["exact"]))
    loser, winner = (bidder, caller) if over < 0 else (caller, bidder)
    hand_out_pot(rules, left, winner)
    if "shed_by" in loss:
        _cost(rules, left, loser, winner, stake)
        return loser
    payers = [loser]
    if over == 0 and loss["on_exact"] == "all_but_bidder" and left[bidder]:
        payers = [seat for seat in range(len(left)) if seat != bidder]
    for seat in payers:
        _pay(rules, left, seat, stake, winner)
    return loser


def _pay_exact(rules: PlainRules, left: list[int], caller: int, bidder: int, *, hit: bool) -> int:
    """Settle an exact call in `left`; returns the seat that lost."""
    call = rules["exact_call"]
    hand_out_pot(rules, left, caller if hit else bidder)
    if not hit:
        _cost(rules, left, caller, bidder, call["failure_loss"])
        return caller
    if "shed_by" in rules["loss"]:
        left[caller] = max(0, left[caller] - call["success_gain"])
        return bidder
    missing = at_the_start(rules) - left[caller] if call["gain_cap"] == "starting_dice" else call["success_gain"]
    left[caller] += max(0, min(call["success_gain"], missing))
    for seat in range(len(left)):
        if seat != caller:
            _pay(rules, left, seat, call["others_loss"] + (call["bidder_loss"] if seat == bidder else 0), caller)
    return bidder


def first_safe(table: ReferenceState) -> list[int]:
    """Who was safe first, if players shed and somebody is safe."""
    return table.safe[0] if table.safe else []


def _cost(rules: PlainRules, left: list[int], loser: int, winner: int, amount: int) -> None:
    """Take what a round costs its loser, or let its winner or all but the loser put it away."""
    sheds = {"winner": [winner], "all_but_loser": [seat for seat in range(len(left)) if seat != loser]}
    for seat in sheds.get(rules["loss"].get("shed_by"), [loser]):
        _pay(rules, left, seat, amount, winner)


def ahead(rules: PlainRules, result: CallOutcome) -> list[int]:
    """Who is ahead: most is left to them or, where players shed, they were safe first, or least is left to them."""
    if "shed_by" not in rules["loss"]:
        return [seat for seat, held in enumerate(result.left) if held == max(result.left)]
    least = min(held for held in result.left if held)
    return result.first_safe or sorted(result.out) or [s for s, held in enumerate(result.left) if held == least]


def _reward_claim(rules: PlainRules, left: list[int], caller: int, bidder: int) -> None:
    """Pay a bidder whose claim came out: as an exact call does, but whoever has paid for the challenge pays no more."""
    call = rules["exact_call"]
    if "shed_by" in rules["loss"]:
        left[bidder] = max(0, left[bidder] - call["success_gain"])
        return
    missing = at_the_start(rules) - left[bidder] if call["gain_cap"] == "starting_dice" else call["success_gain"]
    left[bidder] += max(0, min(call["success_gain"], missing))
    if rules["loss"]["on_exact"] == "all_but_bidder":
        return
    for seat in range(len(left)):
        if seat not in (caller, bidder):
            _pay(rules, left, seat, call["others_loss"], bidder)


def _pay(rules: PlainRules, left: list[int], seat: int, amount: int, to: int) -> None:
    amount = min(amount, left[seat])
    left[seat] -= amount
    if rules["loss"]["destination"] == "opponent" and left[to]:
        left[to] += amount


def _from(first: int, table: ReferenceState) -> list[int]:
    seats = len(table.dice)
    return [(first + (away if table.clockwise else -away)) % seats for away in range(seats)]


def _take_due(table: ReferenceState, result: CallOutcome) -> bool:
    """Take pending penalties in their order, until one player is left; returns whether the match ended."""
    for seat, amount in table.due:
        if result.left[seat]:
            result.left[seat] = max(0, result.left[seat] - amount)
            put_away(table.rules, result.left)
            if not result.left[seat]:
                result.out.add(seat)
        if _over(table.rules, result):
            return True
    return False


def _over(rules: PlainRules, result: CallOutcome) -> bool:
    """Whether the match is over, since one player is left or, where that is the end, since somebody is out."""
    somebody_out = bool(result.first_safe or result.out) if "shed_by" in rules["loss"] else 0 in result.left
    first_out = rules["end"] == "first_player_out" and somebody_out
    if first_out or sum(held > 0 for held in result.left) == 1:
        result.winners = ahead(rules, result)
    return bool(result.winners)


def _special(table: ReferenceState, result: CallOutcome, down_to_one: list[int]) -> int | None:
    """The seat that gets a special round: the first that may have one, from the caller on in the direction of play."""
    special = table.rules["special_round"]
    if special is None or sum(held > 0 for held in result.left) < special["min_players"]:
        return None
    dice = [held if result.left[seat] else 0 for seat, held in enumerate(table.dice)] if table.lives else result.left
    if one_die_each(table.rules, dice):
        return None
    for seat in down_to_one:
        if result.left[seat] and not (special["repeat"] == "once_per_player" and seat in table.had_special):
            return seat
    return None
