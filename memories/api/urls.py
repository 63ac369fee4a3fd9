"""The REST endpoints under /api/v1/."""

from django.urls import path

from memories.api import me, memories, recalling

urlpatterns = [
    path("me", me.Me.as_view(), name="api-me"),
    path("recall", recalling.Recall.as_view(), name="api-recall"),
    path("recall/why-not", recalling.WhyNot.as_view(), name="api-why-not"),
    path("memories", memories.Memories.as_view(), name="api-memories"),
    path("memories/batch", memories.Batch.as_view(), name="api-batch"),
    path("memories/<uuid:memory_id>", memories.OneMemory.as_view(), name="api-memory"),
    path("memories/<uuid:memory_id>/append", memories.Append.as_view(), name="api-append"),
    path("memories/<uuid:memory_id>/verify", memories.Verify.as_view(), name="api-verify"),
    path("memories/<uuid:memory_id>/restore", memories.Restore.as_view(), name="api-restore"),
    path("memories/<uuid:memory_id>/history", memories.History.as_view(), name="api-history"),
    path("memories/<uuid:memory_id>/revert", memories.Revert.as_view(), name="api-revert"),
]
