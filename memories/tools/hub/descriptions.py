"""Descriptions of the hub's tools, and shortening of their results: empty fields are left out."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from memories.contract.inputs import LARGEST_VERSION
from memories.tools import Arguments, Result, Tool
from memoryhub.json_schema import STORABLE, Schema, anything, identity, record, text
from teams.actor import Actor
from teams.call_context import CONTEXT_LENGTHS

CONTEXT = record({name: text(longest=longest) for name, longest in CONTEXT_LENGTHS.items()})
# As every tool tells it: in few words, for a model reads them all.
CONTEXT_ARGUMENT = anything(description="Unless headers say: project, user, session, workspace, channel.")
TELLS_NOTHING = {"pattern": STORABLE, "additionalProperties": True, "maximum": LARGEST_VERSION, "minLength": 1}
MEMORY_ID: dict[str, Schema] = {"memory_id": identity()}


def build_parameters(*schemas: Mapping[str, Schema] | Schema, needs: tuple[str, ...] = ()) -> Schema:
    """Return the schema of a tool's arguments, made of properties by name or of the record that REST takes."""
    properties: dict[str, Schema] = {}
    needed = list(needs)
    for schema in schemas:
        is_record = schema.get("type") == "object"
        properties |= schema["properties"] if is_record else schema
        needed += schema.get("required", ()) if is_record else ()
    return record(properties, required=needed)


def hub_tool(tool: Tool) -> Tool:
    """Return the tool with the context as an additional argument, and without empty fields in its result."""
    properties = {**tool.parameters["properties"], "context": CONTEXT_ARGUMENT}
    return replace(
        tool,
        parameters=tool.parameters | {"properties": properties},
        act=_brief(tool.act),
        gives=brief_schema(tool.gives),
    )


def _brief(act: Callable[[Actor, Arguments], Result]) -> Callable[[Actor, Arguments], Result]:
    def acted(actor: Actor, arguments: Arguments) -> Result:
        kept = {name: value for name, value in arguments.items() if name != "context"}
        answer: Result = brief(act(actor, kept))
        return answer

    return acted


def brief(shape: Any) -> Any:
    """Return the value without nulls; metadata is the caller's own and stays as it came."""
    if isinstance(shape, dict):
        kept = {name: value for name, value in shape.items() if value is not None}
        return {name: value if name == "metadata" else brief(value) for name, value in kept.items()}
    return [brief(part) for part in shape] if isinstance(shape, list | tuple) else shape


def brief_schema(schema: Schema) -> Schema:
    """Return the schema of what `brief` returns: a property that could be null may be missing."""
    if "items" in schema:
        return schema | {"items": brief_schema(schema["items"])}
    if "properties" not in schema:
        return schema
    properties, empty = schema["properties"], {n for n, inner in schema["properties"].items() if _may_be_null(inner)}
    needed = [name for name in schema.get("required", ()) if name not in empty]
    described = {name: brief_schema(_not_null(inner)) for name, inner in properties.items()}
    return schema | {"properties": described, "required": needed}


def _may_be_null(schema: Schema) -> bool:
    return "null" in schema.get("type", ())


def left_out(schema: Schema) -> Schema:
    """Return the schema of the same arguments for callers that leave one out instead of sending null."""
    return schema | {"properties": {name: _not_null(inner) for name, inner in schema["properties"].items()}}


def _not_null(schema: Schema) -> Schema:
    if not _may_be_null(schema):
        return schema
    kinds = [kind for kind in schema["type"] if kind != "null"]
    kind = kinds[0] if len(kinds) == 1 else kinds
    choices = {"enum": [one for one in schema["enum"] if one is not None]} if "enum" in schema else {}
    return schema | {"type": kind} | choices


def publish_definition(definition: Any) -> Any:
    """Return a tool's definition as it is listed, without parts that cost a model tokens and tell it nothing."""
    if isinstance(definition, list):
        return [publish_definition(part) for part in definition]
    if not isinstance(definition, dict):
        return definition
    is_schema = isinstance(definition.get("type"), str | list)
    dropped = {"title": definition.get("title"), **TELLS_NOTHING} if is_schema else {}
    kept = {name: value for name, value in definition.items() if name not in dropped or value != dropped[name]}
    return {name: publish_definition(value) for name, value in kept.items()}
