"""Links to other memories, attached files and sources: add, remove and put them back."""

import hashlib
import mimetypes
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import NamedTuple, TypeVar
from uuid import UUID

from django.conf import settings
from django.core.files import File
from django.db import transaction
from django.utils import timezone

from memories.models import Asset, Association, Attachment, Memory, Relation, Source, asset_path
from memories.operations.forget import remove_files_later
from memories.operations.legal_holds import lock_holds, refuse_if_held
from memories.operations.record import refuse_change, translate_integrity_errors
from memories.operations.revise import lock_memory
from memories.operations.screen import EVERY_FINDING, screen_values
from memories.rules.access import require_verb
from memories.rules.anchors import NewAnchor, clean_anchor
from memories.rules.fields import BadField, clean_fields, clean_line
from memories.rules.holds import match_held_memories
from memories.screening.findings import FindingGroup
from memoryhub.disk_space import require_space
from memoryhub.errors import Conflict, Invalid, NotFound, TooLarge
from memoryhub.text import line_problem, normalize_text
from teams import operations as registry
from teams.actor import Actor
from teams.models import Agent, Session, Verb

RemovableRow = TypeVar("RemovableRow", Asset, Source)
RESTORE_WINDOW = timedelta(hours=1)  # for removed attachments and sources


@transaction.atomic
def associate(
    *,
    actor: Actor,
    origin_id: UUID,
    target_id: UUID,
    relation: str = Relation.RELATED_TO,
    weight: float = 0.5,
    now: datetime | None = None,
) -> Association:
    """Link a memory that the actor may change to one that it may see. Linking them again changes the weight."""
    _save_links(actor, origin_id, [Link(target_id, relation, weight)], now or timezone.now())
    links = Association.objects.in_organization(actor.organization_id)
    return links.get(origin=origin_id, target=target_id, relation=relation)


class Link(NamedTuple):
    target_id: UUID
    relation: str = Relation.RELATED_TO
    weight: float = 0.5


class LinkTargetNotFound(NotFound):
    """One of the links has no target that the actor may see; `position` says which."""

    def __init__(self, position: int) -> None:
        super().__init__("There is no such memory to link to.")
        self.position = position


@transaction.atomic
def associate_all(*, actor: Actor, origin_id: UUID, links: Sequence[Link], now: datetime | None = None) -> None:
    """Save all links or none, in one statement. Where a link is given twice, the last one counts."""
    _save_links(actor, origin_id, links, now or timezone.now())


def _save_links(actor: Actor, origin_id: UUID, links: Sequence[Link], now: datetime) -> None:
    drawn = {}
    for link in links:
        values = clean_fields({"relation": link.relation, "weight": link.weight}, now=now)
        drawn[link.target_id, values["relation"]] = Association(
            organization_id=actor.organization_id,
            origin_id=origin_id,
            target_id=link.target_id,
            agent_id=actor.agent_id,
            user_id=actor.user_id,
            created_at=now,
            updated_at=now,
            **values,
        )
    targets = {link.target_id for link in links}
    _lock_memories(actor, origin_id, *targets)
    _require_annotatable(actor, origin_id, now=now)
    seen = set(Memory.objects.visible_to(actor, now=now).filter(pk__in=targets).values_list("pk", flat=True))
    for position, link in enumerate(links):
        if link.target_id not in seen:
            raise LinkTargetNotFound(position)
    pair = ("organization", "origin", "target", "relation")
    with translate_integrity_errors():
        Association.objects.bulk_create(
            drawn.values(), update_conflicts=True, unique_fields=pair, update_fields=["weight", "updated_at"]
        )


@transaction.atomic
def dissociate(*, actor: Actor, origin_id: UUID, target_id: UUID, relation: str, now: datetime | None = None) -> None:
    """Remove a link. Nothing keeps it, so this takes the verb forget."""
    now = now or timezone.now()
    require_verb(actor, Verb.FORGET)
    relation = clean_fields({"relation": relation}, now=now)["relation"]
    lock_memory(actor=actor, memory_id=origin_id, version=None, now=now, verb=Verb.FORGET)
    refuse_if_held(actor.organization_id, origin_id, target_id)
    links = Association.objects.in_organization(actor.organization_id)
    if not links.filter(origin=origin_id, target=target_id, relation=relation).delete()[0]:
        raise NotFound("There is no such link.")


def attach_file(
    *,
    actor: Actor,
    memory_id: UUID,
    file: "File[bytes]",
    name: str,
    content_type: str = "",
    now: datetime | None = None,
) -> Asset:
    (asset,) = attach_all(actor=actor, memory_id=memory_id, files=[FileUpload(file, name, content_type)], now=now)
    return asset


