"""The bid chart as a table of words and numbers, for every output format."""

from collections.abc import Mapping

import msgspec

from liarsdice.core.bids.bid_chart import (
    answer_max_quantity,
    chart_max_quantity,
    chart_rows,
    ladder,
    minimum_quantities,
    only_exactly,
    split_special_tail,
)
from liarsdice.core.rules.bid_space import bid_space
from liarsdice.core.rules.bids import PURE_MARK, Bid
from liarsdice.core.rules.choices import HandBonus, Raise, SpecialRank
from liarsdice.core.rules.meaning import has_pure_bids
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.rulebook.language import Language, TextContext, bid_words, face_words, fill

CHART_READS = frozenset(
    f"bidding.{field}" for field in ("raise", "special_rank", "to_special", "from_special", "to_pure", "cap")
) | {
    *("dice.per_player", "dice.faces", "dice.faces_by_seat", "dice.special_face"),
    *("dice.double", "dice.double_lost", "count.scope", "count.hand_bonus", "labels.special_face", "players.max"),
}
"""The fields that every bid chart depends on."""

MAX_DICE = 15
MAX_BIDS = 150
MAX_STANDING_QUANTITY = 5
NO_BID = "–"
EXACTLY = "="


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """A bid chart as text: a heading for each column, rows, and remarks below.

    If the rules rank all bids, there is one column, and a row holds the bids of one quantity, separated by spaces.
    Otherwise a row holds a standing bid and the fewest dice of each face that beat it.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    remarks: tuple[str, ...] = ()
    reads: frozenset[str] = CHART_READS


def rulebook_chart(rules: Ruleset, language: Language) -> Chart:
    """Return the chart of the rulebook, for the dice of about three players, or of all if fewer can play."""
    rows = max(2, MAX_BIDS // rules.dice.faces)
    dice = min(min(3, rules.players.max or 3) * rules.dice.per_player, MAX_DICE, rows)
    return make_chart(rules, language, dice, max_standing=MAX_STANDING_QUANTITY, max_rows=max(rows, MAX_DICE))


def make_chart(
    rules: Ruleset, language: Language, dice: int, *, max_standing: int | None = None, max_rows: int | None = None
) -> Chart:
    """Return the bid chart for `dice` dice in play.

    If the rules do not rank all bids, the chart has a row for every standing bid of at most `max_standing` dice (None:
    for every standing bid). If they do, it has bids of at most `max_rows` dice (None: of all).
    """
    top = chart_max_quantity(rules, dice)
    listed = top if max_rows is None else min(top, max_rows)
    ordered = ladder(rules, listed)
    context = TextContext(rules, language, {"chart.dice": dice})
    if ordered is None:
        last = top if max_standing is None else min(max_standing, top)
        return Chart(
            caption=_text(context, "chart.least"),
            reads=_reads(rules),
            head=(_text(context, "chart.over"), *_columns(context)),
            rows=tuple(_chart_row(rules, bid, top) for bid in bid_space(rules).all_bids(1, last)),
            remarks=(*((_text(context, "chart.some"),) if last < top else ()), *_remarks(context, table=True)),
        )
    body, tail = split_special_tail(rules, ordered)
    remarks = (*((_text(context, "chart.some"),) if listed < top else ()), *_remarks(context))
    if tail:
        ends = {"rest.first": tail[0].quantity, "rest.last": tail[-1].quantity}
        key = "chart.rest" if len(tail) > 1 else "chart.rest_one"
        remarks = (_text(TextContext(rules, language, ends), key), *remarks)
    return Chart(
        caption=_text(context, "chart.ladder"),
        reads=_reads(rules),
        head=(_text(context, "chart.bids"),),
        rows=tuple((" ".join(map(str, row)),) for row in chart_rows(rules, body)),
        remarks=remarks,
    )


def _reads(rules: Ruleset) -> frozenset[str]:
    return CHART_READS | {"bidding.from_pure"} if has_pure_bids(rules) else CHART_READS


def lowest_bids_text(rules: Ruleset, language: Language, standing: Bid, dice: int) -> str:
    """Return the lowest bids that beat a standing bid, as one line of words, with `dice` dice in play."""
    context = TextContext(rules, language, {"standing": bid_words(TextContext(rules, language), standing)})
    top = answer_max_quantity(rules, standing, chart_max_quantity(rules, dice))
    fewest = [
        Bid(quantity, face, pure)
        for pure in (False, True)
        for face, quantity in minimum_quantities(rules, standing, top, pure=pure).items()
    ]
    alone = [bid for bid in fewest if only_exactly(rules, standing, bid)]
    groups = {"chart.at_least": [bid for bid in fewest if bid not in alone], "chart.exactly": alone}
    answers = [
        _fill(context, key, {"bids": language.join_or([bid_words(context, bid) for bid in bids])})
        for key, bids in groups.items()
        if bids
    ]
    key = "chart.line_over" if answers else "chart.line_none"
    return _fill(context, key, {**context.items, "answers": language.join_or(answers)})


def _fill(context: TextContext, key: str, items: Mapping[str, int | str]) -> str:
    """Return a part of a sentence, filled with its own items."""
    return fill(context.language.sentences[key], TextContext(context.rules, context.language, items), capital=False)


def _columns(context: TextContext) -> list[str]:
    """Return the headings of the columns: faces in words, or, with pure bids, in digits with their mark."""
    kinds = bid_space(context.rules).kinds
    if not has_pure_bids(context.rules):
        return [face_words(context, face, 2) for face, _ in kinds]
    return [f"{face}{PURE_MARK if pure else ''}" for face, pure in kinds]


def _chart_row(rules: Ruleset, standing: Bid, top: int) -> tuple[str, ...]:
    most, cells = answer_max_quantity(rules, standing, top), []
    fewest_by_kind = {pure: minimum_quantities(rules, standing, most, pure=pure) for pure in (False, True)}
    for face, pure in bid_space(rules).kinds:
        fewest = fewest_by_kind[pure]
        sign = EXACTLY if face in fewest and only_exactly(rules, standing, Bid(fewest[face], face, pure)) else ""
        cells.append(sign + str(fewest.get(face, NO_BID)))
    return (str(standing), *cells)


def _remarks(context: TextContext, *, table: bool = False) -> tuple[str, ...]:
    rules = context.rules
    keys = []
    if table and rules.bidding.raise_ is Raise.ONE_STEP_DIM:
        keys.append("chart.equals")
    if rules.bidding.special_rank is not SpecialRank.NOT_BIDDABLE and rules.labels.special_face is not None:
        keys.append("chart.special")
    if has_pure_bids(rules):
        keys.append("chart.pure")
    if rules.count.hand_bonus is not HandBonus.NONE:
        keys.append("chart.stairs" if rules.count.hand_bonus.is_for_stairs else f"chart.{rules.count.hand_bonus}")
    if rules.bidding.cap is None:
        keys.append("chart.unlimited")
    return tuple(_text(context, key) for key in keys)


def _text(context: TextContext, key: str) -> str:
    return fill(context.language.sentences[key], context)
