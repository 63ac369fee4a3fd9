"""A team's memories as entries under keys, for the dialects that know one team and nothing else."""

from dataclasses import replace
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from memories.models import Memory, MemoryQuerySet
from memories.rules.fields import clean_fields
from memoryhub.errors import Invalid
from memoryhub.ids import parse_uuid
from teams.actor import Actor


def alone(actor: Actor) -> Actor:
    """Return the same actor restricted to its own team: no team above it, no project, no person."""
    team = {actor.team_id}
    return replace(actor, reads=actor.reads & team, writes=actor.writes & team, readable_team_ids=(actor.team_id,))


def readable(actor: Actor) -> MemoryQuerySet:
    return Memory.objects.visible_to(alone(actor)).holding().defer("search")


def writable(actor: Actor) -> MemoryQuerySet:
    return Memory.objects.writable_by(alone(actor)).defer("search")


def name(*, id: UUID, key: str, owns_key: bool) -> str:
    """Return the name of an entry: its key, or its id if it does not own a key, so that every entry has one name."""
    return key if owns_key else str(id)


def key_of(key_text: str) -> str:
    """Return the key in the form in which it is stored."""
    key: str = clean_fields({"key": key_text}, now=timezone.now())["key"]
    if not key:
        raise Invalid({"key": "This must not be empty."})
    return key


def under(rows: MemoryQuerySet, key_or_id: str) -> MemoryQuerySet:
    """Return the memories with this key or id, the owner of the key first."""
    key = key_of(key_or_id)
    id = parse_uuid(key)
    named = rows.filter(Q(key=key) | Q(pk=id)) if id else rows.filter(key=key)
    return named.order_by("-owns_key", "-updated_at")
