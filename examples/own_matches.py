"""A thousand matches between two bots of your own, by house rules, with statistics of your own."""

import sys
from collections import Counter
from statistics import mean

from liarsdice import PlayerAction, View, from_toml, play_match

RULES = from_toml('extends = "perudo"\nexact_call = "none"\n[dice]\nper_player = 3')


class Doubter:
    """Doubts bids on more than a share of all dice, and else makes the lowest bid."""

    def __init__(self, share: float) -> None:
        self.share = share

    def act(self, view: View) -> PlayerAction | None:
        """Return a move: bids come first in `moves`, and a challenge last. Out of turn there are none here."""
        too_high = view.bid is not None and view.bid.quantity > self.share * sum(view.dice)
        moves = view.moves[::-1] if too_high else view.moves
        return moves[0] if moves else None


matches = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
results = [play_match(RULES, [Doubter(0.3), Doubter(0.5)], seed=seed) for seed in range(matches)]
print(Counter(seat for result in results for seat in result.winners), mean(result.rounds for result in results))
