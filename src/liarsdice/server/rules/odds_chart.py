"""The odds of bids as a chart: how likely at least q dice of a face are, by the number of dice that one cannot see.

Where dice differ by seat, it matters whose dice these are: all other players still in hold as many dice each.
"""

from __future__ import annotations

import msgspec

from liarsdice.core.bids.bid_chart import full_hands
from liarsdice.core.bids.odds import p_true, require_hand, require_table_count, to_percent
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.bid_space import require_bid
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.meaning import dice_differ_by_seat
from liarsdice.core.rules.overlay import Plain
from liarsdice.core.rules.parts import ALIKE_BONUS
from liarsdice.core.rules.rule_costs import MAX_DICE_EACH
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import wilds_at_start
from liarsdice.server.rules.rules_api import ruleset_of

HIDDEN_DICE = (*range(1, 11), 12, 14, 16, 18, 20)
"""The numbers of dice that one cannot see, a row of the chart each."""
MAX_SEATS = 20
MAX_COLUMNS = 12


class OddsForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A request for charts of odds. `rules` and `changes`: as in `RulesForm`. `hand`: the own dice.

    Where dice differ by seat: `seat` is the own seat and `others` are those of the other players still in, from 0; if
    it is empty, these are all other seats with dice of their own, and the first one without.
    """

    rules: str = "classic"
    changes: Plain = {}
    hand: tuple[int, ...] = ()
    face: int = 4
    seat: int = 0
    others: tuple[int, ...] = ()


class OddsRow(msgspec.Struct, frozen=True):
    """One row of a chart. `percents`: the chance of at least q dice of the face among all, for q from 1 up.

    `hidden`: how many dice one cannot see.
    """

    hidden: int
    percents: tuple[int, ...]


class OddsChart(msgspec.Struct, frozen=True):
    """A chart of odds. `wilds`: whether wild dice count for the face."""

    wilds: bool
    rows: tuple[OddsRow, ...]


class OddsResponse(msgspec.Struct, frozen=True):
    """Charts of odds: with wild dice and without, or one chart if the rules have no wild dice for this face.

    `ruleset`: the rules that they hold for. `others`: the seats with the dice that one cannot see, from 0; empty if all
    dice have as many faces.
    """

    ruleset: Ruleset
    face: int
    others: tuple[int, ...]
    charts: tuple[OddsChart, ...]


def odds_response(form: OddsForm) -> OddsResponse:
    """Return the charts that a form asks for, from the exact odds of the package.

    Raises `UnavailableError` for an unknown preset, and where bids are about own dice, `MalformedError` for changes,
    dice, a face or seats that cannot be, and `RulesetError` if the rules conflict.
    """
    rules = ruleset_of(form.rules, form.changes)
    require_table_count(rules)
    others = _others(rules, form) if dice_differ_by_seat(rules) else ()
    if len(form.hand) > MAX_DICE_EACH:
        raise MalformedError(f"a hand has at most {MAX_DICE_EACH} dice here, not {len(form.hand)}")
    require_hand(rules, form.hand)
    if others and max(form.hand, default=0) > (own := rules.dice.faces_at(form.seat)):
        raise MalformedError(f"the dice of seat {form.seat + 1} have {own} faces; none shows a {max(form.hand)}")
    require_bid(rules, Bid(1, form.face), any_face=True)
    has_wilds = wilds_at_start(rules, special_round=False) and form.face != rules.dice.special_face
    charts = tuple(
        OddsChart(wilds, _rows(rules, form, others, wilds=wilds))
        for wilds in ((True, False) if has_wilds else (False,))
    )
    return OddsResponse(rules, form.face, others, charts)


def encoded_odds(form: OddsForm) -> bytes:
    """Return `odds_response` as JSON."""
    return msgspec.json.encode(odds_response(form))


def _others(rules: Ruleset, form: OddsForm) -> tuple[int, ...]:
    """Return the seats with unseen dice. Raises `MalformedError` for seats that cannot be."""
    known = range(len(rules.dice.faces_by_seat or ()) + 1)
    others = form.others or tuple(seat for seat in known if seat != form.seat)
    if not all(0 <= seat < MAX_SEATS for seat in (form.seat, *others)):
        raise MalformedError(f"seats are numbered from 0 to {MAX_SEATS - 1} here, not {form.seat} and {others}")
    if len({form.seat, *others}) != 1 + len(others):
        raise MalformedError(f"the other players have seats of their own, not {others} beside the own seat {form.seat}")
    return tuple(sorted(others))


def _rows(rules: Ruleset, form: OddsForm, others: tuple[int, ...], *, wilds: bool) -> tuple[OddsRow, ...]:
    hidden: list[tuple[tuple[int, ...], tuple[int, ...]]]
    if others:
        faces = tuple(rules.dice.faces_at(seat) for seat in others)
        hidden = [((dice,) * len(others), faces) for dice in range(1, rules.dice.per_player + 1)]
    else:
        hidden = [(full_hands(rules, dice), ()) for dice in HIDDEN_DICE]
    return tuple(_row(rules, form, sizes, faces, wilds=wilds) for sizes, faces in hidden)


def _row(rules: Ruleset, form: OddsForm, sizes: tuple[int, ...], faces: tuple[int, ...], *, wilds: bool) -> OddsRow:
    most = min(len(form.hand) + sum(sizes) + ALIKE_BONUS * (1 + len(sizes)), MAX_COLUMNS)  # no hand has a higher bonus
    bids = [Bid(quantity, form.face) for quantity in range(1, most + 1)]
    chances = [p_true(rules, bid, form.hand, sizes, wilds_count=wilds, faces=faces) for bid in bids]
    return OddsRow(sum(sizes), tuple(to_percent(chance) for chance in chances if chance > 0))
