"""Sessions, and what is kept of them."""

from collections.abc import Sequence

from memoryhub_client.calls.call import Call, called, got, posted, said, spelled
from memoryhub_client.calls.saying import Message, Scope
from memoryhub_client.shapes import Archive, Extraction, Session


def register_session(
    name: str,
    *,
    project: str | None = None,
    user: str | None = None,
    workspace: str | None = None,
    channel: str | None = None,
) -> Call[Session]:
    """Binds a session to these; calls that name it inherit them."""
    bound = said(project=project, user=user, workspace=workspace, channel=channel)
    return called("PUT", f"sessions/{spelled(name)}", Session, json=bound)


def session(name: str) -> Call[Session]:
    """What a session is bound to."""
    return got(f"sessions/{spelled(name)}", Session)


def archive_session(
    name: str, messages: Sequence[Message], *, title: str | None = None, summary: str | None = None
) -> Call[Archive]:
    """Keeps a conversation as a file and as a memory that recall finds."""
    kept = {"messages": list(messages), **said(name=title, summary=summary)}
    return posted(f"sessions/{spelled(name)}/archive", Archive, kept)


def extract(
    name: str, messages: Sequence[Message] | None = None, *, scope: Scope = "team", hold: bool | None = None
) -> Call[Extraction]:
    """Saves what is worth remembering of a conversation; of its newest archive, unless messages are said."""
    return posted(f"sessions/{spelled(name)}/extract", Extraction, said(messages=messages, scope=scope, hold=hold))
