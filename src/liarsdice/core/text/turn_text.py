"""What a seat knows as plain text, for language models and other programs that read prose.

`rules_text` says once what the rules are and how moves are written; `turn_text` says at each decision what the seat
sees. A text is made from a `View` alone, so it holds nothing that is hidden from the seat.
"""

import re
from collections.abc import Iterable, Iterator

from msgspec import UNSET

from liarsdice.core.actions import PlayerAction
from liarsdice.core.bids.bid_chart import BidRange, bid_ranges
from liarsdice.core.bids.notation import notate
from liarsdice.core.bids.odds import p_true, percent
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import View
from liarsdice.core.errors import MalformedError, printable
from liarsdice.core.rules.bid_space import UNCAPPED_QUANTITY, bid_space
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import AllDifferent, ExactClaim, HandBonus, PassHand
from liarsdice.core.rules.meaning import (
    calls_exact,
    counts_taken,
    dice_differ_by_seat,
    doubles_are_answered,
    exact_claim,
    has_double_challenge,
    has_face_off,
    has_lives,
    has_passes,
    has_pure_bids,
    kind_is_chosen,
    may_fold,
    may_show_dice,
    rolls_after_showing,
    several_may_call,
    shown_stakes,
    special_round_is_declared,
)
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import listed_hand
from liarsdice.core.text.narration import bid_name, dice_texts, stakes_name
from liarsdice.core.text.rulebook import rulebook, to_text

SILENT = "silent"
"""How silence is written: the answer of a seat that is asked out of turn and lets the bid stand."""


def move_text(move: PlayerAction | None) -> str:
    """Return a move as text, such as `5x4`, `liar` or `silent` for None."""
    return SILENT if move is None else notate(move)


def moves_text(moves: Iterable[PlayerAction | None], unlimited: Iterable[tuple[int, bool]] = ()) -> str:
    """Return moves as text, bids as ranges of quantities of each face; None is silence.

    `unlimited`: faces, each with whether bids are pure, on which all higher bids than the listed ones are legal, too.

    >>> from liarsdice.core.actions import Challenge
    >>> moves_text([Bid(2, 2), Bid(3, 2), Bid(2, 3), Bid(4, 3), Challenge(), None], unlimited=[(3, False)])
    '2x2 to 3x2, 2x3, 4x3 or more, liar, silent'
    """
    listed = tuple(moves)
    ranges = sorted(
        bid_ranges(move for move in listed if isinstance(move, Bid)), key=lambda r: (r.face, r.pure, r.lowest)
    )
    endless = {(r.face, r.pure): r for r in ranges if (r.face, r.pure) in {*unlimited}}  # the highest of each kind
    bids = [_range_text(r, endless=endless.get((r.face, r.pure)) is r) for r in ranges]
    return ", ".join([*bids, *(move_text(move) for move in listed if not isinstance(move, Bid))])


def _range_text(bids: BidRange, *, endless: bool) -> str:
    lowest, highest = (Bid(quantity, bids.face, bids.pure) for quantity in (bids.lowest, bids.highest))
    if endless:
        return f"{lowest} or more"
    return str(lowest) if lowest == highest else f"{lowest} to {highest}"


def legal_moves_text(view: View) -> str:
    """Return the legal moves of the viewing seat as text, with silence where it is asked out of turn; "" without moves.

    >>> from liarsdice.core.engine.engine import start
    >>> from liarsdice.core.engine.view import view
    >>> from liarsdice.core.rules.presets import preset
    >>> legal_moves_text(view(start(preset("basic").ruleset, ("Ann", "Bo")), 0))
    ''
    """
    silence = (None,) if view.allows(None) else ()
    return moves_text(
        (*view.may_bid, *_unlisted_bids(view), *view.moves[len(view.may_bid) :], *silence), _unlimited_kinds(view)
    )


def _unlisted_bids(view: View) -> list[Bid]:
    """Return legal bids that the view does not list, so that those of each kind go on from the highest one.

    Without a limit on quantities, a bid that was made and may not be repeated is a gap between the listed bids and the
    highest one of the round; and all bids on a face can be higher than those that are listed.
    """
    if not view.unlimited:
        return []
    listed = max((bid.quantity for bid in view.may_bid), default=0)
    highest = max((bid.quantity for _, bid in view.bids), default=0)
    bids = [bid for bid in bid_space(view.ruleset).all_bids(listed + 1, highest + 1) if view.allows(bid)]
    known = {(bid.face, bid.pure) for bid in (*view.may_bid, *bids)}
    for kind in _unlimited_kinds(view) - known:
        higher = (Bid(quantity, *kind) for quantity in range(listed + 1, UNCAPPED_QUANTITY + 1))
        bids.append(next(bid for bid in higher if view.allows(bid)))
    return bids


