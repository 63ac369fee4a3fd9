"""Reads an organization from its files: a markdown file for each team, which lists the team's agents.

An entry that should name an agent and does not is an error with its file and line. Levels are never guessed from prose,
since a higher level may read more.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from memoryhub.errors import Trouble
from memoryhub.text import text_problem
from teams.models import SLUG, Level
from teams.operations import ROOT_SLUG
from teams.org_page import AgentEntry, OrgPage, OrgPageError

MAX_ORG_FILE_BYTES = 1024 * 1024
NAME_LENGTH, DESCRIPTION_LENGTH = 200, 1_000
NOT_TEAMS = ("readme", "index")

AGENT_ENTRY = re.compile(r"@?(?P<agent>[\w.-]*\w)\s*(?:(?:[:(–—]|(?<=\s)-\s)\s*(?P<role>.*))?")
NOT_IN_TITLES = frozenset({"to", "the", "for", "with", "by", "from", "under", "and", "assistant"})


class UnreadableOrgFiles(Trouble):
    code = "unreadable"


@dataclass(frozen=True, slots=True)
class ListedAgent:
    slug: str
    place: str  # file:line
    level: Level | None = None  # if the files give one


@dataclass(frozen=True, slots=True)
class ListedTeam:
    slug: str
    place: str = ""  # empty for a root team without a file
    name: str = ""
    description: str = ""
    parent: str = ""
    agents: tuple[ListedAgent, ...] = ()


def read_org_files(folder: Path) -> list[ListedTeam]:
    """Return the teams, parents before children. Agents that no team lists belong to the root."""
    places = (folder / "org" / "teams", folder / "teams", folder)
    teams_folder = next((place for place in places if _list_pages(place)), None)
    if teams_folder is None:
        raise UnreadableOrgFiles(f"There are no team files in {folder}: no org/teams/*.md, teams/*.md or *.md.")
    faults: list[str] = []
    own = dict(_agents_with_a_file(teams_folder, folder, faults))
    listed = [team for path in _list_pages(teams_folder) if (team := _read_team(path, folder, own, faults))]
    teams = _add_root_team(listed, own)
    faults += [*_find_duplicates(teams), *_find_broken_parents(teams)]
    if faults:
        raise UnreadableOrgFiles("\n".join(faults))
    return _sort_by_depth(teams)


def level_of(title: str) -> Level | None:
    """`ceo` and `Executive` are executives; `eng-director`, `Director` and `Director of Engineering` are directors."""
    words = re.findall(r"[A-Za-z]+", title)
    lower = [word.lower() for word in words]
    if lower in (["ceo"], ["executive"]):
        return Level.EXECUTIVE
    if not lower or NOT_IN_TITLES & set(lower):
        return None
    leads = lower[-1] == "director" or lower[:2] == ["director", "of"]
    return Level.DIRECTOR if leads and ("Director" in words or " " not in title.strip()) else None


def _list_pages(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.glob("*.md")) if path.is_file() and path.stem.lower() not in NOT_TEAMS]


def _read_org_page(path: Path, name: str, faults: list[str]) -> OrgPage | None:
    try:
        if path.stat().st_size > MAX_ORG_FILE_BYTES:
            raise OrgPageError(1, f"The file is larger than {MAX_ORG_FILE_BYTES:,} bytes.")
        text = path.read_text(encoding="utf-8-sig")
        if problem := text_problem(text, longest=MAX_ORG_FILE_BYTES):
            raise OrgPageError(1, problem)
        return OrgPage(text)
    except OrgPageError as error:
        faults.append(f"{name}:{error.line}: {error.message}")
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        faults.append(f"{name}:{line}: The front matter is not YAML: {error.problem}.")
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        faults.append(f"{name}:1: The file cannot be read: {error}.")
    return None


def _agents_with_a_file(teams: Path, folder: Path, faults: list[str]) -> Iterator[tuple[str, ListedAgent]]:
    """Yield the agents in the folder `agents` beside `teams`, whether or not a team lists them."""
    for path in _list_pages(teams.parent / "agents") if teams.name == "teams" else ():
        name = str(path.relative_to(folder))
        if page := _read_org_page(path, name, faults):
            role = page.get_value("level") or page.get_value("role")
            if agent := _read_agent(AgentEntry(path.stem, 1, role=role), name, faults):
                yield agent.slug, agent


def _read_team(path: Path, folder: Path, own: Mapping[str, ListedAgent], faults: list[str]) -> ListedTeam | None:
    name, slug = str(path.relative_to(folder)), path.stem.lower().replace(" ", "-")
    page = _read_org_page(path, name, faults)
    if page is None:
        return None
    if not _is_slug(slug):
        faults.append(f"{name}:1: {path.stem!r} cannot name a team: use at most 64 letters, digits, dots and dashes.")
    agents: dict[str, ListedAgent] = {}
    try:
        for entry in page.entries:
            if entry.team.lower() not in ("", slug, page.title.lower()):
                faults.append(f"{name}:{entry.line}: This agent is listed with another team, {entry.team}.")
            elif agent := _read_agent(entry, name, faults):
                levels = [other.level for other in (agents.get(agent.slug), own.get(agent.slug)) if other]
                level = agent.level or next(filter(None, levels), None)
                agents[agent.slug] = replace(agent, level=level)
    except OrgPageError as error:
        faults.append(f"{name}:{error.line}: {error.message}")
    return ListedTeam(
        slug=slug,
        place=f"{name}:1",
        name=(page.get_value("name") or page.title)[:NAME_LENGTH],
        description=(page.get_value("description") or page.paragraph)[:DESCRIPTION_LENGTH],
        parent=page.get_value("parent").lower(),
        agents=tuple(agents.values()),
    )


def _read_agent(entry: AgentEntry, name: str, faults: list[str]) -> ListedAgent | None:
    place = f"{name}:{entry.line}"
    match = AGENT_ENTRY.fullmatch(entry.text)
    slug = match["agent"].lower() if match else ""
    if not match or not _is_slug(slug):
        faults.append(
            f"{place}: This does not name an agent: {entry.text[:80]!r}. Write it like swe-1 or swe-1 (Engineer)."
        )
        return None
    role = entry.role or re.split(r"[,;()–—]", match["role"] or "")[0].strip()
    return ListedAgent(slug, place, entry.level or level_of(slug) or level_of(role))


def _is_slug(text: str) -> bool:
    return len(text) <= 64 and bool(re.fullmatch(SLUG, text))


def _add_root_team(teams: list[ListedTeam], own: Mapping[str, ListedAgent]) -> list[ListedTeam]:
    listed = {agent.slug for team in teams for agent in team.agents}
    rest = tuple(agent for agent in own.values() if agent.slug not in listed)
    root = next((team for team in teams if team.slug == ROOT_SLUG), ListedTeam(ROOT_SLUG))
    return [replace(root, agents=(*root.agents, *rest)), *(team for team in teams if team.slug != ROOT_SLUG)]


def _find_duplicates(teams: Iterable[ListedTeam]) -> Iterator[str]:
    places: dict[tuple[str, str], str] = {}
    for team in teams:
        entries = [("Team", team.slug, team.place), *(("Agent", agent.slug, agent.place) for agent in team.agents)]
        for kind, slug, place in entries:
            if first := places.get((kind, slug)):
                yield f"{place}: {kind} {slug} is already listed at {first}."
            places[kind, slug] = place


def _find_broken_parents(teams: Iterable[ListedTeam]) -> Iterator[str]:
    """Yield an error for each parent that breaks the tree. A parent without a file may still be in the database."""
    parents = {team.slug: team.parent for team in teams}
    for team in teams:
        if team.slug == ROOT_SLUG and team.parent:
            yield f"{team.place}: Team {ROOT_SLUG} is the root: it has no parent."
        elif team.slug in _ancestor_slugs(team.parent, parents):
            yield f"{team.place}: Team {team.slug} is its own ancestor."


def _ancestor_slugs(slug: str, parents: Mapping[str, str]) -> list[str]:
    slugs: list[str] = []
    while slug and slug not in slugs:
        slugs.append(slug)
        slug = parents.get(slug, "")
    return slugs


def _sort_by_depth(teams: list[ListedTeam]) -> list[ListedTeam]:
    parents = {team.slug: team.parent for team in teams}
    return sorted(teams, key=lambda team: (team.slug != ROOT_SLUG, len(_ancestor_slugs(team.parent, parents))))
