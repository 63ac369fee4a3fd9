"""The operators' pages: everything is listed and found, support restores, operators do the rest, nobody makes
themselves more than they are."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memories import operations
from memories.models import Asset, Batch, Change, EmbeddingModel, Erasure, Memory, Revision, Scope, Unembedded
from memories.operations import embed
from memories.operations.audit_chain import seal_entries
from memories.operations.golden_run import run_golden_questions
from memories.recall import recall
from memoryhub import roles
from memoryhub.admin import GrowingTableAdmin
from memoryhub.ids import uuid7
from teams import operations as registry
from teams import rights
from teams.actor import Actor
from teams.models import Admission, Agent, Invitation, Project, Role, Team, Token, Workspace
from tests import factories
from tests.belongings import pair_up, propose_append
from tests.cast import Cast
from tests.embedding_server import EndpointServer

pytestmark = pytest.mark.django_db
MADE = {"Organization", "Workspace", "Team", "Agent", "Project", "Person", "Membership", "Admission", "User", "Group"}
MADE |= {"LegalHold"}
LISTED = [model for model in admin.site._registry if model._meta.app_label in ("teams", "memories", "auth", "admin")]


@pytest.fixture
def root(db: None) -> Client:
    return factories.logged_in(factories.staff_member("ruth", superuser=True))


def at(model: Any, page: str = "changelist", *args: object) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def site(model: Any) -> Any:
    return admin.site._registry[model]


def follow_action_text(client: Client, response: Any) -> str:
    """Return the text of the page that follows an action."""
    return client.get(response["Location"]).text if response.status_code == 302 else response.text


def furnish(team: Team, bot: Actor) -> Memory:
    """Make a row of everything that is listed."""
    memory, other = factories.memory(bot, key="deploy-window"), factories.memory(bot, "Deploys stop on Fridays.")
    here: dict[str, Any] = {"organization_id": team.organization_id}
    owner_login = factories.member(team, Role.OWNER, "odile")
    owner = rights.login_actor(user=owner_login, team_id=team.pk)
    operations.associate(actor=bot, origin_id=memory.pk, target_id=other.pk, relation="updates")
    operations.add_citation(actor=bot, memory_id=memory.pk, url="https://wiki.example/deploys")
    page = SimpleUploadedFile("deploys.html", b"<script>alert(1)</script>", content_type="text/html")
    operations.attach_file(actor=bot, memory_id=memory.pk, file=page, name="deploys.html", content_type="text/html")
    propose_append(bot, memory, "Deploys stop at noon.")
    pair_up(memory, other)
    operations.rate_memory(actor=bot, memory_id=other.pk, rating="outdated")
    operations.files.write_file(actor=bot, path="runbooks/deploys.md", content="Call before you deploy.")
    wish = operations.bulk_edit.build_bulk_edit(kind="pin")
    operations.bulk_edit.apply_bulk_edit(actor=bot, seen={other.pk: other.version}, wish=wish)
    recall(actor=bot, query="When do deploys stop?")
    operations.dismiss_question(actor=owner, question="Who deploys?")
    operations.add_golden_question(actor=owner, query="Who deploys?", memory_id=other.pk)
    run_golden_questions(team_id=team.pk, now=timezone.now())
    operations.run_once(actor=bot, key="k", request=b"", act=lambda: operations.IdempotentResult({}))
    registry.issue_token(agent=Agent.objects.get(pk=bot.agent_id), label="ci", user="mira")
    registry.invitations.create_invitation(actor=owner, role=Role.VIEWER, lasts=timedelta(days=1))
    Workspace.objects.create(**here, slug="blue", name="Blue")
    person = registry.ensure_person(organization_id=team.organization_id, handle="mira")
    project = Project.objects.create(**here, team=team, slug="apollo", name="Apollo")
    Admission.objects.create(**here, project=project, person=person)
    registry.open_session(agent=Agent.objects.get(pk=bot.agent_id), name="talk")
    operations.place_hold(
        user=owner_login, organization=team.organization, key_prefix="contracts/", reason="A lawsuit."
    )
    Erasure.objects.create(**here, person_id=uuid7(), receipt={})
    embed.queue_reembedding([memory])
    EmbeddingModel.objects.get_or_create(name="wordllama")
    LogEntry.objects.log_actions(owner.user_id, [team], 2, "Looked at.", single_object=True)
    seal_entries(everything=True)
    return memory


def test_every_page_opens(root: Client, team: Team, bot: Actor) -> None:
    furnish(team, bot)
    for model in LISTED:
        row = model._default_manager.first()
        assert row is not None, model
        assert root.get(at(model)).status_code == 200, model
        found = root.get(at(model), {"q": str(row.pk)})
        assert (
            not isinstance(site(model), GrowingTableAdmin) or model is LogEntry or f"/{row.pk}/change/" in found.text
        ), model
        assert root.get(at(model, "change", row.pk)).status_code == 200, model
        made = 200 if model.__name__ in MADE else 403
        assert root.get(at(model, "add")).status_code == made, model


def test_every_model_is_listed_but_what_is_only_counted() -> None:
    ours = [*apps.get_app_config("teams").get_models(), *apps.get_app_config("memories").get_models(), User, Group]
    missing = {model.__name__ for model in ours if model not in admin.site._registry}
    assert missing == {"Pace", "Registrations", "Attempts", "Lexeme", "Usage", "Day", "Growth"}


# What is done to memories

ACTION_FIELDS = {
    "tag": {"tags": "Old, Stale"}, "untag": {"tags": "old"}, "expire": {"expires_at": "2099-01-01T00:00"},
    "forget": {"reason": "Wrong port."}, "purge": {"sure": "on"},
}  # fmt: skip
BAD_ACTION_FIELDS = {
    "expire": {"expires_at": "2001-01-01T00:00"},
    "tag": {"tags": ""},
    "purge": {},
    "forget": {"reason": ""},
}
CHANGES = {
    "pin": Change.PINNED, "unpin": Change.UNPINNED, "tag": Change.TAGGED, "untag": Change.TAGGED,
    "expire": Change.EXPIRY, "forget": Change.FORGOTTEN, "restore": Change.RESTORED, "purge": Change.PURGED,
}  # fmt: skip
BEFORE = {"unpin": ("pin",), "untag": ("tag",), "restore": ("forget",)}


def act(client: Client, name: str, *memories: Memory, **said: str) -> Any:
    """Run an action that is chosen in the list's own form, with its fields filled in on the page that follows."""
    chosen = {"action": name, "_selected_action": [str(memory.pk) for memory in memories], "index": "0"}
    response = client.post(at(Memory), chosen)
    if response.status_code != 200:
        return response
    hidden = dict(re.findall(r'<input type="hidden" name="(ids|done)" value="([^"]+)"', response.text))
    return client.post(reverse("admin:memories_memory_act", args=[name]), hidden | said)


