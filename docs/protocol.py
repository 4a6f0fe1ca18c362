"""Write the messages of the server as a JSON schema, from which the page's types are made: `make pages`.

`web/protocol.schema.json` comes from the structs, and `npm run types` writes `web/src/lib/protocol.ts` from it.
"""

import json
import typing
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from liarsdice.server.http import schemas as forms
from liarsdice.server.protocol import messages as protocol
from liarsdice.server.table import commands

SCHEMA = Path(__file__).parent.parent / "web" / "protocol.schema.json"

FROM_PAGE = (*typing.get_args(protocol.ToTable), forms.RulesForm, forms.TableForm, forms.SeatForm, forms.TicketForm)
"""What a page says, by socket or by HTTP. Fields with a default may be left out."""

FROM_SERVER = (
    *typing.get_args(protocol.FromTable),
    forms.TableOpened,
    forms.Ticket,
    forms.TableListed,
    forms.PresetCard,
    forms.RulesSeen,
    forms.ProblemSeen,
)
"""What a server answers or tells; what these are made of comes along."""

UNIONS = {"ToTable": protocol.ToTable, "FromTable": protocol.FromTable, "Command": commands.Command}
"""Types with a name for the page that aren't structs."""

Schema = dict[str, "Schema | list[Schema] | list[str] | str | int"]


def schema() -> str:
    """The schema of all messages, as text."""
    return json.dumps(schema_of(FROM_PAGE, FROM_SERVER, UNIONS), indent=2, ensure_ascii=False) + "\n"


def schema_of(from_page: Sequence[type], from_server: Sequence[type], unions: Mapping[str, object]) -> Schema:
    """The JSON schema of these structs, of these unions by their names, and of all that they are made of.

    A server leaves a field out only where its struct says so; a page may leave out what has a default.
    """
    structs = (*from_page, *from_server)
    refs, parts = msgspec.json.schema_components((*structs, *unions.values()), ref_template="#/$defs/{name}")
    short = {kind.__name__ for kind in _structs(msgspec.Struct) if kind.__struct_config__.omit_defaults}
    short |= {kind.__name__ for kind in from_page}
    for name, part in parts.items():
        if name not in short and "properties" in part:
            part["required"] = list(part["properties"])
    named = dict(zip(unions, refs[len(structs) :], strict=True))
    return {"title": "Protocol", "$defs": {name: _plain(part) for name, part in (parts | named).items()}}


def _structs(kind: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for inner in kind.__subclasses__():
        yield inner
        yield from _structs(inner)


def _plain(part: typing.Any) -> typing.Any:  # noqa: ANN401  JSON of any shape
    """The same schema in words that older readers know: a pair's items are a list, and a reference stands alone."""
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
    SCHEMA.write_text(schema(), encoding="utf-8")
