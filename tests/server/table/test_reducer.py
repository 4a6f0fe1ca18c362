"""What a table remembers of the requests that were handled, of accusations, and of the matches of a series."""

import itertools
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from liarsdice.core.actions import Challenge
from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import IllegalActionError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import Hand
from liarsdice.server.errors import ForbiddenError, StaleError
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.protocol.views import public_table
from liarsdice.server.table import commands as c
from liarsdice.server.table import log_entries as e
from liarsdice.server.table import reducer as known
from liarsdice.server.table.command_handler import Attendance, deal_entries, handle_command
from liarsdice.server.table.deadlines import AWAY_MS
from liarsdice.server.table.dice_source import DiceSource
from liarsdice.server.table.log_entries import AccusationDenied, AccusationSettled, Accused
from liarsdice.server.table.reducer import is_accused, replay_log, with_accusations
from liarsdice.server.table.table_config import Clock, TableConfig
from liarsdice.server.table.table_state import TableState
from tests.server.live_tables import (
    START_MS,
    RecordingSubscriber,
    begin_match,
    fake_clock,
    make_config,
    make_table,
    match_of,
    open_registry,
)

PEOPLE = ("ann", "bo", "cy")


def remembered(rows: list[e.LogRow]) -> list[str]:
    table = replay_log(rows)
    assert table is not None
    return list(table.handled_requests)


def expected_requests(rows: list[e.LogRow]) -> list[str]:
    """The definition: not too old, and among the latest of all or among the latest of its sender."""
    requests = [(row.seq, row.request_id) for row in rows if row.request_id]
    last_seq = requests[-1][0] if requests else 0
    young = [key for seq, key in requests if seq >= last_seq - known.MAX_REQUEST_AGE]
    latest = set(young[-known.MAX_HANDLED_REQUESTS :])
    for person in PEOPLE:
        latest.update([key for key in young if key.startswith(f"{person}:")][-known.MAX_REQUESTS_OF_ONE :])
    return [key for key in young if key in latest]


