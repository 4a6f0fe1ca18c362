"""Characters as people count them, and how wide texts are in a terminal."""

import unicodedata

JOINER = "\u200d"
FLAG_LETTERS = range(0x1F1E6, 0x1F200)
SKIN_TONES = range(0x1F3FB, 0x1F400)


def characters(text: str) -> list[str]:
    """Return the characters of a text: a letter with its marks is one, and so are a joined emoji and a flag.

    >>> len("🇪🇸🇲🇽"), characters("🇪🇸🇲🇽")
    (4, ['🇪🇸', '🇲🇽'])
    """
    parts: list[str] = []
    for point in text:
        if parts and _continues(parts[-1], point):
            parts[-1] += point
        else:
            parts.append(point)
    return parts


def _continues(before: str, point: str) -> bool:
    if ord(point) in FLAG_LETTERS:
        return len(before) == 1 and ord(before) in FLAG_LETTERS
    is_mark = unicodedata.category(point) in {"Mn", "Me", "Mc"}
    return is_mark or point == JOINER or before.endswith(JOINER) or ord(point) in SKIN_TONES


def text_width(text: str) -> int:
    """Return how many columns of a terminal a text takes: East Asian letters and emoji take two each.

    >>> text_width("Ann"), text_width("\u5f20\u4f1f")
    (3, 4)
    """
    return sum(2 if unicodedata.east_asian_width(part[0]) in {"W", "F"} else 1 for part in characters(text))


def fit_text(text: str, width: int) -> str:
    """Return a text that takes `width` columns: with spaces after it, or cut before a character, with an ellipsis.

    >>> fit_text("Ann", 5), fit_text("Annabelle", 5)
    ('Ann  ', 'Anna…')
    """
    if text_width(text) > width:
        parts = characters(text)
        while parts and text_width("".join(parts)) >= width:
            parts.pop()
        text = "".join(parts).rstrip() + "…"
    return text + " " * (width - text_width(text))
