"""The values of settings are read from text, and errors say what they may be."""

import pytest

from liarsdice.core.errors import MalformedError
from liarsdice.server.settings import ProgramAdmission, read_choice, read_number, read_public_url


def test_numbers_are_whole_except_the_pace_and_in_range() -> None:
    assert (read_number("port", "8000", 0, 65_535), read_number("pace", "0.5", 0, 10)) == (8000, 0.5)
    for text in ("0.5", "x", "", "65536", "-1"):
        with pytest.raises(MalformedError, match="--port is a number from 0 to 65535"):
            read_number("port", text, 0, 65_535)


def test_a_choice_is_read_in_any_case() -> None:
    assert read_choice("programs", "OFF", ProgramAdmission) is ProgramAdmission.OFF
    with pytest.raises(MalformedError, match="--programs is one of off, guests, tokens, not 'some'"):
        read_choice("programs", "some", ProgramAdmission)


def test_a_public_url_is_an_origin() -> None:
    assert (read_public_url("HTTPS://Dice.example/"), read_public_url("")) == ("https://dice.example", "")
    with pytest.raises(MalformedError, match="--public-url is an address"):
        read_public_url("dice.example")
