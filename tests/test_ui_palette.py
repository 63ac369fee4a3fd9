"""The command palette: what it offers to whom."""

import re
from html import unescape

import pytest

from teams.models import Role
from tests import factories

pytestmark = pytest.mark.django_db

PALETTE = "/t/acme/ops/palette/"


def palette_entries(role: Role, asked: str = "", name: str = "somebody") -> list[str]:
    team = factories.team(factories.organization("acme"), "ops")
    answer = factories.log_in_member(team, role, name).get(PALETTE, {"q": asked})
    return [unescape(name) for name in re.findall(r'<span class="name">(.*?)</span>', answer.text)]


def test_each_role_is_offered_what_it_may_do() -> None:
    viewer, owner = palette_entries(Role.VIEWER, "", "vera"), palette_entries(Role.OWNER, "", "olga")
    for title in ("Team home", "Unanswered questions", "Projects", "Account", "Dark theme", "Log out"):
        assert title in viewer, title
        assert title in owner, title
    for title in ("New memory", "Edit core memory", "Upload files", "Bulk changes", "Export", "Invite someone"):
        assert title not in viewer, title
        assert title in owner, title


def test_an_editor_is_not_offered_what_is_the_owners() -> None:
    editor = palette_entries(Role.EDITOR)
    assert "New memory" in editor
    assert not {"Export", "New agent", "New project", "Invite someone"} & set(editor)


@pytest.mark.parametrize("asked", ["core edit", "EDIT  core", "edit core memory"])
def test_words_come_in_any_order(asked: str) -> None:
    assert palette_entries(Role.EDITOR, asked) == ["Edit core memory", f"Search memories for “{asked}”"]


def test_every_command_leads_somewhere() -> None:
    team = factories.team(factories.organization("acme"), "ops")
    owner = factories.log_in_member(team, Role.OWNER, "olga")
    answer = owner.get(PALETTE).text
    for address in re.findall(r'role="option" href="([^"]*)"', answer):
        assert owner.get(address).status_code == 200, address
    assert len(re.findall('formaction="/(theme|keys|logout)/"', answer)) == 5
