"""Arguments that several commands share: numbers of dice, bids and files."""

from __future__ import annotations

from pathlib import Path

import pytest

from liarsdice.cli.arguments import default_dice, read_file, read_numbers, require_biddable
from liarsdice.core.errors import IllegalActionError, MalformedError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from tests.cli.run_cli import error_line


@pytest.mark.parametrize("command", ["replay", "scenarios"])
def test_a_file_of_a_terabyte_is_not_read_to_its_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with Path("huge").open("wb") as file:
        file.truncate(2**40)  # a hole, which takes no room on the disk
    assert "huge is longer than" in error_line(monkeypatch, capsys, command, "huge")


def test_numbers_are_separated_by_commas() -> None:
    assert read_numbers("", "--hand", "1,4") == ()
    assert read_numbers(" 1, 4,12", "--hand", "1,4") == (1, 4, 12)


@pytest.mark.parametrize("text", ["1,,2", "1;2", "-1", "²", "12345"])
def test_anything_but_numbers_is_refused_with_the_option_and_an_example(text: str) -> None:
    with pytest.raises(MalformedError, match=r"cannot read --hand .* such as 1,4\)"):
        read_numbers(text, "--hand", "1,4")


def test_the_dice_of_three_full_hands_are_the_default_up_to_the_limit() -> None:
    perudo = preset("perudo").ruleset
    assert default_dice(perudo, 100) == 15
    assert default_dice(perudo, 10) == 10


def test_a_face_that_may_not_be_bid_is_refused_by_name() -> None:
    pirates = preset("pirates").ruleset
    require_biddable(Bid(3, 2), pirates, "pirates")
    with pytest.raises(IllegalActionError, match=r"3x1 is no bid in pirates: face 1 may not be bid"):
        require_biddable(Bid(3, 1), pirates, "pirates")


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"12345")
    assert read_file(str(file), 5) == b"12345"
    with pytest.raises(MalformedError, match="is longer than 4 bytes"):
        read_file(str(file), 4)
    with pytest.raises(UnavailableError, match=r"cannot read .*: No such file"):
        read_file(str(tmp_path / "missing"), 5)
