"""Every page that takes a form, read from the URL maps: none without the form's own token, none for visitors, none
that changes anything for a viewer, none that leads to another site."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, reverse

import memories.urls
import memoryhub.urls
import teams.urls
from memories import operations as work
from memories.models import Pair
from memories.operations.team_rules import digest_rules
from memories.rules.screening_settings import ScreenedWriter
from memories.screening.findings import FindingGroup
from teams import operations, rights
from teams.actor import Actor
from teams.models import Admission, Invitation, Membership, Role, Team, Token
from teams.views import members
from tests import factories
from tests.anchors import anchor_memory, report_lines
from tests.cast import Cast
from tests.hub import PROJECT_ROOT

pytestmark = pytest.mark.django_db
TEAM = {"organization": "acme", "team": "ops"}
OURS = {pattern.name: pattern for pattern in (*memories.urls.urlpatterns, *teams.urls.urlpatterns)}
OUTSIDE = ("login", "logout", "account", "password", "log-out-elsewhere", "theme", "keys", "join", "join-page")
FOR_ANYBODY = ("login", "logout", "theme", "keys", "join", "join-page")
FOR_READERS = {"memory-feedback"}  # which whoever reads a memory may send
COUNTING = ("recalllog", "usage", "pace", "attempts", "answer")  # what is counted of reading
ELSEWHERE = ("https://elsewhere.example/", "//elsewhere.example/", "/\\elsewhere.example", "javascript:alert(1)")
# Enough for any form to be taken seriously.
BODY = {
    "content": "changed", "text": "changed", "key": "changed", "summary": "changed", "tags": "changed",
    "type": "decision", "category": "changed", "importance": "0.9", "pinned": "1", "scope": "team", "version": "1",
    "name": "changed", "slug": "changed", "role": "owner", "level": "member", "verbs": ["read"], "label": "changed",
    "who": "sales/stranger", "lasts": "7", "reason": "changed", "path": "changed.md", "expires_at": "2099-01-01T00:00",
    "query": "changed", "q": "changed", "relation": "related_to", "weight": "1", "url": "https://changed.example/",
    "title": "changed", "tag": "changed", "workspace": "", "kind": "pin", "to": "1", "add": "changed", "days": "7",
    "quote": "changed", "question": "changed", "file": "changed", "find": "changed",
    "naming": "listed", "persons": "mira", "decision": "approve", "rating": "wrong",
}  # fmt: skip
# Those that only show something when they are sent a form, or keep it with the session.
READING = {
    *("memories", "memories-batch-preview", "memories-batch", "memory", "memory-history", "memory-asset", "core"),
    *("core-read", "core-history", "playground", "activity", "activity-recalls", "activity-known", "token", "files"),
    *("folder", "file", "files-deleted", "file-history", "file-download", "conversations", "conversation", "export"),
    *("export-archive", "export-progress", "tree", "palette", "agents", "token-shown", "projects", "members"),
    *("insights", "golden-new", "golden-run"),  # the run is a worker's
    *("link-shown", "choose-workspace", "review", "review-item", "review-preview", "team-rules"),
}


POLICY = {
    "rules": [{"then": "save", "who": ["agent"]}, {"then": "save", "who": ["person"]}],
    "retention": [{"types": ["event"], "days": 9, "then": "forget"}],
}


def make_address_values(cast: Cast) -> dict[str, object]:
    """Make what addresses can name, for some pages under the page's own name. None of it is the viewer's own."""
    writer = cast["writer"].agent
    assert writer
    actor, owner = rights.actor_of_agent(agent=writer), rights.login_actor(user=cast["owner"].user)  # type: ignore[arg-type]
    memory, other = factories.memory(actor, key="known", tags=["known"]), factories.memory(actor, "Another.")
    forgotten, pinned = factories.memory(actor, "Forgotten."), factories.memory(actor, "Pinned.")
    work.forget_memory(actor=actor, memory_id=forgotten.pk)
    work.associate(actor=actor, origin_id=memory.pk, target_id=other.pk)
    batch = work.bulk_edit.apply_bulk_edit(
        actor=owner, seen={pinned.pk: 1}, wish=work.bulk_edit.build_bulk_edit(kind="pin")
    )
    file = work.files.write_file(actor=actor, path="known.md", content="known")
    deleted = work.files.write_file(actor=actor, path="deleted.md", content="deleted")
    work.files.delete_file(actor=actor, path=deleted.path)
    operations.issue_token(agent=writer)
    operations.invitations.create_invitation(actor=owner, role=Role.EDITOR, lasts=timedelta(days=1))
    filed = factories.memory(actor, "Filed as core.", category="core")
    uncited = work.add_citation(actor=actor, memory_id=memory.pk, quote="uncited")
    detached = work.attach_file(actor=actor, memory_id=memory.pk, file=ContentFile(b"x"), name="detached.txt")
    work.remove_citation(actor=actor, source_id=uncited.pk)
    work.detach_file(actor=actor, asset_id=detached.pk)
    factories.member(cast.ops, Role.VIEWER, "removed")
    removed = Membership.objects.get(user__username="removed")
    operations.members.remove_member(actor=owner, membership_id=removed.pk)
    held = replace(actor, policy={"rules": [{"then": "propose"}]})
    waiting, rejected = factories.memory(held, "Waiting.").proposal_id, factories.memory(held, "Rejected.").proposal_id
    assert rejected
    work.reject_proposal(actor=owner, proposal_id=rejected)
    own = factories.memory(replace(owner, policy=held.policy), "My own proposal.").proposal_id
    open_pair, settled_pair = make_pair(actor, "staging", "8080", "1933"), make_pair(actor, "mail", "25", "587")
    work.settle_pair(actor=owner, pair_id=settled_pair.pk, settlement=work.Settlement(decision="keep"))
    replaced, successor = factories.memory(actor, "Replaced."), factories.memory(actor, "Its successor.")
    work.supersede_memory(actor=actor, memory_id=replaced.pk, by=successor.pk)
    reported, dismissed = factories.memory(actor, "Reported."), factories.memory(actor, "Dismissed.")
    for report in (reported, dismissed):
        work.rate_memory(actor=actor, memory_id=report.pk, rating="wrong")
    work.dismiss_reports(actor=owner, memory_id=dismissed.pk)
    failed, accepted = anchor_memory(actor, memory), anchor_memory(actor, memory)
    for source in (failed, accepted):
        report_lines(actor, source)
    work.accept_anchor(actor=owner, source_id=accepted.pk, sha256="")
    golden, removed_golden = (
        work.add_golden_question(actor=owner, query=query, memory_id=memory.pk) for query in ("known?", "removed?")
    )
    work.remove_golden_question(actor=owner, question_id=removed_golden.pk)
    Team.objects.filter(pk=cast.ops.pk).update(policy=POLICY)
    return {
        "memory_id": memory.pk,
        "memory-reinstate memory_id": replaced.pk,
        "pair_id": open_pair.pk,
        "review-pair-reopen pair_id": settled_pair.pk,
        "review-anchor-accept source_id": failed.pk,
        "review-anchor-reopen source_id": accepted.pk,
        "review-reports-dismiss memory_id": reported.pk,
        "review-reports-reopen memory_id": dismissed.pk,
        "proposal_id": waiting,
        "review-reopen proposal_id": rejected,
        "review-withdraw proposal_id": own,
        "question_id": golden.pk,
        "golden-restore question_id": removed_golden.pk,
        "memory-restore memory_id": forgotten.pk,
        "core-edit memory_id": filed.pk,
        "core-revert memory_id": filed.pk,
        "agent_id": writer.pk,
        "token_id": Token.objects.get().pk,
        "project_id": cast.project.pk,
        "admission_id": Admission.objects.get().pk,
        "membership_id": Membership.objects.get(user=cast["editor"].user).pk,
        "invitation_id": Invitation.objects.get().pk,
        "source_id": work.add_citation(actor=actor, memory_id=memory.pk, quote="known").pk,
        "asset_id": work.attach_file(actor=actor, memory_id=memory.pk, file=ContentFile(b"x"), name="known.txt").pk,
        "settled_id": work.dismiss_question(actor=owner, question="known").pk,
        "memory-recite source_id": uncited.pk,
        "memory-reattach asset_id": detached.pk,
        "note": members.sign_removal(removed),
        "batch_id": batch.pk,
        "file_id": deleted.pk,
        "path": file.path,
        "living": file.pk,
        "target": other.pk,
        "role": "owner",
    }


def make_pair(actor: Actor, *values: str) -> Pair:
    """Make two memories that contradict each other."""
    texts = (f"The {values[0]} server listens on port {port}." for port in values[1:])
    older, newer = (factories.memory(actor, text) for text in texts)
    return Pair.objects.get(older=older.pk, newer=newer.pk)


def address(name: str, known: dict[str, object]) -> str:
    """Return the address of a page with its parameters filled in; unknown ones get a memory's id, a one or a letter."""
    if name in OUTSIDE:
        return reverse(name, args=["x" * 43] if name == "join" else [])
    fallback: dict[str, object] = {"UUIDConverter": known["memory_id"], "IntConverter": 1}
    named = OURS[name].pattern.converters.items()
    values = {
        word: known.get(f"{name} {word}", known.get(word, fallback.get(type(kind).__name__, "x")))
        for word, kind in named
    }
    return reverse(name, kwargs=TEAM | values)


