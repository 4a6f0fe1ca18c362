"""Train a network by house rules for three minutes, and play it against bots; options go to `liarsdice train`."""

import subprocess
import sys
from pathlib import Path

from liarsdice import find_rules
from liarsdice_lab import make_simulation

RULES, FOLDER = Path("ours.toml"), Path("run")
RULES.write_text('extends = "perudo"\n[dice]\nper_player = 3\n', encoding="utf-8")
train = ["train", "-o", str(FOLDER), "--rules", str(RULES), *(sys.argv[1:] or ["--minutes", "3"])]
subprocess.run([sys.executable, "-m", "liarsdice", *train], check=True)

network = f"network:{FOLDER / 'best.npz'}"
simulation = make_simulation(find_rules(RULES), [network, "random"], seed=1)
result = sum((simulation.play(number) for number in range(100)), simulation.empty_result())
for bot, score in zip(simulation.bots, result.scores, strict=True):
    low, high = score.win_share_95
    print(f"{bot} wins {score.win_share:.0%} ({low:.0%} to {high:.0%})")
