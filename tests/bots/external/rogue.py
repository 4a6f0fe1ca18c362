"""A bot that plays well until it does what its first argument says; run as a process of its own by the tests."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

MODE = "".join(sys.argv[1:2])
NOTES = Path(sys.argv[2]) if len(sys.argv) > 2 else None
FOR_EVER_S = 600


def say(**message: object) -> None:
    """Write a message."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def note(line: str) -> None:
    """Leave a line where a test finds it."""
    if NOTES is not None:
        with NOTES.open("a", encoding="utf-8") as notes:
            notes.write(f"{line}\n")


def answered(number: int, view: dict[str, list[object]]) -> None:
    """Do what the mode says."""
    act: object = view["may_bid"][0] if view["may_bid"] else {"type": "challenge"}
    match MODE:
        case "crash":
            raise RuntimeError("no idea \x1b[31m")
        case "exit":
            sys.exit(3)
        case "killed" | "unnamed signal":
            os.kill(os.getpid(), signal.SIGKILL if MODE == "killed" else signal.SIGRTMIN + 5)
        case "hang" | "deaf":
            time.sleep(FOR_EVER_S)
        case "closes":
            os.close(1)
            time.sleep(FOR_EVER_S)
        case "garbage":
            sys.stdout.write("I bid three fours\n")
        case "bytes":
            sys.stdout.buffer.write(b"\xff\xfe\n")
        case "deep":
            sys.stdout.write("[" * 20_000 + "\n")
        case "long":
            sys.stdout.write("x" * 200_000)
            time.sleep(FOR_EVER_S)
        case "long line":
            sys.stdout.write(" " * 70_000 + "\n")
        case "illegal":
            say(type="action", number=number, action={"type": "bid", "quantity": 999, "face": 1})
        case "penalise":
            say(type="action", number=number, action={"type": "penalise", "trigger": "asks_dice_left"})
        case "silent":
            say(type="action", number=number, action=None)
        case "off by one":
            say(type="action", number=number + 1, action=act)
        case "twice":
            say(type="action", number=number, action=act)
            say(type="action", number=number, action=act)
        case "hello again":
            say(type="hello", protocol=1)
        case "noisy":
            sys.stderr.write("noise " * 100_000)
            sys.exit("the last word")
        case _:
            say(type="action", number=number, action=act)
    sys.stdout.flush()


def main() -> None:
    """Play."""
    note(f"pid {os.getpid()}")
    if MODE == "exits early":
        sys.exit(4)
    if MODE == "mute":
        time.sleep(FOR_EVER_S)
    if MODE == "grandchild":
        note(f"pid {subprocess.Popen(['sleep', str(FOR_EVER_S)]).pid}")
    for line in sys.stdin:
        message = json.loads(line)
        note(message["type"])
        if message["type"] == "hello":
            say(type="hello", protocol=2 if MODE == "newer" else 1)
            if MODE == "deaf":
                time.sleep(FOR_EVER_S)
        elif message["type"] == "view":
            answered(message["number"], message["view"])
        elif message["type"] == "goodbye" and MODE == "stays":
            time.sleep(FOR_EVER_S)
        elif message["type"] == "goodbye":
            note("left")
            return


if __name__ == "__main__":
    main()
