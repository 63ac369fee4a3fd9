"""The hub's address and token: from arguments, the environment, or the file that `memoryhub login` writes."""

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


def config_path() -> Path:
    if path := os.environ.get("MEMORYHUB_CONFIG"):
        return Path(path)
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "memoryhub" / "config.json"


def load_configuration(*, url: str | None = None, token: str | None = None) -> Configuration:
    """Return the configuration. A stored token is used only for the hub that it was stored for."""
    stored = _read_stored()
    url = url or os.environ.get(URL) or stored.get("url")
    if not url:
        raise MemoryHubError(f"No hub is configured: pass a url, set {URL}, or run 'memoryhub login'.")
    stored_token = stored.get("token") if stored.get("url") == url.rstrip("/") else None
    token = token or os.environ.get(TOKEN) or stored_token
    if not token:
        raise MemoryHubError(f"No token for {url} is configured: pass one, set {TOKEN}, or run 'memoryhub login'.")
    return Configuration(url.rstrip("/"), token)


def configured_url() -> str | None:
    return os.environ.get(URL) or _read_stored().get("url")


def delete_configuration() -> bool:
    """Delete the stored configuration and return whether there was one."""
    existed = config_path().exists()
    config_path().unlink(missing_ok=True)
    return existed


def save_configuration(configuration: Configuration) -> Path:
    """Write the configuration to a file that only its owner can ever read, and return its path."""
    path = config_path()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = path.with_name(f".{path.name}.{os.getpid()}")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        json.dump(asdict(configuration), file)
    return new.replace(path)


def _read_stored() -> dict[str, str]:
    path = config_path()
    try:
        return dict(json.loads(path.read_text()))
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, OSError) as error:
        raise MemoryHubError(f"{path} cannot be read: {error}") from error
