"""The goals of balanced play, each with the champion's figure and what bounds it."""

from benchmarks.figures import read_figures

CHAMPION = "champion@11"
HEAD = """**Goals of balanced play.** These goals were set for a champion that loses little to an opponent who knows
it, and that still wins from other bots. The last column says what bounds a figure, or where it comes from. Shares of
wins are those of `champion@11` in seat 0 of the simulator, among networks of `champion@5` without solved rounds, and
among simple bots (`python -m benchmarks.champion_goals`; matches of their own, no duplicate deals). Some figures of
rounds were measured with a step towards it that plays them alike. The network alone is that of `champion@7`, which
plays all rules but `perudo` (`python -m benchmarks.champion_networks`).

| measure | goal | figure | met | remarks |
|---|---|---|---|---|
"""


def hunted(line: str, most: float) -> tuple[str, str]:
    """Return what a hunter wins by a line of its results, and whether that is at most so much."""
    figures = read_figures("hunter")[line]
    low, high = figures["low_95"], figures["high_95"]
    met = "yes" if high <= most else "no" if low > most else "within the interval"
    return f"{figures['win_share']:.1%} ({low:.1%} to {high:.1%})", met


EXPLOITED = (
    (
        "hunter, matches of `perudo`, two seats",
        "≤ 58%",
        *hunted(f"{CHAMPION} perudo 5", 0.58),
        f"`{CHAMPION}`, 1,000 matches; a full best response wins more",
    ),
    (
        "hunter, a round of five dice each, `openspiel`",
        "≤ 56%",
        "54.2% (51.4% to 57.0%)",
        "within the interval",
        "1,000 rounds; two bids are remembered, three need 12 GB",
    ),
    (
        "best response that looks ahead from 0.01, a round of three dice each, `openspiel`",
        "≤ 0.06",
        "0.0055",
        "yes",
        "a lower bound; 0.0396 from 0.001; it is 0.392 at most",
    ),
    (
        "hunter, a round of three dice each, `openspiel`",
        "≤ 52%",
        "50.7% (47.9% to 53.5%)",
        "within the interval",
        "1,000 rounds; the network there: 76.5% (69.2% to 83.8%) of 132",
    ),
    (
        "exploitability of the network alone, 2v2, `perudo`; `openspiel`",
        "≤ 0.08; ≤ 0.10",
        "at least 0.41; 0.684",
        "no",
        (
            "the network learned to beat bots; the champion plays blueprints: 0.050 to 0.058 and 0.020; a network that"
            " they taught has 0.0783 and at least 0.054"
        ),
    ),
    (
        "exploitability as played: 1v1; 2v1 and 1v2, for the match",
        "0.0001; ≤ 0.001",
        "0.0001; 0.0003",
        "yes",
        "`perudo` and `openspiel`; elsewhere up to 0.0004; `snyd-stairs` is solved for one die each alone",
    ),
    (
        "learned best response, `openspiel`, 4.8 million decisions",
        "≤ 52%",
        "50.4% (49.9% to 50.9%)",
        "yes",
        "40,000 rounds (`python -m benchmarks.best_response`); `champion@5`: 54.3%",
    ),
    (
        "one network beside its specialist, `perudo`, two seats",
        "≥ 49%",
        "47.8% (47.3% to 48.3%)",
        "no",
        (
            "`champion@7`, 40,000 matches (`python -m benchmarks.specialist`)."
            " All rules share the decisions that the specialist spends on"
            " `perudo`, so `champion@11` has a network for it alone"
        ),
    ),
    (
        "hunter of `champion@11` against `champion@11:adaptive`, `perudo`, two seats",
        "≤ 62%",
        "52.5% (47.1% to 58.3%)",
        "yes",
        "240 matches; it hardly leans against a hunter that feigns nothing",
    ),
    (
        "decisions that cost more than ten hundredths of a match, `perudo`, two seats, against `regular`",
        "≤ 0.3%",
        "0.38% (0.17% to 0.60%)",
        "within the interval",
        (
            "`champion@11`, 3,383 decisions; with four seats 3.15% (1.95% to 4.36%) of 1,332,"
            " [as playouts judge them](review.md#do-costs-tell-who-plays-well)"
        ),
    ),
    (
        "99% of decisions without search, `perudo`, two seats",
        "≤ 20 ms",
        "3.4 ms",
        "yes",
        "`champion@11`, processor time, 3,127 decisions; 0.7 ms at six seats (`python -m benchmarks.decision_time`)",
    ),
    (
        "99% of decisions with search: 2 seats (`joker`); 3; 4; 6 seats (`perudo`)",
        "≤ 200 ms",
        "170 ms; 93 ms; 110 ms; 143 ms",
        "yes",
        "`search:champion`, processor time, 397 to 587 decisions, the longest 240 ms ([Search](bots.md#search))",
    ),
)
"""Measures of what an opponent wins who knows the champion: measure, goal, figure, whether it is met, remarks."""
FIELDS = (
    ("perudo", 2, "champion@5", 0.53, "its blueprints with up to seven dice expect `champion@5` now and then"),
    ("perudo", 3, "champion@5", 0.35, "its network for `perudo` learned among `champion@5`"),
    ("perudo", 4, "champion@5", 0.2625, ""),
    ("perudo", 6, "champion@5", 0.175, ""),
    (
        "joker",
        2,
        "threshold:0.4",
        0.80,
        "89.7% of 2,000 duplicate matches ([Bots](bots.md#the-champion))",
    ),
    ("perudo", 3, "threshold:0.4", 0.75, "its blueprints with up to seven dice expect `threshold:0.4` now and then"),
    ("perudo", 4, "threshold:0.4", 0.70, ""),
    ("perudo", 6, "threshold:0.4", 0.58, ""),
    ("perudo", 3, "inference", 0.65, ""),
    ("perudo", 4, "inference", 0.58, ""),
    ("perudo", 6, "inference", 0.40, ""),
)
"""Rules, seats, field, the least share of wins that is asked for, and remarks."""
TAIL = """
"""
ADAPTIVE_LOSS = 0.01
"""The share of matches that the adaptive champion may win less than `champion@5` in each field."""


