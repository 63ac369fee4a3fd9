"""The REST endpoints for tools of people, who are logged in by their browser's session: below a team's address."""

from django.urls import path

from memories.api import golden, review

urlpatterns = [
    path("review", review.Review.as_view(), name="api-review"),
    path("proposals/<uuid:proposal_id>/approve", review.Approve.as_view(), name="api-proposal-approve"),
    path("proposals/<uuid:proposal_id>/reject", review.Reject.as_view(), name="api-proposal-reject"),
    path("proposals/<uuid:proposal_id>/merge", review.Merge.as_view(), name="api-proposal-merge"),
    path("proposals/<uuid:proposal_id>/reopen", review.Reopen.as_view(), name="api-proposal-reopen"),
    path("pairs/<uuid:pair_id>/settle", review.SettleReviewedPair.as_view(), name="api-review-pair-settle"),
    path("pairs/<uuid:pair_id>/reopen", review.ReopenReviewedPair.as_view(), name="api-review-pair-reopen"),
    path("anchors/<uuid:source_id>/accept", review.AcceptAnchor.as_view(), name="api-anchor-accept"),
    path("anchors/<uuid:source_id>/reopen", review.ReopenAnchor.as_view(), name="api-anchor-reopen"),
    path("reports/<uuid:memory_id>/dismiss", review.DismissReports.as_view(), name="api-reports-dismiss"),
    path("reports/<uuid:memory_id>/reopen", review.ReopenReports.as_view(), name="api-reports-reopen"),
    path("golden-questions", golden.GoldenQuestions.as_view(), name="api-golden-questions"),
    path("golden-questions/run", golden.RunGoldenQuestions.as_view(), name="api-golden-run"),
    path("golden-questions/<uuid:question_id>", golden.GoldenQuestionDetail.as_view(), name="api-golden-question"),
    path(
        "golden-questions/<uuid:question_id>/restore",
        golden.RestoreGoldenQuestion.as_view(),
        name="api-golden-restore",
    ),
]
