"""Measures how often standing bids of champions are true, beside what reviews believe of them.

`python -m benchmarks.beliefs [--matches N]` lets champions play perudo at two and at three seats, N matches each, and
prints by the number of players in the round and the believed probability: decisions, the mean belief, the share of true
bids, and the difference with its 95% interval over matches.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from liarsdice.analysis.ratings import Z_95
from liarsdice.analysis.review.decisions import decisions_of, round_facts
from liarsdice.analysis.review.reasons import total_probs
from liarsdice.bots.neural.belief import beliefs
from liarsdice.bots.neural.champion import champion_network
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import places_that_may_count
from liarsdice.play.match_runner import play_match
from liarsdice.values.blueprints import packaged_blueprints
from liarsdice_lab.arena.adjustment import cluster_mean

RULES, SEATS, SEED = "perudo", (2, 3), "beliefs"
LIMITS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Between the bands of believed probabilities."""


def believed_and_true(seats: int, match: int) -> Iterator[tuple[int, float, bool]]:
    """Yield for each decision about a standing bid the players in the round, the belief, and whether it is true."""
    rules = preset(RULES).ruleset
    network = champion_network(rules)
    events = play_match(rules, ["champion"] * seats, seed=f"{SEED}/{match}").events
    hands = {facts.number: facts.hands for facts in round_facts(events)}
    for decision in decisions_of(events):
        shown, bid = decision.view, decision.view.bid
        if bid is not None and shown.on_turn:
            p_true = sum(total_probs(shown, beliefs(shown, network, packaged_blueprints()), bid)[bid.quantity :])
            counted = [
                len(places_that_may_count(rules, hand, bid.face, wilds_count=shown.wilds_count))
                for hand in hands[shown.round_number]
            ]
            yield shown.alive_count, float(p_true), sum(counted) >= bid.quantity


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=40)
    matches = parser.parse_args().matches
    seen: dict[tuple[int, int], dict[tuple[int, int], list[tuple[float, bool]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for seats in SEATS:
        for match in range(matches):
            for players, believed, is_true in believed_and_true(seats, match):
                band = sum(believed >= limit for limit in LIMITS[1:-1])
                seen[players, band][seats, match].append((believed, is_true))
    print("| players | believed | decisions | mean belief | true | difference |\n|---|---|---|---|---|---|")
    for (players, band), by_match in sorted(seen.items()):
        every = [pair for pairs in by_match.values() for pair in pairs]
        apart = {place: [true - p for p, true in pairs] for place, pairs in enumerate(by_match.values())}
        mean, error, _ = cluster_mean(apart)
        low, high = list(pairwise(LIMITS))[band]
        p, true = (sum(column) / len(every) for column in zip(*every, strict=True))
        print(
            f"| {players} | {low:.0%} to {high:.0%} | {len(every)} | {p:.1%} | {true:.1%}"
            f" | {100 * mean:+.1f} ± {100 * Z_95 * error:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
