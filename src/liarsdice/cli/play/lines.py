"""Lines of text that the line mode prints and reads, and the words for calls."""

from __future__ import annotations

import shutil
import sys
from textwrap import wrap

from liarsdice.core.rules.call_words import SHEET_CHALLENGES, SHORT_CALLS
from liarsdice.core.rules.choices import RoundKind
from liarsdice.core.rules.meaning import kind_is_chosen
from liarsdice.core.rules.parts import RuleChoices


class QuitRequested(Exception):  # noqa: N818  not an error
    """Raised when the player quits or the input ends."""


def print_lines(text: str) -> None:
    """Print lines. On a terminal, lines that are too wide are wrapped between words."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for line in text.split("\n"):
        print(line if width is None else wrap_line(line, width))


def wrap_line(line: str, width: int) -> str:
    """Return a line wrapped between words, the further lines with the same indent."""
    indent = line[: len(line) - len(line.lstrip())]
    parts = wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(parts) if len(line) > width else line


def read_line(prompt: str) -> str:
    """Return a stripped line of input, and echo it if stdin is no terminal.

    Raises `QuitRequested` at the end of the input.
    """
    if sys.stdin.isatty():
        try:
            return input(prompt).strip()
        except EOFError:
            print()
            raise QuitRequested from None
    print(prompt, end="", flush=True)
    line = sys.stdin.readline()
    print(line.rstrip("\n"), flush=True)
    if not line:
        raise QuitRequested
    return line.strip()


def call_words(rules: RuleChoices) -> dict[str, str]:
    """Return the words that stand for calls, in lower case without exclamation marks, and the call in the notation."""
    labels = rules.labels
    own_words = {normalized_word(labels.challenge): "liar", normalized_word(labels.exact): "exact"}
    challenges = dict.fromkeys((*SHEET_CHALLENGES, *map(normalized_word, labels.other_challenges)), "liar")
    words = challenges | own_words | SHORT_CALLS
    kinds = {kind.value for kind in RoundKind} if kind_is_chosen(rules) else set()
    return {word: call for word, call in words.items() if word not in kinds}


def normalized_word(word: str) -> str:
    """Return a word in lower case, without exclamation marks and with plain apostrophes."""
    return word.strip().strip("!.¡").lower().replace("’", "'")
