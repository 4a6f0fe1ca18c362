"""Writes the messages of the server as a JSON schema, from which the page's types are generated: `make pages`.

`build/protocol.schema.json` comes from the structs, and `npm run types` writes `web/src/lib/protocol.ts` from it.
"""

import json
import typing
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from liarsdice import wire
from liarsdice.analysis import habits
from liarsdice.analysis.puzzles import puzzle
from liarsdice.core import actions, events
from liarsdice.core.engine.view import PublicPenalty
from liarsdice.core.records import record
from liarsdice.server.groups import group, group_views
from liarsdice.server.http import groups as group_http
from liarsdice.server.http import outgoing, reviews, training
from liarsdice.server.http import reviews as review
from liarsdice.server.http import rules_lab as lab
from liarsdice.server.http import schemas as http
from liarsdice.server.protocol import messages
from liarsdice.server.rules import rules_api
from liarsdice.server.rules import rules_api as rules
from liarsdice.server.table import commands

SCHEMA = Path(__file__).parent.parent / "build" / "protocol.schema.json"

FROM_PAGE = (
    *typing.get_args(messages.ToTable),
    rules.RulesForm,
    rules_api.OddsForm,
    http.TableForm,
    http.SeatForm,
    http.QuickMatchForm,
    http.TicketForm,
    review.WhatIfForm,
    review.HabitsForm,
    lab.LabForm,
    group_http.FoundForm,
    group_http.KnockForm,
    group_http.GroupTableForm,
    group_http.CommandForm,
)
"""What a page sends, by socket or by HTTP. Fields with a default may be left out."""

FROM_SERVER = (
    *typing.get_args(messages.FromTable),
    wire.SeatResponse,
    http.TicketResponse,
    wire.TableSummary,
    http.MatchSummary,
    training.TrainingResponse,
    rules.PresetCard,
    rules.SheetCard,
    rules.RulesResponse,
    rules_api.OddsResponse,
    outgoing.PushKeyResponse,
    http.ErrorResponse,
    reviews.ReviewOffer,
    habits.HabitReport,
    *typing.get_args(review.ReviewLine),
    review.WhatIfProgress,
    lab.LabOffer,
    lab.LabProgress,
    group_views.GroupPage,
)
"""What a server sends. The structs that these contain are included."""

IN_FILES = (puzzle.Puzzle, events.Dealt, events.RolledAgain, events.Penalised, record.Fairness)
"""What the page reads from files: puzzles, and records of matches with what nobody may see during one."""

UNIONS = {
    "ToTable": messages.ToTable,
    "FromTable": messages.FromTable,
    "Command": commands.Command,
    "Move": actions.Move,
    "PlayerAction": actions.PlayerAction,
    "GameEvent": events.PublicEvent | PublicPenalty,
    "ReviewLine": review.ReviewLine,
    "WhatIfLine": review.WhatIfLine,
    "LabLine": lab.LabLine,
    "GroupCommand": group.GroupCommand,
}
"""Types with a name for the page that are not structs."""

REFERENCE = "#/$defs/"

Schema = dict[str, "Schema | list[Schema] | list[str] | str | int"]


def schema() -> str:
    """Return the schema of all messages as text."""
    return json.dumps(schema_of(FROM_PAGE, (*FROM_SERVER, *IN_FILES), UNIONS), indent=2, ensure_ascii=False) + "\n"


def schema_of(from_page: Sequence[type], from_server: Sequence[type], unions: Mapping[str, object]) -> Schema:
    """Return the JSON schema of these structs and unions, and of everything that they contain.

    A field that a server sends is required, unless it is unset by default or its struct omits defaults. A page may
    leave out fields with a default.
    """
    structs = (*from_page, *from_server)
    refs, parts = msgspec.json.schema_components((*structs, *unions.values()), ref_template=f"{REFERENCE}{{name}}")
    with_optional_fields = {
        struct.__name__ for struct in _subclasses(msgspec.Struct) if struct.__struct_config__.omit_defaults
    }
    with_optional_fields |= {struct.__name__ for struct in from_page}
    unset = {
        (struct.__name__, field.encode_name)
        for struct in _subclasses(msgspec.Struct)
        for field in msgspec.structs.fields(struct)
        if field.default is msgspec.UNSET
    }
    for name, part in parts.items():
        if name not in with_optional_fields and "properties" in part:
            part["required"] = [field for field in part["properties"] if (name, field) not in unset]
    named = dict(zip(unions, refs[len(structs) :], strict=True))
    members = {json.dumps(union["anyOf"]): name for name, union in named.items()}
    definitions: Schema = {name: _plain(_with_references(part, members)) for name, part in parts.items()}
    return {"title": "Protocol", "$defs": definitions | {name: _plain(part) for name, part in named.items()}}


def _with_references(part: typing.Any, members: Mapping[str, str]) -> typing.Any:  # noqa: ANN401  JSON of any shape
    """Return a schema that refers to each union with a name; `members`: the names of the unions by their members."""
    match part:
        case {"anyOf": union} if json.dumps(union) in members:
            return {"$ref": f"{REFERENCE}{members[json.dumps(union)]}"}
        case dict():
            return {key: _with_references(value, members) for key, value in part.items()}
        case list():
            return [_with_references(value, members) for value in part]
        case _:
            return part


def _subclasses(struct: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for inner in struct.__subclasses__():
        yield inner
        yield from _subclasses(inner)


def _plain(part: typing.Any) -> typing.Any:  # noqa: ANN401  JSON of any shape
    """Return a schema in terms of older drafts, in which the items of a pair are a list."""
    match part:
        case {"prefixItems": items, **rest}:
            return _plain(rest | {"items": items})
        case {"type": "object", **rest} if not rest.keys() & {"properties", "additionalProperties"}:
            return part | {"additionalProperties": True}
        case {"description": str(text)} if "\n" in text:
            return _plain(part | {"description": " ".join(text.split())})
        case dict():
            return {key: _plain(value) for key, value in part.items() if key != "default"}
        case list():
            return [_plain(value) for value in part]
        case _:
            return part


if __name__ == "__main__":
    SCHEMA.parent.mkdir(exist_ok=True)
    SCHEMA.write_text(schema(), encoding="utf-8")
