"""`liarsdice explain`: what to do at a table, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from liarsdice.core.engine.view import View
    from liarsdice.core.rules.bids import Bid
    from liarsdice.core.rules.ruleset import Ruleset

MOST_DICE = 20
"""More in one hand aren't asked about."""


def explain(
    hand: Annotated[str, typer.Option(help="Your own dice, such as 1,4,4,2,6.")],
    dice: Annotated[str, typer.Option(help="Dice of each player in the order of play, such as 5,5,3: from who began.")],
    bids: Annotated[str, typer.Option(help="The bids of the round so far, such as 2x6,3x6.")] = "",
    rules: Annotated[str, typer.Option(help="A preset such as perudo or classic+aces, or a file.")] = "perudo",
    special: Annotated[bool, typer.Option("--special", help="The round is a special one of who began it.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Tell how likely the standing bid is, what the others' bids tell of their hands, and what each move is worth.

    You are the player whose turn it is after these bids. The champion judges, and takes the others to play about as
    it does. Of each face it weighs four quantities, from the least that is sensible.
    """
    from liarsdice.bots.neural.explain import explain as explained
    from liarsdice.bots.neural.explanation_text import reasons
    from liarsdice.core.rules.ruleset_io import find_rules

    shown = _view(find_rules(rules), hand, dice, bids, special=special)
    found = explained(shown)
    if json_:
        import msgspec

        print(msgspec.json.encode({"names": shown.names, **msgspec.structs.asdict(found)}).decode())
    else:
        print("\n".join(reasons(shown, found)))


def _view(ruleset: Ruleset, hand: str, dice: str, bids: str, *, special: bool) -> View:
    """What the player on turn is shown after these bids."""
    import msgspec

    from liarsdice.cli.bid_arguments import read_numbers
    from liarsdice.core.actions import Deal
    from liarsdice.core.engine.engine import decide, evolve_all, start
    from liarsdice.core.engine.view import view
    from liarsdice.core.errors import MalformedError
    from liarsdice.core.events import StarterFound
    from liarsdice.core.rules.choices import StarterMethod

    own, held = read_numbers(hand, "--hand", "1,4,4,2,6"), read_numbers(dice, "--dice", "5,5,3")
    if not all(1 <= count <= MOST_DICE for count in held):
        raise MalformedError(f"--dice {dice} has to give each player 1 to {MOST_DICE} dice (leave out who holds none)")
    made = _bids(bids)
    state = start(ruleset, [f"Player {place}" for place in range(1, len(held) + 1)])
    seats = [place * state.direction.step % len(held) for place in range(len(held))]  # in the order of play
    you = len(made) % len(held)
    if len(own) != held[you]:
        raise MalformedError(f"--dice gives you, player {you + 1} in turn, {held[you]} dice, but --hand has {len(own)}")
    if special:
        _need_special(ruleset, held)
    state = msgspec.structs.replace(
        state,
        names=tuple(state.names[seats.index(seat)] for seat in range(len(held))),
        dice=tuple(held[seats.index(seat)] for seat in range(len(held))),
        special_seat=0 if special else None,
    )
    state = evolve_all(state, [StarterFound(0, StarterMethod.CHOSEN)])
    hands = tuple(own if seat == seats[you] else (1,) * count for seat, count in enumerate(state.dice))
    state = evolve_all(state, decide(state, None, Deal(hands)))
    for bid in made:
        state = evolve_all(state, decide(state, state.turn, bid))
    return view(state, seats[you])


def _bids(text: str) -> list[Bid]:
    """Bids with commas between them."""
    from liarsdice.core.bids.notation import parse_bid
    from liarsdice.core.errors import MalformedError, NotationError

    try:
        return [parse_bid(part) for part in text.split(",")] if text.strip() else []
    except NotationError as error:
        raise MalformedError(
            f"cannot read --bids {text[:40]!r} (bids with commas between them, such as 2x6,3x6)"
        ) from error


def _need_special(ruleset: Ruleset, held: tuple[int, ...]) -> None:
    """Raise `UnavailableError` where players with so many dice, who began it first, have no special round."""
    from liarsdice.core.errors import UnavailableError

    special = ruleset.special_round
    if special is None:
        raise UnavailableError(f"{ruleset.labels.game} has no special round")
    if len(held) < special.min_players:
        raise UnavailableError(
            f"{ruleset.labels.game} has no special round of fewer than {special.min_players} players"
        )
    if held[0] != 1:
        raise UnavailableError(f"who begins a special round holds one die, but --dice gives the first {held[0]}")
