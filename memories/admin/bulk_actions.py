"""Bulk actions of operators on memories: as a team's owner, through the operations, on all selected or on none."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from unfold.widgets import DATETIME_CLASSES, UnfoldAdminTextInputWidget, UnfoldBooleanWidget

from memories import operations
from memories.models import SUMMARY_LENGTH, BulkActionKind, Memory
from memories.operations import bulk_edit, embed
from memoryhub.admin import MAX_LIST_ROWS
from memoryhub.forms import MomentField, WordsField
from teams import rights
from teams.actor import Actor

MAX_PURGE = 100  # each purge rewrites the memory's whole history


@dataclass(frozen=True, slots=True)
class Outcome:
    done: int = 0
    skipped: Counter[str] = field(default_factory=Counter)  # count by reason
    done_to: Sequence[Memory] = ()  # memories to name in the admin log

    def __add__(self, other: "Outcome") -> "Outcome":
        return Outcome(self.done + other.done, self.skipped + other.skipped)


BulkAction = Callable[..., Outcome]  # called with a user, memories and the form's fields


@transaction.atomic
def run_bulk_edit(
    kind: BulkActionKind, *, user: AbstractBaseUser, memories: Sequence[Memory], **fields: Any
) -> Outcome:
    """Run a bulk edit as the team's pages do, so that it can be undone there and here."""
    edit, outcome = bulk_edit.build_bulk_edit(kind=kind, **fields), Outcome()
    for actor, ids in _group_by_actor(user, memories):
        for start in range(0, len(ids), bulk_edit.MAX_BULK_MEMORIES):
            outcome += _edit_as_actor(actor, ids[start : start + bulk_edit.MAX_BULK_MEMORIES], edit)
    return outcome


def _edit_as_actor(actor: Actor, ids: Sequence[UUID], edit: bulk_edit.BulkEdit) -> Outcome:
    preview = bulk_edit.preview_effects(actor=actor, memory_ids=ids, wish=edit)
    if preview.versions:
        bulk_edit.apply_bulk_edit(actor=actor, seen=preview.versions, wish=edit)
    skipped = Counter(why for _, why in preview.skipped)
    return Outcome(len(preview.versions), skipped + Counter({"It has expired or was purged.": preview.missing}))


@transaction.atomic
def purge_memories(*, user: AbstractBaseUser, memories: Sequence[Memory], sure: bool = False) -> Outcome:
    remaining = [memory for memory in memories if memory.purged_at is None]
    for actor, ids in _group_by_actor(user, remaining):
        for memory_id in ids:
            operations.purge_memory(actor=actor, memory_id=memory_id)
    return Outcome(len(remaining), Counter({"It was purged already.": len(memories) - len(remaining)}))


@transaction.atomic
def reembed_memories(*, user: AbstractBaseUser, memories: Sequence[Memory]) -> Outcome:
    """Queue new vectors. The memories keep their versions: their text does not change."""
    active = [memory for memory in memories if memory.forgotten_at is None]
    embed.queue_reembedding(active)
    forgotten = Counter({"It is forgotten and has no vector.": len(memories) - len(active)})
    return Outcome(len(active), forgotten, done_to=active)


def _group_by_actor(user: AbstractBaseUser, memories: Sequence[Memory]) -> Iterator[tuple[Actor, list[UUID]]]:
    """Yield the operator as one actor for each team and workspace, with the ids of the memories there."""
    groups: dict[tuple[UUID, UUID | None], list[Memory]] = {}
    for memory in memories:
        workspace = memory.workspace_id if memory.team.organization.workspaces_enabled else None
        groups.setdefault((memory.team_id, workspace), []).append(memory)
    for (_, workspace), group in groups.items():
        audiences = {memory.audience for memory in group}
        actor = rights.operator_actor(user=user, team=group[0].team, audiences=audiences, workspace_id=workspace)
        yield actor, [memory.pk for memory in group]


class NoInputForm(forms.Form):
    """Form of an action that needs no input."""


class TagsForm(forms.Form):
    tags = WordsField(help_text="Separate tags with commas.", widget=UnfoldAdminTextInputWidget)


class ExpiryForm(forms.Form):
    expires_at = MomentField(
        label="Expires at",
        help_text="In UTC. Empty: they stay.",
        widget=forms.DateTimeInput(
            attrs={"type": "datetime-local", "class": " ".join(DATETIME_CLASSES)}, format="%Y-%m-%dT%H:%M"
        ),
    )


class ReasonForm(forms.Form):
    reason = forms.CharField(
        max_length=SUMMARY_LENGTH, help_text="Kept with the memory.", widget=UnfoldAdminTextInputWidget
    )


class ConfirmForm(forms.Form):
    sure = forms.BooleanField(label="I know that this cannot be undone", widget=UnfoldBooleanWidget)


@dataclass(frozen=True, kw_only=True, slots=True)
class ActionKind:
    """One kind of bulk action."""

    label: str
    icon: str
    done_label: str  # shown afterwards
    run: BulkAction
    permission: str
    form: type[forms.Form] = NoInputForm
    limit: int = MAX_LIST_ROWS
    variant: str = "primary"  # style of its button
    warning: str = ""
    for_forgotten: bool | None = False  # None: for active and forgotten ones
    log_message: str = ""  # for the admin log, if the action leaves no revision


ACTION_KINDS = {
    "pin": ActionKind(
        label="Pin", icon="keep", done_label="Pinned", run=partial(run_bulk_edit, BulkActionKind.PIN), permission="pin"
    ),
    "unpin": ActionKind(
        label="Unpin",
        icon="keep_off",
        done_label="Unpinned",
        run=partial(run_bulk_edit, BulkActionKind.UNPIN),
        permission="pin",
    ),
    "tag": ActionKind(
        label="Add tags",
        icon="sell",
        done_label="Tagged",
        run=partial(run_bulk_edit, BulkActionKind.TAG),
        permission="tag",
        form=TagsForm,
    ),
    "untag": ActionKind(
        label="Remove tags",
        icon="label_off",
        done_label="Untagged",
        run=partial(run_bulk_edit, BulkActionKind.UNTAG),
        permission="tag",
        form=TagsForm,
    ),
    "expire": ActionKind(
        label="Set expiry",
        icon="timer",
        done_label="Expiry set for",
        run=partial(run_bulk_edit, BulkActionKind.EXPIRE),
        permission="expire",
        form=ExpiryForm,
    ),
    "forget": ActionKind(
        label="Forget",
        icon="delete",
        done_label="Forgot",
        run=partial(run_bulk_edit, BulkActionKind.FORGET),
        permission="forget",
        form=ReasonForm,
        warning="They vanish from every read at once. They can be restored.",
    ),
    "restore": ActionKind(
        label="Restore",
        icon="restore_from_trash",
        done_label="Restored",
        run=partial(run_bulk_edit, BulkActionKind.RESTORE),
        permission="restore",
        for_forgotten=True,
    ),
    "reembed": ActionKind(
        label="Re-embed",
        icon="refresh",
        done_label="Queued new vectors for",
        run=reembed_memories,
        permission="reembed",
        log_message="Had its vectors made anew.",
    ),
    "purge": ActionKind(
        label="Purge",
        icon="delete_forever",
        done_label="Purged",
        run=purge_memories,
        permission="purge",
        form=ConfirmForm,
        limit=MAX_PURGE,
        variant="danger",
        warning="What they say is removed from every version, with their attachments, sources and links. For good.",
        for_forgotten=None,
    ),
}
