"""What hangs on a memory: links to other memories, files, and where it came from."""

import hashlib
import mimetypes
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import PurePosixPath, PureWindowsPath
from typing import NamedTuple, TypeVar
from uuid import UUID

from django.conf import settings
from django.core.files import File
from django.db import transaction
from django.utils import timezone

from memories.fields import Bad, clean, line
from memories.models import Asset, Association, Hanging, Memory, Relation, Source, asset_path
from memories.operations.forgetting import remove_files_later
from memories.operations.recording import in_our_words, refuse, require
from memories.operations.revising import locked
from memoryhub.errors import Conflict, Invalid, NotFound, TooLarge
from memoryhub.text import line_flaw, tidy
from teams import operations as registry
from teams.actor import Actor
from teams.models import Agent, Session, Verb

Row = TypeVar("Row", Asset, Source)
PUT_BACK_WITHIN = timedelta(hours=1)  # what was taken off a memory


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
    """A link from a memory that the actor may change to one that it may see. Saying it again changes the weight."""
    _draw(actor, origin_id, [Link(target_id, relation, weight)], now or timezone.now())
    within = {"organization": actor.organization_id, "relation": relation}
    return Association.objects.get(**within, origin=origin_id, target=target_id)


class Link(NamedTuple):
    target_id: UUID
    relation: str = Relation.RELATED_TO
    weight: float = 0.5


class NoTarget(NotFound):
    """Which of the links leads nowhere."""

    def __init__(self, position: int) -> None:
        super().__init__("There is no such memory to link to.")
        self.position = position


@transaction.atomic
def associate_all(*, actor: Actor, origin_id: UUID, links: Sequence[Link], now: datetime | None = None) -> None:
    """All or none, however many, by one statement. Of a link that is said twice, the last counts."""
    _draw(actor, origin_id, links, now or timezone.now())


def _draw(actor: Actor, origin_id: UUID, links: Sequence[Link], now: datetime) -> None:
    drawn = {}
    for link in links:
        values = clean({"relation": link.relation, "weight": link.weight}, now=now)
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
    _hold(actor, origin_id, *targets)
    writable(actor=actor, memory_id=origin_id, now=now)
    seen = set(Memory.objects.visible_to(actor, now=now).filter(pk__in=targets).values_list("pk", flat=True))
    for position, link in enumerate(links):
        if link.target_id not in seen:
            raise NoTarget(position)
    pair = ("organization", "origin", "target", "relation")
    with in_our_words():
        Association.objects.bulk_create(
            drawn.values(), update_conflicts=True, unique_fields=pair, update_fields=["weight", "updated_at"]
        )


@transaction.atomic
def dissociate(*, actor: Actor, origin_id: UUID, target_id: UUID, relation: str, now: datetime | None = None) -> None:
    now = now or timezone.now()
    relation = clean({"relation": relation}, now=now)["relation"]
    locked(actor=actor, memory_id=origin_id, version=None, now=now)
    links = Association.objects.filter(organization=actor.organization_id, origin=origin_id, target=target_id)
    if not links.filter(relation=relation).delete()[0]:
        raise NotFound("There is no such link.")


def attach(
    *,
    actor: Actor,
    memory_id: UUID,
    file: "File[bytes]",
    name: str,
    content_type: str = "",
    now: datetime | None = None,
) -> Asset:
    (asset,) = attach_all(actor=actor, memory_id=memory_id, files=[Sent(file, name, content_type)], now=now)
    return asset


class Sent(NamedTuple):
    """A file as somebody sent it."""

    file: "File[bytes]"
    name: str
    content_type: str = ""


def attach_all(*, actor: Actor, memory_id: UUID, files: Sequence[Sent], now: datetime | None = None) -> list[Asset]:
    """All or none. Stores the bytes first and the rows then; rows that fail take the bytes away again."""
    now = now or timezone.now()
    assets = [_asset(actor, memory_id, sent, now=now) for sent in files]
    try:
        with transaction.atomic():
            locked(actor=actor, memory_id=memory_id, version=None, now=now)
            for asset, sent in zip(assets, files, strict=True):
                asset.file.save(asset.name, sent.file, save=False)
                asset.save(force_insert=True)
    except BaseException:
        for asset in assets:
            asset.file.storage.delete(asset_path(asset, asset.name))
        raise
    return assets


def _asset(actor: Actor, memory_id: UUID, sent: Sent, *, now: datetime) -> Asset:
    name, most = _file_name(sent.name), settings.ASSET_MAX_BYTES
    if sent.file.size > most:
        raise TooLarge({"file": f"At most {most:,} bytes; {name} has {sent.file.size:,}."})
    return Asset(
        organization_id=actor.organization_id,
        memory_id=memory_id,
        name=name,
        content_type=_content_type(sent.content_type, sent.name),
        size=sent.file.size,
        sha256=_digest(sent.file),
        agent_id=actor.agent_id,
        user_id=actor.user_id,
        created_at=now,
    )


@transaction.atomic
def detach(*, actor: Actor, asset_id: UUID, now: datetime | None = None) -> None:
    now = now or timezone.now()
    visible = Memory.objects.visible_to(actor, now=now)
    asset = Asset.objects.filter(organization=actor.organization_id, pk=asset_id, memory__in=visible).first()
    if asset is None:
        raise NotFound("There is no such attachment.")
    _take_off(asset, actor=actor, now=now)


