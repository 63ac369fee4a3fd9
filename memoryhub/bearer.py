"""Bearer tokens in the Authorization header."""


def parse_bearer(header: str) -> str:
    """Return the token of an Authorization header; empty if there is none, or another scheme."""
    scheme, _, credentials = header.partition(" ")
    return credentials.strip() if scheme.lower() == "bearer" else ""
