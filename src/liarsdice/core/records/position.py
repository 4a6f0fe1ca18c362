"""A position of a match on one line, as FEN is for chess: everything that the rest of the match depends on.

::

    bidding 24456/11346/22355 1 0:4x2 3 perudo Ann,Bo,Cy {"had_special":[2]}
    phase   dice              │ bids  │ rules  names     further fields of the state
                           turn   round

The dice are the hands of all seats during a round, and else how many dice each seat has. The rules are the name of
a preset, or a JSON object with the changes to one. A further field is written if it does not follow from the others. A
position holds every hand: never show it to a player.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any
from urllib.parse import quote, unquote

import msgspec

from liarsdice.core.bids.notation import parse_bid
from liarsdice.core.engine.engine import MAX_SEATS, match_started
from liarsdice.core.engine.evolve import initial_state
from liarsdice.core.engine.legal import MAX_PENALTIES
from liarsdice.core.engine.state import PendingPenalty, Phase, State, bid_limit, require_seat
from liarsdice.core.errors import MalformedError
from liarsdice.core.events import EndReason
from liarsdice.core.rules.bid_space import UNCAPPED_QUANTITY, require_bid
from liarsdice.core.rules.bids import Bid, beats
from liarsdice.core.rules.choices import AllDifferent, Direction, ExactClaim, RoundKind
from liarsdice.core.rules.meaning import exact_claim, has_lives, has_passes, may_show_dice, sheds
from liarsdice.core.rules.presets import PRESETS, preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import EXTENDS, from_json
from liarsdice.core.rules.tally import Hand, wilds_after_bid, wilds_at_start
from liarsdice.core.rules.validate import MAX_DICE, MAX_ROUNDS
from liarsdice.core.sources import without_marks


def require(condition: bool, demand: str) -> None:  # noqa: FBT001  the condition is what is required
    """Raise `MalformedError` that says what a position needs, if a condition does not hold."""
    if not condition:
        raise MalformedError(f"a position that contradicts itself or its rules (needed: {demand})")


def check_doubling(state: State) -> None:
    """Raise `MalformedError` unless an answer to a challenge for twice the stake can be given by the player on turn."""
    require(state.doubled_by is not None or not state.redoubled, "only a doubled challenge is redoubled")
    if state.doubled_by is None:
        return
    require(bool(state.answers) and state.phase is Phase.BIDDING, "the rules have answers to a doubled challenge")
    require(bool(state.bids) and 0 <= state.doubled_by < len(state.dice), "a player doubled a challenge of a bid")
    require(state.dice[state.doubled_by] > 0 and state.doubled_by != state.bidder, "another player than the bidder")
    require(state.turn == (state.doubled_by if state.redoubled else state.bidder), "the opponent answers")


def check_shown_dice(state: State) -> None:
    """Raise `MalformedError` unless dice in the open come first in their hands, with others under the cup."""
    require(not state.shown or may_show_dice(state.ruleset), "nobody shows dice under these rules")
    require(not state.shown or len(state.shown) == len(state.hands), "shown has the dice of each seat")
    for hand, shown in zip(state.hands, state.shown, strict=False):
        require(hand[: len(shown)] == shown and (not shown or len(shown) < len(hand)), "a hand has shown dice first")
    require(
        state.phase is not Phase.ROLL_AGAIN or bool(state.rerolls or (state.shown and state.bids)),
        "a bidder who rolls has shown dice",
    )
    may_reroll = state.ruleset.count.all_different is AllDifferent.MAY_ROLL_AGAIN
    require(may_reroll or not state.rerolls, "nobody rolls a hand again under these rules")


def check_passes(state: State) -> None:
    """Raise `MalformedError` unless each seat passed at most once, after a bid."""
    require(not state.passes or has_passes(state.ruleset), "nobody passes under these rules")
    seats, places = {seat for seat, _ in state.passes}, [place for _, place in state.passes]
    require(len(seats) == len(places) and places == sorted(places), "each player passes once a round, in order")
    require(all(1 <= place <= len(state.bids) for place in places), "a round opens with a bid")


EMPTY = "-"
FIELDS = ("phase", "dice", "turn", "bids", "round", "rules", "names")
PHASES = {phase.value: phase for phase in Phase}
WITH_HANDS = (Phase.BIDDING, Phase.ROLL_AGAIN)
"""The phases in which a position has the hands of all seats."""

MAX_LENGTH = 200_000
"""The longest position that is read, in characters."""

MAX_HELD = MAX_DICE * MAX_SEATS
"""The most dice or lives that one seat can have."""


class FurtherFields(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields of a state that a position names only where they do not follow from its other fields."""

    starter: int
    direction: Direction
    direction_chosen: bool
    wilds_count: bool
    max_quantity: int | None
    special_seat: int | None
    had_special: tuple[int, ...]
    exempt: tuple[int, ...]
    exact_calls: tuple[int, ...]
    lives: tuple[int, ...]
    blind: tuple[int, ...]
    open_hands: bool
    penalties: tuple[PendingPenalty, ...]
    rolling: tuple[int, ...]
    winners: tuple[int, ...]
    end_reason: EndReason | None
    shown: tuple[Hand, ...]
    passes: tuple[tuple[int, int], ...]
    doubled_by: int | None
    redoubled: bool
    kind: RoundKind | None
    safe: tuple[tuple[int, int], ...]
    rerolls: tuple[int, ...]
    claimed: bool


