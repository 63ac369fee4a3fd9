"""Completions of names that somebody has begun to type."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memories.mcp import prompts, resources
from memories.models import PATH_LENGTH, Memory, Scope, TeamFile
from memories.prompts import context
from memoryhub.errors import NotFound
from memoryhub.json_schema import Schema, record, text, whole_record
from memoryhub.validation import validate_input
from teams.actor import Actor
from teams.models import Team

MOST = 100  # that the protocol allows

Known = Mapping[str, Any]
ARGUMENT = whole_record({"name": text(longest=PATH_LENGTH), "value": text(longest=PATH_LENGTH)})
OTHER_ARGUMENTS = record({"team": text(longest=PATH_LENGTH)})  # the others narrow nothing


def find_completions(*, actor: Actor, ref: Known, argument: Known, known: object) -> dict[str, Any]:
    """Return the first completions by name; `known` holds the values of the other arguments."""
    place = ref.get("uri") if ref.get("type") == "ref/resource" else ref.get("name")
    if not isinstance(place, str) or place not in COMPLETED:
        raise NotFound(f"There is nothing to complete for {place!r}.")
    begun = validate_input(ARGUMENT, _only(ARGUMENT, argument), name="argument")
    others = validate_input(
        OTHER_ARGUMENTS, _only(OTHER_ARGUMENTS, {} if known is None else known), name="context.arguments"
    )
    complete = COMPLETED[place].get(begun["name"])
    values = complete(actor, begun["value"], others) if complete else []
    return {"values": values[:MOST], "hasMore": len(values) > MOST}


def _only(schema: Schema, value: object) -> object:
    """Return an object with the schema's properties alone: what callers add to it is their own affair."""
    properties = schema["properties"]
    return {name: value[name] for name in properties if name in value} if isinstance(value, dict) else value


def _teams(actor: Actor, begun: str, known: Known) -> Sequence[str]:
    teams = Team.objects.readable_by(actor).filter(slug__startswith=begun)
    return sorted(teams.values_list("slug", flat=True))


def _keys(actor: Actor, begun: str, known: Known) -> Sequence[str]:
    rows = Memory.objects.visible_to(actor).owning_keys(Scope.TEAM).filter(audience__in=_find_team_ids(actor, known))
    return list(rows.filter(key__startswith=begun).order_by("key").values_list("key", flat=True).distinct()[: MOST + 1])


def _paths(actor: Actor, begun: str, known: Known) -> Sequence[str]:
    rows = TeamFile.objects.visible_to(actor).filter(team__in=_find_team_ids(actor, known), path__startswith=begun)
    return list(rows.order_by("path").values_list("path", flat=True).distinct()[: MOST + 1])


def _sections(actor: Actor, begun: str, known: Known) -> Sequence[str]:
    return [name for name in context.ALL_SECTIONS if name.startswith(begun)]


def _find_team_ids(actor: Actor, known: Known) -> Sequence[Any]:
    """Return the teams to look in: the one that is named, or all that the actor may read."""
    if "team" not in known:
        return actor.readable_team_ids
    named = Team.objects.readable_by(actor).filter(slug=known["team"])
    return list(named.values_list("pk", flat=True))


COMPLETED: dict[str, dict[str, Callable[[Actor, str, Known], Sequence[str]]]] = {
    resources.KEY: {"team": _teams, "key": _keys},
    resources.FILE: {"team": _teams, "path": _paths},
    prompts.NAME: {"sections": _sections},
}
