"""How the hub's tools are described, and how their results are kept short: a field that is empty is left out."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from memories.dialects import Arguments, Result, Tool
from memories.schemas import STORABLE, Schema, anything, identity, record, text
from teams.actor import Actor
from teams.circumstances import LONGEST

CONTEXT = record({name: text(longest=longest) for name, longest in LONGEST.items()})
# As every tool tells it: in few words, for a model reads them all.
CIRCUMSTANCES = anything(
    description="Where this call belongs, unless headers say it for all: project, user, session, workspace, channel."
)
MEMORY_ID: dict[str, Schema] = {"memory_id": identity(description="The memory's id.")}


def taking(*schemas: Mapping[str, Schema] | Schema, needs: tuple[str, ...] = ()) -> Schema:
    """The arguments of a tool: properties by name, or the record that REST takes."""
    properties: dict[str, Schema] = {}
    needed = list(needs)
    for schema in schemas:
        is_record = schema.get("type") == "object"
        properties |= schema["properties"] if is_record else schema
        needed += schema.get("required", ()) if is_record else ()
    return record(properties, required=needed)


def hub_tool(tool: Tool) -> Tool:
    """With the context as an argument, and a result without what is empty."""
    properties = {**tool.parameters["properties"], "context": CIRCUMSTANCES}
    return replace(
        tool,
        parameters=tool.parameters | {"properties": properties},
        act=_brief(tool.act),
        gives=brief_schema(tool.gives),
    )


def _brief(act: Callable[[Actor, Arguments], Result]) -> Callable[[Actor, Arguments], Result]:
    def acted(actor: Actor, said: Arguments) -> Result:
        kept = {name: value for name, value in said.items() if name != "context"}
        answer: Result = brief(act(actor, kept))
        return answer

    return acted


def brief(shape: Any) -> Any:
    """Without what is null; but metadata is the caller's own, as it came."""
    if isinstance(shape, dict):
        kept = {name: value for name, value in shape.items() if value is not None}
        return {name: value if name == "metadata" else brief(value) for name, value in kept.items()}
    return [brief(part) for part in shape] if isinstance(shape, list | tuple) else shape


def brief_schema(schema: Schema) -> Schema:
    """What `brief` makes of it: whatever could be null may be missing."""
    if "anyOf" in schema:
        return schema | {"type": "object", "anyOf": [brief_schema(one) for one in schema["anyOf"]]}
    if "items" in schema:
        return schema | {"items": brief_schema(schema["items"])}
    if "properties" not in schema:
        return schema
    properties, empty = schema["properties"], {n for n, inner in schema["properties"].items() if _may_be_null(inner)}
    needed = [name for name in schema.get("required", ()) if name not in empty]
    told = {name: brief_schema(_not_null(inner)) for name, inner in properties.items()}
    return schema | {"properties": told, "required": needed}


def _may_be_null(schema: Schema) -> bool:
    return "null" in schema.get("type", ())


def left_out(schema: Schema) -> Schema:
    """The same arguments for callers that leave one out instead of saying null."""
    return schema | {"properties": {name: _not_null(inner) for name, inner in schema["properties"].items()}}


def _not_null(schema: Schema) -> Schema:
    if not _may_be_null(schema):
        return schema
    (kind,) = (kind for kind in schema["type"] if kind != "null")
    choices = {"enum": [one for one in schema["enum"] if one is not None]} if "enum" in schema else {}
    return schema | {"type": kind} | choices


def published(definition: Any) -> Any:
    """A tool's definition as it is listed, without what costs a model tokens and tells it nothing."""
    if isinstance(definition, list):
        return [published(part) for part in definition]
    if not isinstance(definition, dict):
        return definition
    is_schema = isinstance(definition.get("type"), str | list) or "anyOf" in definition
    dropped = {"title": definition.get("title"), "pattern": STORABLE} if is_schema else {}
    kept = {name: value for name, value in definition.items() if name not in dropped or value != dropped[name]}
    return {name: published(value) for name, value in kept.items()}