def write_position(state: State) -> str:
    """Return a state between two actions as one line of printable ASCII, which `read_position` reads back.

    The last reveal is lost; nothing that follows depends on it.

    >>> from liarsdice.core.engine.engine import start
    >>> write_position(start(preset("perudo").ruleset, ("Ann", "Bo")))
    'starter 5/5 0 - 0 perudo Ann,Bo'
    """
    faces = state.ruleset.dice.faces
    hands = [_written_hand(hand, faces) for hand in state.hands]
    dice = "/".join(hands if state.phase in WITH_HANDS else map(str, state.dice))
    bids = ",".join(f"{seat}:{bid}" for seat, bid in state.bids) or EMPTY
    names = ",".join(quote(name, safe="") for name in state.names)
    fields = [state.phase.value, dice, str(state.turn), bids, str(state.round_number), _written_rules(state.ruleset)]
    usual = _plain_fields(_usual_state(state))
    further = {name: value for name, value in _plain_fields(state).items() if value != usual[name]}
    return " ".join([*fields, names, *([_written_json(further)] if further else [])])


def read_position(text: str) -> State:
    """Read a position, written by `write_position` or by hand, without replaying a match.

    Raises `MalformedError` if the text is no position or contradicts itself, and what `preset` and `from_json` raise
    for its rules.

    >>> state = read_position("bidding 24456/11346 1 0:4x2 3 perudo Ann,Bo")
    >>> state.bid, state.turn, state.max_quantity
    (Bid(quantity=4, face=2), 1, 10)
    """
    words = without_marks(text).split() if len(text) <= MAX_LENGTH else []
    if not len(FIELDS) <= len(words) <= len(FIELDS) + 1:
        raise MalformedError(f"a position has the fields {', '.join(FIELDS)}, not {text!r:.80}")
    phase, dice, turn, bids, round_number, rules, names, *further = words
    ruleset = from_json(rules) if rules.startswith("{") else preset(rules).ruleset
    state = initial_state(match_started(ruleset, [unquote(name) for name in names.split(",")]))
    if phase not in PHASES:
        raise MalformedError(f"the phase of a position is one of {', '.join(PHASES)}, not {phase!r:.40}")
    bidding = PHASES[phase] in WITH_HANDS
    hands = tuple(_read_hand(hand, ruleset, seat) for seat, hand in enumerate(dice.split("/"))) if bidding else ()
    state = msgspec.structs.replace(
        state,
        phase=PHASES[phase],
        hands=hands,
        dice=tuple(map(len, hands)) if bidding else tuple(_number(held, MAX_HELD) for held in dice.split("/")),
        turn=_number(turn, MAX_SEATS),
        bids=tuple(_read_bid(bid, ruleset) for bid in bids.split(",")) if bids != EMPTY else (),
        round_number=_number(round_number, MAX_ROUNDS),
    )
    if len(state.dice) != len(state.names):
        raise MalformedError(f"a position has dice for each of its {len(state.names)} players, not {dice!r:.80}")
    state = _with_further_fields(_usual_state(state), further[0] if further else "{}")
    _check_seats(state)
    _check_match(state)
    return state


