"""A group, and the commands that change it: who belongs to it, what it plays, and when it meets.

Everything here is computed from values and a time; `groups` stores them.
"""

from __future__ import annotations

import datetime as dt
import hmac
import re
from collections.abc import Iterable
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

import msgspec
from msgspec.structs import replace

from liarsdice.core.errors import IllegalActionError, MalformedError, UnavailableError
from liarsdice.core.rules.choices import Choice
from liarsdice.core.rules.overlay import Plain
from liarsdice.play.player_names import look_alike, normalize_name, player_name
from liarsdice.server.errors import ForbiddenError, NameTakenError
from liarsdice.server.rules.rules_api import ruleset_of
from liarsdice.server.table.command_handler import with_endpoint
from liarsdice.server.table.table_config import check_face

MAX_MEMBERS, MAX_DEVICES = 40, 8
MAX_EVER = 10 * MAX_MEMBERS
"""How many members a group has had at most; the places of those who left are kept."""

MAX_KNOCKS = 12
MAX_GAMES, MAX_VERSIONS = 20, 20
VOTED_DAYS = 30
"""For how many days people vote for the best liar of a night, and the votes are kept."""

MAX_TABLES = 8
"""How many of its latest tables a group knows: those that may be open, or have matches that are not counted yet."""

KNOCK_MS = 7 * 24 * 3600 * 1000
"""How long somebody who asks to join waits for an answer."""

VOUCHERS = 2
"""How many members have to know the voice of one who lost their device; the founder alone is enough."""

VOUCH_WAIT_MS = 3 * 24 * 3600 * 1000
"""How long the yes of the only member who can vouch waits, in which the old device may refuse it.

Whoever was let in counts as a voucher after as long. So nobody takes a place over with a friend of their own making
before its owner can see that.
"""

LANGUAGES = ("en", "es")
NIGHT_BEGINS_H = 6
"""A night's matches are those until this hour of the next morning; its evening is on for as many hours."""


class Scoring(Choice):
    """What counts in the standings: points for the first places, a point for each rival, or a rating.

    `NIGHTS`: the points for rivals per night, with at least half of the nights counted for everybody.
    """

    PLACES = "places"
    RIVALS = "rivals"
    RATING = "rating"
    NIGHTS = "nights"


class Coming(Choice):
    """What a member says of the next night."""

    YES = "yes"
    LATE = "late"
    NO = "no"


class StandingDate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When a group meets each week. `weekday`: 0 for Monday. `minute`: of the day in `timezone`, as "Europe/Madrid"."""

    weekday: int
    minute: int
    timezone: str

    def next_ms(self, now_ms: int) -> int:
        """Return when the night begins that is on, or else the next one, in milliseconds since 1970.

        >>> thursdays = StandingDate(3, 21 * 60, "UTC")
        >>> thursdays.next_ms(0) == (21 * 60) * 60_000  # 1970 began on a Thursday
        True
        """
        zone = ZoneInfo(self.timezone)
        day = dt.datetime.fromtimestamp(now_ms / 1000, zone).date() - dt.timedelta(days=1)
        while True:
            begins = dt.datetime.combine(day, dt.time(self.minute // 60, self.minute % 60), zone)
            if day.weekday() == self.weekday and 1000 * begins.timestamp() + NIGHT_BEGINS_H * 3_600_000 > now_ms:
                return round(1000 * begins.timestamp())
            day += dt.timedelta(days=1)


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody of a group. `id` is never used again.

    `token_hashes`, `push_endpoints`: as those of a player. `coming`: what they say of the night that begins at
    `coming_ms`. A member who left has no name, no tokens and no face: the results of others need their place in a
    match, and nothing else.
    """

    id: int
    name: str
    face: int = 0
    token_hashes: tuple[str, ...] = ()
    joined_at_ms: int = 0
    coming: Coming | None = None
    coming_ms: int = 0
    push_endpoints: tuple[str, ...] = ()

    @property
    def gone(self) -> bool:
        """Whether the member has left the group."""
        return not self.token_hashes


class GameVersion(msgspec.Struct, frozen=True):
    """The rules of a game from `at_ms` on, as member `by` wrote them. `rules`, `changes`: as in `RulesForm`."""

    at_ms: int
    by: int
    rules: str
    changes: Plain = {}


