"""A team's memories as entries under keys, for the dialects that know one team and nothing else."""

from dataclasses import replace
from uuid import UUID

from django.db.models import Q

from memories.models import Memory, MemoryQuerySet
from memories.queries.lookup import clean_key
from memoryhub.ids import parse_uuid
from teams.actor import Actor


def limit_to_own_team(actor: Actor) -> Actor:
    """Return the same actor restricted to its own team: no team above it, no project, no person."""
    team = {actor.team_id}
    return replace(actor, reads=actor.reads & team, writes=actor.writes & team, readable_team_ids=(actor.team_id,))


def select_readable(actor: Actor) -> MemoryQuerySet:
    return Memory.objects.visible_to(limit_to_own_team(actor)).holding().defer("search")


def select_writable(actor: Actor) -> MemoryQuerySet:
    return Memory.objects.writable_by(limit_to_own_team(actor)).defer("search")


def name_entry(*, id: UUID, key: str, owns_key: bool) -> str:
    """Return the name of an entry: its key, or its id if it does not own a key, so that every entry has one name."""
    return key if owns_key else str(id)


def filter_by_name(rows: MemoryQuerySet, key_or_id: str) -> MemoryQuerySet:
    """Return the memories with this key or id, the owner of the key first."""
    key = clean_key(key_or_id)
    id = parse_uuid(key)
    named = rows.filter(Q(key=key) | Q(pk=id)) if id else rows.filter(key=key)
    return named.order_by("-owns_key", "-updated_at")
