"""What operators do to memories: as an owner would, through the operations, to all that are chosen or to none."""

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
from memories.models import SUMMARY_LENGTH, Deed, Memory
from memories.operations import batches, embedding
from memoryhub.admin import LOOK
from memoryhub.forms import MomentField, WordsField
from teams import auth
from teams.actor import Actor

PURGED_AT_ONCE = 100  # each rewrites its whole history


@dataclass(frozen=True, slots=True)
class Outcome:
    done: int = 0
    staying: Counter[str] = field(default_factory=Counter)  # how many, by the reason
    done_to: Sequence[Memory] = ()  # for the operators' log

    def __add__(self, other: "Outcome") -> "Outcome":
        return Outcome(self.done + other.done, self.staying + other.staying)


Doing = Callable[..., Outcome]  # of a user, memories and what the form says


@transaction.atomic
def batch(deed: Deed, *, user: AbstractBaseUser, memories: Sequence[Memory], **said: Any) -> Outcome:
    """As the team's own pages do it, so that it can be undone there and here."""
    wish, outcome = batches.wish(deed=deed, **said), Outcome()
    for actor, ids in _reached(user, memories):
        for start in range(0, len(ids), batches.MOST):
            outcome += _batch(actor, ids[start : start + batches.MOST], wish)
    return outcome


def _batch(actor: Actor, ids: Sequence[UUID], wish: batches.Wish) -> Outcome:
    foreseen = batches.foresee(actor=actor, memory_ids=ids, wish=wish)
    if foreseen.seen:
        batches.apply(actor=actor, seen=foreseen.seen, wish=wish)
    staying = Counter(why for _, why in foreseen.staying)
    return Outcome(len(foreseen.seen), staying + Counter({"It has expired or was purged.": foreseen.missing}))


@transaction.atomic
def purge(*, user: AbstractBaseUser, memories: Sequence[Memory], sure: bool = False) -> Outcome:
    living = [memory for memory in memories if memory.purged_at is None]
    for actor, ids in _reached(user, living):
        for memory_id in ids:
            operations.purge(actor=actor, memory_id=memory_id)
    return Outcome(len(living), Counter({"It was purged already.": len(memories) - len(living)}))


@transaction.atomic
def reembed(*, user: AbstractBaseUser, memories: Sequence[Memory]) -> Outcome:
    """Their vectors are made anew. The memories stay at their versions: nothing that they say changes."""
    living = [memory for memory in memories if memory.forgotten_at is None]
    embedding.renew(living)
    forgotten = Counter({"It is forgotten and has no vector.": len(memories) - len(living)})
    return Outcome(len(living), forgotten, done_to=living)


def _reached(user: AbstractBaseUser, memories: Sequence[Memory]) -> Iterator[tuple[Actor, list[UUID]]]:
    """The operator as one actor for each team and workspace, with what is to be done there."""
    places: dict[tuple[UUID, UUID | None], list[Memory]] = {}
    for memory in memories:
        workspace = memory.workspace_id if memory.team.organization.workspaces_enabled else None
        places.setdefault((memory.team_id, workspace), []).append(memory)
    for (_, workspace), some in places.items():
        audiences = {memory.audience for memory in some}
        actor = auth.operator_actor(user=user, team=some[0].team, audiences=audiences, workspace_id=workspace)
        yield actor, [memory.pk for memory in some]


class Nothing(forms.Form):
    """There is nothing to say."""


class Tags(forms.Form):
    tags = WordsField(help_text="With commas between them.", widget=UnfoldAdminTextInputWidget)


class Until(forms.Form):
    expires_at = MomentField(
        label="Expires at",
        help_text="In UTC. Empty: they stay.",
        widget=forms.DateTimeInput(
            attrs={"type": "datetime-local", "class": " ".join(DATETIME_CLASSES)}, format="%Y-%m-%dT%H:%M"
        ),
    )


class Reason(forms.Form):
    reason = forms.CharField(
        max_length=SUMMARY_LENGTH, help_text="Kept with the memory.", widget=UnfoldAdminTextInputWidget
    )


class Sure(forms.Form):
    sure = forms.BooleanField(label="I know that this cannot be undone", widget=UnfoldBooleanWidget)


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """One of the things that can be done."""

    label: str
    icon: str
    done: str  # said afterwards
    do: Doing
    permission: str
    form: type[forms.Form] = Nothing
    most: int = LOOK
    variant: str = "primary"  # how its button looks
    warning: str = ""
    for_forgotten: bool | None = False  # None: for all
    noted: str = ""  # in the operators' log, where no version tells of it


KINDS = {
    "pin": Kind(label="Pin", icon="keep", done="Pinned", do=partial(batch, Deed.PIN), permission="pin"),
    "unpin": Kind(label="Unpin", icon="keep_off", done="Unpinned", do=partial(batch, Deed.UNPIN), permission="pin"),
    "tag": Kind(label="Add tags", icon="sell", done="Tagged", do=partial(batch, Deed.TAG), permission="tag", form=Tags),
    "untag": Kind(
        label="Remove tags",
        icon="label_off",
        done="Untagged",
        do=partial(batch, Deed.UNTAG),
        permission="tag",
        form=Tags,
    ),
    "expire": Kind(
        label="Set expiry",
        icon="timer",
        done="Expiry set for",
        do=partial(batch, Deed.EXPIRE),
        permission="expire",
        form=Until,
    ),
    "forget": Kind(
        label="Forget",
        icon="delete",
        done="Forgot",
        do=partial(batch, Deed.FORGET),
        permission="forget",
        form=Reason,
        warning="They vanish from every read at once. They can be restored.",
    ),
    "restore": Kind(
        label="Restore",
        icon="restore_from_trash",
        done="Restored",
        do=partial(batch, Deed.RESTORE),
        permission="restore",
        for_forgotten=True,
    ),
    "reembed": Kind(
        label="Re-embed",
        icon="refresh",
        done="Queued new vectors for",
        do=reembed,
        permission="reembed",
        noted="Had its vectors made anew.",
    ),
    "purge": Kind(
        label="Purge",
        icon="delete_forever",
        done="Purged",
        do=purge,
        permission="purge",
        form=Sure,
        most=PURGED_AT_ONCE,
        variant="danger",
        warning="What they say is removed from every version, with their attachments, sources and links. For good.",
        for_forgotten=None,
    ),
}
