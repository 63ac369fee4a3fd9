"""A team's files."""

from memoryhub_client.calls.call import Call, called, got, page, posted, seen, spelled
from memoryhub_client.shapes import File, FileVersion, Page


def files(
    *, prefix: str | None = None, text: str | None = None, deleted: bool | None = None, limit: int | None = None
) -> Call[Page[File]]:
    """The team's files by path, without their content."""
    return got("files", page("files", File), prefix=prefix, text=text, deleted=deleted, limit=limit)


def read_file(path: str, *, version: int | None = None) -> Call[File]:
    return got(f"files/{spelled(path)}", File, version=version)


def write_file(path: str, content: str, *, version: int | None = None, only_new: bool = False) -> Call[File]:
    """Makes it, or overwrites all of it; with `version` only that one, with `only_new` none."""
    headers = {**seen(version), **({"If-None-Match": "*"} if only_new else {})}
    return called("PUT", f"files/{spelled(path)}", File, json={"content": content}, headers=headers)


def append_file(path: str, text: str) -> Call[File]:
    return posted(f"files/{spelled(path)}", File, {"text": text})


def rename_file(path: str, to: str, *, version: int | None = None) -> Call[File]:
    return called("PATCH", f"files/{spelled(path)}", File, json={"path": to}, headers=seen(version))


def delete_file(path: str, *, version: int | None = None) -> Call[File]:
    return called("DELETE", f"files/{spelled(path)}", File, headers=seen(version))


def file_history(path: str) -> Call[Page[FileVersion]]:
    return got(f"file-history/{spelled(path)}", page("versions", FileVersion))


def revert_file(path: str, to_version: int) -> Call[File]:
    """A deleted file comes back by it, too."""
    return posted(f"file-history/{spelled(path)}", File, {"to_version": to_version})
