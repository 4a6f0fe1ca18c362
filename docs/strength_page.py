"""The generated page about the strength of the bots: every match-up that was measured, and the exploitability."""

import json
from collections.abc import Iterator
from typing import Any

from benchmarks.figures import RESULTS, read_figures
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.solve.round_game import RoundStart
from liarsdice.values.endgames import ENDGAME_ROUNDS, solved_round

HEAD = """# Strength of the bots

Each row measures one bot (the subject) among other bots (its opponents) in duplicate deals: the same dice are played
once with the subject in each seat. Brackets show the 95% interval from a bootstrap over deals. The subject is stronger
than its opponents if its share of wins is above the fair share. [Bots](bots.md#measure-strength) explains the method
and how to measure your own bot. Rows without times were measured in the simulator, with the subject in seat 0 and
without duplicate deals. `champion@5` is a baseline: its network alone, without solved rounds.

Strength at a table of several players isn't transitive. It depends on the rules and on the other players, so each row
holds for its own table only.

| subject | opponents | rules | seats | matches | wins | fair share | time to decide: median, 99% |
|---|---|---|---|---|---|---|---|
"""

FOOT = """
Times are those of single decisions of the subject on a busy machine ({cpu}, Python {python}).
`benchmarks/results/strength.json` contains the commit of each row.

```sh
.venv/bin/python -m benchmarks.strength inference threshold:0.4 perudo 4     # measure a row
```

## How far the champion is from unbeatable

**A searching opponent.** The bot `hunter` knows the champion's probabilities and plays out each of its moves against
them ([Bots](bots.md#the-hunter)). Its share of wins in the table above is a lower bound of what can be won against the
champion.

"""

FEW_DICE = """**Few dice.** The table shows what an opponent wins who knows the probabilities of a bot's actions: the
exact exploitability in one round, in rounds won minus rounds lost, as the mean of both seats (0 for a bot that nobody
can exploit, at most 1). The dice of the player who opens come first; `2v2:4` has dice with four faces. The number in
brackets counts only opponents that make no other moves than the bot itself makes with the same hand at 5% or more; the
rest of the exploitability comes from answers to moves that the bot hardly ever makes or meets (`python -m
benchmarks.exploitability`, or `liarsdice arena exploit champion --rules perudo --dice 2v1` for one row). The champion
has solved rounds of up to three dice together, but none of three dice under `snyd-stairs`. With three dice each, the
opponent looks ahead only where the champion's own bids lead with a probability of 0.001 or more, and calls elsewhere.

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
    """Return the page: match-ups by rules, seats, subject and opponents, then the exploitability."""
    results = json.loads((RESULTS / "strength.json").read_text(encoding="utf-8"))
    foot = FOOT.format(cpu=results["machine"]["cpu"], python=results["versions"]["python"])
    return HEAD + "".join(_match_ups(results["figures"])) + foot + _few_dice() + _last_dice()


def _match_ups(figures: dict[str, dict[str, Any]]) -> Iterator[str]:
    for title, line in figures.items():
        subject, rules, seats, field = title.split()
        yield _cells(
            f"`{subject}`",
            f"`{field}`",
            f"`{rules}`",
            seats,
            f"{line['matches']}",
            f"**{line['win_share']:.1%}** ({line['low_95']:.1%} to {line['high_95']:.1%})",
            f"{1 / int(seats):.0%}",
            f"{line['median_ms']:.2f} ms, {line['p99_ms']:.2f} ms" if "median_ms" in line else "-",
        )


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
