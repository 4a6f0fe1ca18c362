"""The gates of a level above the champion, each with the figure of `search:champion`."""

from typing import Any

from benchmarks.adaptive import Line
from benchmarks.figures import read_figures
from benchmarks.search import CHAMPION, FIELDS, SEARCH, title
from docs.balance_goals import CHAMPION as NEWEST
from docs.balance_goals import hunted

HEAD = """**Gates of a level above the champion.** A level `master` would ship only if its bot passed all of these. The
candidate is `search:champion` ([Search](bots.md#search)). Shares of wins are those of one bot in duplicate deals, with
95% intervals over deals (`python -m benchmarks.search`). Those of `perudo` with three and more players were measured
with the network of `champion@7`.

| gate | asked for | `search:champion` | passed | remarks |
|---|---|---|---|---|
"""
VERDICT = """
With two players no search is worth 5 points more than balanced play, and among simple bots the search loses by taking
them for champions. So there is no level `master`: `search:champion` stays a bot of the command line. Other simple bots,
and older champions, were not measured.

"""
TWO_SEATS, FACTOR = 0.55, 1.15
"""The share of wins among champions that is asked for with two seats, and by how much more than fair with others."""
Row = tuple[str, ...]

AS_CHAMPION = (
    "wins, `perudo`, 2 seats, among `champion`",
    "≥ 55.0%",
    "50.0%",
    "no",
    "it plays as the champion does: all these rounds are solved or have blueprints",
)
EXPLOITABILITY = (
    "exact exploitability, 2v2 with four faces: `joker`; `basic`; `openspiel`; `perudo`",
    "below the champion's 0.761; 0.872; 0.745; 0.584",
    "0.012; 0.034; 0.034; 0.066",
    "yes",
    "beside the network, which the champion plays there ([Blueprints](solver.md#blueprints-at-the-table))",
)
HUNTED = "basic"
"""The rules under which hunters of both were measured."""
AMONG_CHAMPIONS: tuple[Line, ...] = (
    ("basic", 2, CHAMPION),
    ("joker", 2, CHAMPION),
    *(("perudo", seats, CHAMPION) for seats in (3, 4, 6)),
)
AMONG_OTHERS: tuple[Line, ...] = tuple(("perudo", 4, field) for field in FIELDS)


def gates() -> str:
    """Return the table of gates, with a row for each figure that was measured, and the verdict."""
    search, hunters = read_figures("search"), read_figures("hunter")
    rows: list[Row] = [AS_CHAMPION]
    for lines, row in ((AMONG_CHAMPIONS, _among_champions), (AMONG_OTHERS, _among_others)):
        rows += [row(line, search[name]) for line in lines if (name := title(SEARCH, line)) in search]
    names = [name for name in hunters if name.endswith(f" {HUNTED} 5")]
    mine = [hunters[name] for name in names if hunters[name]["champion"] == SEARCH]
    champions = [hunters[name] for name in names if hunters[name]["champion"] != SEARCH]
    rows += [_hunted_alike(), *(_hunted(*pair) for pair in zip(mine, champions, strict=True)), EXPLOITABILITY]
    return HEAD + "".join(f"| {' | '.join(row)} |\n" for row in rows) + VERDICT


def _among_champions(line: Line, figures: dict[str, Any]) -> Row:
    rules, seats, field = line
    goal = TWO_SEATS if seats == 2 else FACTOR / seats
    return (
        f"wins, `{rules}`, {seats} seats, among `{field}`",
        f"≥ {goal:.1%}",
        _share(figures, "search"),
        _passed(figures["search_low_95"], figures["search_high_95"], goal),
        f"{figures['matches']} matches; fair is {1 / seats:.1%}",
    )


def _among_others(line: Line, figures: dict[str, Any]) -> Row:
    rules, seats, field = line
    gain, low, high = (100 * figures[key] for key in ("gain", "gain_low_95", "gain_high_95"))
    return (
        f"wins, `{rules}`, {seats} seats, among `{field}`, less the champion's",
        "≥ 0 points",
        f"{gain:.1f} ({low:.1f} to {high:.1f})",
        _passed(low, high, 0),
        f"{figures['matches']} matches: {figures['search']:.1%}, the champion {figures['champion']:.1%}",
    )


def _hunted(search: dict[str, Any], champion: dict[str, Any]) -> Row:
    return (
        f"hunter, `{HUNTED}`, 2 seats",
        f"below the champion's {_win_share(champion)}",
        _win_share(search),
        "yes" if search["high_95"] < champion["low_95"] else "within the interval",
        f"{search['matches']} matches of each",
    )


def _hunted_alike() -> Row:
    share, _ = hunted(f"{NEWEST} perudo 5", 0)
    return "hunter, `perudo`, 2 seats", f"below the champion's {share}", share, "no", "it plays as the champion does"


def _passed(low: float, high: float, goal: float) -> str:
    return "yes" if low >= goal else "no" if high < goal else "within the interval"


def _share(figures: dict[str, Any], name: str) -> str:
    return f"{figures[name]:.1%} ({figures[f'{name}_low_95']:.1%} to {figures[f'{name}_high_95']:.1%})"


def _win_share(figures: dict[str, Any]) -> str:
    return f"{figures['win_share']:.1%} ({figures['low_95']:.1%} to {figures['high_95']:.1%})"
