"""All tables of a server: found by their code, opened, woken when something is due, and let go when nobody looks on."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Set as AbstractSet

import structlog

from liarsdice.core.errors import MalformedError
from liarsdice.server.errors import ForbiddenError, NoTableError, TryAgainError
from liarsdice.server.live.live_table import Room, held_by
from liarsdice.server.live.timers import Clockwork
from liarsdice.server.services import House
from liarsdice.server.storage.store import StoreError
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.command_handler import check_seed, judge
from liarsdice.server.table.commands import AddBot, Command
from liarsdice.server.table.seating import sit
from liarsdice.server.table.table_config import Options, check_name, check_options
from liarsdice.server.table.table_state import TableState

LOG = structlog.get_logger()
LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
SHORTEST_CODE, LONGEST_CODE = 4, 8
TRIES_PER_LENGTH = 8
LONGEST_WISH = 40
SWEEP_S = 1.0
GRACE_MS = 1_000
IDLE_MS = 60_000
HOST_AWAY_MS = 30_000


class Rooms:
    """The tables that are awake here, and the way to wake any other."""

    def __init__(self, house: House) -> None:
        self.house = house
        self._awake: dict[str, tuple[Room, Clockwork]] = {}
        self._touched_ms: dict[str, int] = {}
        self._swept_ms = 0
        house.bus.listen(self._heard)

    @property
    def awake(self) -> AbstractSet[str]:
        """The codes of the tables that are in memory."""
        return self._awake.keys()

    async def room(self, code: str) -> Room:
        """The table with a code, awake. Raises `NoTableError` where there is none."""
        wanted = code.upper()
        if not SHORTEST_CODE <= len(wanted) <= LONGEST_CODE or not set(wanted) <= set(LETTERS):
            raise NoTableError("there is no such table; a code has four letters or digits, sometimes more")
        self._touched_ms[wanted] = self.house.now_ms()
        if wanted not in self._awake:
            room = self._wake(wanted)
            try:
                await room.table()
            except NoTableError:
                self._forget(wanted)
                raise
            return room
        room = self._awake[wanted][0]
        await room.table()
        return room

    def _wake(self, code: str) -> Room:
        room = Room(self.house, code)
        self._awake[code] = (room, Clockwork(self.house, room))
        self.house.meters.tables.set(len(self._awake))
        return room

    def _forget(self, code: str) -> None:
        found = self._awake.pop(code, None)
        self._touched_ms.pop(code, None)
        if found is not None:
            found[1].stop()
        self.house.meters.tables.set(len(self._awake))

    # ---- what can be done -----------------------------------------------------------------------------------------

    async def open(
        self, options: Options, name: str, holder: str, seed: str, bots: tuple[str, ...]
    ) -> tuple[Room, int]:
        """Open a table with its host and bots at it. Raises `MalformedError` for what no table can be."""
        check_options(options)
        check_name(name)
        check_seed(seed)
        if len(bots) >= options.seats:
            raise MalformedError(f"{len(bots)} bots and you do not fit on {options.seats} seats")
        for length in range(SHORTEST_CODE, LONGEST_CODE + 1):
            for _ in range(TRIES_PER_LENGTH):
                code = "".join(secrets.choice(LETTERS) for _ in range(length))
                if code in self._awake:
                    continue
                room = self._wake(code)
                if await room.open([e.Opened(code, options), e.Joined(1, name, holder, seed), e.HostMade(1)]):
                    self._touched_ms[code] = self.house.now_ms()
                    LOG.info("table_opened", rules=options.rules_name, seats=options.seats, bots=len(bots))
                    for bot in bots:
                        await self.ask(room, holder, f"bot{len((await room.table()).players)}", AddBot(bot))
                    return room, 1
                self._forget(code)
        raise TryAgainError("no free code was found for a table; try again")

    async def sit(self, room: Room, name: str, holder: str, seed: str, wish: str) -> int:
        """Give somebody a seat, once; who has one keeps it. Returns the player's id."""
        check_seed(seed)

        def deciding(table: TableState) -> list[e.Entry]:
            return [] if held_by(table, holder) else sit(table, name, holder, seed)

        await room.append(deciding, _wish(holder, wish))
        seated = held_by(await room.table(), holder)
        if seated is None:
            raise ForbiddenError("you have left this table; sit down anew")
        return seated.id

    async def ask(self, room: Room, holder: str, wish: str, command: Command, mark: int = 0) -> int:
        """Judge what the holder of a seat asks for, and do it. Returns the seq at which the table then stands."""

        def deciding(table: TableState) -> list[e.Entry]:
            who = held_by(table, holder)
            if who is None:
                raise ForbiddenError("that is for those who sit at this table")
            return judge(table, who, command, mark, room.left_ms(), self.house.chances, host_away=_away(room, table))

        return await room.append(deciding, _wish(holder, wish))

    async def share(self, room: Room, player: int, holder: str) -> None:
        """Let another device hold a seat, too. Raises `ForbiddenError` where it has one, or nobody has that seat."""

        def deciding(table: TableState) -> list[e.Entry]:
            one, held = table.player(player), held_by(table, holder)
            if one is None or one.gone:
                raise ForbiddenError("that seat is free by now; sit down anew")
            if held is not None and held.id != player:
                raise ForbiddenError(f"this device sits at the table already, as {held.name}")
            return [] if held else [e.HolderAdded(player, holder)]

        await room.append(deciding)

    # ---- what goes on by itself -----------------------------------------------------------------------------------

    def _heard(self, code: str, seq: int) -> None:
        found = self._awake.get(code)
        if found is not None and not found[0].busy and found[0].known is not None and found[0].known.seq < seq:
            _ = self.house.start(found[0].refresh())

    async def keep_going(self) -> None:
        """Note that this process is alive, wake what is due, let go of what nobody looks at; until cancelled."""
        while True:
            try:
                await self.house.store.alive(self.house.now_ms())
                await self.sweep()
            except StoreError as error:
                LOG.warning("store_failed", error=str(error))
            except Exception as error:  # noqa: BLE001  whatever it was, the next round may do better
                LOG.warning("round_failed", error=type(error).__name__)
            await asyncio.sleep(SWEEP_S)

    async def sweep(self) -> None:
        """Wake every table that is overdue and that nobody has woken, then let go of idle ones."""
        until_ms = self.house.now_ms() - GRACE_MS
        for code in await self.house.store.due(self._swept_ms, until_ms):
            found = self._awake.get(code)
            if found is not None and found[0].known is not None:
                continue
            try:
                await self.room(code)
            except TryAgainError:
                return  # the next round looks for the same tables again
            except Exception as error:  # noqa: BLE001  one log that cannot be read must not hold up the others
                LOG.warning("table_unreadable", error=type(error).__name__)
        self._swept_ms = until_ms
        self._let_go()

    def stop(self) -> None:
        """Let no table go on by itself any more."""
        for room, clockwork in self._awake.values():
            room.after.clear()
            clockwork.stop()

    def _let_go(self) -> None:
        now_ms = self.house.now_ms()
        for code, (room, _) in list(self._awake.items()):
            idle = now_ms - self._touched_ms.get(code, 0) > IDLE_MS
            soon = room.due_at_ms is not None and room.due_at_ms - now_ms < IDLE_MS
            if idle and not room.watchers and not room.busy and not soon:
                self._forget(code)


def _away(room: Room, table: TableState) -> bool:
    host = table.host
    return host is not None and not room.is_here(host) and room.away_ms(host) >= HOST_AWAY_MS


def _wish(holder: str, wish: str) -> str:
    if not 1 <= len(wish) <= LONGEST_WISH or not wish.isascii() or not wish.isprintable():
        raise MalformedError(f"the id of a wish is 1 to {LONGEST_WISH} letters, digits or signs")
    return f"{holder[:16]}:{wish}"
