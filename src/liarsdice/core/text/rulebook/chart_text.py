"""The claim chart as a table of words and numbers, ready for any format."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from liarsdice.core.bids.bid_chart import chart_top, exactly, ladder, least, reach, rows, without_tail
from liarsdice.core.rules.bids import Bid, face_order
from liarsdice.core.rules.choices import HandBonus, Raise, SpecialRank
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.rulebook.language import Language
from liarsdice.core.text.rulebook.placeholders import Scene, bid_words, face_words, fill

CHART_READS = frozenset(
    f"bidding.{field}" for field in ("raise", "special_rank", "to_special", "from_special", "cap")
) | {"dice.per_player", "dice.faces", "dice.special_face", "count.hand_bonus", "labels.special_face"}
"""The fields that a claim chart depends on."""

BOOK_DICE = 15
BOOK_BIDS = 150
BOOK_STANDING = 5
NO_BID = "–"
EXACTLY = "="


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """A table of claims: a heading for each column, rows, and remarks below.

    A ladder has one row for each number of dice and its bids in one cell; otherwise a row is a standing bid and the
    fewest dice of each face over it.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    remarks: tuple[str, ...] = ()
    reads: frozenset[str] = CHART_READS


def claim_chart(rules: Ruleset, words: Language) -> Chart:
    """The chart of the rulebook: every bid of a few players' dice, or some standing bids where there is no ladder."""
    dice = min(3 * rules.dice.per_player, BOOK_DICE, max(2, BOOK_BIDS // rules.dice.faces))
    return chart(rules, words, dice, standing=BOOK_STANDING)


def chart(rules: Ruleset, words: Language, dice: int, *, standing: int | None = None) -> Chart:
    """The claim chart for so many dice on the table.

    Where there is no ladder, `standing` is the highest number of a standing bid that is shown; None: all of them.
    """
    top = chart_top(rules, dice)
    ordered = ladder(rules, top)
    scene = Scene(rules, words, {"chart.dice": dice})
    if ordered is None:
        last = top if standing is None else min(standing, top)
        return Chart(
            caption=_say(scene, "chart.least"),
            head=(_say(scene, "chart.over"), *(face_words(scene, face, 2) for face in face_order(rules))),
            rows=tuple(_answers(rules, Bid(quantity, face), top) for quantity, face in _standing(rules, last)),
            remarks=(*((_say(scene, "chart.some"),) if last < top else ()), *_remarks(scene, table=True)),
        )
    body, rest = without_tail(rules, ordered)
    remarks = _remarks(scene)
    if rest:
        ends = {"rest.first": rest[0].quantity, "rest.last": rest[-1].quantity}
        remarks = (_fill(scene, "chart.rest" if len(rest) > 1 else "chart.rest_one", ends), *remarks)
    return Chart(
        caption=_say(scene, "chart.ladder"),
        head=(_say(scene, "chart.bids"),),
        rows=tuple((" ".join(map(str, line)),) for line in rows(rules, body)),
        remarks=remarks,
    )


def over_words(rules: Ruleset, words: Language, standing: Bid, dice: int) -> str:
    """The least bids over a standing one, in a line of words."""
    scene = Scene(rules, words, {"standing": bid_words(Scene(rules, words), standing)})
    top = reach(rules, standing, chart_top(rules, dice))
    fewest = [Bid(quantity, face) for face, quantity in least(rules, standing, top).items()]
    alone = [bid for bid in fewest if exactly(rules, standing, bid)]
    groups = {"chart.at_least": [bid for bid in fewest if bid not in alone], "chart.exactly": alone}
    answers = [
        _fill(scene, key, {"bids": words.either([bid_words(scene, bid) for bid in bids])})
        for key, bids in groups.items()
        if bids
    ]
    key = "chart.line_over" if answers else "chart.line_none"
    return _fill(scene, key, {**scene.items, "answers": words.either(answers)})


def _fill(scene: Scene, key: str, items: Mapping[str, int | str]) -> str:
    """A sentence that is part of another, about other things."""
    return fill(scene.language.sentences[key], Scene(scene.rules, scene.language, items), capital=False)


def _standing(rules: Ruleset, last: int) -> list[tuple[int, int]]:
    return [(quantity, face) for quantity in range(1, last + 1) for face in face_order(rules)]


def _answers(rules: Ruleset, standing: Bid, top: int) -> tuple[str, ...]:
    fewest = least(rules, standing, reach(rules, standing, top))
    cells = []
    for face in face_order(rules):
        sign = EXACTLY if face in fewest and exactly(rules, standing, Bid(fewest[face], face)) else ""
        cells.append(sign + str(fewest.get(face, NO_BID)))
    return (str(standing), *cells)


def _remarks(scene: Scene, *, table: bool = False) -> tuple[str, ...]:
    rules = scene.rules
    keys = []
    if table and rules.bidding.raise_ is Raise.ONE_STEP_DIM:
        keys.append("chart.equals")
    if rules.bidding.special_rank is not SpecialRank.NOT_BIDDABLE and rules.labels.special_face is not None:
        keys.append("chart.special")
    if rules.count.hand_bonus is HandBonus.STAIRS:
        keys.append("chart.stairs")
    if rules.bidding.cap is None:
        keys.append("chart.unlimited")
    return tuple(_say(scene, key) for key in keys)


def _say(scene: Scene, key: str) -> str:
    return fill(scene.language.sentences[key], scene)
