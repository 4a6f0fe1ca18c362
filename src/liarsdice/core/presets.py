"""The rulesets that have a name: the five rule sheets, and the well-known games around them.

Each is `patched(BASE, …)`: only what differs is written down, and its source is named. `Sn` are sources of the rule
schema: the games' own rule pages, named in full beside the preset.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from liarsdice.core import choices as c
from liarsdice.core.errors import UnavailableError
from liarsdice.core.ruleset import ExactCall, Labels, Penalty, Ruleset, SpecialRound, Starters, patched

BASE = Ruleset()
"""The ruleset that all presets start from; its values are the defaults of the schema."""

Changes = dict[str, Any]  # field path -> value; the value's type differs by field


class Preset(msgspec.Struct, frozen=True, kw_only=True):
    """A ruleset with a name, other names it goes by, and where its rules come from.

    `options` are the switches that its source prints beside it, by name; `chosen` the ones that are on.
    """

    name: str
    ruleset: Ruleset
    source: str
    aliases: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What players call the game."""
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
JOKER_DICE: Changes = {
    "bidding__special_rank": c.SpecialRank.NOT_BIDDABLE,
    "bidding__special_may_open": False,
    "wilds__special_is_wild": True,
}


@cache
def _presets() -> dict[str, Preset]:
    seeds = _seeds()
    return {preset.name: preset for preset in (*seeds, *_neighbours({seed.name: seed.ruleset for seed in seeds}))}


def _seeds() -> tuple[Preset, ...]:
    basic = patched(
        BASE,
        players__max=5,
        first_starter__method=c.StarterMethod.CHOSEN,
        next_starter__if_eliminated=c.IfEliminated.OPPONENT,
    )
    official = patched(
        BASE,
        first_starter__dice=2,
        bidding__raise_=c.Raise.EITHER_INCREASES,
        bidding__no_repeat=True,
        wilds__special_is_wild=True,
        wilds__suspended_by=(c.SuspendedBy.OPENING_BID_ON_SPECIAL,),
        challenge__who=c.WhoCalls.ANYONE_BUT_BIDDER,
        loss__out_of_turn_factor=2,
        labels=Labels(game="Official Liar's Dice"),
    )
    return (
        Preset(
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
        ),
        Preset(
            name="classic",
            aliases=("s001", "001"),
            source="rule sheet 001: a boxed set's web page with four variations (aces, palifico, calza, reversa)",
            options=tuple(CLASSIC_OPTIONS),
            ruleset=patched(basic, labels=Labels(game="Classic Liar's Dice")),
        ),
        Preset(
            name="basic",
            aliases=("s002", "002"),
            source="rule sheet 002: the how-to-play part of 001 alone",
            ruleset=patched(basic, labels=Labels(game="Basic Liar's Dice")),
        ),
        Preset(
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
                labels=Labels(game="Mustache house rules", special_round="Mustache Round!"),
            ),
        ),
        Preset(
            name="official",
            aliases=("s004", "004"),
            source="rule sheet 004: a web page called Official Liar's Dice Rules, read to the letter",
            ruleset=official,
        ),
        Preset(
            name="official-strict",
            source="rule sheet 004 with its first example taken for a misprint: quantity first",
            ruleset=patched(
                official,
                bidding__raise_=c.Raise.QUANTITY_FIRST,
                bidding__no_repeat=False,
                labels__game="Official Liar's Dice, strict",
            ),
        ),
    )


