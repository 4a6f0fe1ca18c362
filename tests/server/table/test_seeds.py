"""Seeds for the dice: players commit to them before a match and reveal them when it has begun, once each."""

import pytest

from liarsdice.core.actions import Challenge
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.rules.bids import Bid
from liarsdice.play.provable_dice import commitment_to
from liarsdice.play.verify_record import check_reuse, verify_record
from liarsdice.server.errors import StaleError
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.protocol.views import public_table
from liarsdice.server.table import commands as c
from liarsdice.server.table.deadlines import SEEDS_ALONE_MS, SEEDS_MS
from liarsdice.server.table.table_state import TableState
from liarsdice.wire import Stage
from tests.server.live_tables import (
    RecordingSubscriber,
    fake_clock,
    is_bidding,
    log_of,
    make_config,
    make_table,
    record_in,
    token_on_turn,
    turn_id,
    wait_until,
)

ANN, BO = hash_token("Ann"), hash_token("Bo")
SEEDS = {ANN: "a1" * 32, BO: "b2" * 32}


async def table_with_commitments(registry: TableRegistry) -> LiveTable:
    """A table at which Ann and Bo have committed to their seeds."""
    live_table = await make_table(registry, "Ann", "Bo", config=make_config("openspiel", seats=3))
    for token_hash, seed in SEEDS.items():
        await registry.submit(live_table, token_hash, "commit", c.CommitSeed(commitment_to(seed)))
    return live_table


async def begin(registry: TableRegistry, live_table: LiveTable) -> TableState:
    """Begin the match; the table waits for the seeds."""
    await registry.submit(live_table, ANN, "begin", c.Begin())
    return await live_table.state()


async def reveal(registry: TableRegistry, live_table: LiveTable, *token_hashes: str) -> None:
    for token_hash in token_hashes:
        await registry.submit(live_table, token_hash, "reveal", c.RevealSeed(SEEDS[token_hash]))


async def play(registry: TableRegistry, live_table: LiveTable) -> None:
    """Play the match to its end."""
    while (table := await live_table.state()).stage is Stage.PLAYING:
        if is_bidding(table):
            assert table.ongoing_match is not None
            move = Challenge() if table.ongoing_match.state.bids else Bid(2, 6)
            request_id = f"m{table.ongoing_match.number}-{turn_id(table)}"
            await registry.submit(live_table, token_on_turn(table), request_id, move, turn_id(table))
        else:
            for token_hash in (ANN, BO):
                await registry.submit(live_table, token_hash, f"r{table.seq}", c.Ready())
            await wait_until(live_table, lambda table: table.stage is Stage.OVER or is_bidding(table))


async def record_of(registry: TableRegistry, live_table: LiveTable, number: int) -> bytes:
    unsigned = record_in(log_of(registry, live_table.code), number)
    assert unsigned is not None
    return unsigned.signed(fake_clock(registry).signer).encode()


async def test_the_seeds_that_players_committed_to_and_revealed_make_the_dice(registry: TableRegistry) -> None:
    live_table = await table_with_commitments(registry)
    table = await begin(registry, live_table)
    promise = public_table(table, None).commitment
    await reveal(registry, live_table, ANN, BO)
    await play(registry, live_table)
    key = fake_clock(registry).signer.public_key
    check = verify_record(await record_of(registry, live_table, 1), keys=[key], promise=promise)
    assert check.fairness.seeds == tuple(SEEDS.values())


async def test_the_dealer_waits_for_the_seeds_and_no_longer_than_five_seconds(registry: TableRegistry) -> None:
    live_table = await table_with_commitments(registry)
    await begin(registry, live_table)
    await reveal(registry, live_table, BO)
    assert live_table.left_ms() == SEEDS_MS
    fake_clock(registry).time_ms += SEEDS_MS
    await live_table.refresh()
    await wait_until(live_table, is_bidding)
    with pytest.raises(StaleError, match="too late"):
        await reveal(registry, live_table, ANN)
    await play(registry, live_table)
    assert verify_record(await record_of(registry, live_table, 1)).withheld == (0,)


async def test_the_dealer_waits_longer_for_the_page_of_a_player_alone_with_bots(registry: TableRegistry) -> None:
    live_table = await make_table(registry, "Ann", config=make_config("openspiel", seats=2))
    await registry.submit(live_table, ANN, "bot", c.AddBot("random"))
    await registry.submit(live_table, ANN, "commit", c.CommitSeed(commitment_to(SEEDS[ANN])))
    await begin(registry, live_table)
    assert live_table.left_ms() == SEEDS_ALONE_MS
    fake_clock(registry).time_ms += 2 * SEEDS_MS
    await reveal(registry, live_table, ANN)
    await wait_until(live_table, is_bidding)


async def test_nobody_waits_longer_for_the_seed_of_a_person_who_left(registry: TableRegistry) -> None:
    live_table = await table_with_commitments(registry)
    await begin(registry, live_table)
    await registry.submit(live_table, BO, "leave", c.Leave())
    await reveal(registry, live_table, ANN)
    left_ms = live_table.left_ms()
    assert left_ms is not None
    assert left_ms <= SEEDS_MS


