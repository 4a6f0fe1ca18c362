"""Matches side by side, played a step at a time: for minds that decide about many at once, and for training."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.sim import array_schema as f
from liarsdice.sim import kernels as play
from liarsdice.sim.compile import Compiled
from liarsdice.sim.policies import Mind, Uniform, minds_of

Ints = f.Ints
ENDLESS = 2**31 - 1
"""More rounds than any match has."""


def table_of(rules: Compiled, count: int) -> f.TableArrays:
    """Room for so many matches."""
    seats, faces = rules.seats, rules.ruleset.dice.faces
    return f.TableArrays(
        now=np.zeros((count, f.NOW_NUMBERS), np.int32),
        seats=np.zeros((count, seats, f.SEAT_NUMBERS), np.int32),
        hands=np.zeros((count, seats, faces), np.int32),
        open=np.zeros((count, 2, len(rules.arrays.faces)), np.int32),
        history=np.zeros((count, rules.longest_round, 2), np.int32),
        chance=np.zeros(count, np.uint64),
    )


class Batch:
    """So many matches under the same rules. All arrays are int32 and say what is now; they are not to be written to.

    `table` holds them all, by the names in `fields`; the properties are windows into it. Match `i` has its own chance:
    number `first + i` of the seed, whatever the other matches do. Steps release the interpreter, so that two batches
    can be played by two threads.

    >>> from liarsdice.core.rules.presets import preset
    >>> from liarsdice.sim.compile import compiled
    >>> batch = Batch(compiled(preset("perudo").ruleset, 3), 1000, seed=7)
    >>> while not batch.over.all():
    ...     may = batch.legal()
    ...     batch.step(np.where(batch.over, -1, may.argmax(axis=1)))  # the first that is legal
    >>> int(batch.won.sum())
    1000
    """

    def __init__(
        self,
        rules: Compiled,
        count: int,
        *,
        seed: int = 0,
        first: int = 0,
        starters: ArrayLike = -1,
        special: int = -1,
        deals: bool = True,
    ) -> None:
        self.rules = rules
        self.table = table_of(rules, count)
        self._minds: dict[tuple[Mind, ...], f.Minds] = {}
        play.seed_all(self.table, seed, first)
        self.restart(np.ones(count, np.bool_), starters=starters, special=special, deals=deals)

    def __len__(self) -> int:
        return len(self.table.now)

    def restart(
        self,
        which: NDArray[np.bool_] | None = None,
        *,
        starters: ArrayLike = -1,
        dice: ArrayLike | None = None,
        special: int = -1,
        deals: bool = True,
    ) -> NDArray[np.bool_]:
        """Begin anew the matches chosen, without `which` those that are over; the answer is which.

        `starters`: by match who opens, -1 by chance. `dice`: by match and seat what each begins with, at most what the
        rules were compiled for, 0 for who does not play. `special`: whose special round the first is, -1 for nobody's.
        With `deals` it is dealt at once.
        """
        count, seats = len(self), self.rules.seats
        chosen = self.over if which is None else np.ascontiguousarray(which, np.bool_)
        opens = np.ascontiguousarray(np.broadcast_to(np.asarray(starters, np.int32), (count,)))
        holds = np.asarray(self.rules.dice if dice is None else dice, np.int32)
        holds = np.ascontiguousarray(np.broadcast_to(holds, (count, seats)))
        if (holds > self.rules.dice).any() or (holds < 0).any() or ((holds > 0).sum(axis=1) < 2).any():
            raise MalformedError(f"each match begins with at most {self.rules.dice} dice, at least two seats with some")
        if (opens >= seats).any() or (holds[np.arange(count), opens] == 0)[opens >= 0].any():
            raise MalformedError("who opens a match is a seat with dice, or -1 for one by chance")
        play.begin_all(self.rules.arrays, self.table, chosen, opens, holds, special)
        if deals:
            self.deal()
        return chosen

    def deal(self, hands: Sequence[Sequence[Sequence[int]]] | None = None) -> None:
        """Begin the next round wherever one is awaited, with dice by chance, or with these.

        `hands`: by match and seat the faces from 1; those of matches that await no deal are passed over. Raises
        `MalformedError` for hands that are no such dice.
        """
        if hands is None:
            self._play((False, False, False, True, ENDLESS))
            return
        awaited = np.flatnonzero(self.table.now[:, f.PHASE] == f.DEAL)
        found = np.zeros_like(self.table.hands)
        for match in awaited.tolist():
            for seat, hand in enumerate(hands[match]):
                held = int(self.dice[match, seat])
                if len(hand) != held or not all(1 <= face <= found.shape[2] for face in hand):
                    raise MalformedError(f"seat {seat} of match {match} rolls {held} dice, not {hand!r}")
                np.add.at(found[match, seat], np.array(hand, np.int64) - 1, 1)
        self.table.hands[awaited] = found[awaited]
        self._play((False, False, False, False, ENDLESS))

    def legal(self, seats: ArrayLike | None = None) -> NDArray[np.bool_]:
        """`bool[match, action]`: what one seat of each match may do now; without `seats` the one on turn.

        All False for a seat of -1, where a deal is awaited, and after the end.
        """
        found = np.empty((len(self), self.rules.actions), np.bool_)
        play.legal_all(self.rules.arrays, self.table, self._seats(seats), found)
        return found

    def step(self, actions: ArrayLike, seats: ArrayLike | None = None, *, deals: bool = True) -> None:
        """Do an action in each match: of the seat on turn, or of `seats`, who may call out of turn.

        `actions`: numbers as in `Compiled.number_of`, -1 for nothing. With `deals` the next round is dealt at once
        where one ends. Raises `IllegalActionError` and does nothing where any of them is not legal.
        """
        self._play((False, True, False, True, ENDLESS if deals else 0), actions, seats)

    def decided(self, minds: tuple[Mind, ...] = (Uniform(),), actions: ArrayLike | None = None) -> tuple[Ints, Ints]:
        """`int32[match]` twice: which seat does what next, by the minds in the seats; nothing is done yet.

        -1 where nobody is to act, and as the action of a seat that is asked and has none in `actions[match]`. A call
        out of turn stands before a bid of the seat on turn. Chance is the match's own.
        """
        return self._play((True, False, False, False, 0), actions, minds=minds)

    def advance(
        self, minds: tuple[Mind, ...] = (Uniform(),), actions: ArrayLike | None = None, *, rounds: int = ENDLESS
    ) -> None:
        """Play every match on until a seat that is asked is on turn, until round `rounds` is settled, or to its end.

        `minds` by seat, repeated in their order. `actions[match]`: what the seat on turn does first, where it is
        `Asked`; -1 elsewhere. Raises `IllegalActionError` as `step` does.
        """
        self._play((True, True, True, True, rounds), actions, minds=minds)

    def _play(
        self,
        how: tuple[bool, bool, bool, bool, int],
        actions: ArrayLike | None = None,
        seats: ArrayLike | None = None,
        *,
        minds: tuple[Mind, ...] = (Uniform(),),
    ) -> tuple[Ints, Ints]:
        """See `play.play_all`."""
        done = np.array(np.broadcast_to(f.SILENT, len(self)) if actions is None else actions, np.int32)
        if done.shape != (len(self),):
            raise MalformedError(f"{len(self)} matches need as many actions, not an array of {done.shape}")
        if minds not in self._minds:
            self._minds[minds] = minds_of(self.rules, minds)
        who = self._seats(seats).copy()
        wrong = play.play_all(self.rules.arrays, self.table, self._minds[minds], who, done, how)
        if wrong >= 0:
            number = int(done[wrong])
            named = repr(self.rules.action_at(number)) if 0 <= number < self.rules.actions else "no action"
            raise IllegalActionError(
                f"in match {wrong} seat {who[wrong]} may not do {number} ({named}); `legal` marks what it may do"
            )
        return who, done

    def _seats(self, seats: ArrayLike | None) -> Ints:
        if seats is None:
            return self.turn
        return np.ascontiguousarray(np.broadcast_to(np.asarray(seats, np.int32), (len(self),)))

    @property
    def over(self) -> NDArray[np.bool_]:
        """`bool[match]`: whether it has ended."""
        ended: NDArray[np.bool_] = self.now(f.PHASE) == f.OVER
        return ended

    @property
    def turn(self) -> Ints:
        """`int32[match]`: the seat that must act, -1 where a deal is awaited and after the end."""
        return np.where(self.now(f.PHASE) == f.BIDDING, self.now(f.TURN), np.int32(-1))

    @property
    def dice(self) -> Ints:
        """`[match, seat]`: dice held now."""
        return self.of_seats(f.DICE)

    @property
    def hands(self) -> Ints:
        """`[match, seat, face - 1]`: how many of its dice show a face. Secret from the other seats."""
        return self.table.hands

    @property
    def open(self) -> Ints:
        """`[match, 0 or 1, place]`: the fewest and the most dice of each face that the seat on turn may bid.

        Places are those of `Compiled.menu`. Where bids may not be repeated, `legal` knows which ones were made.
        """
        return self.table.open

    @property
    def history(self) -> Ints:
        """`[match, bid of the round, 0 or 1]`: who bid what; as many as `now(BIDS)` tells are of this round."""
        return self.table.history

    @property
    def won(self) -> NDArray[np.bool_]:
        """`bool[match, seat]`: who has won, which several may share."""
        won: NDArray[np.bool_] = self.of_seats(f.WON) == 1
        return won

    def now(self, number: int) -> Ints:
        """`[match]`: one of the numbers of a match, such as `fields.STANDING`, the standing bid, or -1."""
        return self.table.now[:, number]

    def of_seats(self, number: int) -> Ints:
        """`[match, seat]`: one of the numbers of a seat, such as `fields.LATEST`, its latest bid, or -1."""
        return self.table.seats[:, :, number]
