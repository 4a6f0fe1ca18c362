"""`liarsdice explain`, as it is run."""

import json
from pathlib import Path

import pytest

from liarsdice.bots.external.user_bots import USER_BOT_FORMS
from liarsdice.bots.registry import bot_descriptions
from tests.cli.run_cli import error_line, output_of
from tests.cli.test_app import printed

ASKED = ("--hand", "2,2,3,6,6", "--dice", "5,5,5", "--bids", "3x6")


def test_odds_and_moves_are_explained_in_sentences() -> None:
    first, *others = output_of("explain", *ASKED).splitlines()
    assert first.startswith("A bid of three sixes is true ")
    assert others[-3].startswith("The champion would ")


def test_rules_that_the_champion_does_not_know_are_explained_by_the_odds() -> None:
    assert output_of("explain", *ASKED, "--rules", "cacho").splitlines() == [
        "The champion does not know these rules; this goes by the odds alone.",
        "A bid of three sixes is true 84% and exactly right 9% of the time, judging by your own dice.",
    ]


def test_the_json_holds_the_whole_explanation() -> None:
    result = json.loads(output_of("explain", *ASKED, "--json"))
    assert result["names"] == ["Player 1", "Player 2", "Player 3"]
    assert set(result) == {
        "names",
        "standing_bid",
        "expected_counts",
        "moves",
        "source",
        "reason",
        "beliefs",
        "count_beliefs",
        "signals",
    }
    assert set(result["beliefs"]) == {"0", "2"}
    assert sum(result["beliefs"]["0"]["probs"]) == pytest.approx(1, abs=1e-5)


def test_a_special_round_is_played_as_one() -> None:
    result = json.loads(
        output_of("explain", "--hand", "2,2,3,6,6", "--dice", "1,5,5", "--bids", "1x6", "--special", "--json")
    )
    bids = [estimate["move"] for estimate in result["moves"] if estimate["move"]["type"] == "bid"]
    assert {bid["face"] for bid in bids} == {6}  # the face is locked


def test_players_are_counted_in_the_order_of_play(tmp_path: Path) -> None:
    rules = tmp_path / "other-way.toml"
    rules.write_text('extends = "perudo"\n[turn]\ndirection = "anticlockwise"\n')
    outputs = []
    for name in ("perudo", str(rules)):
        asked = ("--hand", "2,2,6", "--dice", "5,3,4", "--bids", "3x6", "--rules", name)
        outputs.append(output_of("explain", *asked))
    assert outputs[0] == outputs[1]
    assert "Player 1 bids" in outputs[0] or "The champion would" in outputs[0]


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        (("--hand", "2,2", "--dice", "5,5"), "--dice gives you, player 1 in turn, 5 dice, but --hand has 2"),
        (("--hand", "2,2,9", "--dice", "3,3"), "9 is no face"),
        (("--hand", "2,2,3", "--dice", "3,0"), "1 to 20 dice"),
        (("--hand", "2,2,3", "--dice", "3"), "seats"),
        (("--hand", "2,2,3", "--dice", "3,3,3", "--bids", "3x3,2x2"), "2x2"),
        (("--hand", "2,2,3", "--dice", "3,3", "--bids", "many"), "cannot read --bids 'many' (bids separated by commas"),
        (("--hand", "2,2,3", "--dice", "3,3", "--bids", "2x3,liar"), "cannot read --bids '2x3,liar'"),
        (("--hand", "2,x,3", "--dice", "3,3"), "cannot read --hand"),
        (("--hand", "2,2,3", "--dice", "3,3", "--rules", "basic", "--special"), "has no special round"),
        (("--hand", "2", "--dice", "1,2", "--special"), "no special round of fewer than 3 players"),
        (("--hand", "2,2", "--dice", "2,2,2", "--special"), "has one die, but --dice gives the first player 2"),
    ],
)
def test_contradictory_options_are_refused(arguments: tuple[str, ...], complaint: str) -> None:
    assert complaint in error_line("explain", *arguments)


def test_bots_are_listed_with_their_descriptions() -> None:
    output = printed("bots")
    assert all(len(line) <= 80 for line in output.splitlines())
    known = {**bot_descriptions(), **USER_BOT_FORMS}
    assert [line.split()[0] for line in output.splitlines() if line[0] != " "] == list(known)
    assert " ".join(output.split()) == " ".join(f"{name} {about}" for name, about in known.items())
