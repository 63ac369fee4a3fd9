"""Lookup of one memory or file by its id, key or path, among those that the caller may see."""

from datetime import datetime
from uuid import UUID

from django.db.models.functions import Coalesce
from django.utils import timezone

from memories.models import NO_SUCH_MEMORY, Asset, FileVersion, Memory, MemoryQuerySet, Proposal, Status, TeamFile
from memories.queries import memory_rows
from memories.queries.paging import PAGE_TEXT_LENGTH, count_fitting
from memories.recall.past_versions import match_known, restore_versions
from memories.rules import access
from memories.rules.fields import clean_fields
from memories.rules.memory_filters import Filters
from memoryhub.errors import Invalid, NotFound
from teams.actor import Actor
from teams.models import Verb

MEMORY_RELATIONS = ("agent__team", "user", "team", "project__team", "person", "workspace", "session")


def find_memory(*, actor: Actor, memory_id: UUID) -> Memory:
    """Return the memory if the actor may see it."""
    memory = memory_rows.fetch_visible_memory(actor=actor, memory_id=memory_id)
    if memory is None:
        raise NotFound(NO_SUCH_MEMORY)
    return memory


def find_memory_or_forgotten(*, actor: Actor, memory_id: UUID) -> Memory:
    """Return the memory with all that its page names, a forgotten or expired one only to those who may restore it."""
    rows = Memory.objects.visible_or_restorable_by(actor).with_usage()
    return rows.select_related(*MEMORY_RELATIONS).defer("search").require(memory_id)


def require_visible_memory(actor: Actor, memory_id: UUID) -> MemoryQuerySet:
    """Return all memories that the actor may see, or raise NotFound if this one is not among them."""
    visible = Memory.objects.visible_to(actor)
    if not visible.filter(pk=memory_id).exists():
        raise NotFound(NO_SUCH_MEMORY)
    return visible


def find_core(*, actor: Actor, team_id: UUID) -> Memory | None:
    """Return the memory that the team's prompts begin with, as `memories.prompts.context` chooses it."""
    return Memory.objects.visible_to(actor).holding().core_of(team_id).with_authors().defer("search").first()


def clean_key(key: str) -> str:
    """Return the key normalized, or refuse it."""
    cleaned: str = clean_fields({"key": key}, now=timezone.now())["key"]
    if not cleaned:
        raise Invalid({"key": "This must not be empty."})
    return cleaned


def find_by_key(*, actor: Actor, key: str, scope: str) -> Memory:
    """Return the memory that owns the key in this scope. Directors also see the keys of the teams above; their own
    team's comes first."""
    owners = Memory.objects.visible_to(actor).owning_keys(scope)
    found = list(owners.with_key(key).with_usage().defer("search"))
    if not found:
        raise no_such_key(key, scope)
    nearest = {team_id: distance for distance, team_id in enumerate(actor.readable_team_ids)}
    return min(found, key=lambda memory: nearest.get(memory.audience, 0))


MOST_IN_TIMELINE = 200


def list_key_timeline(*, actor: Actor, key: str, scope: str, known_at: datetime | None = None) -> list[Memory]:
    """Return the memories with this key in a scope, replaced ones too, by when they held, the newest first; with
    `known_at`, as far as the hub knew then. Where their texts are long, fewer of them."""
    rows = Memory.objects.visible_to(actor).filter(key=clean_key(key), scope=scope, status=Status.ACTIVE)
    if known_at:
        rows = rows.filter(match_known(known_at=known_at, filters=Filters(), now=timezone.now()))
    order = Coalesce("valid_from", "created_at").desc()
    found = list(rows.with_usage().order_by(order, "-id").defer("search")[:MOST_IN_TIMELINE])
    found = found[: count_fitting(found, PAGE_TEXT_LENGTH)]
    return _restore_timeline(found, known_at) if known_at else found


def _restore_timeline(memories: list[Memory], known_at: datetime) -> list[Memory]:
    """Return those that had the key at that moment, as they were, in the order of then."""
    names = {memory.pk: (memory.key, memory.scope) for memory in memories}
    restore_versions(memories, known_at=known_at)
    kept = [memory for memory in memories if (memory.key, memory.scope) == names[memory.pk]]
    return sorted(kept, key=lambda memory: (memory.valid_from or memory.created_at, memory.pk), reverse=True)


def find_proposal(*, actor: Actor, proposal_id: UUID) -> Proposal:
    """Return the proposal if the actor made it or may decide about it."""
    rows = Proposal.objects.visible_to(actor).with_authors().select_related("decided_by")
    found = rows.filter(pk=proposal_id).first()
    if found is None:
        raise NotFound("There is no such proposal.")
    return found


def find_own_by_key(*, actor: Actor, key: str, scope: str) -> Memory:
    """Return the memory that owns the key for the actor's own team, project, person or agent: a caller that may not
    read may still forget what it may write."""
    audience = getattr(actor, access.AUDIENCE_COLUMN[scope])
    owners = Memory.objects.writable_by(actor).owning_keys(scope).filter(audience=audience)
    memory = owners.with_key(key).defer("search").first()
    if memory is None:
        raise no_such_key(key, scope)
    return memory


def no_such_key(key: str, scope: str = "") -> NotFound:
    within = f" in scope {scope}" if scope else ""
    return NotFound(f"There is no memory with the key {key!r}{within}.")


def find_asset(*, actor: Actor, memory_id: UUID, asset_id: UUID) -> Asset:
    """Return an attachment of a memory that the actor may see."""
    asset = Asset.objects.visible_to(actor).filter(pk=asset_id, memory=memory_id).first()
    if asset is None:
        raise NotFound("There is no such attachment.")
    return asset


def find_file(*, actor: Actor, path: str, deleted: bool = False) -> TeamFile:
    """Return the active file at the path, the own team's first; with `deleted`, else the one deleted last, if the actor
    may restore it."""
    cleaned = clean_fields({"path": path}, now=timezone.now())["path"]
    found = list(TeamFile.objects.visible_to(actor).at(cleaned).defer("search"))
    if found:
        return min(found, key=lambda file: actor.readable_team_ids.index(file.team_id))
    may_restore = actor.may(Verb.READ) and actor.may(Verb.WRITE)
    if deleted and may_restore:
        gone = TeamFile.objects.restorable_by(actor).of_team(actor.team_id).filter(path=cleaned).defer("search")
        if last := gone.order_by("-deleted_at").first():
            return last
    raise NotFound(f"There is no file {cleaned!r}.")


def file_at_version(file: TeamFile, version: int | None) -> TeamFile:
    """Return the file as it was at that version; without a version, as it is now."""
    if version in (None, file.version):
        return file
    old = FileVersion.objects.of_file(file).filter(version=version).first()
    if old is None:
        raise NotFound(f"There is no version {version} of this file.")
    file.version, file.path, file.content, file.updated_at = old.version, old.path, old.content, old.created_at
    return file
