"""The folder of an evaluation, so that a run can continue: its settings, and a folder of deals for each opponent.

::

    evaluation.json                  the settings, without the API key
    regular/deals.jsonl              the results of the finished deals
    regular/0001-2.transcript.jsonl  what the model read and answered in the second match of the first deal
    regular/0001-2.record.jsonl      the record of that match
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from liarsdice.analysis.arena import ArenaFile, differences, name_differences
from liarsdice.analysis.model_evaluation.evaluation import Evaluation, folder_name
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.runtime.atomic_files import write_atomically
from liarsdice.version import __version__

SETTINGS_FILE = "evaluation.json"
DEALS_FILE = "deals.jsonl"


def open_folder(folder: Path, evaluation: Evaluation) -> None:
    """Make the folder of an evaluation, or check that it belongs to the same one; opponents may be added later.

    Raises `UnavailableError` if it belongs to another evaluation or cannot be written, and `MalformedError` if its
    settings cannot be read.
    """
    settings = _settings(evaluation)
    path = folder / SETTINGS_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        known = msgspec.json.decode(path.read_bytes()) if path.exists() else None
    except OSError as error:
        raise UnavailableError(f"cannot keep an evaluation in {folder}: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise MalformedError(f"{path} has no settings of an evaluation: {error}") from error
    if known is None:
        write_atomically(path, msgspec.json.format(msgspec.json.encode(settings)) + b"\n")
        return
    different = [*differences("", known, settings)]
    if different:
        named = name_differences(different)
        raise UnavailableError(f"{folder} belongs to another evaluation: {named} (name another folder)")


def open_deals(folder: Path, evaluation: Evaluation, opponent: str) -> ArenaFile:
    """Open the file of the deals against an opponent, for use in a `with` block.

    Raises `UnavailableError` and `MalformedError` as `ArenaFile`.
    """
    opponent_folder = folder / folder_name(opponent)
    try:
        opponent_folder.mkdir(exist_ok=True)
    except OSError as error:
        raise UnavailableError(f"cannot keep deals in {opponent_folder}: {error.strerror}") from error
    return ArenaFile(opponent_folder / DEALS_FILE, evaluation.arena(opponent), __version__)


def _settings(evaluation: Evaluation) -> dict[str, Any]:
    """Return what the results depend on, as JSON: not the opponents, and not where the API key is."""
    settings = msgspec.json.decode(msgspec.json.encode(evaluation), type=dict[str, Any])  # as it is read back
    del settings["opponents"], settings["model"]["key_variable"]
    return settings | {"engine": __version__}
