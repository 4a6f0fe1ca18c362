"""`liarsdice explain`: what to do at a table, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from liarsdice.core.ruleset import Ruleset
    from liarsdice.core.view import View

MOST_DICE = 20
"""More in one hand aren't asked about."""


def explain(
    hand: Annotated[str, typer.Option(help="Your own dice, such as 1,4,4,2,6.")],
    dice: Annotated[str, typer.Option(help="Dice of each player, such as 5,5,3: from who began the round.")],
    bids: Annotated[str, typer.Option(help="The bids of the round so far, such as 2x6,3x6.")] = "",
    rules: Annotated[str, typer.Option(help="A preset such as perudo or classic+aces, or a file.")] = "perudo",
    special: Annotated[bool, typer.Option("--special", help="The round is a special one of who began it.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Tell how likely the standing bid is, what the others' bids tell of their hands, and what each move is worth.

    You are the player whose turn it is after these bids. The champion judges, and takes the others to play about as
    it does.
    """
    from liarsdice.bots.explain import explain as explained
    from liarsdice.bots.reasons import reasons
    from liarsdice.core.files import find_rules

    shown = _view(find_rules(rules), hand, dice, bids, special=special)
    found = explained(shown)
    if json_:
        import msgspec

        print(msgspec.json.encode(found).decode())
    else:
        print("\n".join(reasons(shown, found)))


def _view(ruleset: Ruleset, hand: str, dice: str, bids: str, *, special: bool) -> View:
    """What the player on turn is shown after these bids."""
    import msgspec

    from liarsdice.cli.claims import read_numbers
    from liarsdice.core.actions import Deal
    from liarsdice.core.choices import StarterMethod
    from liarsdice.core.engine import decide, evolve_all, start
    from liarsdice.core.errors import MalformedError, UnavailableError
    from liarsdice.core.events import StarterFound
    from liarsdice.core.notation import parse_bid
    from liarsdice.core.view import view

    own, held = read_numbers(hand, "--hand", "1,4,4,2,6"), read_numbers(dice, "--dice", "5,5,3")
    if not all(1 <= count <= MOST_DICE for count in held):
        raise MalformedError(f"--dice {dice} has to give each player 1 to {MOST_DICE} dice (leave out who holds none)")
    made = [parse_bid(part) for part in bids.split(",")] if bids.strip() else []
    state = start(ruleset, [f"Player {place}" for place in range(1, len(held) + 1)])
    if special and ruleset.special_round is None:
        raise UnavailableError(f"{ruleset.labels.game} has no special round")
    state = msgspec.structs.replace(state, dice=held, special_seat=0 if special else None)
    state = evolve_all(state, [StarterFound(0, StarterMethod.CHOSEN)])
    you = len(made) % len(held)
    if len(own) != held[you]:
        raise MalformedError(f"--dice gives you, player {you + 1} in turn, {held[you]} dice, but --hand has {len(own)}")
    hands = tuple(own if seat == you else (1,) * count for seat, count in enumerate(held))
    state = evolve_all(state, decide(state, None, Deal(hands)))
    for bid in made:
        state = evolve_all(state, decide(state, state.turn, bid))
    return view(state, you)
