r"""A stand-in for a language model, to try `liarsdice evaluate` without one: it goes by the odds that it reads.

    liarsdice evaluate --command "python examples/odds_model.py" --odds --against regular --matches 4 --out evaluation

A program of your own has the same form: it reads a line of JSON with the messages of a chat, and answers with a line,
which is the text of the answer, or a JSON object such as {"content": "I doubt it.\nMy move: [liar]"}.
"""

from __future__ import annotations

import json
import re
import sys

STANDING = re.compile(r"(\d+x\d+!?) is true with ([\d.]+)%")
BEST = re.compile(r"your most probable bids are (\d+x\d+!?) ([\d.]+)%")


def answer(prompt: str) -> str:
    """Return a move with its reason: a call if no bid is likelier than the standing one is false, else that bid."""
    standing, best = STANDING.search(prompt), BEST.search(prompt)
    if "or be silent" in prompt:
        return "I let it stand. [silent]"
    p_false = 100 - float(standing[2]) if standing else 0.0
    if best is None or (standing and p_false > float(best[2])):
        return f"The bid is false with {p_false:.0f}%. [liar]"
    return f"{best[1]} is true with {best[2]}%. [{best[1]}]"


if __name__ == "__main__":
    for line in sys.stdin:
        print(answer(json.loads(line)["messages"][1]["content"]), flush=True)
