"""A griffe extension for the reference page: doctests become code blocks, msgspec structs get a constructor.

mkdocstrings reads the package without running it, so it doesn't know that a struct's fields are parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import griffe

STRUCT = "msgspec.Struct"
FIELD = "msgspec.field"


class ReferenceExtension(griffe.Extension):
    """Prepares docstrings and structs when the package is loaded."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:  # noqa: ANN401  the loader's own arguments
        """Change all objects of the package, once all base classes are known."""
        for obj in objects_of(pkg):
            if obj.docstring is not None:
                obj.docstring.value = fence_doctests(obj.docstring.value)
            if isinstance(obj, griffe.Class) and "__init__" not in obj.members and is_struct(obj):
                obj.set_member("__init__", constructor(obj))


def fence_doctests(text: str) -> str:
    """Return a docstring with each doctest in a fenced code block, which Markdown would take for a quotation."""
    lines: list[str] = []
    inside = fenced = False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        if not inside and not fenced and line.startswith(">>> "):
            lines.append("```pycon")
            inside = True
        elif inside and not line.strip():
            lines.append("```")
            inside = False
        lines.append(line)
    return "\n".join([*lines, "```"] if inside else lines)


def objects_of(obj: griffe.Object) -> Iterator[griffe.Object]:
    """Yield an object and all objects that are defined in it."""
    yield obj
    for member in list(obj.members.values()):
        if isinstance(member, griffe.Object):
            yield from objects_of(member)


def is_struct(class_: griffe.Class) -> bool:
    """Return whether a class derives from `msgspec.Struct`."""
    lineage = [class_, *class_.mro()]
    return any(getattr(base, "canonical_path", base) == STRUCT for ancestor in lineage for base in ancestor.bases)


def constructor(class_: griffe.Class) -> griffe.Function:
    """Return the constructor of a struct, with its own and its inherited fields as parameters."""
    fields: dict[str, griffe.Parameter] = {}
    for ancestor in [*reversed(class_.mro()), class_]:
        keyword_only = str(ancestor.keywords.get("kw_only")) == "True"
        for name, attribute in ancestor.attributes.items():
            if attribute.annotation is not None and "instance-attribute" in attribute.labels:
                kind = griffe.ParameterKind.keyword_only if keyword_only else griffe.ParameterKind.positional_or_keyword
                default = default_of(attribute)
                fields[name] = griffe.Parameter(name, annotation=attribute.annotation, kind=kind, default=default)
    positional = [field for field in fields.values() if field.kind is griffe.ParameterKind.positional_or_keyword]
    keywords = [field for field in fields.values() if field.kind is griffe.ParameterKind.keyword_only]
    itself = griffe.Parameter("self", kind=griffe.ParameterKind.positional_or_keyword)
    parameters = griffe.Parameters(itself, *positional, *keywords)
    return griffe.Function("__init__", parent=class_, parameters=parameters, returns="None")


def default_of(attribute: griffe.Attribute) -> str | griffe.Expr | None:
    """Return the default of a field as source text; `field(default=…)` and `field(default_factory=…)` count, too."""
    value = attribute.value
    if isinstance(value, griffe.ExprCall) and value.canonical_path == FIELD:
        options = {option.name: option.value for option in value.arguments if isinstance(option, griffe.ExprKeyword)}
        factory = options.get("default_factory")
        return f"{factory}()" if factory is not None else options.get("default")
    return value
