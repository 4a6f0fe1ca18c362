"""Provable dice: verification accepts what a server wrote, and nothing that was changed by a byte."""

import json
import random
import re
from collections.abc import Callable
from functools import lru_cache

import pytest
from msgspec.structs import replace

from liarsdice.core.errors import IllegalActionError, LiarsDiceError, RecordError
from liarsdice.core.records.record import Fairness, read_record, write_record
from liarsdice.core.rules.presets import preset
from liarsdice.play.match import Dealer, Match
from liarsdice.play.provable_dice import HmacSource, commitment_to, verify_dice
from liarsdice.play.verify_record import KEY_BYTES, RecordSigner, check_reuse, is_signed_by, verify_record
from liarsdice.version import __version__
from tests.play.provable_matches import (
    ANNS_SEED,
    BOS_SEED,
    FAIRNESS,
    SEED,
    SIGNER,
    promise_of,
    provable_record,
    resigned,
    signed,
)


def mutate(record: bytes, rng: random.Random) -> bytes:
    """Return a record that differs from this one."""
    while True:
        changed = rng.choice(MUTATIONS)(record, rng)
        if changed != record:
            return changed


def _flip_bit(record: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(record))
    return record[:place] + bytes([record[place] ^ 1 << rng.randrange(8)]) + record[place + 1 :]


def _replace_character(record: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(record))
    return record[:place] + rng.choice(b'0123456789abcdefABCDEF"{}[],:. \n').to_bytes() + record[place + 1 :]


def _delete_bytes(record: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(record))
    return record[:place] + record[place + rng.randint(1, 8) :]


def _insert_bytes(record: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(record) + 1)
    return record[:place] + rng.choice((b" ", b"\n", b"\r", b"0", b'""', b"\xef\xbb\xbf")) + record[place:]


def _cut_off(record: bytes, rng: random.Random) -> bytes:
    return record[: rng.randrange(len(record))]


def _cut_off_lines(record: bytes, rng: random.Random) -> bytes:
    lines = record.splitlines(keepends=True)
    return b"".join(lines[: rng.randrange(len(lines))])


def _remove_line(record: bytes, rng: random.Random) -> bytes:
    lines = record.splitlines(keepends=True)
    del lines[rng.randrange(len(lines))]
    return b"".join(lines)


def _repeat_line(record: bytes, rng: random.Random) -> bytes:
    lines = record.splitlines(keepends=True)
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))
    return b"".join(lines)


def _swap_lines(record: bytes, rng: random.Random) -> bytes:
    lines = record.splitlines(keepends=True)
    first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]
    return b"".join(lines)


def _rewrite_line(record: bytes, rng: random.Random) -> bytes:
    """Write a line as other JSON with the same meaning: with spaces, in another order, or with escapes."""
    lines = record.splitlines()
    place = rng.randrange(len(lines))
    fields = json.loads(lines[place])
    match rng.randrange(3):
        case 0:
            lines[place] = json.dumps(fields).encode()
        case 1:
            lines[place] = _encode(dict(reversed(fields.items())))
        case _:
            lines[place] = lines[place].replace(b"a", b"\\u0061", 1)
    return b"\n".join(lines) + b"\n"


def _edit_field(record: bytes, rng: random.Random) -> bytes:
    """Change one value anywhere in a line to another one of its kind."""
    lines = record.splitlines()
    place = rng.randrange(len(lines))
    fields = json.loads(lines[place])
    values: list[tuple[dict[str, object] | list[object], str | int]] = []
    _collect(fields, values)
    holder, key = rng.choice(values)
    value = holder[key]  # type: ignore[index]  # the key is one of this holder
    holder[key] = _other(value, rng)  # type: ignore[index]  # as above
    lines[place] = _encode(fields)
    return b"\n".join(lines) + b"\n"


def _collect(value: object, values: list[tuple[dict[str, object] | list[object], str | int]]) -> None:
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            values.append((value, key))
            _collect(part, values)


def _other(value: object, rng: random.Random) -> object:
    match value:
        case bool():
            return not value
        case int():
            return value + rng.choice((-1, 1))
        case str():
            return rng.choice((value + "x", value[1:], value.upper(), value[::-1]))
        case list() | dict():
            return type(value)()
        case _:
            return 1


def _encode(fields: object) -> bytes:
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=False).encode()