class GroupGame(msgspec.Struct, frozen=True):
    """A rule sheet of the group with its name, and its versions, the latest last."""

    id: int
    name: str
    versions: tuple[GameVersion, ...]


class Season(msgspec.Struct, frozen=True):
    """A season. `number` counts from 1. `ended_at_ms`: None for the one that is on.

    `winners`: the members who had the first place in the end, with so many `points`.
    """

    number: int
    began_at_ms: int
    scoring: Scoring = Scoring.RIVALS
    ended_at_ms: int | None = None
    winners: tuple[int, ...] = ()
    points: float = 0


class Knock(msgspec.Struct, frozen=True):
    """Somebody at the door. `member`: the id of the member who they say they are, on a new device; None for a stranger.

    `dice`: what they read aloud to those who `vouched` for them, the ids of members, the first of whom did so at
    `vouched_at_ms`.
    """

    number: int
    name: str
    face: int
    token_hash: str
    at_ms: int
    member: int | None = None
    dice: tuple[int, ...] = ()
    vouched: tuple[int, ...] = ()
    vouched_at_ms: int = 0


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """A group. `code`: that of its link. `founder`: the id of a member, who alone may close it or hand it over.

    `tonight`: the id of the game that is played when nobody chooses another one. `tables`: the codes of the latest
    tables, the newest first. `settings`: those of the latest table apart from its rules, as fields of a `TableForm`.
    `calendar_key`: the secret part of the address of its calendar. `chat`: the URL of a chat room, "" for none;
    `language`: of what is said there. `reminded_ms`: the night of which everybody was reminded. `votes`: for the
    best liar, by the date of the night and the member who votes.
    """

    code: str
    name: str
    founder: int
    founded_at_ms: int
    timezone: str = "UTC"
    language: str = "en"
    members: tuple[Member, ...] = ()
    next_member: int = 1
    games: tuple[GroupGame, ...] = ()
    next_game: int = 1
    tonight: int | None = None
    seasons: tuple[Season, ...] = ()
    date: StandingDate | None = None
    knocks: tuple[Knock, ...] = ()
    next_knock: int = 1
    tables: tuple[str, ...] = ()
    settings: Plain = {}
    calendar_key: str = ""
    chat: str = ""
    reminded_ms: int = 0
    votes: dict[str, dict[int, int]] = {}

    @property
    def present(self) -> tuple[Member, ...]:
        """The members who have not left."""
        return tuple(member for member in self.members if not member.gone)

    @property
    def season(self) -> Season:
        """The season that is on, or the last one."""
        return self.seasons[-1]

    def member(self, member_id: int | None) -> Member | None:
        """Return the member with an id, None if nobody has it or the member has left."""
        return next((member for member in self.present if member.id == member_id), None)

    def member_by_token(self, token_hash: str) -> Member | None:
        """Return the member whom a token recognises, by its hash; None for a stranger. Compares in constant time."""
        found = None
        for member in self.present if token_hash else ():
            for known_hash in member.token_hashes:
                if hmac.compare_digest(known_hash, token_hash):
                    found = member
        return found

    def knock_by_token(self, token_hash: str, now_ms: int) -> Knock | None:
        """Return what the owner of a token waits for at the door, None for nothing."""
        return next((knock for knock in self.waiting(now_ms) if knock.token_hash == token_hash), None)

    def waiting(self, now_ms: int) -> tuple[Knock, ...]:
        """Return those who wait at the door."""
        return tuple(knock for knock in self.knocks if max(knock.at_ms, knock.vouched_at_ms) + KNOCK_MS > now_ms)

    def may_vouch(self, member: Member, knock: Knock, now_ms: int) -> bool:
        """Return whether the yes of a member counts for somebody who says that they are another one."""
        known = member.joined_at_ms <= self.founded_at_ms or member.joined_at_ms + VOUCH_WAIT_MS <= now_ms
        return member.id != knock.member and known

    def opens_ms(self, knock: Knock, now_ms: int) -> int | None:
        """Return from when on one yes is enough for a knock, None while two are needed or nobody has said it."""
        can_vouch = sum(self.may_vouch(member, knock, now_ms) for member in self.present)
        return knock.vouched_at_ms + VOUCH_WAIT_MS if knock.vouched and can_vouch < VOUCHERS else None

    def game(self, game_id: int | None) -> GroupGame:
        """Return the game with an id. Raises `UnavailableError` if the group has none."""
        game = next((game for game in self.games if game.id == game_id), None)
        if game is None:
            raise UnavailableError("the group has no such game; choose one of its list")
        return game

    def with_member(self, member_id: int, **changes: object) -> Group:
        """Return the group with other fields of a member."""
        changed = (replace(member, **changes) if member.id == member_id else member for member in self.members)
        return replace(self, members=tuple(changed))


