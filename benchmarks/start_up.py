"""How long `import liarsdice` takes in a fresh interpreter: a promise, at most 0.1 s."""

import json
import platform
import statistics
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

RESULT = Path(__file__).parent / "results" / "start_up.json"
RUNS = 20


def seconds(statement: str) -> float:
    """Time one fresh interpreter that runs a statement and leaves."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return time.perf_counter() - started


def commit() -> str:
    """Name the commit that was measured, so that a number can be traced."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    return answer.stdout.strip() or "unknown"


def main() -> None:
    """Measure in turns, so that a busy moment weighs on both sides, and keep the medians."""
    pairs = [(seconds("pass"), seconds("import liarsdice")) for _ in range(RUNS)]
    bare_s, with_package_s = (statistics.median(column) for column in zip(*pairs, strict=True))
    result = {
        "commit": commit(),
        "day": datetime.now(UTC).date().isoformat(),
        "import_s": round(with_package_s - bare_s, 4),
        "interpreter_s": round(bare_s, 4),
        "machine": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "runs": RUNS,
    }
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(f"import liarsdice: {result['import_s']} s (promised: at most 0.1 s)")


if __name__ == "__main__":
    main()
