"""How the networks of the last two baselines fare among simple bots and each other, under many rules.

The networks play alone, without solved rounds. `python -m benchmarks.champion_networks` saves all figures.
"""

from benchmarks.figures import Figures, save_figures
from liarsdice.bots.neural.baselines import BASELINES, baseline_network
from liarsdice.runtime.optional_dependencies import DISTRIBUTION
from liarsdice.sim.policies import ThresholdPolicy
from liarsdice.train.evaluate import win_share

MATCHES = 4_000
OPPONENTS = {
    "threshold:0.4": ThresholdPolicy(0.4),
    "threshold:0.55": ThresholdPolicy(0.55),
    "inference": ThresholdPolicy(0.4, 0.7),
}
TABLES = (
    *(
        (rules, 2)
        for rules in (
            *("basic", "perudo", "joker", "chart", "mustache", "official", "official-strict"),
            *("bluff", "red-dead", "pirates", "snyd-joker", "chui-niu", "openspiel"),
        )
    ),
    *(("perudo", seats) for seats in (3, 4, 6)),
    *((rules, 4) for rules in ("basic", "chart", "mustache", "official")),
)


def measure(rules: str, seats: int) -> Figures:
    """The win shares under one ruleset, in percent."""
    names = list(BASELINES)
    older, newer = map(baseline_network, names)
    shares = {
        f"{name} among {opponent}": win_share(network, rules, seats, policy, MATCHES)
        for opponent, policy in OPPONENTS.items()
        for name, network in zip(names, (older, newer), strict=True)
    }
    shares[f"{names[1]} among {names[0]}"] = win_share(newer, rules, seats, older, MATCHES)
    shares[f"{names[0]} among {names[1]}"] = win_share(older, rules, seats, newer, MATCHES)
    percents: Figures = {name: round(100 * share, 1) for name, share in shares.items()}
    return {"matches": MATCHES, "fair": round(100 / seats, 1), **percents}


def main() -> None:
    """Measure and save the figures."""
    figures = {f"{rules} {seats}": measure(rules, seats) for rules, seats in TABLES}
    save_figures("champion_networks", figures, packages=(DISTRIBUTION, "numpy"))


if __name__ == "__main__":
    main()
