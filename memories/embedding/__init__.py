"""Embedding providers, which turn texts into vectors. The settings choose one."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Protocol, runtime_checkable

from django.conf import settings
from django.utils.module_loading import import_string

QUERY_CACHE_SIZE = 1_000  # query vectors that a slow provider caches, in each process


class EmbeddingUnavailable(Exception):
    """The provider cannot embed just now; the text says why, for an operator."""


class Provider(Protocol):
    name: str  # kept with each vector: vectors of different names are never compared
    dimension: int
    inline: bool  # so quick and sure that it runs inside the save; others run beside it
    share: float  # weight of meaning in hybrid recall: higher for models that read words in context
    # Also optional: `background`, the cosine that the nearest of some texts has to a question which none of them has
    # anything to do with. Models differ in it, and confidence counts from there.

    def documents(self, texts: Sequence[str]) -> list[list[float]]: ...

    def query(self, text: str, weights: Mapping[str, float]) -> list[float]:
        """Return the vector of a query. `weights` says how much each word counts; words without a weight count 1."""
        ...


@runtime_checkable
class EnglishProvider(Provider, Protocol):
    """A provider whose model has learned English above all: it reads other languages in pieces of words, which tell
    little."""

    def count_tokens(self, text: str) -> int: ...


WHOLE_WORDS, PIECES = 0.33, 0.5  # tokens a character: of text that such a model knows, and of what it hardly does
SHARE_OF_PIECES = 0.2  # factor of the usual share of meaning


def choose_share(provider: Provider, text: str) -> float:
    """Return the share of meaning beside words for a query: less, the more it is in pieces to the model."""
    if not isinstance(provider, EnglishProvider) or not text:
        return provider.share
    broken = (provider.count_tokens(text) / len(text) - WHOLE_WORDS) / (PIECES - WHOLE_WORDS)
    return provider.share * (1 - (1 - SHARE_OF_PIECES) * min(max(broken, 0.0), 1.0))


# Imported on demand: each needs heavy libraries that the others do without.
PROVIDERS = {
    "wordllama": "memories.embedding.wordllama.WordLlama",
    "minilm": "memories.embedding.minilm.MiniLM",
    "endpoint": "memories.embedding.endpoint.EmbeddingEndpoint",
}


def get_background(provider: Provider) -> float:
    """Return the cosine from which likeness counts: the provider's own, or else that of the settings."""
    found: float = getattr(provider, "background", settings.EMBEDDING_BACKGROUND)
    return found


@cache
def get_provider() -> Provider | None:
    """Return the provider that the settings name, or None if recall by meaning is switched off."""
    return build_provider(describe_provider())


def describe_provider() -> dict[str, Any]:
    """Return the settings from which the provider can be built again after they have changed. Never includes a key."""
    if settings.EMBEDDING != "endpoint":
        return {"provider": settings.EMBEDDING}
    where = {"url": settings.EMBEDDING_URL, "model": settings.EMBEDDING_MODEL}
    return {"provider": "endpoint", **where, "dimension": settings.EMBEDDING_DIMENSION}


def build_provider(made: Mapping[str, Any]) -> Provider | None:
    """Build the provider that these settings describe."""
    name, options = made["provider"], {option: value for option, value in made.items() if option != "provider"}
    if name == "none":
        return None
    path = PROVIDERS.get(name, name)
    try:
        found: Provider = import_string(path)(**options)
    except ImportError as error:
        raise EmbeddingUnavailable(f"EMBEDDING names {path}, which cannot be imported: {error}") from error
    return found
