"""Puzzles as data, against several ways of playing, and the bots that miss them."""

from collections import Counter
from datetime import date, timedelta
from importlib.resources import files

import msgspec
import pytest
from msgspec.structs import replace

from liarsdice.analysis.puzzles.puzzle import (
    Certificate,
    OfferedMove,
    Puzzle,
    PuzzleFile,
    PuzzleHeader,
    Theme,
    daily_number,
    filter_puzzles,
    merge_puzzles,
    packaged_puzzles,
    read_puzzles,
    write_puzzle_line,
)
from liarsdice.analysis.puzzles.robustness import (
    OTHERS,
    SOLVERS,
    bot_moves,
    count_missed,
    holds_against,
    is_robust,
    leads_against,
    view_of_puzzle,
)
from liarsdice.bots.neural.champions import make_champion
from liarsdice.bots.neural.explain import explain
from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.presets.games import SHEETS
from liarsdice.core.text.narration import DecisionReason, MoveReason
from liarsdice.solve.round_game import RoundStart
from liarsdice.values.blueprints import packaged_blueprints

PUZZLE = Puzzle(
    rules="perudo",
    seed=7,
    match=3,
    decision=20,
    theme=Theme.CHALLENGE,
    certificate=Certificate.PLAYOUTS,
    deals=1000,
    missed=(5, 7),
    dice=(2, 3),
    seat=1,
    hand=(4, 4, 1),
    bids=((0, Bid(3, 2)),),
    wilds_count=True,
    special_seat=None,
    moves=(
        OfferedMove(Challenge(), 0.6, 0.0, 0.0, 0.8),
        OfferedMove(Bid(3, 4), 0.5, 0.1, 0.01, 0.4),
        OfferedMove(Exact(), 0.4, 0.2, 0.01, 0.15),
    ),
    reason=MoveReason(1, tied=False, reason=DecisionReason(1, (), challenge=True, exact=False, p_loses=(0.6, 0.2))),
)


def test_a_file_reads_back_as_it_was_written() -> None:
    header = PuzzleHeader(1, "champion@5", {"perudo": preset("perudo").ruleset})
    read = read_puzzles(write_puzzle_line(header) + write_puzzle_line(PUZZLE) * 2)
    assert read.header == header
    assert read.puzzles == (PUZZLE, PUZZLE)


@pytest.mark.parametrize(
    "raw, message",
    [
        (b"", "line 1: this is no file of puzzles"),
        (b'{"record":"liarsdice_puzzles","format":9,"judge":""}\n', "format 9"),
        (b'{"record":"liarsdice_puzzles","format":1,"judge":""}\n{"rules":1}\n', "line 2: "),
    ],
)
def test_what_is_no_file_of_puzzles_is_refused_with_its_line(raw: bytes, message: str) -> None:
    with pytest.raises(MalformedError, match=message):
        read_puzzles(raw)


def test_files_of_different_judges_or_rules_are_not_merged() -> None:
    rules = {name: preset(name).ruleset for name in ("perudo", "basic")}
    ours = PuzzleFile(PuzzleHeader(1, "champion@5", {"perudo": rules["perudo"]}), (PUZZLE,))
    assert merge_puzzles([ours, ours]) == ours
    with pytest.raises(UnavailableError, match="different judges: champion@5, champion@7"):
        merge_puzzles([ours, PuzzleFile(PuzzleHeader(1, "champion@7", {}), ())])
    with pytest.raises(UnavailableError, match="different rules called perudo"):
        merge_puzzles([ours, PuzzleFile(PuzzleHeader(1, "champion@5", {"perudo": rules["basic"]}), ())])


def test_the_same_situation_at_another_seat_of_the_table_is_the_same_puzzle() -> None:
    turned = msgspec.structs.replace(PUZZLE, dice=(3, 0, 2), seat=0, hand=(1, 4, 4), bids=((2, Bid(3, 2)),))
    assert turned.situation == PUZZLE.situation
    assert msgspec.structs.replace(turned, wilds_count=False, bids=()).situation != PUZZLE.situation


def test_calls_are_offered_before_bids_and_not_in_the_order_of_their_worth() -> None:
    assert [offered.move for offered in PUZZLE.choices] == [Challenge(), Exact(), Bid(3, 4)]


def test_the_best_move_of_every_shipped_puzzle_leads_by_eight_points_beyond_its_interval_or_a_bot_makes_the_other() -> (
    None
):
    for puzzle in packaged_puzzles():
        best, *others = puzzle.moves
        assert (best.behind, best.error) == (0, 0)
        assert len(others) >= 2
        near = {offered.move for offered in others if offered.behind - offered.error < 0.08 - 1e-3}
        assert not near or near <= set(bot_moves(view_of_puzzle(puzzle))), puzzle.key
        for offered in others:
            assert offered.behind > offered.error, puzzle.key
            assert best.value - offered.value == pytest.approx(offered.behind, abs=2e-3)


