"""Erasure of a person: what is theirs goes, and what mentions them mentions nobody any more."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.admin.models import LogEntry
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import AbstractBaseUser, User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from memories.models import (
    PURGED_CONTENT,
    Answer,
    AuditPlace,
    Erasure,
    Feedback,
    FileVersion,
    GoldenQuestion,
    GoldenRun,
    LegalHold,
    Memory,
    Proposal,
    ProposedOperation,
    RecallLog,
    Revision,
    SettledQuestion,
    Status,
    TeamFile,
)
from memories.operations.archive_session import ARCHIVE_CATEGORY
from memories.operations.audit_chain import note_removals, note_rewrites
from memories.operations.erasure_receipts import (
    Receipt,
    append_receipt,
    digest_handle,
    read_receipts,
    sign_receipt,
)
from memories.operations.keys import hand_on_key
from memories.operations.legal_holds import lock_holds
from memories.operations.redact_stored import Finder, redact_texts
from memories.operations.retention import remove_memories
from memories.queries.stored_texts import iterate_texts
from memories.rules.holds import match_held_files, match_held_memories, match_held_recalls
from memories.screening.findings import Finding, FindingGroup
from memoryhub.errors import Conflict, NotFound, UnderLegalHold
from memoryhub.ids import uuid7
from teams.models import Membership, Organization, Person, Session, Token

SHORTEST_NAME = 3  # characters: a shorter name is a part of too many words
REMOVED_AT_ONCE = 1_000
ERASED = "erased"
HELD = "A legal hold covers something of this person, so nothing was erased. An operator has to release it first."


@dataclass
class ErasureSubject:
    """A person who is being erased, and what was erased."""

    person: Person
    login: User | None
    names: tuple[str, ...]
    counts: Counter[str] = field(default_factory=Counter)
    memory_ids: list[UUID] = field(default_factory=list)
    file_ids: list[UUID] = field(default_factory=list)

    @property
    def organization_id(self) -> UUID:
        return self.person.organization_id

    def find_mentions(self) -> Finder:
        """Return a function that finds the person's names in a text, as whole words in either case."""
        names = sorted((name for name in self.names if len(name) >= SHORTEST_NAME), key=len, reverse=True)
        pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)", re.IGNORECASE) if names else None

        def find(text: str) -> list[Finding]:
            matches = pattern.finditer(text) if pattern else ()
            return [Finding(*match.span(), FindingGroup.PERSONAL, "person") for match in matches]

        return find

    def delete(self, what: str, rows: Any) -> None:
        self.counts[what] += rows.delete()[0]


def erase_person(
    *, user: AbstractBaseUser | None, person: Person, pretend: bool = False, now: datetime | None = None
) -> Receipt:
    """Erase a person everywhere in their organization, all or nothing, and return the signed receipt. With `pretend`,
    do everything but save the changes."""
    now = now or timezone.now()
    with transaction.atomic():
        subject = _lock_subject(person)
        _refuse_if_held(subject)
        receipt = sign_receipt(_erase(subject) | {"id": str(uuid7()), "erased_at": now.isoformat()})
        _store_erasure(receipt, user_id=user.pk if user else None)
        if pretend:
            transaction.set_rollback(True)
        else:
            append_receipt(receipt)  # if the commit fails, a restore does what was asked for here
    return receipt


def _lock_subject(person: Person) -> ErasureSubject:
    """Lock the person: whatever is being saved for them is there or is refused, as the row that it names is gone."""
    lock_holds([person.organization_id])
    locked = Person.objects.select_for_update().filter(organization=person.organization_id, pk=person.pk).first()
    if locked is None:
        raise NotFound("There is no such person.")
    login = User.objects.select_for_update().filter(pk=locked.user_id or 0).first()
    if login and login.is_staff:
        raise Conflict("This person works in the admin. Take the staff status from their login first.")
    names = {locked.handle, locked.name}
    if login:
        names |= {login.username, login.email, login.get_full_name()}
    return ErasureSubject(locked, login, tuple(sorted(name.strip() for name in names if name.strip())))


def _refuse_if_held(subject: ErasureSubject) -> None:
    rows = (
        LegalHold.objects.active().filter(person=subject.person),
        _list_memories(subject).filter(match_held_memories()),
        _list_files(subject).filter(match_held_files()),
        _list_recalls(subject).filter(match_held_recalls()),
    )
    if any(each.exists() for each in rows):
        raise UnderLegalHold(HELD)


