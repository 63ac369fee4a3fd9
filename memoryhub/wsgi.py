"""The application as a WSGI server loads it."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
application = get_wsgi_application()


def resume() -> None:
    """Goes on with what an earlier process left to be done beside the requests."""
    from memories.operations.embedding import catch_up_soon
    from memoryhub import background

    background.soon("embedding", catch_up_soon)


resume()
