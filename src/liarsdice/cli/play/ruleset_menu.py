"""The tables that a newcomer may sit down at: rulesets by name, with one line about each."""

from __future__ import annotations

import msgspec

from liarsdice.core.rules.presets import names

BEGINNERS = "classic+aces+palifico+calza"
"""What is played where nobody can be asked: the rules of the classic boxed set with its usual variations."""

LINES = {
    "chart": "wild ones; you lose by how far you missed",
    "classic": "no wild dice, one die a mistake: the easiest",
    BEGINNERS: "classic with wild aces, Palifico! and Calza!",
    "basic": "the short how-to-play of classic",
    "mustache": "nothing may go down; Mustache Round! at one die",
    "official": "anybody may call out of turn, for double stakes",
    "official-strict": "as official, but bids rise by quantity first",
    "perudo": "as boxed: wild pacos, Dudo!, Calza!, Palifico!",
    "bluff": "stars are wild, losses are the difference",
    "red-dead": "as in the saloon: Spot on! costs all others a die",
    "pirates": "skulls are wild and never bid; nothing may go down",
    "snyd": "Danish, without jokers",
    "snyd-joker": "Danish: ones are wild and never bid",
    "snyd-stairs": "Danish: a hand 1, 2, 3 counts as one die more",
    "chui-niu": "Chinese: ones rank highest and are wild until bid",
    "openspiel": "one round only; sixes are wild",
    "joker": "wild ones that rank lowest and may be bid",
}
NAME_WIDTH = 16


class TableOffer(msgspec.Struct, frozen=True):
    """A ruleset by name and what is said about it."""

    rules: str
    about: str

    @property
    def line(self) -> str:
        """Both on one line; options are only hinted at."""
        name, plus, _ = self.rules.partition("+")
        return f"{name + plus:{NAME_WIDTH}} {self.about}"


def _offers() -> tuple[TableOffer, ...]:
    ordered: list[str] = []
    for name in names():
        ordered += [name, BEGINNERS] if name == "classic" else [name]
    return tuple(TableOffer(name, LINES[name]) for name in ordered)


TABLES = _offers()
