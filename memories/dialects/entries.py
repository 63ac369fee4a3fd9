"""A team's memories as entries under keys: the whole world of the dialects that know one team and nothing else."""

from dataclasses import replace
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from memories.fields import clean
from memories.models import Memory, MemoryQuerySet
from memoryhub.errors import Invalid
from memoryhub.ids import as_uuid
from teams.actor import Actor


def alone(actor: Actor) -> Actor:
    """The same actor with nothing but its own team in view: no team above it, no project, no person."""
    team = {actor.team_id}
    return replace(actor, reads=actor.reads & team, writes=actor.writes & team, readable_team_ids=(actor.team_id,))


def readable(actor: Actor) -> MemoryQuerySet:
    return Memory.objects.visible_to(alone(actor)).defer("search")


def writable(actor: Actor) -> MemoryQuerySet:
    return Memory.objects.writable_by(alone(actor)).defer("search")


def name(*, id: UUID, key: str, owns_key: bool) -> str:
    """What other doors saved without a key of its own goes by its id, so that every entry has one name."""
    return key if owns_key else str(id)


def key_of(said: str) -> str:
    """The key as it is kept."""
    key: str = clean({"key": said}, now=timezone.now())["key"]
    if not key:
        raise Invalid({"key": "This must not be empty."})
    return key


def under(rows: MemoryQuerySet, said: str) -> MemoryQuerySet:
    """Those that go by this key, its owner first."""
    key = key_of(said)
    id = as_uuid(key)
    named = rows.filter(Q(key=key) | Q(pk=id)) if id else rows.filter(key=key)
    return named.order_by("-owns_key", "-updated_at")
