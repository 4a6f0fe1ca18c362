"""Accusations open, may be denied, and are settled."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.rules.presets import preset
from liarsdice.server.errors import ForbiddenError, StaleError
from liarsdice.server.http.auth import hash_token
from liarsdice.server.protocol.views import public_table
from liarsdice.server.table import commands as c
from liarsdice.server.table.log_entries import AccusationDenied, AccusationSettled, Accused
from liarsdice.server.table.reducer import is_accused, with_accusations
from liarsdice.server.table.table_state import TableState
from tests.server.live_tables import begin_match, make_config, make_table, open_registry

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
        assert [known.judges for known in public_table(table, None).accusations] == [(3,)]
        for token_hash, error in ((ANN, ForbiddenError), (BO, StaleError), (hash_token("Eve"), ForbiddenError)):
            with pytest.raises(error):
                await submit(token_hash, c.AnswerPenalty(1, take=True))
        table = await submit(CY, c.AnswerPenalty(1, take=True))
        assert (table.accusations, owed(table)) == ((), 1)


async def test_a_denied_accusation_that_nobody_else_can_decide_is_dropped(tmp_path: Path) -> None:
    async with accused_player(tmp_path / "db", "Ann", "Bo", accuser="Ann", accused=2) as submit:
        table = await submit(BO, c.AnswerPenalty(1, take=False))
        assert (table.accusations, owed(table)) == ((), 0)


@pytest.mark.parametrize("names, judges", [(("Ann", "Bo"), ()), (("Ann", "Bo", "Cy"), (1,))])
async def test_between_two_people_the_opponent_does_not_decide_what_a_line_of_talk_shows(
    tmp_path: Path, names: tuple[str, ...], judges: tuple[int, ...]
) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, *names, config=make_config(RULES))
        await begin_match(registry, live_table)
        await registry.submit(live_table, BO, "said", c.Say("Whose turn is it?"))
        assert [item.judges for item in public_table(await live_table.state(), None).accusations] == [judges]
        await registry.submit(live_table, BO, "denied", c.AnswerPenalty(1, take=False))
        assert len((await live_table.state()).accusations) == len(judges)


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
