"""The pages of who is in a team: all below /t/<organization>/<team>/."""

from django.urls import path

from teams.views import agents, entering, members, projects

urlpatterns = [
    # agents and their tokens
    path("agents/", agents.page, name="agents"),
    path("agents/new/", agents.new, name="agent-new"),
    path("agents/<uuid:agent_id>/", agents.one, name="agent"),
    path("agents/<uuid:agent_id>/tokens/new/", agents.new_token, name="token-new"),
    path("agents/<uuid:agent_id>/tokens/shown/", agents.token_shown, name="token-shown"),
    path("tokens/<uuid:token_id>/revoke/", agents.revoke, name="token-revoke"),
    # projects and who is admitted to them
    path("projects/", projects.page, name="projects"),
    path("projects/new/", projects.new, name="project-new"),
    path("projects/<uuid:project_id>/", projects.one, name="project"),
    path("projects/<uuid:project_id>/admit/", projects.admit, name="project-admit"),
    path("admissions/<uuid:admission_id>/dismiss/", projects.dismiss, name="admission-dismiss"),
    # members and invitations
    path("members/", members.page, name="members"),
    path("members/invite/", members.invite, name="invite"),
    path("members/invite/shown/", members.link_shown, name="link-shown"),
    path("members/<uuid:membership_id>/role/<str:role>/", members.change_role, name="member-role"),
    path("members/<uuid:membership_id>/remove/", members.remove, name="member-remove"),
    path("members/return/<str:note>/", members.put_back, name="member-return"),
    path("invitations/<uuid:invitation_id>/revoke/", members.revoke, name="invitation-revoke"),
    # a place in it
    path("workspace/", entering.choose_workspace, name="choose-workspace"),
]
