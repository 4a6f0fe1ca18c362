"""What a finished match adds to a group, and what the matches of a season come to: standings, nights and records."""

from __future__ import annotations

import datetime as dt
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from zoneinfo import ZoneInfo

import msgspec
from msgspec.structs import replace

from liarsdice.analysis.ratings import ratings
from liarsdice.core.events import BidMade, Challenged, Eliminated, Event, MatchStarted, Revealed, RoundStarted
from liarsdice.core.records.awards import Award, AwardKind, awards
from liarsdice.server.groups.group import NIGHT_BEGINS_H, Group, Scoring, Season

RECORDED = (AwardKind.BOLDEST_LIE, AwardKind.TIGHTEST_CALL)
"""The awards of which a group keeps the record; the match shows what there was to see."""

PLACE_POINTS = {1: 3, 2: 2, 3: 1}
"""The points for each of the first places among the members of a match."""


class ResultSeat(msgspec.Struct, frozen=True, gc=False):
    """A seat of a finished match. `member`: the id of the one who sat there, None for a guest or a bot.

    `place`: as in `PublicMatch.places`. `played`: a person played to the end, and no bot. `guessed`: the points for
    guesses of calls.
    """

    member: int | None
    place: int
    played: bool
    guessed: int = 0


class GroupResult(msgspec.Struct, frozen=True, gc=False):
    """A finished match, without the names of those who played. `at_ms`: when it ended. One too long has no `seats`.

    `catches`: for each right challenge, the seats of who made it and of whose bid it was. `longest`: the number of the
    round with the most bids, and how many it had.
    """

    table: str
    match: int
    at_ms: int
    game: str
    seats: tuple[ResultSeat, ...]
    awards: tuple[Award, ...] = ()
    catches: tuple[tuple[int, int], ...] = ()
    longest: tuple[int, int] = (0, 0)

    def counted(self) -> dict[int, int]:
        """Return the places of the members whose result counts, by their ids: those who played to the end."""
        return {seat.member: seat.place for seat in self.seats if seat.member is not None and seat.played}


def result_of(table: str, match: int, at_ms: int, seats: Sequence[ResultSeat], events: Sequence[Event]) -> GroupResult:
    """Return the result of a match from all its events. `seats`: one for each seat of the match."""
    start = events[0]
    assert isinstance(start, MatchStarted)
    catches, bids, round_number = list[tuple[int, int]](), Counter[int](), 0
    call: Challenged | None = None
    for event in events:
        match event:
            case RoundStarted():
                round_number = event.number
            case BidMade():
                bids[round_number] += 1
            case Challenged():
                call = event
            case Revealed() if call is not None:
                if not event.bid_true:
                    catches.append((call.seat, call.bidder))
                call = None
            case Eliminated():
                call = None
            case _:
                pass
    longest = max(bids, key=lambda number: (bids[number], -number), default=0)
    return GroupResult(
        table,
        match,
        at_ms,
        start.ruleset.labels.game,
        tuple(seats),
        tuple(replace(award, scene=None) for award in awards(events) if award.kind in RECORDED),
        tuple(catches),
        (longest, bids[longest]),
    )


class MatchRef(msgspec.Struct, frozen=True, gc=False):
    """A match that a figure comes from, and when it ended."""

    table: str
    match: int
    at_ms: int


class Standing(msgspec.Struct, frozen=True):
    """A row of the standings. `place`: 1 for the first; members with equal points share one.

    `points`: as the season counts; a rating is 25 for everybody at first. `streak`: how many of their latest nights
    they won, one after another.
    """

    member: int
    place: int
    points: float
    matches: int
    wins: int
    nights: int
    nights_won: int
    streak: int


class Night(msgspec.Struct, frozen=True):
    """An evening. `date`: that on which it began, as 2026-11-19. `points`: by member, as rivals are counted.

    `guessed`: the points of members for guesses of calls after they were out. `liars`: how many votes for the best liar
    those who played have from others who did.
    """

    date: str
    winners: tuple[int, ...]
    points: dict[int, int]
    guessed: dict[int, int]
    liars: dict[int, int]
    matches: tuple[MatchRef, ...]


class Rivalry(msgspec.Struct, frozen=True):
    """How a member stands against another one: how often each caught the other, and outlasted the other.

    `latest`: the last match in which `other` caught the member.
    """

    other: int
    caught: int
    caught_by: int
    beaten: int
    beaten_by: int
    latest: MatchRef | None


class GroupRecord(msgspec.Struct, frozen=True):
    """A record of the group: an award that no other of its kind surpasses, and the match where it was won."""

    member: int
    award: Award
    where: MatchRef


