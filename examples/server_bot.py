"""A bot from outside at the table of a running server: `python server_bot.py http://127.0.0.1:8000 CODE`."""

import sys

from liarsdice import Bid, Challenge, odds
from liarsdice.client import Client, TableView


def p_true(view: TableView, bid: Bid) -> float:
    """Return the probability that a bid is true, for all that this seat knows of the dice."""
    wilds_count = view.match is not None and view.match.wilds_count and not bid.pure
    return float(odds(view.rules, bid, hand=view.hand, others=view.others, wilds_count=wilds_count).p_true)


with Client(sys.argv[1]) as client:
    code = client.sit(sys.argv[2], "Botty").code
    while not (view := client.wait_for_turn(code)).is_over:
        best = max(view.legal_bids, key=lambda bid: p_true(view, bid), default=None)
        doubts = view.bid is not None and (best is None or p_true(view, view.bid) + p_true(view, best) < 1)
        client.act(view, Challenge() if best is None or doubts else best)
    print([view.seat_names[seat] for seat in view.match.winners] if view.match else "no match")
