"""The commands `solve` and `strategy` refuse what they cannot do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.run_cli import run_captured


@pytest.mark.parametrize(
    "words, sentence",
    [
        (("solve", "-o", "{folder}/none/one.lds"), "it is a folder, or its folder does not exist"),
        (("solve", "-o", os.devnull), "it is a device, and would be replaced by a file"),
        (("strategy", "show", "/dev/zero"), "/dev/zero is no strategy file"),
        (("solve", "match", "--dice", "5v5"), "more than any memory holds; 2v2 fits"),
        (("solve", "match", "--target", "-1"), "--target is a number above 0, not -1.0"),
        (("solve", "match", "--rules", "perudo", "--dice", "1v1", "-o", "{file}"), "choose another file"),
        (("strategy", "show", "{folder}/none.lds"), "cannot read "),
        (("strategy", "show", "{file}", "--hand", "2,x"), "--hand is dice separated by commas, such as 2,5"),
        (("strategy", "show", "{file}", "--hand", "2,5"), "the player on turn holds 1 die with faces 1 to 3, not 2,5"),
        (("strategy", "show", "{file}", "--bids", "1x5"), "1x5 as the first bid is against the rules"),
        (("strategy", "show", "{file}", "--bids", "five"), "cannot read 'five'"),
        (("strategy", "show", "{file}", "--dice", "2v2"), "there is no strategy for 2v2 (there is: 1v1)"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    words: tuple[str, ...],
    sentence: str,
) -> None:
    file = tmp_path / "one.lds"
    assert run_captured(monkeypatch, capsys, "solve", "--faces", "3", "--iterations", "10", "-o", file)[0] == 0
    output = [word.format(folder=tmp_path, file=file) for word in words]
    status, _, err = run_captured(monkeypatch, capsys, *output)
    assert (status, sentence in err) == (2, True), err
