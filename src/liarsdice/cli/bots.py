"""`liarsdice bots` describes the bots; `liarsdice explain` asks one for odds, inferences and the value of moves."""

from __future__ import annotations

import textwrap
from typing import Annotated

import msgspec
import typer

from liarsdice.cli.arguments import read_numbers
from liarsdice.core.actions import Deal
from liarsdice.core.bids.notation import parse_bid
from liarsdice.core.engine.engine import decide, evolve_all, start
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import MalformedError, NotationError, UnavailableError, counted
from liarsdice.core.events import StarterFound
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import StarterMethod
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.sources import BOT_GROUP, plugins

COLUMNS = 80
MAX_DICE = 20
"""The highest number of dice in a hand."""


def describe() -> int:
    """Print what each bot does. Returns 0."""
    from liarsdice.bots.external.user_bots import USER_BOT_FORMS
    from liarsdice.bots.registry import bot_descriptions

    width = max(map(len, bot_descriptions())) + 2
    for name, description in bot_descriptions().items():
        print(_fill(description, f"{name:{width}}", width))
    for form, description in USER_BOT_FORMS.items():
        print(form)
        print(_fill(description, " " * width, width))
    for name, package in plugins(BOT_GROUP).items():
        print(f"{name}  of {package}")
    return 0


def _fill(text: str, start: str, indent: int) -> str:
    """Return a text in lines of `COLUMNS`, of which no word is broken. `start`: what the first line begins with."""
    wrapper = textwrap.TextWrapper(COLUMNS, start, " " * indent, break_long_words=False, break_on_hyphens=False)
    return wrapper.fill(text)


def explain(
    hand: Annotated[str, typer.Option(help="Your own dice, such as 1,4,4,2,6.")],
    dice: Annotated[
        str,
        typer.Option(
            help="The number of dice of each player in the order of play, such as 5,5,3, from the player who opened."
        ),
    ],
    bids: Annotated[str, typer.Option(help="The bids of the round so far, such as 2x6,3x6.")] = "",
    rules: Annotated[str, typer.Option(help="A preset such as perudo or classic+aces, or a file.")] = "perudo",
    special: Annotated[
        bool, typer.Option("--special", help="The round is a special round of the player who opened it.")
    ] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")] = False,
) -> None:
    """Explain a position: how likely the latest bid is, what the bids reveal about the hands, and each move's value.

    You are the player whose turn it is after these bids. The estimates come from the champion, which assumes that the
    others play much as it does. Each value has its 95% interval.
    """
    from liarsdice.bots.neural.explain import explain as explain_position
    from liarsdice.bots.neural.explain import explanation_sentences
    from liarsdice.core.rules.ruleset_io import find_rules

    position = _position(find_rules(rules), hand, dice, bids, special=special)
    explanation = explain_position(position)
    if json_:
        print(msgspec.json.encode({"names": position.names, **msgspec.to_builtins(explanation)}).decode())
    else:
        print("\n".join(explanation_sentences(position, explanation)))


def _position(ruleset: Ruleset, hand: str, dice: str, bids: str, *, special: bool) -> View:
    """Return the view of the player on turn after these bids."""
    own_hand, dice_counts = read_numbers(hand, "--hand", "1,4,4,2,6"), read_numbers(dice, "--dice", "5,5,3")
    if not all(1 <= count <= MAX_DICE for count in dice_counts):
        raise MalformedError(
            f"--dice {dice} has to give each player 1 to {MAX_DICE} dice (leave out players with none)"
        )
    bids_made = _bids(bids)
    state = start(ruleset, [f"Player {place}" for place in range(1, len(dice_counts) + 1)])
    seats = [
        place * state.direction.step % len(dice_counts) for place in range(len(dice_counts))
    ]  # in the order of play
    you = len(bids_made) % len(dice_counts)
    if len(own_hand) != dice_counts[you]:
        raise MalformedError(
            f"--dice gives you, player {you + 1} in turn, {counted(dice_counts[you], 'die', 'dice')}, but --hand has"
            f" {len(own_hand)}"
        )
    if special:
        _check_special_round(ruleset, dice_counts)
    state = msgspec.structs.replace(
        state,
        names=tuple(state.names[seats.index(seat)] for seat in range(len(dice_counts))),
        dice=tuple(dice_counts[seats.index(seat)] for seat in range(len(dice_counts))),
        special_seat=0 if special else None,
    )
    state = evolve_all(state, [StarterFound(0, StarterMethod.CHOSEN)])
    hands = tuple(own_hand if seat == seats[you] else (1,) * count for seat, count in enumerate(state.dice))
    state = evolve_all(state, decide(state, None, Deal(hands)))
    for bid in bids_made:
        state = evolve_all(state, decide(state, state.turn, bid))
    return view(state, seats[you])


def _bids(text: str) -> list[Bid]:
    """Return the bids of a comma-separated text."""
    try:
        return [parse_bid(part) for part in text.split(",")] if text.strip() else []
    except NotationError as error:
        raise MalformedError(f"cannot read --bids {text[:40]!r} (bids separated by commas, such as 2x6,3x6)") from error


def _check_special_round(ruleset: Ruleset, dice_counts: tuple[int, ...]) -> None:
    """Raise `UnavailableError` if these rules and dice allow no special round of the first player."""
    special = ruleset.special_round
    if special is None:
        raise UnavailableError(f"{ruleset.labels.game} has no special round")
    if len(dice_counts) < special.min_players:
        raise UnavailableError(
            f"{ruleset.labels.game} has no special round of fewer than {special.min_players} players"
        )
    if dice_counts[0] != 1:
        raise UnavailableError(
            f"the player who opens a special round has one die, but --dice gives the first player {dice_counts[0]}"
        )
