"""Memories get the provenance of their author; those that were held for review as forgotten become proposals."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import migrations
from django.utils import timezone

HELD_REASON = "Held for review: restore it to approve it."
BATCH = 500


def tell_provenance(apps: Any, schema_editor: Any) -> None:
    for name in ("Memory", "Revision"):
        rows = apps.get_model("memories", name).objects.using(schema_editor.connection.alias)
        rows.filter(source="auto").update(provenance="extraction")
        rows.exclude(source="auto").filter(user__isnull=False, agent=None).update(provenance="person")


def propose_held_memories(apps: Any, schema_editor: Any) -> None:
    memories = apps.get_model("memories", "Memory").objects.using(schema_editor.connection.alias)
    revisions = apps.get_model("memories", "Revision").objects.using(schema_editor.connection.alias)
    proposals = apps.get_model("memories", "Proposal").objects.using(schema_editor.connection.alias)
    held = memories.filter(forget_reason=HELD_REASON, forgotten_at__isnull=False, purged_at=None, status="active")
    now = timezone.now()
    while batch := list(held.order_by("pk").values()[:BATCH]):
        ids = [row["id"] for row in batch]
        revisions.filter(memory__in=ids).update(status="proposed")
        memories.filter(pk__in=ids).update(
            status="proposed", forgotten_at=None, forgotten_by="", forget_reason="", owns_key=False
        )
        proposals.bulk_create(
            proposals.model(
                organization_id=row["organization_id"],
                memory_id=row["id"],
                agent_id=row["agent_id"],
                user_id=row["user_id"],
                created_at=row["created_at"],
                operation="save",
                base_version=row["version"],
                cause="extraction",
                reason="It was extracted from a conversation and held for review.",
                provenance="extraction",
                expires_at=now + timedelta(days=settings.PROPOSAL_DAYS),
            )
            for row in batch
        )


class Migration(migrations.Migration):
    dependencies = [("memories", "0015_trust")]

    operations = [
        migrations.RunPython(tell_provenance, migrations.RunPython.noop),
        migrations.RunPython(propose_held_memories, migrations.RunPython.noop),
    ]