def goals() -> str:
    """Return the table of goals."""
    rows = [f"| {' | '.join(row)} |\n" for row in EXPLOITED]
    return HEAD + "".join([*rows, *(_field(*line) for line in FIELDS), _adaptive()]) + TAIL


def _field(rules: str, seats: int, field: str, goal: float, remarks: str) -> str:
    """Return the row of a share of wins among other players."""
    figures = read_figures("champion_goals")[f"{CHAMPION} {rules} {seats} {field}"]
    low, high = figures["low_95"], figures["high_95"]
    met = "yes" if low >= goal else "no" if high < goal else "within the interval"
    share = f"{figures['win_share']:.1%} ({low:.1%} to {high:.1%})"
    measure, matches = f"wins, `{rules}`, {seats} seats, among `{field}`", f"{figures['matches']:,} matches"
    return f"| {measure} | ≥ {goal:.1%} | {share} | {met} | {'; '.join(filter(None, (matches, remarks)))} |\n"


def _adaptive() -> str:
    """Return the row of the adaptive champion beside `champion@5`, with the field where it gains least."""
    lines = read_figures("adaptive").values()
    shown = sum(line["gain_low_95"] >= -ADAPTIVE_LOSS for line in lines)
    missed = sum(line["gain_high_95"] < -ADAPTIVE_LOSS for line in lines)
    least = min(lines, key=lambda line: line["gain"])
    gain, low, high = (f"{100 * least[key]:.1f}" for key in ("gain", "gain_low_95", "gain_high_95"))
    cells = (
        f"wins of `champion:adaptive` less those of `champion@5`, {len(lines)} fields",
        f"≥ -{100 * ADAPTIVE_LOSS:.0f} point each",
        f"{gain} ({low} to {high}) with `{least['rules']}`, {least['seats']} seats, `{least['field']}`",
        "no" if missed else "yes" if shown == len(lines) else "within the interval",
        f"the field of the least gain; shown in {shown} fields, missed in {missed} ([Adaptive](bots.md#adaptive))",
    )
    return f"| {' | '.join(cells)} |\n"
