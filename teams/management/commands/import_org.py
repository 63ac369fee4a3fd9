"""Makes the teams and agents that an organization's files tell of."""

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
        "Makes the teams and agents that DIR/org/teams/*.md (or DIR/teams/*.md, or DIR/*.md) tell of: all of them or, "
        "where something is wrong, none. Doing it twice does no harm."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", metavar="DIR", type=Path)
        parser.add_argument("--organization", default="", metavar="SLUG", help="By default the only one there is.")
        parser.add_argument("--dry-run", action="store_true", help="Says what it would make, and makes nothing.")
        parser.add_argument("--tokens", action="store_true", help="Prints a token for each agent that has none.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            teams = org_files.read(options["folder"])
            with transaction.atomic():
                organization = _organization(options["organization"])
                made, agents = _make(organization, teams)
                tokens = _tokens(agents) if options["tokens"] and not options["dry_run"] else []
                transaction.set_rollback(options["dry_run"])
        except Trouble as error:
            raise CommandError(error.message) from error
        verb = "Would make" if options["dry_run"] else "Made"
        self.stdout.write("\n".join(f"{verb} {thing}." for thing in made) or "Everything is there already.")
        for line in (*_empty(teams), *tokens):
            self.stdout.write(line)


def _empty(teams: Iterable[ListedTeam]) -> list[str]:
    """So that agents listed in a way we do not know are not missed in silence."""
    return [f"{team.place}: No agents are listed here." for team in teams if team.place and not team.agents]


def _organization(slug: str) -> Organization:
    if slug:
        return operations.ensure_organization(slug=slug)
    known = list(Organization.objects.all()[:2])
    if len(known) != 1:
        raise CommandError("Say which organization: --organization SLUG. It is made if it is missing.")
    return known[0]


def _make(organization: Organization, listed: Iterable[ListedTeam]) -> tuple[list[str], list[Agent]]:
    """What was not there before, in words, and every agent that is listed."""
    made: list[str] = []
    agents: list[Agent] = []
    for told in listed:
        team = _team(organization, told, made)
        agents += [_agent(team, agent, made) for agent in told.agents]
    return made, agents


def _team(organization: Organization, told: ListedTeam, made: list[str]) -> Team:
    teams = Team.objects.filter(organization=organization)
    if told.slug == operations.ROOT_SLUG:
        return teams.get(parent=None)
    known = teams.filter(slug=told.slug).exists()
    said = {"parent": told.parent, "name": told.name, "description": told.description}
    try:
        team = operations.ensure_team(organization=organization, slug=told.slug, **said)
    except Trouble as error:
        raise CommandError(f"{told.place}: {error.message}") from error
    if not known:
        made.append(f"team {team.slug} under {team.parent.slug if team.parent else organization.slug}")
    return team


def _agent(team: Team, told: ListedAgent, made: list[str]) -> Agent:
    namesakes = Agent.objects.filter(organization=team.organization_id, slug=told.slug).select_related("team")
    known = {agent.team_id: agent for agent in namesakes}
    if known and team.pk not in known:
        elsewhere = " and ".join(agent.team.slug for agent in known.values())
        raise CommandError(f"{told.place}: Agent {told.slug} is in team {elsewhere} already: move it there first.")
    try:
        agent = operations.ensure_agent(team=team, slug=told.slug, level=told.level)
    except Trouble as error:
        raise CommandError(f"{told.place}: {error.message}") from error
    if not known:
        made.append(f"agent {agent.slug}, {agent.level} of {team.slug}")
    return agent


def _tokens(agents: Iterable[Agent]) -> list[str]:
    """For those that have none that works; each is shown this once."""
    living = Token.objects.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now()), revoked_at=None)
    served = set(living.filter(agent__in=agents).values_list("agent_id", flat=True))
    return [f"{agent.slug} {operations.issue_token(agent=agent).text}" for agent in agents if agent.pk not in served]
