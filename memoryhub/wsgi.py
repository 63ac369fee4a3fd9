"""The application as a WSGI server loads it."""

import os

from django.core.wsgi import get_wsgi_application

from memoryhub.statement_timeout import limit_statements

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
application = get_wsgi_application()
limit_statements()


def resume_embedding() -> None:
    """Resume the embedding that an earlier process left unfinished."""
    from memories.operations.embed import catch_up_soon
    from memoryhub import background

    background.run_soon("embedding", catch_up_soon)


resume_embedding()
