"""Runs `liarsdice play` in a process and answers its prompts line by line."""

import os
import re
import threading
from pathlib import Path
from typing import Self
from zlib import crc32

import pytest

from tests.forked_program import ForkedProgram

PROMPTS = ("your move> ", "call?> ", "who starts?> ", "A rematch? [y/N] ")
MAX_ANSWERS = 3_000
PATIENCE_S = 60.0
"""How long the process may print nothing: far longer than a round takes on a busy machine."""


class LineModeProcess:
    """A running match in line mode. `output` is everything that it has printed."""

    def __init__(self, *arguments: str, home: Path, **environment: str) -> None:
        variables = {**os.environ, "XDG_STATE_HOME": str(home), **environment}
        self.process = ForkedProgram(["liarsdice", "play", *arguments], variables, log=None)
        self.output = ""
        self.timed_out = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.close()

    def read_prompt(self) -> str:
        """Read up to the next prompt and return it, or an empty string at the end of the output."""
        raw, prompt, chunk = b"", "", b"-"
        timer = threading.Timer(PATIENCE_S, self._time_out)
        timer.start()
        while chunk and not prompt:
            chunk = os.read(self.process.stdout.fileno(), 65_536)
            raw += chunk
            prompt = next((prompt for prompt in PROMPTS if raw.endswith(prompt.encode())), "")
        timer.cancel()
        self.output += raw.decode(errors="replace")
        if self.timed_out:
            pytest.fail(f"the table was silent for {PATIENCE_S:g} s after: …{self.output[-300:]}")
        return prompt

    def _time_out(self) -> None:
        self.timed_out = True
        self.process.end()

    def wait(self) -> int:
        """Wait until the program ends by itself and return its exit status."""
        return self.process.wait(PATIENCE_S)

    def send(self, line: str) -> None:
        """Send a line."""
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()

    def close_input(self) -> int:
        """Close the input, read the rest of the output and return the exit status."""
        self.process.stdin.close()
        self.read_prompt()
        return self.wait()

    def play(self, *, answers: int = MAX_ANSWERS) -> str:
        """Make legal moves, at most `answers` of them or to the end of the match, and return the next prompt."""
        prompt = self.read_prompt()
        while prompt and answers and not prompt.startswith("A rematch"):
            self.send(self.choose_answer(prompt))
            prompt, answers = self.read_prompt(), answers - 1
        return prompt

    def choose_answer(self, prompt: str) -> str:
        """Choose a legal move that depends only on the prompt: call some bids, otherwise make the lowest bid."""
        if not prompt.startswith("your move"):
            return ""
        offer = self.output[self.output.rindex("You may ") :]
        bids = re.findall(r"\d+x\d+", offer)
        choice = crc32(offer.encode()) % 7
        if "liar" in offer and (choice < 3 or not bids):
            return "liar"
        if "exact" in offer and choice == 3:
            return "exact"
        if "accept" in offer:
            return "accept" if choice < 4 else "redouble"
        return str(bids[0])
