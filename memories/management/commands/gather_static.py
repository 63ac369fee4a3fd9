"""Collects the static files, unless they are the same as the last time: compressing them takes seconds."""

import hashlib
import os
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand

STAMP = "gathered"


class Command(BaseCommand):
    help = "Collect the static files that changed since the last time. The server does this when it starts."

    def handle(self, *args: Any, **options: Any) -> None:
        stamp, current = settings.STATIC_ROOT / STAMP, fingerprint()
        if stamp.exists() and stamp.read_text() == current:
            return
        stamp.unlink(missing_ok=True)
        call_command("collectstatic", verbosity=0, interactive=False)
        stamp.write_text(current)


def fingerprint() -> str:
    """Return a hash of each file's path, size and time of change."""
    files = sorted(storage.path(path) for finder in get_finders() for path, storage in finder.list([]))
    looks = [(file, status.st_size, status.st_mtime_ns) for file in files for status in (os.stat(file),)]
    return hashlib.sha256(repr((settings.STORAGES["staticfiles"], looks)).encode()).hexdigest()
