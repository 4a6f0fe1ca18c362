"""Messages as tables: what a struct is called on the wire, what it is for, and its fields."""

import inspect
import typing

import msgspec


def told(kind: type[msgspec.Struct], level: int) -> list[str]:
    """The lines about one message: its tag as a heading of this level, its docstring, its fields."""
    tag = kind.__struct_config__.tag
    hints = typing.get_type_hints(kind)
    title = f"`{tag}`" if tag else kind.__name__
    lines = [f"{'#' * level} {title}", "", " ".join(inspect.cleandoc(kind.__doc__ or "").split()), ""]
    fields = msgspec.structs.fields(kind)
    if fields:
        lines += ["| field | type |", "|---|---|"]
        lines += [f"| `{field.encode_name}` | {_type(hints[field.name])} |" for field in fields]
        lines.append("")
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