Mutation = Callable[[bytes, random.Random], bytes]
MUTATIONS: tuple[Mutation, ...] = (
    _flip_bit,
    _replace_character,
    _delete_bytes,
    _insert_bytes,
    _cut_off,
    _cut_off_lines,
    _remove_line,
    _repeat_line,
    _swap_lines,
    _rewrite_line,
    _edit_field,
    _edit_field,
    _edit_field,
)


MUTATION_COUNT = 1000


@lru_cache
def record_of(fairness: Fairness = FAIRNESS) -> bytes:
    return provable_record("perudo", fairness).encode()


def test_a_whole_record_is_verified_with_the_key_and_the_promise() -> None:
    check = verify_record(record_of(), keys=[SIGNER.public_key], promise=promise_of("perudo"))
    assert check.dice.dice > 15
    assert check.withheld == ()


def test_none_of_a_thousand_random_changes_of_a_record_is_accepted() -> None:
    rng, accepted = random.Random(7), []
    for _ in range(MUTATION_COUNT):
        changed = mutate(record_of(), rng)
        try:
            verify_record(changed)
        except LiarsDiceError:
            continue
        accepted.append(changed)
    assert accepted == []


@pytest.mark.parametrize(
    "old, new",
    [
        ('"Ann"', '"Eve"'),
        ('"engine":"', '"engine":"1'),
        ('"code":"K7P4"', '"code":"K7P5"'),
        ('"number":1,"commitment"', '"number":2,"commitment"'),
        (commitment_to(BOS_SEED), commitment_to("other")),
        (BOS_SEED, ""),
    ],
)
def test_what_was_promised_is_found_changed_even_under_a_new_signature(old: str, new: str) -> None:
    text = record_of().decode().replace(old, new)
    assert text != record_of().decode()
    with pytest.raises(RecordError):
        verify_record(resigned(text).encode())


def test_an_unfinished_record_is_not_verified() -> None:
    lines = record_of().decode().splitlines(keepends=True)
    dealt = next(place for place, line in enumerate(lines) if '"dealt"' in line)
    for end in (3, dealt + 1):
        with pytest.raises(RecordError, match="not finished"):
            verify_record(signed("".join(lines[:end])).encode())


def test_a_record_without_its_signature_is_not_verified() -> None:
    lines = record_of().splitlines(keepends=True)
    with pytest.raises(RecordError, match="signature at the end of the record is missing"):
        verify_record(b"".join(lines[:-1]))


def test_another_key_or_promise_than_the_known_one_is_found() -> None:
    with pytest.raises(RecordError, match="another key"):
        verify_record(record_of(), keys=[RecordSigner(bytes(KEY_BYTES)).public_key])
    with pytest.raises(RecordError, match="the promise of the match was"):
        verify_record(record_of(), promise="0" * 64)


def test_a_player_who_withheld_the_promised_seed_is_named() -> None:
    check = verify_record(record_of(replace(FAIRNESS, seeds=(ANNS_SEED, "", ""))))
    assert check.withheld == (1,)


@pytest.mark.parametrize(
    "seeds, commitments",
    [
        ((ANNS_SEED, ANNS_SEED, ""), (commitment_to(ANNS_SEED), commitment_to(ANNS_SEED), "")),
        ((SEED, "", ""), (commitment_to(SEED), "", "")),
        (("", "", ""), (commitment_to(ANNS_SEED), commitment_to(ANNS_SEED), "")),
        ((ANNS_SEED, BOS_SEED, ""), (commitment_to(ANNS_SEED), "", "")),
        ((ANNS_SEED, "", ""), (commitment_to(ANNS_SEED), "")),
    ],
)
def test_seeds_that_were_used_twice_or_not_promised_are_found(
    seeds: tuple[str, ...], commitments: tuple[str, ...]
) -> None:
    with pytest.raises(RecordError, match=r"seed|commitment"):
        verify_record(record_of(replace(FAIRNESS, seeds=seeds, commitments=commitments)))


def test_a_seed_that_was_used_in_two_matches_is_found() -> None:
    other = "5eee" * 16
    rematch = replace(FAIRNESS, number=2, server_seed=other, commitment=commitment_to(other))
    checks = [verify_record(record_of()), verify_record(record_of(rematch))]
    with pytest.raises(RecordError, match="match 1 of table K7P4 and match 2 of table K7P4 use the same seed"):
        check_reuse(checks)
    check_reuse(checks[:1])


def test_a_signature_is_good_for_its_key_and_content_alone() -> None:
    signer, other = RecordSigner(bytes(KEY_BYTES)), RecordSigner(bytes([1] * KEY_BYTES))
    signature = signer.sign(b"record")
    assert is_signed_by(signer.public_key, signature, b"record")
    assert not is_signed_by(signer.public_key, signature, b"Record")
    assert not is_signed_by(other.public_key, signature, b"record")


