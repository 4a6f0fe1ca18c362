"""`liarsdice odds`: prints the exact probability that a bid is true."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from liarsdice.cli.arguments import default_dice, read_numbers, require_biddable
from liarsdice.core.bids.bid_chart import full_hands
from liarsdice.core.bids.notation import parse_bid
from liarsdice.core.bids.odds import Odds, require_table_count
from liarsdice.core.bids.odds import odds as exact_odds
from liarsdice.core.errors import IllegalActionError, MalformedError, counted
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand, wilds_at_start

MAX_DICE = 200


def odds(
    bid: Annotated[str, typer.Argument(help="The bid, such as 5x4 for five fours.")],
    hand: Annotated[str, typer.Option(help="Your own dice, such as 1,4,4,2,6; none if you have no dice.")] = "",
    dice_in_play: Annotated[
        int | None,
        typer.Option(
            min=1, max=MAX_DICE, help="The number of dice of all players, including yours (default: three full hands)."
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
            help="The dice of each other player in seat order, such as 5,5,3 (default: full hands); "
            "it matters for hand bonuses and for dice that differ by seat only."
        ),
    ] = None,
    seat: Annotated[
        int, typer.Option(min=1, max=MAX_DICE, help="Your seat, from 1; it matters if dice differ by seat only.")
    ] = 1,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON for other programs, with exact fractions.")] = False,
) -> None:
    """Show the probability that a bid is true, and that it is exactly right, for a player who sees one hand.

    All unseen dice are fair. For a bid on the special face, only dice that show this face count, whether it is wild or
    not.
    """
    from liarsdice.core.rules.ruleset_io import find_rules

    ruleset, bid_made, own_hand = find_rules(rules), parse_bid(bid), read_numbers(hand, "--hand", "1,4,4,2,6")
    require_table_count(ruleset)
    _check_bid(bid_made, ruleset, rules)
    _check_hand(own_hand, ruleset, hand, seat)
    unseen = _other_hands(ruleset, len(own_hand), dice_in_play, others)
    wilds_count = wilds_at_start(ruleset, special_round=False) and not bid_made.pure if wilds is None else wilds
    other_seats = [other for other in range(len(unseen) + 1) if other != seat - 1][: len(unseen)]
    faces = tuple(map(ruleset.dice.faces_at, other_seats))
    bid_odds = exact_odds(ruleset, bid_made, own_hand, unseen, wilds_count=wilds_count, faces=faces)
    if json_:
        _print_json(bid_odds)
    else:
        _print_text(ruleset, bid_made, bid_odds, len(own_hand) + sum(unseen), wilds_count=wilds_count)


def _check_bid(bid: Bid, ruleset: Ruleset, name: str) -> None:
    """Raise `IllegalActionError` if the rules called `name` do not allow the bid."""
    if bid.quantity < 1:
        raise IllegalActionError(f"{bid} is no bid: it needs at least one die")
    require_biddable(bid, ruleset, name)


def _check_hand(hand: Hand, ruleset: Ruleset, text: str, seat: int) -> None:
    """Raise `IllegalActionError` if a die of the hand, which was given as `text`, has no such face at this seat."""
    faces = ruleset.dice.faces_at(seat - 1)
    impossible = [die for die in hand if not 1 <= die <= faces]
    if impossible:
        raise IllegalActionError(f"--hand {text} holds a {impossible[0]}, but the dice have faces 1 to {faces}")


def _other_hands(ruleset: Ruleset, own_count: int, dice: int | None, others: str | None) -> tuple[int, ...]:
    """Return the sizes of the other players' hands. Raises `MalformedError` if the options contradict each other."""
    if others is not None:
        unseen = read_numbers(others, "--others", "5,5,3")
        total = own_count + sum(unseen)
        if dice is not None and total != dice:
            raise MalformedError(
                f"--hand and --others make {counted(total, 'die', 'dice')}, but --dice-in-play is {dice} (leave"
                " one of them out)"
            )
    else:
        total = max(own_count, default_dice(ruleset, MAX_DICE)) if dice is None else dice
        if total < own_count:
            raise MalformedError(f"--hand has {counted(own_count, 'die', 'dice')}, but --dice-in-play is {total}")
        unseen = full_hands(ruleset, total - own_count)
    if total > MAX_DICE:
        raise MalformedError(f"{total} dice are too many (at most {MAX_DICE})")
    return unseen


def _print_json(bid_odds: Odds) -> None:
    exact = {"p_true": bid_odds.p_true, "p_exact": bid_odds.p_exact, "expected": bid_odds.expected}
    print(
        json.dumps(
            {name: float(value) for name, value in exact.items()}
            | {f"{name}_exact": f"{value.numerator}/{value.denominator}" for name, value in exact.items()}
        )
    )


def _print_text(ruleset: Ruleset, bid: Bid, bid_odds: Odds, dice: int, *, wilds_count: bool) -> None:
    from liarsdice.core.text.narration import bid_name, face_name

    special = ruleset.dice.special_face
    wild = f", {face_name(ruleset, special)} wild" if wilds_count and bid.face != special and not bid.is_sum else ""
    print(f"{bid_name(ruleset, bid)} with {counted(dice, 'die', 'dice')} in play{wild}")
    print(f"true           {float(bid_odds.p_true):8.3%}")
    print(f"exactly right  {float(bid_odds.p_exact):8.3%}")
    noun = "in all" if bid.is_sum else face_name(ruleset, bid.face)
    print(f"expected count {float(bid_odds.expected):8.2f} {noun}")
