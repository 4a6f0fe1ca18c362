"""The generated page about the strength of the bots: every match-up that was measured, and other measurements."""

import json
from typing import Any

from benchmarks.figures import RESULTS, read_figures
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.solve.round_game import RoundStart
from liarsdice.values.endgames import ENDGAME_ROUNDS, solved_round

HEAD = """# Strength of the bots

Each row measures one bot (the subject) among other bots (its opponents) in duplicate deals: the same dice are played
once with the subject in each seat. Brackets show the 95% interval from a bootstrap over deals. The subject is stronger
than its opponents if its share of wins is above the fair share. [Bots](bots.md#measure-strength) explains the method
and how to measure your own bot.

Strength at a table of several players isn't transitive. It depends on the rules and on the other players, so each row
holds for its own table only. The rules `classic+aces+palifico+calza+reversa` are rule sheet 001 with all its options.

| subject | opponents | rules | seats | matches | wins | fair share | mean place (fair) | time to decide: median, 99% |
|---|---|---|---|---|---|---|---|---|
"""

FOOT = """
All bots together made {faults} faults. Times are those of single decisions of the subject on a busy machine ({cpu},
Python {python}). `benchmarks/results/strength.json` contains the seed and the commit of each row.

```sh
.venv/bin/python -m benchmarks.strength                                      # every row that has no figures yet
.venv/bin/python -m benchmarks.strength inference threshold:0.4 perudo 4     # measure one row again
```

"""

CHAMPION = """## The champion among other players

The champion plays in seat 0 of the simulator, without duplicate deals (`python -m benchmarks.champion_wins`).
`champion@5` is a baseline: its network alone, without solved rounds.

| rules | seats | among | matches | wins | fair share |
|---|---|---|---|---|---|
"""

EXPLOITABILITY = """## How far the champion is from unbeatable

"""

FEW_DICE = """**Few dice.** The table shows what an opponent wins who knows the probabilities of a bot's actions: the
exact exploitability in one round, in rounds won minus rounds lost, as the mean of both seats (0 for a bot that nobody
can exploit, at most 1). The dice of the player who opens come first. The number in brackets counts only opponents that
make no other moves than the bot itself makes with the same hand at 5% or more; the rest of the exploitability comes
from answers to moves that the bot hardly ever makes or meets (`python -m benchmarks.exploitability`, or
`liarsdice arena exploit champion --rules perudo --dice 2v1` for one row). Rows with *match* play the round for what
its ends are worth in the match, where that is something else than the dice that are lost; solved rounds are played for
that.

| rules | dice | {bots} |
|---|---|{lines}|
"""

HUNTER = """**Searching opponents.** The bot `hunter` knows the champion's probabilities and plays out each of its moves
against them ([Bots](bots.md#the-hunter)). Its share of wins is a lower bound of what can be
won against the champion (`python -m benchmarks.hunter`).
Matches have two seats; under `openspiel` a match is a single round. A fault counts as a challenge.

| against | rules | dice each | matches | wins | faults |
|---|---|---|---|---|---|
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
    figures = list(results["figures"].values())
    figures.sort(key=lambda line: [line[key] for key in ("rules", "seats", "subject", "field")])
    faults = sum(line["faults"] for line in figures)
    foot = FOOT.format(faults=faults, cpu=results["machine"]["cpu"], python=results["versions"]["python"])
    match_ups = HEAD + "".join(map(_row, figures)) + foot
    return match_ups + _champion() + EXPLOITABILITY + _few_dice() + _hunters() + _last_dice()


def _row(line: dict[str, float | str]) -> str:
    return _cells(
        f"`{line['subject']}`",
        f"`{line['field']}`",
        f"`{line['rules']}`",
        f"{line['seats']}",
        f"{line['matches']}",
        _win_share(line),
        f"{line['fair_share']:.0%}",
        f"{line['mean_place']:.2f} ({(int(line['seats']) + 1) / 2:g})",
        f"{line['median_ms']:.2f} ms, {line['p99_ms']:.2f} ms",
    )


def _champion() -> str:
    rows = [
        _cells(
            f"`{line['rules']}`",
            f"{line['seats']}",
            f"`{line['field']}`",
            f"{line['matches']}",
            _win_share(line),
            f"{1 / line['seats']:.0%}",
        )
        for line in read_figures("champion_wins").values()
    ]
    return CHAMPION + "".join(rows) + "\n" if rows else ""


def _few_dice() -> str:
    figures = read_figures("exploitability")
    bots = sorted(
        dict.fromkeys(line["bot"] for line in figures.values()), key=lambda bot: not bot.startswith("champion@")
    )
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for line in figures.values():
        cell = f"{line['exploitability']:.4f} ({abs(line['own_moves_only']):.4f})"
        rows.setdefault((line["rules"], line["dice"]), {})[line["bot"]] = cell
    head = FEW_DICE.format(bots=" | ".join(f"`{bot}`" for bot in bots), lines="|".join(["---"] * len(bots)))
    lines = [
        _cells(f"`{rules}`", dice, *(by_bot.get(bot, "-") for bot in bots)) for (rules, dice), by_bot in rows.items()
    ]
    return head + "".join(lines) + "\n" if rows else ""


def _hunters() -> str:
    rows = [
        _cells(
            f"`{line['champion']}`",
            f"`{line['rules']}`",
            f"{line['dice']}",
            f"{line['matches']}",
            _win_share(line),
            f"{line['faults']}",
        )
        for line in read_figures("hunter").values()
    ]
    return HUNTER + "".join(rows) + "\n" if rows else ""


def _last_dice() -> str:
    rows = []
    for name in preset_names():
        strategies = [solved_round(preset(name).ruleset, RoundStart(dice)) for dice in ENDGAME_ROUNDS]
        if any(strategies):
            cells = ("-" if strategy is None else f"{strategy.bounds.exploitability:.5f}" for strategy in strategies)
            rows.append(_cells(f"`{name}`", *cells))
    rounds = " | ".join(f"{first}v{second}" for first, second in ENDGAME_ROUNDS)
    return LAST_DICE.format(rounds=rounds, lines="|".join(["---"] * len(ENDGAME_ROUNDS))) + "".join(rows)


def _win_share(line: dict[str, Any]) -> str:
    return f"**{line['win_share']:.1%}** ({line['low_95']:.1%} to {line['high_95']:.1%})"


def _cells(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"
