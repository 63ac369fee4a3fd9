"""Which model answers, while another takes over or a provider fails.

A new model's vectors are made beside the old ones, which go on serving until the new cover every memory. A provider
that fails is left alone for a while, longer each time: nobody waits for it twice in a row.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from django.utils import timezone

from memories import embedding
from memories.embedding import Provider, Unavailable
from memories.models import EmbeddingModel, Memory
from memoryhub import background

KNOWN_FOR = 5.0  # seconds until it is looked again which model serves
FIRST_REST, LONGEST_REST = 5.0, 60.0  # seconds a provider that failed is left alone


@dataclass(frozen=True, slots=True)
class Serving:
    asked: Provider | None  # answers queries
    making: tuple[Provider, ...]  # whose vectors are made with each save: the new one first
    behind: bool = False  # the new one does not cover everything yet


NOBODY = Serving(None, ())
_known: tuple[float, Serving] | None = None


def serving() -> Serving:
    global _known
    if _known is None or time.monotonic() - _known[0] > KNOWN_FOR:
        _known = (time.monotonic(), _look())
    return _known[1]


def look_again() -> None:
    """At the next occasion."""
    global _known
    _known = None


def _look() -> Serving:
    try:
        chosen = embedding.provider()
    except Unavailable as error:
        failed("EMBEDDING", error)
        return NOBODY
    if chosen is None:
        return NOBODY
    models = {model.name: model for model in EmbeddingModel.objects.order_by("covered_at")}
    model = models.get(chosen.name) or enlist(chosen)
    chosen.dimension = chosen.dimension or model.dimension  # what it was, it must stay
    if model.covered_at:
        return Serving(chosen, (chosen,))
    former = [model for model in models.values() if model.covered_at]
    old = _built(former[-1]) if former else None
    return Serving(old or chosen, (chosen, old) if old else (chosen,), behind=True)


def _built(model: EmbeddingModel) -> Provider | None:
    try:
        provider = embedding.built(model.made_by)
        if provider:
            provider.dimension = provider.dimension or model.dimension
        return provider
    except Unavailable as error:
        failed(model.name, error)
        return None


@dataclass(frozen=True, slots=True)
class Asked:
    """The vector of a question."""

    model: str
    share: float
    vector: list[float]


def query(text: str, weights: Mapping[str, float]) -> Asked | None:
    """None where recall by meaning is switched off."""
    provider = serving().asked
    if provider is None:
        return None
    if resting(provider.name):
        raise Unavailable("It failed a moment ago.")
    try:
        vector = provider.query(text, weights)
    except Unavailable as error:
        failed(provider.name, error)
        raise
    succeeded(provider.name)
    return Asked(provider.name, provider.share, vector)


_resting: dict[str, tuple[float, float]] = {}  # until when, and for how long, by name


def resting(name: str) -> float:
    """For how many seconds it is still left alone."""
    return max(0.0, _resting.get(name, (0.0, 0.0))[0] - time.monotonic())


def rouse() -> None:
    """Leaves nobody alone any longer."""
    _resting.clear()
    look_again()


def failed(name: str, error: Exception) -> float:
    """Leaves it alone for a while, which is returned, and lets operators know."""
    rest = min(_resting.get(name, (0.0, FIRST_REST / 2))[1] * 2, LONGEST_REST)
    _resting[name] = (time.monotonic() + rest, rest)
    background.soon(("embedding state", name), partial(note, name=name, error=str(error)))
    return rest


def succeeded(name: str) -> None:
    if _resting.pop(name, None):
        background.soon(("embedding state", name), partial(note, name=name))


def note(*, name: str, error: str = "") -> None:
    """Lets operators know how the model fares."""
    failed_at = timezone.now() if error else None
    EmbeddingModel.objects.filter(pk=name).update(error=error, failed_at=failed_at)


def enlist(provider: Provider) -> EmbeddingModel:
    """The model as it is known; a new one covers at once where there is nothing to cover."""
    covered_at = None if Memory.objects.exists() else timezone.now()
    model, _ = EmbeddingModel.objects.get_or_create(
        name=provider.name,
        defaults={
            "made_by": embedding.made_by(),
            "dimension": provider.dimension,
            "queued_at": covered_at,
            "covered_at": covered_at,
        },
    )
    return model
