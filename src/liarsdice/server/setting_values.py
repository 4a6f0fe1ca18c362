"""Reads the values of settings from text; every error names the setting's flag and what it may be."""

from __future__ import annotations

import re
from typing import TypeVar

from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.choices import Choice

PUBLIC_URL = re.compile(r"(https?://(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?)/?")
Chosen = TypeVar("Chosen", bound=Choice)


def read_number(name: str, text: str, lowest: float, highest: float) -> float:
    """Return the number in a text, a whole one unless the setting is `pace`. Raises `MalformedError` out of range."""
    try:
        value = float(text) if name == "pace" else int(text)
    except ValueError:
        value = lowest - 1
    if not lowest <= value <= highest:
        raise MalformedError(f"--{name.replace('_', '-')} is a number from {lowest} to {highest}, not {text!r}")
    return value


def read_choice(name: str, text: str, choices: type[Chosen]) -> Chosen:
    """Return the choice that a text names, in whatever case. Raises `MalformedError` for another text."""
    try:
        return choices(text.lower())
    except ValueError:
        names = ", ".join(str(choice) for choice in choices)
        raise MalformedError(f"--{name.replace('_', '-')} is one of {names}, not {text!r}") from None


def read_public_url(text: str) -> str:
    """Return the origin of a URL, in lower case and without a slash at its end; "" for none.

    Raises `MalformedError` for another text.
    """
    if not text:
        return ""
    match = PUBLIC_URL.fullmatch(text.lower())
    if match is None:
        raise MalformedError(f"--public-url is an address such as https://dice.example, not {text!r}")
    return match[1]