def _usual_state(state: State) -> State:
    """Return the state with the values of its further fields that follow from the others in most matches."""
    usual = initial_state(match_started(state.ruleset, state.names))
    bidding, over = state.phase in WITH_HANDS, state.phase is Phase.OVER
    wilds = wilds_at_start(state.ruleset, special_round=False) and not state.face_off
    for place, (_, bid) in enumerate(state.bids):
        wilds = wilds_after_bid(state.ruleset, bid.face, wilds_count=wilds, opening=not place, pure=bid.pure)
    changes: dict[str, Any] = {name: getattr(usual, name) for name in FurtherFields.__struct_fields__}
    changes |= {
        "starter": state.bids[0][0] if state.bids else state.turn,
        "wilds_count": bidding and wilds,
        "max_quantity": bid_limit(state) if bidding else None,
        "lives": tuple(lives if held else 0 for lives, held in zip(usual.lives, state.dice, strict=False)),
        "rolling": usual.rolling if state.phase is Phase.STARTER else (),
        "winners": state.alive() if over else (),
        "safe": tuple((seat, 0) for seat, held in enumerate(state.dice) if sheds(state.ruleset) and not held),
        "end_reason": EndReason.LAST_PLAYER if over else None,
    }
    return msgspec.structs.replace(state, revealed=None, **changes)


def _plain_fields(state: State) -> dict[str, Any]:
    return {name: msgspec.to_builtins(getattr(state, name)) for name in FurtherFields.__struct_fields__}


def _with_further_fields(state: State, written: str) -> State:
    """Return the state with the further fields that a position names."""
    try:
        changes = msgspec.json.decode(written, type=dict[str, msgspec.Raw])
        plain = {name: msgspec.json.decode(value) for name, value in changes.items()}
        fields = msgspec.convert(_plain_fields(state) | plain, FurtherFields)
    except (msgspec.DecodeError, RecursionError) as error:
        raise MalformedError(f"the further fields of a position are no such fields: {error}") from error
    return msgspec.structs.replace(state, **{name: getattr(fields, name) for name in changes})


def _check_seats(state: State) -> None:
    """Raise `MalformedError` if a field names a seat that the table lacks, or does not have a value for each seat."""
    seats = len(state.names)
    for seat in (state.turn, state.starter, *(seat for seat, _ in state.bids), *(due.seat for due in state.penalties)):
        require_seat(seat, seats)
    special = () if state.special_seat is None else (state.special_seat,)
    for seat, _ in (*state.passes, *state.safe):
        require_seat(seat, seats)
    safe = {seat for seat, _ in state.safe}
    require(len(safe) == len(state.safe) and not any(state.dice[seat] for seat in safe), "a safe player has no dice")
    require(not safe or sheds(state.ruleset), "nobody is safe under these rules")
    for seat in state.rerolls:
        require_seat(seat, seats)
    for named in (special, state.had_special, state.exempt, state.rolling, state.winners):
        for seat in named:
            require_seat(seat, seats)
        require(len(set(named)) == len(named), "a list of seats names none twice")
    require(len(state.exact_calls) == seats, "exact_calls has a number for each seat")
    require(all(0 <= calls <= MAX_ROUNDS for calls in state.exact_calls), "exact_calls are numbers of calls")
    lives = state.dice if has_lives(state.ruleset) else ()
    require([bool(left) for left in state.lives] == [bool(held) for held in lives], "players with lives have dice")
    most = max(MAX_HELD, state.ruleset.starting_stakes)
    require(all(0 <= left <= most for left in state.lives), f"a player has at most {most} lives")


