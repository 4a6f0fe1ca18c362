"""The field groups of a ruleset, and all of them together without a check.

Field names follow the rule schema. `None` always means that there is no such rule. Fields that were added later than
others have `UNSET` instead, so that rules that do not use them are written as before, to the byte.

The annotations are evaluated here, not kept as strings: a start of the program would spend 10 ms on compiling them.
"""

import msgspec
from msgspec import UNSET, UnsetType

from liarsdice.core.rules import choices as c
from liarsdice.core.rules.choices import DoubleAnswers, PassHand, Visibility


class FieldGroup(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, repr_omit_defaults=True):
    """Base of the field groups: immutable, comparable, strict about unknown fields.

    None and an empty list become `UNSET` where that is the default, so that rules with one meaning are equal.
    """

    def __post_init__(self) -> None:
        for name, default in zip(self.__struct_fields__[::-1], self.__struct_defaults__[::-1], strict=False):
            if default is UNSET and getattr(self, name) in (None, ()):
                msgspec.structs.force_setattr(self, name, UNSET)


DOUBLE_STAKE = 2
"""By how many times a challenge for twice the stake multiplies it, and by how many a redoubling does so again."""


class Challenging(FieldGroup, frozen=True, kw_only=True):
    """Who may challenge the latest bid, and with `double`, who may do so for twice the stake (pi).

    `answers`: what may be said to that before the dice are shown; without it they are shown at once.
    """

    who: c.WhoCalls = c.WhoCalls.NEXT_PLAYER
    tie_break: c.TieBreak = c.TieBreak.FIRST_RECEIVED
    double: c.WhoCalls | UnsetType | None = UNSET
    answers: DoubleAnswers | UnsetType | None = UNSET


class Loss(FieldGroup, frozen=True, kw_only=True):
    """The number of dice that a challenge costs, who pays, and where the dice go.

    `fixed` is the loss in mode fixed, and `exact` the loss in mode difference if the count equals the bid.
    `out_of_turn_factor` multiplies every loss of a challenge made out of turn, and `opening_factor` every loss of a
    challenge of an opening bid. `lives` is the number of lives that each player starts with: all that is lost or won is
    lives then, and everybody keeps their dice until they are out. Unlimited lives are counted as they are lost, as a
    running score; `tally` counts other lives so, too. Where losses cost dice, a player with fewer than
    `out_below` is out. With `shed_by`, the winner or everybody but the loser puts dice or lives away, and
    the loser keeps all. A player without any is safe, and the last player who has some comes last. `ante` is the number
    of lives that each player puts into the pot of a round, which its winner takes; whoever has fewer is out.
    """

    mode: c.LossMode = c.LossMode.FIXED
    fixed: int = 1
    exact: int = 1
    out_of_turn_factor: int = 1
    on_exact: c.OnExact = c.OnExact.CHALLENGER
    overflow: c.Overflow = c.Overflow.ALL_HELD
    destination: c.Destination = c.Destination.DISCARD
    lives: int | c.LivesLimit | UnsetType | None = UNSET
    tally: c.Tally | UnsetType | None = UNSET
    out_below: int | UnsetType | None = UNSET
    opening_factor: int | UnsetType | None = UNSET
    shed_by: c.ShedBy | UnsetType | None = UNSET
    ante: int | UnsetType | None = UNSET

    def challenge_factor(self, *, out_of_turn: bool, opening: bool) -> int:
        """Return the number that multiplies the loss of a challenge made out of turn, of an opening bid, or both."""
        factor = self.out_of_turn_factor if out_of_turn else 1
        return factor * self.opening_factor if opening and isinstance(self.opening_factor, int) else factor


class ExactCall(FieldGroup, frozen=True, kw_only=True):
    """The call that a bid is exactly right (calza, spot on).

    In dice: `success_gain` is what a right call gains the caller, `others_loss` what it costs everyone else, and
    `bidder_loss` what it costs the bidder on top of that; `failure_loss` is what a wrong call costs the caller.
    `budget` is the number of calls per player and match, None for no limit. `min_dice` is the share of all dice at the
    start that must still be in play, None for any. Where players shed (`Loss.shed_by`), a right call lets the caller
    put `success_gain` away, and after a wrong one `failure_loss` is shed as after a challenge that was wrong. `claim`:
    who may claim a bid to be exact while the bidding goes on.
    """

    who: c.WhoCallsExact = c.WhoCallsExact.NEXT_PLAYER
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
    min_dice: c.MinDice | UnsetType | None = UNSET
    claim: c.ExactClaim | UnsetType | None = UNSET


UNLIMITED_LIVES = 10**12
"""The number of lives at the start where they are unlimited: more than the longest match can cost."""


