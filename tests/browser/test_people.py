"""Browser tests of people and agents: a new agent at work, an invitation accepted, a door that closes, all without a
mouse."""

import json
import urllib.request
from zipfile import ZipFile

import pytest
from django.db import transaction
from playwright.sync_api import Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from memories.transfer import progress
from teams import operations as registry
from teams.models import Admission, Agent, Membership, Organization, Role, Token, Workspace
from tests import factories
from tests.browser.conftest import Visit
from tests.browser.pages import press
from tests.browser.test_every_page import violations

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def team_path(transactional_db: None) -> str:
    made = factories.team(factories.organization("acme"), "ops")
    factories.member(made, Role.OWNER, "olga")
    return "/t/acme/ops/"


def find_owner() -> factories.User:
    return factories.User.objects.get(username="olga")


def call_me(live_server: LiveServer, token: str) -> dict[str, object]:
    request = urllib.request.Request(f"{live_server.url}/api/v1/me", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request) as answer:
        body: dict[str, object] = json.load(answer)
        return body


def test_a_new_agent_is_at_work_with_the_token_that_is_shown_once(
    visit: Visit, team_path: str, live_server: LiveServer
) -> None:
    page = visit(find_owner(), f"{team_path}agents/")
    page.get_by_role("link", name="New agent").click()
    page.get_by_label("Short name").fill("helper")
    page.get_by_role("button", name="Add the agent").click()
    page.get_by_role("link", name="New token").click()
    page.get_by_label("What is it for?").fill("laptop")
    page.get_by_role("button", name="Create the token").click()
    token = page.locator("#secret").inner_text()
    assert call_me(live_server, token)["name"] == "helper"
    assert f"Bearer {token}" in page.locator("#curl").inner_text()
    assert json.loads(page.locator("#mcp").inner_text())["mcpServers"]["memoryhub"]["headers"]["Authorization"]
    assert violations(page) == []
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("This token has already been shown")
    page.go_back(wait_until="load")
    assert token not in page.content()


def test_a_token_is_copied_and_revoked(visit: Visit, team_path: str) -> None:
    agent = factories.agent(factories.Team.objects.get(slug="ops"), "helper")
    page = visit(find_owner(), f"{team_path}agents/{agent.pk}/tokens/new/")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Create the token").click()
    page.get_by_role("button", name="Copy Token").click()
    expect(page.get_by_role("button", name="Copied Token")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("#secret").inner_text()
    page.get_by_role("link", name="Done").click()
    page.locator("summary", has_text="Revoke").click()
    expect(page.get_by_text("This cannot be undone.")).to_be_visible()
    page.get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("Expired and revoked (1)")).to_be_visible()
    assert Token.objects.get().revoked_at


def test_whoever_opens_an_invitation_joins_from_another_browser(visit: Visit, team_path: str) -> None:
    page = visit(find_owner(), f"{team_path}members/")
    page.get_by_role("link", name="Invite").click()
    page.get_by_label("Editor").check()
    page.get_by_role("button", name="Create the link").click()
    link = page.locator("#link").inner_text()
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("This link has already been shown")
    visitor = visit(None, link)
    assert violations(visitor) == []
    visitor.get_by_label("User name").fill("nadia")
    visitor.get_by_label("Password", exact=True).fill("a fine long one 9")
    visitor.get_by_label("Password again").fill("a fine long one 9")
    visitor.get_by_role("button", name="Create an account and join").click()
    visitor.wait_for_url(f"**{team_path}")
    assert Membership.objects.get(user__username="nadia").role == Role.EDITOR
    visitor.goto(f"{team_path}members/")
    expect(visitor.get_by_text("You", exact=True)).to_be_visible()


def test_a_used_link_says_so(visit: Visit, team_path: str, complaints: list[str]) -> None:
    page = visit(find_owner(), f"{team_path}members/invite/")
    page.get_by_role("button", name="Create the link").click()
    link = page.locator("#link").inner_text()
    visitor = visit(factories.login("tomas"), link)
    visitor.get_by_role("button", name="Join as tomas").click()
    visitor.wait_for_url(f"**{team_path}")
    late = visit(None, link)
    expect(late.get_by_text("This link has already been used")).to_be_visible()
    complaints[:] = [text for text in complaints if "409 (Conflict)" not in text]


