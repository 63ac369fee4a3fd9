"""Problem documents (RFC 9457): the JSON that an error becomes."""

from typing import Any

from memories.contract import outputs
from memories.models import Memory, TeamFile
from memoryhub import error_pages
from memoryhub.errors import Conflict, Invalid, Trouble


def problem_document(error: Trouble) -> dict[str, Any]:
    """Return the error with its status, its code and what is known about it."""
    return error_pages.problem_document(error.status, error.code, error.message, **_problem_details(error))


def _problem_details(error: Trouble) -> dict[str, Any]:
    if isinstance(error, Invalid):
        return {"fields": error.fields} | ({"more_fields": error.more} if error.more else {})
    if isinstance(error, Conflict) and isinstance(error.current, Memory):
        return {"current": outputs.render_memory(error.current)}
    if isinstance(error, Conflict) and isinstance(error.current, TeamFile):
        return {"current": outputs.render_file(error.current)}
    return {}
