"""A team in which every text that somebody can choose is an attack on the page that shows it."""

from datetime import timedelta
from itertools import cycle
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.core.files.base import ContentFile

from memories import operations, recall
from memories.conversations import transcript
from memories.models import BulkActionKind, Memory, Scope, Type
from memories.operations import bulk_edit
from teams import operations as registry
from teams import rights
from teams.actor import Actor
from teams.call_context import CallContext
from teams.models import Admission, Agent, Membership, Organization, Person, Project, Role, Team, Token, Workspace
from tests import factories

# Each would leave its mark on the window, if it ran.
PAYLOADS = (
    "<script>window.pwned=1</script>",
    '"><img src=x onerror="window.pwned=2">',
    "'><svg onload=window.pwned=3>",
    "</textarea><script>window.pwned=4</script>",
    "</title><script>window.pwned=5</script>",
    "</script><script>window.pwned=6</script>",
    "javascript:window.pwned=7",
    "[x](javascript:window.pwned=8)",
    '" autofocus onfocus="window.pwned=9" x="',
    "<iframe srcdoc='<script>parent.pwned=10</script>'>",
    "<a href='javascript:window.pwned=11' id=main>x</a>",
    "{{constructor.constructor('window.pwned=12')()}}",
    "<math><mtext><style><img src=x onerror=window.pwned=13>",
    "<div hx-get='/' hx-trigger='load' hx-on:click='window.pwned=14'>x</div>",
    "${window.pwned=15}`",
    "<base href='//elsewhere.example/'><meta http-equiv=refresh content='0;url=//elsewhere.example'>",
)
ALL = " ".join(PAYLOADS)[:1000]
# Which words of which address come back in the page.
HOSTILE_QUERIES = {
    "memories/": ("q", "tags", "tag", "category", "source", "cursor", "sort"),
    "memories/new/": ("content", "key", "summary", "category", "tags", "type"),
    "recall/": ("query", "why", "agent", "mode", "limit"),
    "core/read/": ("query", "agent", "project", "user", "budget"),
    "activity/": ("person", "agent", "change", "since", "cursor"),
    "activity/recalls/": ("agent", "q", "cursor"),
    "activity/known/": ("agent", "day", "q"),
    "files/": ("q",),
    "conversations/": ("q",),
    "file/new/": ("folder",),
    "file/upload/": ("folder",),
}
REFLECTED = [
    *(f"{path}?{urlencode({name: ALL})}" for path, names in HOSTILE_QUERIES.items() for name in names),
    *(f"{path}?{urlencode(dict.fromkeys(names, ALL))}" for path, names in HOSTILE_QUERIES.items() if len(names) > 1),
    f"recall/?{urlencode({'query': ALL, 'why': ALL})}",
    f"memories/?{urlencode({'forgotten': 'yes', 'q': ALL})}",
]
# Forms that are refused with all that was typed into them: where, which button, what.
REFUSED = (
    ("memories/new/", "Save", {"content": ALL, "key": ALL[:200], "tags": ALL[:200], "importance": "7"}),
    ("file/new/", "Save", {"path": "../" + ALL[:200], "file": ALL}),
    ("agents/new/", "Add the agent", {"slug": ALL[:50], "name": ALL[:100]}),
    ("projects/new/", "Add the project", {"slug": ALL[:50], "name": ALL[:100]}),
)
SAVE_ALL_ATTACKS = {
    "rules": [{"then": "save"}],
    "screening": {
        "injection": {"agents": "allow", "people": "allow"},
        "secret": {"agents": "allow", "people": "allow"},
    },
}
TAG = 60  # characters that fit everywhere
MARK = "window.pwned"