def _unlimited_kinds(view: View) -> set[tuple[int, bool]]:
    """Return the kinds of bids of which the listed ones go on up to the highest quantity that can be bid."""
    kinds = bid_space(view.ruleset).kinds if view.unlimited else ()
    return {kind for kind in kinds if view.allows(Bid(UNCAPPED_QUANTITY, *kind))}


PASS_HAND_TEXTS = {
    PassHand.ALIKE: "all alike",
    PassHand.ALL_DIFFERENT: "all different",
    PassHand.FULL_HOUSE: "a full house",
    None: "none that allows it",
}
"""What a hand is whose pass was doubted."""

LISTED_ODDS = 4
"""How many of the most probable bids the odds name."""


MOVE_IN_BRACKETS = re.compile(r"\[([a-z0-9+!]+)\]")


def rules_text(rules: Ruleset, *, as_argument: bool = False) -> str:
    """Return the rulebook as plain text, followed by `answer_format`."""
    return f"{to_text(rulebook(rules)).rstrip()}\n\n{answer_format(rules, as_argument=as_argument)}"


def answer_format(rules: Ruleset, *, as_argument: bool = False) -> str:
    """Return how each kind of move of these rules is written, one line each.

    `as_argument`: the move is the argument of a call and not a part of an answer in prose, so it needs no brackets.

    >>> print(answer_format(Ruleset()))
    How to answer
    -------------
    - End your answer with one move in square brackets.
    - [2x3] bids two threes: the quantity, an x, the face.
    - [liar] calls the standing bid false (“Liar!”).
    """
    labels = rules.labels
    lines = [
        "End your answer with one move in square brackets.",
        f"[2x3] bids {bid_name(rules, Bid(2, 3))}: the quantity, an x, the face.",
        f"[liar] calls the standing bid false (“{labels.challenge}”).",
    ]
    if has_pure_bids(rules):
        lines.insert(2, f"[2x3!] bids {bid_name(rules, Bid(2, 3, pure=True))}: no dice are wild while the bid stands.")
    if has_face_off(rules):
        lines.append(
            "[sum7] bids that both dice add up to at least 7, in a face-off: two players are left, with one die each."
        )
    if may_show_dice(rules):
        others = "rolls your other dice again" if rolls_after_showing(rules) else "keeps your other dice hidden"
        lines.append(f"[2x3+33] bids two threes, puts two of your threes in the open and {others}.")
    if has_double_challenge(rules):
        lines.append("[double] calls it false for twice the stake: everything that the call costs is doubled.")
    if has_passes(rules):
        lines.append(
            "[pass] passes, whether your hand allows it or not: the standing bid stays, and the next player goes on."
        )
        lines.append("[doubt] calls the pass of the player before false.")
    if doubles_are_answered(rules):
        fold = " [fold] loses the stake before the latest doubling, and no dice are shown." if may_fold(rules) else ""
        lines.append(f"[accept] answers a call for twice the stake; [redouble] doubles the stake again.{fold}")
    if exact_claim(rules) is not None:
        whose = "your own last bid is" if calls_exact(rules) else "the standing bid, now yours, is"
        lines.append(f"[claim] claims that {whose} exactly right (“{labels.exact}”); others may raise or doubt it.")
    if calls_exact(rules):
        lines.append(f"[exact] calls the standing bid exactly right (“{labels.exact}”).")
    if rules.turn.starter_may_reverse:
        when = "the opening bid" if rules.turn.starter_may_reverse is True else "the first bid of the match"
        lines.append(f"[clockwise] or [anticlockwise] chooses the direction of play, before {when}.")
    if kind_is_chosen(rules):
        kinds = "[closed], [open] or [ordinary]" if special_round_is_declared(rules) else "[closed] or [open]"
        lines.append(f"{kinds} chooses the kind of a special round that you open, before anybody looks at dice.")
    elif special_round_is_declared(rules):
        noun = "life" if has_lives(rules) else "die"
        lines.append(
            f"[special] declares a round that you open with one {noun} left special (“{labels.special_round}”)."
        )
    if rules.count.all_different is AllDifferent.MAY_ROLL_AGAIN:
        lines.append("[reroll] says that your hand may be rolled again, and rolls all of it, before your first bid.")
    if several_may_call(rules) or exact_claim(rules) is ExactClaim.BIDDER:
        lines.append("[silent] lets the bid stand when you are asked while it is not your turn.")
    title = "How to answer"
    if as_argument:
        title = "How to write a move"
        lines = [MOVE_IN_BRACKETS.sub(r'"\1"', line) for line in lines[1:]]
    return "\n".join((title, "-" * len(title), *(f"- {line}" for line in lines)))


