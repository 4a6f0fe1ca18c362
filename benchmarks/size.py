"""Counts of the project: files, lines, modules, words of documentation and dependencies of development.

`python -m benchmarks.size [COMMIT]` counts what a commit has, by default HEAD.
"""

import argparse
import subprocess
import tomllib

HANDWRITTEN = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/", "examples/")


def git(*arguments: str) -> str:
    """Return what a command of git prints."""
    return subprocess.run(["git", *arguments], capture_output=True, check=True, encoding="utf-8").stdout


def sizes(commit: str) -> dict[str, int]:
    """Return the counts of a commit by name."""
    files = git("ls-tree", "-r", "--name-only", commit).splitlines()

    def texts(prefix: str, *suffixes: str) -> list[str]:
        return [
            git("show", f"{commit}:{file}")
            for file in files
            if file.startswith(prefix) and file.endswith(suffixes) and file != "docs/licences.md"
        ]

    source, tests, page = texts("src/", ".py"), texts("tests/", ".py"), texts("web/src/", "")
    benchmarks = texts("benchmarks/", ".py", ".json")
    pages = [text for prefix in HANDWRITTEN for text in texts(prefix, ".md")]
    extras = tomllib.loads(git("show", f"{commit}:pyproject.toml"))["project"]["optional-dependencies"]
    return {
        "tracked files": len(files),
        "lines of Python in src": _lines(source),
        "modules in src": len(source),
        "lines of tests": _lines(tests),
        "lines of the page": _lines(page),
        "files of the page": len(page),
        "lines of benchmarks and results": _lines(benchmarks),
        "pages by hand": len(pages),
        "words of documentation": sum(len(text.split()) for text in pages),
        "development dependencies": len(extras["dev"]),
    }


def _lines(texts: list[str]) -> int:
    return sum(text.count("\n") for text in texts)


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit", nargs="?", default="HEAD")
    for name, count in sizes(parser.parse_args().commit).items():
        print(f"{name:34}{count:>8,}")


if __name__ == "__main__":
    main()
