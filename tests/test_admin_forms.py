"""The operators' own forms: they add, change and take away as owners would, through the operations."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from teams import operations as registry
from teams import rights
from teams.models import Admission, Agent, Invitation, Membership, Organization, Project, Role, Team
from tests import factories
from tests.test_admin import at, follow_action_text

pytestmark = pytest.mark.django_db


def membership(team: Team, role: Role) -> Membership:
    return Membership.objects.get(team=team, user=factories.member(team, role))


def test_the_last_owner_stays_whichever_form_is_used(operator: Client, team: Team) -> None:
    owner = membership(team, Role.OWNER)
    page = at(Membership, "change", owner.pk)
    chosen = {"action": "delete_selected", "_selected_action": [str(owner.pk)], "post": "yes"}
    tries = {page: {"role": "viewer"}, at(Membership, "delete", owner.pk): {"post": "yes"}, at(Membership): chosen}
    for address, said in tries.items():
        assert "A team needs an owner." in follow_action_text(operator, operator.post(address, said)), address
    owner.refresh_from_db()
    assert owner.role == Role.OWNER
    assert not LogEntry.objects.exists()


def test_an_owner_who_steps_down_takes_their_links_along(operator: Client, team: Team) -> None:
    stays, goes = membership(team, Role.OWNER), membership(team, Role.OWNER)
    for owner in (stays, goes):
        actor = rights.login_actor(user=owner.user, team_id=team.pk)
        registry.invitations.create_invitation(actor=actor, role=Role.VIEWER, lasts=timedelta(days=1))
    operator.post(at(Membership, "change", goes.pk), {"role": "editor"})
    goes.refresh_from_db()
    assert goes.role == Role.EDITOR
    assert [invitation.made_by for invitation in Invitation.objects.filter(revoked_at=None)] == [stays.user]
    operator.post(at(Membership, "delete", goes.pk), {"post": "yes"})
    assert not Membership.objects.filter(pk=goes.pk).exists()
    assert {entry.user.username for entry in LogEntry.objects.all()} == {"olga"}


def test_the_first_owner_is_added(operator: Client, team: Team) -> None:
    user = factories.login("odile")
    said = {"organization": str(team.organization_id), "team": str(team.pk), "user": user.pk, "role": "owner"}
    assert operator.post(at(Membership, "add"), said).status_code == 302
    assert Membership.objects.get(team=team, user=user).role == Role.OWNER


def test_agents_are_made_and_promoted_by_those_who_run_the_hub(operator: Client, team: Team) -> None:
    said = {"organization": str(team.organization_id), "team": str(team.pk), "slug": "scout", "level": "director"}
    assert operator.post(at(Agent, "add"), said).status_code == 302
    agent = Agent.objects.get(slug="scout")
    registry.issue_token(agent=agent)
    page = at(Agent, "change", agent.pk)
    hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', operator.get(page).text))
    operator.post(page, hidden | {"name": "Scout", "level": "member", "slug": "other"})
    agent.refresh_from_db()
    assert (agent.slug, agent.name, agent.level, agent.team_id) == ("scout", "Scout", "member", team.pk)
    assert LogEntry.objects.count() == 2


def test_projects_and_admissions_follow_the_same_rules(operator: Client, team: Team) -> None:
    here = {"organization": str(team.organization_id)}
    operator.post(at(Project, "add"), here | {"team": str(team.pk), "slug": "apollo", "name": "Apollo"})
    project = Project.objects.get(slug="apollo")
    operator.post(at(Project, "change", project.pk), {"name": "Apollo 2"})
    project.refresh_from_db()
    assert (project.name, project.team_id) == ("Apollo 2", team.pk)
    own, other = factories.agent(team), factories.agent(factories.team(within=team.organization))

    def admit(agent: Agent) -> Any:
        return operator.post(at(Admission, "add"), here | {"project": str(project.pk), "agent": str(agent.pk)})

    assert "so it may already use all of its projects" in follow_action_text(operator, admit(own))
    assert admit(other).status_code == 302
    admission = Admission.objects.get()
    assert admission.agent_id == other.pk
    operator.post(at(Admission, "delete", admission.pk), {"post": "yes"})
    assert not Admission.objects.exists()


def test_a_new_organization_has_a_root_team(operator: Client) -> None:
    assert operator.post(at(Organization, "add"), {"slug": "acme", "name": "Acme"}).status_code == 302
    organization = Organization.objects.get(slug="acme")
    assert Team.objects.get(organization=organization).parent is None
    assert registry.ensure_team(organization=organization, slug="support").parent is not None
