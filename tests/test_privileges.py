"""Started as root, the hub gives that up where its account can run it, and says so where it cannot."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import psutil
import pytest

from memoryhub import privileges
from memoryhub.postgres import find_account
from tests.cluster import throwaway_folder
from tests.hub import PROJECT_ROOT, Hub, hub


def runs_as_account(python: str) -> bool:
    """Return whether the hub's account, if we are root, may run this Python with our packages."""
    account = find_account()
    environment = os.environ | {"PYTHONPATH": sysconfig.get_path("purelib")}
    command = [python, "-c", privileges.PROBE, "/"]
    try:
        user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        done = subprocess.run(command, cwd=PROJECT_ROOT, env=environment, capture_output=True, check=False, **user)  # type: ignore[call-overload]
    except PermissionError:
        return False
    return bool(done.returncode == 0)


def accounts_of(made: Hub) -> set[int]:
    """Return the ids of the users that run the server, its workers and the job worker."""
    assert made.process
    parent = psutil.Process(made.process.pid)
    return {process.uids().real for process in (parent, *parent.children(recursive=True))}


@pytest.fixture
def python(monkeypatch: pytest.MonkeyPatch) -> str:
    """Return our Python or, as root, one of the same version that the account may run, if there is any."""
    system = f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"
    if os.geteuid() == 0 and not runs_as_account(sys.executable) and Path(system).exists():
        monkeypatch.setenv("PYTHONPATH", sysconfig.get_path("purelib"))
        monkeypatch.setattr(sys, "executable", system)
    return sys.executable


def test_server_and_worker_run_as_the_account_or_say_why_not(python: str) -> None:
    with hub() as made:
        made.start("--workers", "1")
        log = (made.folder / "serve.log").read_text()
        if os.geteuid() != 0:
            assert accounts_of(made) == {os.geteuid()}
        elif runs_as_account(python):
            assert accounts_of(made) == {find_account().pw_uid}
            assert "Warning" not in log
        else:
            assert accounts_of(made) == {0}
            assert "the hub runs as root" in log
        assert made.request("GET", "/readyz")[0] == 200


def test_what_root_made_is_handed_over_and_nothing_else() -> None:
    with throwaway_folder() as data:
        (data / "media" / "assets").mkdir(parents=True)
        (data / "media" / "assets" / "list").write_text("milk")
        (data / "secret_key").write_text("secret")
        outside = data / "outside"
        outside.write_text("not the hub's")
        (data / "media" / "link").symlink_to(outside)
        os.link(outside, data / "media" / "second-name")
        if os.geteuid() != 0:
            privileges.leave_root(data=data, project=PROJECT_ROOT)  # nothing to do
            assert outside.stat().st_uid == os.geteuid()
            return
        uid = privileges.hand_over(data).pw_uid
        given = (data / "media", data / "media" / "assets" / "list", data / "secret_key", data / "static")
        assert {path.stat().st_uid for path in given} == {uid}
        assert outside.stat().st_uid == 0
        (data / "secret_key").unlink()  # as where SECRET_KEY names one
        assert privileges.hand_over(data).pw_uid == uid


def test_a_project_that_the_account_cannot_use_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with throwaway_folder() as closed, throwaway_folder() as data:
        closed.chmod(0o700)
        privileges.leave_root(data=data, project=closed)
        said = capsys.readouterr().err
        assert (str(closed) in said and "runs as root" in said) == (os.geteuid() == 0)
