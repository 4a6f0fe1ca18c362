"""What `champion:adaptive` wins among simple bots, and what `champion@5` wins on the same deals.

`python -m benchmarks.adaptive perudo 3` measures only the lines with all of these words, and keeps all other figures.
"""

import argparse
import json

from benchmarks.figures import RESULTS, Figures, save_figures
from liarsdice.analysis.ratings import Z_95
from liarsdice.bots.neural.champion import CHAMPION_NAME
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import place_shares
from liarsdice.runtime.public_api import DISTRIBUTION
from liarsdice_lab.arena.adjustment import cluster_mean
from liarsdice_lab.arena.arena import make_arena, play_deals

ADAPTIVE = f"{CHAMPION_NAME}:adaptive"
OLDER = "champion@5"
MATCHES = 600
SEED = 20_261_121
Line = tuple[str, int, str]
"""Rules, seats, and who plays at all seats but one."""
LINES: tuple[Line, ...] = (
    ("joker", 2, "threshold:0.4"),
    *(("perudo", seats, "threshold:0.4") for seats in (2, 3, 4, 6)),
    *(("perudo", seats, "inference") for seats in (2, 3, 4, 6)),
)
Wins = dict[int, list[float]]
"""The share of each match that a bot won, by the number of the deal."""


def title(line: Line) -> str:
    """Return the name of a line in the results, such as `champion@11:adaptive perudo 3 inference`."""
    rules, seats, field = line
    return f"{ADAPTIVE} {rules} {seats} {field}"


def wins(bot: str, line: Line, matches: int, seed: int = SEED) -> Wins:
    """Play duplicate deals of a line with the bot in every seat, and return what it won."""
    rules, seats, field = line
    arena = make_arena(preset(rules).ruleset, [bot], opponents=[field], seats=seats, seed=seed, duplicate=True)
    return {
        deal.number: [place_shares(match.places, match.seating.index(0))[0] for match in deal.matches]
        for deal in play_deals(arena, range(arena.deals_for(matches)))
    }


def measure(line: Line, matches: int) -> Figures:
    """Return the shares of matches that the two bots win, and the difference, with 95% intervals over deals."""
    rules, seats, field = line
    adaptive, older = wins(ADAPTIVE, line, matches), wins(OLDER, line, matches)
    return {
        "rules": rules,
        "seats": seats,
        "field": field,
        "matches": sum(map(len, adaptive.values())),
        **mean_95("adaptive", adaptive),
        **mean_95("older", older),
        **mean_95("gain", differences(adaptive, older)),
    }


def differences(one: Wins, other: Wins) -> Wins:
    """Return what one bot won of each match less what another won of the same dice in the same seat."""
    return {number: [a - b for a, b in zip(one[number], other[number], strict=True)] for number in one}


def mean_95(name: str, values: Wins) -> Figures:
    """Return the mean of values that came in deals under a name, with its 95% interval."""
    mean, error, _ = cluster_mean(values)
    return {
        name: round(mean, 4),
        f"{name}_low_95": round(mean - Z_95 * error, 4),
        f"{name}_high_95": round(mean + Z_95 * error, 4),
    }


def main() -> None:
    """Measure and save the figures, line by line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="only lines with all of these words")
    parser.add_argument("--matches", type=int, default=MATCHES)
    arguments = parser.parse_args()
    path = RESULTS / "adaptive.json"
    figures: dict[str, Figures] = json.loads(path.read_text(encoding="utf-8"))["figures"] if path.exists() else {}
    for line in LINES:
        if set(arguments.words) <= set(title(line).split()):
            figures[title(line)] = measure(line, arguments.matches)
            save_figures("adaptive", figures, packages=(DISTRIBUTION, "numpy"))


if __name__ == "__main__":
    main()