ALIKE_BONUS = 2
"""How much a full hand of dice that are all alike counts for beyond its dice; one less if some of them are wild."""


class Players(FieldGroup, frozen=True, kw_only=True):
    """The number of players; `max` None: no limit.

    `per_set` is the number of players for whom one set of the game has dice; it changes no rule.
    """

    min: int = 2
    max: int | None = None
    per_set: int | UnsetType | None = UNSET


class Dice(FieldGroup, frozen=True, kw_only=True):
    """The number of dice of a player at the start, their faces 1..`faces`, and the face with special rules.

    With `faces_by_seat`, the first seats have dice with these numbers of faces, and all later ones with `faces`.
    `visibility` says which dice players see in every round, None for their own. With `double`, so many dice of each
    player count twice. They are the first ones of a hand, and lost last, or as `double_lost` says.
    """

    per_player: int = 5
    faces: int = 6
    special_face: int = 1
    faces_by_seat: tuple[int, ...] | UnsetType | None = UNSET
    visibility: c.RoundVisibility | UnsetType | None = UNSET
    double: int | UnsetType | None = UNSET
    double_lost: c.DoubleLost | UnsetType | None = UNSET

    def __post_init__(self) -> None:
        super().__post_init__()
        by_seat = self.faces_by_seat or ()
        while by_seat and by_seat[-1] == self.faces:  # as the seats that are not listed
            by_seat = by_seat[:-1]
        msgspec.structs.force_setattr(self, "faces_by_seat", by_seat or UNSET)

    def double_count(self, held: int) -> int:
        """Return how many of the `held` dice of a player count twice: the first ones of the hand.

        >>> [Dice(double=1).double_count(held) for held in (0, 1, 5)]
        [0, 1, 1]
        >>> [Dice(double=2, double_lost=c.DoubleLost.FIRST).double_count(held) for held in (2, 4, 5)]
        [0, 1, 2]
        """
        lost = max(self.per_player - held, 0) if self.double_lost is c.DoubleLost.FIRST else 0
        return min(max((self.double or 0) - lost, 0), held)

    def faces_at(self, seat: int) -> int:
        """Return the number of faces of the dice of a seat.

        >>> [Dice(faces=12, faces_by_seat=(4, 8)).faces_at(seat) for seat in range(3)]
        [4, 8, 12]
        """
        by_seat = self.faces_by_seat or ()
        return by_seat[seat] if seat < len(by_seat) else self.faces


class FirstStarter(FieldGroup, frozen=True, kw_only=True):
    """How the first starter of a match is found; `dice` is the number of dice that each player rolls for it."""

    method: c.StarterMethod = c.StarterMethod.HIGH_ROLL
    dice: int = 1
    tie: c.StarterTie = c.StarterTie.REROLL_TIED


class Turn(FieldGroup, frozen=True, kw_only=True):
    """The direction of play, when the starter of a round may reverse it, and whether that lasts."""

    direction: c.Direction = c.Direction.CLOCKWISE
    starter_may_reverse: bool | c.Reversal = False
    reversal_persists: bool = True


class Bidding(FieldGroup, frozen=True, kw_only=True, rename={"raise_": "raise"}):
    """Which bids may be made, and which bid beats which.

    With `to_pure`, a bid can be pure (zhai): while it stands, no dice are wild. Bids on the special face always are.
    With `from_pure`, a later bid can bring the wild dice back (fei). `min_open_pure` and `min_open_special` replace
    `min_open` for pure opening bids and for those on the special face; without the latter, the former holds for both.
    With `show_dice`, a bidder may put dice in the open with a bid, where they stay for the round. With `pass_with`,
    players may pass once a round with such a hand of at least `pass_dice` dice, or of all that they start with. With
    `face_off`, two players with one die each bid on the sum of both dice.
    """

    raise_: c.Raise = c.Raise.QUANTITY_FIRST
    special_rank: c.SpecialRank = c.SpecialRank.PLAIN
    to_special: c.ToSpecial | None = None
    from_special: c.FromSpecial | None = None
    special_may_open: bool | c.SpecialOpening = True
    min_open: int | c.MinOpen = 1
    max_open: int | None = None
    cap: int | c.Cap | None = c.Cap.DICE_IN_PLAY
    no_repeat: bool = False
    to_pure: c.ToPure | UnsetType | None = UNSET
    from_pure: c.FromPure | UnsetType | None = UNSET
    min_open_pure: int | c.MinOpen | UnsetType | None = UNSET
    min_open_special: int | c.MinOpen | UnsetType | None = UNSET
    show_dice: c.ShowDice | UnsetType | None = UNSET
    pass_with: tuple[PassHand, ...] | UnsetType | None = UNSET
    pass_dice: int | UnsetType | None = UNSET
    face_off: c.FaceOff | UnsetType | None = UNSET


