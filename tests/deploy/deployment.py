"""The files in `deploy/`, and what tests read from them."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import typer

from liarsdice.cli.app import app
from liarsdice.server.settings import PREFIX, SETTINGS, Settings, read_settings

DEPLOY = Path(__file__).parent.parent.parent / "deploy"


def settings_of(variables: Mapping[str, str]) -> Settings:
    """The settings of a server with these environment variables, each of which must be that of a setting."""
    known = {setting.variable for setting in SETTINGS}
    assert {name for name in variables if name.startswith(PREFIX)} <= known
    return read_settings({}, variables)


def read_variables(assignments: Iterable[str]) -> dict[str, str]:
    """Environment variables from texts such as NAME=value."""
    return {name: value for name, _, value in (text.partition("=") for text in assignments)}


def is_command(*words: str) -> bool:
    """Whether `liarsdice` has a command of this name, such as `admin backup`."""
    command: object = typer.main.get_command(app)
    for word in words:
        command = getattr(command, "commands", {}).get(word)
    return command is not None


def duration_s(text: str) -> float:
    """A duration such as 30s or 2m, as Compose and nginx write it, in seconds."""
    match = re.fullmatch(r"(\d+)([smh])", text)
    assert match is not None, text
    return int(match[1]) * {"s": 1, "m": 60, "h": 3600}[match[2]]
