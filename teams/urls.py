"""The pages of who is in a team: all below /t/<organization>/<team>/."""

from django.urls import path

from teams.views import agents, entering, members, tree

urlpatterns = [
    path("agents/", agents.page, name="agents"),
    path("members/", members.page, name="members"),
    path("tree/", tree.page, name="tree"),
    path("workspace/", entering.choose_workspace, name="choose-workspace"),
]
