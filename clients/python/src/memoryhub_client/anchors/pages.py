"""What is at the URL of an anchor: read only if the caller wants it, as hubs could name any address."""

import httpx

from memoryhub_client.anchors.working_tree import NotReadable

MOST_PAGE_BYTES = 5_000_000
MISSING_STATUSES = (404, 410)


def fetch_url(url: str, *, timeout: float = 20.0) -> bytes | None:
    """Return what is at the URL, or None if the server says that there is nothing."""
    if not url.startswith(("https://", "http://")):
        raise NotReadable(f"{url} is not read: only http and https are.")
    try:
        with httpx.stream("GET", url, timeout=timeout, follow_redirects=True) as response:
            if response.status_code in MISSING_STATUSES:
                return None
            if response.status_code != httpx.codes.OK:
                raise NotReadable(f"{url} answers with status {response.status_code}.")
            return _read_body(response, url)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise NotReadable(f"{url} cannot be read: {error}") from error


def _read_body(response: httpx.Response, url: str) -> bytes:
    body = bytearray()
    for chunk in response.iter_bytes():
        body += chunk
        if len(body) > MOST_PAGE_BYTES:
            raise NotReadable(f"{url} has more than {MOST_PAGE_BYTES:,} bytes.")
    return bytes(body)
