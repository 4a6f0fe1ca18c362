"""Signatures belong to one key and one content."""

import pytest

from liarsdice.play.verify_record import KEY_BYTES, RecordSigner, is_signed_by


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
