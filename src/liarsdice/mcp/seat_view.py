"""What a program sees of a table as the `View` of its seat, from which texts are made."""

from __future__ import annotations

from liarsdice.client.views import Happened, TableView
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import View
from liarsdice.core.events import Revealed
from liarsdice.core.rules.choices import RoundKind, Visibility
from liarsdice.core.rules.meaning import blind_seats


def seat_view(table: TableView) -> View | None:
    """Return the view of this client's seat in the latest match, None without a match or a seat in it.

    It holds what texts and the legality of moves depend on; other fields have their defaults. The latest reveal of an
    earlier round is there if the news of `table` have it.
    """
    match, own = table.match, table.own
    if match is None or own.seat is None or own.seat >= len(match.dice):
        return None
    standing = table.bid
    leaves_face = standing is not None and any(bid.face != standing.face for bid in table.legal_bids)
    return View(
        ruleset=table.rules,
        names=table.seat_names,
        dice=match.dice,
        phase=match.phase,
        round_number=match.round_number,
        direction=match.direction,
        starter=match.starter,
        turn=match.starter if match.turn is None else match.turn,
        max_quantity=match.top,
        bids=match.bids_made,
        wilds_count=match.wilds_count,
        special_seat=match.special_seat,
        exempt=(own.seat,) if leaves_face else (),
        revealed=_latest_reveal(table),
        winners=match.winners,
        end_reason=match.end_reason,
        lives=match.lives,
        shown=match.shown,
        seat=own.seat,
        hand=own.hand,
        blind=_blind(table),
        open_hands=_hands_are_open(table),
        seen=own.cups if _hands_are_open(table) else (),
        may_bid=table.legal_bids,
        unlimited=own.unlimited,
        may_challenge=own.challenge,
        may_call_exact=own.exact,
        may_set_direction=own.directions,
        may_show=bool(own.showable),
        may_double=own.double,
        may_declare=own.declare,
        passes=match.passes,
        may_pass=own.may_pass,
        may_challenge_pass=own.challenge_pass,
        doubled_by=match.doubled[0] if match.doubled else None,
        redoubled=len(match.doubled) > 1,
        may_answer=own.answers,
        kind=match.kind or None,
        may_choose_kind=own.kinds,
    )


def _visibility(table: TableView) -> Visibility | RoundKind | None:
    """Return which dice the players see, None for their own."""
    special, match = table.rules.special_round, table.match
    if special is None or match is None or match.phase is not Phase.BIDDING:
        return None
    if match.kind is None:
        return Visibility.CHOSEN
    return match.kind or (None if special.visibility is Visibility.CHOSEN else special.visibility or None)


def _blind(table: TableView) -> tuple[int, ...]:
    match, visibility = table.match, _visibility(table)
    if match is None:
        return ()
    special_seat = match.starter if visibility is Visibility.CHOSEN else match.special_seat
    return blind_seats(visibility, match.dice, match.lives or match.dice, special_seat)


def _hands_are_open(table: TableView) -> bool:
    special_round = table.match is not None and table.match.special_seat is not None
    return special_round and _visibility(table) in (Visibility.OPEN, RoundKind.OPEN)


def _latest_reveal(table: TableView) -> Revealed | None:
    if table.match is not None and table.match.verdict is not None:
        return table.match.verdict.reveal
    events = (item.content.event for item in reversed(table.news) if isinstance(item.content, Happened))
    return next((event for event in events if isinstance(event, Revealed)), None)
