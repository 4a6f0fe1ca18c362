"""The arguments and options that several commands share, and those of the commands that play, review and coach."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import msgspec
import typer

from liarsdice.cli.stdio import print_error
from liarsdice.core import text as core_text
from liarsdice.core.errors import IllegalActionError, MalformedError, RecordError
from liarsdice.core.records.record import MAX_RECORD_BYTES, Record, read_record
from liarsdice.core.rules.bids import Bid, face_order, may_be_pure
from liarsdice.core.rules.meaning import has_face_off
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.sources import source_bytes
from liarsdice.server.settings import SETTINGS


class PlayOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Play against bots: full screen in a terminal, line by line in a pipe.

    Every match is saved with all dice in plain text: in the file of --record, or else in
    $XDG_STATE_HOME/liarsdice/matches (by default ~/.local/state/liarsdice/matches).
    """

    file: Annotated[Path | None, typer.Argument(help="With --resume: the record of the match to continue.")] = None
    rules: Annotated[
        str | None,
        typer.Option(
            help="A preset such as perudo or classic+aces, or a file of house rules. Without it, the full screen"
            " asks; line by line, the rules are classic+aces+palifico+calza."
        ),
    ] = None
    seats: Annotated[int | None, typer.Option(min=2, help="The number of players, including you.")] = None
    bots: Annotated[
        str | None,
        typer.Option(
            help="The bots to play against, such as inference,threshold:0.4; `liarsdice bots` describes them. With"
            " --resume: the bots that take over the bots' seats."
        ),
    ] = None
    seed: Annotated[int | None, typer.Option(help="The same seed and the same moves give the same match.")] = None
    record: Annotated[Path | None, typer.Option(help="Write the match to this new file while it is played.")] = None
    name: Annotated[str, typer.Option(help="Your name in the record. On the screen you are always You.")] = "Player"
    best_of: Annotated[
        int,
        typer.Option(
            help="Count the matches of a series, best of 3, 5 or 7: its winner has won more than half of them."
        ),
    ] = 1
    resume: Annotated[bool, typer.Option("--resume", help="Continue a match that was interrupted.")] = False
    plain: Annotated[bool, typer.Option("--plain", help="Play line by line instead of full screen.")] = False
    fast: Annotated[bool, typer.Option("--fast", help="Do not pause between the bots' moves.")] = False


class ReviewOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Review a recorded match: what each decision cost, going by what the player could see.

    The champion plays every round on after each move that it considers, against hands that fit the bids. A cost is the
    share of the match that a move gave away, with its 95% interval.
    """

    file: Annotated[str, typer.Argument(help="The record of a finished match, such as `liarsdice play` writes.")]
    seat: Annotated[
        str | None,
        typer.Option(help="List only the decisions of this player: a name, or the number of a seat from 1."),
    ] = None
    every: Annotated[bool, typer.Option("--all", help="List every decision, not only the dearest ones.")] = False
    spoiler_free: Annotated[
        bool, typer.Option("--spoiler-free", help="Leave out who won, luck and turning points.")
    ] = False
    deals: Annotated[
        int, typer.Option(help="The number of deals that are played out for each decision, 30 to 100,000.")
    ] = 480
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same review.")] = 0
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")] = False


class CoachOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Find habits over many matches: what you do more or less often than the champion, and what it costs you.

    Each decision is reviewed as `liarsdice review` does it. A habit shows after 200 decisions of its kind. Matches that
    are not over, by rules that are not simulated, or without that player, are left out.
    """

    files: Annotated[
        list[str], typer.Argument(help="The records of finished matches, such as `liarsdice play` writes.")
    ]
    seat: Annotated[str, typer.Option(help="Whose habits: a name, or the number of a seat from 1.")] = "Player"
    deals: Annotated[
        int, typer.Option(help="The number of deals that are played out for each decision, 30 to 100,000.")
    ] = 120
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")] = False


DEFAULT_HAND_COUNT = 3

THREAD_VARIABLE = "OPENBLAS_NUM_THREADS"
THREAD_VARIABLES = (THREAD_VARIABLE, "OMP_NUM_THREADS")
"""What OpenBLAS reads when numpy is loaded, the first that is set."""


def use_one_thread() -> None:
    """Let linear algebra use one thread in this process and in those that it starts, unless the environment says more.

    Without it OpenBLAS starts a thread for each core, also for products that take microseconds. They wait for each
    other in a loop, and beside another busy process they take several times the CPU time of one. It has no effect once
    numpy is loaded.
    """
    if not any(os.environ.get(name) for name in THREAD_VARIABLES):
        os.environ[THREAD_VARIABLE] = "1"


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
    codes = sorted(path.name for path in (Path(core_text.__file__).parent / "sentences").iterdir())
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
    """Return the record of a match in a file, up to its last complete action; a notice says if there is more.

    Raises as `read_file` and `read_record`; the error names the file.
    """
    from liarsdice.play.incomplete_record import complete_actions

    content = read_file(file, MAX_RECORD_BYTES)
    try:
        return read_record(content)
    except RecordError as error:
        with suppress(RecordError):
            record, _, rest = complete_actions(content)
            print_error(f"{file} ends early; left out from its end: {rest}")
            return record
        raise type(error)(f"{file}: {error}") from error
