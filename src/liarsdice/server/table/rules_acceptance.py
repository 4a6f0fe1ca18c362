"""Agreement to changed terms: whoever sat down under other ones accepts them before the next match.

The terms of a table are its rules, its clock, and what its players see: hints, estimates and open cups.
"""

from __future__ import annotations

from msgspec.structs import replace

from liarsdice.core.errors import IllegalActionError
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.table_config import TableConfig
from liarsdice.server.table.table_state import Player, TableState


def is_asked(table: TableState, player: Player) -> bool:
    """Return whether a player is asked to accept changed rules. A bot, and the host who changed them, is not."""
    return player.asked_about_rules and player.bot is None and not player.gone and player.id != table.host


def accept_rules(table: TableState, player: Player) -> list[e.LogEntry]:
    """Return the entry with which a player accepts the changed rules, none if there is nothing to accept."""
    return [e.RulesAccepted(player.id)] if is_asked(table, player) else []


def check_rules_accepted(table: TableState) -> None:
    """Raise `IllegalActionError` while somebody at the table has not accepted changed rules."""
    names = [player.name for player in table.players if is_asked(table, player)]
    if names:
        raise IllegalActionError(f"the rules have changed, and {names[0]} has not accepted them yet")


def with_config(table: TableState, config: TableConfig) -> TableState:
    """Return the table with another configuration; if the terms differ, everybody is asked to accept them.

    `agreed_config` stays the one that everybody knew before the first change that somebody has not accepted.
    """
    agreed = table.agreed_config or table.config
    if _terms(config) == _terms(table.config):
        return replace(table, config=config)
    changed = _terms(config) != _terms(agreed)
    players = tuple(replace(player, asked_about_rules=changed and player.bot is None) for player in table.players)
    return replace(table, config=config, players=players, agreed_config=agreed if changed else None)


def _terms(config: TableConfig) -> tuple[object, ...]:
    return config.ruleset, config.clock, config.hints, config.training, config.open_cups


def without_question(table: TableState, player_id: int) -> TableState:
    """Return the table after a player accepted the rules."""
    players = tuple(
        replace(player, asked_about_rules=False) if player.id == player_id else player for player in table.players
    )
    is_open = any(player.asked_about_rules and player.id != table.host for player in players)
    return replace(table, players=players, agreed_config=table.agreed_config if is_open else None)
