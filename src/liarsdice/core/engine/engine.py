"""The functions that run a match.

`legal` lists the legal moves, `decide` judges one action and returns events, and `evolve` applies one event and never
fails. Dice come from outside, as the dealer's actions.
"""

import re
from collections.abc import Sequence

from msgspec import UNSET

from liarsdice.core.actions import Action, ChooseStarter, Deal, DealerAction, RollAgain, RollForStart, Withdraw
from liarsdice.core.arguments import check_fields, require_arguments
from liarsdice.core.engine.evolve import evolve, evolve_all, initial_state
from liarsdice.core.engine.legal import LegalMoves, legal, may_be_declared
from liarsdice.core.engine.player_actions import decide_player
from liarsdice.core.engine.settle import settle_withdrawal
from liarsdice.core.engine.state import Phase, State, require_seat
from liarsdice.core.errors import IllegalActionError, MalformedError, counted, described
from liarsdice.core.events import (
    Dealt,
    Event,
    MatchStarted,
    RolledAgain,
    RoundStarted,
    StarterFound,
    StarterRolled,
    Withdrawn,
)
from liarsdice.core.rules.bid_space import is_face_off
from liarsdice.core.rules.choices import StarterMethod, Visibility
from liarsdice.core.rules.meaning import blind_seats, shows_other_hands, visibility_of
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand, must_roll_again


def decide_dealer(state: State, action: DealerAction) -> list[Event]:
    """Return the events of a dealer's action. Raises `MalformedError` and `IllegalActionError` as `decide`."""
    match action:
        case Deal(hands):
            return _deal(state, hands)
        case RollAgain(hand):
            return _roll_again(state, hand)
        case RollForStart(rolls):
            return _roll(state, rolls)
        case ChooseStarter(seat):
            return _choose(state, seat)
        case Withdraw(seat):
            return _withdraw(state, seat)


def _deal(state: State, hands: tuple[Hand, ...]) -> list[Event]:
    if state.phase is not Phase.DEAL:
        raise IllegalActionError(f"dice are dealt between rounds (the match waits for: {state.phase.value})")
    _check_hands(state, hands, state.dice)
    for seat, hand in enumerate(hands):
        if must_roll_again(state.ruleset, hand):
            raise IllegalActionError(f"the dice of {state.names[seat]} are all different: they are rolled again")
    special = None if is_face_off(state.ruleset, state.dice) else state.special_seat
    started = RoundStarted(state.round_number + 1, state.starter, state.dice, state.direction, special)
    visibility = visibility_of(state.ruleset)
    may_choose = visibility is Visibility.CHOSEN and may_be_declared(state, state.starter)
    blind = blind_seats(visibility, state.dice, state.stakes, state.starter if may_choose else special)
    return [started, Dealt(hands, blind or UNSET, shows_other_hands(visibility, special) or UNSET)]


def _roll_again(state: State, hand: Hand) -> list[Event]:
    if state.phase is not Phase.ROLL_AGAIN or state.roller is None:
        raise IllegalActionError(f"nobody rolls dice again now (the match waits for: {state.phase.value})")
    hidden = tuple(state.hidden_count(seat) if seat == state.roller else 0 for seat in range(len(state.names)))
    _check_hands(state, tuple(hand if count else () for count in hidden), hidden)
    return [RolledAgain(state.roller, hand)]


def _roll(state: State, rolls: tuple[Hand, ...]) -> list[Event]:
    """Return the highest sum starts; players who tie for it roll again (`StarterTie.REROLL_TIED`)."""
    start = state.ruleset.first_starter
    if state.phase is not Phase.STARTER or start.method is not StarterMethod.HIGH_ROLL:
        raise IllegalActionError(f"nobody rolls for the start now (first_starter.method is {start.method})")
    _check_hands(
        state,
        rolls,
        tuple(start.dice if seat in state.rolling else 0 for seat in range(len(state.names))),
    )
    highest = max(sum(rolls[seat]) for seat in state.rolling)
    best = tuple(seat for seat in state.rolling if sum(rolls[seat]) == highest)
    if len(best) > 1:
        return [StarterRolled(rolls, best)]
    return [StarterRolled(rolls, ()), StarterFound(best[0], start.method)]


def _choose(state: State, seat: int) -> list[Event]:
    method = state.ruleset.first_starter.method
    if state.phase is not Phase.STARTER or method is StarterMethod.HIGH_ROLL:
        raise IllegalActionError(f"no starter is chosen now (first_starter.method is {method})")
    require_seat(seat, len(state.names))
    if method is StarterMethod.SEATED_BY_ROLL and seat != 0:
        raise IllegalActionError(f"{state.names[0]}, who rolled highest for the seats, starts, not {state.names[seat]}")
    return [StarterFound(seat, method)]


