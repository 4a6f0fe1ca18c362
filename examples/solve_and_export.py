"""Solve two dice against one with four faces, ask the strategy, and export it for other programs."""

from pathlib import Path

from liarsdice import export_strategy, iter_information_sets, solve_round

strategy = solve_round("perudo", (2, 1), faces=4, target=1e-3)
print(f"value for the player who opens: {strategy.value:+.4f}, exploitability {strategy.bounds.exploitability:.1e}")
print("with 2 and 3, after 1x2 and 1x3:", strategy.action_probs((2, 3), ["1x2", "1x3"]))
print("information sets:", sum(1 for _ in iter_information_sets(strategy)))
for name in ("round.csv", "round.json"):
    export_strategy(strategy, Path(name))
    print("wrote", name, Path(name).stat().st_size, "bytes")
