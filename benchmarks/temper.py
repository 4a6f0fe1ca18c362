"""What the champion's tempers change: how often they challenge and bluff, asked at the same views.

`python -m benchmarks.temper` plays matches of champions without a temper, and asks every temper what it would do in
their place. A bluff is a bid that the own dice make less likely than not.
"""

from benchmarks.measured import Figures, save
from liarsdice.bots.neural.champion import LATEST, Champion, Temper, model
from liarsdice.bots.simple.bid_odds import Outlook
from liarsdice.core.actions import Challenge
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.play.dealer import Dealer
from liarsdice.play.match import Match

RULES, SEATS, MATCHES = "perudo", 3, 200


def main() -> None:
    """Play, ask, count and keep."""
    tempers = {str(temper or "none"): Champion(model(LATEST), "asked", temper) for temper in (None, *Temper)}
    calls, chances = dict.fromkeys(tempers, 0), {name: list[float]() for name in tempers}
    turns = doubtable = 0
    for seed in range(MATCHES):
        match = Match(preset(RULES).ruleset, ("A", "B", "C"), Dealer(seed))
        bots = [Champion(model(LATEST), f"{seed} {seat}") for seat in range(SEATS)]
        while not match.over:
            if match.waits_for_dealer:
                match.deal()
                continue
            on_turn = next(shown for seat in range(SEATS) if (shown := match.view(seat)).on_turn)
            turns += 1
            doubtable += on_turn.may_challenge
            for name, bot in tempers.items():
                move = bot.act(on_turn)
                calls[name] += isinstance(move, Challenge)
                if isinstance(move, Bid):
                    chances[name].append(Outlook(on_turn).p_bid(move))
            assert on_turn.seat is not None
            move = bots[on_turn.seat].act(on_turn)
            assert move is not None
            match.act(on_turn.seat, move)
    figures: dict[str, Figures] = {
        name: {
            "champion": f"champion@{LATEST}",
            "rules": RULES,
            "seats": SEATS,
            "turns": turns,
            "challenge_rate": round(calls[name] / doubtable, 4),
            "bluff_rate": round(sum(p < 0.5 for p in chances[name]) / len(chances[name]), 4),
            "mean_p_true_of_bids": round(sum(chances[name]) / len(chances[name]), 4),
        }
        for name in tempers
    }
    save("temper", figures, packages=("liarsdice", "numpy"))


if __name__ == "__main__":
    main()
