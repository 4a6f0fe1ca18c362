"""Writes the words of the page that follow from the package, in each language: numbers, faces, lists and labels."""

import json
from pathlib import Path

from liarsdice.core.rules.rule_costs import MAX_FACES
from liarsdice.core.rules.validate import NUMBERS
from liarsdice.core.text.narration import Text, load_texts
from liarsdice.core.text.rulebook import LANGUAGES, Language
from liarsdice.core.text.rulebook.spanish import FEMININE, MASCULINE, PREPOSITIONS

WORDS = Path(__file__).parent.parent / "web" / "src" / "words"
NOUNS = {"es": {"word.feminine": FEMININE, "word.masculine": MASCULINE, "word.prepositions": PREPOSITIONS}}
"""The lists of words that the grammar of the page needs (`web/src/lib/formatting.ts`), by language."""


def page_words() -> dict[str, str]:
    """Return the text of every generated words file, by its path under `web/src/words/`."""
    return {
        f"{code}/terms.json": json.dumps(_terms(language), ensure_ascii=False, indent=2) + "\n"
        for code, language in LANGUAGES.items()
    }


def _terms(language: Language) -> dict[str, Text]:
    """Return the words for numbers, faces, lists and labels, and those of the sentences."""
    faces = range(1, MAX_FACES + 1)
    labels = sorted({label for known in LANGUAGES.values() for label in known.labels})
    no_nouns = dict.fromkeys(NOUNS["es"], frozenset[str]())
    return {
        "word.numbers": "|".join(map(language.number, range(len(NUMBERS)))),
        "word.one": "|".join(language.one),
        "word.face": "|".join(language.face_noun(face, 1) for face in faces),
        "word.faces": "|".join(language.face_noun(face, 2) for face in faces),
        "word.lives": "|".join(language.life_forms),
        "word.pure_bid": language.sentences["chart.pure_bid"],
        "word.sum_bid": language.sentences["chart.sum_bid"].replace("{sum}", "{n}"),
        "word.and": language.join_and(["a", "b"]).split()[1],
        **{key: text for key, text in load_texts(language.code).items() if key.startswith("word.")},
        **{key: "|".join(sorted(nouns)) for key, nouns in NOUNS.get(language.code, no_nouns).items()},
        **{f"word.label.{label}": language.translate_label(label) for label in labels},
    }


def main() -> None:
    """Write all generated words files."""
    for name, text in page_words().items():
        (WORDS / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
