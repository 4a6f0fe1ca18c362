"""The generated page about the strength of the bots: the gate of each bot that was measured, and the exploitability."""

from benchmarks.figures import RESULTS, read_figures
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.solve.round_game import RoundStart
from liarsdice.values.endgames import ENDGAME_ROUNDS, solved_round
from liarsdice_lab.tournaments.gate import CLEAR, FLOORS, Cell, CellResult, GateFile, read_gate

HEAD = """# Strength of the bots

Each table measures one bot among other bots in duplicate deals: the same dice are played once with the bot in each
seat. A cell has its share of wins in percent, with the 95% interval from a bootstrap over deals, in bold type where the
share is below what is asked by {clear} halves of the interval or more. That is the fair share, and among `inference`
and `threshold:0.4` {floors} in matches of more than one round. A cell is played until its result is clear, with {most}
matches at most.
[Bots](bots.md#measure-strength) explains the method and how to measure your own bot. `champion@5` is a baseline: its
network alone, without solved rounds.

Strength at a table of several players isn't transitive, so each cell holds for its own table only.

```sh
liarsdice arena gate --subject champion --rules perudo --seats 4 -o gate.json     # measure a row
```

"""

FOOT = """## How far the champion is from unbeatable

**A searching opponent.** The bot `hunter` knows the champion's probabilities and plays out each of its moves against
them ([Bots](bots.md#the-hunter)). Its share of wins above is a lower bound of what can be won against the champion.

"""

FEW_DICE = """**Few dice.** The table shows what an opponent wins who knows the probabilities of a bot's actions: the
exact exploitability in one round, in rounds won minus rounds lost, as the mean of both seats (0 for a bot that nobody
can exploit, at most 1). The dice of the player who opens come first; `2v2:4` has dice with four faces. The number in
brackets counts only opponents that make no other moves than the bot itself makes with the same hand at 5% or more; the
rest of the exploitability comes from answers to moves that the bot hardly ever makes or meets (`python -m
benchmarks.exploitability`, or `liarsdice arena exploit champion --rules perudo --dice 2v1` for one row). The champion
has solved rounds of up to three dice together, but none of three dice under `snyd-stairs`. With three dice each, the
opponent looks ahead only where the champion's own bids lead with a probability of 0.001 or more, and calls elsewhere.
In `2v2`, outcomes count as in the value of the match, from -1 to 1, and not in rounds.

| rules | dice | {bots} |
|---|---|{lines}|
"""

LAST_DICE = """**The last dice.** The champion plays a solved round when two players hold up to three dice together. The
table shows the exploitability of each strategy: the average gain of an opponent who knows it, in the value of the match
(-1 to 1). It is computed exactly for the strategy in its file. The dice of the player who opens come first. `official`
allows bids in any order, so its rounds can't be solved.

| rules | {rounds} |
|---|{lines}|
"""


def strength() -> str:
    """Return the page: the gate of each bot that was measured, then the exploitability."""
    floors = " and ".join(f"{share:.0%} at {seats} seats" for seats, share in FLOORS.items())
    gates = [read_gate(path) for path in sorted(RESULTS.glob("gate-*.json"))]
    most = max(result.matches for gate in gates for result in gate.results)
    return (
        HEAD.format(floors=floors, clear=CLEAR, most=most)
        + "".join(map(_gate, gates))
        + FOOT
        + _few_dice()
        + _last_dice()
    )


def _gate(gate: GateFile) -> str:
    """Return the table of a bot, with a row for each sheet and number of seats and a column for each opponent."""
    results = {result.cell: result for result in gate.results}
    opponents = list(dict.fromkeys(cell.opponent for cell in results))
    lines = [_cells("rules", "seats", *(f"`{name}`" for name in opponents)), "|---" * (len(opponents) + 2) + "|\n"]
    for rules, seats in sorted({(cell.rules, cell.seats) for cell in results}):
        cells = (results.get(Cell(rules, seats, opponent)) for opponent in opponents)
        lines.append(_cells(f"`{rules}`", f"{seats}", *map(_share, cells)))
    slowest = max(result.p99_ms for result in gate.results)
    text = f"99% of the decisions at a table took at most {slowest:.0f} ms on a busy machine."
    return f"## {gate.subject}\n\n{''.join(lines)}\n{text}\n\n"


def _share(result: CellResult | None) -> str:
    if result is None:
        return "-"
    text = f"{100 * result.share:.1f} ({100 * result.low:.0f}-{100 * result.high:.0f})"
    return f"**{text}**" if result.falls_short else text


def _few_dice() -> str:
    figures = read_figures("exploitability")
    bots = [name for name in max(figures.values(), key=len) if not name.endswith(" own moves")]
    head = FEW_DICE.format(bots=" | ".join(f"`{bot}`" for bot in bots), lines="|".join(["---"] * len(bots)))
    lines = []
    for name, line in figures.items():
        rules, dice = name.split()
        lines.append(_cells(f"`{rules}`", dice, *(_exploitability(line, bot) for bot in bots)))
    return head + "".join(lines) + "\n"


def _exploitability(line: dict[str, float], bot: str) -> str:
    if (least := line.get(f"{bot} at least")) is not None:
        return f"at least {least:.4f}"
    return f"{line[bot]:.4f} ({line[f'{bot} own moves']:.4f})" if bot in line else "-"


def _last_dice() -> str:
    rows = []
    for name in preset_names():
        strategies = [solved_round(preset(name).ruleset, RoundStart(dice)) for dice in ENDGAME_ROUNDS]
        if any(strategies):
            cells = ("-" if strategy is None else f"{strategy.bounds.exploitability:.5f}" for strategy in strategies)
            rows.append(_cells(f"`{name}`", *cells))
    rounds = " | ".join(f"{first}v{second}" for first, second in ENDGAME_ROUNDS)
    return LAST_DICE.format(rounds=rounds, lines="|".join(["---"] * len(ENDGAME_ROUNDS))) + "".join(rows)


def _cells(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"
