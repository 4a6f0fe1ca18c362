"""The arena: seatings, duplicate deals, and the same results from the same seed."""

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import msgspec
import numpy as np
import pytest

from liarsdice.bots.registry import make_bot
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice_lab.tournaments.arena import (
    Arena,
    ArenaFile,
    DealResult,
    arena,
    make_arena,
    merge_times,
    play_deal,
    play_deals,
    quantile_ms,
    summarize,
    time_bucket,
    win_share_intervals,
)

PERUDO = preset("perudo").ruleset


def without_times(deal: DealResult) -> DealResult:
    """Return a deal without what differs from run to run."""
    return msgspec.structs.replace(deal, seconds=0.0, times=())


def test_in_duplicate_every_bot_sits_in_every_seat_on_the_same_dice() -> None:
    arena = make_arena(PERUDO, ["random", "greedy", "inference", "threshold"], seed=5, duplicate=True)
    seatings = arena.seatings(8)
    assert len(seatings) == 4
    assert {(seat, bot) for seating in seatings for seat, bot in enumerate(seating)} == {
        (seat, bot) for seat in range(4) for bot in range(4)
    }
    assert arena.seatings(9) != seatings


def test_without_duplicate_seats_rotate_from_match_to_match() -> None:
    arena = make_arena(PERUDO, ["random", "greedy", "threshold"], seed=3)
    seats_of_bots = Counter((seat, bot) for number in range(30) for seat, bot in enumerate(arena.seatings(number)[0]))
    assert len(seats_of_bots) == 9
    assert set(seats_of_bots.values()) == {10}
    assert arena.deals_for(30) == 30
    assert msgspec.structs.replace(arena, duplicate=True).deals_for(31) == 11


def test_a_subject_plays_every_match_and_the_field_fills_the_table() -> None:
    arena = make_arena(PERUDO, ["inference"], opponents=["threshold", "greedy"], seats=4, seed=1, duplicate=True)
    field_seats = Counter[int]()
    for number in range(40):
        for seating in arena.seatings(number):
            assert seating.count(0) == 1
            field_seats.update(bot for bot in seating if bot)
    assert field_seats.total() == 40 * 4 * 3
    assert min(field_seats.values()) >= 40 * 4  # each of the field at least once; the third seat is drawn by lot


def test_the_tables_of_a_larger_pool_are_mixed_over_deals() -> None:
    arena = make_arena(PERUDO, ["random", "greedy", "threshold", "inference"], seats=2, seed=1)
    pairings = {frozenset(arena.seatings(number)[0]) for number in range(60)}
    assert len(pairings) == 6


def test_an_arena_that_cannot_be_played_is_refused() -> None:
    with pytest.raises(MalformedError, match="needs at least two bots"):
        make_arena(PERUDO, ["random"])
    with pytest.raises(MalformedError, match="one subject, not 2"):
        make_arena(PERUDO, ["random", "greedy"], opponents=["random"])
    with pytest.raises(MalformedError, match="2 to 100 seats, not 101"):
        make_arena(PERUDO, ["random", "greedy"], seats=101)
    with pytest.raises(MalformedError, match="seats 2 to 5 players, not 6"):
        make_arena(patched(PERUDO, players__max=5), ["random", "greedy"], seats=6)
    with pytest.raises(UnavailableError, match="no bot is called 'nobody'"):
        make_arena(PERUDO, ["random"], opponents=["nobody"])


def test_a_deal_repeats_from_its_seed_and_number_alone() -> None:
    arena = make_arena(PERUDO, ["random", "greedy", "threshold"], seed=4, duplicate=True)
    deal = play_deal(arena, 3)
    same_arena = make_arena(PERUDO, ["random", "greedy", "threshold"], seed=4, duplicate=True)
    deals = [play_deal(same_arena, number) for number in range(4)]
    assert without_times(deal) == without_times(deals[3])
    assert without_times(deal) != without_times(play_deal(msgspec.structs.replace(arena, seed=5), 3))


def test_quantiles_are_right_within_a_twentieth() -> None:
    generator = random.Random(1)
    times_us = sorted(generator.lognormvariate(5, 2) for _ in range(5_000))
    times = Counter(map(time_bucket, times_us))
    for share in (0.1, 0.5, 0.99):
        exact_ms = times_us[int(share * 5_000) - 1] / 1_000
        assert quantile_ms(times, share) == pytest.approx(exact_ms, rel=0.06)
    assert quantile_ms({}, 0.5) is None


def test_merged_histograms_count_every_time() -> None:
    assert merge_times([{0: 1, 8: 2}, {8: 3}, {}]) == {0: 1, 8: 5}


