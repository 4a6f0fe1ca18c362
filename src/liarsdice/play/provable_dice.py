"""Provable dice: every die follows from seeds that server and players committed to, and anybody can verify them.

A commit-reveal scheme on both sides. Before a match, each player's page sends the SHA-256 of a seed, and
the server fixes a secret seed of its own. When the match begins, the server publishes its promise: one hash of its
commitment, the players' commitments and names, the rules, the version of the program and the key that signs records.
Only then do the pages reveal their seeds. The server reveals its own after the match. Nobody can choose a seed in
knowledge of another one. Limits: players can still tell each other their dice, and an operator can look at the dice
during play.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Sequence

import msgspec

from liarsdice.core.actions import Deal, RollAgain, RollForStart
from liarsdice.core.engine.evolve import evolve
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.errors import IllegalActionError, RecordError, counted
from liarsdice.core.events import Dealt, Event, Penalised, RolledAgain, StarterFound, StarterRolled
from liarsdice.core.records.record import PROTOCOL, Fairness, Record, recorded_start
from liarsdice.core.rules.choices import StarterMethod
from liarsdice.play.match import Dealer

BYTE_VALUES = 256


def commitment_to(seed: str) -> str:
    """Return the commitment to a seed: its SHA-256 in hexadecimal.

    >>> commitment_to("00")[:16]
    'f1534392279bddbf'
    """
    return hashlib.sha256(seed.encode()).hexdigest()


def match_promise(fairness: Fairness, engine: str, start_line: str) -> str:
    """Return the promise of a match: the SHA-256 of all that is fixed when the match begins.

    It is known before any seed is revealed, and the dice depend on it. `engine` is the version of the program,
    `start_line` the line of the record that starts the match.
    """
    lines = (
        f"liarsdice/{fairness.protocol}",
        fairness.code,
        str(fairness.number),
        fairness.commitment,
        fairness.key,
        *fairness.commitments,
        engine,
        start_line,
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


class HmacSource:
    """A `RandomSource` that derives every number from the seeds of a match and the label, by HMAC-SHA256.

    The key is `HMAC(server seed, protocol, promise, players' seeds)`. The byte stream of a label is
    `HMAC(key, label/0)`, `HMAC(key, label/1)` and so on. A byte b gives the number b mod n. Bytes among the last
    256 mod n values are skipped (rejection sampling), so that every number is equally likely.
    """

    def __init__(self, fairness: Fairness, promise: str) -> None:
        lines = (f"liarsdice/{fairness.protocol}", promise, *fairness.seeds)
        self._key = hmac.digest(fairness.server_seed.encode(), "\n".join(lines).encode(), "sha256")

    def draw_integers(self, label: str, below: int, count: int) -> tuple[int, ...]:
        """Return `count` integers, each uniform in 0..below-1, that depend on the label alone.

        Raises `IllegalActionError` unless `below` is 1 to 256.
        """
        if not 1 <= below <= BYTE_VALUES:
            raise IllegalActionError(f"seeds give numbers below 1 to {BYTE_VALUES}, not below {below}")
        numbers: list[int] = []
        usable = BYTE_VALUES - BYTE_VALUES % below
        for byte in self._bytes(label):
            if len(numbers) == count:
                break
            if byte < usable:
                numbers.append(byte % below)
        return tuple(numbers)

    def _bytes(self, label: str) -> Iterator[int]:
        """Yield the endless byte stream of a label."""
        counter = 0
        while True:
            yield from hmac.digest(self._key, f"{label}/{counter}".encode(), "sha256")
            counter += 1


class DiceCheck(msgspec.Struct, frozen=True):
    """How much was verified: `rolls` (deals, rolls for the start, dice rolled again), `dice` in them, and `rounds`.

    `promise` is what the server published when the match began.
    """

    rolls: int
    dice: int
    rounds: int
    promise: str


def verify_dice(record: Record) -> DiceCheck:
    """Recompute every die of a match from its seeds, and return how much was verified.

    Raises `RecordError` if the record has no seeds, if a seed does not match its commitment or the seats, if a seed was
    used twice, or if any die differs from the record; the error names the first one.
    """
    fairness = record.fairness
    if fairness is None:
        raise RecordError("the record has no seeds to check its dice by (only matches played on a server have them)")
    if fairness.protocol != PROTOCOL:
        raise RecordError(f"the dice were made by protocol {fairness.protocol}; this program checks {PROTOCOL}")
    _check_seeds(fairness, len(record.state.names))
    promise = match_promise(fairness, record.engine, record.start_line)
    return _check_events(record.events, Dealer(source=HmacSource(fairness, promise)), promise)


def _check_seeds(fairness: Fairness, seats: int) -> None:
    """Compare every seed with its commitment. Raises `RecordError`."""
    if commitment_to(fairness.server_seed) != fairness.commitment:
        raise RecordError("the server's seed is not the one that it promised: its hash is not the commitment")
    if len(fairness.seeds) != seats:
        raise RecordError(f"{counted(len(fairness.seeds), 'seed')} came for {seats} seats")
    used = [fairness.server_seed, *filter(None, fairness.seeds)]
    if len(set(used)) < len(used):
        raise RecordError("the same seed was used twice in this match")
    if len(fairness.commitments) != seats:
        raise RecordError(f"{counted(len(fairness.commitments), 'commitment')} came for {seats} seats")
    for seat, (commitment, seed) in enumerate(zip(fairness.commitments, fairness.seeds, strict=True), start=1):
        if seed and commitment_to(seed) != commitment:
            raise RecordError(f"the seed of seat {seat} is not the one that its player promised")
    promised = [fairness.commitment, *filter(None, fairness.commitments)]
    if len(set(promised)) < len(promised):
        raise RecordError("the same commitment was used twice in this match")


def _check_events(events: Sequence[Event], dealer: Dealer, promise: str) -> DiceCheck:
    """Compare every random result of an event log with the dealer's."""
    state = recorded_start(events)
    start_rolls = rolled_again = penalties = dice = 0
    for event in events[1:]:
        match event:
            case Dealt(hands):
                deal = dealer.action(_before_deal(state))
                _require_equal(deal.hands if isinstance(deal, Deal) else (), hands, f"round {state.round_number}")
                dice += sum(map(len, hands))
            case StarterRolled(rolls):
                roll = dealer.action(state, start_rolls)
                start_rolls += 1
                _require_equal(
                    roll.rolls if isinstance(roll, RollForStart) else (), rolls, f"roll {start_rolls} for the start"
                )
                dice += sum(map(len, rolls))
            case RolledAgain(_, hand):
                rolled = dealer.action(state)
                place = f"the dice rolled again with bid {len(state.bids)} of round {state.round_number}"
                _require_equal(rolled.hand if isinstance(rolled, RollAgain) else (), hand, place)
                rolled_again += 1
                dice += len(hand)
            case StarterFound(seat, method) if method is not StarterMethod.HIGH_ROLL:
                _require_equal(getattr(dealer.action(state), "seat", None), seat, "the first starter")
            case Penalised():
                penalty = dealer.penalty(state, event.seat, event.trigger, penalties, event.offence or "")
                penalties += 1
                _require_equal(penalty.taken, event.taken, f"the dice of penalty {penalties}")
            case _:
                pass
        state = evolve(state, event)
    return DiceCheck(start_rolls + rolled_again + state.round_number, dice, state.round_number, promise)


def _before_deal(state: State) -> State:
    """Return the state that the dealer was asked in, from that of a round that has begun without its dice."""
    return msgspec.structs.replace(state, phase=Phase.DEAL, round_number=state.round_number - 1)


def _require_equal(recomputed: object, recorded: object, subject: str) -> None:
    if recomputed != recorded:
        raise RecordError(f"{subject}: the seeds give {recomputed}, the record says {recorded}")
