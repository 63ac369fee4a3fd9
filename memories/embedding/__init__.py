"""Meaning as numbers: the provider that turns texts into vectors, chosen by setting."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Protocol

from django.conf import settings

from memories.embedding.wordllama import WordLlama


class Unavailable(Exception):
    """The provider cannot embed just now; the text says why, for an operator."""


class Provider(Protocol):
    name: str  # kept with each vector: vectors of different names are never compared
    dimension: int
    inline: bool  # so quick and sure that it runs inside the save; others run beside it

    def documents(self, texts: Sequence[str]) -> list[list[float]]: ...

    def query(self, text: str, weights: Mapping[str, float]) -> list[float]:
        """The vector of a question whose words weigh as much as they tell; words without a weight weigh 1."""
        ...


PROVIDERS = {"wordllama": WordLlama}


@cache
def provider() -> Provider | None:
    """The provider that the settings name; None when recall by meaning is switched off."""
    made = PROVIDERS.get(settings.EMBEDDING)
    return made() if made else None


def made_by() -> dict[str, Any]:
    """The settings that name the provider, by which it can be built again when others are in force."""
    return {"EMBEDDING": settings.EMBEDDING}


def built(made: Mapping[str, Any]) -> Provider | None:
    """The provider that those settings named."""
    if made == made_by():
        return provider()
    chosen = PROVIDERS.get(made.get("EMBEDDING", ""))
    return chosen() if chosen else None