def last(memory: Memory) -> Revision:
    return Revision.objects.filter(memory=memory.pk).select_related("user").latest("version")


@pytest.mark.parametrize("name", CHANGES)
def test_each_deed_leaves_a_version_signed_by_the_operator(operator: Client, bot: Actor, name: str) -> None:
    memory = factories.memory(bot, pinned=False)
    for earlier in (*BEFORE.get(name, ()), name):
        response = act(operator, earlier, memory, **ACTION_FIELDS.get(earlier, {}))
        assert response.status_code == 302, response.text
    revision = last(memory)
    assert (revision.change, revision.user and revision.user.username) == (CHANGES[name], "olga")
    assert revision.agent_id is None
    memory.refresh_from_db()
    seen = {
        "pin": memory.pinned, "unpin": not memory.pinned, "tag": memory.tags == ["old", "stale"],
        "untag": memory.tags == ["stale"], "expire": memory.expires_at is not None and memory.expires_at.year == 2099,
        "forget": memory.forget_reason == "Wrong port.", "restore": memory.forgotten_at is None,
        "purge": memory.purged_at is not None and memory.content == "[purged]",
    }  # fmt: skip
    assert seen[name]


@pytest.mark.parametrize("name", [*CHANGES, "reembed"])
def test_support_restores_and_nothing_else(support: Client, operator: Client, bot: Actor, name: str) -> None:
    memory = factories.memory(bot)
    if name == "restore":
        act(operator, "forget", memory, **ACTION_FIELDS["forget"])
    before = last(memory).version
    act(support, name, memory, **ACTION_FIELDS.get(name, {}))
    page = support.post(
        reverse("admin:memories_memory_act", args=[name]),
        {"ids": str(memory.pk), "done": "yes"} | ACTION_FIELDS.get(name, {}),
    )
    assert page.status_code == (302 if name == "restore" else 403)
    assert last(memory).version == before + (name == "restore")
    assert Unembedded.objects.exists() == (name == "restore")  # whose vectors are made later


def test_vectors_are_made_anew(operator: Client, bot: Actor, server: EndpointServer) -> None:
    memory = factories.memory(bot)
    assert "Queued new vectors for 1 memory." in follow_action_text(operator, act(operator, "reembed", memory))
    assert Unembedded.objects.filter(memory=memory.pk).exists()
    assert last(memory).version == 1


