"""The five rule sheets, a strict reading of the last, well-known games around them, and options that several share."""

from typing import Any

import msgspec

from liarsdice.core.rules import choices as c
from liarsdice.core.rules.choices import DoubleAnswers, PassHand, Visibility
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import ExactCall, Labels, Penalty, SpecialRound, Starters
from liarsdice.core.rules.ruleset import Ruleset

BASE = Ruleset()
"""The ruleset that all presets start from, with the default of every field."""

Changes = dict[str, Any]  # field path -> value; the value's type differs by field


class Preset(msgspec.Struct, frozen=True, kw_only=True):
    """A ruleset with a name, aliases and a source.

    `options` are the names of the variations that its source prints beside it; `chosen` are those switched on.
    `countries` are those that the source is from or names, as codes of ISO 3166.
    """

    name: str
    ruleset: Ruleset
    source: str
    countries: tuple[str, ...] = ()
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
    "reroll-straights": {
        "count__all_different": c.AllDifferent.MAY_ROLL_AGAIN,
        "count__straights": c.Straights.EITHER,
    },
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

BOXED_OPTIONS: dict[str, Changes] = {
    "show-dice": {"bidding__show_dice": c.ShowDice.COUNTING},
    "double": {"dice__double": 1},
}
"""Variations of boxed games: a bidder may put dice in the open and roll the others again, or one die counts double."""

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

SNYD_OPTIONS: dict[str, Changes] = {
    "all-but-loser": {"loss__shed_by": c.ShedBy.ALL_BUT_LOSER},
    "winner-sheds": {"loss__shed_by": c.ShedBy.WINNER},
}
"""Getting rid of dice: all but the loser put one away, as in the Danish program TerningSpillet_Snyd, or the winner
alone, as thomasahle/liars-dice (dudo.ai) plays for two, where both are the same.
"""
SHEDDING: Changes = SNYD_OPTIONS["all-but-loser"] | {"next_starter__if_eliminated": c.IfEliminated.NEXT_IN_TURN}
"""The loser, who opens, is never out."""
SHEDDING_OPTIONS: dict[str, Changes] = {
    "winner-sheds": SNYD_OPTIONS["winner-sheds"],
    "loser-pays": {"loss__shed_by": None, "next_starter__if_eliminated": c.IfEliminated.OPPONENT},
}
"""The other ways to lose dice where all but the loser put one away."""

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
    | SNYD_OPTIONS
    | SHEDDING_OPTIONS
)
"""The changes of every option of a preset, by its name."""


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
    countries=("PE",),
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
    countries=("CL",),
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
    countries=("DE",),
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
    countries=("US",),
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
    countries=("DK",),
    options=tuple(SNYD_OPTIONS),
    ruleset=patched(BASIC.ruleset, labels=Labels(game="Snyd")),
)

SNYD_JOKER = Preset(
    name="snyd-joker",
    source="Danish Snyd, joker mode: ones wild, not biddable (github thomasahle/snyd; dudo.ai)",
    countries=("DK",),
    options=tuple(SHEDDING_OPTIONS),
    ruleset=patched(
        BASIC.ruleset, **JOKER_DICE, **SHEDDING, labels=Labels(game="Snyd with jokers", special_face="jokers")
    ),
)

SNYD_STAIRS = Preset(
    name="snyd-stairs",
    source="Danish Snyd with the stairs rule: a hand 1..n counts as n+1 (github Thomsen96/TerningSpillet_Snyd)",
    countries=("DK",),
    options=tuple(SHEDDING_OPTIONS),
    ruleset=patched(
        BASIC.ruleset,
        **JOKER_DICE,
        **SHEDDING,
        count__hand_bonus=c.HandBonus.STAIRS,
        labels=Labels(game="Snyd with stairs", special_face="jokers"),
    ),
)

CHUI_NIU = Preset(
    name="chui-niu",
    aliases=("chuiniu",),
    source="Chinese chui niu (123yq.win, slackerblud.com); in bars it is played for drinks or points, with all dice",
    countries=("CN",),
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
    countries=("CN",),
    ruleset=patched(CHUI_NIU.ruleset, **CHINESE_OPTIONS["bar"] | BAR_TABLE),
)

BAR_STRICT = Preset(
    name="bar-strict",
    source="chui niu in bars where dice count as they lie (jgfdc.cn)",
    countries=("CN",),
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