def checked_timezone(name: str) -> str:
    """Return the name of a time zone. Raises `MalformedError` if there is none that every server knows by it."""
    if name not in _timezones():
        raise MalformedError("a time zone has a name such as Europe/Madrid")
    return name


@cache
def _timezones() -> set[str]:
    return available_timezones() - {"localtime"}


def found(
    code: str, name: str, people: Iterable[Member], founder_hash: str, *, now_ms: int, timezone: str, language: str
) -> Group:
    """Return a new group of these people, whose ids do not matter; its founder holds a token with that hash.

    Raises `MalformedError` for a name or a time zone that cannot be one.
    """
    members = tuple(
        replace(member, id=number, joined_at_ms=now_ms) for number, member in enumerate(list(people)[:MAX_MEMBERS], 1)
    )
    founder = next(member.id for member in members if founder_hash in member.token_hashes)
    return Group(
        code=code,
        name=normalize_name(name, "a group's name"),
        founder=founder,
        founded_at_ms=now_ms,
        timezone=checked_timezone(timezone),
        language=language if language in LANGUAGES else LANGUAGES[0],
        members=members,
        next_member=len(members) + 1,
        seasons=(Season(1, now_ms),),
    )


# ---- at the door ----------------------------------------------------------------------------------------------------


def knocked(group: Group, name: str, face: int, token_hash: str, dice: tuple[int, ...] | None, now_ms: int) -> Group:
    """Return the group with one more person at its door; a person who waits already is not added again.

    `dice`: as in `Knock`, for a member of that name who lost a device; None for a stranger. Raises `MalformedError` for
    a name that cannot be one, `NameTakenError` for a stranger with a member's name, `UnavailableError` if no member has
    the name, and `ForbiddenError` if too many wait.
    """
    if group.member_by_token(token_hash) is not None or group.knock_by_token(token_hash, now_ms) is not None:
        return group
    name = player_name(name)
    known = None
    if dice is None:
        require_free_name(group, name)
    else:
        known = next((member for member in group.present if look_alike(member.name, name)), None)
        if known is None:
            raise UnavailableError("nobody in this group has that name; type it as your friends see it")
    check_face(face)
    waiting = group.waiting(now_ms)
    if len(waiting) >= MAX_KNOCKS:
        raise ForbiddenError("many people wait at this door already; tell the friend who sent you the link")
    if known is None:
        knock = Knock(group.next_knock, name, face, token_hash, now_ms)
    else:
        knock = Knock(group.next_knock, known.name, known.face, token_hash, now_ms, known.id, dice or ())
    return replace(group, knocks=(*waiting, knock), next_knock=group.next_knock + 1)


def require_free_name(group: Group, name: str, but: int | None = None) -> None:
    """Raise `NameTakenError` if a member other than `but` has this name or one that looks like it."""
    if any(member.id != but and look_alike(member.name, name) for member in group.present):
        raise NameTakenError(f"somebody in this group is called {name} already; choose another name")


def with_device(group: Group, member_id: int, token_hash: str) -> Group:
    """Return the group with one more device of a member, of which the oldest goes when there are too many.

    Raises `ForbiddenError` if the member has left, or the device belongs to somebody else of the group.
    """
    member, owner = group.member(member_id), group.member_by_token(token_hash)
    if member is None:
        raise ForbiddenError("this member has left the group")
    if owner is not None and owner.id != member_id:
        raise ForbiddenError(f"this device belongs to {owner.name} here; use another browser")
    if owner is not None:
        return group
    knocks = tuple(knock for knock in group.knocks if knock.token_hash != token_hash)
    hashes = (*member.token_hashes, token_hash)[-MAX_DEVICES:]
    return replace(group, knocks=knocks).with_member(member_id, token_hashes=hashes)


