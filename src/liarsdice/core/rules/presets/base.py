"""The type of a preset, and the changes that several presets share."""

from __future__ import annotations

from typing import Any

import msgspec

from liarsdice.core.rules import choices as c
from liarsdice.core.rules.choices import DoubleAnswers, PassHand, Visibility
from liarsdice.core.rules.parts import ExactCall, SpecialRound
from liarsdice.core.rules.ruleset import Ruleset

BASE = Ruleset()
"""The ruleset that all presets start from, with the default of every field."""

Changes = dict[str, Any]  # field path -> value; the value's type differs by field


class Preset(msgspec.Struct, frozen=True, kw_only=True):
    """A ruleset with a name, aliases and a source.

    `options` are the names of the variations that its source prints beside it; `chosen` are those switched on.
    """

    name: str
    ruleset: Ruleset
    source: str
    aliases: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The name of the game as players say it."""
        return self.ruleset.labels.game


ACES: Changes = {
    "bidding__special_rank": c.SpecialRank.CONVERT,
    "bidding__to_special": c.ToSpecial.FLOOR_HALF_PLUS_1,
    "bidding__from_special": c.FromSpecial.DOUBLE,
    "wilds__special_is_wild": True,
}
CLASSIC_OPTIONS: dict[str, Changes] = {
    "aces": {**ACES, "labels__special_face": "aces"},
    "palifico": {"special_round": SpecialRound(), "labels__special_round": "Palifico!"},
    "calza": {"exact_call": ExactCall(), "guards__max_rounds": 1000, "labels__exact": "Calza!"},
    "reversa": {"turn__starter_may_reverse": True},
}
"""The variations that the second rule sheet prints beside its basic game; any combination works."""

STAKES_OPTIONS: dict[str, Changes] = {
    "lives": {"loss__lives": 3},
    "first-out": {"end": c.MatchEnd.FIRST_PLAYER_OUT},
    "points": {
        "loss__lives": 10,
        "loss__tally": c.Tally.TAKEN,
        "labels__lives": "points",
        "end": c.MatchEnd.FIRST_PLAYER_OUT,
    },
    "drinks": {"loss__lives": c.LivesLimit.UNLIMITED, "labels__lives": "drinks", "guards__max_rounds": 1000},
}
"""Playing for lives instead of dice, as in bars, where three is a common number, until the first player is out, up to a
number of points, or for drinks, which nobody counts down.
"""

BAR_GAME: Changes = {
    **STAKES_OPTIONS["drinks"],
    "wilds__suspended_by": (),
    "bidding__to_pure": c.ToPure.SAME_QUANTITY,
    "bidding__from_pure": c.FromPure.DOUBLE,
    "bidding__min_open": c.MinOpen.PLAYERS_TIMES_1_5,
    "bidding__min_open_pure": c.MinOpen.PLAYERS,
    "challenge__double": c.WhoCalls.ANYONE_BUT_BIDDER,
    "challenge__answers": DoubleAnswers.REDOUBLE,
}
CHINESE_OPTIONS: dict[str, Changes] = {
    "five-alike": {"count__hand_bonus": c.HandBonus.ALIKE},
    "reroll-different": {"count__all_different": c.AllDifferent.ROLLED_AGAIN},
    "worthless-different": {"count__all_different": c.AllDifferent.WORTHLESS},
    "zhai": {"wilds__suspended_by": (), "bidding__to_pure": c.ToPure.SAME_QUANTITY},
    "fei": {
        "wilds__suspended_by": (),
        "bidding__to_pure": c.ToPure.SAME_QUANTITY,
        "bidding__from_pure": c.FromPure.DOUBLE,
    },
    "high-opening": {"bidding__min_open": c.MinOpen.PLAYERS_PLUS_2},
    "four-five-six": {
        "wilds__suspended_by": (),
        "bidding__to_pure": c.ToPure.SAME_QUANTITY,
        "bidding__min_open": c.MinOpen.PLAYERS_PLUS_2,
        "bidding__min_open_pure": c.MinOpen.PLAYERS_PLUS_1,
        "bidding__min_open_special": c.MinOpen.PLAYERS,
    },
    "pi": {"challenge__double": c.WhoCalls.ANYONE_BUT_BIDDER},
    "counter-pi": {
        "challenge__double": c.WhoCalls.ANYONE_BUT_BIDDER,
        "challenge__answers": DoubleAnswers.REDOUBLE_OR_FOLD,
    },
    "bar": {**BAR_GAME, "count__hand_bonus": c.HandBonus.ALIKE, "count__all_different": c.AllDifferent.ROLLED_AGAIN},
    "bar-strict": BAR_GAME,
}
"""Variations of Chinese bars: five dice that are alike count for six or seven; five that are all different are rolled
again, or count for nothing; bids without wild dice (zhai), and later ones that bring them back (fei); and four players
open with six dice, or with four ones, five dice zhai, or six; and anyone may challenge for double stakes (pi),
which the bidder may double again or fold (counter-pi).
`bar` is the game of bars with all of this, and `bar-strict` the same where dice count as they lie.
"""

PERUDO_OPTIONS: dict[str, Changes] = {
    "declared-palifico": {
        "special_round__trigger": c.SpecialTrigger.DECLARED,
        "special_round__repeat": c.Repeat.ONCE_PER_PLAYER,
        "special_round__visibility": None,  # it is settled before anybody declares
    },
}
"""Variations of Perudo: whoever opens a round with the last die may declare it special, once in a match."""

OWN_DICE_OPTIONS: dict[str, Changes] = {
    "aetolia": {
        "bidding__raise_": c.Raise.NO_DECREASE,
        "count__scope": c.CountScope.BIDDER,
        "loss__out_below": 3,
    },
}
"""Liar's Dice in the online game Aetolia: bids are about the bidder's own dice, neither part may go down, and a player
with fewer than three dice is out.
"""

MIXED_OPTIONS: dict[str, Changes] = {"mixed-dice": {"dice__faces": 12, "dice__faces_by_seat": (4, 6, 8, 10)}}
"""Dice of role players: four, six, eight and ten faces in the first four seats, and twelve in all others."""

BOXED_OPTIONS: dict[str, Changes] = {"show-dice": {"bidding__show_dice": c.ShowDice.COUNTING}}
"""Variations of boxed games: a bidder may put dice in the open and roll the others again."""

CACHO_OPTIONS: dict[str, Changes] = {
    "obligo-closed": {"special_round__visibility": Visibility.CLOSED},
    "obligo-open": {"special_round__visibility": Visibility.OPEN},
    "obligo-chosen": {
        "special_round__trigger": c.SpecialTrigger.DECLARED,
        "special_round__repeat": c.Repeat.ONCE_PER_PLAYER,
        "special_round__visibility": Visibility.CHOSEN,
    },
    "siciliana": {
        "loss__opening_factor": 2,
        "wilds__suspended_by": (c.SuspendedBy.SPECIAL_ROUND, c.SuspendedBy.OPENING_CHALLENGE),
    },
    "half-calza": {"exact_call__min_dice": c.MinDice.HALF},
}
"""Variations of Chile, where Perudo is called cacho: in the special round most players do not look at their dice, or
all see only those of the others; a challenge of the opening bid costs two dice and counts no wild ones; and exact calls
end once fewer than half of the dice are in play.
"""

CACHO_TABLE_OPTIONS: dict[str, Changes] = {
    "obligo-open": CACHO_OPTIONS["obligo-open"],
    "reversa": CLASSIC_OPTIONS["reversa"],
}
"""What the tables of Chile agree on: who sees what in the special round, and whether openers choose the direction."""

PASS_OPTIONS: dict[str, Changes] = {
    "pass": {"bidding__pass_with": (PassHand.ALIKE, PassHand.ALL_DIFFERENT, PassHand.FULL_HOUSE)},
    "pass-alike": {"bidding__pass_with": (PassHand.ALIKE,), "bidding__pass_dice": 2},
}
"""Passing once a round: with five dice that are alike, all different or a full house, as in the Dudo of South America,
or, as in Michigan, with two dice or more that are all alike.
"""

SUM_OPTIONS: dict[str, Changes] = {"face-off": {"bidding__face_off": c.FaceOff.SUM}}
"""The face-off of the Discord bot PerudoBot: two players with one die each bid on the sum of both."""

OPTIONS = (
    CLASSIC_OPTIONS
    | STAKES_OPTIONS
    | CHINESE_OPTIONS
    | OWN_DICE_OPTIONS
    | MIXED_OPTIONS
    | BOXED_OPTIONS
    | CACHO_OPTIONS
    | PERUDO_OPTIONS
    | PASS_OPTIONS
    | SUM_OPTIONS
)
"""The changes of every option of a preset, by its name."""