def turn_text(view: View, *, with_odds: bool = False, legal_moves: str | None = None, as_argument: bool = False) -> str:
    """Return what a seat sees as text of several lines, in every phase of a match; it ends with the legal moves.

    `with_odds`: adds the probabilities of the standing bid and of the most probable legal bids. `legal_moves`: the
    legal moves as text, if the caller allows others than `legal_moves_text`. `as_argument`: as in `answer_format`.
    Raises `MalformedError` for a spectator.
    """
    if view.seat is None:
        raise MalformedError("a spectator has no turn; the view of a seat is wanted")
    lines = [*_table_lines(view)]
    if view.phase is Phase.BIDDING:
        lines += _round_lines(view)
        lines += [odds_text(view)] if with_odds and view.dice[view.seat] else []
    moves = legal_moves_text(view) if legal_moves is None else legal_moves
    return "\n".join((*lines, *_move_lines(view, moves, as_argument=as_argument)))


def odds_text(view: View) -> str:
    """Return the probabilities of the standing bid and of the most probable legal bids, for a seat that holds dice.

    They follow from the own dice and the number of the others' alone; the bids of the others do not count. Only the
    lowest quantity of each face is considered, pure bids apart, since more of a face is never more probable.
    """
    parts: list[str] = []
    if view.bid is not None:
        more = Bid(view.bid.quantity + 1, view.bid.face)
        p_true_if_challenged = _p_true(view, view.bid, view.bidder, wilds_count=view.wilds_in_challenge)
        p_stands, p_more = (_p_true(view, bid, view.bidder, wilds_count=view.wilds_count) for bid in (view.bid, more))
        parts.append(
            f"{view.bid} is true with {percent(p_true_if_challenged, 1)} and exactly right with"
            f" {percent(p_stands - p_more, 1)}"
        )
    lowest: dict[tuple[int, bool], Bid] = {}
    for bid in view.may_bid:
        lowest.setdefault((bid.face, bid.pure), bid)
    by_probability = sorted(
        (-_p_true(view, bid, view.seat, wilds_count=view.wilds_if_bid(bid)), kind) for kind, bid in lowest.items()
    )[:LISTED_ODDS]
    if by_probability:
        listed = ", ".join(f"{lowest[kind]} {percent(-negative, 1)}" for negative, kind in by_probability)
        parts.append(f"your most probable bids are {listed}")
    known = "the dice that you see" if view.is_blind else "your own dice"
    return f"Odds by {known} alone: {'; '.join(parts) or 'there is no bid yet'}."


def _p_true(view: View, bid: Bid, bidder: int | None, *, wilds_count: bool) -> float:
    hand, others, faces = view.dice_of_bid(bidder)
    return p_true(view.ruleset, bid, hand, others, wilds_count=wilds_count, faces=faces)


def hidden_dice_text(view: View) -> str:
    """Return what a seat sees that does not see its own dice; "" for any other seat."""
    if view.seat is None or not view.is_blind:
        return ""
    hands = (f"{_name(view, seat)}: {_dice(view, hand)}" for seat, hand in enumerate(view.seen) if hand)
    seen = f" You see the dice of the others: {', '.join(hands)}." if view.seen else ""
    return f"You do not see your dice in this round ({view.dice[view.seat]}).{seen}"


