"""The effect of the champion's tempers: how often each challenges and bluffs, given the same views.

`python -m benchmarks.temper` plays matches of champions without a temper, and lets a champion of every temper decide at
each turn too. A bluff is a bid that is true with a probability below one half, given the own dice.
"""

from benchmarks.figures import Figures, save_figures
from liarsdice.bots.neural.champion import CHAMPION_NAME, Champion, Temper, champion_network
from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.core.actions import Challenge
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.play.match import Dealer, Match
from liarsdice.runtime.public_api import DISTRIBUTION

RULES, SEATS, MATCHES = "perudo", 3, 200


def main() -> None:
    """Count the challenges and bluffs of every temper, and save the figures."""
    network = champion_network()
    champions = {str(temper or "none"): Champion(network, "asked", temper) for temper in (None, *Temper)}
    challenges, bid_odds = dict.fromkeys(champions, 0), {name: list[float]() for name in champions}
    turns = turns_with_bid = 0
    for seed in range(MATCHES):
        match = Match(preset(RULES).ruleset, ("A", "B", "C"), Dealer(seed))
        bots = [Champion(network, f"{seed} {seat}") for seat in range(SEATS)]
        while not match.is_over:
            if match.waits_for_dealer:
                match.deal()
                continue
            on_turn = next(shown for seat in range(SEATS) if (shown := match.view(seat)).on_turn)
            turns += 1
            turns_with_bid += on_turn.may_challenge
            for name, bot in champions.items():
                move = bot.act(on_turn)
                challenges[name] += isinstance(move, Challenge)
                if isinstance(move, Bid):
                    bid_odds[name].append(BidOdds(on_turn).p_bid(move))
            assert on_turn.seat is not None
            move = bots[on_turn.seat].act(on_turn)
            assert move is not None
            match.act(on_turn.seat, move)
    figures: dict[str, Figures] = {
        name: {
            "champion": CHAMPION_NAME,
            "rules": RULES,
            "seats": SEATS,
            "turns": turns,
            "challenge_rate": round(challenges[name] / turns_with_bid, 4),
            "bluff_rate": round(sum(p < 0.5 for p in bid_odds[name]) / len(bid_odds[name]), 4),
            "mean_p_true_of_bids": round(sum(bid_odds[name]) / len(bid_odds[name]), 4),
        }
        for name in champions
    }
    save_figures("temper", figures, packages=(DISTRIBUTION, "numpy"))


if __name__ == "__main__":
    main()