def everything() -> dict[str, list[str]]:
    """Return all rows of teams, memories and users."""
    models = [*apps.get_app_config("teams").get_models(), *apps.get_app_config("memories").get_models(), User]
    kept = [model for model in models if model._meta.model_name not in COUNTING]
    return {model.__name__: sorted(map(str, model._default_manager.values_list(*_fields(model)))) for model in kept}


def _fields(model: Any) -> Iterator[str]:
    """Return the names of a model's fields, but for the last log-in and the search column."""
    return (field.attname for field in model._meta.concrete_fields if field.attname not in ("last_login", "search"))


def body(values: dict[str, object], name: str = "") -> dict[str, Any]:
    memory, target = str(values["memory_id"]), str(values["target"])
    named = {"memory": [memory], "seen": f"{memory}:1", "target_id": target, "target": target}
    named |= {"seen": "1:1"} if name == "review-pair" else {}
    named |= {"proposal": [str(values["proposal_id"])], "ids": str(values["review-reopen proposal_id"])}
    said: dict[str, Any] = (
        BODY | named | {"audience": f"project:{values['project_id']}", "file_id": str(values["living"])}
    )
    if name.startswith("team-rule"):
        return {"then": "propose", "who": "agent", "seen": digest_rules(POLICY)}
    if name.startswith("retention"):
        seen = digest_rules(POLICY, part="retention")
        return {"types": ["decision"], "days": "7", "then": "forget", "save": "yes", "seen": seen}
    if name == "screening":
        return {f"{group}-{writer}": "refuse" for group in FindingGroup for writer in ScreenedWriter}
    if name == "memory-cite":
        return said | {"path": ""}  # of an anchor, which has more to it
    if name == "review-pair-settle":
        return said | {"decision": "keep"}
    if name == "golden-add":
        return said | {"audience": "", "memory": memory}
    if name in ("memory-attach", "file-upload"):
        return said | dict.fromkeys(("file", "files"), SimpleUploadedFile("changed.txt", b"changed"))
    return said