@transaction.atomic
def reattach(*, actor: Actor, memory_id: UUID, asset_id: UUID, now: datetime | None = None) -> list[Asset]:
    """Puts an attachment back that was taken off not long ago, and those that were taken off at the same moment."""
    return _put_back(Asset, actor=actor, memory_id=memory_id, pk=asset_id, now=now or timezone.now())


@transaction.atomic
def cite(
    *,
    actor: Actor,
    memory_id: UUID,
    session: str = "",
    message_id: str = "",
    url: str = "",
    quote: str = "",
    now: datetime | None = None,
) -> Source:
    """Notes where the memory came from."""
    now = now or timezone.now()
    values = clean({"message_id": message_id, "url": url, "quote": quote}, now=now)
    locked(actor=actor, memory_id=memory_id, version=None, now=now)
    named = tidy(session)
    opened = _session(actor, named) if named else None
    if not opened and not any(values.values()):
        raise Invalid({"source": "Name at least a session, a message, an address or a quotation."})
    return Source.objects.create(
        organization_id=actor.organization_id,
        memory_id=memory_id,
        session=opened,
        agent_id=actor.agent_id,
        user_id=actor.user_id,
        created_at=now,
        **values,
    )


@transaction.atomic
def uncite(*, actor: Actor, source_id: UUID, now: datetime | None = None) -> None:
    now = now or timezone.now()
    visible = Memory.objects.visible_to(actor, now=now)
    source = Source.objects.filter(organization=actor.organization_id, pk=source_id, memory__in=visible).first()
    if source is None:
        raise NotFound("There is no such source.")
    _take_off(source, actor=actor, now=now)


@transaction.atomic
def recite(*, actor: Actor, memory_id: UUID, source_id: UUID, now: datetime | None = None) -> list[Source]:
    """Puts a source back that was taken off not long ago."""
    return _put_back(Source, actor=actor, memory_id=memory_id, pk=source_id, now=now or timezone.now())


def _take_off(row: Asset | Source, *, actor: Actor, now: datetime) -> None:
    locked(actor=actor, memory_id=row.memory_id, version=None, now=now)
    type(row).objects.filter(pk=row.pk).update(removed_at=now)


def _put_back(model: type[Row], *, actor: Actor, memory_id: UUID, pk: UUID, now: datetime) -> list[Row]:
    locked(actor=actor, memory_id=memory_id, version=None, now=now)
    gone = model.everything.filter(organization=actor.organization_id, memory=memory_id)
    gone = gone.filter(removed_at__gt=now - PUT_BACK_WITHIN)
    rows = list(gone.filter(removed_at__in=gone.filter(pk=pk).values("removed_at")))
    if not rows:
        raise Conflict("This cannot be put back any more.")
    gone.filter(pk__in=[row.pk for row in rows]).update(removed_at=None)
    return rows


def drop_removed(*, now: datetime) -> int:
    """What nobody put back in time goes for good. Hopes for the indexes asset_removed_at and source_removed_at."""
    return sum(_drop_removed(model, before=now - PUT_BACK_WITHIN) for model in (Asset, Source))


@transaction.atomic
def _drop_removed(model: type[Hanging], *, before: datetime) -> int:
    gone = model.everything.filter(removed_at__lt=before)
    rows = list(gone.order_by("pk").select_for_update(skip_locked=True))
    remove_files_later(row for row in rows if isinstance(row, Asset))
    return model.everything.filter(pk__in=[row.pk for row in rows]).delete()[0]


def _hold(actor: Actor, *memory_ids: UUID) -> None:
    """Keeps both ends of a link from being purged until it is drawn."""
    ends = Memory.objects.filter(organization=actor.organization_id, pk__in=memory_ids).order_by("pk")
    list(ends.select_for_update(no_key=True).values_list("pk"))


def writable(*, actor: Actor, memory_id: UUID, now: datetime) -> None:
    require(actor, Verb.WRITE)
    if not Memory.objects.writable_by(actor, now=now).filter(pk=memory_id).exists():
        refuse(actor=actor, memory_id=memory_id, version=None, now=now)


def _session(actor: Actor, name: str) -> Session | None:
    if found := line_flaw(name, longest=200):
        raise Invalid({"session": found})
    if actor.agent_id:
        bindings = {"project_id": actor.project_id, "person_id": actor.person_id}
        bindings |= {"workspace_id": actor.workspace_id}
        agent = Agent.objects.get(pk=actor.agent_id)
        return registry.open_session(agent=agent, name=name, channel_id=actor.channel_id, **bindings)
    return Session.objects.filter(organization=actor.organization_id, agent__in=actor.reads, name=name).first()


def _file_name(name: str) -> str:
    """The last part of whatever path the uploader's system gave."""
    try:
        found = line(PureWindowsPath(PurePosixPath(name).name).name, longest=255)
    except Bad as error:
        raise Invalid({"name": str(error)}) from error
    if not found:
        raise Invalid({"name": "A file needs a name."})
    return found


def _content_type(said: str, name: str) -> str:
    found = said or mimetypes.guess_type(name)[0] or ""
    plain = found.split(";", 1)[0].strip().lower()
    well_formed = re.fullmatch(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,62}/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}", plain)
    return plain if well_formed else "application/octet-stream"


def _digest(file: "File[bytes]") -> str:
    digest = hashlib.sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    file.seek(0)
    return digest.hexdigest()