async def test_everybody_sees_all_commitments_before_any_seed_is_revealed_and_nobody_sees_the_seeds(
    registry: TableRegistry,
) -> None:
    live_table = await table_with_commitments(registry)
    spectator = RecordingSubscriber("")
    await live_table.state()
    live_table.subscribe(spectator)
    match = public_table(await begin(registry, live_table), None).match
    assert match is not None
    assert match.seeds is not None
    assert match.seeds.commitments == tuple(map(commitment_to, SEEDS.values()))
    assert match.seeds.revealed == ()
    await reveal(registry, live_table, BO)
    match = public_table(await live_table.state(), None).match
    assert match is not None
    assert match.seeds is not None
    assert match.seeds.revealed == (1,)
    await reveal(registry, live_table, ANN)
    match = public_table(await wait_until(live_table, is_bidding), None).match
    assert match is not None
    assert match.seeds is None
    sent = b"".join(spectator.frames).decode()
    assert commitment_to(SEEDS[ANN]) in sent
    assert not any(seed in sent for seed in SEEDS.values())


async def test_a_rematch_that_begins_before_new_seeds_came_uses_no_seed_again(registry: TableRegistry) -> None:
    live_table = await table_with_commitments(registry)
    await begin(registry, live_table)
    await reveal(registry, live_table, ANN, BO)
    await play(registry, live_table)
    for token_hash in (ANN, BO):
        await registry.submit(live_table, token_hash, "again", c.Begin())
    await wait_until(live_table, is_bidding)
    await play(registry, live_table)
    checks = [verify_record(await record_of(registry, live_table, number)) for number in (1, 2)]
    assert checks[1].fairness.seeds == ("", "")
    check_reuse(checks)


async def test_players_commit_to_the_seeds_of_a_rematch_during_the_match(registry: TableRegistry) -> None:
    live_table = await table_with_commitments(registry)
    await begin(registry, live_table)
    await reveal(registry, live_table, ANN, BO)
    await registry.submit(live_table, ANN, "next", c.CommitSeed(commitment_to("c3" * 32)))
    assert [player.committed for player in public_table(await live_table.state(), None).players] == [True, False]
    await play(registry, live_table)
    for token_hash in (ANN, BO):
        await registry.submit(live_table, token_hash, "again", c.Begin())
    await registry.submit(live_table, ANN, "open", c.RevealSeed("c3" * 32))
    await wait_until(live_table, is_bidding)
    await play(registry, live_table)
    assert verify_record(await record_of(registry, live_table, 2)).fairness.seeds == ("c3" * 32, "")


async def test_a_commitment_is_used_once(registry: TableRegistry) -> None:
    live_table = await table_with_commitments(registry)
    servers = public_table(await live_table.state(), None).commitment
    for number, commitment in enumerate((commitment_to(SEEDS[BO]), servers)):
        with pytest.raises(IllegalActionError, match="used already"):
            await registry.submit(live_table, ANN, f"again{number}", c.CommitSeed(commitment))
        with pytest.raises(IllegalActionError, match="used already"):
            await registry.take_seat(live_table, "Cy", hash_token("Cy"), commitment, f"sit{number}")
    seq = (await live_table.state()).seq
    assert await registry.submit(live_table, ANN, "same", c.CommitSeed(commitment_to(SEEDS[ANN]))) == seq
    await begin(registry, live_table)
    with pytest.raises(IllegalActionError, match="used already"):
        await registry.submit(live_table, ANN, "old", c.CommitSeed(commitment_to(SEEDS[ANN])))


async def test_the_first_commitment_of_a_player_counts(registry: TableRegistry) -> None:
    live_table = await table_with_commitments(registry)
    with pytest.raises(IllegalActionError, match="committed to a seed for the next match already"):
        await registry.submit(live_table, ANN, "second", c.CommitSeed(commitment_to("c3" * 32)))
    match = public_table(await begin(registry, live_table), None).match
    assert match is not None
    assert match.seeds is not None
    assert match.seeds.commitments[0] == commitment_to(SEEDS[ANN])


async def test_only_the_seed_that_a_player_committed_to_can_be_revealed(registry: TableRegistry) -> None:
    live_table = await table_with_commitments(registry)
    with pytest.raises(IllegalActionError, match="no match is on"):
        await reveal(registry, live_table, ANN)
    await begin(registry, live_table)
    with pytest.raises(IllegalActionError, match="not the seed that you committed to"):
        await registry.submit(live_table, ANN, "x", c.RevealSeed(SEEDS[BO]))
    await reveal(registry, live_table, ANN)
    seq = (await live_table.state()).seq
    assert await registry.submit(live_table, ANN, "again", c.RevealSeed(SEEDS[ANN])) == seq


@pytest.mark.parametrize("seed", ["", "a" * 31, "a" * 65, "a b" * 11, "é" * 32])
async def test_a_seed_is_long_enough_and_of_letters_and_digits(registry: TableRegistry, seed: str) -> None:
    live_table = await make_table(registry, "Ann", "Bo")
    with pytest.raises(MalformedError, match="letters and digits"):
        await registry.submit(live_table, ANN, "s", c.RevealSeed(seed))
    with pytest.raises(MalformedError, match="64 digits"):
        await registry.submit(live_table, ANN, "c", c.CommitSeed(seed or "A" * 64))
