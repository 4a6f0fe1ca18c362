"""The field groups of a ruleset for calls: who may make them, and what they cost.

The annotations are evaluated here, as in `parts`.
"""

from msgspec import UNSET, UnsetType

from liarsdice.core.rules import choices as c
from liarsdice.core.rules import loss_choices as lc
from liarsdice.core.rules.double_answers import DoubleAnswers
from liarsdice.core.rules.field_group import FieldGroup, unset_empty

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

    def __post_init__(self) -> None:
        for name in ("double", "answers"):
            unset_empty(self, name)


class Loss(FieldGroup, frozen=True, kw_only=True):
    """The number of dice that a challenge costs, who pays, and where the dice go.

    `fixed` is the loss in mode fixed, and `exact` the loss in mode difference if the count equals the bid.
    `out_of_turn_factor` multiplies every loss of a challenge made out of turn, and `opening_factor` every loss of a
    challenge of an opening bid. `lives` is the number of lives that each player starts with: all that is lost or won is
    lives then, and everybody keeps their dice until they are out. Unlimited lives are counted as they are lost, as a
    running score; `tally` counts other lives so, too. Where losses cost dice, a player with fewer than
    `out_below` is out.
    """

    mode: lc.LossMode = lc.LossMode.FIXED
    fixed: int = 1
    exact: int = 1
    out_of_turn_factor: int = 1
    on_exact: lc.OnExact = lc.OnExact.CHALLENGER
    overflow: lc.Overflow = lc.Overflow.ALL_HELD
    destination: lc.Destination = lc.Destination.DISCARD
    lives: int | lc.LivesLimit | UnsetType | None = UNSET
    tally: lc.Tally | UnsetType | None = UNSET
    out_below: int | UnsetType | None = UNSET
    opening_factor: int | UnsetType | None = UNSET

    def __post_init__(self) -> None:
        for name in ("lives", "tally", "out_below", "opening_factor"):
            unset_empty(self, name)

    def challenge_factor(self, *, out_of_turn: bool, opening: bool) -> int:
        """Return the number that multiplies the loss of a challenge made out of turn, of an opening bid, or both."""
        factor = self.out_of_turn_factor if out_of_turn else 1
        return factor * self.opening_factor if opening and isinstance(self.opening_factor, int) else factor


class ExactCall(FieldGroup, frozen=True, kw_only=True):
    """The call that a bid is exactly right (calza, spot on).

    In dice: `success_gain` is what a right call gains the caller, `others_loss` what it costs everyone else, and
    `bidder_loss` what it costs the bidder on top of that; `failure_loss` is what a wrong call costs the caller.
    `budget` is the number of calls per player and match, None for no limit. `min_dice` is the share of all dice at the
    start that must still be in play, None for any.
    """

    who: c.WhoCallsExact = c.WhoCallsExact.NEXT_PLAYER
    success_gain: int = 1
    gain_cap: lc.GainCap | None = lc.GainCap.STARTING_DICE
    at_cap: lc.AtCap = lc.AtCap.ALLOWED_NO_GAIN
    failure_loss: int = 1
    bidder_loss: int = 0
    others_loss: int = 0
    min_players: int = 2
    in_special_round: bool = True
    next_starter: c.NextStarter = c.NextStarter.CALLER
    if_eliminated: c.IfEliminated = c.IfEliminated.NEXT_IN_TURN
    budget: int | None = None
    min_dice: lc.MinDice | UnsetType | None = UNSET

    def __post_init__(self) -> None:
        unset_empty(self, "min_dice")
