"""Random rulesets: every rule choice is drawn from the values that the earlier choices allow."""

import types
import typing
from collections.abc import Iterator
from enum import Enum
from functools import cache, lru_cache
from typing import TypeVar

import msgspec
from hypothesis import strategies as st
from msgspec import UNSET

from liarsdice.core.errors import RulesetError
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.choices import DoubleAnswers, PassHand, Visibility
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import (
    Bidding,
    Challenging,
    Count,
    Dice,
    ExactCall,
    FirstStarter,
    Guards,
    Labels,
    Loss,
    Penalty,
    Players,
    SpecialRound,
    Starters,
    Turn,
    Wilds,
)
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.validate import raise_loop

Member = TypeVar("Member", bound=Enum)
Value = TypeVar("Value")

# Every strategy is built once: hypothesis validates a new one before it draws, which takes longer than the draw.


@cache
def member(kind: type[Member]) -> st.SearchStrategy[Member]:
    return st.sampled_from(list(kind))


@lru_cache(maxsize=None, typed=True)
def one_of(*values: Value) -> st.SearchStrategy[Value]:
    return st.sampled_from(values)


@cache
def optional(low: int, high: int) -> st.SearchStrategy[int | None]:
    return st.none() | st.integers(low, high)


@cache
def countdown(high: int) -> st.SearchStrategy[int]:
    """Numbers from 1 to `high`; the highest is the simplest."""
    return st.integers(0, high - 1).map(lambda fewer: high - fewer)


@cache
def optional_countdown(high: int) -> st.SearchStrategy[int | None]:
    return st.none() | countdown(high)


@cache
def subset(*of: Member) -> st.SearchStrategy[tuple[Member, ...]]:
    return st.permutations(of).flatmap(lambda order: st.integers(0, len(of)).map(lambda size: tuple(order[:size])))


seeds = st.integers(0, 2**32 - 1)

OFFENCES = ("a die off the table", "Lifting early")
PUNISHED = (
    *((trigger, "") for trigger in c.PenaltyTrigger),
    *((c.PenaltyTrigger.COMMITS_OFFENCE, offence) for offence in OFFENCES),
)
"""What penalties can be for: a trigger, and the name of an offence or ""."""
MIN_OPEN = st.integers(1, 3) | member(c.MinOpen)
MIN_OPEN_OF_KIND = st.none() | st.none() | MIN_OPEN
CAP = st.just(c.Cap.DICE_IN_PLAY) | st.none() | st.integers(1, 12)
LIVES = st.none() | st.none() | countdown(4) | member(c.LivesLimit)
SHED_BY = st.none() | member(c.ShedBy)
OUT_BELOW = st.none() | st.none() | st.integers(2, 3)
ANTE = st.none() | st.integers(1, 2)
TALLY = st.none() | member(c.Tally)
SIMULATED_BONUS = st.sampled_from([c.HandBonus.NONE, c.HandBonus.STAIRS])
TO_PURE = st.none() | st.none() | member(c.ToPure)
FROM_PURE = st.none() | member(c.FromPure)
SHOW_DICE = st.none() | st.none() | member(c.ShowDice)
ALL_DIFFERENT = st.none() | member(c.AllDifferent)
DOUBLE_LOST = st.none() | member(c.DoubleLost)
STRAIGHTS = st.none() | member(c.Straights)
OPENING_FACTOR = st.none() | st.none() | st.integers(2, 3)
CLAIM = st.none() | member(c.ExactClaim)
MIN_DICE = st.none() | member(c.MinDice)
VISIBILITY = st.none() | member(Visibility)
ROUND_VISIBILITY = st.none() | st.none() | st.none() | member(c.RoundVisibility)
DOUBLE = st.none() | member(c.WhoCalls)
FACE_OFF = st.none() | member(c.FaceOff)
GAIN_CAP = st.none() | member(c.GainCap)


