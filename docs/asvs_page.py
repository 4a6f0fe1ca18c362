"""The generated page with the answers to OWASP's Application Security Verification Standard, from `asvs.csv`."""

import csv
from pathlib import Path

ANSWERS = Path(__file__).parent / "asvs.csv"
CHAPTERS = {
    1: "Encoding and sanitization",
    2: "Validation and business logic",
    3: "Browsers",
    4: "API and WebSocket",
    5: "Files",
    6: "Authentication",
    7: "Sessions",
    8: "Authorization",
    9: "Self-contained tokens",
    10: "OAuth",
    11: "Cryptography",
    12: "Transport",
    13: "Configuration",
    14: "Data",
    15: "Architecture",
    16: "Logs and errors",
    17: "WebRTC",
}
HEAD = """# Security checklist

This page answers the OWASP Application Security Verification Standard 5.0, levels 1 and 2, requirement by requirement.
The paraphrases are ours; read the requirements themselves in the
[standard](https://owasp.org/www-project-application-security-verification-standard/). Nobody outside the project has
verified the answers. Each answer begins with one of four words:

- **Yes**: the program does it. The last column names the tests that fail if it no longer does.
- **Operator**: it is done outside the program; the files in `deploy/` or the documentation show how.
- **None**: it doesn't apply, for the given reason.
- **No**: it is not done, for the given reason. Know these before you host strangers.

[Security](security.md) describes what the server protects.
"""
COLUMNS = "| number | level | about | answer | tests |\n|---|---|---|---|---|\n"


def answers() -> list[dict[str, str]]:
    """Return the rows of the checklist: `number`, `level`, `about`, `answer` and the names of the `tests`."""
    with ANSWERS.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def checklist() -> str:
    """Return the page, with a table for each chapter of the standard."""
    text = HEAD
    for chapter, title in CHAPTERS.items():
        text += f"\n## V{chapter} {title}\n\n{COLUMNS}"
        for row in answers():
            if row["number"].partition(".")[0] == str(chapter):
                tests = ", ".join(f"`{name}`" for name in row["tests"].split())
                text += f"| {row['number']} | {row['level']} | {row['about']} | {row['answer']} | {tests} |\n"
    return text
