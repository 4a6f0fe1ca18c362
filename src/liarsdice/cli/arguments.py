"""The arguments that several commands share: server settings, numbers of dice, bids, seats and files."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from importlib import import_module
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import msgspec
import typer

from liarsdice.core import text as core_text
from liarsdice.core.errors import IllegalActionError, MalformedError, RecordError
from liarsdice.core.records.record import MAX_RECORD_BYTES, Record, read_record
from liarsdice.core.rules.bids import Bid, face_order, may_be_pure
from liarsdice.core.rules.meaning import has_face_off
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.sources import source_bytes
from liarsdice.runtime.blas_threads import use_one_thread
from liarsdice.server.settings import SETTINGS

DEFAULT_HAND_COUNT = 3


def setting_option(name: str) -> Any:  # noqa: ANN401  the type that typer.Option returns
    """Return the option of a server setting, with the setting's flag, help, default and environment variable."""
    setting = next(setting for setting in SETTINGS if setting.name == name)
    default = f" [default: {setting.default}]" if setting.default else ""
    return typer.Option(setting.flag, help=f"{setting.help}{default} [env: {setting.variable}]")


def with_setting_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command an option for each server setting, before its own. It takes them as keyword arguments."""
    signature = inspect.signature(command, eval_str=True)
    own = [parameter for parameter in signature.parameters.values() if parameter.kind is parameter.KEYWORD_ONLY]
    options = [
        inspect.Parameter(
            setting.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[str | None, setting_option(setting.name)],
        )
        for setting in SETTINGS
    ]
    command.__signature__ = signature.replace(parameters=[*options, *own])  # type: ignore[attr-defined]
    return command


def language_option(subject: str) -> Any:  # noqa: ANN401  the type that typer.Option returns
    """Return the option for the language of something, such as `the chart`; its help lists the codes of languages."""
    codes = sorted(path.stem for path in (Path(core_text.__file__).parent / "sentences").glob("*.json"))
    return typer.Option("--language", metavar="CODE", help=f"The language of {subject}: {' or '.join(codes)}.")


def add_command(
    app: typer.Typer, name: str | None, options: type[msgspec.Struct], target: str, *, one_thread: bool = False
) -> None:
    """Add a command with the fields of a struct as its options and the struct's docstring as its help.

    `name`: None for what the app does without the name of a command. `target`: a module and its function, such as
    `liarsdice.cli.play.command:run`, which is imported when the command runs, and returns the exit status for the
    options. `one_thread`: as `use_one_thread`.
    """
    hints = get_type_hints(options, include_extras=True)

    def run(context: typer.Context, **given: Any) -> None:  # noqa: ANN401  options of any type
        if context.invoked_subcommand is None:
            if one_thread:
                use_one_thread()
            module, function = target.split(":")
            raise typer.Exit(getattr(import_module(module), function)(options(**given)))

    parameters = [Parameter("context", Parameter.KEYWORD_ONLY, annotation=typer.Context)]
    for field in msgspec.structs.fields(options):
        default = Parameter.empty if field.required else field.default
        parameters.append(Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=hints[field.name]))
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # typer reads it
    run.__doc__ = options.__doc__
    (app.callback() if name is None else app.command(name))(run)


def default_dice(rules: Ruleset, max_dice: int) -> int:
    """Return the number of dice of three full hands, but at most `max_dice`."""
    return min(DEFAULT_HAND_COUNT * rules.dice.per_player, max_dice)


def require_biddable(bid: Bid, rules: Ruleset, name: str) -> None:
    """Raise `IllegalActionError` if the rules called `name` do not allow bids on the face of a bid."""
    if bid.is_sum:
        if not has_face_off(rules):
            raise IllegalActionError(f"{bid} is no bid in {name}: these rules have no bids on a sum")
        return
    biddable = face_order(rules)
    if bid.face not in biddable:
        faces = ", ".join(map(str, biddable))
        raise IllegalActionError(f"{bid} is no bid in {name}: face {bid.face} may not be bid ({faces} may)")
    if bid.pure and not may_be_pure(rules, bid.face):
        raise IllegalActionError(f"{bid} is no bid in {name}: leave the mark of pure bids out")


def read_numbers(text: str, option: str, example: str) -> tuple[int, ...]:
    """Return the numbers of a comma-separated text, each of at most four digits.

    Raises `MalformedError` if the text is anything else; the message names the option and gives the example.
    """
    parts = [part.strip() for part in text.split(",")] if text.strip() else []
    if any(not (part.isascii() and part.isdigit() and len(part) <= 4) for part in parts):
        raise MalformedError(f"cannot read {option} {text[:40]!r} (numbers separated by commas, such as {example})")
    return tuple(int(part) for part in parts)


def find_seat(names: Sequence[str], player: str) -> int:
    """Return the seat of a player's name or of a number from 1. Raises `MalformedError` if there is none."""
    if player in names:
        return names.index(player)
    numbers = [str(number) for number in range(1, len(names) + 1)]
    if player in numbers:
        return numbers.index(player)
    raise MalformedError(f"--seat is a player's name ({', '.join(names)}) or 1 to {len(names)}, not {player!r:.60}")


def read_file(file: str, max_bytes: int) -> bytes:
    """Return the content of a file.

    Raises as `source_bytes`, and `MalformedError` if it is longer than `max_bytes`.
    """
    content = source_bytes(Path(file), max_bytes, content=file)
    if len(content) > max_bytes:
        raise MalformedError(f"{file} is longer than {max_bytes} bytes")
    return content


def read_record_file(file: str) -> Record:
    """Return the record of a match in a file. Raises as `read_file` and `read_record`; the error names the file."""
    content = read_file(file, MAX_RECORD_BYTES)
    try:
        return read_record(content)
    except RecordError as error:
        raise type(error)(f"{file}: {error}") from error