def test_every_shipped_puzzle_offers_the_move_of_the_champion() -> None:
    champion = make_champion()
    for puzzle in packaged_puzzles():
        probs = champion.action_probs(view_of_puzzle(puzzle))
        assert max(probs, key=lambda move: probs[move]) in {offered.move for offered in puzzle.moves}, puzzle.key


def test_shipped_puzzles_are_200_of_all_themes_in_a_megabyte_and_no_two_look_the_same() -> None:
    puzzles = packaged_puzzles()
    assert len((files("liarsdice.analysis.puzzles") / "puzzles.jsonl").read_bytes()) <= 1_000_000
    assert len({puzzle.key for puzzle in puzzles}) == len(puzzles)
    assert len(puzzles) >= 200
    assert {puzzle.theme for puzzle in puzzles} == set(Theme)
    assert {puzzle.certificate for puzzle in puzzles} == set(Certificate)
    looks = Counter(puzzle.situation for puzzle in puzzles)
    assert looks.most_common(1)[0][1] == 1


def test_half_of_the_shipped_puzzles_are_from_rule_sheets_and_some_from_special_rounds_and_six_players() -> None:
    puzzles = packaged_puzzles()
    games = Counter(puzzle.rules.partition("+")[0] for puzzle in puzzles)
    assert {sheet.name for sheet in SHEETS} <= set(games)
    assert sum(games[sheet.name] for sheet in SHEETS) >= len(puzzles) / 2
    assert sum(puzzle.special_seat is not None for puzzle in puzzles) >= 15
    assert {sum(held > 0 for held in puzzle.dice) for puzzle in puzzles} == {2, 3, 4, 5, 6}


def test_the_solver_certifies_every_shipped_puzzle_with_three_dice_or_fewer() -> None:
    few = [puzzle for puzzle in packaged_puzzles() if sum(puzzle.dice) <= 3]
    assert few
    assert {puzzle.certificate for puzzle in few} == {Certificate.SOLVED}


def test_playouts_certify_no_shipped_puzzle_of_a_round_that_the_champion_plays_by_a_blueprint() -> None:
    for puzzle in packaged_puzzles():
        seats = [seat for seat, held in enumerate(puzzle.dice) if held]
        if puzzle.certificate is Certificate.PLAYOUTS and len(seats) == 2:
            opener = puzzle.bids[0][0] if puzzle.bids else puzzle.seat
            seats.sort(key=lambda seat: seat != opener)
            special = None if puzzle.special_seat is None else seats.index(puzzle.special_seat)
            start = RoundStart((puzzle.dice[seats[0]], puzzle.dice[seats[1]]), special=special)
            assert packaged_blueprints().of_round(preset(puzzle.rules).ruleset, start) is None, puzzle.key


def test_a_challenge_is_offered_wherever_there_is_a_bid() -> None:
    for puzzle in packaged_puzzles():
        assert any(offered.move == Challenge() for offered in puzzle.moves) == bool(puzzle.bids), puzzle.key


def test_the_rules_of_shipped_puzzles_are_those_of_the_presets() -> None:
    raw = (files("liarsdice.analysis.puzzles") / "puzzles.jsonl").read_bytes()
    rules = read_puzzles(raw).header.rules
    assert set(rules) == {puzzle.rules for puzzle in packaged_puzzles()}
    assert rules == {name: preset(name).ruleset for name in rules}


def test_shipped_puzzles_hold_what_their_rules_allow() -> None:
    for puzzle in packaged_puzzles():
        rules = preset(puzzle.rules).ruleset
        assert len(puzzle.hand) == puzzle.dice[puzzle.seat]
        assert all(1 <= die <= rules.dice.faces for die in puzzle.hand)
        assert len(puzzle.counts) == (sum(held > 0 for held in puzzle.dice) - 1 if puzzle.bids else 0)
        for held in puzzle.counts:
            assert sum(held.before) == pytest.approx(1, abs=0.01)
            assert sum(held.after) == pytest.approx(1, abs=0.01)


def test_each_date_has_a_puzzle_and_days_in_a_row_have_different_ones() -> None:
    numbers = [daily_number(date(2026, 3, 1) + timedelta(days=day), 500) for day in range(500)]
    assert sorted(numbers) == list(range(500))
    assert daily_number(date(2025, 12, 31), 500) == 499