@st.composite
def rulesets(draw: st.DrawFn, *, most_dice: int = 5, simulated: bool = False) -> Ruleset:
    """Any ruleset that the validator accepts, with few dice; with `simulated`, only rules that the simulator knows."""
    dice = _dice(draw, most_dice, simulated=simulated)
    lives = None if simulated else draw(LIVES)
    unlimited = lives is c.LivesLimit.UNLIMITED
    tally = draw(TALLY) if lives else None
    counts_up = unlimited or tally is not None
    out_below = draw(OUT_BELOW) if not simulated and dice.per_player >= 3 else None
    may_come_down = not unlimited and (lives or dice.per_player) >= 2 and (lives or not out_below)
    special_round = _special_round(draw, simulated=simulated) if may_come_down and draw(st.booleans()) else None
    bidding = _bidding(draw, dice, simulated=simulated)
    if special_round is not None and special_round.trigger is c.SpecialTrigger.DECLARED:
        kept = special_round.visibility is Visibility.CHOSEN
        special_round = msgspec.structs.replace(special_round, visibility=Visibility.CHOSEN if kept else None)
    if not (simulated or bidding.show_dice):
        bidding = _with_passes(draw, bidding, dice, keep_dice=lives is not None)
    if special_round is not None and (bidding.pass_with or bidding.show_dice):
        special_round = msgspec.structs.replace(special_round, visibility=None)
    if not (simulated or bidding.pass_with or bidding.show_dice):
        dice = msgspec.structs.replace(dice, visibility=draw(ROUND_VISIBILITY))
        if special_round is not None and dice.visibility:
            special_round = msgspec.structs.replace(special_round, visibility=None)
    plain = bool(bidding.show_dice) or _shows_hands(special_round) or dice.visibility is c.RoundVisibility.OTHERS
    count = _count(draw, dice, bidding, simulated=simulated, plain=plain)
    comes_down = dice.per_player == 1 or not (lives or unlimited or out_below)
    if comes_down and not simulated and count.scope is c.CountScope.TABLE:
        bidding = msgspec.structs.replace(bidding, face_off=draw(FACE_OFF))
    exact = _exact_call(draw, capped=counts_up, simulated=simulated) if draw(st.booleans()) else None
    who = draw(member(c.WhoCalls))
    loss = Loss(
        mode=draw(member(c.LossMode)),
        fixed=draw(one_of(1, 1, 1, 2, 3)),
        exact=draw(st.integers(1, 3)),
        out_of_turn_factor=draw(st.integers(1, 3)) if who is c.WhoCalls.ANYONE_BUT_BIDDER else 1,
        on_exact=draw(member(c.OnExact)),
        destination=c.Destination.DISCARD if counts_up else draw(member(c.Destination)),
        lives=lives,
        tally=tally,
        out_below=out_below,
        opening_factor=None if simulated else draw(OPENING_FACTOR),
        ante=draw(ANTE.map(lambda ante: ante and min(ante, 1 if special_round else lives)))
        if isinstance(lives, int) and not counts_up
        else None,
    )
    if draw(st.booleans()) and _may_shed(loss):
        loss = msgspec.structs.replace(loss, shed_by=draw(SHED_BY))
    starters = [
        rule
        for rule in c.NextStarter
        if rule is not c.NextStarter.LOSER or loss.on_exact is not c.OnExact.ALL_BUT_BIDDER
    ]
    punished = [] if loss.shed_by else draw(st.lists(one_of(*PUNISHED), unique=True, max_size=3))
    may_take_dice = not (bidding.show_dice or bidding.pass_with)
    min_players = draw(st.integers(2, 3))
    rules = Ruleset(
        players=Players(min=min_players, max=draw(optional(min_players, 6)), per_set=draw(optional(min_players, 6))),
        dice=dice,
        first_starter=FirstStarter(method=draw(member(c.StarterMethod)), dice=draw(st.integers(1, 3))),
        turn=Turn(
            direction=draw(member(c.Direction)),
            starter_may_reverse=draw(one_of(False, True, c.Reversal.FIRST_ROUND)),
            reversal_persists=draw(st.booleans()),
        ),
        bidding=bidding,
        wilds=_wilds(draw, bidding, special_round=special_round is not None, simulated=simulated),
        count=count,
        challenge=_challenge(draw, who, loss, simulated=simulated),
        loss=loss,
        exact_call=exact,
        next_starter=Starters(rule=draw(one_of(*starters)), if_eliminated=draw(member(c.IfEliminated))),
        special_round=special_round,
        penalties=tuple(
            Penalty(trigger=trigger, dice=draw(st.integers(1, 2)), offence=offence or UNSET)
            for trigger, offence in punished
        ),
        penalty_timing=draw(member(c.PenaltyTiming)) if may_take_dice else c.PenaltyTiming.END_OF_ROUND,
        end=c.MatchEnd.LAST_PLAYER_WITH_DICE if simulated else draw(member(c.MatchEnd)),
        guards=_guards(draw, bidding, loss, exact),
        labels=Labels(
            game=draw(one_of("Liar's Dice", 'A "quoted" game', "Dés du menteur", "吹牛")),
            challenge_also=draw(one_of((), ("Humbug!",), ("That's a lie!", "Knock!"))),
            lives=draw(one_of(None, "chips")),
        ),
    )
    return rules if simulated or draw(st.booleans()) else _with_double_dice(draw, rules)


def _with_double_dice(draw: st.DrawFn, rules: Ruleset) -> Ruleset:
    """The rules with dice that count double, if they leave room for such dice."""
    try:
        return patched(
            rules, dice__double=draw(st.integers(1, rules.dice.per_player)), dice__double_lost=draw(DOUBLE_LOST)
        )
    except RulesetError:
        return rules


