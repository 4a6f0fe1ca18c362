"""`liarsdice bots`: who can be played against."""

from __future__ import annotations

import textwrap

from liarsdice.bots.external.user_bots import OWN
from liarsdice.bots.registry import descriptions

COLUMNS = 80


def run() -> int:
    """Print what each bot does; the exit status."""
    width = max(map(len, descriptions())) + 2
    for name, description in descriptions().items():
        print(textwrap.fill(description, COLUMNS, initial_indent=f"{name:{width}}", subsequent_indent=" " * width))
    for form, description in OWN.items():
        print(form)
        print(textwrap.fill(description, COLUMNS, initial_indent=" " * width, subsequent_indent=" " * width))
    return 0
