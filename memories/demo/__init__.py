"""The demo organization: teams with a plausible history, from the data files in this folder."""

import hashlib
import tomllib
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files import File
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from memories import operations
from memories.conversations import transcript
from memories.models import Memory, RecallLog, Revision, Scope, Usage
from memories.operations.attach import cite_new_memory
from memories.operations.golden_run import run_golden_questions
from memories.recall import Filters, Mode, recall
from memories.rules.policies import bypass_policy
from memoryhub.errors import Conflict
from teams import operations as registry
from teams import rights, tokens
from teams.actor import Actor
from teams.call_context import Bearer, CallContext
from teams.models import Admission, Agent, Level, Membership, Organization, Person, Project, Role, Team, Token

DEMO_FOLDER = Path(__file__).parent
SPOKESMAN = "swe-1"  # the agent whose token is shown
EDITABLE_FIELDS = ("content", "tags", "importance", "pinned", "type", "summary", "category")
DRAFT_FIELDS = ("content", "key", "summary", "type", "category", "tags", "importance", "pinned", "source", "scope")


@dataclass(frozen=True)
class Account:
    """Holds the demo's login and token, derived from this installation's secret key so that they can be shown again."""

    username: str
    password: str
    agent: str
    token: str


def account() -> Account:
    token = tokens.derive_token(key=settings.SECRET_KEY, purpose="demo token").text
    password = hashlib.sha256(f"{settings.SECRET_KEY}\0demo password".encode()).hexdigest()[:12]
    return Account(username="demo", password=password, agent=f"engineering/{SPOKESMAN}", token=token)


def exists() -> bool:
    return Organization.objects.filter(slug=_toml("organization.toml")["slug"]).exists()


def refuse_in_production() -> None:
    """Refuse to add the demo where people work: its login and token are only meant for looking around."""
    if settings.HTTPS:
        raise Conflict("The demo is meant for your own machine: it is not added when HTTPS is on.")
    if settings.DATABASE_URL and not exists() and Organization.objects.exists():
        raise Conflict(
            "The database that DATABASE_URL names has organizations: the demo is only added to an empty one."
        )


@transaction.atomic
def seed(*, now: datetime | None = None) -> Account:
    """Add the demo organization, unless it exists."""
    if not exists():
        Story(now or timezone.now()).tell()
    return account()


def _toml(path: str) -> dict[str, Any]:
    with (DEMO_FOLDER / path).open("rb") as file:
        return tomllib.load(file)