def _erase(subject: ErasureSubject) -> Receipt:
    organization_id, find = subject.organization_id, subject.find_mentions()
    _remove_files(subject, list(_list_files(subject).values_list("pk", flat=True)))
    _remove_own_memories(subject)
    _remove_entries(subject)
    _release_tokens(subject)
    _pseudonymize_login(subject)
    log_ids = [subject.person.pk, subject.person.user_id, *subject.memory_ids]
    Person.objects.filter(pk=subject.person.pk).delete()
    redacted = redact_texts(organization_id, find, with_names=True)
    _blank_log(subject, log_ids)
    left = Counter(stored.place for stored in iterate_texts(organization_id) if find(stored.text))
    return {
        "organization": str(organization_id),
        "person": str(subject.person.pk),
        "handle_hmac": digest_handle(organization_id, subject.person.handle),
        "counts": {what: count for what, count in sorted(subject.counts.items()) if count},
        "mentions_redacted": _count_by_place(redacted),
        "mentions_left": dict(sorted(left.items())),  # in attached files, and where a legal hold keeps them
        "memory_ids": sorted(map(str, subject.memory_ids)),
        "file_ids": sorted(map(str, subject.file_ids)),
    }


def _count_by_place(redacted: Counter[tuple[str, str, str]]) -> dict[str, int]:
    counts = Counter[str]()
    for (place, _, _), number in redacted.items():
        counts[place] += number
    return dict(sorted(counts.items()))


# What is the person's own


def _list_memories(subject: ErasureSubject) -> Any:
    """Return the person's memories, those of their sessions, and what they themselves proposed as a new memory."""
    theirs = Q(person=subject.person) | Q(audience=subject.person.pk) | Q(session__person=subject.person)
    if subject.login:
        proposals = Proposal.objects.in_organization(subject.organization_id).filter(
            user=subject.login, agent=None, operation=ProposedOperation.SAVE
        )
        theirs |= Q(status=Status.PROPOSED, pk__in=proposals.values("memory"))
    return Memory.objects.in_organization(subject.organization_id).filter(theirs)


def _list_files(subject: ErasureSubject) -> Any:
    """Return the files to which the person's conversations were archived."""
    archives = _list_memories(subject).filter(category=ARCHIVE_CATEGORY).exclude(key="")
    condition = Q(pk__in=[])
    for team_id, path in archives.values_list("team", "key"):
        condition |= Q(team=team_id, path=path)
    return TeamFile.objects.in_organization(subject.organization_id).filter(condition)


def _list_recalls(subject: ErasureSubject) -> Any:
    """Return what was recalled for the person, in their sessions, or by them."""
    theirs = Q(audience=subject.person.pk) | Q(session__person=subject.person)
    if subject.login:
        theirs |= Q(user=subject.login)
    return RecallLog.objects.in_organization(subject.organization_id).filter(theirs)


def _remove_own_memories(subject: ErasureSubject) -> None:
    rows = _list_memories(subject).order_by("pk").select_for_update(of=("self",)).defer("search")
    while batch := list(rows[:REMOVED_AT_ONCE]):
        _remove_batch(subject, batch)
    blank = {"key": "", "content": PURGED_CONTENT, "summary": "", "tags": [], "metadata": {}, "category": "fact"}
    versions = Revision.objects.in_organization(subject.organization_id).filter(audience=subject.person.pk)
    if version_ids := list(versions.values_list("pk", flat=True)):  # of memories that are somebody else's by now
        subject.counts["memory versions"] = versions.update(**blank)
        note_rewrites(AuditPlace.MEMORY_VERSION, version_ids)


def _remove_batch(subject: ErasureSubject, batch: list[Memory]) -> None:
    ids = [memory.pk for memory in batch]
    subject.memory_ids += ids
    subject.counts["memories"] += len(ids)
    answers = Answer.objects.in_organization(subject.organization_id)
    subject.delete("stored answers", answers.filter(Q(memory_ids__overlap=ids) | Q(memory_ids=[])))
    remove_memories(ids, within={subject.organization_id})
    for memory in batch:
        if memory.owns_key and memory.forgotten_at is None:
            hand_on_key(memory, now=timezone.now())


def _remove_files(subject: ErasureSubject, file_ids: list[UUID]) -> None:
    subject.file_ids += file_ids
    subject.counts["files"] += len(file_ids)
    note_removals(file_ids)
    FileVersion.objects.in_organization(subject.organization_id).filter(file__in=file_ids).delete()
    TeamFile.objects.in_organization(subject.organization_id).filter(pk__in=file_ids).delete()


