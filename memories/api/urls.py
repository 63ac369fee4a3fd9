"""The REST endpoints under /api/v1/."""

from django.urls import path

from memories.api import (
    attachments,
    context,
    export,
    feedback,
    files,
    keys,
    me,
    memories,
    memory_actions,
    pairs,
    proposals,
    recall,
    sessions,
    tools,
)
from memories.tools import DIALECTS

urlpatterns = [
    path("me", me.Me.as_view(), name="api-me"),
    path("recall", recall.Recall.as_view(), name="api-recall"),
    path("recall/why-not", recall.WhyNot.as_view(), name="api-why-not"),
    path("recalls", recall.Recalls.as_view(), name="api-recalls"),
    path("memories", memories.Memories.as_view(), name="api-memories"),
    path("memories/batch", memories.Batch.as_view(), name="api-batch"),
    path("memories/<uuid:memory_id>", memories.OneMemory.as_view(), name="api-memory"),
    path("memories/<uuid:memory_id>/append", memories.Append.as_view(), name="api-append"),
    path("memories/<uuid:memory_id>/pin", memory_actions.Pin.as_view(), name="api-pin"),
    path("memories/<uuid:memory_id>/tags", memory_actions.Tags.as_view(), name="api-tags"),
    path("memories/<uuid:memory_id>/expire", memory_actions.Expire.as_view(), name="api-expire"),
    path("memories/<uuid:memory_id>/move", memory_actions.Move.as_view(), name="api-move"),
    path("memories/<uuid:memory_id>/purge", memory_actions.Purge.as_view(), name="api-purge"),
    path("memories/<uuid:memory_id>/feedback", feedback.MemoryFeedback.as_view(), name="api-feedback"),
    path("memories/<uuid:memory_id>/verify", memories.Verify.as_view(), name="api-verify"),
    path("memories/<uuid:memory_id>/restore", memories.Restore.as_view(), name="api-restore"),
    path("memories/<uuid:memory_id>/history", memories.History.as_view(), name="api-history"),
    path("memories/<uuid:memory_id>/revert", memories.Revert.as_view(), name="api-revert"),
    path("memories/<uuid:memory_id>/supersede", proposals.Supersede.as_view(), name="api-supersede"),
    path("memories/<uuid:memory_id>/reinstate", proposals.Reinstate.as_view(), name="api-reinstate"),
    path("memories/<uuid:memory_id>/associations", attachments.Associations.as_view(), name="api-associations"),
    path(
        "memories/<uuid:memory_id>/associations/<uuid:target_id>",
        attachments.OneAssociation.as_view(),
        name="api-association",
    ),
    path("memories/<uuid:memory_id>/assets", attachments.Assets.as_view(), name="api-assets"),
    path("memories/<uuid:memory_id>/assets/<uuid:asset_id>", attachments.OneAsset.as_view(), name="api-asset"),
    path("memories/<uuid:memory_id>/sources", attachments.Sources.as_view(), name="api-sources"),
    path("memories/<uuid:memory_id>/sources/<uuid:source_id>", attachments.OneSource.as_view(), name="api-source"),
    path("proposals", proposals.Proposals.as_view(), name="api-proposals"),
    path("proposals/<uuid:proposal_id>", proposals.OneProposal.as_view(), name="api-proposal"),
    path("pairs", pairs.Pairs.as_view(), name="api-pairs"),
    path("pairs/<uuid:pair_id>", pairs.OnePair.as_view(), name="api-pair"),
    path("pairs/<uuid:pair_id>/settle", pairs.SettlePair.as_view(), name="api-settle-pair"),
    path("pairs/<uuid:pair_id>/reopen", pairs.ReopenPair.as_view(), name="api-reopen-pair"),
    path("timeline/<path:key>", proposals.Timeline.as_view(), name="api-timeline"),
    path("keys/<path:key>", keys.Key.as_view(), name="api-key"),
    path("files", files.Files.as_view(), name="api-files"),
    path("files/<path:path>", files.OneFile.as_view(), name="api-file"),
    path("file-history/<path:path>", files.FileHistory.as_view(), name="api-file-history"),
    path("export", export.Export.as_view(), name="api-export"),
    path("context", context.Context.as_view(), name="api-context"),
    path("sessions/<path:name>/archive", sessions.Archive.as_view(), name="api-session-archive"),
    path("sessions/<path:name>/extract", sessions.Extract.as_view(), name="api-session-extract"),
    path("sessions/<path:name>", sessions.SessionDetail.as_view(), name="api-session"),
    path("tools", tools.Tools.as_view(), name="api-tools"),
    *(
        path(f"tools/{dialect}/{tool.name}", tools.call_of(dialect, tool).as_view(), name=f"api-{dialect}-{tool.name}")
        for dialect, every in DIALECTS.items()
        for tool in every
    ),
    path("tools/hub/<str:name>", tools.HubTool.as_view(), name="api-hub-tool"),
    path("tools/<str:dialect>/<str:name>", tools.NoTool.as_view(), name="api-no-tool"),
]
