#!/usr/bin/env python
"""The command line: every command runs with the embedded Postgres up, unless DATABASE_URL names a server."""

import os
import sys
from contextlib import nullcontext


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    from memoryhub.postgres import PostgresError

    try:
        cluster = settings.EMBEDDED_POSTGRES
        with cluster.running() if cluster else nullcontext():
            execute_from_command_line(sys.argv)
    except (ImproperlyConfigured, PostgresError) as error:
        sys.exit(f"memoryhub: {error}")


if __name__ == "__main__":
    main()
