"""A bot program that fails in the way that its first argument names; its second argument is a file for notes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

MODE = "".join(sys.argv[1:2])
NOTES = Path(sys.argv[2]) if len(sys.argv) > 2 else None
HANG_S = 600


def send(**message: object) -> None:
    """Write a message to standard output."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def note(line: str) -> None:
    """Append a line to the notes, for the test to read."""
    if NOTES is not None:
        with NOTES.open("a", encoding="utf-8") as notes:
            notes.write(f"{line}\n")


def answer(number: int, view: dict[str, list[object]]) -> None:
    """Answer a view as the mode says."""
    move: object = view["may_bid"][0] if view["may_bid"] else {"type": "challenge"}
    match MODE:
        case "crash":
            raise RuntimeError("no idea \x1b[31m")
        case "exit":
            sys.exit(3)
        case "killed" | "unnamed signal":
            os.kill(os.getpid(), signal.SIGKILL if MODE == "killed" else signal.SIGRTMIN + 5)
        case "hang" | "deaf":
            time.sleep(HANG_S)
        case "closes":
            os.close(1)
            time.sleep(HANG_S)
        case "garbage":
            sys.stdout.write("I bid three fours\n")
        case "bytes":
            sys.stdout.buffer.write(b"\xff\xfe\n")
        case "deep":
            sys.stdout.write("[" * 20_000 + "\n")
        case "long":
            sys.stdout.write("x" * 200_000)
            time.sleep(HANG_S)
        case "long line":
            sys.stdout.write(" " * 70_000 + "\n")
        case "illegal":
            send(type="action", number=number, action={"type": "bid", "quantity": 999, "face": 1})
        case "penalise":
            send(type="action", number=number, action={"type": "penalise", "trigger": "asks_dice_left"})
        case "silent":
            send(type="action", number=number, action=None)
        case "off by one":
            send(type="action", number=number + 1, action=move)
        case "twice":
            send(type="action", number=number, action=move)
            send(type="action", number=number, action=move)
        case "hello again":
            send(type="hello", protocol=1)
        case "noisy":
            sys.stderr.write("noise " * 100_000)
            sys.exit("the last word")
        case _:
            send(type="action", number=number, action=move)
    sys.stdout.flush()


def main() -> None:
    """Answer messages until the end of the input or `goodbye`."""
    note(f"pid {os.getpid()}")
    if MODE == "exits early":
        sys.exit(4)
    if MODE == "mute":
        time.sleep(HANG_S)
    if MODE == "grandchild":
        note(f"pid {subprocess.Popen(['sleep', str(HANG_S)]).pid}")
    for line in sys.stdin:
        message = json.loads(line)
        note(message["type"])
        if message["type"] == "hello":
            send(type="hello", protocol=2 if MODE == "newer" else 1)
            if MODE == "deaf":
                time.sleep(HANG_S)
        elif message["type"] == "view":
            answer(message["number"], message["view"])
        elif message["type"] == "goodbye" and MODE == "stays":
            time.sleep(HANG_S)
        elif message["type"] == "goodbye":
            note("left")
            return


if __name__ == "__main__":
    main()
