"""What a seat knows of the current round, as one line of text; two lines are equal if and only if the knowledge is."""

from __future__ import annotations

from liarsdice.core.engine.view import View
from liarsdice.core.rules.choices import Direction
from liarsdice.core.rules.tally import Hand


def hand_text(hand: Hand) -> str:
    """Return the faces of a hand in ascending order, joined by `,` if a die has more than nine.

    >>> hand_text((4, 1, 1)), hand_text((12, 3))
    ('114', '3,12')
    """
    separator = "," if any(face > 9 for face in hand) else ""
    return separator.join(str(face) for face in sorted(hand))


def information_state(view: View) -> str:
    """Return what the seat of a view knows of the current round, with all bids in their order.

    A spectator knows what is public. What has its usual value is left out.

    >>> from liarsdice.core.engine.view import view
    >>> from liarsdice.envs.in_place import InPlaceEnv
    >>> from liarsdice.envs.layout import make_game
    >>> from liarsdice.envs.match_state import state_of_match
    >>> env = InPlaceEnv(make_game("openspiel"), 1, seed=5)
    >>> env.step([env.game.rules.action_id(env.game.rules.bids[7])])
    >>> information_state(view(state_of_match(env.matches, 0), int(env.seats[0])))
    'seat 0 hand 22444 dice 5,5 round 1 starter 1 bids 2x2'
    """
    parts = [] if view.seat is None else [f"seat {view.seat} hand {hand_text(view.hand)}"]
    parts.append(f"dice {','.join(map(str, view.dice))} round {view.round_number}")
    if view.special_seat is not None:
        parts.append(f"special {view.special_seat}")
    if view.had_special:
        parts.append(f"had_special {','.join(map(str, sorted(view.had_special)))}")
    if any(view.exact_calls):
        parts.append(f"exact_calls {','.join(map(str, view.exact_calls))}")
    parts.append(f"starter {view.starter}")
    if view.direction is Direction.ANTICLOCKWISE:
        parts.append("anticlockwise")
    if view.direction_chosen:
        parts.append("direction_chosen")
    if view.seat is not None and not view.on_turn:
        parts.append("out_of_turn")
    parts.append(f"bids {' '.join(str(bid) for _, bid in view.bids)}".rstrip())
    return " ".join(parts)
