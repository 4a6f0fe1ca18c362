"""The menu of rulesets of the full screen."""

from __future__ import annotations

from liarsdice.cli.play.session import MENU
from liarsdice.core.rules.presets import preset_names


def test_the_menu_describes_every_preset() -> None:
    assert [offer.rules for offer in MENU if "+" not in offer.rules] == list(preset_names())
    assert all(len(offer.line) <= 67 for offer in MENU)  # a line of the menu, 80 columns wide