@pytest.mark.parametrize("seed", range(30))
def test_a_table_remembers_the_latest_requests_of_all_and_of_each(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It also remembers the same ones if the log has lost the entries before the oldest of them, as with old talk."""
    monkeypatch.setattr(known, "MAX_HANDLED_REQUESTS", 6)
    monkeypatch.setattr(known, "MAX_REQUESTS_OF_ONE", 2)
    monkeypatch.setattr(known, "MAX_REQUEST_AGE", 40)
    rng = random.Random(seed)
    opened = e.LogRow(1, START_MS, "", e.Opened("ABCD", make_config()))
    joined = e.LogRow(2, START_MS, "", e.Joined(1, "Ann", "token"))
    rows = [opened, joined]
    for seq in range(3, 120):
        person = rng.choices(PEOPLE, (1, 20, 3))[0]
        request_id = f"{person}:r{seq}" if rng.random() < 0.7 else ""
        rows.append(e.LogRow(seq, START_MS + seq, request_id, e.Spoke(1, "hm")))
        found = remembered(rows)
        assert found == expected_requests(rows)
        oldest = next((row.seq for row in rows if found and row.request_id == found[0]), seq)
        kept = [opened, joined, *(row for row in rows[2:] if row.seq >= oldest or rng.random() < 0.5)]
        assert remembered(kept) == found


Submit = Callable[[str, c.Command], Awaitable[TableState]]
TURN = PenaltyTrigger.ASKS_WHOSE_TURN


def test_an_accusation_stays_open_when_it_is_denied_and_ends_when_it_is_settled() -> None:
    table = TableState(code="FLEA", config=make_config())
    accused = with_accusations(with_accusations(table, Accused(1, 7, TURN)), Accused(2, 8, TURN))
    assert [is_accused(accused, player) for player in (7, 8, 9)] == [True, True, False]
    assert accused.next_accusation == 3
    denied = with_accusations(accused, AccusationDenied(2))
    assert [item.denied for item in denied.accusations] == [False, True]
    settled = with_accusations(denied, AccusationSettled(2, taken=False, player=8, trigger=TURN))
    assert [is_accused(settled, player) for player in (7, 8)] == [True, False]


RULES = patched(preset("perudo").ruleset, penalties=(Penalty(trigger=TURN),))
ANN, BO, CY = map(hash_token, ("Ann", "Bo", "Cy"))


@asynccontextmanager
async def accused_player(path: Path, *names: str, accuser: str, accused: int) -> AsyncIterator[Submit]:
    """A match in which a player is accused by another one; what gives commands, and then returns the table."""
    async with open_registry(path) as registry:
        live_table = await make_table(registry, *names, config=make_config(RULES))
        await begin_match(registry, live_table)
        count = itertools.count()

        async def submit(token_hash: str, command: c.Command) -> TableState:
            await registry.submit(live_table, token_hash, f"{next(count)}", command)
            return await live_table.state()

        await submit(hash_token(accuser), c.Accuse(accused, TURN))
        yield submit


def owed(table: TableState) -> int:
    match = public_table(table, None).match
    assert match is not None
    return sum(match.pending)


async def test_a_host_who_accuses_decides_nothing(tmp_path: Path) -> None:
    async with accused_player(tmp_path / "db", "Ann", "Bo", "Cy", accuser="Ann", accused=2) as submit:
        with pytest.raises(ForbiddenError, match="no part in this"):
            await submit(ANN, c.AnswerPenalty(1, take=True))
        with pytest.raises(ForbiddenError, match="no part in this"):
            await submit(CY, c.AnswerPenalty(1, take=True))  # Bo has not denied it yet
        table = await submit(BO, c.AnswerPenalty(1, take=False))
        assert [(known.judges, known.accuser) for known in public_table(table, None).accusations] == [((3,), 1)]
        for token_hash, error in ((ANN, ForbiddenError), (BO, StaleError), (hash_token("Eve"), ForbiddenError)):
            with pytest.raises(error):
                await submit(token_hash, c.AnswerPenalty(1, take=True))
        table = await submit(CY, c.AnswerPenalty(1, take=True))
        assert (table.accusations, owed(table)) == ((), 1)


@pytest.mark.parametrize("names, judges", [(("Ann", "Bo"), []), (("Ann", "Bo", "Cy"), [(3,)])])
async def test_an_accusation_that_is_left_unanswered_counts_as_denied_with_the_next_deal(
    tmp_path: Path, names: tuple[str, ...], judges: list[tuple[int, ...]]
) -> None:
    async with accused_player(tmp_path / "db", *names, accuser="Ann", accused=2) as submit:
        table = await submit(ANN, c.Say("Well?"))
    assert table.match is not None
    assert [item.judges for item in public_table(table, None).accusations] == [()]
    called = replace(table, match=replace(table.match, state=replace(table.match.state, phase=Phase.DEAL)))
    *denied, _dealt = deal_entries(called, DiceSource())
    for entry in denied:
        assert isinstance(entry, AccusationDenied | AccusationSettled)
        table = with_accusations(table, entry)
    assert [item.judges for item in public_table(table, None).accusations] == judges


async def test_nobody_accuses_themselves(tmp_path: Path) -> None:
    with pytest.raises(IllegalActionError, match="only another player"):
        async with accused_player(tmp_path / "db", "Ann", "Bo", accuser="Bo", accused=2):
            pass


async def test_a_denied_accusation_that_nobody_else_can_decide_is_dropped(tmp_path: Path) -> None:
    async with accused_player(tmp_path / "db", "Ann", "Bo", accuser="Ann", accused=2) as submit:
        table = await submit(BO, c.AnswerPenalty(1, take=False))
        assert (table.accusations, owed(table)) == ((), 0)


@pytest.mark.parametrize("names, judges", [(("Ann", "Bo"), []), (("Ann", "Bo", "Cy"), [(1, 3)])])
async def test_between_two_people_the_opponent_does_not_decide_what_a_line_of_talk_shows(
    registry: TableRegistry, names: tuple[str, ...], judges: list[tuple[int, ...]]
) -> None:
    live_table = await make_table(registry, *names, config=make_config(RULES))
    await begin_match(registry, live_table)
    await registry.submit(live_table, BO, "said", c.Say("Whose turn is it?"))
    assert [item.judges for item in public_table(await live_table.state(), None).accusations] == [()]
    await registry.submit(live_table, BO, "denied", c.AnswerPenalty(1, take=False))
    assert [item.judges for item in public_table(await live_table.state(), None).accusations] == judges


async def test_a_host_who_is_accused_does_not_let_it_pass(tmp_path: Path) -> None:
    async with accused_player(tmp_path / "db", "Ann", "Bo", "Cy", accuser="Bo", accused=1) as submit:
        table = await submit(ANN, c.AnswerPenalty(1, take=False))
        assert [known.denied for known in table.accusations] == [True]
        with pytest.raises(ForbiddenError):
            await submit(BO, c.AnswerPenalty(1, take=True))
        table = await submit(CY, c.AnswerPenalty(1, take=False))
        assert (table.accusations, owed(table)) == ((), 0)


async def test_who_accused_somebody_can_withdraw_it(tmp_path: Path) -> None:
    async with accused_player(tmp_path / "db", "Ann", "Bo", "Cy", accuser="Cy", accused=2) as submit:
        table = await submit(CY, c.AnswerPenalty(1, take=False))
        assert (table.accusations, owed(table)) == ((), 0)


FIVE = ("Ann", "Bo", "Cy", "Di", "Eve")
FOUR = FIVE[:4]


@pytest.mark.parametrize(
    "names, accuser, votes, left, penalty",
    [
        (FIVE, "Eve", "Ann+ Cy+", [], 1),  # two of three
        (FIVE, "Eve", "Cy- Di-", [], 0),
        (FIVE, "Eve", "Cy+ Di-", [(1, 1)], 0),  # Ann is asked yet
        (FOUR, "Di", "Cy+", [(1, 0)], 0),
        (FOUR, "Di", "Cy+ Ann-", [], 0),  # a tie, which the host decides
        (FOUR, "Di", "Ann+ Cy-", [], 1),
        (FOUR, "Ann", "Cy+ Di-", [], 0),  # a tie, and the host accuses
    ],
)
async def test_the_players_who_have_no_part_vote_and_the_host_decides_a_tie(
    tmp_path: Path, names: tuple[str, ...], accuser: str, votes: str, left: list[tuple[int, int]], penalty: int
) -> None:
    async with accused_player(tmp_path / "db", *names, accuser=accuser, accused=2) as submit:
        table = await submit(BO, c.AnswerPenalty(1, take=False))
        for vote in votes.split():
            table = await submit(hash_token(vote[:-1]), c.AnswerPenalty(1, take=vote.endswith("+")))
        assert [(item.takes, item.passes) for item in public_table(table, None).accusations] == left
        assert owed(table) == penalty


async def test_nobody_votes_twice(tmp_path: Path) -> None:
    async with accused_player(tmp_path / "db", *FIVE, accuser="Ann", accused=2) as submit:
        await submit(BO, c.AnswerPenalty(1, take=False))
        table = await submit(CY, c.AnswerPenalty(1, take=True))
        assert [item.judges for item in public_table(table, None).accusations] == [(4, 5)]
        with pytest.raises(StaleError, match="have voted"):
            await submit(CY, c.AnswerPenalty(1, take=True))


@pytest.mark.parametrize("turn_s, penalty", [(None, 1), (3_600, 0)])
async def test_nobody_waits_for_the_votes_of_players_who_are_away_but_at_a_slow_table(
    registry: TableRegistry, turn_s: int | None, penalty: int
) -> None:
    live_table = await make_table(registry, *FIVE, config=make_config(RULES, clock=Clock(turn_s)))
    await begin_match(registry, live_table)
    await registry.submit(live_table, hash_token("Eve"), "accused", c.Accuse(2, TURN))
    await registry.submit(live_table, BO, "denied", c.AnswerPenalty(1, take=False))
    live_table.subscribe(RecordingSubscriber(CY))
    fake_clock(registry).time_ms += AWAY_MS
    await registry.submit(live_table, CY, "voted", c.AnswerPenalty(1, take=True))
    table = await live_table.state()
    assert (len(table.accusations), owed(table)) == (1 - penalty, penalty)


async def test_a_bot_that_stands_in_does_not_vote(tmp_path: Path) -> None:
    async with accused_player(tmp_path / "db", *FOUR, accuser="Cy", accused=2) as submit:
        await submit(ANN, c.StandIn(4, bot=True))
        table = await submit(BO, c.AnswerPenalty(1, take=False))
        assert [item.judges for item in public_table(table, None).accusations] == [(1,)]


@pytest.mark.parametrize("accuser, judges", [("Eve", [(1,)]), ("Ann", [])])
async def test_after_a_whole_round_of_voting_the_host_decides_or_nobody_pays(
    tmp_path: Path, accuser: str, judges: list[tuple[int, ...]]
) -> None:
    async with accused_player(tmp_path / "db", *FIVE, accuser=accuser, accused=2) as submit:
        await submit(BO, c.AnswerPenalty(1, take=False))
        table = await submit(CY, c.AnswerPenalty(1, take=True))
    for number in (1, 2):
        assert table.match is not None
        open_before = [item.judges for item in public_table(table, None).accusations]
        assert open_before == [tuple(player for player in (1, 4, 5) if FIVE[player - 1] != accuser)]
        state = replace(table.match.state, phase=Phase.DEAL, round_number=number)
        entries = deal_entries(replace(table, match=replace(table.match, state=state)), DiceSource())
        table = replace(table, match=replace(table.match, state=replace(state, round_number=number + 1)))
        for entry in entries[:-1]:
            assert isinstance(entry, AccusationSettled)
            table = with_accusations(table, entry)
    assert [item.judges for item in public_table(table, None).accusations] == judges
    if judges:
        with pytest.raises(ForbiddenError):
            decide_penalty(table, 4)
        assert decide_penalty(table, 1) == [AccusationSettled(1, taken=False, player=2, trigger=TURN)]


def decide_penalty(table: TableState, player_id: int) -> list[e.LogEntry]:
    player = table.player(player_id)
    assert player is not None
    return handle_command(
        table,
        player,
        c.AnswerPenalty(1, take=False),
        turn_id=0,
        left_ms=None,
        dice_source=DiceSource(),
        attendance=Attendance(),
    )


def match_won(
    table: TableState, bid: Bid, hands: tuple[Hand, ...] = ((6,), (2,)), *, gone: int | None = None
) -> TableState:
    """The table after a match that ends with a challenge of the bid of seat 0, made with these hands.

    `gone`: the id of the player who leaves it.
    """
    table = after(table, e.SeedCommitted("s" * 32), e.MatchBegan(1 if table.match is None else table.match.number + 1))
    match = match_of(table)
    dice = tuple(map(len, hands))
    state = replace(match.state, phase=Phase.BIDDING, dice=dice, hands=hands, turn=0, starter=0, round_number=3)
    table = replace(table, match=replace(match, state=state))
    table = table if gone is None else after(table, e.Left(gone))
    moves: tuple[Bid | Challenge, ...] = (bid, Challenge())
    for seat, move in enumerate(moves):
        table = after(table, e.Played(tuple(decide(match_of(table).state, seat, move)), seat))
    assert match_of(table).over
    return table


def after(table: TableState, *entries: e.LogEntry) -> TableState:
    for entry in entries:
        table = known.apply_row(table, e.LogRow(table.seq + 1, START_MS, "", entry))
    return table


def wins(table: TableState) -> dict[str, int]:
    return {player.name: player.wins for player in table.players}


ANN_WINS, BO_WINS = Bid(1, 6), Bid(2, 6)
"""What seat 0 bids with a six, against the two of seat 1, who challenges it."""
SERIES = make_config("basic", best_of=3)


def series_table(config: TableConfig = SERIES) -> TableState:
    table = known.apply_row(None, e.LogRow(1, START_MS, "", e.Opened("FLEA", config)))
    return after(table, e.Joined(1, "Ann", "ann"), e.HostChanged(1), e.Joined(2, "Bo", "bo"))


def test_a_series_goes_on_without_who_leaves_and_with_who_comes() -> None:
    table = match_won(series_table(), ANN_WINS)
    table = match_won(after(table, e.Joined(3, "Cy", "cy"), e.Left(2)), BO_WINS)
    assert (wins(table), table.series_winner) == ({"Ann": 1, "Cy": 1}, None)
    table = match_won(after(table, e.Left(1), e.Joined(4, "Ann", "ann")), BO_WINS)
    assert (wins(table), public_table(table, None).series_winner) == ({"Cy": 1, "Ann": 1}, None)


def test_the_winner_of_a_series_is_shown_until_the_next_match_also_after_leaving() -> None:
    table = match_won(match_won(series_table(), BO_WINS), BO_WINS)
    assert public_table(table, None).series_winner == 2
    table = after(table, e.Left(2))
    assert (wins(table), public_table(table, None).series_winner) == ({"Ann": 0, "Bo": 2}, 2)
    table = match_won(after(table, e.Joined(3, "Cy", "cy")), ANN_WINS)
    assert (wins(table), public_table(table, None).series_winner) == ({"Ann": 1, "Cy": 0}, None)


def test_another_game_keeps_the_series_and_another_length_begins_a_new_one() -> None:
    table = match_won(series_table(), ANN_WINS)
    table = after(table, e.ConfigChanged(replace(SERIES, ruleset=preset("perudo").ruleset)))
    assert wins(table) == {"Ann": 1, "Bo": 0}
    table = after(table, e.ConfigChanged(replace(SERIES, best_of=5)))
    assert wins(table) == {"Ann": 0, "Bo": 0}


def test_a_match_that_is_shared_or_won_in_the_seat_of_a_leaver_counts_for_nobody() -> None:
    rounds = patched(SERIES.ruleset, guards__max_rounds=3)
    table = match_won(series_table(replace(SERIES, ruleset=rounds)), Bid(3, 6), ((6, 6), (2,)))
    assert match_of(table).state.winners == (0, 1)
    assert wins(table) == {"Ann": 0, "Bo": 0}
    table = match_won(series_table(), ANN_WINS, gone=1)
    assert match_of(table).state.winners == (0,)
    assert wins(table) == {"Ann": 0, "Bo": 0}


def test_matches_of_a_table_without_a_series_are_not_counted() -> None:
    assert wins(match_won(series_table(make_config("basic")), ANN_WINS)) == {"Ann": 0, "Bo": 0}
