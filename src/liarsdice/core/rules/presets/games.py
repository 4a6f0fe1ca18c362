"""The five rule sheets, a strict reading of the last, and well-known games around them."""

from __future__ import annotations

from liarsdice.core.rules import choices as c
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import ExactCall, Labels, Penalty, SpecialRound, Starters
from liarsdice.core.rules.presets.base import (
    ACES,
    BASE,
    BOXED_OPTIONS,
    CACHO_OPTIONS,
    CACHO_TABLE_OPTIONS,
    CHINESE_OPTIONS,
    CLASSIC_OPTIONS,
    MIXED_OPTIONS,
    OWN_DICE_OPTIONS,
    PASS_OPTIONS,
    PERUDO_OPTIONS,
    STAKES_OPTIONS,
    SUM_OPTIONS,
    Changes,
    Preset,
)

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


JOKER_DICE: Changes = {
    "bidding__special_rank": c.SpecialRank.NOT_BIDDABLE,
    "bidding__special_may_open": False,
    "wilds__special_is_wild": True,
}

PERUDO = Preset(
    name="perudo",
    aliases=("dudo",),
    options=(*CACHO_OPTIONS, *PERUDO_OPTIONS, *PASS_OPTIONS, *SUM_OPTIONS),
    source="Perudo as boxed today (gamerules.com/rules/perudo; perudo.co.uk; Wikipedia, Dudo)",
    ruleset=patched(
        CLASSIC.ruleset,
        players__per_set=None,
        first_starter__method=c.StarterMethod.HIGH_ROLL,
        wilds__special_is_wild=True,
        bidding__special_rank=c.SpecialRank.CONVERT,
        bidding__to_special=c.ToSpecial.CEIL_HALF,
        bidding__from_special=c.FromSpecial.DOUBLE_PLUS_1,
        guards__max_rounds=1000,
        bidding__special_may_open=c.SpecialOpening.SPECIAL_ROUND_ONLY,
        wilds__suspended_by=(c.SuspendedBy.SPECIAL_ROUND,),
        special_round=SpecialRound(lock_exempt=c.LockExempt.HAD_SPECIAL, min_players=3),
        exact_call=ExactCall(in_special_round=False, min_players=3),
        next_starter__if_eliminated=c.IfEliminated.NEXT_IN_TURN,
        labels=Labels(
            game="Perudo",
            challenge="Dudo!",
            exact="Calza!",
            special_round="Palifico!",
            special_face="pacos",
        ),
    ),
)

CACHO = Preset(
    name="cacho",
    aliases=("cachos",),
    options=tuple(CACHO_TABLE_OPTIONS),
    source="cacho, the dudo of Chile (github gundurraga/cachos-terminal and agobantesc/Cachos)",
    ruleset=patched(
        PERUDO.ruleset,
        **CACHO_OPTIONS["siciliana"] | CACHO_OPTIONS["half-calza"] | CACHO_OPTIONS["obligo-closed"],
        special_round__trigger=c.SpecialTrigger.STARTS_WITH_ONE,
        special_round__repeat=c.Repeat.ONCE_PER_PLAYER,
        special_round__lock_exempt=c.LockExempt.NONE,
        labels=Labels(
            game="Cacho",
            challenge="Dudo!",
            exact="Calzo!",
            special_round="Obligo!",
            special_face="aces",
        ),
    ),
)

BLUFF = Preset(
    name="bluff",
    source="Bluff, Spiel des Jahres 1993 (spiel-des-jahres.de, brettspielguru.de); dice are shown as on ludorium.at",
    options=tuple(BOXED_OPTIONS),
    ruleset=patched(
        CHART.ruleset,
        loss__on_exact=c.OnExact.ALL_BUT_BIDDER,
        next_starter__rule=c.NextStarter.WINNER,
        penalties=(),
        labels=Labels(game="Bluff", challenge="Bluff!", special_face="stars"),
    ),
)

