"""The working tree of a git repository, of which nothing but tracked files within it is ever read."""

import os
import re
import stat
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from memoryhub_client.errors import MemoryHubError

MOST_FILE_BYTES = 20_000_000  # of a file that is hashed
COMMIT_PATTERN = re.compile(r"[0-9a-f]{7,64}")
SHORT_ADDRESS = re.compile(r"(?:[^@/]+@)?([^:/]+):(?!//)(.+)")  # git@example.org:acme/berths.git


class NotReadable(MemoryHubError):
    """Says why a path is not read: it leads out of the working tree, or to no text of a sensible size."""


@dataclass(frozen=True)
class WorkingTree:
    root: Path  # without symbolic links

    @classmethod
    def find(cls, directory: str | Path = ".") -> "WorkingTree":
        """Return the working tree that the directory is in."""
        try:
            top = _run_git(Path(directory), "rev-parse", "--show-toplevel").decode().strip()
        except GitFailed as error:
            raise MemoryHubError(f"{Path(directory).resolve()} is in no working tree of git.") from error
        return cls(Path(top).resolve())

    @cached_property
    def commit(self) -> str:
        """Return the commit that is checked out; empty before the first one."""
        try:
            return _run_git(self.root, "rev-parse", "--verify", "--quiet", "HEAD").decode().strip()
        except GitFailed:
            return ""

    @cached_property
    def repository(self) -> str:
        """Return the name by which hubs know the repository: where it comes from, or else its folder."""
        try:
            address = _run_git(self.root, "remote", "get-url", "origin").decode().strip()
        except GitFailed:
            return self.root.name
        return name_repository(address) or self.root.name

    @cached_property
    def tracked(self) -> frozenset[str]:
        """Return the paths of all files that git tracks: what it ignores, such as a file of secrets, is not read."""
        names = _run_git(self.root, "ls-files", "-z").split(b"\0")
        return frozenset(os.fsdecode(name) for name in names if name)

    def read(self, path: str) -> bytes | None:
        """Return the content of a tracked file, or None if there is none. No path, and no symbolic link, leads to
        anything else."""
        check_path(path)
        if path not in self.tracked:
            return None
        try:
            target = (self.root / path).resolve(strict=True)
        except (OSError, RuntimeError):  # not there, or links in a circle
            return None
        inside = target.relative_to(self.root).as_posix() if target.is_relative_to(self.root) else ""
        if inside not in self.tracked:
            raise NotReadable(f"{path} leads out of what git tracks in the working tree.")
        return _read_regular(target, path)

    def read_at(self, commit: str, path: str) -> bytes | None:
        """Return the content that the file had at a commit, or None if the repository does not have it."""
        if not COMMIT_PATTERN.fullmatch(commit):
            return None
        try:
            check_path(path)
            return _run_git(self.root, "cat-file", "blob", f"{commit}:{path}")
        except (GitFailed, NotReadable):
            return None

    def find_path(self, name: str) -> str:
        """Return the path from the top of the tree of a file that is named from where the command runs."""
        target = Path(os.path.abspath(name))  # not resolved: the last part may be a link that is tracked itself
        parent = target.parent.resolve()
        if not parent.is_relative_to(self.root):
            raise NotReadable(f"{name} is not in the working tree {self.root}.")
        return (parent.relative_to(self.root) / target.name).as_posix()


def check_path(path: str) -> None:
    """Refuse a path that is not one from the top of the tree downwards."""
    parts = path.split("/")
    if not path or "\0" in path or "\\" in path or any(part in ("", ".", "..") for part in parts):
        raise NotReadable(f"{path!r} is not a path within a working tree.")
    if PurePosixPath(path).is_absolute() or Path(path).is_absolute() or Path(path).drive or ".git" in parts:
        raise NotReadable(f"{path!r} is not a path within a working tree.")


def name_repository(address: str) -> str:
    """Return the host and path of a remote's address, without user names and passwords; of a local path, its name."""
    short = SHORT_ADDRESS.fullmatch(address) if "://" not in address else None
    if short:
        host, path = short.groups()
    else:
        parts = urlsplit(address)
        host, path = (parts.hostname or "", parts.path) if "://" in address else ("", address)
    path = path.rstrip("/").removesuffix(".git").strip("/")
    return f"{host}/{path}" if host else path.rpartition("/")[2]


def _read_regular(target: Path, path: str) -> bytes:
    """Return the bytes of a regular file. It is opened without following a link that was put there meanwhile."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(target, flags), "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode) or about.st_size > MOST_FILE_BYTES:
            raise NotReadable(f"{path} is no file of at most {MOST_FILE_BYTES:,} bytes.")
        return file.read(MOST_FILE_BYTES)


class GitFailed(MemoryHubError):
    pass


def _run_git(directory: Path, *words: str) -> bytes:
    try:
        done = subprocess.run(  # noqa: S603 (a list, without a shell)
            ["git", "-C", str(directory), *words],  # noqa: S607 (whichever git this machine has)
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise MemoryHubError("This command needs git, which cannot be run here.") from error
    if done.returncode:
        raise GitFailed(done.stderr.decode(errors="replace").strip() or f"git {words[0]} failed.")
    return done.stdout
