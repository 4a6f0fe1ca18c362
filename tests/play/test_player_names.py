"""Names are visible text in one normal form, and names that look the same are recognised in every script."""

import pytest

from liarsdice.core.engine.engine import match_started
from liarsdice.core.rules.presets import preset
from liarsdice.play import player_names
from liarsdice.play.player_names import InvalidNameError, ReservedNameError, look_alike, normalize_name, player_name

INVISIBLE = {
    "nothing": "",
    "spaces": " \u00a0\u3000",
    "zero-width space": "A\u200bnn",
    "zero-width joiner": "A\u200dnn",
    "soft hyphen": "A\u00adnn",
    "right-to-left override": "A\u202ennA",
    "bidirectional isolate": "\u2066Ann\u2069",
    "right-to-left mark": "Ann\u200f",
    "tag characters": "Ann\U000e0041",
    "combining grapheme joiner": "A\u034fnn",
    "Hangul filler": "\u3164",
    "half-width Hangul filler": "\uffa0",
    "Mongolian vowel separator": "A\u180enn",
    "variation selector": "A\ufe01nn",
    "supplementary variation selector": "A\U000e0101nn",
    "byte order mark": "\ufeffAnn",
    "empty Braille pattern": "\u2800",
    "only an emoji selector": "\ufe0f",
    "line break": "Ann\nBo",
    "terminal escape": "\x1b[2J",
    "private use": "\ue000",
    "unassigned": "\u0378",
    "Tifinagh consonant joiner": "Ann\u2d7f",
    "Brahmi number joiner": "Ann\U0001107f",
    "Khitan filler": "Ann\U00016fe4",
    "object replacement character": "Ann\ufffc",
    "lone surrogate": "\ud800",
}


@pytest.mark.parametrize("name", INVISIBLE.values(), ids=INVISIBLE)
def test_names_with_characters_that_nobody_sees_are_refused(name: str) -> None:
    with pytest.raises(InvalidNameError, match="type it again"):
        normalize_name(name)


@pytest.mark.parametrize(
    "name", ["a\u0323\u0332\u0347\u0348", "q\u0301\u0302\u0303\u0304", "\u0301Ann", "Ann \u20dd\u20de\u20df"]
)
def test_names_with_stacked_or_leading_marks_are_refused(name: str) -> None:
    with pytest.raises(InvalidNameError, match="at most 2 combining marks"):
        normalize_name(name)


