"""The pages of a team's agents, projects and members, below /t/<organization>/<team>/."""

from django.urls import path

from teams.views import agents, enter_team, members, projects

urlpatterns = [
    # agents and their tokens
    path("agents/", agents.list_agents, name="agents"),
    path("agents/new/", agents.add_agent, name="agent-new"),
    path("agents/<uuid:agent_id>/", agents.show_agent, name="agent"),
    path("agents/<uuid:agent_id>/tokens/new/", agents.add_token, name="token-new"),
    path("agents/<uuid:agent_id>/tokens/shown/", agents.show_new_token, name="token-shown"),
    path("tokens/<uuid:token_id>/persons/", agents.edit_token_persons, name="token-persons"),
    path("tokens/<uuid:token_id>/revoke/", agents.revoke_token_action, name="token-revoke"),
    # projects and their guests
    path("projects/", projects.list_projects, name="projects"),
    path("projects/new/", projects.add_project, name="project-new"),
    path("projects/<uuid:project_id>/", projects.show_project, name="project"),
    path("projects/<uuid:project_id>/admit/", projects.admit_to_project, name="project-admit"),
    path("admissions/<uuid:admission_id>/dismiss/", projects.dismiss_guest_action, name="admission-dismiss"),
    # members and invitations
    path("members/", members.list_members, name="members"),
    path("members/invite/", members.invite_member, name="invite"),
    path("members/invite/shown/", members.show_invitation_link, name="link-shown"),
    path("members/<uuid:membership_id>/role/<str:role>/", members.change_role_action, name="member-role"),
    path("members/<uuid:membership_id>/remove/", members.remove_member_action, name="member-remove"),
    path("members/return/<str:note>/", members.put_back_member_action, name="member-return"),
    path("invitations/<uuid:invitation_id>/revoke/", members.revoke_invitation_action, name="invitation-revoke"),
    # the workspace
    path("workspace/", enter_team.choose_workspace, name="choose-workspace"),
]