RED_DEAD = Preset(
    name="red-dead",
    source="Liar's Dice in Red Dead Redemption (reddead.wikia.com, obsidianportal.com)",
    ruleset=patched(
        CLASSIC.ruleset,
        players__per_set=None,
        exact_call=ExactCall(
            success_gain=0,
            others_loss=1,
            failure_loss=1,
            next_starter=c.NextStarter.ROTATE,
        ),
        next_starter=Starters(rule=c.NextStarter.ROTATE),
        labels=Labels(game="Red Dead Liar's Dice", exact="Spot on!"),
    ),
)

PIRATES = Preset(
    name="pirates",
    source="Pirate's Dice (the DS game's manual, ourpastimes.com)",
    ruleset=patched(
        BASE,
        **JOKER_DICE,
        bidding__raise_=c.Raise.NO_DECREASE,
        labels=Labels(game="Pirate's Dice", special_face="skulls"),
    ),
)

SNYD = Preset(
    name="snyd",
    source="Danish Snyd, normal mode (github thomasahle/snyd)",
    ruleset=patched(BASIC.ruleset, labels=Labels(game="Snyd")),
)

SNYD_JOKER = Preset(
    name="snyd-joker",
    source="Danish Snyd, joker mode: ones wild, not biddable (github thomasahle/snyd)",
    ruleset=patched(BASIC.ruleset, **JOKER_DICE, labels=Labels(game="Snyd with jokers", special_face="jokers")),
)

SNYD_STAIRS = Preset(
    name="snyd-stairs",
    source="Danish Snyd, stairs mode: a hand 1..n counts as n+1 (github thomasahle/snyd)",
    ruleset=patched(
        BASIC.ruleset,
        **JOKER_DICE,
        count__hand_bonus=c.HandBonus.STAIRS,
        labels=Labels(game="Snyd with stairs", special_face="jokers"),
    ),
)

CHUI_NIU = Preset(
    name="chui-niu",
    aliases=("chuiniu",),
    source="Chinese chui niu (123yq.win, slackerblud.com); in bars it is played for drinks or points, with all dice",
    options=(*STAKES_OPTIONS, *CHINESE_OPTIONS),
    ruleset=patched(
        BASIC.ruleset,
        bidding__special_rank=c.SpecialRank.TOP_FACE,
        bidding__min_open=c.MinOpen.PLAYERS,
        wilds__special_is_wild=True,
        wilds__suspended_by=(c.SuspendedBy.ANY_BID_ON_SPECIAL,),
        labels=Labels(game="Chui Niu", challenge="Open!"),
    ),
)

BAR_TABLE: Changes = {"next_starter": Starters(), "guards__max_rounds": 20, "labels__game": "Chinese Bar Dice"}
"""What both bar games change besides the rules of their option: nobody is out, so a number of rounds ends a match."""

BAR = Preset(
    name="bar",
    source="chui niu as bars play it (jgfdc.cn, 076958.com, slackerblud.com)",
    ruleset=patched(CHUI_NIU.ruleset, **CHINESE_OPTIONS["bar"] | BAR_TABLE),
)

BAR_STRICT = Preset(
    name="bar-strict",
    source="chui niu in bars where dice count as they lie (jgfdc.cn)",
    ruleset=patched(
        CHUI_NIU.ruleset,
        **CHINESE_OPTIONS["bar-strict"] | BAR_TABLE | {"labels__game": "Chinese Bar Dice, strict"},
    ),
)

OPENSPIEL = Preset(
    name="openspiel",
    source="the game liars_dice of OpenSpiel: one round, highest face wild and biddable",
    ruleset=patched(
        BASIC.ruleset,
        dice__special_face=6,
        wilds__special_is_wild=True,
        guards__max_rounds=1,
        labels=Labels(game="Liar's Dice, one round"),
    ),
)

JOKER = Preset(
    name="joker",
    source="wild ones that rank lowest and may be bid, the setting of published self-play bots",
    ruleset=patched(BASIC.ruleset, wilds__special_is_wild=True, labels=Labels(game="Joker Liar's Dice")),
)

GAMES = (
    *(PERUDO, CACHO, BLUFF, RED_DEAD, PIRATES, SNYD, SNYD_JOKER, SNYD_STAIRS),
    *(CHUI_NIU, BAR, BAR_STRICT, OPENSPIEL, JOKER),
)
"""The games, in the order of the list that players see."""
