"""Awards of a finished match, and the dice that the players held in each round.

Both are computed from the events of the whole match, so all hands are known. Probabilities are exact and from what the
player could know at the time: the dice that the player could see, and how many others there were.
"""

from collections.abc import Iterator, Sequence

import msgspec

from liarsdice.core.bids.odds import count_distribution, count_spec, p_true
from liarsdice.core.engine.evolve import evolve, initial_state
from liarsdice.core.engine.state import State
from liarsdice.core.engine.view import view
from liarsdice.core.events import (
    BidMade,
    Challenged,
    DoubleAnswered,
    Eliminated,
    Event,
    ExactCalled,
    MatchStarted,
    Revealed,
    RolledAgain,
    RoundStarted,
)
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, Choice
from liarsdice.core.rules.meaning import sheds
from liarsdice.core.rules.tally import Hand, hands_that_count, tally, wilds_in_challenge

MAX_P_OF_A_LIE = 0.5
MAX_P_OF_A_LUCKY_ROLL = 0.2
MIN_LUCKY_DICE = 2
MIN_ROUNDS_SURVIVED = 2


class AwardKind(Choice):
    """What an award is for."""

    BOLDEST_LIE = "boldest_lie"
    BEST_DOUBT = "best_doubt"
    LUCKIEST_ROLL = "luckiest_roll"
    TIGHTEST_CALL = "tightest_call"
    LONGEST_SURVIVOR = "longest_survivor"


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """What there was to see of a bid that was made or called: by whom, and the dice under all cups.

    `caller` is None if nobody called, and `exact` says whether the call was exact. By seat: the `hands`, `marked`, the
    positions (from 0) of the dice that count, and `counted`, the share of the count.
    """

    bidder: int
    caller: int | None
    exact: bool
    hands: tuple[Hand, ...]
    marked: tuple[tuple[int, ...], ...]
    counted: tuple[int, ...]


class Award(msgspec.Struct, frozen=True, kw_only=True):
    """An award for a seat, and what it is for.

    `bid` was made, or called, in round `round_number`, and `count` dice counted for it. `p` is a probability in 0..1
    and `dice` the number of dice that the seat held. Only what a bid or a call earned has a `scene`. By kind:

    - `BOLDEST_LIE`: the least likely of the false bids that nobody called; `p`: that it was, by what the bidder saw.
    - `BEST_DOUBT`: the likeliest bid that was challenged and false; `p`: that it was true, by what the challenger saw.
    - `LUCKIEST_ROLL`: the hand of which an unlikely `count` counted at a reveal; `p`: that so many or more do.
    - `TIGHTEST_CALL`: the call with a count nearest to the bid; the seat was right, as the caller or as the bidder.
    - `LONGEST_SURVIVOR`: `count` is the number of rounds that the seat began with its last die; `bid` is None.
    """

    kind: AwardKind
    seat: int
    round_number: int
    count: int
    dice: int
    bid: Bid | None = None
    p: float | None = None
    scene: Scene | None = None


def awards(events: Sequence[Event]) -> tuple[Award, ...]:
    """Return the awards of a finished match, at most one of each kind, in the order of `AwardKind`.

    `events` are all events of the match, from `MatchStarted` on. Of equal candidates the earliest gets the award. Bids
    on the sum of the dice get none.
    """
    lies, doubts, rolls, calls = list[Award](), list[Award](), list[Award](), list[tuple[tuple[int, int], Award]]()
    for played in _rounds(events):
        lies += _standing_lies(played)
        doubts += _right_doubts(played)
        rolls += _lucky_rolls(played)
        calls += _tight_calls(played)
    candidates = (
        min(lies, key=_p, default=None),
        max(doubts, key=_p, default=None),
        min(rolls, key=_p, default=None),
        min(calls, key=lambda call: call[0])[1] if calls else None,
        _longest_survivor(events),
    )
    return tuple(award for award in candidates if award is not None)


def dice_by_round(events: Sequence[Event]) -> tuple[tuple[int, ...], ...]:
    """Return the dice held by each seat at the start of each round, and after the last one; lives if losses cost lives.

    >>> from liarsdice.core.rules.presets import preset
    >>> dice_by_round([MatchStarted(preset("basic").ruleset, ("Ann", "Bo"))])
    ((5, 5),)
    """
    state, rounds = initial_state(_start_of(events)), list[tuple[int, ...]]()
    for event in events[1:]:
        if isinstance(event, RoundStarted):
            rounds.append(state.stakes)
        state = evolve(state, event)
    return (*rounds, state.stakes)


class _Round(msgspec.Struct):
    """A round: the state after each bid, and how it ended. A round that was broken off has no reveal."""

    bids: list[State] = []
    called_in: State | None = None
    call: Challenged | ExactCalled | None = None
    revealed: Revealed | None = None


def _rounds(events: Sequence[Event]) -> list[_Round]:
    state, rounds = initial_state(_start_of(events)), list[_Round]()
    for event in events[1:]:
        match event:
            case RoundStarted():
                rounds.append(_Round())
            case Challenged() | ExactCalled() if not event.bid.is_sum:
                rounds[-1].called_in, rounds[-1].call = state, event
            case Revealed() if not event.bid.is_sum:
                rounds[-1].revealed = event
            case DoubleAnswered(answer=Answer.FOLD):
                rounds[-1].bids = []  # nobody has seen whether they were true
            case _:
                pass
        state = evolve(state, event)
        if isinstance(event, BidMade) and not event.bid.is_sum:
            rounds[-1].bids.append(state)
        elif isinstance(event, RolledAgain) and not state.rerolls:
            rounds[-1].bids[-1] = state
    return rounds


