"""Requests about a team's files."""

from memoryhub_client.calls.call import Call, build_call, build_get, build_post, if_match, quote_path, read_page
from memoryhub_client.shapes import File, FileVersion, Page


def files(
    *, prefix: str | None = None, text: str | None = None, deleted: bool | None = None, limit: int | None = None
) -> Call[Page[File]]:
    """List the team's files by path, without their content."""
    return build_get("files", read_page("files", File), prefix=prefix, text=text, deleted=deleted, limit=limit)


def read_file(path: str, *, version: int | None = None) -> Call[File]:
    return build_get(f"files/{quote_path(path)}", File, version=version)


def write_file(path: str, content: str, *, version: int | None = None, only_new: bool = False) -> Call[File]:
    """Create or overwrite a file: with `version` only that version, with `only_new` only if there is none."""
    headers = {**if_match(version), **({"If-None-Match": "*"} if only_new else {})}
    return build_call("PUT", f"files/{quote_path(path)}", File, json={"content": content}, headers=headers)


def append_file(path: str, text: str) -> Call[File]:
    return build_post(f"files/{quote_path(path)}", File, {"text": text})


def rename_file(path: str, to: str, *, version: int | None = None) -> Call[File]:
    return build_call("PATCH", f"files/{quote_path(path)}", File, json={"path": to}, headers=if_match(version))


def delete_file(path: str, *, version: int | None = None) -> Call[File]:
    return build_call("DELETE", f"files/{quote_path(path)}", File, headers=if_match(version))


def file_history(path: str) -> Call[Page[FileVersion]]:
    return build_get(f"file-history/{quote_path(path)}", read_page("versions", FileVersion))


def revert_file(path: str, to_version: int) -> Call[File]:
    """Make an old version the newest. This also brings back a deleted file."""
    return build_post(f"file-history/{quote_path(path)}", File, {"to_version": to_version})
