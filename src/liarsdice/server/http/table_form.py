"""Reads the form with which a client opens a table."""

from __future__ import annotations

from liarsdice.bots.registry import make_bot
from liarsdice.core.engine.engine import JOINED_EMOJI, MAX_NAME_LENGTH, match_started
from liarsdice.core.errors import MalformedError
from liarsdice.core.text.characters import characters
from liarsdice.server.http.schemas import TableForm
from liarsdice.server.rules.rules_api import ruleset_of
from liarsdice.server.table.table_config import LISTED_CLOCK, MAX_PLAYERS, Clock, TableConfig

DEFAULT_SEATS = 6


def default_title(name: str) -> str:
    """Return the title of the table that a player opens without one, as long as it may be.

    >>> default_title("Ann")
    'Ann’s table'
    """
    parts = characters(f"{name}’s table"[: 8 * MAX_NAME_LENGTH])
    while len(JOINED_EMOJI.sub("-", "".join(parts))) > MAX_NAME_LENGTH:
        parts.pop()
    return "".join(parts).rstrip()


def read_table_form(form: TableForm) -> TableConfig:
    """Return the configuration of the table that a form asks for. It takes up to a quarter of a second.

    Raises `MalformedError`, `UnavailableError` or `RulesetError` if there can be no such table or no such bot, or if
    the match cannot begin as the form asks.
    """
    if len(form.bots) >= MAX_PLAYERS:
        raise MalformedError(f"{len(form.bots)} bots and you do not fit on {MAX_PLAYERS} seats")
    ruleset = ruleset_of(form.rules, form.changes)
    for bot in form.bots:
        make_bot(bot)
    if form.begin:
        match_started(ruleset, [str(place) for place in range(len(form.bots) + 1)])  # raises if it cannot begin
    return TableConfig(
        title=form.title or default_title(form.name),
        ruleset=ruleset,
        rules_name=form.rules if not form.changes else "",
        rules_base=form.rules if form.changes else "",
        seats=min(DEFAULT_SEATS, ruleset.players.max or DEFAULT_SEATS) if form.seats is None else form.seats,
        clock=form.clock or (LISTED_CLOCK if form.listed else Clock()),
        hints=form.hints,
        training=form.training,
        open_cups=form.open_cups,
        spectators=form.spectators,
        listed=form.listed,
        approval=form.approval,
        away=form.away,
        pace=form.pace,
    )
