"""What is sent to be kept as a file."""

from django.http import StreamingHttpResponse

from memories import moving
from memories.moving.progress import shown


def archive(selection: moving.Selection, *, called: str = "") -> StreamingHttpResponse:
    """Sent as it is made. One that breaks off has no manifest, so nobody takes it for whole. Under the name by which it
    is called, others see how far it is."""
    name = "-".join([selection.organization.slug, *([selection.team.slug] if selection.team else [])])
    pieces = moving.pack(selection, heard=shown(called) if called else None)
    sent = StreamingHttpResponse(pieces, content_type="application/zip")
    sent["Content-Disposition"] = f'attachment; filename="{name}.zip"'
    sent["X-Content-Type-Options"] = "nosniff"
    return sent
