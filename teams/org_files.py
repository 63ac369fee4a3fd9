"""An organization as its files tell it: a markdown file for each team, which lists the team's agents.

What should name an agent and does not is an error with its file and line. Levels are never guessed from prose, since a
level gives its bearer more to read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from memoryhub.errors import Trouble
from memoryhub.text import flaw
from teams.models import SLUG, Level
from teams.operations import ROOT_SLUG
from teams.org_page import Entry, Fault, Page

LARGEST = 1024 * 1024  # bytes of a file
NAME_LENGTH, DESCRIPTION_LENGTH = 200, 1_000
NOT_TEAMS = ("readme", "index")

ENTRY = re.compile(r"@?(?P<agent>[\w.-]*\w)\s*(?:(?:[:(–—]|(?<=\s)-\s)\s*(?P<role>.*))?")
ORDINARY = frozenset({"to", "the", "for", "with", "by", "from", "under", "and", "assistant"})


class Unreadable(Trouble):
    code = "unreadable"


@dataclass(frozen=True, slots=True)
class ListedAgent:
    slug: str
    place: str  # file:line
    level: Level | None = None  # where the files say one


@dataclass(frozen=True, slots=True)
class ListedTeam:
    slug: str
    place: str = ""  # nowhere, for a root without a file
    name: str = ""
    description: str = ""
    parent: str = ""
    agents: tuple[ListedAgent, ...] = ()


def read(folder: Path) -> list[ListedTeam]:
    """The teams, each after the one above it, the root first; agents that no team lists are the root's."""
    places = (folder / "org" / "teams", folder / "teams", folder)
    found = next((place for place in places if _pages(place)), None)
    if found is None:
        raise Unreadable(f"There are no team files in {folder}: no org/teams/*.md, teams/*.md or *.md.")
    faults: list[str] = []
    own = dict(_agents_with_a_file(found, folder, faults))
    listed = [team for path in _pages(found) if (team := _team(path, folder, own, faults))]
    teams = _with_root(listed, own)
    faults += [*_twice(teams), *_astray(teams)]
    if faults:
        raise Unreadable("\n".join(faults))
    return _downwards(teams)


def level_of(title: str) -> Level | None:
    """`ceo` and `Executive` are executives; `eng-director`, `Director` and `Director of Engineering` are directors."""
    words = re.findall(r"[A-Za-z]+", title)
    lower = [word.lower() for word in words]
    if lower in (["ceo"], ["executive"]):
        return Level.EXECUTIVE
    if not lower or ORDINARY & set(lower):
        return None
    leads = lower[-1] == "director" or lower[:2] == ["director", "of"]
    return Level.DIRECTOR if leads and ("Director" in words or " " not in title.strip()) else None


def _pages(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.glob("*.md")) if path.is_file() and path.stem.lower() not in NOT_TEAMS]


def _page(path: Path, shown: str, faults: list[str]) -> Page | None:
    try:
        if path.stat().st_size > LARGEST:
            raise Fault(1, f"The file is larger than {LARGEST:,} bytes.")
        text = path.read_text(encoding="utf-8-sig")
        if found := flaw(text, longest=LARGEST):
            raise Fault(1, found)
        return Page(text)
    except Fault as error:
        faults.append(f"{shown}:{error.line}: {error.message}")
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        faults.append(f"{shown}:{line}: The front matter is not YAML: {error.problem}.")
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        faults.append(f"{shown}:1: The file cannot be read: {error}.")
    return None


def _agents_with_a_file(teams: Path, folder: Path, faults: list[str]) -> Iterator[tuple[str, ListedAgent]]:
    """Those in the folder `agents` beside `teams`, whether or not a team lists them."""
    for path in _pages(teams.parent / "agents") if teams.name == "teams" else ():
        shown = str(path.relative_to(folder))
        if page := _page(path, shown, faults):
            role = page.said("level") or page.said("role")
            if agent := _agent(Entry(path.stem, 1, role=role), shown, faults):
                yield agent.slug, agent