class FileUpload(NamedTuple):
    """An uploaded file, not yet checked or stored."""

    file: "File[bytes]"
    name: str
    content_type: str = ""


def attach_all(
    *, actor: Actor, memory_id: UUID, files: Sequence[FileUpload], now: datetime | None = None
) -> list[Asset]:
    """Attach all files or none. The bytes are stored before the rows, and removed again if the rows fail."""
    now = now or timezone.now()
    assets = [_build_asset(actor, memory_id, sent, now=now) for sent in files]
    require_space(Path(settings.MEDIA_ROOT), size=sum(asset.size for asset in assets))
    try:
        with transaction.atomic():
            _lock_annotatable(actor, memory_id, now=now)
            for asset, sent in zip(assets, files, strict=True):
                asset.file.save(asset.name, sent.file, save=False)
                asset.save(force_insert=True)
    except BaseException:
        for asset in assets:
            asset.file.storage.delete(asset_path(asset, asset.name))
        raise
    return assets


def _lock_annotatable(actor: Actor, memory_id: UUID, *, now: datetime) -> None:
    require_verb(actor, Verb.WRITE)
    rows = Memory.objects.annotatable_by(actor, now=now).filter(pk=memory_id)
    if not rows.select_for_update().values_list("pk", flat=True):
        refuse_change(actor=actor, memory_id=memory_id, version=None, now=now)


def _build_asset(actor: Actor, memory_id: UUID, sent: FileUpload, *, now: datetime) -> Asset:
    screen_values(actor, {"name": sent.name}, may_hold=False)
    name, most = _clean_file_name(sent.name), settings.ASSET_MAX_BYTES
    if sent.file.size > most:
        raise TooLarge({"file": f"At most {most:,} bytes; {name} has {sent.file.size:,}."})
    return Asset(
        organization_id=actor.organization_id,
        memory_id=memory_id,
        name=name,
        content_type=_guess_content_type(sent.content_type, sent.name),
        size=sent.file.size,
        sha256=_hash_file(sent.file),
        agent_id=actor.agent_id,
        user_id=actor.user_id,
        created_at=now,
    )


@transaction.atomic
def detach_file(*, actor: Actor, asset_id: UUID, memory_id: UUID | None = None, now: datetime | None = None) -> None:
    """Remove an attachment from its memory (that one, if named). It is deleted later, so this needs the verb forget."""
    if not _mark_removed(Asset, actor=actor, pk=asset_id, memory_id=memory_id, now=now or timezone.now()):
        raise NotFound("There is no such attachment.")


@transaction.atomic
def reattach_file(*, actor: Actor, memory_id: UUID, asset_id: UUID, now: datetime | None = None) -> list[Asset]:
    """Restore an attachment that was removed recently, and those that were removed at the same moment."""
    return _restore_removed(Asset, actor=actor, memory_id=memory_id, pk=asset_id, now=now or timezone.now())


@transaction.atomic
def add_citation(
    *,
    actor: Actor,
    memory_id: UUID,
    session: str = "",
    message_id: str = "",
    url: str = "",
    quote: str = "",
    anchor: NewAnchor | None = None,
    now: datetime | None = None,
) -> Source:
    """Record where the memory came from. An anchor also has the hash of what is there."""
    now = now or timezone.now()
    _lock_annotatable(actor, memory_id, now=now)
    return cite_new_memory(
        actor=actor,
        memory_id=memory_id,
        session=session,
        message_id=message_id,
        url=url,
        quote=quote,
        anchor=anchor,
        now=now,
    )


def cite_new_memory(
    *,
    actor: Actor,
    memory_id: UUID,
    session: str,
    message_id: str,
    url: str = "",
    quote: str,
    anchor: NewAnchor | None = None,
    now: datetime,
    groups: frozenset[FindingGroup] = EVERY_FINDING,
) -> Source:
    """Record where a memory came from that the caller's transaction has made, even if it waits for approval."""
    sent = {"message_id": message_id, "url": url, "quote": quote}
    names = {"repository": anchor.repository, "path": anchor.path} if anchor else {}
    screened = screen_values(actor, sent | names, groups=groups, may_hold=False)
    values = clean_fields({name: screened.values[name] for name in sent}, now=now)
    values |= clean_anchor(anchor, url=values["url"]) if anchor else {}
    named = normalize_text(session)
    opened = _find_source_session(actor, named) if named else None
    if not opened and not any(values.values()):
        raise Invalid({"source": "Name at least a session, a message, a URL, a quotation or an anchor."})
    source = Source.objects.create(
        organization_id=actor.organization_id,
        memory_id=memory_id,
        session=opened,
        agent_id=actor.agent_id,
        user_id=actor.user_id,
        created_at=now,
        **values,
    )
    source.screening = screened.report
    return source


