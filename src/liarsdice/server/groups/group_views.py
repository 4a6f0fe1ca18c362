"""What a group's page shows: to its members, and to strangers. Each value is built, and none has a token in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from liarsdice.core.rules.overlay import Plain
from liarsdice.server.groups.group import Coming, Group, GroupGame, Knock, Member, Season, StandingDate
from liarsdice.server.groups.results import (
    GroupRecords,
    GroupResult,
    Night,
    Rivalry,
    Standing,
    nights,
    of_season,
    played_matches,
    records,
    rivalries,
    standings,
)
from liarsdice.wire import TableSummary

SHOWN_NIGHTS = 12
"""How many nights a page shows at once: the latest, and as many earlier ones each time that a member asks for them."""


class PublicMember(msgspec.Struct, frozen=True):
    """A member as the others see them. `coming`: what they say of the next night, None for no word.

    `devices`: how many they have. `gone`: the member has left, and has no name; their place in a match is kept.
    """

    id: int
    name: str
    face: int
    coming: Coming | None
    devices: int
    gone: bool


class AtDoor(msgspec.Struct, frozen=True):
    """Somebody who waits at the door. `member`: who they say they are, None for a stranger. `vouched`: who vouches.

    `dice`: what they have to read aloud, for the members to compare. `opens_ms`: from when on one yes is enough, where
    nobody else can say it.
    """

    number: int
    name: str
    face: int
    at_ms: int
    member: int | None
    dice: tuple[int, ...]
    vouched: tuple[int, ...]
    opens_ms: int | None


class GroupView(msgspec.Struct, frozen=True):
    """A group as one of its members sees it.

    `me`: the id of that member. `founder`: that of the founder. `members`: all there ever were. `waiting`: who waits at
    the door. `tonight`: the game for the next table, None for none chosen. `tables`: the open ones, without what
    happens in a match that is on. `next_ms`: when the next night begins, None without a date. `night_count`: of all
    seasons. `nights`: the latest of the season, which has had `season_nights`. `champions`: the seasons before, the
    latest first. `calendar`: the path of the calendar file, which anybody can read who knows it. `chat`: the address of
    the chat room for the founder, and "set" for others if there is one. `as_last_time`: whether there was a table with
    settings to use again. `voted`: whom the member voted for, by the date of the night.
    """

    code: str
    name: str
    me: int
    founder: int
    founded_at_ms: int
    timezone: str
    language: str
    members: tuple[PublicMember, ...]
    waiting: tuple[AtDoor, ...]
    games: tuple[GroupGame, ...]
    tonight: int | None
    tables: tuple[TableSummary, ...]
    date: StandingDate | None
    next_ms: int | None
    season: Season
    standings: tuple[Standing, ...]
    night_count: int
    nights: tuple[Night, ...]
    season_nights: int
    rivalries: tuple[Rivalry, ...]
    records: GroupRecords
    champions: tuple[Season, ...]
    calendar: str
    chat: str
    as_last_time: bool
    voted: dict[str, int]


class GroupDoor(msgspec.Struct, frozen=True):
    """A group as a stranger sees it: its name, and what the stranger waits for, None for nothing.

    `weekday`: the day of the week of its evenings, 0 for Monday, None without one.
    """

    code: str
    name: str
    member_count: int
    weekday: int | None
    waiting: AtDoor | None


class GroupPage(msgspec.Struct, frozen=True):
    """A group as the client sees it: from inside as a member, or from the door as a stranger. The other one is None.

    Both are None of a group that was just closed.
    """

    inside: GroupView | None
    door: GroupDoor | None


class GroupExport(msgspec.Struct, frozen=True):
    """All that a group has, for its founder, without tokens, addresses of chat rooms, and who voted for whom."""

    group: Plain
    results: tuple[GroupResult, ...]


def door_of(group: Group, token_hash: str, now_ms: int) -> GroupDoor:
    """Return what a stranger sees."""
    knock = group.knock_by_token(token_hash, now_ms)
    at_door = None if knock is None else _at_door(group, knock, now_ms)
    weekday = None if group.date is None else group.date.weekday
    return GroupDoor(group.code, group.name, len(group.present), weekday, at_door)


class Tally(msgspec.Struct, frozen=True):
    """What the matches of a group come to, whoever looks at it: as in `GroupView`.

    `nights`: all of the season. `rivalries`: of each member.
    """

    standings: tuple[Standing, ...]
    night_count: int
    nights: tuple[Night, ...]
    rivalries: dict[int, tuple[Rivalry, ...]]
    records: GroupRecords


def tally_of(group: Group, results: Iterable[GroupResult]) -> Tally:
    """Return what results of all seasons come to."""
    played = played_matches(group, results)
    season = of_season(played, group.season)
    return Tally(
        standings=standings(group, season, group.season),
        night_count=len({match.date for match in played}),
        nights=nights(group, season),
        rivalries=rivalries(group, played),
        records=records(group, played),
    )


def view_of(group: Group, tally: Tally, tables: Sequence[TableSummary], member: Member, now_ms: int) -> GroupView:
    """Return what a member sees. `tables`: the open ones."""
    next_ms = None if group.date is None else group.date.next_ms(now_ms)
    return GroupView(
        code=group.code,
        name=group.name,
        me=member.id,
        founder=group.founder,
        founded_at_ms=group.founded_at_ms,
        timezone=group.timezone,
        language=group.language,
        members=tuple(_public(other, next_ms) for other in group.members),
        waiting=tuple(_at_door(group, knock, now_ms) for knock in group.waiting(now_ms)),
        games=group.games,
        tonight=group.tonight,
        tables=tuple(tables),
        date=group.date,
        next_ms=next_ms,
        season=group.season,
        standings=tally.standings,
        night_count=tally.night_count,
        nights=tally.nights[:SHOWN_NIGHTS],
        season_nights=len(tally.nights),
        rivalries=tally.rivalries.get(member.id, ()),
        records=tally.records,
        champions=tuple(reversed(group.seasons[:-1])),
        calendar=f"/api/groups/{group.code}/calendar.ics?key={group.calendar_key}",
        chat=group.chat if member.id == group.founder else "set" if group.chat else "",
        as_last_time=bool(group.settings),
        voted={night: votes[member.id] for night, votes in group.votes.items() if member.id in votes},
    )


def export_of(group: Group, results: Sequence[GroupResult]) -> GroupExport:
    """Return all that a group has, without what recognises people or opens other doors."""
    plain: Plain = msgspec.to_builtins(group)
    for member in plain["members"]:
        del member["token_hashes"], member["push_endpoints"]
    for secret in ("knocks", "calendar_key", "chat", "votes"):
        del plain[secret]
    return GroupExport(plain, tuple(results))


def _public(member: Member, next_ms: int | None) -> PublicMember:
    coming = member.coming if member.coming_ms == next_ms else None
    return PublicMember(member.id, member.name, member.face, coming, len(member.token_hashes), member.gone)


def _at_door(group: Group, knock: Knock, now_ms: int) -> AtDoor:
    return AtDoor(
        knock.number,
        knock.name,
        knock.face,
        knock.at_ms,
        knock.member,
        knock.dice,
        knock.vouched,
        group.opens_ms(knock, now_ms),
    )
