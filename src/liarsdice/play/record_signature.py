"""Signatures of match records: Ed25519 over the bytes of the record, keys and signatures in hexadecimal."""

from __future__ import annotations

from collections.abc import Sequence

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

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
