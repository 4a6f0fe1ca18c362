"""From house rules to a rulebook: what is wrong with a file, what is odd, and the rules to print."""

import sys
from pathlib import Path

from liarsdice import find_file_problems, find_warnings, from_toml, rulebook, to_html

HOUSE_RULES = """
extends = "perudo"

[dice]
per_player = 4

[exact_call]
who = "anyone_but_bidder"
"""

source: str | Path = Path(sys.argv[1]) if len(sys.argv) > 1 else HOUSE_RULES
if problems := find_file_problems(source):
    sys.exit("\n".join(problems))
rules = from_toml(source)
for warning in find_warnings(rules):
    print("probably a mistake:", warning)
for language in ("en", "es"):
    page = Path(f"rulebook.{language}.html")
    page.write_text(to_html(rulebook(rules, language)), encoding="utf-8")
    print("wrote", page)
