"""What functions of this package read from, and plugins: a `str` (or `bytes`) is the content, a `Path` is a file.

Every reader of this package follows this rule: `from_toml`, `from_json`, `read_record`, `read_cases`. Only `find_rules`
looks names up: its `str` is the name of a preset or of a file.
"""

import re
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from liarsdice.core.errors import MalformedError, UnavailableError

Source = str | bytes | Path
"""Content, or the path of the file that holds it."""


BYTE_ORDER_MARK = "\ufeff"
_MARKS_OF_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_MARKS_OF_LINES = re.compile(rb"^(?:\xef\xbb\xbf)+", re.MULTILINE)
FILE_NAME = re.compile(r"[^\n={}\[\]]+\.(toml|json|jsonl)", re.IGNORECASE)
"""A text that is a file's name rather than the content of one."""


def require_content(text: str, *, content: str) -> None:
    """Raise `MalformedError` if a `str` is the name of a file and not its content."""
    if FILE_NAME.fullmatch(text):
        raise MalformedError(f"{content} as a str is the text itself, not {text!r:.80} (wrap a file's name in Path)")


def without_marks(text: str) -> str:
    r"""Return a text without the byte-order marks at the start of its lines.

    >>> without_marks("\ufeffone\n\ufefftwo")
    'one\ntwo'
    """
    return re.sub(f"^{BYTE_ORDER_MARK}+", "", text, flags=re.MULTILINE) if BYTE_ORDER_MARK in text else text


def source_bytes(source: Source, max_bytes: int, *, content: str) -> bytes:
    """Return the content of a source, cut off after `max_bytes` + 1 bytes if it is a file.

    The caller checks the length: a file can be endless, and one byte too many is enough to refuse it. Byte-order marks
    of UTF-8 are left out, also those within, which joined files leave at the start of a line. `content` is what error
    messages call the content, such as "the record". Raises `UnavailableError` if the file cannot be read, and
    `MalformedError` if it is in UTF-16, or if a `str` has no encoding in UTF-8 or is a file's name.
    """
    if isinstance(source, str):
        require_content(source, content=content)
        try:
            return without_marks(source).encode()
        except UnicodeEncodeError as error:
            raise MalformedError(f"{content} is no text: {error.reason}") from error
    if isinstance(source, bytes):
        raw = source
    else:
        try:
            with source.open("rb") as file:
                raw = file.read(max_bytes + 1)
        except (OSError, ValueError) as error:
            raise UnavailableError(f"cannot read {source}: {getattr(error, 'strerror', None) or error}") from error
    if len(raw) > max_bytes:
        return raw
    if raw.startswith(_MARKS_OF_UTF_16) or b"\0" in raw[:4]:
        raise MalformedError(f"{_named(source, content)} is no text in UTF-8, but in UTF-16 or none (save it as UTF-8)")
    return _MARKS_OF_LINES.sub(b"", raw) if BYTE_ORDER_MARK.encode() in raw else raw


def source_text(source: Source, max_bytes: int, *, content: str) -> str:
    """Return the content of a source as text; a file is cut off as in `source_bytes`.

    Raises `UnavailableError` if the file cannot be read, and `MalformedError` if it holds no UTF-8, or a `str` is
    a file's name.
    """
    if isinstance(source, str):
        require_content(source, content=content)
        return without_marks(source)
    raw = source_bytes(source, max_bytes, content=content)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        named = _named(source, content)
        raise MalformedError(f"{named} is no text in UTF-8: {error.reason} (save it as UTF-8)") from error


def _named(source: Source, content: str) -> object:
    return source if isinstance(source, Path) else content


PLUGIN = "plugin:"
BOT_GROUP, PRESET_GROUP, COMMAND_GROUP = "liarsdice.bots", "liarsdice.presets", "liarsdice.commands"


def plugins(group: str) -> dict[str, str]:
    """Return the packages that entry points of a group belong to, with their versions, by the name of the plugin."""
    return {PLUGIN + point.name: _package(point) for point in sorted(entry_points(group=group), key=_name)}


def load_plugin(group: str, spec: str) -> Any:  # noqa: ANN401  what a package offers has any type
    """Return what the entry point with a name such as `plugin:stubborn` stands for.

    Raises `UnavailableError` if no installed package has one, or if it cannot be loaded.
    """
    points = entry_points(group=group, name=spec.removeprefix(PLUGIN))
    if not points:
        known = ", ".join(plugins(group)) or "none"
        raise UnavailableError(f"no installed package has {spec} for the group {group} (installed: {known})")
    point = next(iter(points))
    try:
        return point.load()
    except (Exception, SystemExit) as error:
        raise UnavailableError(f"cannot load {spec} of {_package(point)}: {type(error).__name__}: {error}") from error


def _name(point: EntryPoint) -> str:
    return point.name


def _package(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.module
