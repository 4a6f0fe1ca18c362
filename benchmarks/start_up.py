"""CPU time of a fresh interpreter that imports the package or prints the help; promised: 0.1 s and 0.3 s."""

import resource
import statistics
import subprocess
import sys

from benchmarks.figures import Figures, save_figures

RUNS = 20
COMMANDS = {
    "interpreter alone": ["-c", "pass"],
    "import liarsdice": ["-c", "import liarsdice"],
    "import the engine": ["-c", "from liarsdice import decide, preset; preset('perudo')"],
    "liarsdice --help": ["-m", "liarsdice", "--help"],
}


def cpu_s(arguments: list[str]) -> float:
    """User and system seconds of one fresh interpreter."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    """Measure in turns, so that a busy moment weighs on all sides, and keep the medians."""
    rounds = [{name: cpu_s(arguments) for name, arguments in COMMANDS.items()} for _ in range(RUNS)]
    figures: dict[str, Figures] = {
        name: {"cpu_s_median": round(statistics.median(times[name] for times in rounds), 4)} for name in COMMANDS
    }
    save_figures("start_up", figures, packages=("liarsdice", "msgspec", "typer"))


if __name__ == "__main__":
    main()
