"""Where the hub is and who is asking: said by arguments, the environment, or the file that `memoryhub login` wrote."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from memoryhub_client.errors import MemoryHubError

URL, TOKEN = "MEMORYHUB_URL", "MEMORYHUB_TOKEN"


@dataclass(frozen=True, slots=True)
class Configuration:
    url: str
    token: str


def file() -> Path:
    if said := os.environ.get("MEMORYHUB_CONFIG"):
        return Path(said)
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "memoryhub" / "config.json"


def found(*, url: str | None = None, token: str | None = None) -> Configuration:
    """A stored token is sent only to the hub that it was stored for."""
    kept = _kept()
    url = url or os.environ.get(URL) or kept.get("url")
    if not url:
        raise MemoryHubError(f"No hub is known: give a url, set {URL}, or run 'memoryhub login'.")
    stored = kept.get("token") if kept.get("url") == url.rstrip("/") else None
    token = token or os.environ.get(TOKEN) or stored
    if not token:
        raise MemoryHubError(f"No token for {url} is known: give one, set {TOKEN}, or run 'memoryhub login'.")
    return Configuration(url.rstrip("/"), token)


def known_url() -> str | None:
    return os.environ.get(URL) or _kept().get("url")


def drop() -> bool:
    """Whether there was something to forget."""
    there = file().exists()
    file().unlink(missing_ok=True)
    return there


def keep(configuration: Configuration) -> Path:
    """For its owner's eyes alone from the first byte on."""
    path = file()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = path.with_name(f".{path.name}.{os.getpid()}")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as written:
        json.dump(asdict(configuration), written)
    return new.replace(path)


def _kept() -> dict[str, str]:
    path = file()
    try:
        return dict(json.loads(path.read_text()))
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, OSError) as error:
        raise MemoryHubError(f"{path} cannot be read: {error}") from error
