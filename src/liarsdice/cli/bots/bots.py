"""`liarsdice bots`: describes the bots. It is a module of its own, as each command is."""

from __future__ import annotations

import textwrap

from liarsdice.bots.external.user_bots import USER_BOT_FORMS
from liarsdice.bots.registry import bot_descriptions
from liarsdice.core.sources import BOT_GROUP, plugins

COLUMNS = 80


def run() -> int:
    """Print what each bot does. Returns 0."""
    width = max(map(len, bot_descriptions())) + 2
    for name, description in bot_descriptions().items():
        print(textwrap.fill(description, COLUMNS, initial_indent=f"{name:{width}}", subsequent_indent=" " * width))
    for form, description in USER_BOT_FORMS.items():
        print(form)
        print(textwrap.fill(description, COLUMNS, initial_indent=" " * width, subsequent_indent=" " * width))
    for name, package in plugins(BOT_GROUP).items():
        print(f"{name}  of {package}")
    return 0
