"""Dice that nobody could choose: a seed the server promised, mixed with the players' own, and the check of both.

The server publishes the hash of its seed before it knows the players' seeds, and the seed itself after the match. What
this does not stop: players who tell each other their dice, and an operator who looks at the dice during play.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Sequence

import msgspec

from liarsdice.core.actions import Deal, RollForStart
from liarsdice.core.engine.evolve import evolve
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.errors import IllegalActionError, RecordError
from liarsdice.core.events import Dealt, Event, Penalised, StarterFound, StarterRolled
from liarsdice.core.records.fairness import PROTOCOL, Fairness
from liarsdice.core.records.record import Record, begun
from liarsdice.core.rules.choices import StarterMethod
from liarsdice.play.dealer import Dealer

BYTE_VALUES = 256


def commitment_to(server_seed: str) -> str:
    """The promise about a seed: its SHA-256 in hexadecimal.

    >>> commitment_to("00")[:16]
    'f1534392279bddbf'
    """
    return hashlib.sha256(server_seed.encode()).hexdigest()


class Derived:
    """Chance worked out from seeds and labels by HMAC-SHA256, each byte used or, to be fair, skipped.

    A byte b gives b mod n, unless it is one of the last 256 mod n values. More than 256 values are in no byte.
    """

    def __init__(self, fairness: Fairness) -> None:
        lines = (f"liarsdice/{fairness.protocol}", fairness.code, str(fairness.number), *fairness.seeds)
        self._key = hmac.digest(fairness.server_seed.encode(), "\n".join(lines).encode(), "sha256")

    def draws(self, label: str, below: int, count: int) -> tuple[int, ...]:
        """So many numbers of 0..below-1, the same whenever they are asked for. Raises `IllegalActionError`."""
        if not 1 <= below <= BYTE_VALUES:
            raise IllegalActionError(f"seeds give numbers below 1 to {BYTE_VALUES}, not below {below}")
        found: list[int] = []
        usable = BYTE_VALUES - BYTE_VALUES % below
        for byte in self._bytes(label):
            if len(found) == count:
                break
            if byte < usable:
                found.append(byte % below)
        return tuple(found)

    def _bytes(self, label: str) -> Iterator[int]:
        counter = 0
        while True:
            yield from hmac.digest(self._key, f"{label}/{counter}".encode(), "sha256")
            counter += 1


class Checked(msgspec.Struct, frozen=True):
    """What was checked: so many rolls, of so many dice, in so many rounds."""

    rolls: int
    dice: int
    rounds: int


def verify(record: Record) -> Checked:
    """Work out every die of a match again from its seeds. Raises `RecordError`, which names the first that differs."""
    fairness = record.fairness
    if fairness is None:
        raise RecordError("the record has no seeds to check its dice by (only matches played on a server have them)")
    if fairness.protocol != PROTOCOL:
        raise RecordError(f"the dice were made by protocol {fairness.protocol}; this release checks {PROTOCOL}")
    if commitment_to(fairness.server_seed) != fairness.commitment:
        raise RecordError("the server's seed is not the one that it promised: its hash is not the commitment")
    if len(fairness.seeds) != len(record.state.names):
        raise RecordError(f"{len(fairness.seeds)} seeds came for {len(record.state.names)} seats")
    return _checked(record.events, Dealer(chance=Derived(fairness)))


def _checked(events: Sequence[Event], dealer: Dealer) -> Checked:
    state = begun(events)
    rolled = penalties = dice = 0
    for event in events[1:]:
        match event:
            case Dealt(hands):
                wanted = dealer.action(_before_deal(state))
                _same(wanted.hands if isinstance(wanted, Deal) else (), hands, f"round {state.round_number}")
                dice += sum(map(len, hands))
            case StarterRolled(rolls):
                roll = dealer.action(state, rolled)
                _same(roll.rolls if isinstance(roll, RollForStart) else (), rolls, f"roll {rolled + 1} for the start")
                rolled += 1
                dice += sum(map(len, rolls))
            case StarterFound(seat, method) if method is not StarterMethod.HIGH_ROLL:
                _same(getattr(dealer.action(state), "seat", None), seat, "the first starter")
            case Penalised():
                drawn = dealer.penalty(state, event.seat, event.trigger, penalties)
                _same(drawn.taken, event.taken, f"the dice of penalty {penalties + 1}")
                penalties += 1
            case _:
                pass
        state = evolve(state, event)
    return Checked(rolled + state.round_number, dice, state.round_number)


def _before_deal(state: State) -> State:
    """A round that has begun without its dice, as it was when the dealer was asked for them."""
    return msgspec.structs.replace(state, phase=Phase.DEAL, round_number=state.round_number - 1)


def _same(worked_out: object, recorded: object, what: str) -> None:
    if worked_out != recorded:
        raise RecordError(f"{what}: the seeds give {worked_out}, the record says {recorded}")