def test_too_many_wrong_passwords_close_the_door(visit: Visit, team_path: str, settings: Settings) -> None:
    settings.LOGIN_TRIES = 2
    page = visit(None, "/login/")
    for _ in range(2):
        _log_in(page, "wrong")
        expect(page.get_by_role("alert")).to_contain_text("enter a correct username and password")
    _log_in(page, "correct horse battery")
    expect(page.get_by_role("alert")).to_contain_text("Too many wrong passwords. Try again in 15 minutes.")


def _log_in(page: Page, password: str) -> None:
    page.get_by_label("User name").fill("olga")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()


def test_an_agent_is_added_by_keyboard_alone(visit: Visit, team_path: str) -> None:
    page = visit(find_owner(), f"{team_path}agents/")
    page.get_by_role("link", name="New agent").focus()
    press(page, "Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("New agent")
    page.get_by_label("Short name").focus()
    page.keyboard.type("helper")
    press(page, "Control+Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("helper")
    assert Agent.objects.get().slug == "helper"


def test_a_role_is_changed_by_keyboard_and_taken_back(visit: Visit, team_path: str) -> None:
    tomas = factories.member(factories.Team.objects.get(slug="ops"), Role.VIEWER, "tomas")
    page = visit(find_owner(), f"{team_path}members/")
    page.locator("summary", has_text="Role of tomas").focus()
    press(page, "Enter", "Tab", "Tab", "Enter")
    expect(page.get_by_text("tomas is now editor.")).to_be_visible()
    assert Membership.objects.get(user=tomas).role == Role.EDITOR
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("tomas is now viewer.")).to_be_visible()


def test_all_of_it_works_without_scripts(visit: Visit, team_path: str) -> None:
    factories.agent(factories.Team.objects.get(slug="ops"), "helper")
    page = visit(find_owner(), f"{team_path}agents/", scripts=False)
    page.get_by_role("link", name="helper").click()
    page.get_by_role("link", name="New token").click()
    page.get_by_role("button", name="Create the token").click()
    assert page.locator("#secret").inner_text().startswith("mh_")
    expect(page.get_by_role("button", name="Copy")).to_have_count(0)
    page.get_by_role("link", name="Done").click()
    page.locator("summary", has_text="Revoke").click()
    page.get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("No active tokens")).to_be_visible()


def test_one_logs_in_changes_the_password_and_logs_out(visit: Visit, team_path: str) -> None:
    page = visit(None, f"{team_path}members/")
    _log_in(page, "correct horse battery")
    expect(page.get_by_role("heading", level=1)).to_have_text("Members")  # where one was going
    page.locator(".account summary").click()
    page.get_by_role("link", name="Account").click()
    page.get_by_label("Name", exact=True).fill("Olga Berg")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("Your account was saved.")
    page.get_by_role("link", name="Change the password").click()
    page.get_by_label("Current password").fill("correct horse battery")
    page.get_by_label("New password", exact=True).fill("another horse 9")
    page.get_by_label("New password again").fill("another horse 9")
    page.get_by_role("button", name="Change it").click()
    expect(page.get_by_role("status")).to_contain_text("Your password was changed.")
    page.locator(".account summary").click()
    page.get_by_role("button", name="Log out", exact=True).click()
    page.wait_for_url("**/login/")
    page.goto(f"{team_path}members/")
    _log_in(page, "another horse 9")
    expect(page.get_by_text("Olga Berg")).to_be_visible()


