"""The pages of a team's memories: all below /t/<organization>/<team>/."""

from django.urls import path

from memories.views import (
    actions,
    activity,
    attachments,
    bulk_edit,
    context,
    conversations,
    core,
    export,
    file_edit,
    file_uploads,
    files,
    history,
    home,
    lists,
    memory,
    memory_edit,
    palette,
    playground,
    recall_log,
    token_activity,
    tree,
    unanswered,
)

urlpatterns = [
    path("", home.show_home, name="team-home"),
    path("reviewed/<uuid:memory_id>/", home.mark_still_true, name="still-true"),
    # lists
    path("memories/", lists.show_memories, name="memories"),
    path("memories/batches/preview/", bulk_edit.preview_bulk_edit, name="memories-batch-preview"),
    path("memories/batches/", bulk_edit.show_batches, name="memories-batches"),
    path("memories/batches/<uuid:batch_id>/", bulk_edit.show_batch, name="memories-batch"),
    path("memories/batches/<uuid:batch_id>/undo/", bulk_edit.undo_batch, name="memories-batch-undo"),
    # one memory
    path("memories/new/", memory_edit.create_memory_view, name="memory-new"),
    path("memories/<uuid:memory_id>/", memory.show_memory, name="memory"),
    path("memories/<uuid:memory_id>/edit/", memory_edit.edit_memory_view, name="memory-edit"),
    path("memories/<uuid:memory_id>/pin/", actions.pin_memory_view, name="memory-pin"),
    path("memories/<uuid:memory_id>/forget/", actions.forget_memory_view, name="memory-forget"),
    path("memories/<uuid:memory_id>/restore/", actions.restore_memory_view, name="memory-restore"),
    path("memories/<uuid:memory_id>/revert/", actions.revert_memory_view, name="memory-revert"),
    path("memories/<uuid:memory_id>/verify/", actions.verify_memory_view, name="memory-verify"),
    path("memories/<uuid:memory_id>/expire/", actions.expire_memory_view, name="memory-expire"),
    path("memories/<uuid:memory_id>/tag/", actions.tag_memory_view, name="memory-tag"),
    path("memories/<uuid:memory_id>/rescope/", actions.rescope_memory_view, name="memory-rescope"),
    path("memories/<uuid:memory_id>/purge/", actions.purge_memory_view, name="memory-purge"),
    path("memories/<uuid:memory_id>/history/", history.show_history, name="memory-history"),
    path("memories/<uuid:memory_id>/attach/", attachments.attach_files, name="memory-attach"),
    path("memories/<uuid:memory_id>/assets/<uuid:asset_id>/", attachments.show_asset, name="memory-asset"),
    path("memories/<uuid:memory_id>/assets/<uuid:asset_id>/remove/", attachments.detach_files, name="memory-detach"),
    path(
        "memories/<uuid:memory_id>/assets/<uuid:asset_id>/restore/", attachments.reattach_files, name="memory-reattach"
    ),
    path("memories/<uuid:memory_id>/link/", attachments.link_memory_view, name="memory-link"),
    path("memories/<uuid:memory_id>/unlink/", attachments.unlink_memory_view, name="memory-unlink"),
    path("memories/<uuid:memory_id>/cite/", attachments.add_source, name="memory-cite"),
    path("memories/<uuid:memory_id>/sources/<uuid:source_id>/remove/", attachments.remove_source, name="memory-uncite"),
    path(
        "memories/<uuid:memory_id>/sources/<uuid:source_id>/restore/", attachments.restore_source, name="memory-recite"
    ),
    # core memory and recall
    path("core/", core.show_core, name="core"),
    path("core/write/", core.write_core, name="core-write"),
    path("core/read/", context.show_agent_context, name="core-read"),
    path("core/<uuid:memory_id>/edit/", core.edit_core, name="core-edit"),
    path("core/<uuid:memory_id>/history/", core.show_core_history, name="core-history"),
    path("core/<uuid:memory_id>/revert/<int:version>/", core.revert_core, name="core-revert"),
    path("recall/", playground.show_playground, name="playground"),
    # activity
    path("activity/", activity.show_activity, name="activity"),
    path("activity/recalls/", recall_log.show_recalls, name="activity-recalls"),
    path("activity/known/", recall_log.show_knowledge, name="activity-known"),
    path("activity/tokens/<uuid:token_id>/", token_activity.show_token_activity, name="token"),
    path("activity/questions/", unanswered.show_questions, name="activity-questions"),
    path("activity/questions/dismiss/", unanswered.dismiss_question_view, name="question-dismiss"),
    path("activity/questions/<uuid:settled_id>/reopen/", unanswered.reopen_question_view, name="question-reopen"),
    # files and conversations
    path("files/", files.show_folder, name="files"),
    path("files/<path:folder>/", files.show_folder, name="folder"),
    path("files/<path:path>", files.show_file, name="file"),
    path(
        "file/new/", file_edit.create_file_view, name="file-new"
    ),  # beside the files, whose paths may be whatever they like
    path("file/upload/", file_uploads.upload_files_view, name="file-upload"),
    path("file/deleted/", files.show_deleted_files, name="files-deleted"),
    path("file/edit/<path:path>", file_edit.edit_file_view, name="file-edit"),
    path("file/move/<path:path>", file_edit.move_file_view, name="file-move"),
    path("file/delete/<path:path>", file_edit.delete_file_view, name="file-delete"),
    path("file/restore/<uuid:file_id>/", file_edit.restore_file_view, name="file-restore"),
    path("file/history/<path:path>", files.show_file_history, name="file-history"),
    path("file/revert/<int:version>/<path:path>", file_edit.revert_file_view, name="file-revert"),
    path("file/download/<path:path>", files.download_file, name="file-download"),
    path("conversations/", conversations.show_conversations, name="conversations"),
    path("conversations/<path:path>", conversations.show_conversation, name="conversation"),
    path("export/", export.show_export, name="export"),
    path("export/archive.zip", export.download_archive, name="export-archive"),
    path("tree/", tree.show_tree, name="tree"),
    path("export/progress/", export.show_export_progress, name="export-progress"),
    # everywhere
    path("palette/", palette.show_palette, name="palette"),
]
