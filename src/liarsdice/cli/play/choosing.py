"""The tables that a newcomer may sit down at: rulesets by name, with one line about each."""

from __future__ import annotations

import msgspec

from liarsdice.core.presets import names

BEGINNERS = "classic+aces+palifico+calza"
"""What is played where nobody can be asked: the rules of the classic boxed set with its usual variations."""

LINES = {
    "chart": "ones wild, bids climb a printed chart, you lose by how far you missed",
    "classic": "no wild dice, one die a mistake: the easiest to learn",
    BEGINNERS: "classic with wild aces, Palifico rounds and the exact call",
    "basic": "the short how-to-play: as classic, nothing to add",
    "mustache": "house rules: nothing may go down, and a Mustache Round for your last die",
    "official": "anybody may call out of turn, for double stakes",
    "official-strict": "as official, but bids rise by quantity first",
    "perudo": "the boxed game: wild pacos, Dudo!, Calza! and Palifico!",
    "bluff": "the game of the year 1993: stars, and losses by the difference",
    "red-dead": "as in the saloon: Spot on! costs everybody else a die",
    "pirates": "skulls are wild and may not be bid; nothing may go down",
    "snyd": "Danish Snyd without jokers",
    "snyd-joker": "Danish Snyd: ones are wild and may not be bid",
    "snyd-stairs": "Danish Snyd: a hand 1, 2, 3 … counts one more than its dice",
    "chui-niu": "Chinese: ones on top, wild until somebody bids them",
    "openspiel": "one round only; sixes are wild",
    "joker": "wild ones that rank lowest and may be bid",
}


class TableOffer(msgspec.Struct, frozen=True):
    """A ruleset by name and what is said about it."""

    rules: str
    about: str

    @property
    def line(self) -> str:
        """Both on one line."""
        return f"{self.rules:28} {self.about}" if len(self.rules) < 28 else f"{self.rules} {self.about}"


def _offers() -> tuple[TableOffer, ...]:
    ordered: list[str] = []
    for name in names():
        ordered += [name, BEGINNERS] if name == "classic" else [name]
    return tuple(TableOffer(name, LINES[name]) for name in ordered)


TABLES = _offers()
