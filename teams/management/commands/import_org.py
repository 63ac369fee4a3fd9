"""Creates the teams and agents that an organization's markdown files describe."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from memoryhub.errors import Trouble
from teams import operations, org_files
from teams.models import Agent, Organization, Team, Token
from teams.org_files import ListedAgent, ListedTeam


class Command(BaseCommand):
    help = (
        "Create the teams and agents that DIR/org/teams/*.md (or DIR/teams/*.md, or DIR/*.md) describe: all of them, "
        "or none if anything is wrong. Running it twice does no harm."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", metavar="DIR", type=Path)
        parser.add_argument("--organization", default="", metavar="SLUG", help="Defaults to the only one.")
        parser.add_argument("--dry-run", action="store_true", help="Say what would be created, and create nothing.")
        parser.add_argument("--tokens", action="store_true", help="Print a token for each agent that has none.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            teams = org_files.read_org_files(options["folder"])
            with transaction.atomic():
                organization = _choose_organization(options["organization"])
                created, agents = _create_teams_and_agents(organization, teams)
                tokens = _issue_missing_tokens(agents) if options["tokens"] and not options["dry_run"] else []
                transaction.set_rollback(options["dry_run"])
        except Trouble as error:
            raise CommandError(error.message) from error
        verb = "Would create" if options["dry_run"] else "Created"
        self.stdout.write("\n".join(f"{verb} {thing}." for thing in created) or "Everything already exists.")
        for line in (*_describe_empty_teams(teams), *tokens):
            self.stdout.write(line)


def _describe_empty_teams(teams: Iterable[ListedTeam]) -> list[str]:
    """Report teams without agents, so that agents listed in a form we do not read are not missed silently."""
    return [f"{team.place}: No agents are listed here." for team in teams if team.place and not team.agents]


def _choose_organization(slug: str) -> Organization:
    if slug:
        return operations.ensure_organization(slug=slug)
    organizations = list(Organization.objects.all()[:2])
    if len(organizations) != 1:
        raise CommandError("Say which organization: --organization SLUG. It is created if it is missing.")
    return organizations[0]


def _create_teams_and_agents(organization: Organization, listed: Iterable[ListedTeam]) -> tuple[list[str], list[Agent]]:
    """Create what is missing. Return a line for each thing created, and every listed agent."""
    created: list[str] = []
    agents: list[Agent] = []
    for listed_team in listed:
        team = _ensure_listed_team(organization, listed_team, created)
        agents += [_ensure_listed_agent(team, agent, created) for agent in listed_team.agents]
    return created, agents


def _ensure_listed_team(organization: Organization, listed: ListedTeam, created: list[str]) -> Team:
    teams = Team.objects.filter(organization=organization)
    if listed.slug == operations.ROOT_SLUG:
        return teams.get(parent=None)
    exists = teams.filter(slug=listed.slug).exists()
    values = {"parent": listed.parent, "name": listed.name, "description": listed.description}
    try:
        team = operations.ensure_team(organization=organization, slug=listed.slug, **values)
    except Trouble as error:
        raise CommandError(f"{listed.place}: {error.message}") from error
    if not exists:
        created.append(f"team {team.slug} under {team.parent.slug if team.parent else organization.slug}")
    return team


def _ensure_listed_agent(team: Team, listed: ListedAgent, created: list[str]) -> Agent:
    namesakes = Agent.objects.filter(organization=team.organization_id, slug=listed.slug).select_related("team")
    by_team = {agent.team_id: agent for agent in namesakes}
    if by_team and team.pk not in by_team:
        elsewhere = " and ".join(agent.team.slug for agent in by_team.values())
        raise CommandError(f"{listed.place}: Agent {listed.slug} is already in team {elsewhere}: move it there first.")
    try:
        agent = operations.ensure_agent(team=team, slug=listed.slug, level=listed.level)
    except Trouble as error:
        raise CommandError(f"{listed.place}: {error.message}") from error
    if not by_team:
        created.append(f"agent {agent.slug}, {agent.level} of {team.slug}")
    return agent


def _issue_missing_tokens(agents: Iterable[Agent]) -> list[str]:
    """Issue a token to each agent without a working one. They are shown only this once."""
    living = Token.objects.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now()), revoked_at=None)
    served = set(living.filter(agent__in=agents).values_list("agent_id", flat=True))
    return [f"{agent.slug} {operations.issue_token(agent=agent).text}" for agent in agents if agent.pk not in served]