# ---- commands of members --------------------------------------------------------------------------------------------


class _Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The base of all commands: one with an unknown field is refused."""


class Admit(_Command, frozen=True, tag="admit"):
    """Let somebody in who waits at the door, or say that one of the members has a new device. `number`: theirs."""

    number: int


class Refuse(_Command, frozen=True, tag="refuse"):
    """Send somebody away who waits at the door."""

    number: int


class Introduce(_Command, frozen=True, tag="introduce"):
    """Change one's own name and face."""

    name: str
    face: int


class Rename(_Command, frozen=True, tag="rename"):
    """Give the group another name. Its founder may."""

    name: str


class LeaveGroup(_Command, frozen=True, tag="leave_group"):
    """Leave the group and take one's name out of it. The founder hands the group over first, unless nobody is left."""


class HandOver(_Command, frozen=True, tag="hand_over"):
    """Make another member the founder."""

    member: int


class Dismiss(_Command, frozen=True, tag="dismiss"):
    """Take another member out of the group. Its founder may."""

    member: int


class KeepGame(_Command, frozen=True, tag="keep_game"):
    """Keep rules under a name. `game`: the one of which they are the next version, None for a new one."""

    name: str
    rules: str
    changes: Plain = {}
    game: int | None = None


class DropGame(_Command, frozen=True, tag="drop_game"):
    """Take a game off the list. Its founder or the one who brought it may."""

    game: int


class ChooseGame(_Command, frozen=True, tag="choose_game"):
    """Choose the game that is played when nobody chooses another one."""

    game: int


class SetDate(_Command, frozen=True, tag="set_date"):
    """Choose when the group meets each week, None for no fixed time."""

    date: StandingDate | None


class SayComing(_Command, frozen=True, tag="say_coming"):
    """Say whether one comes to the next night."""

    coming: Coming


class PushGroup(_Command, frozen=True, tag="push_group"):
    """Have this browser told, at the endpoint of its push service, when the group meets, or no more."""

    endpoint: str
    wanted: bool


class VoteLiar(_Command, frozen=True, tag="vote_liar"):
    """Vote for the best liar of a night that one played, by its date as in `Night`; not for oneself."""

    night: str
    member: int


class EndSeason(_Command, frozen=True, tag="end_season"):
    """End the season and begin the next one. `scoring`: what counts in it. The founder may."""

    scoring: Scoring


class CloseGroup(_Command, frozen=True, tag="close_group"):
    """Close the group for good, with all that it has. The founder may."""


class ChooseScoring(_Command, frozen=True, tag="choose_scoring"):
    """Choose what a match is worth in this season, also those that were played. The founder may."""

    scoring: Scoring


class SetChat(_Command, frozen=True, tag="set_chat"):
    """Have news said in a chat room, at the URL that its service gave; "" for nowhere. The founder may."""

    url: str
    language: str = "en"


GroupCommand = (
    Admit
    | Refuse
    | Introduce
    | Rename
    | LeaveGroup
    | HandOver
    | Dismiss
    | KeepGame
    | DropGame
    | ChooseGame
    | SetDate
    | SayComing
    | PushGroup
    | VoteLiar
    | EndSeason
    | ChooseScoring
    | SetChat
    | CloseGroup
)


