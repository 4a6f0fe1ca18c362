"""A ruleset: every rule choice of a table as one frozen value.

Field names follow the rule schema. `None` always means that there is no such rule. Building one checks that the
choices work together (`validate`), so a `Ruleset` that exists can be played to an end.
"""

from __future__ import annotations

from typing import Any

import msgspec

from liarsdice.core.rules import choices as c


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, repr_omit_defaults=True):
    """What all parts of a ruleset share: immutable, comparable, strict about unknown fields."""


class Players(_Part, frozen=True, kw_only=True):
    """How many may sit down; `max` None: no limit."""

    min: int = 2
    max: int | None = None


class Dice(_Part, frozen=True, kw_only=True):
    """The dice of one player at the start, their faces 1..faces, and the face that special rules speak of."""

    per_player: int = 5
    faces: int = 6
    special_face: int = 1


class FirstStarter(_Part, frozen=True, kw_only=True):
    """How the first starter is found; `dice` is the number that each player rolls for it."""

    method: c.StarterMethod = c.StarterMethod.HIGH_ROLL
    dice: int = 1
    tie: c.StarterTie = c.StarterTie.REROLL_TIED


class Turn(_Part, frozen=True, kw_only=True):
    """Direction of play, and whether the starter of a round may turn it."""

    direction: c.Direction = c.Direction.CLOCKWISE
    starter_may_reverse: bool = False
    reversal_persists: bool = True


class Bidding(_Part, frozen=True, kw_only=True, rename={"raise_": "raise"}):
    """Which bids may be made, and which beat which."""

    raise_: c.Raise = c.Raise.QUANTITY_FIRST
    special_rank: c.SpecialRank = c.SpecialRank.PLAIN
    to_special: c.ToSpecial | None = None
    from_special: c.FromSpecial | None = None
    special_may_open: bool | c.SpecialOpening = True
    min_open: int | c.MinOpen = 1
    max_open: int | None = None
    cap: int | c.Cap | None = c.Cap.DICE_IN_PLAY
    no_repeat: bool = False


class Wilds(_Part, frozen=True, kw_only=True):
    """Whether the special face counts as every face, and when it does not."""

    special_is_wild: bool = False
    suspended_by: tuple[c.SuspendedBy, ...] = ()
    needs_natural: bool = False


class Count(_Part, frozen=True, kw_only=True):
    """What is counted when a bid is checked."""

    scope: c.CountScope = c.CountScope.TABLE
    hand_bonus: c.HandBonus = c.HandBonus.NONE


class Challenging(_Part, frozen=True, kw_only=True):
    """Who may challenge the latest bid."""

    who: c.WhoCalls = c.WhoCalls.NEXT_PLAYER
    tie_break: c.TieBreak = c.TieBreak.FIRST_RECEIVED


class Loss(_Part, frozen=True, kw_only=True):
    """What a challenge costs, in dice.

    `fixed` is the loss of mode fixed, `exact` that of mode difference when the count equals the bid;
    `out_of_turn_factor` multiplies every loss of a challenge made out of turn.
    """

    mode: c.LossMode = c.LossMode.FIXED
    fixed: int = 1
    exact: int = 1
    out_of_turn_factor: int = 1
    on_exact: c.OnExact = c.OnExact.CHALLENGER
    overflow: c.Overflow = c.Overflow.ALL_HELD
    destination: c.Destination = c.Destination.DISCARD


class ExactCall(_Part, frozen=True, kw_only=True):
    """The call that a bid is exactly right (calza, spot on).

    `success_gain`: dice that the caller regains. `others_loss`: dice that everyone but the caller loses on success;
    `bidder_loss` comes on top for the bidder. `budget`: calls per player and match, None for no limit.
    """

    who: c.WhoCalls = c.WhoCalls.NEXT_PLAYER
    success_gain: int = 1
    gain_cap: c.GainCap | None = c.GainCap.STARTING_DICE
    at_cap: c.AtCap = c.AtCap.ALLOWED_NO_GAIN
    failure_loss: int = 1
    bidder_loss: int = 0
    others_loss: int = 0
    min_players: int = 2
    in_special_round: bool = True
    next_starter: c.NextStarter = c.NextStarter.CALLER
    if_eliminated: c.IfEliminated = c.IfEliminated.NEXT_IN_TURN
    budget: int | None = None


class Starters(_Part, frozen=True, kw_only=True):
    """Who opens the next round, and who does when that player is out."""

    rule: c.NextStarter = c.NextStarter.LOSER
    if_eliminated: c.IfEliminated = c.IfEliminated.NEXT_IN_TURN


class SpecialRound(_Part, frozen=True, kw_only=True):
    """A round that a player's last die sets off (palifico, Mustache Round)."""

    trigger: c.SpecialTrigger = c.SpecialTrigger.LOSES_DOWN_TO_ONE
    repeat: c.Repeat = c.Repeat.EVERY_TIME
    face_locked: bool = True
    lock_exempt: c.LockExempt = c.LockExempt.NONE
    min_players: int = 2


class Penalty(_Part, frozen=True, kw_only=True):
    """A house penalty: what a player did, and how many dice it costs."""

    trigger: c.PenaltyTrigger
    dice: int = 1


class Guards(_Part, frozen=True, kw_only=True):
    """Limits that end what would not end by itself."""

    max_rounds: int | None = None
    max_bids_per_round: int | None = None


class Labels(_Part, frozen=True, kw_only=True):
    """The table's own words; they change no rule."""

    game: str = "Liar's Dice"
    challenge: str = "Liar!"
    exact: str = "Exact!"
    special_round: str = "Special Round!"
    special_face: str | None = None


class Ruleset(_Part, frozen=True, kw_only=True):
    """All rule choices of a table. Raises `RulesetError` where they do not work together."""

    players: Players = Players()
    dice: Dice = Dice()
    first_starter: FirstStarter = FirstStarter()
    turn: Turn = Turn()
    bidding: Bidding = Bidding()
    wilds: Wilds = Wilds()
    count: Count = Count()
    challenge: Challenging = Challenging()
    loss: Loss = Loss()
    exact_call: ExactCall | None = None
    next_starter: Starters = Starters()
    special_round: SpecialRound | None = None
    penalties: tuple[Penalty, ...] = ()
    penalty_timing: c.PenaltyTiming = c.PenaltyTiming.END_OF_ROUND
    table_talk: c.TableTalk = c.TableTalk.ALLOWED
    end: c.MatchEnd = c.MatchEnd.LAST_PLAYER_WITH_DICE
    guards: Guards = Guards()
    labels: Labels = Labels()

    def __post_init__(self) -> None:
        from liarsdice.core.rules.validate import check  # noqa: PLC0415  it reads the types defined here

        check(self)


def patched(ruleset: Ruleset, **changes: Any) -> Ruleset:  # noqa: ANN401  the value's type differs by field
    """A copy with the fields named `part__field` (or `part` alone) replaced, checked once at the end.

    >>> patched(Ruleset(), dice__faces=8, bidding__raise_=c.Raise.NO_DECREASE).dice.faces
    8
    """
    top: dict[str, Any] = {}
    for path, value in changes.items():
        part, _, field = path.partition("__")
        top[part] = msgspec.structs.replace(top.get(part, getattr(ruleset, part)), **{field: value}) if field else value
    return msgspec.structs.replace(ruleset, **top)