def test_one_goes_to_another_team_and_workspace_and_into_the_dark(visit: Visit, team_path: str) -> None:
    acme = factories.Team.objects.get(slug="ops").organization
    factories.member(factories.team(acme, "sales"), Role.VIEWER, find_owner())
    Organization.objects.filter(pk=acme.pk).update(workspaces_enabled=True)
    Workspace.objects.create(organization=acme, slug="blue", name="Blue")
    page = visit(find_owner(), team_path)
    page.locator("summary", has_text="Workspace:").click()
    page.get_by_role("button", name="Blue").click()
    expect(page.get_by_role("status")).to_contain_text("You are now in Blue.")
    page.locator("summary", has_text="Team:").click()
    page.get_by_role("link", name="Sales").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sales")
    expect(page.locator("summary", has_text="Workspace:")).to_contain_text("Blue")
    page.locator(".account summary").click()
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("body")).to_have_css("color-scheme", "dark")


def test_a_project_is_added_and_somebody_admitted_and_dismissed(visit: Visit, team_path: str) -> None:
    factories.agent(factories.team(factories.Team.objects.get(slug="ops").organization, "sales"), "seller")
    page = visit(find_owner(), f"{team_path}projects/")
    page.get_by_role("link", name="New project").click()
    page.get_by_label("Short name").fill("apollo")
    page.get_by_label("Name", exact=True).fill("Apollo")
    page.get_by_role("button", name="Add the project").click()
    page.get_by_role("link", name="Apollo", exact=True).click()
    page.locator("[name=who]").fill("sales/seller")
    page.get_by_role("button", name="Grant access").click()
    expect(page.get_by_role("status")).to_contain_text("may now use Apollo.")
    page.get_by_role("button", name="Dismiss sales").or_(page.get_by_role("button", name="Dismiss seller")).click()
    expect(page.get_by_role("status")).to_contain_text("may no longer use Apollo.")
    assert not Admission.objects.exists()


def test_a_member_is_removed_and_the_tree_is_gone_through(visit: Visit, team_path: str) -> None:
    ops = factories.Team.objects.get(slug="ops")
    factories.member(ops, Role.VIEWER, "tomas")
    below = registry.ensure_team(organization=ops.organization, slug="night", parent="ops")
    factories.member(below, Role.OWNER, find_owner())
    page = visit(find_owner(), f"{team_path}members/")
    page.locator("summary", has_text="Remove tomas").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("tomas is no longer in Ops.")
    assert not Membership.objects.filter(user__username="tomas").exists()
    press(page, "u")
    expect(page.get_by_role("status")).to_contain_text("tomas is in Ops again.")
    assert Membership.objects.get(user__username="tomas").role == Role.VIEWER
    page.get_by_role("link", name="Team tree").click()
    page.locator(".tree").get_by_role("link", name="Night").click()
    expect(page.locator(".tree [aria-current]")).to_contain_text("Night")
    expect(page.get_by_role("region", name="What Night inherits")).to_contain_text("Ops")


def test_an_owner_takes_everything_along(visit: Visit, team_path: str) -> None:
    writer = factories.actor(factories.agent(factories.Team.objects.get(slug="ops"), "writer"))
    factories.memory(writer, "Berth 7 is closed.")
    page = visit(find_owner(), f"{team_path}export/")
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download").click()
    with ZipFile(downloading.value.path()) as archive:
        assert "Berth 7 is closed." in archive.read("memories/ops.md").decode()


def test_an_archive_tells_how_far_it_is_until_it_is_made(visit: Visit, team_path: str) -> None:
    page = visit(find_owner(), f"{team_path}export/")
    download, told = page.locator("#download"), page.locator("#progress")
    called = (download.get_attribute("href") or "").rpartition("=")[2]
    with transaction.atomic():  # for as long as an archive is made that is larger than this one
        progress.publish_steps(called)(progress.TransferStep("rows", 30, done=30, total=100))
        with page.expect_download():
            download.click()
        expect(told).to_contain_text("30 %: 30 of 100 rows.")
        progress.publish_steps(called)(progress.TransferStep("rows", 60, done=60, total=100))
        expect(told).to_contain_text("60 %")
        expect(told.get_by_role("progressbar")).to_have_attribute("value", "60")
    expect(told).to_contain_text("The export has ended.")
    expect(told.get_by_role("progressbar")).to_have_count(0)
