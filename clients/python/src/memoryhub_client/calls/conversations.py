"""Requests about sessions: registering, archiving, extracting memories."""

from collections.abc import Sequence

from memoryhub_client.calls.call import Call, build_call, build_get, build_post, drop_none, quote_path
from memoryhub_client.calls.inputs import Message, Scope
from memoryhub_client.shapes import Archive, Extraction, Session


def register_session(
    name: str,
    *,
    project: str | None = None,
    user: str | None = None,
    workspace: str | None = None,
    channel: str | None = None,
) -> Call[Session]:
    """Bind a session to a project, user, workspace and channel; calls that name the session inherit them."""
    binding = drop_none(project=project, user=user, workspace=workspace, channel=channel)
    return build_call("PUT", f"sessions/{quote_path(name)}", Session, json=binding)


def session(name: str) -> Call[Session]:
    """Return what a session is bound to."""
    return build_get(f"sessions/{quote_path(name)}", Session)


def archive_session(
    name: str, messages: Sequence[Message], *, title: str | None = None, summary: str | None = None
) -> Call[Archive]:
    """Archive a conversation as a file and as a memory that recall can find."""
    body = {"messages": list(messages), **drop_none(name=title, summary=summary)}
    return build_post(f"sessions/{quote_path(name)}/archive", Archive, body)


def extract(
    name: str, messages: Sequence[Message] | None = None, *, scope: Scope = "team", hold: bool | None = None
) -> Call[Extraction]:
    """Save what is worth remembering from these messages, or else from the session's newest archive."""
    return build_post(
        f"sessions/{quote_path(name)}/extract", Extraction, drop_none(messages=messages, scope=scope, hold=hold)
    )
