"""What `search:champion` wins among champions, and among other bots beside what the champion wins on the same deals.

`python -m benchmarks.search perudo 4 inference` measures only the lines with all of these words, and keeps all other
figures. `--matches` sets how many duplicate matches a line has.
"""

import argparse

from benchmarks.adaptive import Line, differences, mean_95, wins
from benchmarks.figures import Figures, read_figures, save_figures
from liarsdice.runtime.public_api import DISTRIBUTION

SEARCH, CHAMPION = "search:champion", "champion"
MATCHES = 240
SEED = 0
FIELDS = "inference", "threshold:0.4"
"""Who plays at all seats but one where what the champion wins is measured, too."""
LINES: tuple[Line, ...] = (
    ("basic", 2, CHAMPION),
    ("joker", 2, CHAMPION),
    *(("perudo", seats, CHAMPION) for seats in (3, 4, 6)),
    *(("perudo", 4, field) for field in FIELDS),
)
"""Rules, seats, and who plays at all seats but one."""


def title(bot: str, line: Line) -> str:
    """Return the name of a line in the results, such as `search:champion perudo 3 champion`."""
    rules, seats, field = line
    return f"{bot} {rules} {seats} {field}"


def measure(bot: str, line: Line, matches: int) -> Figures:
    """Return the share of matches that the bot wins, and beside other fields than champions also the champion's."""
    rules, seats, field = line
    searcher = wins(bot, line, matches, SEED)
    figures: Figures = {
        "bot": bot,
        "rules": rules,
        "seats": seats,
        "field": field,
        "matches": sum(map(len, searcher.values())),
        **mean_95("search", searcher),
    }
    if field == CHAMPION:
        return figures
    champion = wins(CHAMPION, line, matches, SEED)
    return figures | mean_95("champion", champion) | mean_95("gain", differences(searcher, champion))


def main() -> None:
    """Measure and save the figures, line by line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="only lines with all of these words")
    parser.add_argument("--bot", default=SEARCH, help="with another budget, such as search[400]:champion")
    parser.add_argument("--matches", type=int, default=MATCHES)
    arguments = parser.parse_args()
    figures: dict[str, Figures] = read_figures("search")
    for line in LINES:
        name = title(arguments.bot, line)
        if set(arguments.words) <= set(name.split()):
            figures[name] = measure(arguments.bot, line, arguments.matches)
            save_figures("search", figures, packages=(DISTRIBUTION, "numba", "numpy"))


if __name__ == "__main__":
    main()
