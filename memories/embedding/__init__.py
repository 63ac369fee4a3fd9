"""Meaning as numbers: the provider that turns texts into vectors, chosen by setting."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Protocol

from django.conf import settings
from django.utils.module_loading import import_string

RECENT = 1_000  # questions whose vectors a slow provider remembers, in each process


class Unavailable(Exception):
    """The provider cannot embed just now; the text says why, for an operator."""


class Provider(Protocol):
    name: str  # kept with each vector: vectors of different names are never compared
    dimension: int
    inline: bool  # so quick and sure that it runs inside the save; others run beside it
    share: float  # of meaning beside words in a hybrid answer: more for models that read words in their context

    def documents(self, texts: Sequence[str]) -> list[list[float]]: ...

    def query(self, text: str, weights: Mapping[str, float]) -> list[float]:
        """The vector of a question whose words weigh as much as they tell; words without a weight weigh 1."""
        ...


# By path, for each brings heavy libraries that the others do without.
PROVIDERS = {
    "wordllama": "memories.embedding.wordllama.WordLlama",
    "minilm": "memories.embedding.minilm.MiniLM",
    "endpoint": "memories.embedding.endpoint.Endpoint",
}


@cache
def provider() -> Provider | None:
    """The provider that the settings name, or Unavailable; None when recall by meaning is switched off."""
    return built(made_by())


def made_by() -> dict[str, Any]:
    """What names the provider, by which it can be built again when other settings are in force. Never a key."""
    if settings.EMBEDDING != "endpoint":
        return {"provider": settings.EMBEDDING}
    where = {"url": settings.EMBEDDING_URL, "model": settings.EMBEDDING_MODEL}
    return {"provider": "endpoint", **where, "dimension": settings.EMBEDDING_DIMENSION}


def built(made: Mapping[str, Any]) -> Provider | None:
    """The provider of that name."""
    name, options = made["provider"], {option: value for option, value in made.items() if option != "provider"}
    if name == "none":
        return None
    path = PROVIDERS.get(name, name)
    try:
        found: Provider = import_string(path)(**options)
    except ImportError as error:
        raise Unavailable(f"EMBEDDING names {path}, which cannot be imported: {error}") from error
    return found