def test_what_stays_as_it_is_is_said(operator: Client, bot: Actor) -> None:
    pinned, other = factories.memory(bot, pinned=True), factories.memory(bot, "Another.")
    said = follow_action_text(operator, act(operator, "pin", pinned, other))
    assert "Pinned 1 memory." in said
    assert "1 memory left as before: It is pinned already." in said
    assert Batch.objects.get().memory_ids == [other.pk]


def test_memories_of_several_teams_and_workspaces_are_changed_at_once(operator: Client, cast: Cast) -> None:
    memories = [cast.memory(scope) for scope in Scope] + [factories.memory(factories.actor())]
    assert f"Pinned {len(memories)} memories." in follow_action_text(operator, act(operator, "pin", *memories))
    assert all(Memory.objects.filter(pinned=True, pk=memory.pk).exists() for memory in memories)


def test_a_bad_value_is_refused_on_the_page_and_changes_nothing(operator: Client, bot: Actor) -> None:
    memory = factories.memory(bot)
    for name, said in BAD_ACTION_FIELDS.items():
        response = act(operator, name, memory, **said)
        assert response.status_code == 200, name
        assert response.context["form"].errors, name
    assert last(memory).version == 1


def test_too_many_at_once_are_refused_in_a_sentence(operator: Client, bot: Actor) -> None:
    memory = factories.memory(bot)
    ids = " ".join([str(memory.pk), *(str(uuid7()) for _ in range(1_000))])
    response = operator.post(reverse("admin:memories_memory_act", args=["pin"]), {"ids": ids, "done": "yes"})
    assert "At most 1,000 memories at once" in follow_action_text(operator, response)
    response = operator.post(reverse("admin:memories_memory_act", args=["pin"]), {"ids": "", "done": "yes"})
    assert "Choose some memories first." in follow_action_text(operator, response)
    assert last(memory).version == 1


def test_a_memory_shows_only_the_buttons_that_fit(operator: Client, support: Client, bot: Actor) -> None:
    memory = factories.memory(bot)
    page = operator.get(at(Memory, "change", memory.pk)).text
    assert "/act/forget/" in page
    assert "/act/restore/" not in page
    act(operator, "forget", memory, **ACTION_FIELDS["forget"])
    page = support.get(at(Memory, "change", memory.pk)).text
    assert "/act/restore/" in page
    assert "/act/purge/" not in page


# Search


def test_memories_are_found_by_what_people_remember(support: Client, team: Team, bot: Actor) -> None:
    memory = factories.memory(bot, "The Skarnes crane stalls below minus ten.", key="crane-limits", tags=["winter"])
    other = factories.memory(bot, "Nothing of the kind.")
    gone = factories.memory(bot, "The Skarnes crane was painted.")
    operations.forget_memory(actor=bot, memory_id=gone.pk)
    here = {"team__id__exact": str(team.pk)}

    def found(**said: str) -> set[str]:
        return set(re.findall(r"/memory/([0-9a-f-]{36})/change/", support.get(at(Memory), said).text))

    mine, theirs, lost = (str(row.pk) for row in (memory, other, gone))
    assert found(q="skarnes crane") == {mine, lost}
    assert found(q="skarnes crane", **here) == {mine, lost}
    assert found(q="crane", state="living") == {mine}
    assert found(q="crane-limits") == found(q="winter") == found(q=mine) == {mine}
    assert found(q="the") == set()
    assert found(state="forgotten") == found(state="forgotten", **here) == {lost}
    assert found(**here) == {mine, theirs, lost}
    assert found(type__exact="decision") == found(state="expiring") == set()
    for odd in ("'", "a & b | !c:*", "%", "\\", "C++", "日本", "x" * 5_000):
        assert support.get(at(Memory), {"q": odd}).status_code == 200


def test_a_common_word_finds_the_newest_and_no_index_is_asked(support: Client, bot: Actor) -> None:
    operations.save_memories(actor=bot, drafts=[operations.Draft(content=f"Harbour {n}") for n in range(60)])
    assert "60 memories" in support.get(at(Memory), {"q": "harbour"}).text


def test_a_token_is_found_by_its_whole_or_its_beginning(support: Client, bot: Actor) -> None:
    text = factories.token(bot)
    for said in (text, text[:12]):
        assert text[:12] in support.get(at(Token), {"q": said}).text
    assert text not in support.get(at(Token), {"q": text[:12]}).text
    assert "0 tokens" in support.get(at(Token), {"q": "mh_unknown"}).text


