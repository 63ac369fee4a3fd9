"""Teams and agents made from an organization's markdown files."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from memories import operations
from memories.models import Memory
from teams import auth
from teams import operations as registry
from teams.models import Agent, Level, Organization, Team, Token
from teams.org_files import level_of
from tests import factories
from tests.tools import call_tool_api

pytestmark = pytest.mark.django_db

ENGINEERING = """\
# Engineering

Builds and runs the product.

| Agent | Role | Team | Memory DB |
|-------|------|------|-----------|
| swe-1 | swe | engineering | `agent/org/teams/engineering/memory.sqlite` |
| eng-director | eng-director | engineering | `agent/org/teams/engineering/memory.sqlite` |
"""
EXECUTIVE = """\
# Executive

- ceo
"""


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / "org" / "teams" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def run(folder: Path, *options: str, organization: str = "acme") -> str:
    out = StringIO()
    call_command("import_org", str(folder), "--organization", organization, *options, stdout=out)
    return out.getvalue()


def import_refusal(folder: Path, *options: str) -> list[str]:
    with pytest.raises(CommandError) as caught:
        run(folder, *options)
    assert not Agent.objects.exists()
    return str(caught.value).splitlines()


def agents() -> dict[str, tuple[str, str]]:
    found = Agent.objects.select_related("team").order_by("slug")
    return {agent.slug: (agent.team.slug, agent.level) for agent in found}


def test_the_documented_organization_is_made(tmp_path: Path) -> None:
    printed = run(write(tmp_path, engineering=ENGINEERING, executive=EXECUTIVE))
    assert agents() == {
        "ceo": ("executive", Level.EXECUTIVE),
        "eng-director": ("engineering", Level.DIRECTOR),
        "swe-1": ("engineering", Level.MEMBER),
    }
    engineering = Team.objects.get(slug="engineering")
    assert engineering.parent == Team.objects.get(parent=None)
    assert (engineering.name, engineering.description) == ("Engineering", "Builds and runs the product.")
    assert printed.splitlines() == [
        "Created agent ceo, executive of executive.",
        "Created team engineering under executive.",
        "Created agent swe-1, member of engineering.",
        "Created agent eng-director, director of engineering.",
    ]
    assert not Token.objects.exists()


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    write(tmp_path, engineering=ENGINEERING, executive=EXECUTIVE)
    run(tmp_path)
    before = list(Team.objects.order_by("pk").values()), list(Agent.objects.order_by("pk").values())
    assert run(tmp_path) == "Everything already exists.\n"
    assert (list(Team.objects.order_by("pk").values()), list(Agent.objects.order_by("pk").values())) == before


def test_a_dry_run_says_what_it_would_make(tmp_path: Path) -> None:
    write(tmp_path, engineering=ENGINEERING)
    printed = run(tmp_path, "--dry-run", "--tokens")
    assert "Would create agent eng-director, director of engineering.\n" in printed
    assert not Organization.objects.exists()
    assert not Token.objects.exists()


def test_tokens_are_shown_once(tmp_path: Path) -> None:
    write(tmp_path, engineering=ENGINEERING)
    tokens = dict(line.split(" ") for line in run(tmp_path, "--tokens").splitlines() if " mh_" in line)
    assert set(tokens) == {"swe-1", "eng-director"}
    assert auth.authenticate_agent(token=tokens["swe-1"]).name == "swe-1"
    assert run(tmp_path, "--tokens") == "Everything already exists.\n"
    registry.revoke_token(token=Token.objects.get(agent__slug="swe-1"))
    assert " mh_" in run(tmp_path, "--tokens")
    assert Token.objects.count() == 3


def test_the_imported_agents_share_as_their_levels_say(tmp_path: Path) -> None:
    write(tmp_path, engineering=ENGINEERING, executive=EXECUTIVE, product="# Product\n- pm-1\n")
    tokens = dict(line.split(" ") for line in run(tmp_path, "--tokens").splitlines() if " mh_" in line)
    for name in ("ceo", "swe-1", "pm-1"):
        body = {"type": "decision", "content": f"The anchor, by {name}."}
        assert call_tool_api(tokens[name], "team/save_memory", body)[0] == 200
    seen = {
        name: [row["agentId"] for row in call_tool_api(token, "team/search_memory", {"query": "anchor"})[1]["memories"]]
        for name, token in tokens.items()
    }
    assert seen == {"swe-1": ["swe-1"], "eng-director": ["swe-1", "ceo"], "ceo": ["ceo"], "pm-1": ["pm-1"]}


FORMS = {
    "bullets under the title": "# Ops\n- swe-1\n* eng-director\n",
    "bullets under a heading": "# Ops\n- Keeps the lights on\n## Members\n- swe-1\n- eng-director\n",
    "numbered": "# Ops\n1. swe-1\n2. eng-director\n",
    "checkboxes": "# Ops\n- [ ] swe-1\n- [x] eng-director\n",
    "marked up": "# Ops\n- **swe-1**\n- [`eng-director`](../agents/eng-director.md)\n",
    "with roles": "# Ops\n- swe-1: backend\n- eng-director (leads the team)\n",
    "with dashes": "# Ops\n- swe-1 - backend\n- eng-director — leads, and hires\n",
    "nested details": "# Ops\n- swe-1\n  - Writes the API\n- eng-director\n  1. Hires\n",
    "at signs": "# Ops\n- @swe-1\n- @eng-director\n",
    "capitals": "# Ops\n- SWE-1\n- Eng-Director\n",
    "labelled lines": "# Ops\n**Director:** eng-director\n\n**Members:** swe-1, eng-director\n",
    "labelled bullets": "# Ops\n- Director: `eng-director`\n- Members: swe-1\n",
    "front matter": "---\nname: Ops\nmembers: [swe-1]\ndirector: eng-director\n---\nText.\n",
    "front matter list": "---\nmembers:\n  - swe-1\n  - eng-director # boss\n---\n- Not an agent here\n",
    "front matter maps": "---\nagents:\n  - id: swe-1\n    role: swe\n  - {id: eng-director, role: Director}\n---\n",
    "front matter text": "---\nmembers: swe-1, eng-director\n---\n",
    "a table": "# Ops\n| Role | Agent |\n|:--|--:|\n| swe | swe-1 |\n| Director | `eng-director` |\n",
    "a table under a heading": "# Ops\n## Team members (2)\n| Name | Role |\n|---|---|\n|swe-1|x|\n|eng-director|y|\n",
    "beside other things": "# Ops\n## Members\n- swe-1\n- eng-director\n## Goals\n- Ship it\n| A |\n|--|\n| c |\n",
    "beside code": "# Ops\n```\n- not-an-agent\n# Not a title\n```\n- swe-1\n- eng-director\n",
    "beside duties": "# Ops\n## Roles and responsibilities\n- Ship it\n## Agents\n- swe-1\n- eng-director\n",
    "windows": "# Ops\r\n- swe-1\r\n- eng-director\r\n",
    "byte order mark": "\ufeff# Ops\n- swe-1\n- eng-director\n",
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_agents_are_read_in_every_form(tmp_path: Path, text: str) -> None:
    run(write(tmp_path, ops=text))
    assert agents() == {"swe-1": ("ops", Level.MEMBER), "eng-director": ("ops", Level.DIRECTOR)}


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("- boss (Director)", Level.DIRECTOR),
        ("- boss: Director of Engineering", Level.DIRECTOR),
        ("- boss — Engineering Director, since May", Level.DIRECTOR),
        ("## Directors\n- boss", Level.DIRECTOR),
        ("| Agent | Level |\n|--|--|\n| boss | director |", Level.DIRECTOR),
        ("- boss: ceo", Level.EXECUTIVE),
        ("- boss: reports to the Director", Level.MEMBER),
        ("- boss: Assistant Director", Level.MEMBER),
        ("- boss: loves our director", Level.MEMBER),
        ("- boss (Direct)", Level.MEMBER),
    ],
)
def test_levels_are_said_and_never_guessed(tmp_path: Path, text: str, level: Level) -> None:
    run(write(tmp_path, ops=f"# Ops\n\n{text}\n"))
    assert agents() == {"boss": ("ops", level)}


def test_titles_have_their_levels() -> None:
    assert [level_of(title) for title in ("ceo", "CEO", "Executive")] == [Level.EXECUTIVE] * 3
    assert [level_of(title) for title in ("eng-director", "Director", "director")] == [Level.DIRECTOR] * 3
    assert [level_of(title) for title in ("", "swe", "executive assistant", "directorate", "director-bot")] == [
        None
    ] * 5


@pytest.mark.parametrize("place", ["org/teams", "teams", "."])
def test_the_files_are_looked_for_in_three_places(tmp_path: Path, place: str) -> None:
    (tmp_path / place).mkdir(parents=True, exist_ok=True)
    (tmp_path / place / "ops.md").write_text("- swe-1\n")
    (tmp_path / place / "README.md").write_text("How this folder works\n- Like so\n")
    run(tmp_path)
    assert agents() == {"swe-1": ("ops", Level.MEMBER)}
    assert Team.objects.get(slug="ops").name == "Ops"


def test_agents_that_no_team_lists_are_executives(tmp_path: Path) -> None:
    write(tmp_path, ops="# Ops\n- swe-1\n- boss\n")
    folder = tmp_path / "org" / "agents"
    folder.mkdir()
    for name, text in (("swe-1", ""), ("scribe", "# Scribe\n- Takes notes\n"), ("boss", "---\nrole: Director\n---\n")):
        (folder / f"{name}.md").write_text(text)
    run(tmp_path)
    assert agents() == {
        "boss": ("ops", Level.DIRECTOR),
        "scribe": ("executive", Level.MEMBER),
        "swe-1": ("ops", Level.MEMBER),
    }


def test_parents_come_first(tmp_path: Path) -> None:
    write(tmp_path, a="---\nparent: b\n---\n- a-1\n", b="Parent: c\n\n- b-1\n", c="- c-1\n")
    run(tmp_path)
    tree = {team.slug: team.parent.slug if team.parent else None for team in Team.objects.select_related("parent")}
    assert tree == {"executive": None, "c": "executive", "b": "c", "a": "b"}


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"ops": "# Ops\n\n- Owns the API\n"}, ["org/teams/ops.md:3: This does not name an agent: 'Owns the API'"]),
        ({"ops": "# Ops\n- swe-1, swe-2\n"}, ["org/teams/ops.md:2: This does not name an agent"]),
        (
            {"ops": "# Ops\n## Members\n- one\n- no good\n- ü\n"},
            ["ops.md:4: This does not name", "ops.md:5: This does not name"],
        ),
        ({"ops": "---\nmembers: [swe 1]\n---\n"}, ["org/teams/ops.md:2: This does not name an agent: 'swe 1'"]),
        ({"ops": "---\nname: Ops\nmembers: [swe-1\n---\n"}, ["org/teams/ops.md:", "front matter is not YAML"]),
        ({"ops": "---\nname: Ops\n"}, ["org/teams/ops.md:1: The front matter does not end"]),
        ({"ops": "---\nname: Ops\nmembers: &all [*all]\n---\n"}, ["org/teams/ops.md:3: Write this out"]),
        ({"ops": f"---\nmembers: {'[' * 5_000}{']' * 5_000}\n---\n"}, ["org/teams/ops.md:2: Write this out"]),
        ({"ops": "---\n- a\n---\n"}, ["org/teams/ops.md:2: The front matter must consist"]),
        ({"ops": "# Ops\n\n## Agents\n| Who | What |\n|--|--|\n| a | b |\n"}, ["ops.md:4: This table has no column"]),
        ({"ops": "| Agent | Team |\n|--|--|\n| a | sales |\n"}, ["ops.md:3: This agent is listed with another team"]),
        ({"a": "- swe-1\n", "b": "- bot\n- swe-1\n"}, ["b.md:2: Agent swe-1 is already listed at org/teams/a.md:1"]),
        ({"a": "Parent: b\n- x\n", "b": "Parent: a\n- y\n"}, ["a.md:1: Team a is its own ancestor", "b.md:1: Team b"]),
        ({"executive": "Parent: ops\n- ceo\n", "ops": "- x\n"}, ["executive.md:1: Team executive is the root"]),
        ({"a": "Parent: nowhere\n- x\n"}, ["a.md:1: There is no team 'nowhere' in acme"]),
        ({"no&good": "- x\n"}, ["no&good.md:1: 'no&good' cannot name a team"]),
        ({"ops": "# Ops\0\n- x\n"}, ["ops.md:1: NUL characters"]),
    ],
)
def test_what_cannot_be_read_is_told_by_file_and_line(tmp_path: Path, files: dict[str, str], words: list[str]) -> None:
    told = "\n".join(import_refusal(write(tmp_path, **files, zzz="- good-1\n")))
    for part in words:
        assert part in told
    assert not Organization.objects.exists()


def test_other_bad_files_are_told(tmp_path: Path) -> None:
    assert import_refusal(tmp_path / "nowhere")[0].startswith("There are no team files in ")
    write(tmp_path, ops="- x\n")
    (tmp_path / "org" / "teams" / "latin.md").write_bytes(b"# Caf\xe9\n")
    (tmp_path / "org" / "teams" / "large.md").write_text("x" * 1_048_577)
    latin, large = sorted(import_refusal(tmp_path), key=lambda line: "large" in line)
    assert latin.startswith("org/teams/latin.md:1: The file cannot be read")
    assert large == "org/teams/large.md:1: The file is larger than 1,048,576 bytes."


def test_nothing_moves_and_nobody_rises_in_silence(tmp_path: Path) -> None:
    acme = factories.organization("acme")
    ops, sales = factories.team(acme, "ops"), factories.team(acme, "sales")
    factories.agent(ops, "swe-1")
    factories.agent(sales, "boss")
    before = agents()
    for text, words in (
        ("# Sales\n- new-1\n- swe-1\n", r"sales.md:3: Agent swe-1 is already in team ops: move it there first."),
        ("# Sales\n- new-1\n- boss (Director)\n", r"sales.md:3: Agent 'boss' already exists, as member."),
    ):
        with pytest.raises(CommandError, match=words):
            run(write(tmp_path, sales=text))
        assert agents() == before


def test_a_level_given_by_hand_stays(tmp_path: Path) -> None:
    write(tmp_path, ops="- swe-1\n")
    run(tmp_path)
    Agent.objects.update(level=Level.DIRECTOR)
    assert run(tmp_path) == "Everything already exists.\n"
    assert agents() == {"swe-1": ("ops", Level.DIRECTOR)}


def test_a_team_without_agents_is_mentioned(tmp_path: Path) -> None:
    assert run(write(tmp_path, ops="# Ops\n## Squad\n- swe-1\n")).splitlines() == [
        "Created team ops under executive.",
        "org/teams/ops.md:1: No agents are listed here.",
    ]


def test_the_only_organization_need_not_be_named(tmp_path: Path) -> None:
    write(tmp_path, ops="- swe-1\n")
    with pytest.raises(CommandError, match="--organization"):
        call_command("import_org", str(tmp_path), stdout=StringIO())
    factories.organization("acme")
    call_command("import_org", str(tmp_path), stdout=StringIO())
    assert Agent.objects.get().organization.slug == "acme"
    factories.organization("globex")
    with pytest.raises(CommandError, match="--organization"):
        call_command("import_org", str(tmp_path), stdout=StringIO())


def test_memories_stay_through_another_run(tmp_path: Path) -> None:
    write(tmp_path, ops="- swe-1\n")
    run(tmp_path)
    agent = Agent.objects.select_related("team__organization").get()
    operations.save_memory(actor=factories.actor(agent), draft=operations.Draft(content="Something."))
    write(tmp_path, ops="- swe-1\n- swe-2\n")
    assert run(tmp_path) == "Created agent swe-2, member of ops.\n"
    assert Memory.objects.get().agent_id == agent.pk
