"""The menu of rulesets that the full screen offers: each preset with a short description."""

from __future__ import annotations

import msgspec

from liarsdice.core.rules.presets import preset_names

DEFAULT_RULES = "classic+aces+palifico+calza"
"""The rules of line mode without --rules: those of the classic boxed set with its usual options."""

DESCRIPTIONS = {
    "chart": "wild ones; you lose as many dice as you are off",
    "classic": "no wild dice, one die lost a round: the easiest",
    DEFAULT_RULES: "classic with wild aces, Palifico! and Calza!",
    "basic": "classic without its variations",
    "mustache": "no part of a bid may go down; Mustache Rounds",
    "official": "anyone may call out of turn, for double stakes",
    "official-strict": "official, but the number of dice never goes down",
    "perudo": "the boxed game: wild pacos, Calza!, Palifico!",
    "cacho": "Chilean: blind last dice, early doubts cost two",
    "bluff": "wild stars; you lose as many dice as you are off",
    "red-dead": "a right “Spot on!” costs all others a die",
    "pirates": "wild skulls that are never bid; nothing goes down",
    "snyd": "Danish, without wild dice",
    "snyd-joker": "Danish: wild ones that are never bid",
    "snyd-stairs": "Danish: a hand 1, 2, 3 counts as one more die",
    "chui-niu": "Chinese: ones rank highest, wild until bid",
    "bar": "Chinese bars: drinks, zhai, fei and pi",
    "bar-strict": "the same, and dice count as they lie",
    "openspiel": "one round only; sixes are wild",
    "joker": "wild ones that rank lowest and may be bid",
}
NAME_WIDTH = 16


class MenuEntry(msgspec.Struct, frozen=True):
    """The name of a ruleset and its description."""

    rules: str
    description: str

    @property
    def line(self) -> str:
        """The entry as one line of the menu. A plus after the name stands for all its options."""
        name, plus, _ = self.rules.partition("+")
        return f"{name + plus:{NAME_WIDTH}} {self.description}"


def _menu_entries() -> tuple[MenuEntry, ...]:
    ordered: list[str] = []
    for name in preset_names():
        ordered += [name, DEFAULT_RULES] if name == "classic" else [name]
    return tuple(MenuEntry(name, DESCRIPTIONS[name]) for name in ordered)


MENU = _menu_entries()