class Evening(msgspec.Struct, frozen=True):
    """A record of one night. `member`: who caught the most lies, None for the longest round."""

    count: int
    where: MatchRef
    member: int | None = None


class GroupRecords(msgspec.Struct, frozen=True):
    """The records of a group, those that it has yet.

    `boldest`: the least likely bid that was a lie and stood. `tightest`: the call that was nearest to being wrong.
    `most_caught`: in a night. `longest`: the round with the most bids.
    """

    boldest: GroupRecord | None = None
    tightest: GroupRecord | None = None
    most_caught: Evening | None = None
    longest: Evening | None = None


class PlayedMatch(msgspec.Struct, frozen=True, gc=False):
    """A result as the standings read it. `date`: of its night. `places`, `points`: by member, as rivals are counted."""

    result: GroupResult
    date: str
    places: dict[int, int]
    points: dict[int, int]

    @property
    def ref(self) -> MatchRef:
        """Which match it is."""
        return MatchRef(self.result.table, self.result.match, self.result.at_ms)


def played_matches(group: Group, results: Iterable[GroupResult]) -> list[PlayedMatch]:
    """Return results with what is counted of them, the earliest first.

    A match after midnight belongs to the night before.
    """
    zone = ZoneInfo(group.timezone)
    ordered = sorted(results, key=lambda result: (result.at_ms, result.table, result.match))
    return [_played(result, zone) for result in ordered]


def _played(result: GroupResult, zone: ZoneInfo) -> PlayedMatch:
    began = dt.datetime.fromtimestamp(result.at_ms / 1000, zone) - dt.timedelta(hours=NIGHT_BEGINS_H)  # by the clock
    places = result.counted()
    taken = sorted(places.values())
    points = {member: len(taken) - bisect_right(taken, place) for member, place in places.items()}
    return PlayedMatch(result, began.date().isoformat(), places, points)


def of_season(played: Iterable[PlayedMatch], season: Season) -> list[PlayedMatch]:
    """Return the matches of a season. The first one has those that were played before the group was founded, too."""
    began_ms = season.began_at_ms if season.number > 1 else 0
    end_ms = season.ended_at_ms
    return [
        match for match in played if began_ms <= match.result.at_ms and (end_ms is None or match.result.at_ms < end_ms)
    ]


def standings(group: Group, played: Iterable[PlayedMatch], season: Season) -> tuple[Standing, ...]:
    """Return the standings of a season, of the members who have a result in it, the first place first."""
    inside = of_season(played, season)
    points, matches, wins = Counter[int](), Counter[int](), Counter[int]()
    for match in inside:
        earned = _place_points(match.places) if season.scoring is Scoring.PLACES else match.points
        for member, place in match.places.items():
            matches[member] += 1
            wins[member] += place == 1
            points[member] += earned[member]
    evenings, here = nights(group, inside), _ids(group)
    attended = Counter(member for night in evenings for member in night.points)
    scores: Mapping[int, float] = points
    if season.scoring is Scoring.RATING:
        scores = _rated(inside, list(matches))
    elif season.scoring is Scoring.NIGHTS:
        least = (len(evenings) + 1) // 2
        scores = {member: round(points[member] / max(attended[member], least), 1) for member in matches}
    rows = [
        Standing(
            member=member,
            place=1 + sum(scores[other] > scores[member] for other in matches if other in here),
            points=scores[member],
            matches=matches[member],
            wins=wins[member],
            nights=attended[member],
            nights_won=sum(member in night.winners for night in evenings),
            streak=_streak(member, evenings),
        )
        for member in matches
        if member in here
    ]
    return tuple(sorted(rows, key=lambda row: (row.place, -row.wins, row.member)))


def _ids(group: Group) -> frozenset[int]:
    return frozenset(member.id for member in group.present)


def _place_points(places: Mapping[int, int]) -> dict[int, int]:
    taken = sorted(places.values())
    return {member: PLACE_POINTS.get(1 + bisect_left(taken, place), 0) for member, place in places.items()}


def _rated(played: Iterable[PlayedMatch], members: Sequence[int]) -> dict[int, float]:
    """Return the rating of each member: how strong they are after these matches, with one decimal."""
    numbers = {member: number for number, member in enumerate(members)}
    outcomes = [
        ([numbers[member] for member in match.places], list(match.places.values()))
        for match in played
        if len(match.places) > 1
    ]
    rated = ratings(outcomes, len(members))
    return {member: round(rated[number].strength, 1) for member, number in numbers.items()}