class Wilds(FieldGroup, frozen=True, kw_only=True):
    """Whether the special face counts as every face, and when it does not.

    `needs_natural`: wild dice count only if a die shows the bid's face itself.
    """

    special_is_wild: bool = False
    suspended_by: tuple[c.SuspendedBy, ...] = ()
    needs_natural: bool = False


class Count(FieldGroup, frozen=True, kw_only=True):
    """Which dice are counted when a bid is checked, whether some hands count for more, and some for nothing.

    `all_different` is about full hands, of as many dice as a player has at the start; with `straights`, only about
    those that are such a straight, in any order.
    """

    scope: c.CountScope = c.CountScope.TABLE
    hand_bonus: c.HandBonus = c.HandBonus.NONE
    all_different: c.AllDifferent | UnsetType | None = UNSET
    straights: c.Straights | UnsetType | None = UNSET


class Starters(FieldGroup, frozen=True, kw_only=True):
    """Who opens the next round, and who does if that player is out."""

    rule: c.NextStarter = c.NextStarter.LOSER
    if_eliminated: c.IfEliminated = c.IfEliminated.NEXT_IN_TURN


class SpecialRound(FieldGroup, frozen=True, kw_only=True):
    """The special round that follows when a player is down to one die (palifico, Mustache Round).

    `visibility` says which dice players see in it, None for their own.

    With the trigger `STARTS_WITH_ONE`, every round that a player with one die opens is special; with `DECLARED`, those
    that this player declares special before the opening bid.
    """

    trigger: c.SpecialTrigger = c.SpecialTrigger.LOSES_DOWN_TO_ONE
    repeat: c.Repeat = c.Repeat.EVERY_TIME
    face_locked: bool = True
    lock_exempt: c.LockExempt = c.LockExempt.NONE
    min_players: int = 2
    visibility: Visibility | UnsetType | None = UNSET


class Penalty(FieldGroup, frozen=True, kw_only=True):
    """A house penalty: what a player did, and the number of dice that it costs.

    `offence` says in the words of the table what is punished, as "lifting a cup early", where its offences do not all
    cost the same; only with the trigger `COMMITS_OFFENCE`. Without it, the penalty is for all other offences.
    """

    trigger: c.PenaltyTrigger
    dice: int = 1
    offence: str | UnsetType = UNSET

    @property
    def punishes(self) -> tuple[c.PenaltyTrigger, str]:
        """What the penalty is for: the trigger and the offence, "" if it names none."""
        return self.trigger, self.offence or ""


def find_penalty(penalties: tuple[Penalty, ...], trigger: c.PenaltyTrigger, offence: str = "") -> Penalty | None:
    """Return the penalty for this, None if the rules have none. `offence`: as in a `Penalty`, "" if it names none."""
    return next((penalty for penalty in penalties if penalty.punishes == (trigger, offence)), None)


class Guards(FieldGroup, frozen=True, kw_only=True):
    """Limits that end matches and rounds that could go on for ever; None: no limit."""

    max_rounds: int | None = None
    max_bids_per_round: int | None = None


class Labels(FieldGroup, frozen=True, kw_only=True):
    """The names that the players use; they change no rule.

    `special_face` and `lives` are plurals, such as "aces" and "chips". `challenge_also` are further words for a
    challenge. `offences` say what else costs a penalty (`PenaltyTrigger.COMMITS_OFFENCE`), as "a die off the table".
    """

    game: str = "Liar's Dice"
    challenge: str = "Liar!"
    exact: str = "Exact!"
    special_round: str = "Special Round!"
    special_face: str | None = None
    challenge_also: tuple[str, ...] | UnsetType | None = UNSET
    lives: str | UnsetType | None = UNSET
    offences: tuple[str, ...] | UnsetType | None = UNSET

    @property
    def other_challenges(self) -> tuple[str, ...]:
        """The further words for a challenge, if there are any."""
        return self.challenge_also if isinstance(self.challenge_also, tuple) else ()


class RuleChoices(FieldGroup, frozen=True, kw_only=True):
    """All rule choices of a table, whether or not they work together; `Ruleset` is the checked form."""

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

    @property
    def starting_stakes(self) -> int:
        """What each player starts with of what losses cost: lives, or else dice."""
        match self.loss.lives:
            case int() as lives:
                return lives
            case c.LivesLimit.UNLIMITED:
                return UNLIMITED_LIVES
            case _:
                return self.dice.per_player