def test_every_pattern_has_a_name() -> None:
    patterns = (*memories.urls.urlpatterns, *teams.urls.urlpatterns)
    assert len(OURS) == len(patterns)
    assert {pattern.name for pattern in memoryhub.urls.urlpatterns if isinstance(pattern, URLPattern)} >= set(OUTSIDE)


def test_no_form_is_taken_without_its_token(cast: Cast) -> None:
    values, before = make_address_values(cast), everything()
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast["owner"].user)  # type: ignore[arg-type]
    for name in (*OURS, *OUTSIDE):
        assert client.post(address(name, values), body(values)).status_code == 403, name
    assert everything() == before


def test_visitors_are_asked_to_log_in(client: Client, cast: Cast) -> None:
    values, before = make_address_values(cast), everything()
    for name in (*OURS, *(set(OUTSIDE) - set(FOR_ANYBODY))):
        for answer in (client.post(address(name, values), body(values)), client.get(address(name, values))):
            # A page that is only posted to says so before anything else.
            assert answer.status_code in (302, 405), name
            assert answer.status_code == 405 or answer["Location"].startswith("/login/?next=/"), name
    assert everything() == before


def test_viewers_change_nothing(client: Client, cast: Cast) -> None:
    values, before = make_address_values(cast), everything()
    client.force_login(cast["viewer"].user)  # type: ignore[arg-type]
    for name in OURS.keys() - FOR_READERS:
        assert client.post(address(name, values), body(values, name)).status_code < 500, name
        assert everything() == before, name
    assert all(_changes(client, name, values, before) for name in FOR_READERS)


