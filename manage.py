#!/usr/bin/env python
"""The command line. Every command runs with the embedded Postgres, unless DATABASE_URL names a server."""

import os
import sys
from contextlib import nullcontext


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    from memoryhub import privileges
    from memoryhub.postgres import PostgresError

    try:
        cluster = settings.EMBEDDED_POSTGRES
        if sys.argv[1:2] in (["serve"], ["work"]):
            privileges.leave_root(data=settings.DATA_FOLDER, project=settings.BASE_DIR)
        with cluster.running() if cluster else nullcontext():
            try:
                execute_from_command_line(sys.argv)
            finally:
                privileges.hand_over_as_root(settings.DATA_FOLDER)
    except (ImproperlyConfigured, PostgresError) as error:
        sys.exit(f"memoryhub: {error}")


if __name__ == "__main__":
    main()