def _may_shed(loss: Loss) -> bool:
    """Return whether winners can put away what losses cost, so that nobody else loses or receives anything."""
    plain = loss.on_exact is c.OnExact.CHALLENGER and loss.destination is c.Destination.DISCARD and not loss.out_below
    return plain and loss.lives is not c.LivesLimit.UNLIMITED and not (loss.tally or loss.ante)


def _challenge(draw: st.DrawFn, who: c.WhoCalls, loss: Loss, *, simulated: bool) -> Challenging:
    double = None if simulated else draw(DOUBLE)
    answers = None if double is None else draw(st.none() | member(DoubleAnswers))
    if loss.mode is c.LossMode.DIFFERENCE and answers is DoubleAnswers.REDOUBLE_OR_FOLD:
        answers = None
    return Challenging(who=who, double=double, answers=answers)


def _dice(draw: st.DrawFn, most: int, *, simulated: bool) -> Dice:
    faces = draw(st.integers(2, 8))
    by_seat = () if simulated else draw(st.lists(st.integers(2, faces), max_size=2))
    return Dice(
        per_player=most - draw(st.integers(0, most - 1)),
        faces=faces,
        special_face=draw(st.integers(1, faces)),
        faces_by_seat=tuple(by_seat),
    )


def _shows_hands(special_round: SpecialRound | None) -> bool:
    return special_round is not None and special_round.visibility in (Visibility.OPEN, Visibility.CHOSEN)


def _count(draw: st.DrawFn, dice: Dice, bidding: Bidding, *, simulated: bool, plain: bool) -> Count:
    if plain:
        return Count()
    bonus = draw(SIMULATED_BONUS if simulated else member(c.HandBonus))
    own_dice = bonus is c.HandBonus.NONE and not simulated and draw(st.booleans())
    may_differ = 2 <= dice.per_player <= dice.faces and not bonus.is_for_stairs and not simulated
    scope = c.CountScope.BIDDER if own_dice else c.CountScope.TABLE
    choice = draw(ALL_DIFFERENT) if may_differ else None
    again = choice is c.AllDifferent.ROLLED_AGAIN and bidding.pass_with  # nobody could pass with such a hand
    covered = dice.visibility is c.RoundVisibility.BLIND and choice is not c.AllDifferent.WORTHLESS
    straights = draw(STRAIGHTS) if choice and not (again or covered) else None
    return Count(scope=scope, hand_bonus=bonus, all_different=None if again or covered else choice, straights=straights)


def _bidding(draw: st.DrawFn, dice: Dice, *, simulated: bool) -> Bidding:
    rank = draw(member(c.SpecialRank))
    converts = rank is c.SpecialRank.CONVERT
    openings: list[bool | c.SpecialOpening] = [False]
    if rank is not c.SpecialRank.NOT_BIDDABLE:
        openings += [True, c.SpecialOpening.SPECIAL_ROUND_ONLY]
    min_open = draw(MIN_OPEN)
    min_open_pure, min_open_special = draw(MIN_OPEN_OF_KIND), None if simulated else draw(MIN_OPEN_OF_KIND)
    lowest = [least for least in (min_open, min_open_pure, min_open_special) if isinstance(least, int)]
    to_pure = None if converts or simulated else draw(TO_PURE)
    bidding = Bidding(
        raise_=draw(member(c.Raise)),
        special_rank=rank,
        to_special=draw(member(c.ToSpecial)) if converts else None,
        from_special=draw(member(c.FromSpecial)) if converts else None,
        special_may_open=draw(one_of(*openings)),
        min_open=min_open,
        max_open=draw(optional(max(lowest, default=1), 5)),
        cap=draw(CAP),
        no_repeat=draw(st.booleans()),
        to_pure=to_pure,
        from_pure=draw(FROM_PURE) if to_pure else None,
        min_open_pure=min_open_pure,
        min_open_special=min_open_special,
        show_dice=None if simulated else draw(SHOW_DICE),
    )
    if bidding.no_repeat or bidding.raise_ is c.Raise.OTHER_FACE or not raise_loop(bidding, dice):
        return bidding
    changed = {name: getattr(bidding, name) for name in bidding.__struct_fields__} | {"no_repeat": True}
    return Bidding(**changed)


def _with_passes(draw: st.DrawFn, bidding: Bidding, dice: Dice, *, keep_dice: bool) -> Bidding:
    if dice.per_player < 2 or dice.faces_by_seat or draw(st.booleans()):
        return bidding
    least = draw(st.none() | st.integers(2, dice.per_player))
    needed = dice.per_player if least is None or keep_dice else least
    hands = [PassHand.ALIKE, *[PassHand.ALL_DIFFERENT] * (needed <= dice.faces)]
    hands += [PassHand.FULL_HOUSE] * (needed <= 5 <= dice.per_player)
    return msgspec.structs.replace(bidding, pass_with=draw(subset(*hands)), pass_dice=least)


