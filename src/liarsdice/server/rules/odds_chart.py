"""The odds of bids as a chart: how likely at least q dice of a face are, by the number of dice that one cannot see."""

from __future__ import annotations

import msgspec

from liarsdice.core.bids.bid_chart import full_hands
from liarsdice.core.bids.hands import require_hand
from liarsdice.core.bids.odds import p_true, require_table_count, to_percent
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.applicability import dice_differ_by_seat
from liarsdice.core.rules.bid_limits import require_bid
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import Plain
from liarsdice.core.rules.parts import ALIKE_BONUS
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand, wilds_at_start
from liarsdice.server.rules.rules_api import ruleset_of

HIDDEN_DICE = (*range(1, 11), 12, 14, 16, 18, 20)
"""The numbers of dice that one cannot see, a row of the chart each."""
MAX_HAND = 20
MAX_COLUMNS = 12


class OddsForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A request for charts of odds. `rules` and `changes`: as in `RulesForm`. `hand`: the own dice."""

    rules: str = "classic"
    changes: Plain = {}
    hand: tuple[int, ...] = ()
    face: int = 4


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

    `ruleset`: the rules that they hold for.
    """

    ruleset: Ruleset
    face: int
    charts: tuple[OddsChart, ...]


def odds_response(form: OddsForm) -> OddsResponse:
    """Return the charts that a form asks for, from the exact odds of the package.

    Raises `UnavailableError` for an unknown preset, and where bids are about own dice or dice differ by seat,
    `MalformedError` for changes, dice or a face that cannot be, and `RulesetError` if the rules conflict.
    """
    rules = ruleset_of(form.rules, form.changes)
    require_table_count(rules)
    if dice_differ_by_seat(rules):
        by_seat = rules.dice.faces_by_seat
        raise UnavailableError(f"there are charts only of dice with as many faces (dice.faces_by_seat is {by_seat})")
    if len(form.hand) > MAX_HAND:
        raise MalformedError(f"a hand has at most {MAX_HAND} dice here, not {len(form.hand)}")
    require_hand(rules, form.hand)
    require_bid(rules, Bid(1, form.face), any_face=True)
    has_wilds = wilds_at_start(rules, special_round=False) and form.face != rules.dice.special_face
    charts = tuple(
        _chart(rules, form.hand, form.face, wilds=wilds) for wilds in ((True, False) if has_wilds else (False,))
    )
    return OddsResponse(rules, form.face, charts)


def encoded_odds(form: OddsForm) -> bytes:
    """Return `odds_response` as JSON."""
    return msgspec.json.encode(odds_response(form))


def _chart(rules: Ruleset, hand: Hand, face: int, *, wilds: bool) -> OddsChart:
    return OddsChart(wilds, tuple(_row(rules, hand, face, hidden, wilds=wilds) for hidden in HIDDEN_DICE))


def _row(rules: Ruleset, hand: Hand, face: int, hidden: int, *, wilds: bool) -> OddsRow:
    others = full_hands(rules, hidden)
    most = min(len(hand) + hidden + ALIKE_BONUS * (1 + len(others)), MAX_COLUMNS)  # no hand has a higher bonus
    chances = [p_true(rules, Bid(quantity, face), hand, others, wilds_count=wilds) for quantity in range(1, most + 1)]
    return OddsRow(hidden, tuple(to_percent(chance) for chance in chances if chance > 0))
