"""Locks that processes share, by names."""

import threading

import pytest

from memoryhub import locks

pytestmark = pytest.mark.django_db


def test_one_at_a_time_is_alone() -> None:
    with locks.hold_lock("a name") as first, locks.hold_lock("a name") as second, locks.hold_lock("another") as third:
        assert (first, second, third) == (True, False, True)
    with locks.hold_lock("a name") as later:
        assert later


def test_whoever_waits_is_alone_once_the_other_is_done() -> None:
    order: list[str] = []

    def wait() -> None:
        with locks.hold_lock("a name", wait=True) as alone:
            assert alone
            order.append("waited")

    with locks.hold_lock("a name"):
        thread = threading.Thread(target=wait)
        thread.start()
        thread.join(0.2)
        order.append("done")
    thread.join()
    assert order == ["done", "waited"]