@pytest.mark.parametrize(
    "name", ["x" * 60_000, "\ufdfa" * 20_000, "\ufdfa" * 160, "a " * 30_000], ids=["x", "ligature", "160", "words"]
)
def test_a_text_that_is_much_too_long_is_refused_before_the_profile_works_on_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The profile took 4 seconds for one of them."""
    monkeypatch.setattr(player_names, "_NICKNAME", None)
    with pytest.raises(InvalidNameError, match="1 to 40"):
        normalize_name(name)


@pytest.mark.parametrize(
    "emoji",
    [
        "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",  # a family
        "\U0001f469\U0001f3fd\u200d\u2708\ufe0f",  # a pilot
        "\u2764\ufe0f\u200d\U0001f525",
        "\U0001f3f4\u200d\u2620\ufe0f",
        "\U0001f1ea\U0001f1f8",
        "\U0001f9e9",
    ],
)
def test_a_joined_emoji_is_one_character_of_a_name(emoji: str) -> None:
    stored = emoji.replace("\ufe0f", "")
    assert normalize_name(emoji) == stored
    assert normalize_name(f" Ann {emoji}  ") == f"Ann {stored}"
    names = (normalize_name(emoji * 20), "Bo")
    assert match_started(preset("basic").ruleset, names).names == names
    with pytest.raises(InvalidNameError, match="1 to 40"):
        normalize_name(emoji * 41)


def test_joiners_tell_no_names_apart_and_are_refused_elsewhere() -> None:
    first, second = "\U0001f525", "\U0001f98a"
    assert look_alike(normalize_name(f"{first}\u200d{second}"), normalize_name(first + second))
    for name in (f"{first}\u200d", f"\u200d{first}", f"{first}\u200dA", "\u200d".join([first] * 7)):
        with pytest.raises(InvalidNameError, match="all of them visible"):
            normalize_name(name)


def test_a_name_may_be_typed_with_separate_marks_and_many_spaces() -> None:
    assert normalize_name("e\u0302\u0301" * 40) == "\u1ebf" * 40
    assert normalize_name(f"Ann{' ' * 100}Lee") == "Ann Lee"


def test_the_length_counts_after_normalization() -> None:
    assert len(normalize_name("x" * 40)) == 40
    for name in ("x" * 41, "\ufdfa" * 3):  # a ligature of 18 characters
        with pytest.raises(InvalidNameError, match="1 to 40"):
            normalize_name(name)


@pytest.mark.parametrize(
    "name",
    ["Ann", "O’Brien", "Zoë", "José Ángel", "Nguyễn", "Łukasz", "Анна", "Ελένη", "محمد", "नमस्ते", "ไม้ไผ่", "תָּמָר"],
)
def test_names_of_every_script_are_accepted(name: str) -> None:
    assert normalize_name(name)


@pytest.mark.parametrize(
    "typed, name",
    [
        ("  Ann\u00a0\u00a0Lee ", "Ann Lee"),
        ("\uff21\uff4e\uff4e", "Ann"),
        ("Zoe\u0308", "Zoë"),
        ("\U0001d400nn", "Ann"),
        ("☠\ufe0f", "☠"),
        ("\U0001f44d\U0001f3fd", "\U0001f44d\U0001f3fd"),
    ],
)
def test_compatibility_characters_and_spaces_are_normalized(typed: str, name: str) -> None:
    assert normalize_name(typed) == name
    assert normalize_name(name) == name


SAME = {
    "case": ("Ann", "aNN"),
    "Cyrillic letters": ("Ann", "\u0410nn"),
    "Greek capitals": ("Ann", "\u0391\u039d\u039d"),
    "Cyrillic and Latin letters in a Cyrillic name": ("Марина", "Mapинa"),
    "case of Cyrillic letters": ("Анна", "АННА"),
    "digits": ("Bob", "B0b"),
    "capital i and small l": ("Ian", "lan"),
    "a vertical line": ("lan", "|an"),
    "two letters for one": ("Tim", "Tirn"),
    "presentation forms of Arabic": ("اب", "\ufe8d\ufe8f"),
    "a dot over a letter that has one": ("Bill", "Bi\u0307ll"),
    "a dot over a letter without one": ("Bill", "B\u0131\u0307ll"),
    "a dot over a Cyrillic letter that has one": ("Bill", "B\u0456\u0307ll"),
    "a number before and after Hebrew": ("\u05d3\u05df 2", "2 \u05d3\u05df"),
    "Latin before and after Hebrew": ("Dan\u05d3\u05df", "\u05d3\u05dfDan"),
    "a number before and after Arabic": ("\u0645\u06cc1", "1\u0645\u06cc"),
    "two letters that look like one": ("Willy", "VVilly"),
    "another two letters": ("Dan", "clan"),
    "a space": ("Ann Lee", "AnnLee"),
    "punctuation": ("Ann Lee", "Ann-Lee."),
    "plain signs": ("Ann", "Ann ~="),
    "small capitals": ("Ann", "\u1d00\u0274\u0274"),
    "white letters on black": ("Ann", "\U0001f170\U0001f17d\U0001f17d"),
    "mathematical letters": ("Ann", "\U0001d400\U0001d427\U0001d427"),
}


@pytest.mark.parametrize("first, second", SAME.values(), ids=SAME)
def test_names_that_look_the_same_are_recognised(first: str, second: str) -> None:
    assert look_alike(normalize_name(first), normalize_name(second))
    assert look_alike(normalize_name(second), normalize_name(first))


@pytest.mark.parametrize(
    "first, second",
    [
        ("Ann", "Anna"),
        ("Ana", "Aná"),
        ("Bo", "Bob"),
        ("Анна", "Инна"),
        ("Ann", "Ann 2"),
        ("!!", "??"),
        ("~", "="),
        ("Ann 🎲", "Ann 🎩"),
        ("Ait", "A\u00eft"),
        ("\u05d3\u05df 2", "\u05d3\u05df 3"),
        ("\u05d3\u05df \u05d2\u05dc", "\u05d2\u05dc \u05d3\u05df"),
    ],
)
def test_other_names_are_told_apart(first: str, second: str) -> None:
    assert not look_alike(normalize_name(first), normalize_name(second))


@pytest.mark.parametrize(
    "name",
    [
        *("Ann (host)", "HOST", "H0st", "h.o.s.t", "\u041dost", "Server", "The Server", "Ann [bot]", "Robot", "ad-min"),
        *("✓ Verified", "Verified Ann", "Ann ✓", "Ann ✅", "🤖 Wren", "Wren🤖", "👑 Ann", "Official", "system"),
        *("🗹 Ann", "√ Ann"),
        *("Anfitriona", "anfitrion", "Ann (anfitrión)", "El servidor", "Verificado", "Oficial", "Moderadora"),
        *("\u029c\u1d0fs\u1d1b", "\U0001f185erified"),
    ],
)
def test_names_that_claim_a_role_are_reserved(name: str) -> None:
    with pytest.raises(ReservedNameError, match="choose another name"):
        player_name(name)


@pytest.mark.parametrize(
    "name", ["Ann", "Hostetler", "Botty", "Talbot", "Serverino", "Abbot", "Sistine", "Ann 🎲", "José"]
)
def test_names_that_hold_a_role_within_a_word_are_accepted(name: str) -> None:
    assert player_name(name) == name


def test_a_program_may_call_itself_a_bot_and_nothing_more() -> None:
    assert player_name("My bot", program=True) == "My bot"
    for name in ("Bot host", "🤖 bot", "Server bot"):
        with pytest.raises(ReservedNameError):
            player_name(name, program=True)