def test_puzzles_are_filtered_by_theme_and_rules() -> None:
    assert filter_puzzles([PUZZLE], Theme.CHALLENGE, "perudo") == [PUZZLE]
    assert filter_puzzles([PUZZLE], Theme.EXACT, None) == []
    assert filter_puzzles([PUZZLE], None, "basic") == []


CERTAIN = replace(
    PUZZLE,
    hand=(1, 4, 4),
    bids=((0, Bid(5, 2)),),
    moves=(
        OfferedMove(Challenge(), 0.9, 0.0, 0.0, 0.9),
        OfferedMove(Bid(5, 3), 0.1, 0.8, 0.0, 0.1),
        OfferedMove(Bid(5, 6), 0.1, 0.8, 0.0, 0.1),
    ),
)
"""Five twos of five dice, one of them one's own ace: nobody should raise it."""


def test_the_view_of_each_shipped_puzzle_shows_what_the_puzzle_says_and_allows_its_moves() -> None:
    for puzzle in packaged_puzzles():
        shown = view_of_puzzle(puzzle)
        assert (shown.seat, shown.turn, shown.hand, shown.dice) == (puzzle.seat, puzzle.seat, puzzle.hand, puzzle.dice)
        assert (shown.bids, shown.wilds_count) == (puzzle.bids, puzzle.wilds_count)
        assert shown.special_seat == puzzle.special_seat
        assert all(shown.allows(offered.move) for offered in puzzle.moves), puzzle.key


@pytest.mark.parametrize("others", OTHERS)
def test_a_clear_best_move_holds_and_no_other_one_does(others: str) -> None:
    assert holds_against(CERTAIN, others)
    challenge, lower, higher = CERTAIN.moves
    assert not holds_against(replace(CERTAIN, moves=(lower, challenge, higher)), others)


def test_leads_are_the_same_again_and_differ_by_who_the_others_are() -> None:
    puzzle = next(one for one in packaged_puzzles() if len(one.dice) > 2)
    leads = {others: leads_against(puzzle, others, 60) for others in OTHERS}
    assert leads["regular"] == leads_against(puzzle, "regular", 60)
    assert len({tuple(found) for found in leads.values()}) > 1


def test_a_move_that_is_as_good_as_the_best_one_makes_no_puzzle() -> None:
    best, *_ = CERTAIN.moves
    assert is_robust(CERTAIN)
    assert not is_robust(replace(CERTAIN, moves=(best, best, *CERTAIN.moves[1:])))


def test_bots_that_make_another_move_more_often_miss_a_puzzle() -> None:
    assert count_missed(CERTAIN) == (0, len(SOLVERS))
    challenge, lower, higher = CERTAIN.moves
    wrong: Puzzle = replace(CERTAIN, moves=(lower, challenge, higher))
    assert count_missed(wrong) == (len(SOLVERS), len(SOLVERS))


def test_shipped_puzzles_hold_against_several_ways_of_playing() -> None:
    assert [puzzle.key for puzzle in packaged_puzzles()[::25] if not is_robust(puzzle)] == []


def test_explanations_put_the_best_move_of_a_puzzle_first() -> None:
    for puzzle in packaged_puzzles()[::20]:
        found = explain(view_of_puzzle(puzzle), signals=False)
        assert found.moves[0].move == puzzle.moves[0].move, puzzle.key
        if puzzle.certificate is Certificate.SOLVED:
            values = {one.move: one.value for one in found.moves}
            assert [values[one.move] for one in puzzle.moves] == pytest.approx(
                [one.value for one in puzzle.moves], abs=1e-3
            )


def test_shipped_puzzles_call_nothing_certain_that_the_own_dice_leave_open() -> None:
    for puzzle in packaged_puzzles():
        odds = BidOdds(view_of_puzzle(puzzle))
        by_dice = {Challenge(): 1 - odds.p_standing, Exact(): odds.p_exact}
        for offered in puzzle.moves:
            p_by_dice = odds.p_bid(offered.move) if isinstance(offered.move, Bid) else by_dice[offered.move]
            assert (offered.p_right in {0.0, 1.0}) == (p_by_dice in {0.0, 1.0}), (puzzle.key, offered.move)
        for held in puzzle.counts:
            assert all(held.after), puzzle.key


def test_shipped_puzzles_tell_how_many_bots_miss_them() -> None:
    for puzzle in packaged_puzzles()[::25]:
        assert puzzle.missed == count_missed(puzzle), puzzle.key
    assert {puzzle.missed[0] for puzzle in packaged_puzzles()} == set(range(len(SOLVERS) + 1))
