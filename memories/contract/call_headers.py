"""Call headers: the bearer token, and the context that `X-Memory-Project`, `-User`, `-Session`, … name."""

from collections.abc import Mapping
from urllib.parse import unquote

from memoryhub import logs
from memoryhub.bearer import parse_bearer
from memoryhub.errors import Unauthenticated
from teams import auth, tokens
from teams.models import Token

SIGN_IN_SENTENCE = "A token is needed: 'Authorization: Bearer mh_…'."
CHALLENGE = 'Bearer realm="memoryhub"'  # the WWW-Authenticate header of a 401
CONTEXT_HEADERS = ("project", "user", "session", "workspace", "channel")


def authenticate_bearer(headers: Mapping[str, str]) -> Token | None:
    """Return the token of the Authorization header, or None if there is none."""
    header = headers.get("Authorization", "").strip()
    if not header:
        return None
    text = parse_bearer(header)
    if not text:
        raise Unauthenticated("Send the token as 'Authorization: Bearer mh_…'.")
    token = auth.authenticate_token(token=text)
    logs.add_log_context(actor=f"agent:{token.agent_id}", token=text[: tokens.PREFIX_LENGTH])
    return token


def read_context_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the names in the context headers. They carry ASCII only: other letters are percent-encoded."""
    return {name: unquote(headers.get(f"X-Memory-{name.title()}", "")) for name in CONTEXT_HEADERS}
