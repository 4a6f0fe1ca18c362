"""The base of the field groups of a ruleset."""

import msgspec
from msgspec import UNSET


class FieldGroup(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, repr_omit_defaults=True):
    """Base of the field groups: immutable, comparable, strict about unknown fields."""


def unset_empty(group: msgspec.Struct, name: str) -> None:
    """Set a field that holds None or an empty list to `UNSET`, so that rules with one meaning are equal."""
    if getattr(group, name) in (None, ()):
        msgspec.structs.force_setattr(group, name, UNSET)
