"""Who may sit down at a table: bans and locks, and by what a banned or muted person is recognised who comes back."""

from __future__ import annotations

from liarsdice.server.errors import AddressLimitError, BannedError, TableLockedError
from liarsdice.server.table.table_choices import BanScope
from liarsdice.server.table.table_state import Ban, FormerPlayer, Identity, Player, TableState

MAX_BANS = 100
MAX_FORMER = 100


def check_admission(table: TableState, token_hash: str, address_hash: str, seats_per_address: int) -> None:
    """Raise an error if a person may not sit down. Whoever opened the table always may.

    `seats_per_address`: how many seats at a listed table the people at one address may have, 0 for any number. Raises
    `BannedError`, `TableLockedError` or `AddressLimitError`.
    """
    if token_hash in table.opener_tokens:
        return
    check_not_banned(table, token_hash, address_hash)
    if seats_per_address and table.config.listed and address_hash:
        taken = sum(player.address_hash == address_hash and not player.gone for player in table.players)
        if taken >= seats_per_address:
            raise AddressLimitError(f"your network has {taken} seats at this table already; choose another table")
    if table.locked:
        raise TableLockedError("the host has locked this table; ask the host to unlock it")


def check_not_banned(table: TableState, token_hash: str, address_hash: str) -> None:
    """Raise `BannedError` if the host removed a person with this token or at this address, and the ban is in force.

    Whoever opened the table is never refused.
    """
    if token_hash in table.opener_tokens:
        return
    ban = next((ban for ban in active_bans(table) if ban.identity.matches(token_hash, address_hash)), None)
    if ban is not None:
        until = "for good" if ban.last_match is None else f"until match {ban.last_match} is over"
        raise BannedError(f"the host removed you from this table {until}; ask the host to let you sit down again")


def is_opener(table: TableState, player: Player | None) -> bool:
    """Return whether there is such a player, and they opened the table."""
    return player is not None and any(token_hash in table.opener_tokens for token_hash in player.token_hashes)


def active_bans(table: TableState) -> tuple[Ban, ...]:
    """Return the bans that are in force."""
    return tuple(ban for ban in table.bans if ban.last_match is None or ban.last_match > _finished_matches(table))


def bans_with(table: TableState, player: Player, scope: BanScope) -> tuple[Ban, ...]:
    """Return the bans after one more, of a player who is removed now. Only the latest `MAX_BANS` are kept."""
    last_match = None if scope is BanScope.FOR_GOOD else _finished_matches(table) + 1
    ban = Ban(player.id, player.name, identity_of(table, player), last_match)
    return (*active_bans(table), ban)[-MAX_BANS:]


def former_with(table: TableState, player: Player) -> tuple[FormerPlayer, ...]:
    """Return the people who left, after one more leaves. Only the latest `MAX_FORMER` are kept."""
    if player.bot is not None:
        return table.former_players
    former = FormerPlayer(player.name, player.token_hashes)
    return (*(other for other in table.former_players if other != former), former)[-MAX_FORMER:]


def muted_with(table: TableState, player: Player) -> tuple[Identity, ...]:
    """Return the muted people who have left, after one more leaves. Only the latest `MAX_BANS` are kept.

    A person who leaves again, recognised by the same tokens or address, takes no further place.
    """
    leaving = identity_of(table, player)
    same = [
        person
        for person in table.muted_people
        if (person.address_hash or person.token_hashes) == (leaving.address_hash or leaving.token_hashes)
    ]
    others = [person for person in table.muted_people if person not in same]
    token_hashes = dict.fromkeys(token_hash for person in (*same, leaving) for token_hash in person.token_hashes)
    return (*others, Identity(tuple(token_hashes)[-MAX_BANS:], leaving.address_hash))[-MAX_BANS:]


def muted_without(table: TableState, player: Player | None) -> tuple[Identity, ...]:
    """Return the muted people who have left, without those whom a player who may speak again was."""
    if player is None:
        return table.muted_people
    hashes = {*player.token_hashes} or {""}
    return tuple(
        person
        for person in table.muted_people
        if not any(person.matches(token_hash, player.address_hash) for token_hash in hashes)
    )


def identity_of(table: TableState, player: Player) -> Identity:
    """Return what a player is recognised by.

    The address counts only if nobody else at the table sat down from it: people of one household, or behind one proxy,
    share an address.
    """
    others = {other.address_hash for other in table.players if other.id != player.id and not other.gone}
    return Identity(player.token_hashes, "" if player.address_hash in others else player.address_hash)


def _finished_matches(table: TableState) -> int:
    match = table.match
    if match is None:
        return 0
    return match.number if match.over else match.number - 1