def _wilds(draw: st.DrawFn, bidding: Bidding, *, special_round: bool, simulated: bool) -> Wilds:
    if bidding.to_pure:
        return Wilds(special_is_wild=True, needs_natural=draw(st.booleans()))
    if not draw(st.booleans()):
        return Wilds(needs_natural=draw(st.booleans()))
    reasons = []
    if special_round:
        reasons.append(c.SuspendedBy.SPECIAL_ROUND)
    if bidding.special_may_open is True or (bidding.special_may_open is not False and special_round):
        reasons.append(c.SuspendedBy.OPENING_BID_ON_SPECIAL)
    if bidding.special_rank is not c.SpecialRank.NOT_BIDDABLE:
        reasons.append(c.SuspendedBy.ANY_BID_ON_SPECIAL)
    if not simulated:
        reasons.append(c.SuspendedBy.OPENING_CHALLENGE)
    return Wilds(special_is_wild=True, suspended_by=draw(subset(*reasons)), needs_natural=draw(st.booleans()))


def _exact_call(draw: st.DrawFn, *, capped: bool, simulated: bool) -> ExactCall:
    others = draw(st.integers(0, 2))
    starters = [rule for rule in c.NextStarter if rule is not c.NextStarter.LOSER or not others]
    return ExactCall(
        who=draw(member(c.WhoCallsExact)),
        success_gain=2 - draw(st.integers(0, 2)),
        gain_cap=c.GainCap.STARTING_DICE if capped else draw(GAIN_CAP),
        at_cap=draw(member(c.AtCap)),
        failure_loss=draw(st.integers(0, 2)),
        bidder_loss=draw(st.integers(0, 2)),
        others_loss=others,
        min_players=draw(st.integers(2, 4)),
        in_special_round=draw(st.booleans()),
        next_starter=draw(one_of(*starters)),
        if_eliminated=draw(member(c.IfEliminated)),
        budget=draw(optional(1, 3)),
        min_dice=None if simulated else draw(MIN_DICE),
        claim=None if simulated else draw(CLAIM),
    )


def _special_round(draw: st.DrawFn, *, simulated: bool) -> SpecialRound:
    return SpecialRound(
        trigger=c.SpecialTrigger.LOSES_DOWN_TO_ONE if simulated else draw(member(c.SpecialTrigger)),
        repeat=draw(member(c.Repeat)),
        face_locked=draw(st.booleans()),
        lock_exempt=draw(member(c.LockExempt)),
        min_players=draw(st.integers(2, 4)),
        visibility=None if simulated else draw(VISIBILITY),
    )


def _guards(draw: st.DrawFn, bidding: Bidding, loss: Loss, exact: ExactCall | None) -> Guards:
    """Limits: required if a match or a round could go on for ever, else optional.

    For ever go rounds where dice only change hands or come back, and bids without a cap.
    """
    stays = loss.destination is c.Destination.OPPONENT or loss.lives is c.LivesLimit.UNLIMITED
    never_ends = stays or (
        exact is not None
        and exact.budget is None
        and (
            exact.failure_loss == 0
            or (exact.success_gain == 0 if loss.shed_by else exact.success_gain > 0)
            or (not loss.shed_by and exact.bidder_loss + exact.others_loss == 0)
        )
    )
    return Guards(
        max_rounds=draw(countdown(30) if never_ends else optional_countdown(30)),
        max_bids_per_round=draw(countdown(20) if bidding.cap is None else optional_countdown(20)),
    )


@st.composite
def tables(draw: st.DrawFn, *, most_dice: int = 5, simulated: bool = False) -> tuple[Ruleset, int]:
    """A ruleset and a number of players that it allows."""
    rules = draw(rulesets(most_dice=most_dice, simulated=simulated))
    return rules, draw(st.integers(rules.players.min, rules.players.max or 6))


def rule_axes(kind: type[msgspec.Struct] = Ruleset, prefix: str = "") -> Iterator[tuple[str, tuple[object, ...]]]:
    """Yield the path of every field with an enum or a bool, and the values that it may have."""
    hints = typing.get_type_hints(kind)
    for field in msgspec.structs.fields(kind):
        hint, path = hints[field.name], prefix + field.encode_name
        options = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
        values: list[object] = []
        for option in options:
            for inner in typing.get_args(option)[:1] or (option,):
                if inner is bool:
                    values += [False, True]
                elif isinstance(inner, type) and issubclass(inner, Enum):
                    values += list(inner)
                elif isinstance(inner, type) and issubclass(inner, msgspec.Struct):
                    yield from rule_axes(inner, path + ".")
        if values:
            yield path, tuple(values)
