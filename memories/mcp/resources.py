"""Resources that a client can read by URI: the team's prompt blocks, its files, and each memory that owns a key."""

import mimetypes
from contextlib import suppress
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from django.utils import timezone

from memories.contract.use_cases.files import fetch_file_page
from memories.models import Memory, Scope, TeamFile
from memories.prompts import context
from memories.queries.lookup import clean_key
from memories.rules.access import require_verb
from memories.rules.fields import clean_fields
from memoryhub.errors import Invalid, NotFound
from teams.actor import Actor
from teams.models import Team, Verb

SCHEME = "memory"
KEY = "memory://{team}/{key}"
FILE = "memory://{team}/files/{+path}"
PAGE = 100
PLAIN = "text/plain"
TEMPLATES = [
    {
        "uriTemplate": KEY,
        "name": "memory",
        "title": "A memory by its key",
        "description": "What the team's memory with this key says. A slash in a key is written %2F.",
        "mimeType": PLAIN,
    },
    {
        "uriTemplate": FILE,
        "name": "file",
        "title": "A file of the team",
        "description": "The text at this path, like notes/berths.md.",
    },
]
BLOCKS = {
    "core": ("Core memory", "What every prompt of the team begins with.", context.render_core),
    "recent": ("Recent team memory", "The team's newest memories, a line each.", context.render_recent),
}

Content = dict[str, Any]


def list_file_resources(*, actor: Actor, cursor: str | None) -> Content:
    """Return a page of resources: the prompt blocks, then the files by path."""
    require_verb(actor, Verb.READ)
    page = {"deleted": False, "limit": PAGE} | ({} if cursor is None else {"cursor": cursor})
    found, slugs = fetch_file_page(actor, page), _slugs(actor)
    blocks = _blocks(actor, slugs[actor.team_id]) if cursor is None else []
    after = {"nextCursor": found.next} if found.next else {}
    return {"resources": [*blocks, *(_file(row, slugs[row.team_id]) for row in found.rows)], **after}


def read(*, actor: Actor, uri: str) -> Content:
    require_verb(actor, Verb.READ)
    team, kind, name = _place(uri)
    known = {slug: pk for pk, slug in _slugs(actor).items()}
    found = None
    with suppress(Invalid):  # a name that nothing can have
        found = READERS[kind](actor, known[team], name) if team in known else None
    if found is None:
        raise NotFound(f"There is no resource {uri!r}.")
    text, media = found
    return {"uri": uri, "mimeType": media, "text": text}


def address(team: str, *parts: str) -> str:
    return f"{SCHEME}://{'/'.join(quote(part, safe='') for part in (team, *parts))}"


def _slugs(actor: Actor) -> dict[Any, str]:
    return dict(Team.objects.readable_by(actor).values_list("pk", "slug"))


def _place(uri: str) -> tuple[str, str, str]:
    """Return the team, the kind of resource and its name."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return "", "key", ""
    first, deeper, rest = parts.path.removeprefix("/").partition("/")
    exact = parts.scheme == SCHEME and not parts.query and not parts.fragment
    if not exact or (deeper and first not in ("files", "blocks")):
        return "", "key", ""
    return unquote(parts.netloc), first if deeper else "key", unquote(rest if deeper else first)


def _block(actor: Actor, team_id: Any, name: str) -> tuple[str, str] | None:
    """Return a prompt block of the actor's own team; None for any other team."""
    if team_id != actor.team_id or name not in BLOCKS:
        return None
    return BLOCKS[name][2](actor=actor), PLAIN


def _text_of_file(actor: Actor, team_id: Any, path: str) -> tuple[str, str] | None:
    cleaned = clean_fields({"path": path}, now=timezone.now())["path"]
    found = TeamFile.objects.visible_to(actor).filter(team=team_id).at(cleaned).first()
    return (found.content, _media(found.path)) if found else None


def _text_of_key(actor: Actor, team_id: Any, key: str) -> tuple[str, str] | None:
    owners = Memory.objects.visible_to(actor).owning_keys(Scope.TEAM).filter(audience=team_id)
    found = owners.with_key(clean_key(key)).first()
    return (found.content, PLAIN) if found else None


READERS = {"key": _text_of_key, "files": _text_of_file, "blocks": _block}


def _blocks(actor: Actor, slug: str) -> list[Content]:
    """Return the prompt blocks; the core only if there is one."""
    visible = {name: block for name, block in BLOCKS.items() if name != "core" or context.render_core(actor=actor)}
    return [
        {"uri": address(slug, "blocks", name), "name": name, "title": title, "description": tells, "mimeType": PLAIN}
        for name, (title, tells, _) in visible.items()
    ]


def _file(row: TeamFile, slug: str) -> Content:
    return {
        "uri": f"{address(slug, 'files')}/{quote(row.path)}",
        "name": row.path,
        "mimeType": _media(row.path),
        "size": row.size,  # type: ignore[attr-defined]  # counted by the list
        "annotations": {"lastModified": row.updated_at},
    }


def _media(path: str) -> str:
    found = mimetypes.guess_type(path)[0] or PLAIN
    return found if found.startswith("text/") else PLAIN