def _check_match(state: State) -> None:
    """Raise `MalformedError` if a match by these rules could not go on from here."""
    rules, over, players = state.ruleset, state.phase is Phase.OVER, state.alive_count
    require(over or players > 1, "at least two players have dice until the match is over")
    require(over == bool(state.winners) and over == (state.end_reason is not None), "only a match that is over is won")
    if state.phase in (Phase.DEAL, *WITH_HANDS):
        require(state.dice[state.turn] > 0, "the player on turn has dice")
    if state.phase is Phase.STARTER:
        rolling = initial_state(match_started(rules, state.names)).rolling
        require(bool(state.rolling) == bool(rolling), "players roll for the start if the rules say so")
    require(not state.bids or state.phase in (*WITH_HANDS, Phase.OVER), "bids are made in the phase bidding")
    may_bid_again = over or state.doubled_by is not None
    require(
        not state.bids or may_bid_again or state.bidder != state.turn or bool(state.passes), "the bidder is not on turn"
    )
    check_doubling(state)
    taken_over = exact_claim(rules) is ExactClaim.NEXT_PLAYER
    for (bidder, old), (seat, new) in pairwise(state.bids):
        is_claimed = taken_over and old == new and bidder != seat
        require(is_claimed or beats(rules, old, new), "each bid beats the last")
    may_claim = exact_claim(rules) is not None and bool(state.bids)
    require(may_claim or not state.claimed, "a bid is claimed to be exact if the rules say so")
    check_shown_dice(state)
    check_passes(state)
    require(state.max_quantity is None or 1 <= state.max_quantity <= 2 * MAX_HELD, "max_quantity is a quantity")
    require(rules.special_round is not None or not (state.special_round or state.had_special), "a special round")
    known = {(penalty.trigger, penalty.dice) for penalty in rules.penalties}
    require(known.issuperset((due.trigger, due.dice) for due in state.penalties), "penalties are those of the rules")
    require(len(state.penalties) <= MAX_PENALTIES, f"at most {MAX_PENALTIES} penalties are due")


def _written_hand(hand: Hand, faces: int) -> str:
    """Return a hand as its dice in a row, with dots between them if faces have two digits."""
    return ("." if faces > len("123456789") else "").join(map(str, hand)) or EMPTY


def _read_hand(text: str, rules: Ruleset, seat: int) -> Hand:
    if text == EMPTY:
        return ()
    faces = rules.dice.faces_at(seat)
    dice = text.split(".") if rules.dice.faces > len("123456789") else text
    hand = tuple(_number(die, faces) for die in dice)
    if 0 in hand or len(hand) > MAX_HELD:
        raise MalformedError(f"a hand shows dice from 1 to {faces}, not {text!r:.80}")
    return hand


def _read_bid(text: str, rules: Ruleset) -> tuple[int, Bid]:
    seat, _, written = text.partition(":")
    bid = parse_bid(written)
    require_bid(rules, bid)
    if bid.quantity > max(UNCAPPED_QUANTITY, 2 * MAX_HELD):
        raise MalformedError(f"a bid is at most {2 * MAX_HELD} dice, not {text!r:.40}")
    return _number(seat, MAX_SEATS), bid


def _number(text: str, highest: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < len(str(highest)) + 1 and int(text) <= highest):
        raise MalformedError(f"a position has numbers from 0 to {highest} here, not {text!r:.40}")
    return int(text)


@lru_cache(maxsize=64)
def _written_rules(rules: Ruleset) -> str:
    """Return the name of a preset with these rules, or the shortest changes to one as JSON without spaces."""
    plain = msgspec.to_builtins(rules)
    shortest = ""
    for name, entry in PRESETS.items():
        if entry.ruleset == rules:
            return name
        changes = _changes(msgspec.to_builtins(entry.ruleset), plain)
        written = _written_json({EXTENDS: name} | changes)
        if not shortest or (len(written) < len(shortest)):
            shortest = written
    return shortest


def _changes(base: Mapping[str, Any], plain: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that differ, nested as in a rules file. A field that only `base` has becomes None."""
    changes: dict[str, Any] = {}
    for name in base.keys() | plain.keys():
        old, new = base.get(name), plain.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            if inner := _changes(old, new):
                changes[name] = inner
        elif old != new or (name in base) != (name in plain):
            changes[name] = new
    return dict(sorted(changes.items()))


def _written_json(plain: Mapping[str, Any]) -> str:
    return json.dumps(plain, separators=(",", ":")).replace(" ", "\\u0020")
