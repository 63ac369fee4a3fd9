"""Completions: how a name that somebody begins to type may go on."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memories import context
from memories.mcp import prompts, resources
from memories.models import Memory, Scope, TeamFile
from memoryhub.errors import Invalid, NotFound
from teams.actor import Actor
from teams.models import Team

MOST = 100  # that the protocol allows

Known = Mapping[str, Any]


def found(*, actor: Actor, ref: Known, argument: Known, known: Known) -> dict[str, Any]:
    """The first ones by name; `known` is what the other arguments say already."""
    place = ref.get("uri") if ref.get("type") == "ref/resource" else ref.get("name")
    if not isinstance(place, str) or place not in COMPLETED:
        raise NotFound(f"There is nothing to complete for {place!r}.")
    name, begun = argument.get("name"), argument.get("value")
    if not isinstance(name, str) or not isinstance(begun, str):
        raise Invalid({"argument": "This has a name and a value, both text."})
    complete = COMPLETED[place].get(name)
    values = complete(actor, begun, known) if complete else []
    return {"values": values[:MOST], "hasMore": len(values) > MOST}


def _teams(actor: Actor, begun: str, known: Known) -> Sequence[str]:
    slugs = Team.objects.filter(pk__in=actor.readable_team_ids, slug__startswith=begun)
    return sorted(slugs.values_list("slug", flat=True))


def _keys(actor: Actor, begun: str, known: Known) -> Sequence[str]:
    rows = Memory.objects.visible_to(actor).filter(owns_key=True, scope=Scope.TEAM, audience__in=_of(actor, known))
    return list(rows.filter(key__startswith=begun).order_by("key").values_list("key", flat=True).distinct()[: MOST + 1])


def _paths(actor: Actor, begun: str, known: Known) -> Sequence[str]:
    rows = TeamFile.objects.visible_to(actor).filter(team__in=_of(actor, known), path__startswith=begun)
    return list(rows.order_by("path").values_list("path", flat=True).distinct()[: MOST + 1])


def _sections(actor: Actor, begun: str, known: Known) -> Sequence[str]:
    return [name for name in context.ALL if name.startswith(begun)]


def _of(actor: Actor, known: Known) -> Sequence[Any]:
    """The teams to look in: the one that is named, or all that the actor reads."""
    slug = known.get("team")
    named = Team.objects.filter(pk__in=actor.readable_team_ids, slug=slug).values_list("pk", flat=True)
    return list(named) if isinstance(slug, str) else actor.readable_team_ids


COMPLETED: dict[str, dict[str, Callable[[Actor, str, Known], Sequence[str]]]] = {
    resources.KEY: {"team": _teams, "key": _keys},
    resources.FILE: {"team": _teams, "path": _paths},
    prompts.NAME: {"sections": _sections},
}
