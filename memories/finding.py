"""One memory or file by what callers call it, an id, a key or a path, among what they may see."""

from uuid import UUID

from django.utils import timezone

from memories import reading, scopes
from memories.fields import clean
from memories.models import FileVersion, Memory, TeamFile
from memoryhub.errors import Invalid, NotFound
from teams.actor import Actor
from teams.models import Verb


def memory(*, actor: Actor, memory_id: UUID) -> Memory:
    found = reading.one(actor=actor, memory_id=memory_id)
    if found is None:
        raise NotFound("There is no such memory.")
    return found


def key_of(said: str) -> str:
    """In its form, or refused."""
    cleaned: str = clean({"key": said}, now=timezone.now())["key"]
    if not cleaned:
        raise Invalid({"key": "This must not be empty."})
    return cleaned


def keyed(*, actor: Actor, key: str, scope: str) -> Memory:
    """The one that owns the key in this scope. Directors see the keys of the teams above, their own team's first."""
    owners = Memory.objects.visible_to(actor).filter(owns_key=True, scope=scope)
    found = list(owners.keyed(key).with_usage().defer("search"))
    if not found:
        raise NotFound(f"There is no memory with the key {key!r} in scope {scope}.")
    nearest = {team_id: distance for distance, team_id in enumerate(actor.readable_team_ids)}
    return min(found, key=lambda memory: nearest.get(memory.audience, 0))


def owned(*, actor: Actor, key: str, scope: str) -> Memory:
    """Its own team's, project's, person's or agent's: whoever may not read may still forget what it may write."""
    audience = getattr(actor, scopes.AUDIENCE_COLUMN[scope])
    owners = Memory.objects.writable_by(actor).filter(audience=audience, owns_key=True)
    found = owners.keyed(key).defer("search").first()
    if found is None:
        raise NotFound(f"There is no memory with the key {key!r} in scope {scope}.")
    return found


def file(*, actor: Actor, path: str, deleted: bool = False) -> TeamFile:
    """The living file, its own team's first; or the one that was deleted last, for those who may bring it back."""
    cleaned = clean({"path": path}, now=timezone.now())["path"]
    found = list(TeamFile.objects.visible_to(actor).at(cleaned).defer("search"))
    if found:
        return min(found, key=lambda file: actor.readable_team_ids.index(file.team_id))
    may_restore = actor.may(Verb.READ) and actor.may(Verb.WRITE)
    if deleted and may_restore:
        gone = TeamFile.objects.restorable_by(actor).filter(path=cleaned, team=actor.team_id).defer("search")
        if last := gone.order_by("-deleted_at").first():
            return last
    raise NotFound(f"There is no file {cleaned!r}.")


def as_of(file: TeamFile, version: int | None) -> TeamFile:
    """The file as it was at that version, or as it is."""
    if version in (None, file.version):
        return file
    old = FileVersion.objects.filter(organization=file.organization_id, file=file, version=version).first()
    if old is None:
        raise NotFound(f"There is no version {version} of this file.")
    file.version, file.path, file.content, file.updated_at = old.version, old.path, old.content, old.created_at
    return file
