"""What a page says of the change that led to it, with a way to take it back."""

from django.contrib import messages
from django.http import HttpRequest


def notify(request: HttpRequest, text: str, *, undo: str = "") -> None:
    """`undo` is an address that takes the change back when it is posted to."""
    messages.success(request, text, extra_tags=undo)


def warn(request: HttpRequest, text: str) -> None:
    messages.error(request, text)
