"""Random changes of the text of a record, from single bits to whole lines and single fields."""

import json
import random
from collections.abc import Callable


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