def _neighbours(seeds: dict[str, Ruleset]) -> tuple[Preset, ...]:
    # The limit of five players is what the box of 001 holds, no rule of the games derived from it.
    basic = patched(seeds["basic"], players__max=None)
    classic = patched(seeds["classic"], players__max=None)
    return (
        Preset(
            name="perudo",
            aliases=("dudo",),
            source="Perudo as boxed today (S3: gamerules.com/rules/perudo; S2: Wikipedia, Dudo)",
            ruleset=patched(
                classic,
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
        ),
        Preset(
            name="bluff",
            source="Bluff, Spiel des Jahres 1993 (S7: spiel-des-jahres.de, brettspielguru.de)",
            ruleset=patched(
                seeds["chart"],
                loss__on_exact=c.OnExact.ALL_BUT_BIDDER,
                next_starter__rule=c.NextStarter.BIDDER,
                penalties=(),
                labels=Labels(game="Bluff", challenge="Bluff!", special_face="stars"),
            ),
        ),
        Preset(
            name="red-dead",
            source="Liar's Dice in Red Dead Redemption (S10: reddead.wikia.com, obsidianportal.com)",
            ruleset=patched(
                classic,
                exact_call=ExactCall(
                    success_gain=0,
                    others_loss=1,
                    failure_loss=1,
                    next_starter=c.NextStarter.ROTATE,
                ),
                next_starter=Starters(rule=c.NextStarter.ROTATE),
                labels=Labels(game="Red Dead Liar's Dice", exact="Spot on!"),
            ),
        ),
        Preset(
            name="pirates",
            source="Pirate's Dice (S11: the DS game's manual, ourpastimes.com)",
            ruleset=patched(
                BASE,
                **JOKER_DICE,
                bidding__raise_=c.Raise.NO_DECREASE,
                labels=Labels(game="Pirate's Dice", special_face="skulls"),
            ),
        ),
        Preset(
            name="snyd",
            source="Danish Snyd, normal mode (S9: github thomasahle/snyd)",
            ruleset=patched(basic, labels=Labels(game="Snyd")),
        ),
        Preset(
            name="snyd-joker",
            source="Danish Snyd, joker mode: ones wild, not biddable (S9: github thomasahle/snyd)",
            ruleset=patched(basic, **JOKER_DICE, labels=Labels(game="Snyd with jokers", special_face="jokers")),
        ),
        Preset(
            name="snyd-stairs",
            source="Danish Snyd, stairs mode: a hand 1..n counts as n+1 (S9: github thomasahle/snyd)",
            ruleset=patched(
                basic,
                **JOKER_DICE,
                count__hand_bonus=c.HandBonus.STAIRS,
                labels=Labels(game="Snyd with stairs", special_face="jokers"),
            ),
        ),
        Preset(
            name="chui-niu",
            aliases=("chuiniu",),
            source="Chinese chui niu (S14: 123yq.win, slackerblud.com)",
            ruleset=patched(
                basic,
                bidding__special_rank=c.SpecialRank.TOP_FACE,
                bidding__min_open=c.MinOpen.PLAYERS,
                wilds__special_is_wild=True,
                wilds__suspended_by=(c.SuspendedBy.ANY_BID_ON_SPECIAL,),
                labels=Labels(game="Chui Niu", challenge="Open!"),
            ),
        ),
        Preset(
            name="openspiel",
            source="the game liars_dice of OpenSpiel: one round, highest face wild and biddable",
            ruleset=patched(
                basic,
                dice__special_face=6,
                wilds__special_is_wild=True,
                guards__max_rounds=1,
                labels=Labels(game="Liar's Dice, one round"),
            ),
        ),
        Preset(
            name="joker",
            source="wild ones that rank lowest and may be bid, the setting of published self-play bots",
            ruleset=patched(basic, wilds__special_is_wild=True, labels=Labels(game="Joker Liar's Dice")),
        ),
    )


def names() -> tuple[str, ...]:
    """The presets' names, the five rule sheets first."""
    return tuple(_presets())


def preset(name: str) -> Preset:
    """The preset of this name or alias; options follow after plus signs.

    Raises `UnavailableError` for an unknown name or option.

    >>> preset("s003").name
    'mustache'
    >>> preset("classic+aces+calza").ruleset.exact_call
    ExactCall()
    """
    asked, *options = name.strip().lower().split("+")
    known = _presets()
    for candidate in known.values():
        if asked == candidate.name or asked in candidate.aliases:
            return _with_options(candidate, options) if options else candidate
    raise UnavailableError(f"no ruleset is called {asked!r} (there are: {', '.join(known)})")


def _with_options(plain: Preset, options: list[str]) -> Preset:
    changes: Changes = {}
    for option in options:
        if option not in plain.options:
            offered = ", ".join(plain.options) or "none"
            raise UnavailableError(f"{plain.name} has no option {option!r} (it has: {offered})")
        changes |= CLASSIC_OPTIONS[option]
    chosen = tuple(option for option in plain.options if option in options)
    return msgspec.structs.replace(
        plain,
        name="+".join((plain.name, *chosen)),
        aliases=(),
        chosen=chosen,
        ruleset=patched(plain.ruleset, **changes),
    )
