"""What is sent to be kept as a file."""

from django.http import StreamingHttpResponse

from memories import moving


def archive(selection: moving.Selection) -> StreamingHttpResponse:
    """Sent as it is made. One that breaks off has no manifest, so nobody takes it for whole."""
    name = "-".join([selection.organization.slug, *([selection.team.slug] if selection.team else [])])
    sent = StreamingHttpResponse(moving.pack(selection), content_type="application/zip")
    sent["Content-Disposition"] = f'attachment; filename="{name}.zip"'
    sent["X-Content-Type-Options"] = "nosniff"
    return sent
