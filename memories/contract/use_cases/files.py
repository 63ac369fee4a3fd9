"""Use cases of a team's files: list, read, write, rename, delete and revert them."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Q

from memories.contract import outputs
from memories.models import FileVersion, TeamFile
from memories.operations import files
from memories.queries import folders, lookup
from memories.queries.paging import RowPage, fetch_page
from memories.rules.access import require_verb
from teams.actor import Actor
from teams.models import Verb


def fetch_file_page(actor: Actor, params: Mapping[str, Any]) -> RowPage[TeamFile]:
    """Return a page of the files that the actor may read, by path; or of deleted ones that it may restore."""
    if params["deleted"]:
        require_verb(actor, Verb.READ)
        require_verb(actor, Verb.WRITE)
    rows = TeamFile.objects.restorable_by(actor) if params["deleted"] else TeamFile.objects.visible_to(actor)
    return fetch_page(
        rows.filter(_file_list_filter(params)).with_size(),
        order="path",
        limit=params["limit"],
        cursor=params.get("cursor"),
        parts=[Q(team=team_id) for team_id in actor.readable_team_ids],
    )


def list_files(actor: Actor, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return a page of files without their text."""
    return fetch_file_page(actor, params).to_dict("files", outputs.render_listed_file)


def list_file_versions(actor: Actor, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return a page of the file's versions without their text, the newest first."""
    file = lookup.find_file(actor=actor, path=params["path"], deleted=True)
    rows = FileVersion.objects.of_file(file).with_size().with_authors()
    page = fetch_page(rows, order="-version", limit=params["limit"], cursor=params.get("cursor"))
    return page.to_dict("versions", outputs.render_file_version)


def read_file(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a file as it is, or as it was at an older version."""
    file = lookup.find_file(actor=actor, path=arguments["path"])
    return outputs.render_file(lookup.file_at_version(file, arguments.get("at_version")))


def write_file(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Write the whole text of a file; with `only_new`, only where there is none yet."""
    version = files.ABSENT if arguments["only_new"] else arguments.get("version")
    path, content = arguments["path"], arguments["content"]
    return _file_or_receipt(actor, files.write_file(actor=actor, path=path, content=content, version=version))


def append_to_file(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Add text at the end of a file, on a line of its own."""
    return _file_or_receipt(actor, files.append_to_file(actor=actor, **arguments))


def rename_file(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Move a file to another path, where there is nothing yet."""
    return _file_or_receipt(actor, files.rename_file(actor=actor, **arguments))


def delete_file(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Delete a file, and return a receipt."""
    return outputs.render_file_receipt(files.delete_file(actor=actor, **arguments))


def revert_file(actor: Actor, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Make a new version with the text of an old one; a deleted file comes back by it."""
    return _file_or_receipt(actor, files.revert_file(actor=actor, **arguments))


def _file_or_receipt(actor: Actor, file: TeamFile) -> dict[str, Any]:
    """Return the file that was written; for a token that may not read, a receipt."""
    return outputs.render_file(file) if actor.may(Verb.READ) else outputs.render_file_receipt(file)


def _file_list_filter(params: Mapping[str, Any]) -> Q:
    rule = Q(path__startswith=params["prefix"]) if "prefix" in params else Q()
    words = params.get("text", "").strip()
    return rule & folders.file_words_filter(words) if words else rule
