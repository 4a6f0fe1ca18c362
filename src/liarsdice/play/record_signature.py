"""Signatures of match records: Ed25519 over the bytes of the record, keys and signatures in hexadecimal."""

from __future__ import annotations

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

KEY_BYTES = 32


class RecordSigner:
    """Signs records with the key of a server. `public_key` verifies what it signed."""

    def __init__(self, secret: bytes) -> None:
        """Make the signer whose private key is `secret`, `KEY_BYTES` bytes. Raises `ValueError` for another length."""
        self._private_key = Ed25519PrivateKey.from_private_bytes(secret)
        self.public_key = self._private_key.public_key().public_bytes_raw().hex()

    def sign(self, content: bytes) -> str:
        """Return the signature of some bytes."""
        return self._private_key.sign(content).hex()


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
