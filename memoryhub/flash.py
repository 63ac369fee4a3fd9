"""Messages on the next page about a change that was made, with a way to undo it."""

from django.contrib import messages
from django.http import HttpRequest


def notify(request: HttpRequest, text: str, *, undo: str = "") -> None:
    """Show a message; a POST to `undo` takes the change back."""
    messages.success(request, text, extra_tags=undo)


def warn(request: HttpRequest, text: str) -> None:
    messages.error(request, text)