def _table_lines(view: View) -> Iterator[str]:
    """Yield what does not depend on the phase: the seat, its dice, what everybody holds, the latest reveal."""
    assert view.seat is not None
    own = f" Your dice: {_dice(view, view.hand)}." if view.hand else ""
    if view.is_blind:
        own = f" {hidden_dice_text(view)}"
    yield f"You are {_name(view, view.seat)}.{own}"
    if view.ruleset.dice.double:
        yield "A die that is written as 4&4 counts as two dice with its face."
    if view.blind and not view.is_blind:
        yield f"These players do not see their dice: {', '.join(_name(view, seat) for seat in view.blind)}."
    held = ", ".join(f"{_name(view, seat)}: {count}{_faces(view, seat)}" for seat, count in enumerate(view.dice))
    yield f"Dice in play: {sum(view.dice)} ({held})."
    if any(view.shown):
        shown = (f"{_name(view, seat)}: {_dice(view, dice)}" for seat, dice in enumerate(view.shown) if dice)
        yield f"Dice in the open, which stay there until the round ends: {', '.join(shown)}."
    if view.lives:
        rules, number = view.ruleset, "taken" if counts_taken(view.ruleset) else "left"
        lives = (f"{_name(view, seat)}: {shown_stakes(rules, left)}" for seat, left in enumerate(view.lives_in_hand))
        yield f"{stakes_name(rules).capitalize()} {number}: {', '.join(lives)}."
        if view.pot:
            yield f"The pot of this round: {view.pot}. Each player who is in has put in the same."
    reveal = view.revealed
    if reveal is not None:
        hands = ", ".join(f"{_name(view, seat)}: {_dice(view, hand)}" for seat, hand in enumerate(reveal.hands) if hand)
        what = f"{reveal.count} counted for the bid {reveal.bid}"
        if reveal.pass_hand is not UNSET:
            what = f"a pass was doubted, and the hand was {PASS_HAND_TEXTS[reveal.pass_hand]}"
        yield f"Latest reveal: {what}; the dice were {hands}."


def _round_lines(view: View) -> Iterator[str]:
    """Yield the round: its number and kind, the direction, wild dice, and the bids so far."""
    rules = view.ruleset
    yield f"Round {view.round_number}. {_name(view, view.starter)} opens it. Play goes {view.direction}."
    if view.special_seat is not None:
        lock = " The face is locked: bids stay on the face of the bid before." if view.face_locked else ""
        yield f"It is a special round (“{rules.labels.special_round}”) of {_name(view, view.special_seat)}.{lock}"
    if view.face_off:
        yield "It is a face-off: bids are sums of both dice, each die counts what it shows, and nothing is wild."
    elif rules.wilds.special_is_wild:
        wild = f"Dice that show {rules.dice.special_face} are"
        yield f"{wild} wild: they count as every face." if view.wilds_count else f"{wild} not wild now."
    if view.rerolls:
        names = ", ".join(_name(view, seat) for seat in view.rerolls)
        yield f"These players had a hand that may be rolled again, and rolled it again in this round: {names}."
    if view.bid is not None and view.bidder is not None:
        yield f"Bids of this round, in order: {', '.join(f'{_name(view, seat)}: {bid}' for seat, bid in view.bids)}."
        for seat, place in view.passes:
            yield f"{_name(view, seat)} passed after bid {place} of this round."
        claimed = ", claimed to be exactly right" if view.claimed else ""
        yield f"Standing bid: {view.bid} by {_name(view, view.bidder)} ({bid_name(rules, view.bid)}){claimed}."


def _move_lines(view: View, moves: str, *, as_argument: bool) -> Iterator[str]:
    """Yield whose turn it is, the legal moves, and the form of an answer."""
    if view.phase is Phase.OVER:
        yield f"The match is over. Winners: {', '.join(_name(view, seat) for seat in view.winners)}."
    elif view.phase is not Phase.BIDDING:
        yield "The dice of the next round are not rolled yet. You have no move now."
    elif view.on_turn and view.doubled_by is not None:
        times = "four times" if view.redoubled else "twice"
        yield f"The standing bid was called for {times} the stake, and you answer before any dice are shown."
    elif view.on_turn:
        yield "It is your turn."
    else:
        may = "but you may call the standing bid, or be silent" if moves else "and you have no move now"
        yield f"It is the turn of {_name(view, view.turn)}, {may}."
    if moves and any(map(view.showable, view.may_bid)):
        example = "2x3+33" if as_argument else "[2x3+33]"
        yield f"With a bid you may show some of your dice that count for it: write them after a plus, as in {example}."
    if moves:
        yield f"Your legal moves: {moves}.{'' if as_argument else ' Answer with one of them in square brackets.'}"


def _name(view: View, seat: int) -> str:
    return printable(view.names[seat])


def _faces(view: View, seat: int) -> str:
    """Return how many faces the dice of a seat have, "" if all dice have as many."""
    return f" with {view.ruleset.dice.faces_at(seat)} faces" if dice_differ_by_seat(view.ruleset) else ""


def _dice(view: View, hand: tuple[int, ...]) -> str:
    """Return dice in ascending order, or as they lie if that can matter."""
    in_order = view.ruleset.count.hand_bonus is HandBonus.STAIRS_IN_ORDER
    return " ".join(dice_texts(view.ruleset, hand if in_order else listed_hand(view.ruleset, hand)))