def changed(group: Group, member: Member, command: GroupCommand, now_ms: int) -> Group:
    """Return the group after a command of a member.

    Raises `ForbiddenError` if only others may give it, `IllegalActionError` if it cannot be done now, and as the parts
    of it are checked: `MalformedError`, `NameTakenError`, `UnavailableError`.
    """
    match command:
        case Rename() | HandOver() | Dismiss() | EndSeason() | ChooseScoring() | SetChat() | CloseGroup():
            if member.id != group.founder:
                raise ForbiddenError("only the founder of the group may do that")
            return _changed_by_founder(group, command, now_ms)
        case Admit(number):
            return _admitted(group, member, _knock(group, number, now_ms), now_ms)
        case Refuse(number):
            _knock(group, number, now_ms)
            return replace(group, knocks=tuple(knock for knock in group.knocks if knock.number != number))
        case Introduce(name, face):
            check_face(face)
            name = player_name(name)
            require_free_name(group, name, member.id)
            return group.with_member(member.id, name=name, face=face)
        case LeaveGroup():
            if member.id == group.founder and len(group.present) > 1:
                raise IllegalActionError("hand the group over to somebody first, or close it")
            return _without(group, member.id)
        case KeepGame():
            return _with_game(group, member, command, now_ms)
        case DropGame(game_id):
            return _without_game(group, member, game_id)
        case ChooseGame(game_id):
            return replace(group, tonight=group.game(game_id).id)
        case SetDate(date):
            return _with_date(group, date)
        case SayComing(coming):
            if group.date is None:
                raise IllegalActionError("the group has no fixed evening yet; choose one first")
            return group.with_member(member.id, coming=coming, coming_ms=group.date.next_ms(now_ms))
        case PushGroup(endpoint, wanted):
            endpoints = with_endpoint(member.push_endpoints, endpoint, wanted=wanted)
            return group.with_member(member.id, push_endpoints=endpoints)
        case VoteLiar():
            return _with_vote(group, member, command, now_ms)


def _changed_by_founder(
    group: Group, command: Rename | HandOver | Dismiss | EndSeason | ChooseScoring | SetChat | CloseGroup, now_ms: int
) -> Group:
    match command:
        case Rename(name):
            return replace(group, name=normalize_name(name, "a group's name"))
        case HandOver(member_id) | Dismiss(member_id):
            other = group.member(member_id)
            if other is None or other.id == group.founder:
                raise UnavailableError("choose another member of the group")
            return replace(group, founder=other.id) if isinstance(command, HandOver) else _without(group, other.id)
        case EndSeason(scoring):
            ended = replace(group.season, ended_at_ms=now_ms)
            new = Season(ended.number + 1, now_ms, scoring)
            return replace(group, seasons=(*group.seasons[:-1], ended, new))
        case ChooseScoring(scoring):
            return replace(group, seasons=(*group.seasons[:-1], replace(group.season, scoring=scoring)))
        case SetChat(url, language):
            if language not in LANGUAGES:
                raise MalformedError("the language of a chat room is en or es")
            return replace(group, chat=url, language=language)
        case CloseGroup():
            return replace(group, members=())


def _knock(group: Group, number: int, now_ms: int) -> Knock:
    knock = next((knock for knock in group.waiting(now_ms) if knock.number == number), None)
    if knock is None:
        raise UnavailableError("nobody waits at the door under this number any more")
    return knock


def _admitted(group: Group, member: Member, knock: Knock, now_ms: int) -> Group:
    """Return the group after a member opened the door to somebody, or vouched for one of the members.

    With enough vouchers the old devices of that member are strangers, and told nothing.
    """
    others = tuple(other for other in group.knocks if other.number != knock.number)
    lost = knock.member
    if lost is not None:
        if group.member(lost) is None:
            return replace(group, knocks=others)
        if member.id == lost:
            raise IllegalActionError("you hold that place on this device; use the link for a second device")
        if member.id != group.founder and not group.may_vouch(member, knock, now_ms):
            raise IllegalActionError("whoever came in during the last three days vouches for nobody yet")
        here = tuple(voucher for voucher in knock.vouched if group.member(voucher))
        vouched = tuple(dict.fromkeys((*here, member.id)))
        knock = replace(knock, vouched=vouched, vouched_at_ms=knock.vouched_at_ms if here else now_ms)
        opens_ms = group.opens_ms(knock, now_ms)
        waited = opens_ms is not None and opens_ms <= now_ms
        if member.id != group.founder and len(vouched) < VOUCHERS and not waited:
            return replace(group, knocks=(*others, knock))
        return replace(group, knocks=others).with_member(lost, token_hashes=(knock.token_hash,), push_endpoints=())
    if len(group.present) >= MAX_MEMBERS or len(group.members) >= MAX_EVER:
        raise IllegalActionError(f"a group has at most {MAX_MEMBERS} members at a time, and {MAX_EVER} in all")
    require_free_name(group, knock.name)
    new = Member(
        id=group.next_member,
        name=knock.name,
        face=knock.face,
        token_hashes=(knock.token_hash,),
        joined_at_ms=now_ms,
    )
    return replace(group, knocks=others, members=(*group.members, new), next_member=group.next_member + 1)


