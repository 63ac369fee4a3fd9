"""Drops root: when the hub is started as root, server and worker run as a system account that owns the data."""

import os
import pwd
import stat
import subprocess
import sys
from pathlib import Path

from memoryhub.postgres import PostgresError, find_account

DATA_FILES, DATA_FOLDERS = ("secret_key", "erasures.jsonl"), ("media", "static", "postgres")
DATA_NAMES = (*DATA_FILES, *DATA_FOLDERS)  # the contents of the data folder
DATABASE_FILES = "data"  # Postgres' own, which belong to the account from the start
CANNOT_RUN = (
    "It should run as the account {account}, which cannot use {python}, {project} or {data}: are they, or the Python"
    " that the environment was created with, in a folder that only root may enter? Put them in a folder that it can"
    " enter, such as /srv or /opt, or start the hub as another user."
)
PROBE = "import os, sys, django, granian, psycopg, memoryhub.postgres; os.scandir(sys.argv[1])"


def leave_root(*, data: Path, project: Path) -> None:
    """Start this command again as the account. Return if we are not root or, with a warning, if the account cannot."""
    if os.geteuid() != 0:
        return
    try:
        account = hand_over(data)
        trouble = _try_to_run(account, data=data, project=project)
    except (OSError, PostgresError) as error:
        trouble = str(error)
    if trouble:
        sys.stderr.write(f"Warning: the hub runs as root. {trouble}\n")
        return
    os.environ |= {"MEMORYHUB_DATA": str(data), "HOME": account.pw_dir, "USER": account.pw_name}
    os.setgroups([])
    os.setgid(account.pw_gid)
    os.setuid(account.pw_uid)
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 (ourselves)


def hand_over(data: Path) -> pwd.struct_passwd:
    """Give the account whatever root created in the data folder, so that the server can read it."""
    account = find_account(data / "postgres" / DATABASE_FILES, data / "media")
    data.mkdir(parents=True, exist_ok=True)
    data.chmod(data.stat().st_mode | 0o011)  # whatever the umask was, the account must be able to enter
    for name in DATA_FOLDERS:
        (data / name).mkdir(mode=0o700, exist_ok=True)
    for name in DATA_NAMES:
        if os.path.lexists(data / name):  # there is no file of a key if SECRET_KEY is set
            _give_tree(data / name, account)
    return account


def hand_over_as_root(data: Path) -> None:
    """Hand over after a command that was run as root, if the hub has an account of its own."""
    if os.geteuid() == 0 and any(_has_owner(data / name) for name in DATA_NAMES):
        hand_over(data)


def _has_owner(path: Path) -> bool:
    return path.exists() and path.stat().st_uid != 0


def _give_tree(top: Path, account: pwd.struct_passwd) -> None:
    """Give away a tree by names within open folders, never through a link: the account can rename what is in it."""
    _give_one(top.name, os.open(top.parent, os.O_RDONLY | os.O_DIRECTORY), account, close=True)
    for _, folders, files, folder in os.fwalk(top, follow_symlinks=False):
        if DATABASE_FILES in folders:
            folders.remove(DATABASE_FILES)
        for name in (*folders, *files):
            _give_one(name, folder, account)


def _give_one(name: str, folder: int, account: pwd.struct_passwd, *, close: bool = False) -> None:
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        ours = status.st_uid == 0 and (stat.S_ISDIR(status.st_mode) or status.st_nlink == 1)
        if ours:
            os.chown(name, account.pw_uid, account.pw_gid, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        pass  # removed in the meantime, or not created yet
    finally:
        if close:
            os.close(folder)


def _try_to_run(account: pwd.struct_passwd, *, data: Path, project: Path) -> str:
    """Return why the account cannot run the hub, or nothing."""
    try:
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-c", PROBE, str(data / "media")],
            cwd=project,
            user=account.pw_uid,
            group=account.pw_gid,
            extra_groups=[],
            capture_output=True,
            text=True,
            check=False,
        )
        able = done.returncode == 0
    except PermissionError:
        able = False
    return "" if able else CANNOT_RUN.format(account=account.pw_name, python=sys.executable, project=project, data=data)