def _streak(member: int, evenings: Sequence[Night]) -> int:
    """Return how many of the latest nights that a member played the member won. `evenings`: the latest first."""
    streak = 0
    for night in evenings:
        if member in night.winners:
            streak += 1
        elif member in night.points:
            break
    return streak


def nights(group: Group, played: Iterable[PlayedMatch]) -> tuple[Night, ...]:
    """Return the nights of these matches, the latest first."""
    by_date, here = defaultdict[str, list[PlayedMatch]](list), _ids(group)
    for match in played:
        by_date[match.date].append(match)
    evenings = []
    for date, matches in sorted(by_date.items(), reverse=True):
        points, guessed = Counter[int](), Counter[int]()
        for match in matches:
            points.update(match.points)
            guessed.update({seat.member: seat.guessed for seat in match.result.seats if seat.member in match.places})
        most = max(points.values(), default=0)
        present = {member: amount for member, amount in points.items() if member in here}
        winners = tuple(member for member, amount in present.items() if amount == most > 0)
        guesses = {member: amount for member, amount in guessed.items() if amount and member in here}
        votes = [liar for voter, liar in group.votes.get(date, {}).items() if {voter, liar} <= present.keys()]
        refs = tuple(match.ref for match in matches)
        evenings.append(Night(date, winners, present, guesses, dict(Counter(votes)), refs))
    return tuple(evenings)


def rivalries(group: Group, played: Iterable[PlayedMatch]) -> dict[int, tuple[Rivalry, ...]]:
    """Return how each member stands against those whom they have met, the one who caught them most first."""
    caught, beaten = defaultdict[tuple[int, int], int](int), defaultdict[tuple[int, int], int](int)
    latest = dict[tuple[int, int], PlayedMatch]()
    for match in played:
        places = match.places
        for pair in combinations(sorted(places, key=places.__getitem__), 2):
            beaten[pair] += places[pair[0]] < places[pair[1]]
        owners = _owners(match)
        for catcher, liar in match.result.catches:
            if catcher in owners and liar in owners:
                pair = owners[catcher], owners[liar]
                caught[pair] += 1
                latest[pair] = match
    here = _ids(group)
    return {
        member: tuple(
            sorted(
                (
                    Rivalry(
                        other,
                        caught[member, other],
                        caught[other, member],
                        beaten[member, other],
                        beaten[other, member],
                        latest[other, member].ref if (other, member) in latest else None,
                    )
                    for other in here - {member}
                    if (member, other) in beaten or (other, member) in beaten
                ),
                key=lambda row: (-row.caught_by, -row.caught, row.other),
            )
        )
        for member in here
    }


def _owners(match: PlayedMatch) -> dict[int, int]:
    """Return the members whose result counts, by their seats."""
    return {
        number: seat.member
        for number, seat in enumerate(match.result.seats)
        if seat.member is not None and seat.member in match.places
    }


def records(group: Group, played: Iterable[PlayedMatch]) -> GroupRecords:
    """Return the records of a group. The earliest of equal ones holds; what bots and guests did counts for nobody."""
    here = _ids(group)
    bold, tight = list[GroupRecord](), list[GroupRecord]()
    lists = dict(zip(RECORDED, (bold, tight), strict=True))
    caught, where = defaultdict[tuple[str, int], int](int), dict[tuple[str, int], MatchRef]()
    longest: Evening | None = None
    for match in played:
        result = match.result
        owners, ref = _owners(match), match.ref
        if match.places and (longest is None or result.longest[1] > longest.count):
            longest = Evening(result.longest[1], ref)
        for award in result.awards:
            member = owners.get(award.seat)
            if member is not None and member in here:
                lists[award.kind].append(GroupRecord(member, award, ref))
        for catcher, _ in result.catches:
            member = owners.get(catcher)
            if member is not None and member in here:
                caught[match.date, member] += 1
                where[match.date, member] = ref
    most = max(caught, key=lambda night: caught[night], default=None)
    return GroupRecords(
        boldest=min(bold, key=lambda record: record.award.p or 0, default=None),
        tightest=min(tight, key=lambda record: (_margin(record.award), record.award.dice), default=None),
        most_caught=None if most is None else Evening(caught[most], where[most], most[1]),
        longest=longest,
    )


def _margin(award: Award) -> int:
    """Return how many dice more or fewer would have changed the outcome of a call."""
    return 0 if award.bid is None else abs(award.count - award.bid.quantity)


def with_winners(season: Season, rows: Sequence[Standing]) -> Season:
    """Return a season with those who have the first place in its standings."""
    first = [row for row in rows if row.place == 1]
    winners = tuple(row.member for row in first)
    return replace(season, winners=winners, points=first[0].points if first else 0.0)
