"""The goals of balanced play, each with the newest champion's figure and what bounds it."""

from benchmarks.figures import read_figures

CHAMPION = "champion@10"
HEAD = """**Goals of balanced play.** These goals were set for a champion that nobody can exploit by knowing it, and
that still beats everybody. The last column says what bounds a figure, or where it comes from. Shares of wins are those
of `champion@10` in seat 0 of the simulator, among networks of `champion@5` without solved rounds, and among simple bots
(`python -m benchmarks.champion_goals`; matches of their own, no duplicate deals). The network alone is that of
`champion@7`, which plays until two players are left (`python -m benchmarks.champion_networks`). `champion@9` plays
Perudo with two players, and the round of five dice each under `openspiel`, as `champion@8` does. `champion@10` plays as
`champion@9` but in the round of three dice each under `openspiel`.

| measure | goal | figure | met | remarks |
|---|---|---|---|---|
"""
EXPLOITED = (
    (
        "hunter, matches of `perudo`, two seats",
        "≤ 58%",
        "51.0% (48.2% to 53.6%)",
        "yes",
        "`champion@10`, 1,000 matches; a full best response wins more",
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
        "`champion@10`, a lower bound; 0.0396 from 0.001; it is 0.392 at most",
    ),
    (
        "hunter, a round of three dice each, `openspiel`",
        "≤ 52%",
        "50.7% (47.9% to 53.5%)",
        "within the interval",
        "`champion@10`, 1,000 rounds; `champion@9`, which plays its network there: 76.5% (69.2% to 83.8%) of 132",
    ),
    (
        "exploitability of the network alone, 2v2, `perudo`; `openspiel`",
        "≤ 0.08; ≤ 0.10",
        "at least 0.41; 0.684",
        "no",
        (
            "the network learned to beat bots; the champion plays blueprints: 0.039 and 0.020; a network that they"
            " [taught](history/training.md#any-number-of-bids) has 0.0783 and at least 0.054"
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
        "`champion@10`, 40,000 rounds (`python -m benchmarks.best_response`); `champion@5`: 54.3%",
    ),
    (
        "one network beside its specialist, `perudo`, two seats",
        "≥ 49%",
        "47.8% (47.3% to 48.3%)",
        "no",
        (
            "`champion@7`, 40,000 matches (`python -m benchmarks.specialist`); `champion@4`: 45.6% (45.1% to 46.1%)."
            " [All rules share the decisions](history/training.md#for-one-ruleset-alone) that the specialist spends on"
            " `perudo`"
        ),
    ),
    (
        "hunter of `champion@9` against `champion@9:adaptive`, `perudo`, two seats",
        "≤ 62%",
        "47.6% (41.1% to 54.1%)",
        "yes",
        "164 matches; it hardly leans against a hunter that feigns nothing",
    ),
    (
        "decisions that cost more than ten hundredths of a match, `perudo`, two seats, against `regular`",
        "≤ 0.3%",
        "0.24% (0.08% to 0.39%)",
        "within the interval",
        (
            "`champion@10`, 3,400 decisions; with four seats 3.15% (1.95% to 4.36%) of 1,332,"
            " [as playouts judge them](review.md#do-costs-tell-who-plays-well)"
        ),
    ),
    (
        "99% of decisions without search, `perudo`, two seats",
        "≤ 20 ms",
        "5.3 ms",
        "yes",
        "`champion@10`, processor time, 3,075 decisions; 6.3 ms at six seats (`python -m benchmarks.decision_time`)",
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
    ("perudo", 2, "champion@5", 0.53, "balanced play gains little from a flawed opponent; see below"),
    ("perudo", 3, "champion@5", 0.35, "the network alone wins 34%"),
    (
        "perudo",
        4,
        "champion@5",
        0.2625,
        (
            "the network plays until two are left, and wins 25% alone; networks that won"
            " [28% and 31%](history/training.md#a-magnet-against-exploitability) of 320 matches, or"
            " [27%](history/training.md#blueprints-as-teachers-of-the-network) among `champion@7`, are no champions"
        ),
    ),
    ("perudo", 6, "champion@5", 0.175, "the network alone wins 17%"),
    (
        "joker",
        2,
        "threshold:0.4",
        0.80,
        "`champion@9` won 89.7% of 2,000 duplicate matches ([Bots](bots.md#the-champion))",
    ),
    (
        "perudo",
        3,
        "threshold:0.4",
        0.75,
        "the network alone wins 85.3%: the blueprints for two players gain less from it; see below",
    ),
    ("perudo", 4, "threshold:0.4", 0.70, "as with three; the network alone wins 81.5%"),
    ("perudo", 6, "threshold:0.4", 0.58, "as with three; the network alone wins 68.4%"),
    ("perudo", 3, "inference", 0.65, ""),
    ("perudo", 4, "inference", 0.58, ""),
    ("perudo", 6, "inference", 0.40, ""),
)
"""Rules, seats, field, the least share of wins that is asked for, and remarks."""
TAIL = """
Blueprints that also expect `threshold:0.4` and `champion@5` now and then
[win 76.0%, 69.8% and 57.6%](history/training.md#blueprints-for-opponents-that-may-be-met) among `threshold:0.4` at
three, four and six seats, and 52.1% to 53.1% among `champion@5` at two. They were learned in less time, and a hunter
wins 60% to 63% of matches against them. They are not in the package: with those of `champion@10` the models would take
more than 16 MB.

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