@transaction.atomic
def remove_citation(
    *, actor: Actor, source_id: UUID, memory_id: UUID | None = None, now: datetime | None = None
) -> None:
    """Remove a source from its memory (that one, if named), under the same rules as `detach_file`."""
    if not _mark_removed(Source, actor=actor, pk=source_id, memory_id=memory_id, now=now or timezone.now()):
        raise NotFound("There is no such source.")


@transaction.atomic
def restore_citation(*, actor: Actor, memory_id: UUID, source_id: UUID, now: datetime | None = None) -> list[Source]:
    """Restore a source that was removed recently."""
    return _restore_removed(Source, actor=actor, memory_id=memory_id, pk=source_id, now=now or timezone.now())


def _mark_removed(model: type[RemovableRow], *, actor: Actor, pk: UUID, memory_id: UUID | None, now: datetime) -> bool:
    """Return whether there was such a row, on a memory of which the actor may know."""
    require_verb(actor, Verb.FORGET)
    rows = model.objects.in_organization(actor.organization_id).filter(pk=pk)
    row = (rows.filter(memory=memory_id) if memory_id else rows).first()
    if row is None:
        return False
    try:
        lock_memory(actor=actor, memory_id=row.memory_id, version=None, now=now, verb=Verb.FORGET)
    except (Conflict, NotFound):  # forgotten, or never theirs to see
        return False
    return bool(rows.update(removed_at=now))


def _restore_removed(
    model: type[RemovableRow], *, actor: Actor, memory_id: UUID, pk: UUID, now: datetime
) -> list[RemovableRow]:
    memory = lock_memory(actor=actor, memory_id=memory_id, version=None, now=now)
    gone = model.with_removed.of_memory(memory).removed_since(now - RESTORE_WINDOW)
    rows = list(gone.filter(removed_at__in=gone.filter(pk=pk).values("removed_at")))
    if not rows:
        raise Conflict("This can no longer be put back.")
    gone.filter(pk__in=[row.pk for row in rows]).update(removed_at=None)
    return rows


def drop_removed(*, now: datetime) -> int:
    """Delete what nobody restored in time and no legal hold keeps. Index: asset_removed_at and source_removed_at."""
    return sum(_drop_removed_rows(model, before=now - RESTORE_WINDOW) for model in (Asset, Source))


@transaction.atomic
def _drop_removed_rows(model: type[Attachment], *, before: datetime) -> int:
    gone = model.with_removed.removed_before(before)
    lock_holds(gone.values_list("organization", flat=True).distinct())
    free = gone.exclude(match_held_memories("memory__")).order_by("pk")
    rows = list(free.select_for_update(of=("self",), skip_locked=True))
    remove_files_later(row for row in rows if isinstance(row, Asset))
    return model.with_removed.filter(pk__in=[row.pk for row in rows]).delete()[0]


def _lock_memories(actor: Actor, *memory_ids: UUID) -> None:
    """Lock both ends of a link, so that neither is purged before it is saved."""
    ends = Memory.objects.in_organization(actor.organization_id).filter(pk__in=memory_ids).order_by("pk")
    list(ends.select_for_update(no_key=True).values_list("pk"))


def _require_annotatable(actor: Actor, memory_id: UUID, *, now: datetime) -> None:
    require_verb(actor, Verb.WRITE)
    if not Memory.objects.annotatable_by(actor, now=now).filter(pk=memory_id).exists():
        refuse_change(actor=actor, memory_id=memory_id, version=None, now=now)


def _find_source_session(actor: Actor, name: str) -> Session | None:
    if found := line_problem(name, longest=200):
        raise Invalid({"session": found})
    if actor.agent_id:
        return registry.open_session(
            agent=Agent.objects.get(pk=actor.agent_id),
            name=name,
            project_id=actor.project_id,
            person_id=actor.person_id,
            workspace_id=actor.workspace_id,
            channel_id=actor.channel_id,
            token_id=actor.token_id,
        )
    return Session.objects.readable_by(actor).filter(name=name).first()


def _clean_file_name(name: str) -> str:
    """Return the last part of whatever path the uploader's system sent."""
    try:
        found = clean_line(PureWindowsPath(PurePosixPath(name).name).name, longest=255)
    except BadField as error:
        raise Invalid({"name": str(error)}) from error
    if not found:
        raise Invalid({"name": "A file needs a name."})
    return found


def _guess_content_type(content_type: str, name: str) -> str:
    content_type = content_type or mimetypes.guess_type(name)[0] or ""
    plain = content_type.split(";", 1)[0].strip().lower()
    well_formed = re.fullmatch(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,62}/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}", plain)
    return plain if well_formed else "application/octet-stream"


def _hash_file(file: "File[bytes]") -> str:
    digest = hashlib.sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    file.seek(0)
    return digest.hexdigest()
