"""The active embedding model, while another takes over or a provider fails.

A new model's vectors are made beside the old ones, which go on serving until the new ones cover every memory. A
provider that fails is not called for a while, longer each time (backoff).
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from django.utils import timezone

from memories import embedding
from memories.embedding import EmbeddingUnavailable, Provider, get_background
from memories.models import EmbeddingModel, Memory
from memoryhub import background

CACHE_SECONDS = 5.0  # seconds until the active models are read again
FIRST_BACKOFF, LONGEST_BACKOFF = 5.0, 60.0  # seconds that a failing provider is not called


@dataclass(frozen=True, slots=True)
class ActiveModels:
    query_provider: Provider | None  # embeds queries
    providers: tuple[Provider, ...]  # make the vectors of each save: the new one first
    catching_up: bool = False  # the new one does not cover everything yet


NO_MODELS = ActiveModels(None, ())
_cached_models: tuple[float, ActiveModels] | None = None


def get_active_models() -> ActiveModels:
    global _cached_models
    if _cached_models is None or time.monotonic() - _cached_models[0] > CACHE_SECONDS:
        _cached_models = (time.monotonic(), _load_active_models())
    return _cached_models[1]


def invalidate_active_models() -> None:
    """Read the active models again at the next call."""
    global _cached_models
    _cached_models = None


def _load_active_models() -> ActiveModels:
    try:
        chosen = embedding.get_provider()
    except EmbeddingUnavailable as error:
        record_failure("EMBEDDING", error)
        return NO_MODELS
    if chosen is None:
        return NO_MODELS
    models = {model.name: model for model in EmbeddingModel.objects.order_by("covered_at")}
    model = models.get(chosen.name) or register_model(chosen)
    chosen.dimension = chosen.dimension or model.dimension  # it must not change
    if model.covered_at:
        return ActiveModels(chosen, (chosen,))
    former = [model for model in models.values() if model.covered_at]
    old = _build_former_provider(former[-1]) if former else None
    return ActiveModels(old or chosen, (chosen, old) if old else (chosen,), catching_up=True)


def _build_former_provider(model: EmbeddingModel) -> Provider | None:
    try:
        provider = embedding.build_provider(model.made_by)
        if provider:
            provider.dimension = provider.dimension or model.dimension
        return provider
    except EmbeddingUnavailable as error:
        record_failure(model.name, error)
        return None


@dataclass(frozen=True, slots=True)
class QueryVector:
    """The vector of a query, and the model that made it."""

    model: str
    share: float
    vector: list[float]
    background: float = 0.0  # the cosine of texts that have nothing to do with each other


def embed_query(text: str, weights: Mapping[str, float]) -> QueryVector | None:
    """Return the vector of a query, or None if recall by meaning is switched off."""
    provider = get_active_models().query_provider
    if provider is None:
        return None
    if backoff_remaining(provider.name):
        raise EmbeddingUnavailable("It failed a moment ago.")
    try:
        vector = provider.query(text, weights)
    except EmbeddingUnavailable as error:
        record_failure(provider.name, error)
        raise
    record_success(provider.name)
    share = embedding.choose_share(provider, text)
    return QueryVector(provider.name, share, vector, get_background(provider))


_backoffs: dict[str, tuple[float, float]] = {}  # until when, and for how long, by name


def backoff_remaining(name: str) -> float:
    """Return for how many more seconds the model is not called."""
    return max(0.0, _backoffs.get(name, (0.0, 0.0))[0] - time.monotonic())


def reset_backoff() -> None:
    """End all backoffs, and read the active models again."""
    _backoffs.clear()
    invalidate_active_models()


def record_failure(name: str, error: Exception) -> float:
    """Start or double the model's backoff, store the error for operators, and return the seconds."""
    rest = min(_backoffs.get(name, (0.0, FIRST_BACKOFF / 2))[1] * 2, LONGEST_BACKOFF)
    _backoffs[name] = (time.monotonic() + rest, rest)
    background.run_soon(("embedding state", name), partial(record_status, name=name, error=str(error)))
    return rest


def record_success(name: str) -> None:
    if _backoffs.pop(name, None):
        background.run_soon(("embedding state", name), partial(record_status, name=name))


def record_status(*, name: str, error: str = "") -> None:
    """Store whether the model works, for operators to see."""
    failed_at = timezone.now() if error else None
    EmbeddingModel.objects.filter(pk=name).update(error=error, failed_at=failed_at)


def register_model(provider: Provider) -> EmbeddingModel:
    """Return the provider's row. A new model covers at once if there are no memories yet."""
    covered_at = None if Memory.objects.exists() else timezone.now()
    model, _ = EmbeddingModel.objects.get_or_create(
        name=provider.name,
        defaults={
            "made_by": embedding.describe_provider(),
            "dimension": provider.dimension,
            "queued_at": covered_at,
            "covered_at": covered_at,
        },
    )
    return model
