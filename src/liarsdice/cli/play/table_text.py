"""Texts that the line mode and the full screen share.

They need no terminal library, so the line mode starts without one.
"""

from __future__ import annotations

from collections.abc import Iterable

from liarsdice.core.actions import BidAndShow
from liarsdice.core.bids.notation import notate
from liarsdice.core.engine.view import EventView, View
from liarsdice.core.events import Challenged, ExactCalled, PassChallenged, Revealed
from liarsdice.core.rules.meaning import dice_differ_by_seat, has_face_off, may_show_dice, shown_stakes
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.narration import Narrator, face_name, stakes_name
from liarsdice.core.text.rulebook.english import join_words
from liarsdice.play.match_runner import elimination_rounds, final_places, seats_by_place


def placings_text(view: View, events: Iterable[EventView], narrator: Narrator) -> str:
    """Return the final places on one line, such as "1. Ann  2. Bo and You  4. Cy"."""
    places = final_places(view, elimination_rounds(events))
    rows = [(places[seats[0]], join_words(map(narrator.list_name, seats))) for seats in seats_by_place(places)]
    return "  ".join(f"{place}. {names}" for place, names in rows)


def late_call_message(call: Challenged | ExactCalled | PassChallenged, narrator: Narrator) -> str:
    """Return the message for a player whose own call came after `call`, made at the same moment by another player."""
    out_of_turn = not isinstance(call, PassChallenged) and call.out_of_turn
    how = "called first" if out_of_turn else "called in turn"
    return f"{narrator.names[call.seat]} {how}, so that call counts and you risk nothing."


def wilds_off_message(rules: Ruleset) -> str:
    """Return the message after a bid that makes the special face lose its wildness for the round."""
    return f"{face_name(rules, rules.dice.special_face).capitalize()} are not wild for the rest of this round."


def count_text(rules: Ruleset, reveal: Revealed, count: int) -> str:
    """Return what was bid and what the shown dice come to: `count`, of all dice that will be shown."""
    bid, special, wild = reveal.bid, face_name(rules, rules.dice.special_face), ""
    if bid.is_sum:
        return f"sum of both dice: {bid.quantity} bid, {count} counted"
    if reveal.wilds_counted:
        wild = f" [{special} count too]"
    elif rules.wilds.special_is_wild and bid.face != rules.dice.special_face:
        wild = f" [{special} do not count]"
    return f"{face_name(rules, bid.face)}: {bid.quantity} bid, {count} counted{wild}"


def mustache_symbol(rules: Ruleset) -> str:
    """Return a mustache if the rules name their special round after one, otherwise an empty string.

    The players of such a round wear it, so tables show it beside their names.
    """
    return ":{" if "mustache" in rules.labels.special_round.lower() else ""


def show_help(rules: Ruleset) -> list[str]:
    """Return the lines of the help about dice that are shown with a bid, and about bids on the sum; none without."""
    how = "bid five fours, put two fours in the open and roll your other dice again"
    lines = [f"{'5x4+44':17} {how}"] if may_show_dice(rules) else []
    return [*lines, *[f"{'sum7':17} bid that both dice add up to at least seven, in a face-off"] * has_face_off(rules)]


def show_hint(view: View) -> str:
    """Return how dice are shown with a bid, if the seat of the view has some that it could show now."""
    bid = next((bid for bid in view.may_bid if view.showable(bid)), None)
    return "" if bid is None else f" (with dice to show: {notate(BidAndShow(bid, view.showable(bid)[:1]))})"


def own_dice_text(view: View) -> str:
    """Return the own dice as a sentence, those in the open apart."""
    in_the_open = view.hand[: len(view.hand) - len(view.hidden)]
    apart = f", and {' '.join(map(str, in_the_open))} in the open" if in_the_open else ""
    return f"Your dice: {' '.join(map(str, view.hidden))}{apart}."


def counts_text(dice: Iterable[int], view: View, narrator: Narrator) -> str:
    """Return the dice of each seat as a sentence, and others on lives, as the table counts them, and on shown dice."""
    names = [narrator.list_name(seat) for seat in range(len(view.names))]
    counts = [("Dice", [str(held or "out") for held in dice])]
    if view.lives:
        counts.append((stakes_name(view.ruleset), [str(shown_stakes(view.ruleset, left)) for left in view.lives]))
    if dice_differ_by_seat(view.ruleset):
        counts.append(("Faces", [str(view.ruleset.dice.faces_at(seat)) for seat in range(len(view.names))]))
    if any(view.shown):
        shown = [" ".join(map(str, dice)) or "none" for dice in view.shown]
        counts.append(("in the open", shown))
    return " ".join(
        f"{what.capitalize()}: {', '.join(map(' '.join, zip(names, numbers, strict=True)))}."
        for what, numbers in counts
    )
