from django.urls import path

from memories.api import context, sessions, tools, views

urlpatterns = [
    path("me", views.Me.as_view(), name="api-me"),
    path("recall", views.Recall.as_view(), name="api-recall"),
    path("recall/why-not", views.WhyNot.as_view(), name="api-why-not"),
    path("context", context.Context.as_view(), name="api-context"),
    path("sessions/<path:name>/archive", sessions.Archive.as_view(), name="api-session-archive"),
    path("sessions/<path:name>/extract", sessions.Extract.as_view(), name="api-session-extract"),
    path("sessions/<path:name>", sessions.SessionDetail.as_view(), name="api-session"),
    path("memories", views.Memories.as_view(), name="api-memories"),
    path("memories/<uuid:memory_id>", views.MemoryDetail.as_view(), name="api-memory"),
    path("tools", tools.Tools.as_view(), name="api-tools"),
    path("tools/<str:dialect>/<str:name>", tools.ToolCall.as_view(), name="api-tool"),
]
