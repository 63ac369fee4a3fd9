"""The pages of a team's memories: all below /t/<organization>/<team>/."""

from django.urls import path

from memories.views import (
    acting,
    activity,
    batches,
    context,
    conversations,
    core,
    editing,
    export,
    file_changes,
    file_uploads,
    files,
    home,
    lists,
    memory,
    palette,
    playground,
    questions,
    recalls,
)

urlpatterns = [
    path("", home.page, name="team-home"),
    path("reviewed/<uuid:memory_id>/", home.still_true, name="still-true"),
    path("reviewed/<uuid:memory_id>/<int:version>/undo/", home.not_checked, name="still-true-undo"),
    # lists
    path("memories/", lists.page, name="memories"),
    path("memories/batches/preview/", batches.preview, name="memories-batch-preview"),
    path("memories/batches/", batches.apply, name="memories-batch-apply"),
    path("memories/batches/<uuid:batch_id>/", batches.page, name="memories-batch"),
    path("memories/batches/<uuid:batch_id>/undo/", batches.undo, name="memories-batch-undo"),
    # one memory
    path("memories/new/", editing.new, name="memory-new"),
    path("memories/<uuid:memory_id>/", memory.page, name="memory"),
    path("memories/<uuid:memory_id>/edit/", editing.edit, name="memory-edit"),
    path("memories/<uuid:memory_id>/pin/", acting.pin, name="memory-pin"),
    path("memories/<uuid:memory_id>/forget/", acting.forget, name="memory-forget"),
    path("memories/<uuid:memory_id>/restore/", acting.restore, name="memory-restore"),
    # core memory and recall
    path("core/", core.page, name="core"),
    path("core/write/", core.write, name="core-write"),
    path("core/read/", context.page, name="core-read"),
    path("core/<uuid:memory_id>/edit/", core.edit, name="core-edit"),
    path("core/<uuid:memory_id>/history/", core.history, name="core-history"),
    path("core/<uuid:memory_id>/revert/<int:version>/", core.revert, name="core-revert"),
    path("recall/", playground.page, name="playground"),
    # activity
    path("activity/", activity.page, name="activity"),
    path("activity/recalls/", recalls.page, name="activity-recalls"),
    path("activity/known/", recalls.known, name="activity-known"),
    path("activity/questions/", questions.page, name="activity-questions"),
    path("activity/questions/dismiss/", questions.dismiss, name="question-dismiss"),
    path("activity/questions/<uuid:settled_id>/reopen/", questions.reopen, name="question-reopen"),
    # files and conversations
    path("files/", files.page, name="files"),
    path("files/<path:folder>/", files.page, name="folder"),
    path("files/<path:path>", files.read, name="file"),
    path("file/new/", file_changes.new, name="file-new"),  # beside the files, whose paths may be whatever they like
    path("file/upload/", file_uploads.page, name="file-upload"),
    path("file/deleted/", files.deleted, name="files-deleted"),
    path("file/edit/<path:path>", file_changes.edit, name="file-edit"),
    path("file/move/<path:path>", file_changes.move, name="file-move"),
    path("file/delete/<path:path>", file_changes.delete, name="file-delete"),
    path("file/restore/<uuid:file_id>/", file_changes.restore, name="file-restore"),
    path("file/history/<path:path>", files.history, name="file-history"),
    path("file/revert/<int:version>/<path:path>", file_changes.revert, name="file-revert"),
    path("file/download/<path:path>", files.download, name="file-download"),
    path("conversations/", conversations.page, name="conversations"),
    path("conversations/<path:path>", conversations.read, name="conversation"),
    path("export/", export.page, name="export"),
    path("export/archive.zip", export.archive, name="export-archive"),
    # everywhere
    path("palette/", palette.page, name="palette"),
]
