"""The values of settings are read from text, and errors say what they may be."""

from pathlib import Path
from typing import get_type_hints

import pytest
from typer.main import get_command

from liarsdice.cli.app import app
from liarsdice.core.errors import LiarsDiceError, MalformedError, UnavailableError
from liarsdice.server.settings import (
    SETTINGS,
    PostgresUrl,
    ProgramAdmission,
    Settings,
    parse_database_url,
    read_public_url,
    read_settings,
)


def read(name: str, text: str) -> object:
    return next(setting for setting in SETTINGS if setting.name == name).read(text)


def test_numbers_are_whole_except_the_pace_and_in_range() -> None:
    assert (read("port", "8000"), read("pace", "0.5")) == (8000, 0.5)
    for text in ("0.5", "x", "", "65536", "-1"):
        with pytest.raises(MalformedError, match="--port is a number from 0 to 65535"):
            read("port", text)


def test_a_choice_is_read_in_any_case() -> None:
    assert read("programs", "OFF") is ProgramAdmission.OFF
    with pytest.raises(MalformedError, match="--programs is one of off, guests, tokens, not 'some'"):
        read("programs", "some")


def test_a_public_url_is_an_origin() -> None:
    assert (read_public_url("HTTPS://Dice.example/"), read_public_url("")) == ("https://dice.example", "")
    with pytest.raises(MalformedError, match="--public-url is an address"):
        read_public_url("dice.example")


def test_every_setting_is_an_option_and_a_field_of_its_type() -> None:
    options = {parameter.opts[0] for parameter in get_command(app).commands["serve"].params}  # type: ignore[attr-defined]
    assert {setting.flag for setting in SETTINGS} <= options
    kinds = get_type_hints(Settings)
    assert kinds.keys() == {"key_base", *(setting.name for setting in SETTINGS)}
    settings = read_settings({}, {"XDG_STATE_HOME": "/state"})
    for name, kind in kinds.items():
        assert isinstance(getattr(settings, name), (int, float) if kind is float else kind), name


HIDDEN = "s3cr3t"


@pytest.mark.parametrize(
    "url, shown",
    [
        ("postgresql://ann:s3cr3t@db.example:5432/dice", "postgresql://db.example:5432/dice"),
        ("postgres://ann:s3cr3t@db.example/dice", "postgresql://db.example/dice"),
        ("postgresql://ann:s3cr3t%40%2F@[::1]:5432/dice", "postgresql://[::1]:5432/dice"),
        ("postgresql://ann@a.example:1,b.example:2/dice?password=s3cr3t", "postgresql://a.example:1,b.example:2/dice"),
        ("postgresql:///dice?host=/run/postgresql&password=s3cr3t", "postgresql:///dice"),
        ("postgresql://", "postgresql://"),
    ],
)
def test_a_postgresql_url_is_kept_and_shown_without_its_password(url: str, shown: str) -> None:
    database = parse_database_url(url)
    assert isinstance(database, PostgresUrl)
    assert database.url == url
    assert (str(database), repr(database), f"{database}") == (shown, shown, shown)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:s3cr3t@x@db.example/dice",
        "postgresql://ann:s3cr3t/x@db.example/dice",
        "postgresql://ann:x?s3cr3t@db.example/dice",
        "postgresql://ann:x#s3cr3t@db.example/dice",
        "postgresql://ann:s3cr3t/dice",
        "postgresql://db.example/dice?password=s3cr3t@x",
        "postgresql+asyncpg://ann:s3cr3t@db.example/dice",
        "mysql://ann:s3cr3t@db.example/dice",
        "ann:s3cr3t@db.example/dice",
        "sqlite://",
        "sqlite://ann:s3cr3t@db.example:x/dice",
        "",
    ],
)
def test_another_text_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(LiarsDiceError, match=r"sqlite:///|postgresql://") as refused:
        parse_database_url(url)
    assert isinstance(refused.value, MalformedError | UnavailableError)
    assert HIDDEN not in str(refused.value)


def test_a_sqlite_url_is_a_path() -> None:
    assert parse_database_url("sqlite:////var/lib/liars.db") == Path("/var/lib/liars.db")