@pytest.mark.parametrize("malformed", ["", "00", "xyz", "é", "0" * 129])
def test_malformed_keys_and_signatures_are_refused(malformed: str) -> None:
    signer = RecordSigner(bytes(KEY_BYTES))
    assert not is_signed_by(malformed, signer.sign(b"record"), b"record")
    assert not is_signed_by(signer.public_key, malformed, b"record")


def test_the_signature_is_that_of_the_standard() -> None:
    """The first test vector of RFC 8032, section 7.1."""
    signer = RecordSigner(bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"))
    assert signer.public_key == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    assert signer.sign(b"").startswith("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155")


def test_a_retired_key_signs_what_began_under_it() -> None:
    old, signer = RecordSigner(bytes(KEY_BYTES)), RecordSigner(bytes([1] * KEY_BYTES), [bytes(KEY_BYTES)])
    assert signer.public_keys == (signer.public_key, old.public_key)
    assert is_signed_by(old.public_key, signer.sign(b"record", old.public_key), b"record")
    assert is_signed_by(signer.public_key, signer.sign(b"record"), b"record")


@pytest.mark.parametrize(
    "rules",
    [
        "perudo",
        "mustache",
        "official",
        "basic",
        "snyd-stairs",
        "chui-niu+reroll-different",
        "chui-niu+lives+reroll-straights",
        "bluff+show-dice",
        "basic+mixed-dice",
        "chui-niu+counter-pi",
    ],
)
def test_every_die_of_a_match_follows_from_its_seeds(rules: str) -> None:
    check = verify_dice(read_record(provable_record(rules)))
    assert check.rounds > 1
    assert check.dice > 15


def test_numbers_are_uniform_where_their_count_does_not_divide_256() -> None:
    numbers = HmacSource(FAIRNESS, "").draw_integers("spread", 6, 60_000)
    assert set(numbers) == set(range(6))
    assert all(abs(numbers.count(number) - 10_000) < 500 for number in range(6))


def test_a_server_seed_that_does_not_match_the_commitment_is_found() -> None:
    with pytest.raises(RecordError, match="not the one that it promised"):
        verify_dice(read_record(provable_record("perudo").replace(SEED, "beef" * 16)))


def test_a_players_seed_changes_the_dice_and_its_change_is_found() -> None:
    other_seed = provable_record("perudo").replace(ANNS_SEED, "a2" * 32)
    other_promise = other_seed.replace(commitment_to(ANNS_SEED), commitment_to("a2" * 32))
    with pytest.raises(RecordError, match="the seeds give"):
        verify_dice(read_record(other_promise))
    with pytest.raises(RecordError, match="seat 1 is not the one that its player promised"):
        verify_dice(read_record(other_seed))


def test_dice_of_an_unknown_protocol_are_not_verified() -> None:
    with pytest.raises(RecordError, match="protocol 2; this program checks 1"):
        verify_dice(read_record(provable_record("perudo").replace('"protocol":1', '"protocol":2')))


def test_a_changed_die_is_found() -> None:
    lines = provable_record("official").splitlines()
    place = next(number for number, line in enumerate(lines) if '"starter_rolled"' in line)
    rolled = re.search(r"\[\[(\d)", lines[place])
    assert rolled is not None
    other = int(rolled[1]) - 1 or 2
    lines[place] = lines[place].replace(f"[[{rolled[1]}", f"[[{other}", 1)
    with pytest.raises(RecordError):
        verify_dice(read_record("\n".join(lines)))


def test_a_record_without_seeds_cannot_be_verified() -> None:
    text = "\n".join(line for line in provable_record("basic").splitlines() if "liarsdice_fairness" not in line)
    with pytest.raises(RecordError, match="no seeds"):
        verify_dice(read_record(text))


def test_a_player_may_have_the_name_of_a_line_of_the_record() -> None:
    match = Match(preset("basic").ruleset, ("liarsdice_fairness", "Bo"), Dealer(1))
    assert read_record(write_record(match.events, __version__)).fairness is None


@pytest.mark.parametrize("below", [0, 257])
def test_a_range_larger_than_a_byte_is_refused(below: int) -> None:
    with pytest.raises(IllegalActionError, match="not below"):
        HmacSource(FAIRNESS, "").draw_integers("many", below, 1)