def _without(group: Group, member_id: int) -> Group:
    knocks = tuple(knock for knock in group.knocks if knock.member != member_id)
    members = tuple(Member(id=member.id, name="") if member.id == member_id else member for member in group.members)
    return replace(group, members=members, knocks=knocks)


def _with_vote(group: Group, member: Member, command: VoteLiar, now_ms: int) -> Group:
    """Return the group with a vote, and without those of old nights. Votes of who did not play count for nothing."""
    if group.member(command.member) is None or command.member == member.id:
        raise IllegalActionError("choose another member who played that night")
    today = dt.datetime.fromtimestamp(now_ms / 1000, ZoneInfo(group.timezone)).date()
    known = {(today - dt.timedelta(days=days)).isoformat() for days in range(VOTED_DAYS + 1)}
    if command.night not in known:
        raise MalformedError(f"a night has the date on which it began, as 2026-11-19, in the last {VOTED_DAYS} days")
    votes = {night: given for night, given in group.votes.items() if night in known}
    return replace(group, votes=votes | {command.night: votes.get(command.night, {}) | {member.id: command.member}})


def _without_game(group: Group, member: Member, game_id: int) -> Group:
    if member.id not in {group.founder, group.game(game_id).versions[0].by}:
        raise ForbiddenError("only the founder, or whoever brought this game, may take it off the list")
    games = tuple(game for game in group.games if game.id != game_id)
    tonight = group.tonight if group.tonight != game_id else (games[0].id if games else None)
    return replace(group, games=games, tonight=tonight)


def _with_game(group: Group, member: Member, command: KeepGame, now_ms: int) -> Group:
    name = normalize_name(command.name, "a game's name")
    ruleset_of(command.rules, command.changes)  # raises if there are no such rules
    version = GameVersion(now_ms, member.id, command.rules, command.changes)
    if any(game.id != command.game and look_alike(game.name, name) for game in group.games):
        raise NameTakenError(f"the group has a game called {name} already; choose another name, or change that one")
    if command.game is None:
        if len(group.games) >= MAX_GAMES:
            raise IllegalActionError(f"a group keeps at most {MAX_GAMES} games; take one off the list first")
        game = GroupGame(group.next_game, name, (version,))
        tonight = game.id if group.tonight is None else group.tonight
        return replace(group, games=(*group.games, game), next_game=game.id + 1, tonight=tonight)
    known = group.game(command.game)
    last = known.versions[-1]
    is_new = (last.rules, last.changes) != (command.rules, command.changes)
    kept = (known.versions[0], *known.versions[1:][-(MAX_VERSIONS - 2) :])
    updated = GroupGame(known.id, name, (*kept, version) if is_new else known.versions)
    return replace(group, games=tuple(updated if game.id == known.id else game for game in group.games))


def _with_date(group: Group, date: StandingDate | None) -> Group:
    if date is not None:
        if not 0 <= date.weekday < 7 or not 0 <= date.minute < 24 * 60:
            raise MalformedError("a weekday is 0 (Monday) to 6, and a minute of the day 0 to 1439")
        date = replace(date, timezone=checked_timezone(date.timezone))
    members = tuple(replace(member, coming=None, coming_ms=0) for member in group.members)
    return replace(group, date=date, members=members)


def with_table(group: Group, code: str, settings: Plain | None = None) -> Group:
    """Return the group with one more table, and with other settings for the next one, if there are any."""
    tables = (code, *(other for other in group.tables if other != code))[:MAX_TABLES]
    return replace(group, tables=tables, settings=group.settings if settings is None else settings)


CODE_LENGTH = 10
CODE = re.compile(rf"[A-HJ-NP-Z2-9]{{{CODE_LENGTH}}}")
