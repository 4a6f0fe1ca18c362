"""The state of a match, derived from its event log. Frozen; `evolve` returns the next one."""

import msgspec

from liarsdice.core.errors import MalformedError
from liarsdice.core.events import EndReason, Revealed
from liarsdice.core.rules.bid_space import BidSpace, highest_sum, is_face_off, max_quantity
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, Choice, Direction, PenaltyTrigger, RoundKind, Visibility
from liarsdice.core.rules.meaning import ante_of, possible_answers
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand, wilds_after_bid, wilds_in_challenge


class Phase(Choice):
    """What the match waits for: the first starter, the deal of a round, a player's move, or nothing.

    `ROLL_AGAIN`: the dice of the bidder, who showed some and rolls the others again, or of a player who rolls all.
    """

    STARTER = "starter"
    DEAL = "deal"
    BIDDING = "bidding"
    ROLL_AGAIN = "roll_again"
    OVER = "over"


class PendingPenalty(msgspec.Struct, frozen=True):
    """A penalty that is due at the end of the round."""

    seat: int
    trigger: PenaltyTrigger
    dice: int


class PublicState(msgspec.Struct, frozen=True, kw_only=True):
    """The part of the state that everybody may see.

    By seat: `names`, `dice` (held now), `lives` (left now; empty if losses cost dice), `exact_calls` (made so far in
    the match). Of the round: `starter`, `turn`, `bids` so far as (seat, bid), `wilds_count` (whether the special face
    is wild), `special_seat` (whose special round it is), `exempt` (seats that may change a locked face),
    `direction_chosen` (whether its starter has chosen the direction), `max_quantity` (the highest quantity that may be
    bid now, None for no limit). `had_special` are the seats that had a special round, `rolling` those that still roll
    for the first start, `penalties` those due at the end of the round. `revealed` is the last reveal of the match.
    `shown` are the dice that each seat has in the open; empty if nobody has shown any in this round.
    `passes` are those of the round as (seat, number of bids before it).
    `blind` are the seats that do not see their own dice in this round; with `open_hands`, each player with dice sees
    those of all others. `doubled_by` is the challenger whose call for twice the stake waits for an answer, `redoubled`
    whether the bidder has doubled it again. `kind` is what the opener of the round chose, None before and without that.
    `safe`, where players shed: those who are safe, as (seat, number of the round).
    `claimed`: whether the standing bid is claimed to be exactly right. `rerolls`: the seats that rolled their hands
    again in this round, in order.
    """

    ruleset: Ruleset
    names: tuple[str, ...]
    dice: tuple[int, ...]
    phase: Phase = Phase.STARTER
    rolling: tuple[int, ...] = ()
    round_number: int = 0
    direction: Direction = Direction.CLOCKWISE
    direction_chosen: bool = False
    starter: int = 0
    turn: int = 0
    max_quantity: int | None = None
    bids: tuple[tuple[int, Bid], ...] = ()
    wilds_count: bool = False
    special_seat: int | None = None
    had_special: tuple[int, ...] = ()
    exempt: tuple[int, ...] = ()
    exact_calls: tuple[int, ...] = ()
    penalties: tuple[PendingPenalty, ...] = ()
    revealed: Revealed | None = None
    winners: tuple[int, ...] = ()
    end_reason: EndReason | None = None
    lives: tuple[int, ...] = ()
    shown: tuple[Hand, ...] = ()
    blind: tuple[int, ...] = ()
    open_hands: bool = False
    passes: tuple[tuple[int, int], ...] = ()
    doubled_by: int | None = None
    redoubled: bool = False
    kind: RoundKind | None = None
    safe: tuple[tuple[int, int], ...] = ()
    claimed: bool = False
    rerolls: tuple[int, ...] = ()

    @property
    def kinds(self) -> tuple[RoundKind, ...]:
        """The kinds of which the opener chooses one before anything else; empty if there is no choice (any more)."""
        special = self.ruleset.special_round
        if special is None or special.visibility is not Visibility.CHOSEN or self.kind is not None or not self.blind:
            return ()
        return tuple(kind for kind in RoundKind if kind is not RoundKind.ORDINARY or self.special_seat is None)

    @property
    def first_safe(self) -> tuple[int, ...]:
        """The seats that were safe first, who win where players shed; empty while nobody is safe."""
        first = min((number for _, number in self.safe), default=0)
        return tuple(seat for seat, number in self.safe if number == first)

    @property
    def stakes(self) -> tuple[int, ...]:
        """What each seat has left of what losses cost: lives, or else dice."""
        return self.lives or self.dice

    @property
    def pot(self) -> int:
        """How many lives are in the pot of the round under way, as many from each player; 0 between rounds."""
        return ante_of(self.ruleset) * self.alive_count if self.phase in (Phase.BIDDING, Phase.ROLL_AGAIN) else 0

    @property
    def lives_in_hand(self) -> tuple[int, ...]:
        """The lives by seat that are not in the pot."""
        ante = ante_of(self.ruleset) if self.pot else 0
        return tuple(left - ante if held else left for left, held in zip(self.lives, self.dice, strict=False))

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The answers that the seat on turn may give to a challenge for twice the stake; empty without one."""
        if self.doubled_by is None:
            return ()
        return possible_answers(self.ruleset.challenge.answers, redoubled=self.redoubled)

    @property
    def bid(self) -> Bid | None:
        """The standing bid."""
        return self.bids[-1][1] if self.bids else None

    @property
    def bidder(self) -> int | None:
        """The seat that made the standing bid."""
        return self.bids[-1][0] if self.bids else None

    @property
    def passer(self) -> int | None:
        """The seat whose pass was the latest move; None if that was no pass."""
        return self.passes[-1][0] if self.passes and self.passes[-1][1] == len(self.bids) else None

    @property
    def roller(self) -> int | None:
        """The seat that rolls dice again in the phase `ROLL_AGAIN`; no rules let players both show dice and reroll."""
        return self.rerolls[-1] if self.rerolls else self.bidder

    def shown_by(self, seat: int) -> Hand:
        """Return the dice that a seat has in the open."""
        return self.shown[seat] if self.shown else ()

    def hidden_count(self, seat: int) -> int:
        """Return how many dice a seat has under its cup."""
        return self.dice[seat] - len(self.shown_by(seat))

    @property
    def special_round(self) -> bool:
        """Whether this round, or the one about to be dealt, is a special one."""
        return self.special_seat is not None

    @property
    def face_off(self) -> bool:
        """Whether the bids of this round are sums of the two dice in play; it is settled by the opening bid."""
        if self.bids:
            return self.bids[0][1].is_sum
        return not self.special_round and is_face_off(self.ruleset, self.dice)

    @property
    def face_locked(self) -> bool:
        """Whether the bids of this round must stay on the face of the bid before."""
        special = self.ruleset.special_round
        return self.special_seat is not None and special is not None and special.face_locked

    @property
    def wilds_in_challenge(self) -> bool:
        """Whether the special face is wild in the count of a challenge of the standing bid."""
        return wilds_in_challenge(self.ruleset, wilds_count=self.wilds_count, bid_count=len(self.bids))

    def wilds_if_bid(self, bid: Bid) -> bool:
        """Return whether the special face would be wild if this bid was made now, and challenged."""
        wilds = wilds_after_bid(
            self.ruleset, bid.face, wilds_count=self.wilds_count, opening=not self.bids, pure=bid.pure
        )
        return wilds_in_challenge(self.ruleset, wilds_count=wilds, bid_count=len(self.bids) + 1)

    @property
    def alive_count(self) -> int:
        """How many players still hold dice."""
        return len(self.dice) - self.dice.count(0)

    def alive(self) -> tuple[int, ...]:
        """Return the seats that still hold dice, in seat order."""
        return tuple(seat for seat, held in enumerate(self.dice) if held)


class State(PublicState, frozen=True, kw_only=True):
    """The whole state of a match. It holds every hand: never show it to a player, use `view`.

    `hands` by seat, empty between rounds; dice in the open come first. `bid_space` holds the bids of the ruleset.
    """

    bid_space: BidSpace
    hands: tuple[Hand, ...] = ()


def require_seat(seat: int, seat_count: int) -> None:
    """Raise `MalformedError` unless `seat` is a whole number from 0 to `seat_count` - 1."""
    if type(seat) is not int or not 0 <= seat < seat_count:
        raise MalformedError(f"no seat {seat!r:.80} at this table (seats 0 to {seat_count - 1})")


def next_seat(dice: tuple[int, ...], seat: int, direction: Direction) -> int:
    """Return the nearest seat with dice after `seat` in a direction; `seat` itself if no other has dice.

    >>> next_seat((5, 0, 5), 0, Direction.CLOCKWISE)
    2
    """
    count, step = len(dice), direction.step
    for distance in range(1, count + 1):
        neighbour = (seat + step * distance) % count
        if dice[neighbour]:
            return neighbour
    raise AssertionError("nobody holds dice")


def bid_limit(state: PublicState) -> int | None:
    """Return the largest quantity that may be bid with the dice in play, or the highest sum; None if there is no limit.

    It is kept as `max_quantity` during a round.
    """
    return highest_sum(state.ruleset, state.dice) if state.face_off else max_quantity(state.ruleset, state.dice)
