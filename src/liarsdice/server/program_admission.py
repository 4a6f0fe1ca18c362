"""Which programs a server admits, and what a token that its operator gives to one allows.

The setting `programs` chooses a `ProgramAdmission`. The operator chooses the scopes of each token with `liarsdice admin
token add`. The command line reads both types before anything that takes long to import.
"""

from __future__ import annotations

from liarsdice.core.rules.choices import Choice


class ProgramAdmission(Choice):
    """Which programs a server admits: none, all of them as guests, or those with a token of its operator.

    A guest makes its own token, as a browser gets one, and may do what people may.
    """

    OFF = "off"
    GUESTS = "guests"
    TOKENS = "tokens"


class TokenScope(Choice):
    """What a token of the operator allows a program: to look at tables, to play at them, or to open tables."""

    READ = "read"
    PLAY = "play"
    OPEN = "open"