def _start_of(events: Sequence[Event]) -> MatchStarted:
    start = events[0]
    assert isinstance(start, MatchStarted)
    return start


def _standing_lies(played: _Round) -> Iterator[Award]:
    """Yield the bids of a round that were false and that nobody called."""
    for state in played.bids[:-1] if played.call else played.bids:
        seat, bid = state.bids[-1]
        hands = hands_that_count(state.ruleset, state.hands, seat)
        found = tally(state.ruleset, hands, bid.face, wilds_count=state.wilds_count)
        p = _p_for(state, seat, wilds_count=state.wilds_count)
        if found.count < bid.quantity and p <= MAX_P_OF_A_LIE:
            scene = Scene(
                bidder=seat, caller=None, exact=False, hands=hands, marked=found.marked, counted=found.counted
            )
            yield _award(AwardKind.BOLDEST_LIE, state, seat, count=found.count, p=p, scene=scene)


def _right_doubts(played: _Round) -> Iterator[Award]:
    """Yield the challenge of a round if it was right. There are no odds for claims that a bid is exact."""
    state, call, revealed = played.called_in, played.call, played.revealed
    if state and revealed and isinstance(call, Challenged) and not revealed.bid_true and revealed.claim is not True:
        wilds = wilds_in_challenge(state.ruleset, wilds_count=state.wilds_count, bid_count=len(state.bids))
        p = _p_for(state, call.seat, wilds_count=wilds)
        scene = _scene_of(call, revealed)
        yield _award(AwardKind.BEST_DOUBT, state, call.seat, count=revealed.count, p=p, scene=scene)


def _lucky_rolls(played: _Round) -> Iterator[Award]:
    """Yield the revealed hands of which more dice counted than is likely."""
    state, revealed = played.called_in, played.revealed
    if not state or not revealed:
        return
    spec = count_spec(state.ruleset, revealed.bid.face, wilds_count=revealed.wilds_counted)
    spec = msgspec.structs.replace(spec, needs_natural=False)  # the reveal has decided whether wild dice count
    for seat, counted in enumerate(revealed.counted):
        if state.shown_by(seat):
            continue  # not one roll alone
        rolls = count_distribution(spec, (), (len(revealed.hands[seat]),), (state.ruleset.dice.faces_at(seat),))
        p = sum(rolls[counted:]) / sum(rolls)
        if counted >= MIN_LUCKY_DICE and p <= MAX_P_OF_A_LUCKY_ROLL:
            yield _award(AwardKind.LUCKIEST_ROLL, state, seat, count=counted, p=p)


def _tight_calls(played: _Round) -> Iterator[tuple[tuple[int, int], Award]]:
    """Yield the award for a call with its rank: the dice that would have changed the outcome, then those at stake."""
    state, call, revealed = played.called_in, played.call, played.revealed
    if not state or not call or not revealed:
        return
    difference = revealed.count - call.bid.quantity
    if isinstance(call, ExactCalled):
        if difference:
            return
        margin, seat = 0, call.seat
    else:
        margin, seat = (difference, call.bidder) if revealed.bid_true else (-1 - difference, call.seat)
    scene = _scene_of(call, revealed)
    yield (margin, state.dice[seat]), _award(AwardKind.TIGHTEST_CALL, state, seat, count=revealed.count, scene=scene)


def _longest_survivor(events: Sequence[Event]) -> Award | None:
    """Return the award for the seat that began the most rounds with its last die, None if nobody has begun two.

    Whoever came last has survived nobody and does not get it. Where players shed, the last die is no danger.
    """
    start = _start_of(events)
    if start.ruleset.dice.per_player == 1 or sheds(start.ruleset):
        return None
    rounds = [event for event in events if isinstance(event, RoundStarted)]
    last = _last_seats(events)
    counts = [
        0 if seat in last else sum(started.dice[seat] == 1 for started in rounds) for seat in range(len(start.names))
    ]
    seat = counts.index(max(counts))
    if counts[seat] < MIN_ROUNDS_SURVIVED:
        return None
    number = next(started.number for started in rounds if started.dice[seat] == 1)
    return Award(kind=AwardKind.LONGEST_SURVIVOR, seat=seat, round_number=number, count=counts[seat], dice=1)


def _last_seats(events: Sequence[Event]) -> set[int]:
    """Return the seats that came last: out in the earliest round in which any was, or else with the least left."""
    out = set[int]()
    for event in events:
        if isinstance(event, Eliminated):
            out.add(event.seat)
        elif isinstance(event, RoundStarted) and out:
            return out
    left = dice_by_round(events)[-1]
    return out or {seat for seat, amount in enumerate(left) if amount == min(left)}


def _award(
    kind: AwardKind, state: State, seat: int, *, count: int, p: float | None = None, scene: Scene | None = None
) -> Award:
    """Return an award for something about the standing bid."""
    held, number, bid = len(state.hands[seat]), state.round_number, state.bids[-1][1]
    return Award(kind=kind, seat=seat, round_number=number, count=count, dice=held, bid=bid, p=p, scene=scene)


def _scene_of(call: Challenged | ExactCalled, revealed: Revealed) -> Scene:
    return Scene(
        bidder=call.bidder,
        caller=call.seat,
        exact=isinstance(call, ExactCalled),
        hands=revealed.hands,
        marked=revealed.marked,
        counted=revealed.counted,
    )


def _p_for(state: State, seat: int, *, wilds_count: bool) -> float:
    """Return the probability that the standing bid is true, by the dice that one seat can see."""
    bidder, bid = state.bids[-1]
    known, unseen, faces = view(state, seat).dice_of_bid(bidder)
    return p_true(state.ruleset, bid, known, unseen, wilds_count=wilds_count, faces=faces)


def _p(award: Award) -> float:
    assert award.p is not None
    return award.p
