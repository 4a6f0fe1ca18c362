"""The five rule sheets, and a strict reading of the last."""

from __future__ import annotations

from liarsdice.core.rules import choices as c
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Labels, Penalty, SpecialRound
from liarsdice.core.rules.presets.base import ACES, BASE, CLASSIC_OPTIONS, MIXED_OPTIONS, OWN_DICE_OPTIONS, Preset

BASIC_RULES = patched(
    BASE,
    first_starter__method=c.StarterMethod.CHOSEN,
    next_starter__if_eliminated=c.IfEliminated.OPPONENT,
)
OFFICIAL_RULES = patched(
    BASE,
    first_starter__dice=2,
    bidding__raise_=c.Raise.EITHER_INCREASES,
    bidding__no_repeat=True,
    wilds__special_is_wild=True,
    wilds__suspended_by=(c.SuspendedBy.OPENING_BID_ON_SPECIAL,),
    challenge__who=c.WhoCalls.ANYONE_BUT_BIDDER,
    loss__out_of_turn_factor=2,
    labels=Labels(game="Official Liar's Dice", challenge_also=("Open!",)),
)

CHART = Preset(
    name="chart",
    aliases=("s000", "000"),
    source="rule sheet 000: a printed claim chart with rules and house rules",
    ruleset=patched(
        BASE,
        **ACES,
        loss__mode=c.LossMode.DIFFERENCE,
        penalties=(
            Penalty(trigger=c.PenaltyTrigger.ASKS_WHOSE_TURN),
            Penalty(trigger=c.PenaltyTrigger.ASKS_DICE_LEFT),
        ),
        labels=Labels(game="Liar's Dice by the chart"),
    ),
)

CLASSIC = Preset(
    name="classic",
    aliases=("s001", "001"),
    source="rule sheet 001: a boxed set's web page with four variations (aces, palifico, calza, reversa)",
    options=tuple(CLASSIC_OPTIONS),
    ruleset=patched(BASIC_RULES, players__per_set=5, labels=Labels(game="Classic Liar's Dice")),
)

BASIC = Preset(
    name="basic",
    aliases=("s002", "002"),
    source="rule sheet 002: the how-to-play part of 001 alone; in Aetolia bids are about one's own dice (aetolia.com)",
    options=(*OWN_DICE_OPTIONS, *MIXED_OPTIONS),
    ruleset=patched(BASIC_RULES, labels=Labels(game="Basic Liar's Dice")),
)

MUSTACHE = Preset(
    name="mustache",
    aliases=("s003", "003"),
    source="rule sheet 003: the Riley house rules",
    ruleset=patched(
        BASE,
        **ACES | {"bidding__from_special": c.FromSpecial.NEVER},
        first_starter__method=c.StarterMethod.CHOSEN,
        bidding__raise_=c.Raise.NO_DECREASE,
        wilds__suspended_by=(c.SuspendedBy.SPECIAL_ROUND,),
        special_round=SpecialRound(repeat=c.Repeat.ONCE_PER_PLAYER),
        labels=Labels(
            game="Mustache house rules",
            special_round="Mustache Round!",
            challenge_also=("That's a lie!", "J'accuse!"),
        ),
    ),
)

OFFICIAL = Preset(
    name="official",
    aliases=("s004", "004"),
    source="rule sheet 004: a web page called Official Liar's Dice Rules, read to the letter",
    ruleset=OFFICIAL_RULES,
)

OFFICIAL_STRICT = Preset(
    name="official-strict",
    source="rule sheet 004 with its first example taken for a misprint: quantity first",
    ruleset=patched(
        OFFICIAL_RULES,
        bidding__raise_=c.Raise.QUANTITY_FIRST,
        bidding__no_repeat=False,
        labels__game="Official Liar's Dice, strict",
    ),
)

SHEETS = (CHART, CLASSIC, BASIC, MUSTACHE, OFFICIAL, OFFICIAL_STRICT)
"""The rule sheets, in the order of their numbers."""