def test_whatever_an_address_asks_for_only_the_newest_are_looked_at(support: Client, bot: Actor) -> None:
    factories.memory(bot)
    page = support.get(at(Memory), {"content__icontains": "queue", "o": "1"})
    assert "Only the newest 1,000 are searched" in page.text
    assert page.context["cl"].queryset.query.order_by == ("-pk",)


# Access


def test_tokens_and_invitations_are_revoked_by_operators(
    operator: Client, support: Client, team: Team, bot: Actor
) -> None:
    furnish(team, bot)
    for model in (Token, Invitation):
        row = model._default_manager.get()
        chosen = {"action": "revoke", "_selected_action": [str(row.pk)]}
        support.post(at(model), chosen)
        row.refresh_from_db()
        assert row.revoked_at is None
        assert "Revoke…" not in support.get(at(model, "change", row.pk)).text
        assert "Revoke…" in operator.get(at(model, "change", row.pk)).text
        assert "Revoked 1; 0 no longer" in follow_action_text(operator, operator.post(at(model), chosen))
        row.refresh_from_db()
        assert row.revoked_at
        entry = LogEntry.objects.get(object_id=str(row.pk))
        assert entry.user.username == "olga"


def test_attachments_are_only_ever_sent_to_keep(support: Client, team: Team, bot: Actor) -> None:
    furnish(team, bot)
    response = support.get(at(Asset, "file", Asset.objects.get().pk))
    assert response["Content-Disposition"].startswith("attachment")
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert b"".join(response.streaming_content) == b"<script>alert(1)</script>"  # type: ignore[arg-type]
    nobody = factories.logged_in(factories.staff_member("nora"))
    assert nobody.get(at(Asset, "file", Asset.objects.get().pk)).status_code == 404


def test_staff_without_a_role_see_nothing_and_others_not_even_that(team: Team, bot: Actor) -> None:
    furnish(team, bot)
    nora, vera = factories.logged_in(factories.staff_member("nora")), factories.log_in_member(team, Role.OWNER, "vera")
    for model in LISTED:
        assert nora.get(at(model)).status_code == 403, model
        assert vera.get(at(model)).status_code == 302, model


def test_support_changes_nothing_by_any_form(support: Client, team: Team, bot: Actor) -> None:
    furnish(team, bot)
    for model in LISTED:
        row = model._default_manager.first()
        assert row is not None
        assert support.get(at(model)).status_code == 200, model
        for page in (at(model, "add"), at(model, "change", row.pk), at(model, "delete", row.pk)):
            assert support.post(page, {"name": "changed", "is_superuser": "on"}).status_code == 403, page


def test_operators_cannot_make_anybody_more_than_they_are(operator: Client, root: Client) -> None:
    admin, member = User.objects.get(username="ruth"), factories.login("mona")
    powers = {"is_staff": "on", "is_superuser": "on", "groups": [Group.objects.get(name=roles.OPERATOR).pk]}
    operator.post(
        at(User, "change", member.pk), {"username": "mona", "email": "m@example.com", "is_active": "on"} | powers
    )
    member.refresh_from_db()
    assert member.email == "m@example.com"
    assert (member.is_staff, member.is_superuser, member.groups.count()) == (False, False, 0)
    for user in (admin, User.objects.get(username="olga")):
        assert operator.post(at(User, "change", user.pk), {"username": "x"} | powers).status_code == 403
        address = reverse("admin:auth_user_password_change", args=[user.pk])
        assert (
            operator.post(address, {"password1": "correct horse 9", "password2": "correct horse 9"}).status_code == 403
        )
    group = Group.objects.get(name=roles.SUPPORT)
    assert operator.post(at(Group, "change", group.pk), {"name": "support", "permissions": []}).status_code == 403
    assert operator.post(at(Group, "add"), {"name": "more"}).status_code == 403
    assert root.get(at(User, "change", member.pk)).status_code == 200


def test_links_to_another_organization_are_refused_in_words(operator: Client, team: Team) -> None:
    elsewhere = factories.team()
    said = {"organization": str(team.organization_id), "team": str(elsewhere.pk), "slug": "spy", "level": "member"}
    response = operator.post(at(Agent, "add"), said)
    assert "This belongs to another organization." in response.text
    assert operator.post(at(Agent, "add"), said | {"team": str(team.pk)}).status_code == 302
    assert Agent.objects.get(slug="spy").team_id == team.pk


def test_the_policy_of_these_pages_is_theirs_alone(root: Client) -> None:
    policy = root.get("/admin/")["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self' 'unsafe-eval';" in policy
    assert "unsafe-eval" not in root.get("/account/")["Content-Security-Policy"]