ARENA = make_arena(preset("perudo").ruleset, ["random", "threshold"], seed=9, duplicate=True)
PATIENCE_S = 60


def test_deals_are_stored_and_an_incomplete_line_is_cut_off(tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    deals = list(play_deals(ARENA, range(3)))
    with ArenaFile(file, ARENA, "1") as arena_file:
        for deal in deals:
            arena_file.append(deal)
    whole = file.read_bytes()
    file.write_bytes(whole[:-5])
    with ArenaFile(file, ARENA, "1") as reopened:
        assert list(reopened.deals.values()) == deals[:2]
        reopened.append(deals[2])
    assert file.read_bytes() == whole
    file.write_bytes(whole[:20])  # not even the header was written
    with ArenaFile(file, ARENA, "1") as emptied:
        assert emptied.deals == {}


def test_a_file_of_an_adjusted_arena_from_before_rounds_were_played_again_continues(tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    arena = make_arena(preset("perudo").ruleset, ["random", "threshold"], adjusted=True)
    with ArenaFile(file, arena, "1") as arena_file:
        for deal in play_deals(arena, range(2)):
            arena_file.append(deal)
    stored = file.read_text()
    assert stored.count(',"playouts":0') == 3
    file.write_text(stored.replace(',"playouts":0', ""))
    with ArenaFile(file, arena, "1") as reopened:
        assert len(reopened.deals) == 2
    again = msgspec.structs.replace(arena, playouts=8)
    with pytest.raises(UnavailableError, match="playouts is 0 there and 8 here"):
        ArenaFile(file, again, "1")


def test_a_full_disk_leaves_no_incomplete_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, write = tmp_path / "kept.jsonl", os.write
    (deal,) = play_deals(ARENA, range(1))

    def full(descriptor: int, raw: bytes) -> int:
        if file.stat().st_size > size:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, raw[:9])

    with ArenaFile(file, ARENA, "1") as arena_file:
        size = file.stat().st_size
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", full)
            with pytest.raises(UnavailableError, match=r"kept\.jsonl: No space left"):
                arena_file.append(deal)
        assert arena_file.deals == {}
        assert file.stat().st_size == size
        arena_file.append(deal)
    with ArenaFile(file, ARENA, "1") as reopened:
        assert reopened.deals == {0: deal}


def test_only_one_program_at_a_time_opens_an_arena_file(tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    with (
        ArenaFile(file, ARENA, "1"),
        pytest.raises(UnavailableError, match=r"another program keeps deals in .* already"),
    ):
        ArenaFile(file, ARENA, "1")
    ArenaFile(file, ARENA, "1").close()


def test_deals_go_to_the_same_file_even_if_a_bot_changes_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (deal,) = play_deals(ARENA, range(1))
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path)
    with ArenaFile(Path("kept.jsonl"), ARENA, "1") as arena_file:
        os.chdir("there")
        arena_file.append(deal)
    with ArenaFile(tmp_path / "kept.jsonl", ARENA, "1") as reopened:
        assert reopened.deals == {0: deal}


@pytest.mark.parametrize(
    "other, differs",
    [
        (msgspec.structs.replace(ARENA, seed=8), r"seed is 9 there and 8 here \(name another file\)"),
        (
            msgspec.structs.replace(ARENA, bots=("random", "greedy")),
            "bots is .*threshold.* there and .*greedy",
        ),
        (msgspec.structs.replace(ARENA, ruleset=patched(ARENA.ruleset, dice__faces=8)), "ruleset.dice.faces is 6"),
        (make_arena(preset("mustache").ruleset, ["random", "greedy"], seed=8), r"; and \d+ more \(name"),
    ],
)
def test_the_file_of_another_arena_is_refused_with_the_differences(tmp_path: Path, other: Arena, differs: str) -> None:
    file = tmp_path / "kept.jsonl"
    ArenaFile(file, ARENA, "1").close()
    before = file.read_bytes()
    with pytest.raises(UnavailableError, match=differs):
        ArenaFile(file, other, "1")
    with pytest.raises(UnavailableError, match="engine is '1' there and '2' here"):
        ArenaFile(file, ARENA, "2")
    assert file.read_bytes() == before


@pytest.mark.parametrize("text", [b"mine\n", b"mine", b'{"record":"liarsdice_record"}\n', b"\xff\n"])
def test_a_file_of_another_kind_is_refused_and_stays_unchanged(tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "kept.jsonl"
    file.write_bytes(text)
    with pytest.raises(MalformedError, match="is not an arena file"):
        ArenaFile(file, ARENA, "1")
    assert file.read_bytes() == text


def test_an_invalid_line_is_reported_with_its_number(tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    ArenaFile(file, ARENA, "1").close()
    with file.open("ab") as lines:
        lines.write(b"{}\n")
    with pytest.raises(MalformedError, match=r"kept\.jsonl, line 2: "):
        ArenaFile(file, ARENA, "1")


@pytest.mark.parametrize(
    "changes, complaint",
    [
        ({"number": -1}, "the bots of deal -1 sat otherwise"),
        ({"number": 1 << 40, "matches": []}, "the bots of deal 1099511627776 sat otherwise"),
        ({"seating": [0, 2]}, "the bots of deal 0 sat otherwise"),
        ({"seating": [1]}, "the bots of deal 0 sat otherwise"),
        ({"places": [1, 3]}, r"the places \(1, 3\) are none of a match"),
        ({"places": [0, 1]}, r"the places \(0, 1\) are none"),
        ({"places": [1]}, "a match of 2 has as many places"),
        ({"faults": [0, 0, 0]}, "a match of 2 has as many places and numbers of faults"),
        ({"faults": [0, -1]}, "its rounds or faults cannot be so many"),
        ({"rounds": 0}, "its rounds or faults cannot be so many"),
        ({"rounds": 10**400}, "its rounds or faults cannot be so many"),
        ({"times": [{}]}, "the times are not those of 2 bots"),
        ({"times": [{}, {"99999": 1}]}, "the times are not those of 2 bots"),
        ({"times": [{}, {"8": -1}]}, "the times are not those of 2 bots"),
        ({"seconds": 0}, "a deal takes longer than 0 s"),
        ({"warnings": ["\udcff"]}, "codec can't decode"),
    ],
)
def test_an_inconsistent_deal_is_reported_with_its_line_number(
    tmp_path: Path, changes: dict[str, object], complaint: str
) -> None:
    file = tmp_path / "kept.jsonl"
    (deal,) = play_deals(ARENA, range(1))
    with ArenaFile(file, ARENA, "1") as arena_file:
        arena_file.append(deal)
    header, line = file.read_bytes().splitlines()
    fields = json.loads(line)
    for key, value in changes.items():
        if key in fields:
            fields[key] = value
        else:
            fields["matches"][0][key] = value
    changed = json.dumps(fields, ensure_ascii=False).encode(errors="surrogateescape")
    file.write_bytes(header + b"\n" + changed + b"\n")
    with pytest.raises(MalformedError, match=rf"kept\.jsonl, line 2: .*{complaint}"):
        ArenaFile(file, ARENA, "1")


def test_a_device_is_refused_and_so_is_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    devices = [path for path in map(Path, ("/dev/full", "/dev/null")) if path.exists()]  # the first is Linux's alone
    for path in (*devices, tmp_path / "pipe"):
        with pytest.raises(UnavailableError, match=f"cannot keep deals in {path}: it is a device or a pipe"):
            ArenaFile(path, ARENA, "1")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="cannot keep deals in"):
        ArenaFile(tmp_path, ARENA, "1")


def test_a_killed_run_continues_and_ends_with_the_same_result(tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    command = [sys.executable, "-m", "liarsdice", "arena", "--bots", "inference,threshold,random", "--seats", "3"]
    command += ["--matches", "300", "--seed", "5", "--duplicate", "--json", "-o"]
    process = subprocess.Popen([*command, str(file)], start_new_session=True, stdout=subprocess.DEVNULL)
    deadline_s = time.monotonic() + PATIENCE_S
    while not file.exists() or file.read_bytes().count(b"\n") < 4:
        assert process.poll() is None
        assert time.monotonic() < deadline_s
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    finished = file.read_bytes().rpartition(b"\n")[0]
    assert 3 <= finished.count(b"\n") < 100
    results = []
    for out in (file, tmp_path / "whole.jsonl"):
        output = subprocess.run([*command, str(out), "--jobs", "2"], check=True, capture_output=True).stdout
        result = msgspec.json.decode(output, type=dict[str, object])
        del result["matches_per_s"]
        standings = msgspec.convert(result.pop("standings"), list[dict[str, object]])
        results.append(
            (result, [{k: v for k, v in standing.items() if not k.endswith("_ms")} for standing in standings])
        )
    assert results[0] == results[1]
    assert file.read_bytes().startswith(finished)


def parallel_without_times(deals: list[DealResult]) -> list[DealResult]:
    """Return deals by number, without what differs from run to run."""
    ordered = sorted(deals, key=lambda deal: deal.number)
    return [msgspec.structs.replace(deal, seconds=0.0, times=()) for deal in ordered]


def test_any_number_of_processes_plays_the_same() -> None:
    deals = list(play_deals(ARENA, range(9)))
    assert parallel_without_times(list(play_deals(ARENA, range(9), jobs=2))) == parallel_without_times(deals)


def play_deals_of(arena: Arena, count: int) -> list[DealResult]:
    """Play the first deals of an arena."""
    return [play_deal(arena, number) for number in range(count)]


def test_bots_that_play_alike_are_exactly_even_in_duplicate() -> None:
    arena = make_arena(PERUDO, ["inference", "inference:0.4"], seed=2, duplicate=True)
    summary = summarize(arena, play_deals_of(arena, 12))
    for standing in summary.standings:
        assert standing.win_share == 0.5
        assert standing.win_share_95 == (0.5, 0.5)
        assert standing.mean_place == 1.5


def test_intervals_contain_the_true_share_about_19_times_in_20() -> None:
    generator = np.random.default_rng(3)
    hits = 0
    for _ in range(100):
        is_lucky = generator.random((80, 1)) < 0.5  # half of the deals favour the first bot in every seat
        wins = generator.binomial(4, np.where(is_lucky, 0.9, 0.3)).astype(float)
        low, high = win_share_intervals(np.hstack([wins, 4 - wins]), np.full((80, 2), 4.0))[0]
        hits += low <= 0.6 <= high
    assert 88 <= hits <= 99


def test_the_interval_of_a_bot_that_won_all_or_nothing_is_wilsons() -> None:
    wins = np.array([[2.0, 0.0, 0.0]] * 20)
    first, second, third = win_share_intervals(wins, np.array([[2.0, 2.0, 0.0]] * 20))
    assert first[0] < 0.9
    assert first[1] == 1
    assert second[1] > 0.1
    assert third == (0, 1)


def test_faults_are_counted_for_their_bot_and_described(monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent:
        def act(self, _: object) -> None:
            return None

    monkeypatch.setattr(
        "liarsdice_lab.tournaments.arena.load_bot",
        lambda spec, seed=None: Silent() if spec == "greedy" else make_bot(spec, seed),
    )
    arena = make_arena(PERUDO, ["inference", "greedy"], seed=1, duplicate=True)
    summary = summarize(arena, play_deals_of(arena, 3))
    assert summary.standings[0].faults == 0
    assert summary.standings[1].faults >= 3 * 2 * 5
    assert summary.standings[1].win_share == 0
    assert len(summary.warnings) == 9
    assert "deal 1, match 1: fault of greedy in round 1: it gave no answer on its turn" in summary.warnings[0]


def test_every_decision_is_timed() -> None:
    arena = make_arena(PERUDO, ["random", "threshold"], seed=1)
    summary = summarize(arena, play_deals_of(arena, 4))
    for standing in summary.standings:
        assert standing.decisions > 10
        assert standing.median_ms is not None
        assert standing.p99_ms is not None
        assert 0 < standing.median_ms <= standing.p99_ms


def test_the_function_plays_what_the_command_plays_and_shows_it_in_a_frame_and_a_picture() -> None:
    result = arena(
        "perudo", ["threshold"], opponents=["greedy", "random"], matches=10, seed=4, duplicate=True, adjusted=True
    )
    opponents = ["greedy", "random"]
    settings = make_arena(PERUDO, ["threshold"], opponents=opponents, seed=4, duplicate=True, adjusted=True)
    played = [without_times(deal) for deal in play_deals(settings, range(4))]
    assert [without_times(deal) for deal in result.deals] == sorted(played, key=lambda deal: deal.number)
    assert repr(result).startswith("ArenaResult(Perudo, 3 seats, 12 matches: threshold ")
    frame = result.to_dataframe()
    assert list(frame.index) == ["threshold", "greedy", "random"]
    summary = result.summary.standings[0]
    row = frame.loc["threshold"]
    assert (row.wins, row.low, row.high, row.place_3) == (summary.wins, *summary.win_share_95, summary.place_shares[2])
    assert summary.adjusted is not None
    assert row.adjusted_share == summary.adjusted.share
    axes = result.plot()
    assert [label.get_text() for label in axes.get_yticklabels()] == ["random", "greedy", "threshold"]
    assert result.plot(axes) is axes


def test_the_function_says_what_it_cannot_play() -> None:
    with pytest.raises(MalformedError, match="1 to 10,000,000 matches, not 0"):
        arena("perudo", ["random", "greedy"], matches=0)
    with pytest.raises(MalformedError, match="one process or more, not 0"):
        arena("perudo", ["random", "greedy"], jobs=0)
