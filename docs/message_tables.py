"""Renders the struct of a message as Markdown: its tag, its docstring, and a table of its fields."""

import inspect
import typing

import msgspec


def message_lines(struct: type[msgspec.Struct], level: int, example: str = "") -> list[str]:
    """Return the Markdown lines about a message under a heading of this level. Field names are those of the JSON.

    `example`: the message as JSON, "" for none.
    """
    tag = struct.__struct_config__.tag
    hints = typing.get_type_hints(struct)
    title = f"`{tag}`" if tag else struct.__name__
    lines = [f"{'#' * level} {title}", "", " ".join(inspect.cleandoc(struct.__doc__ or "").split()), ""]
    fields = msgspec.structs.fields(struct)
    if fields:
        lines += ["| field | type |", "|---|---|"]
        lines += [f"| `{field.encode_name}` | {_type(hints[field.name])} |" for field in fields]
        lines.append("")
    if example:
        lines += ["```json", example, "```", ""]
    return lines


def _type(hint: object) -> str:
    if hint is type(None):
        return "null"
    options = typing.get_args(hint)
    origin = typing.get_origin(hint)
    if origin is tuple:
        inner = [_type(option) for option in options if option is not Ellipsis]
        return f"list of {inner[0]}" if Ellipsis in options else f"[{', '.join(inner)}]"
    if options:
        return " or ".join(dict.fromkeys(map(_type, options)))
    names = {int: "number", float: "number", str: "text", bool: "true or false"}
    return names.get(typing.cast("type", hint), f"`{getattr(hint, '__name__', hint)}`")
