"""The best bid by exact odds: the bids that are most likely true, and whether to doubt instead."""

from liarsdice import Bid, Game, odds

game = Game.from_position("bidding 24456/11346/22355 1 0:4x2 1 perudo Ann,Bo,Cy")
view = game.view()  # Bo's: only the own dice


def p_true(bid: Bid) -> float:
    """Return the probability that a bid is true, for all that the player on turn knows of the dice."""
    chances = odds(view.ruleset, bid, hand=view.hand, others=view.others, wilds_count=view.wilds_count)
    return float(chances.p_true)


assert view.bid is not None
print(f"{view.names[game.turn or 0]} holds {view.hand}; {view.bid} is false with {1 - p_true(view.bid):.1%}")
for bid in sorted(view.may_bid, key=p_true, reverse=True)[:5]:
    print(f"{bid} is true with {p_true(bid):.1%}")