class Story:
    """Writes the demo's data; its times are relative to `now`."""

    def __init__(self, now: datetime) -> None:
        self.now = now
        self.cast = _toml("organization.toml")
        self.teams: dict[str, Team] = {}
        self.agents: dict[str, Agent] = {}
        self.users: dict[str, User] = {}
        self.projects: dict[str, Project] = {}
        self.saved: dict[str, Memory] = {}

    def tell(self) -> None:
        self.introduce()
        self.remember_all()
        self.write_all()
        for entry in _toml("recalls.toml")["recall"]:
            self.ask(entry)
        for entry in _toml("proposals.toml")["proposal"]:
            self.propose(entry)
        self.test_recall(_toml("golden.toml")["question"])

    def remember_all(self) -> None:
        chapters = [(team, _toml(f"memories/{team}.toml")["memory"]) for team in self.teams]
        entries = [
            (team, {"ref": f"{team} {n}", **entry}) for team, chapter in chapters for n, entry in enumerate(chapter)
        ]
        for team, entry in sorted(entries, key=lambda told: -told[1]["days_ago"]):
            self.remember(team, entry)
        for team, entry in entries:
            self.link(team, entry)
        for team, entry in entries:
            self.forget(team, entry)

    def write_all(self) -> None:
        for path in sorted((DEMO_FOLDER / "files").rglob("*.*")):
            self.file(path)
        for path in sorted((DEMO_FOLDER / "conversations").glob("*.toml")):
            self.archive(_toml(f"conversations/{path.name}"))

    def introduce(self) -> None:
        self.organization = registry.ensure_organization(slug=self.cast["slug"], name=self.cast["name"])
        for entry in self.cast["team"]:
            self.teams[entry["slug"]] = registry.ensure_team(organization=self.organization, **entry)
        Team.objects.filter(parent=None, organization=self.organization).update(
            description=self.cast["team"][0]["description"]
        )
        for entry in self.cast["agent"]:
            team = self.teams[entry["team"]]
            made = registry.ensure_agent(team=team, slug=entry["slug"], level=Level(entry["level"]), name=entry["name"])
            self.agents[entry["slug"]] = Agent.objects.select_related("team__organization").get(pk=made.pk)
        for entry in self.cast["login"]:
            self.login(entry)
        for entry in self.cast["person"]:
            self.person(entry)
        for entry in self.cast["project"]:
            self.project(entry)
        secret = tokens.parse_token(account().token)
        own = Token.objects.filter(prefix=account().token[: tokens.PREFIX_LENGTH])
        if not own.exists():
            registry.issue_token(agent=self.agents[SPOKESMAN], label="demo", secret=secret)
        self.token = own.get()

    def login(self, entry: dict[str, Any]) -> None:
        username = entry["username"]
        password = account().password if username == account().username else None
        first, last = entry["name"].split(maxsplit=1)
        names = {"email": entry["email"], "first_name": first, "last_name": last}
        user, created = User.objects.get_or_create(username=username, defaults=names)
        if created:
            user.set_password(password)
            user.save()
        self.users[username] = user
        for membership in entry["membership"]:
            Membership.objects.create(
                organization=self.organization,
                team=self.teams[membership["team"]],
                user=user,
                role=Role(membership["role"]),
            )

    def person(self, entry: dict[str, Any]) -> None:
        Person.objects.create(
            organization=self.organization,
            handle=entry["handle"],
            name=entry["name"],
            user=self.users.get(entry.get("login", "")),
        )

    def project(self, entry: dict[str, Any]) -> None:
        team = self.teams[entry["team"]]
        project = Project.objects.create(
            organization=self.organization, team=team, slug=entry["slug"], name=entry["name"]
        )
        self.projects[entry["slug"]] = project
        within = {"organization": self.organization, "project": project}
        for slug in entry.get("admit_agents", ()):
            Admission.objects.create(**within, agent=self.agents[slug])
        for handle in entry.get("admit_people", ()):
            person = Person.objects.get(organization=self.organization, handle=handle)
            Admission.objects.create(**within, person=person)

    def at(self, days_ago: float) -> datetime:
        return self.now - timedelta(days=days_ago)

    def actor(self, name: str, team: str, **context: str) -> Actor:
        if name.startswith("@"):
            return rights.login_actor(user=self.users[name[1:]], team_id=self.teams[team].pk)
        return self.working(self.agents[name], **context)

    def working(self, agent: Agent, **context: str) -> Actor:
        token_id = self.token.pk if agent.pk == self.token.agent_id else None
        return rights.actor_of_agent(agent=agent, context=CallContext(**context), bearer=Bearer(token_id=token_id))

    def author(self, team: str, entry: dict[str, Any], name: str = "") -> Actor:
        names = {"project": "project", "user": "person", "channel": "channel"}
        context = {ours: entry[theirs] for ours, theirs in names.items() if theirs in entry}
        return bypass_policy(self.actor(name or entry["by"], team, **context))

    def audience(self, entry: dict[str, Any]) -> Any:
        """Return the audience for logins, whose context does not name a project or a person."""
        if entry.get("scope") == Scope.PROJECT:
            return self.projects[entry["project"]].pk
        return None

    def remember(self, team: str, entry: dict[str, Any]) -> None:
        then = self.at(entry["days_ago"])
        values = {name: entry[name] for name in DRAFT_FIELDS if name in entry}
        if "review_in_days" in entry:
            values["review_by"] = self.now + timedelta(days=entry["review_in_days"])
        if "expires_in_days" in entry:
            values["expires_at"] = self.now + timedelta(days=entry["expires_in_days"])
        author = self.author(team, entry)
        draft = operations.Draft(**values, audience=self.audience(entry))
        memory = operations.save_memory(actor=author, draft=draft, now=then)
        for edit in entry.get("edit", ()):
            self.edit(team, entry, memory, edit)
        if "verified_by" in entry:
            verifier = self.author(team, entry, entry["verified_by"])
            operations.verify_memory(
                actor=verifier, memory_id=memory.pk, review_by=memory.review_by, now=self.at(entry["verified_days_ago"])
            )
        for source in entry.get("citation", ()):
            operations.add_citation(actor=author, memory_id=memory.pk, now=then, **source)
        for name in entry.get("attachments", ()):
            with (DEMO_FOLDER / "attachments" / name).open("rb") as bytes_:
                operations.attach_file(actor=author, memory_id=memory.pk, file=File(bytes_), name=name, now=then)
        self.add_usage(memory, entry)
        self.saved[entry["ref"]] = memory

    def add_usage(self, memory: Memory, entry: dict[str, Any]) -> None:
        count = entry.get("recalls", 0)
        if count:
            last = self.at(entry["days_ago"] / (count + 1))
            Usage.objects.create(
                organization_id=memory.organization_id,
                memory_id=memory.pk,
                audience=memory.audience,
                access_count=count,
                last_accessed_at=last,
            )

    def edit(self, team: str, entry: dict[str, Any], memory: Memory, edit: dict[str, Any]) -> None:
        editor, then = self.author(team, entry, edit["by"]), self.at(edit["days_ago"])
        if "append" in edit:
            operations.append_to_memory(actor=editor, memory_id=memory.pk, text=edit["append"].strip(), now=then)
        values = {name: edit[name] for name in EDITABLE_FIELDS if name in edit}
        if values:
            operations.update_memory(actor=editor, memory_id=memory.pk, now=then, **values)

    def propose(self, entry: dict[str, Any]) -> None:
        """Add a write that waits for a person, as if the team's policy had held it."""
        held = {"rules": [{"then": "propose", "reason": entry["reason"]}]}
        author, then = replace(self.author(entry["team"], entry), policy=held), self.at(entry["days_ago"])
        if "of" not in entry:
            draft = operations.Draft(**{name: entry[name] for name in DRAFT_FIELDS if name in entry})
            memory = operations.save_memory(actor=author, draft=draft, now=then)
            if "quote" in entry:
                cite_new_memory(
                    actor=author, memory_id=memory.pk, session="", message_id="", quote=entry["quote"], now=then
                )
            return
        memory = Memory.objects.alive().get(team=self.teams[entry["team"]], key=entry["of"], owns_key=True)
        if "append" in entry:
            operations.append_to_memory(actor=author, memory_id=memory.pk, text=entry["append"], now=then)
        else:
            content = memory.content.replace(*entry["replace"])
            operations.update_memory(actor=author, memory_id=memory.pk, content=content, now=then)

    def link(self, team: str, entry: dict[str, Any]) -> None:
        for link in entry.get("link", ()):
            operations.associate(
                actor=self.author(team, entry),
                origin_id=self.saved[entry["ref"]].pk,
                target_id=self.saved[link["to"]].pk,
                relation=link["relation"],
                weight=link["weight"],
                now=self.at(entry["days_ago"]),
            )

    def forget(self, team: str, entry: dict[str, Any]) -> None:
        if details := entry.get("forgotten"):
            by, memory_id = self.author(team, entry, details["by"]), self.saved[entry["ref"]].pk
            operations.forget_memory(
                actor=by, memory_id=memory_id, reason=details["reason"], now=self.at(details["days_ago"])
            )

    def file(self, path: Path) -> None:
        team, _, inside = path.relative_to(DEMO_FOLDER / "files").as_posix().partition("/")
        author = next(agent for agent in self.agents.values() if agent.team_id == self.teams[team].pk)
        operations.files.write_file(actor=self.working(author), path=inside, content=path.read_text(), now=self.at(30))

    def archive(self, entry: dict[str, Any]) -> None:
        context = {"session": entry["session"], "user": entry.get("person", "")}
        operations.archive_conversation(
            actor=self.actor(entry["agent"], entry["team"], **context),
            name=entry["name"],
            messages=[
                transcript.Message(message["role"], message["text"], message.get("name", ""))
                for message in entry["message"]
            ],
            summary=entry["summary"],
            now=self.at(entry["days_ago"]),
        )

    def ask(self, entry: dict[str, Any]) -> None:
        agent, asking = self.agents[entry["by"]], self.working(self.agents[entry["by"]])
        query = {"query": entry.get("query", ""), "mode": entry.get("mode", Mode.HYBRID)}
        filters = Filters(type=entry.get("type", ""))
        found = recall(actor=asking, filters=filters, noted=False, **query)
        for then in map(self.at, entry["days_ago"]):
            given = self.versions([hit.memory for hit in found.hits], then)
            RecallLog.objects.create(
                organization=self.organization,
                team_id=agent.team_id,
                audience=agent.team_id,
                agent=agent,
                token_id=asking.token_id,
                filters=filters.set_values(),
                memory_ids=list(given),
                versions=list(given.values()),
                total_found=found.total if given else 0,
                created_at=then,
                **query,
            )

    def test_recall(self, entries: list[dict[str, Any]]) -> None:
        """Add golden questions, and ask them once."""
        for entry in entries:
            team = self.teams[entry["team"]]
            memory = Memory.objects.alive().get(team=team, key=entry["key"], owns_key=True)
            operations.add_golden_question(
                actor=self.author(entry["team"], entry),
                query=entry["query"],
                memory_id=memory.pk,
                now=self.at(entry["days_ago"]),
            )
        for team in {self.teams[entry["team"]] for entry in entries}:
            run_golden_questions(team_id=team.pk, now=self.now)

    def versions(self, memories: list[Memory], then: datetime) -> dict[UUID, int]:
        """Return the version that each memory had at that time; without those that did not exist yet."""
        past = Revision.objects.filter(organization=self.organization, memory__in=memories, created_at__lte=then)
        known = dict(past.values_list("memory").annotate(Max("version")))
        return {memory.pk: known[memory.pk] for memory in memories if memory.pk in known}