def _remove_entries(subject: ErasureSubject) -> None:
    """Remove what was asked and said for the person or by them, and their sessions."""
    person, organization_id = subject.person, subject.organization_id
    author = Q(user=subject.login, agent=None) if subject.login else Q(pk__in=[])
    subject.delete("recalls", _list_recalls(subject))
    asked = SettledQuestion.objects.in_organization(organization_id)
    subject.delete("settled questions", asked.filter(author | Q(audience=person.pk)))
    golden = GoldenQuestion.objects.in_organization(organization_id)
    subject.delete("golden questions", golden.filter(author | Q(audience=person.pk)))
    GoldenRun.objects.in_organization(organization_id).filter(audience=person.pk).delete()
    for what, model in (("feedback", Feedback), ("proposals", Proposal)):
        subject.delete(what, model._default_manager.filter(author, organization=organization_id))
    subject.delete("sessions", Session.objects.filter(organization=organization_id, person=person))
    subject.delete("legal holds", LegalHold.objects.in_organization(organization_id).filter(person=person))


def _release_tokens(subject: ErasureSubject) -> None:
    """Take the person out of tokens. One that may name nobody else is revoked: without a name it could name anybody."""
    for token in Token.objects.naming(subject.person).select_for_update():
        handles = [handle for handle in token.persons if handle != subject.person.handle]
        served = token.person_id == subject.person.pk
        if not handles and not token.any_person and (served or token.person_id is None):
            token.revoked_at = token.revoked_at or timezone.now()
        token.persons, token.person_id = handles, None if served else token.person_id
        token.save(update_fields=["persons", "person", "revoked_at"])
        subject.counts["tokens"] += 1


def _pseudonymize_login(subject: ErasureSubject) -> None:
    """Close the login, under a name that says nothing: what it wrote for its teams keeps an author. One that is used in
    another organization stays there."""
    login, organization_id = subject.login, subject.organization_id
    if login is None:
        return
    subject.delete("memberships", Membership.objects.filter(user=login, organization=organization_id))
    others = (model.objects.filter(user=login).exclude(organization=organization_id) for model in (Membership, Person))
    if any(rows.exists() for rows in others):
        subject.counts["logins kept for another organization"] = 1
        return
    nobody = {"username": f"{ERASED}-{uuid7().hex[-12:]}", "email": "", "first_name": "", "last_name": ""}
    User.objects.filter(pk=login.pk).update(**nobody, is_active=False, password=make_password(None))
    subject.counts["logins"] = 1


def _blank_log(subject: ErasureSubject, object_ids: Iterable[object]) -> None:
    """Blank what the admin's log quotes of the person and of their memories."""
    entries = LogEntry.objects.filter(object_id__in=[str(pk) for pk in object_ids if pk])
    if entry_ids := list(entries.values_list("pk", flat=True)):
        subject.counts["log entries"] = entries.update(object_repr=ERASED, change_message="")
        note_rewrites(AuditPlace.ADMIN, entry_ids)


# Replay


def _store_erasure(receipt: Receipt, *, user_id: Any = None) -> None:
    values = {
        "organization_id": UUID(receipt["organization"]),
        "person_id": UUID(receipt["person"]),
        "erased_at": datetime.fromisoformat(receipt["erased_at"]),
        "erased_by_id": user_id,
        "receipt": receipt,
    }
    Erasure.objects.get_or_create(pk=UUID(receipt["id"]), defaults=values)


@transaction.atomic
def replay_erasures(*, organization_id: UUID | None = None) -> int:
    """Erase again whoever was erased before, after a backup or an archive brought them back. Returns how many of them
    were there. No hold stops this: none did when they were erased."""
    count = 0
    for receipt in read_receipts():
        within = UUID(receipt["organization"])
        if organization_id in (None, within) and Organization.objects.filter(pk=within).exists():
            count += _replay(receipt, within)
    return count


def _replay(receipt: Receipt, organization_id: UUID) -> bool:
    person = Person.objects.filter(organization=organization_id, pk=receipt["person"]).first()
    if person:
        _erase(_lock_subject(person))
    memories = Memory.objects.in_organization(organization_id).filter(pk__in=receipt["memory_ids"])
    files = TeamFile.objects.in_organization(organization_id).filter(pk__in=receipt["file_ids"])
    rest = ErasureSubject(person or Person(organization_id=organization_id), None, ())
    while batch := list(memories.defer("search")[:REMOVED_AT_ONCE]):
        _remove_batch(rest, batch)
    _remove_files(rest, list(files.values_list("pk", flat=True)))
    _store_erasure(receipt)
    return bool(person or rest.memory_ids or rest.file_ids)
