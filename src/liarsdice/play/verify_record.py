"""Verification of whole match records from a server: every byte, every die, and that no seed was used twice."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import RecordError
from liarsdice.core.records.record import Fairness, read_record, signature_line
from liarsdice.play.provable_dice import DiceCheck, verify_dice

KEY_BYTES = 32


class RecordSigner:
    """Signs records with the keys of a server.

    `public_keys`: the keys in hexadecimal that verify what it signs, the present one first. A retired key still signs
    the records of matches that began under it.
    """

    def __init__(self, secret: bytes, retired: Sequence[bytes] = ()) -> None:
        """Make the signer whose private keys are these, of `KEY_BYTES` bytes.

        Raises `ValueError` for another length.
        """
        private_keys = [Ed25519PrivateKey.from_private_bytes(key) for key in (secret, *retired)]
        self._private_keys = {key.public_key().public_bytes_raw().hex(): key for key in private_keys}
        self.public_keys = tuple(self._private_keys)

    @property
    def public_key(self) -> str:
        """The present key."""
        return self.public_keys[0]

    def sign(self, content: bytes, public_key: str = "") -> str:
        """Return the signature of some bytes. `public_key`: one of `public_keys`, by default the present one."""
        return self._private_keys[public_key or self.public_key].sign(content).hex()


def is_signed_by(public_key: str, signature: str, content: bytes) -> bool:
    """Return whether a signature is that of these bytes by this key.

    Keys and signatures in another form than lower-case hexadecimal are none.
    """
    try:
        key, proof = bytes.fromhex(public_key), bytes.fromhex(signature)
        Ed25519PublicKey.from_public_bytes(key).verify(proof, content)
    except (InvalidSignature, ValueError):
        return False
    return (key.hex(), proof.hex()) == (public_key, signature)


class RecordCheck(msgspec.Struct, frozen=True):
    """What was verified of a record: its `fairness` line and its `dice`.

    `withheld`: the seats whose players promised a seed and did not reveal it in time. `unpromised`: the seats without a
    commitment, as those of bots.
    """

    fairness: Fairness
    dice: DiceCheck
    withheld: tuple[int, ...]
    unpromised: tuple[int, ...]


def verify_record(
    content: bytes, *, keys: Collection[str] = (), promise: str = "", commitment: str = ""
) -> RecordCheck:
    """Verify the bytes of a record and return what was verified.

    `keys`, `promise`, `commitment`: the public keys of the server, the promise of the match and the commitment of one
    of its players, if they are known from elsewhere. Raises `RecordError` if the match is unfinished, if any byte is
    not as the server wrote it, if none of the keys signs it, if the promise differs, if the seed that belongs to the
    commitment is not in the dice, or as `verify_dice`.
    """
    record = read_record(content)
    fairness = record.fairness
    if fairness is None:
        raise RecordError("the record has no seeds to check its dice by (only matches played on a server have them)")
    if record.state.phase is not Phase.OVER:
        raise RecordError("the match is not finished in this record, so the end is missing or was cut off")
    _check_signature(content, record.signature, fairness.key)
    dice = verify_dice(record)
    if dice.dice == 0:
        raise RecordError("the record contains no die that could be verified")
    if keys and fairness.key not in {key.lower() for key in keys}:
        raise RecordError(f"the record is signed by another key than {', '.join(keys)}: {fairness.key}")
    if promise and promise.lower() != dice.promise:
        raise RecordError(f"the promise of the match was {dice.promise}, not {promise}")
    if commitment:
        _check_included(fairness, commitment.lower())
    withheld = tuple(
        seat
        for seat, (commitment, seed) in enumerate(zip(fairness.commitments, fairness.seeds, strict=True))
        if commitment and not seed
    )
    unpromised = tuple(seat for seat, promised in enumerate(fairness.commitments) if not promised)
    return RecordCheck(fairness, dice, withheld, unpromised)


def check_reuse(checks: Sequence[RecordCheck]) -> None:
    """Raise `RecordError` if two records share a seed or a commitment, the server's or a player's."""
    used: dict[str, str] = {}
    for check in checks:
        fairness = check.fairness
        name = f"match {fairness.number} of table {fairness.code}"
        for value in {fairness.server_seed, fairness.commitment, *fairness.seeds, *fairness.commitments} - {""}:
            if value in used:
                raise RecordError(f"{used[value]} and {name} use the same seed: {value}")
            used[value] = name


def _check_included(fairness: Fairness, commitment: str) -> None:
    """Raise `RecordError` unless the seed that belongs to a commitment is in the dice."""
    if commitment not in fairness.commitments:
        raise RecordError(f"the server left the commitment {commitment} out of the match, so it could choose the dice")
    if not fairness.seeds[fairness.commitments.index(commitment)]:
        raise RecordError(f"the seed of the commitment {commitment} is not in the dice: it did not come in time")


def _check_signature(content: bytes, signature: str, key: str) -> None:
    """Raise `RecordError` unless the last line of a record is the signature of all bytes before it."""
    if not signature:
        raise RecordError("the signature at the end of the record is missing, so the record may have been cut off")
    last_line = signature_line(signature).encode()
    if not content.endswith(last_line) or not is_signed_by(key, signature, content[: -len(last_line)]):
        raise RecordError("the signature does not belong to this record: something in it was changed")