def _team(path: Path, folder: Path, own: Mapping[str, ListedAgent], faults: list[str]) -> ListedTeam | None:
    shown, slug = str(path.relative_to(folder)), path.stem.lower().replace(" ", "-")
    page = _page(path, shown, faults)
    if page is None:
        return None
    if not _is_slug(slug):
        faults.append(f"{shown}:1: {path.stem!r} is no name for a team: letters, digits, dots and dashes, at most 64.")
    agents: dict[str, ListedAgent] = {}
    try:
        for entry in page.entries:
            if entry.team.lower() not in ("", slug, page.title.lower()):
                faults.append(f"{shown}:{entry.line}: This agent is said to be of another team, {entry.team}.")
            elif agent := _agent(entry, shown, faults):
                said = [other.level for other in (agents.get(agent.slug), own.get(agent.slug)) if other]
                level = agent.level or next(filter(None, said), None)
                agents[agent.slug] = replace(agent, level=level)
    except Fault as error:
        faults.append(f"{shown}:{error.line}: {error.message}")
    return ListedTeam(
        slug=slug,
        place=f"{shown}:1",
        name=(page.said("name") or page.title)[:NAME_LENGTH],
        description=(page.said("description") or page.paragraph)[:DESCRIPTION_LENGTH],
        parent=page.said("parent").lower(),
        agents=tuple(agents.values()),
    )


def _agent(entry: Entry, shown: str, faults: list[str]) -> ListedAgent | None:
    place = f"{shown}:{entry.line}"
    match = ENTRY.fullmatch(entry.text)
    slug = match["agent"].lower() if match else ""
    if not match or not _is_slug(slug):
        faults.append(f"{place}: This names no agent: {entry.text[:80]!r}. Write it like swe-1 or swe-1 (Engineer).")
        return None
    role = entry.role or re.split(r"[,;()–—]", match["role"] or "")[0].strip()
    return ListedAgent(slug, place, entry.level or level_of(slug) or level_of(role))


def _is_slug(text: str) -> bool:
    return len(text) <= 64 and bool(re.fullmatch(SLUG, text))


def _with_root(teams: list[ListedTeam], own: Mapping[str, ListedAgent]) -> list[ListedTeam]:
    listed = {agent.slug for team in teams for agent in team.agents}
    rest = tuple(agent for agent in own.values() if agent.slug not in listed)
    root = next((team for team in teams if team.slug == ROOT_SLUG), ListedTeam(ROOT_SLUG))
    return [replace(root, agents=(*root.agents, *rest)), *(team for team in teams if team.slug != ROOT_SLUG)]


def _twice(teams: Iterable[ListedTeam]) -> Iterator[str]:
    places: dict[tuple[str, str], str] = {}
    for team in teams:
        named = [("Team", team.slug, team.place), *(("Agent", agent.slug, agent.place) for agent in team.agents)]
        for kind, slug, place in named:
            if first := places.get((kind, slug)):
                yield f"{place}: {kind} {slug} is listed already, at {first}."
            places[kind, slug] = place


def _astray(teams: Iterable[ListedTeam]) -> Iterator[str]:
    """Parents that make no tree. One that no file tells of may still be known to the database."""
    parents = {team.slug: team.parent for team in teams}
    for team in teams:
        if team.slug == ROOT_SLUG and team.parent:
            yield f"{team.place}: Team {ROOT_SLUG} is the root: it has no parent."
        elif team.slug in _above(team.parent, parents):
            yield f"{team.place}: Team {team.slug} stands above itself."


def _above(slug: str, parents: Mapping[str, str]) -> list[str]:
    found: list[str] = []
    while slug and slug not in found:
        found.append(slug)
        slug = parents.get(slug, "")
    return found


def _downwards(teams: list[ListedTeam]) -> list[ListedTeam]:
    parents = {team.slug: team.parent for team in teams}
    return sorted(teams, key=lambda team: (team.slug != ROOT_SLUG, len(_above(team.parent, parents))))
