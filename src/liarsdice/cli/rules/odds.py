"""`liarsdice odds`: how likely a bid is, exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from liarsdice.core.bids.odds import Odds
    from liarsdice.core.rules.bids import Bid
    from liarsdice.core.rules.ruleset import Ruleset

MAX_DICE = 200


def odds(
    bid: Annotated[str, typer.Argument(help="The bid, such as 5x4 for five fours.")],
    hand: Annotated[str, typer.Option(help="Your own dice, such as 1,4,4,2,6; none if you have no dice.")] = "",
    dice: Annotated[
        int | None,
        typer.Option(
            min=1, max=MAX_DICE, help="The number of dice in play, including yours (default: three full hands)."
        ),
    ] = None,
    rules: Annotated[str, typer.Option(help="A preset such as perudo or classic+aces, or a file.")] = "chart",
    wilds: Annotated[
        bool | None,
        typer.Option(
            "--wilds/--no-wilds", help="Whether wild dice count (default: as at the start of an ordinary round)."
        ),
    ] = None,
    others: Annotated[
        str | None,
        typer.Option(
            help="The dice of each other player, such as 5,5,3 (default: full hands); it matters only for stairs."
        ),
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON for other programs, with exact fractions.")] = False,
) -> None:
    """Show the probability that a bid is true, and that it is exactly right, for a player who sees one hand.

    All unseen dice are fair. For a bid on the special face, only that face counts, wild or not.
    """
    from liarsdice.cli.arguments import read_numbers, require_biddable
    from liarsdice.core.bids.notation import parse_bid
    from liarsdice.core.bids.odds import odds as chances
    from liarsdice.core.errors import IllegalActionError
    from liarsdice.core.rules.ruleset_io import find_rules
    from liarsdice.core.rules.tally import wilds_at_start

    ruleset, asked, own = find_rules(rules), parse_bid(bid), read_numbers(hand, "--hand", "1,4,4,2,6")
    faces = ruleset.dice.faces
    if asked.quantity < 1:
        raise IllegalActionError(f"{asked} is no bid: it needs at least one die")
    require_biddable(asked, ruleset, rules)
    wrong = [die for die in own if not 1 <= die <= faces]
    if wrong:
        raise IllegalActionError(f"--hand {hand} holds a {wrong[0]}, but the dice have faces 1 to {faces}")
    unseen = _other_hands(ruleset, len(own), dice, others)
    wilds_count = wilds_at_start(ruleset, special_round=False) if wilds is None else wilds
    found = chances(ruleset, asked, own, unseen, wilds_count=wilds_count)
    if json_:
        _print_json(found)
    else:
        _print_words(ruleset, asked, found, len(own) + sum(unseen), wilds_count=wilds_count)


def _other_hands(ruleset: Ruleset, held: int, dice: int | None, others: str | None) -> tuple[int, ...]:
    """The sizes of the hands that cannot be seen."""
    from liarsdice.cli.arguments import default_dice, read_numbers
    from liarsdice.core.bids.bid_chart import full_hands
    from liarsdice.core.errors import MalformedError

    if others is not None:
        unseen = read_numbers(others, "--others", "5,5,3")
        total = held + sum(unseen)
        if dice is not None and total != dice:
            raise MalformedError(
                f"--hand and --others make {total} dice, but --dice says {dice} (leave one of them out)"
            )
    else:
        total = max(held, default_dice(ruleset, MAX_DICE)) if dice is None else dice
        if total < held:
            raise MalformedError(f"--hand holds {held} dice, but --dice says that only {total} are in play")
        unseen = full_hands(ruleset, total - held)
    if total > MAX_DICE:
        raise MalformedError(f"{total} dice are too many (at most {MAX_DICE})")
    return unseen


def _print_json(found: Odds) -> None:
    import json

    exact = {"p_true": found.p_true, "p_exact": found.p_exact, "expected": found.expected}
    print(
        json.dumps(
            {name: float(value) for name, value in exact.items()}
            | {f"{name}_exact": f"{value.numerator}/{value.denominator}" for name, value in exact.items()}
        )
    )


def _print_words(ruleset: Ruleset, bid: Bid, found: Odds, dice: int, *, wilds_count: bool) -> None:
    from liarsdice.core.text.narration import bid_name, face_name

    special = ruleset.dice.special_face
    wild = f", {face_name(ruleset, special)} wild" if wilds_count and bid.face != special else ""
    print(f"{bid_name(ruleset, bid)} with {dice} {'die' if dice == 1 else 'dice'} in play{wild}")
    print(f"true           {float(found.p_true):8.3%}")
    print(f"exactly right  {float(found.p_exact):8.3%}")
    print(f"expected count {float(found.expected):8.2f} {face_name(ruleset, bid.face)}")