def _withdraw(state: State, seat: int) -> list[Event]:
    if state.phase is not Phase.DEAL:
        raise IllegalActionError(f"a seat is withdrawn between rounds (the match waits for: {state.phase.value})")
    require_seat(seat, len(state.names))
    if not state.stakes[seat]:
        raise IllegalActionError(f"{state.names[seat]} is out already")
    return [Withdrawn(seat), *settle_withdrawal(state, seat)]


def _check_hands(state: State, hands: tuple[Hand, ...], sizes: tuple[int, ...]) -> None:
    if len(hands) != len(sizes):
        raise MalformedError(f"{counted(len(hands), 'hand')} came for {len(sizes)} seats")
    for seat, (hand, dice) in enumerate(zip(hands, sizes, strict=True)):
        faces = range(1, state.ruleset.dice.faces_at(seat) + 1)
        if len(hand) != dice:
            raise MalformedError(
                f"{state.names[seat]} has {counted(dice, 'die', 'dice')} to roll, but {len(hand)} came"
            )
        for die in hand:
            if type(die) is not int or die not in faces:
                raise MalformedError(f"{die!r} is no face of a die with {len(faces)} faces")


__all__ = [
    "LegalMoves",
    "decide",
    "evolve",
    "evolve_all",
    "legal",
    "match_started",
    "replay",
    "require_seat_count",
    "start",
]

MAX_NAME_LENGTH = 40
_EMOJI = "[\u2190-\u2bff\U0001f000-\U0001faff][\U0001f3fb-\U0001f3ff]?"
JOINED_EMOJI = re.compile(f"{_EMOJI}(?:\u200d{_EMOJI}){{1,4}}")
"""An emoji that is joined of up to five, such as a family. It is one character of a name."""
MAX_SEATS = 100
DEALER_ACTIONS = (RollForStart, ChooseStarter, Deal, RollAgain, Withdraw)


def require_seat_count(ruleset: Ruleset, seats: int) -> None:
    """Raise `MalformedError` if the rules do not allow this number of players."""
    min_players, max_players = ruleset.players.min, min(ruleset.players.max or MAX_SEATS, MAX_SEATS)
    if not min_players <= seats <= max_players:
        raise MalformedError(
            f"{ruleset.labels.game} seats {min_players} to {max_players} players, not {described(seats)}"
        )


def match_started(ruleset: Ruleset, names: Sequence[str]) -> MatchStarted:
    """Return the first event of a match, with the players' names in clockwise order.

    Raises `MalformedError` as `require_seat_count`, or if a name is empty, longer than `MAX_NAME_LENGTH`, unprintable
    or used twice.
    """
    require_seat_count(ruleset, len(names))
    for name in names:
        seen = JOINED_EMOJI.sub("-", name)
        if name != name.strip() or not 0 < len(seen) <= MAX_NAME_LENGTH:
            raise MalformedError(
                f"a player's name is 1 to {MAX_NAME_LENGTH} characters, none around it, not {name!r:.60}"
            )
        if not seen.isprintable():
            raise MalformedError(f"a player's name is made of printable characters, not {name!r}")
    if len({name.casefold() for name in names}) < len(names):
        raise MalformedError(f"players need different names, not {', '.join(names)}")
    return MatchStarted(ruleset, tuple(names))


def start(ruleset: Ruleset, names: Sequence[str]) -> State:
    """Return the state of a new match, which waits for its first starter. Raises `MalformedError` as `match_started`.

    >>> from liarsdice.core.rules.presets import preset
    >>> start(preset("basic").ruleset, ("Ann", "Bo")).dice
    (5, 5)
    """
    return initial_state(match_started(ruleset, names))


def decide(state: State, seat: int | None, action: Action) -> list[Event]:
    """Judge one action of the player in `seat`, or of the dealer (seat None), and return the events that follow.

    The state does not change: apply the events with `evolve_all`. Raises `MalformedError` for an action that makes no
    sense in this match, and `IllegalActionError` for one that the rules forbid now; the message says what is legal.
    """
    try:
        if isinstance(action, DEALER_ACTIONS):
            if seat is not None:
                raise MalformedError("dice and starters come from the dealer, not from a seat")
            return decide_dealer(state, action)
        if seat is None:
            raise MalformedError("the dealer does not play: name the seat that acts")
        return decide_player(state, seat, action)
    except (AttributeError, TypeError):
        require_arguments(decide, (state, seat, action))
        check_fields(action)
        raise


def replay(events: Sequence[Event]) -> State:
    """Return the state that an event log leads to. Raises `MalformedError` if it does not begin with `MatchStarted`."""
    if not events or not isinstance(events[0], MatchStarted):
        raise MalformedError("an event log begins with match_started")
    return evolve_all(initial_state(events[0]), events[1:])