def plant_hostile_team() -> User:
    """The owner of such a team."""
    text = cycle(PAYLOADS)
    organization = registry.ensure_organization(slug="hostile")
    team = registry.ensure_team(organization=organization, slug="team")
    Organization.objects.filter(pk=organization.pk).update(name=next(text))
    Team.objects.filter(pk=team.pk).update(
        name=next(text), description=" ".join(PAYLOADS)[:1000], policy=SAVE_ALL_ATTACKS
    )
    team.refresh_from_db()
    owner = factories.member(team, Role.OWNER, next(text))
    for payload in PAYLOADS[:4]:
        member = factories.member(team, Role.EDITOR, f"{payload}!")
        Membership.objects.filter(user=member).update(role=Role.VIEWER)
    Person.objects.create(organization=organization, handle=next(text), name=next(text), user=owner)
    project = Project.objects.create(organization=organization, team=team, slug="project", name=next(text))
    agent = factories.agent(team, "agent")
    Agent.objects.filter(pk=agent.pk).update(name=next(text))
    registry.issue_token(agent=agent, label=next(text)[:100])
    User.objects.filter(pk=owner.pk).update(first_name=next(text)[:150], email=next(text))
    Admission.objects.create(organization=organization, project=project, person=Person.objects.get(user=owner))
    mine = rights.login_actor(user=owner, team_id=team.pk)
    registry.invitations.create_invitation(actor=mine, role=Role.VIEWER, lasts=timedelta(days=7))
    _remember(agent, project)
    _mark_many(mine)
    for number, payload in enumerate(PAYLOADS):
        Workspace.objects.create(organization=organization, slug=f"workspace-{number}", name=payload)
    Organization.objects.filter(pk=organization.pk).update(workspaces_enabled=True)
    return owner


def _mark_many(owner: Actor) -> None:
    """A batch that is done and listed."""
    seen = dict(Memory.objects.visible_to(owner).values_list("pk", "version")[:8])
    wish = bulk_edit.build_bulk_edit(
        kind=BulkActionKind.TAG, tags=[payload[:TAG] for payload in PAYLOADS[:16]], expires_at=None, reason=""
    )
    bulk_edit.apply_bulk_edit(actor=owner, seen=seen, wish=wish)


def _remember(agent: Agent, project: Project) -> None:
    text = cycle(PAYLOADS)
    context = {"project": project.slug, "user": "somebody", "session": PAYLOADS[0], "channel": PAYLOADS[1]}
    actor = rights.actor_of_token(token=Token.objects.get(agent=agent), context=CallContext(**context), register=True)
    last: Memory | None = None
    for number, payload in enumerate(PAYLOADS):
        scope = (Scope.TEAM, Scope.PROJECT, Scope.AGENT)[number % 3]
        memory = operations.save_memory(
            actor=actor,
            draft=operations.Draft(
                content=f"{payload}\n\n{number}",
                key=f"{next(text)} {number}",
                summary=next(text),
                type=Type.values[number % len(Type.values)],
                category=next(text)[:TAG],
                tags=[next(text)[:TAG], next(text)[:TAG]],
                source=next(text)[:TAG],
                metadata={next(text): next(text)},
                pinned=number % 2 == 0,
                scope=scope,
            ),
        )
        operations.update_memory(actor=actor, memory_id=memory.pk, content=f"{next(text)} {payload} {number} rollback")
        for kind in ("html", "png", "txt", "svg"):
            name = f"{payload.replace('/', '')} {number}.{kind}"
            operations.attach_file(actor=actor, memory_id=memory.pk, file=ContentFile(payload.encode()), name=name)
        operations.add_citation(
            actor=actor, memory_id=memory.pk, quote=payload, message_id=payload, url="https://e.example/" + payload
        )
        if last:
            operations.associate(actor=actor, origin_id=last.pk, target_id=memory.pk)
        operations.files.write_file(actor=actor, path=f"{payload.replace('/', '')} {number}/main.md", content=payload)
        operations.files.write_file(actor=actor, path=f"notes/{payload.replace('/', '')} {number}.md", content=payload)
        recall.recall(actor=actor, query=payload)
        unmet = recall.Filters(category=payload[:TAG], tags=[f"{payload[:TAG]}!"])
        recall.recall(actor=actor, query=f"{payload} {number}", filters=unmet)
        last = memory
    operations.save_memory(actor=actor, draft=operations.Draft(content="\n\n".join(PAYLOADS), key="core"))
    gone = operations.save_memory(actor=actor, draft=operations.Draft(content=PAYLOADS[0]))
    operations.forget_memory(actor=actor, memory_id=gone.pk, reason=PAYLOADS[1])
    deleted = operations.files.write_file(actor=actor, path=PAYLOADS[0].replace("/", ""), content="")
    operations.files.delete_file(actor=actor, path=deleted.path)
    operations.dismiss_question(actor=actor, question=f"{PAYLOADS[0]} 0")
    messages = [transcript.Message("user", payload, payload, None, payload) for payload in PAYLOADS]
    operations.archive_conversation(actor=actor, name=PAYLOADS[2], messages=messages)
