"""The same few people and agents everywhere, and who of them may see and change what.

The story: Acme separates workspaces. The team *ops* works under *executive*, beside *sales*. The writer writes in the
project *apollo*, for Mira, in the workspace *blue*.
"""

from dataclasses import dataclass, field, replace

from django.contrib.auth.models import User

from memories import operations
from memories.models import Memory, Scope
from teams import operations as registry
from teams import rights
from teams.actor import Actor
from teams.call_context import CallContext
from teams.models import Admission, Agent, Level, Organization, Person, Project, Role, Team, Verb, Workspace
from tests import factories

AT_WORK = {"project": "apollo", "user": "mira", "workspace": "blue"}
NOWHERE = CallContext()
WORKSPACES = ("blue", "green")

AGENTS = ("writer", "teammate", "bystander", "director", "guest", "stranger", "elsewhere", "outsider")
PEOPLE = ("viewer", "editor", "owner", "mira")
EVERYBODY = (*AGENTS, *PEOPLE)

WHO_SEES = {
    Scope.TEAM: {"writer", "teammate", "bystander", "director", "viewer", "editor", "owner"},
    Scope.PROJECT: {"writer", "teammate", "guest", "viewer", "editor", "owner"},
    Scope.AGENT: {"writer", "owner"},
    Scope.GLOBAL: {"writer", "teammate", "guest", "mira"},
}
WHO_CHANGES = {scope: names - {"viewer"} for scope, names in WHO_SEES.items()}


@dataclass(frozen=True)
class Member:
    """One of the cast, with what each door needs to know of them."""

    name: str
    agent: Agent | None = None
    user: User | None = None
    context: CallContext = NOWHERE
    tokens: dict[tuple[Verb, ...], str] = field(default_factory=dict)

    def actor(self) -> Actor:
        if self.agent:
            return rights.actor_of_agent(agent=self.agent, context=self.context)
        assert self.user
        return rights.login_actor(user=self.user, workspace=self.context.workspace)

    def token(self, *verbs: Verb) -> str:
        assert self.agent
        if verbs not in self.tokens:
            self.tokens[verbs] = registry.issue_token(agent=self.agent, verbs=verbs or tuple(Verb)).text
        return self.tokens[verbs]


@dataclass(frozen=True)
class Cast:
    members: dict[str, Member]
    ops: Team
    sales: Team
    executive: Team
    project: Project

    def __getitem__(self, name: str) -> Member:
        return self.members[name]

    def memory(
        self, scope: Scope = Scope.TEAM, content: str = "The pager is in the left drawer.", **said: object
    ) -> Memory:
        """Save a memory as the writer; without a key a new one, even if its text is there already."""
        dedupe = operations.Dedupe.UPDATE if said.get("key") else operations.Dedupe.CREATE
        draft = operations.Draft(content=content, scope=scope, dedupe=dedupe)
        return operations.save_memory(actor=self["writer"].actor(), draft=replace(draft, **said))  # type: ignore[arg-type]


def assemble() -> Cast:
    acme = registry.ensure_organization(slug="acme")
    Organization.objects.filter(pk=acme.pk).update(workspaces_enabled=True)
    for slug in WORKSPACES:
        Workspace.objects.create(organization=acme, slug=slug, name=slug)
    ops = registry.ensure_team(organization=acme, slug="ops")
    sales = registry.ensure_team(organization=acme, slug="sales")
    project = Project.objects.create(organization=acme, team=ops, slug="apollo", name="Apollo")
    at_work, in_blue = CallContext(**AT_WORK), CallContext(workspace="blue")
    members = {
        "writer": Member("writer", factories.agent(ops, "writer"), context=at_work),
        "teammate": Member("teammate", factories.agent(ops, "teammate"), context=at_work),
        "bystander": Member("bystander", factories.agent(ops, "bystander"), context=in_blue),
        "director": Member("director", factories.agent(ops, "director", Level.DIRECTOR), context=in_blue),
        "guest": Member("guest", factories.agent(sales, "guest"), context=at_work),
        "stranger": Member("stranger", factories.agent(sales, "stranger"), context=in_blue),
        "elsewhere": Member(
            "elsewhere", factories.agent(ops, "elsewhere"), context=replace(at_work, workspace="green")
        ),
        "outsider": Member("outsider", factories.agent(factories.team(factories.organization("globex")), "outsider")),
    }
    Admission.objects.create(organization=acme, project=project, agent=members["guest"].agent)
    for name, role in (("viewer", Role.VIEWER), ("editor", Role.EDITOR), ("owner", Role.OWNER)):
        members[name] = Member(name, user=factories.member(ops, role, name), context=in_blue)
    mira = factories.member(sales, Role.VIEWER, "mira")
    Person.objects.create(organization=acme, handle="mira", user=mira)
    members["mira"] = Member("mira", user=mira, context=in_blue)
    executive = Team.objects.get(organization=acme, parent=None)
    return Cast(members, ops, sales, executive, project)