def test_strangers_are_told_that_it_does_not_exist(client: Client, cast: Cast) -> None:
    values, before = make_address_values(cast), everything()
    client.force_login(cast["mira"].user)  # type: ignore[arg-type]
    for name in OURS:
        answers = client.post(address(name, values), body(values)), client.get(address(name, values))
        assert {answer.status_code for answer in answers} in ({404}, {404, 405}), name
    assert everything() == before


def test_what_viewers_cannot_change_owners_can(client: Client, cast: Cast) -> None:
    """Owners use the same forms: otherwise the tests above would prove little."""
    values, before = make_address_values(cast), everything()
    client.force_login(cast["owner"].user)  # type: ignore[arg-type]
    in_vain = {name for name in OURS if not _changes(client, name, values, before)}
    assert in_vain == READING


def _changes(client: Client, name: str, values: dict[str, object], before: dict[str, list[str]]) -> bool:
    """Return whether a form changes anything. The change is rolled back, so that the next form finds the same state."""
    with transaction.atomic():
        client.post(address(name, values), body(values, name))
        changed = everything() != before
        transaction.set_rollback(True)
    return changed


def test_no_page_is_kept_for_others(client: Client, cast: Cast) -> None:
    """Neither proxies nor the browser may keep a page: going back after logging out would show it."""
    values = make_address_values(cast)
    client.force_login(cast["owner"].user)  # type: ignore[arg-type]
    for name in (*OURS, *OUTSIDE):
        answer = client.get(address(name, values))
        kept = answer["Cache-Control"]
        b"".join(answer)  # to its end, where files are closed
        assert {"private", "no-store"} <= set(kept.split(", ")), name


@pytest.mark.parametrize("elsewhere", ELSEWHERE)
@pytest.mark.parametrize("who", ["owner", "viewer"])
def test_no_form_of_any_page_leads_to_another_site(client: Client, cast: Cast, who: str, elsewhere: str) -> None:
    values = make_address_values(cast)
    for name in (*OURS, *OUTSIDE):
        client.force_login(cast[who].user)  # type: ignore[arg-type]
        answer = client.post(f"{address(name, values)}?next={elsewhere}", body(values) | {"next": elsewhere})
        where = answer.get("Location", "/")
        assert where.startswith("/"), name
        assert not where.startswith(("//", "/\\")), name


@pytest.mark.parametrize("elsewhere", ELSEWHERE)
def test_logging_in_does_not_lead_to_another_site(client: Client, elsewhere: str, db: None) -> None:
    said = {"username": factories.login().username, "password": "correct horse battery", "next": elsewhere}
    assert client.post(f"/login/?next={elsewhere}", said)["Location"] == "/"


def test_scripts_and_other_sites_get_no_cookies(client: Client, db: None) -> None:
    client.get("/login/")
    client.post("/login/", {"username": factories.login().username, "password": "correct horse battery"})
    client.post("/theme/", {"theme": "dark"})
    client.post("/keys/", {"keys": "off"})
    assert set(client.cookies) == {"sessionid", "csrftoken", "device", "theme", "keys"}
    for cookie in client.cookies.values():
        assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax"), cookie.key


def print_settings(*names: str, **environment: str) -> list[str]:
    """Return settings as a hub with these variables would have them."""
    code = f"from memoryhub import settings as s; print({', '.join(f's.{name}' for name in names)})"
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, cwd=PROJECT_ROOT, env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_with_https_cookies_are_never_sent_in_the_clear() -> None:
    names = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "PROXIES")
    assert print_settings(*names, HTTPS="true") == ["True", "True", "1"]


def test_https_promises_nothing_for_other_hosts_of_the_domain() -> None:
    names = ("SECURE_HSTS_SECONDS", "SECURE_HSTS_INCLUDE_SUBDOMAINS", "SECURE_HSTS_PRELOAD")
    assert print_settings(*names, HTTPS="true") == ["31536000", "False", "False"]
    wishes = {"HSTS_INCLUDE_SUBDOMAINS": "true", "HSTS_PRELOAD": "true"}
    assert print_settings(*names, HTTPS="true", **wishes) == ["31536000", "True", "True"]


def test_a_session_gets_a_new_name_with_the_log_in(client: Client, db: None) -> None:
    client.session.save()
    session = client.session
    session["planted"] = "1"
    session.save()
    before = session.session_key
    client.cookies["sessionid"] = before or ""
    client.post("/login/", {"username": factories.login().username, "password": "correct horse battery"})
    assert client.session.session_key != before
