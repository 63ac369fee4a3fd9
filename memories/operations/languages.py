"""Languages of texts that are stored already."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.functions import Left

from memories.models import Memory, TeamFile
from memories.text.language import SAMPLE, choose_language
from teams.models import Team

BATCH = 1_000  # rows


def detect_languages(team: Team) -> Counter[str]:
    """Detect the languages of a team's memories and files again, and count the texts that got another one, by their new
    language."""
    changed = Counter[str]()
    for rows in (Memory.objects.filter(team=team, purged_at=None), TeamFile.objects.filter(team=team)):
        changed += _detect_again(rows.in_organization(team.organization_id), fallback=team.language)
    return changed


def _detect_again(rows: QuerySet[Any], *, fallback: str) -> Counter[str]:
    ids: dict[str, list[UUID]] = defaultdict(list)
    samples = rows.annotate(sample=Left("content", SAMPLE)).values_list("pk", "sample", "language")
    for pk, sample, present in samples.iterator(chunk_size=BATCH):
        if (language := choose_language(sample, fallback=fallback)) != present:
            ids[language].append(pk)
    for language, found in ids.items():
        for some in _batches(found):
            rows.model.objects.filter(pk__in=some).update(language=language)
    return Counter({language: len(found) for language, found in ids.items()})


def _batches(ids: list[UUID]) -> Iterable[list[UUID]]:
    return (ids[start : start + BATCH] for start in range(0, len(ids), BATCH))
