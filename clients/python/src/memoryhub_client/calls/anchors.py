"""Requests about anchors: the list to check, and what a check found."""

from collections.abc import Mapping
from dataclasses import asdict

from memoryhub_client.calls.call import Call, build_get, build_post, check_id, drop_none, read_page
from memoryhub_client.shapes import HashedPlace, Page, ReportedAnchors, Source


def anchors(*, repository: str | None = None, limit: int | None = None) -> Call[Page[Source]]:
    """List the sources with a hash, of memories that hold: all, those of a repository, or (of `""`) those of URLs."""
    return build_get("anchors", read_page("anchors", Source), repository=repository, limit=limit)


def report_anchors(found: Mapping[str, HashedPlace | None], *, commit: str | None = None) -> Call[ReportedAnchors]:
    """Report what is now where these anchors point, by their ids: None says that it is gone. At most 500 at once."""
    checked = [{"id": check_id(source, "anchor"), "present": _to_sent_place(place)} for source, place in found.items()]
    return build_post("anchors/report", ReportedAnchors, {"anchors": checked, **drop_none(commit=commit or None)})


def _to_sent_place(place: HashedPlace | None) -> dict[str, object] | None:
    """Return the hashes and numbers of lines, and nothing else."""
    if place is None:
        return None
    return {name: value for name, value in asdict(place).items() if value and name != "commit"}
