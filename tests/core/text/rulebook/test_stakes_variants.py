"""Sentences about losses name dice, lives, or what players take, in the words that fit."""

import pytest

from liarsdice.core.rules.presets import preset
from liarsdice.core.text.rulebook import rulebook
from liarsdice.core.text.rulebook.stakes_variants import for_lives, for_taken


@pytest.mark.parametrize("path", ["loss.destination", "loss.overflow"])
def test_what_losses_cost_is_part_of_the_variant(path: str) -> None:
    suffixes = {
        name: str(for_lives(path)(preset(f"chui-niu{name}").ruleset)).partition(".")[2]
        for name in ("", "+lives", "+drinks")
    }
    assert suffixes == {"": "", "+lives": "lives", "+drinks": "taken"}


def test_numbers_without_a_sentence_of_their_own_share_one() -> None:
    drinks = preset("chui-niu+drinks").ruleset
    assert for_taken("guards.max_rounds", 1)(drinks) == "#.taken"
    assert for_taken("guards.max_rounds", 1000)(drinks) == "1000.taken"
    assert for_taken("guards.max_rounds", 1)(preset("chui-niu").ruleset) is None


def test_a_rulebook_for_drinks_tells_of_no_losses() -> None:
    text = " ".join(sentence.text for sentence in rulebook(preset("chui-niu+drinks").ruleset).sentences())
    assert "Whoever is wrong takes one drink." in text
    assert "Then whoever has the fewest drinks wins" in text
    assert "lose" not in text
