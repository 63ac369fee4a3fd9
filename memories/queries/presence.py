"""Presence of memories that a history or the recall log names: which of them the reader can still see."""

from collections.abc import Collection
from enum import StrEnum
from uuid import UUID

from memories.models import Memory
from teams.actor import Actor


class Presence(StrEnum):
    HERE = "here"
    FORGOTTEN = "forgotten"  # and theirs to restore
    GONE = "gone"  # forgotten, expired, purged, or no longer for them: they are told nothing of it


def find_presence(*, actor: Actor, memory_ids: Collection[UUID]) -> dict[UUID, Presence]:
    here = Memory.objects.visible_to(actor).filter(pk__in=memory_ids).values_list("pk", flat=True)
    forgotten = Memory.objects.restorable_by(actor).filter(pk__in=memory_ids).values_list("pk", flat=True)
    return {
        **dict.fromkeys(memory_ids, Presence.GONE),
        **dict.fromkeys(forgotten, Presence.FORGOTTEN),
        **dict.fromkeys(here, Presence.HERE),
    }
