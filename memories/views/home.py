"""Team home: what the team knows by heart, what is going on, and what wants a look."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import Any
from uuid import UUID

from django import forms
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from memories import days, operations, paging, reading
from memories.changes import Told, changes
from memories.context import CORE_KEY
from memories.models import Memory, Type
from memories.views.acting import undoing, unsaving
from memoryhub.charts import Chart
from memoryhub.errors import Invalid
from memoryhub.forms import TextField, refuse
from memoryhub.notices import notify
from teams.models import Token
from teams.place import Done, Place, action, in_team
from teams.views import entering

PINNED, EXPIRING, DUE, CHANGES = 5, 5, 5, 15
SOON = timedelta(days=14)
REVIEWED_AGAIN = timedelta(days=90)
LONG = 900  # characters of core memory that are shown at once, about
LINES = 14


class QuickSave(forms.Form):
    content = TextField(
        required=False,
        label="What should the team remember?",
        widget=forms.Textarea(attrs={"rows": 2, "data-key": "n", "placeholder": "One fact, decision or lesson"}),
    )
    type = forms.ChoiceField(choices=Type.choices, initial=Type.FACT)
    pinned = forms.BooleanField(required=False, label="Pin it")


@in_team
def page(request: HttpRequest, place: Place) -> HttpResponse:
    entering.remember(request, place)
    form = QuickSave(request.POST if request.method == "POST" else None)
    if form.is_bound and (saved := _saved(place, form)):
        notify(request, "Saved.", undo=unsaving(place, saved))
        return redirect(place.to("team-home"))
    found = _found(place, now=timezone.now())
    status = 400 if form.errors else 200
    return render(request, "memories/home.html", {"section": "team-home", "form": form, **found}, status=status)


def _saved(place: Place, form: QuickSave) -> Memory | None:
    if not form.is_valid():
        return None
    try:
        return operations.save(actor=place.actor, draft=operations.Draft(**form.cleaned_data))
    except Invalid as refusal:
        refuse(form, refusal)
        return None


@action
def still_true(request: HttpRequest, place: Place, memory_id: UUID) -> Done:
    checked = operations.verify(actor=place.actor, memory_id=memory_id, review_by=timezone.now() + REVIEWED_AGAIN)
    return Done(f"Checked. It comes up again in {REVIEWED_AGAIN.days} days.", undo=undoing(place, checked))


# What there is to show


def _found(place: Place, *, now: datetime) -> dict[str, Any]:
    core = _core(place)
    history = changes(actor=place.here, limit=CHANGES).changes
    return {
        "core": core,
        "core_is_long": core is not None and (len(core.content) > LONG or core.content.count("\n") > LINES),
        "pinned": _first(place, Q(pinned=True), order="-importance", limit=PINNED, besides=core),
        "due": _first(place, Q(review_by__lte=now), order="review_by", limit=DUE),
        "expiring": _first(
            place, Q(expires_at__gt=now, expires_at__lte=now + SOON), order="expires_at", limit=EXPIRING
        ),
        "recent": recent(history, today=now.date()),
        "steps": _steps(place, core=core, saved=bool(history)),
        **_charts(place, now=now),
    }


def _core(place: Place) -> Memory | None:
    """Hopes for the index key_has_one_living_owner."""
    mine = Memory.objects.visible_to(place.here).filter(audience=place.team.pk, key=CORE_KEY, owns_key=True)
    return mine.with_authors().defer("search").first()


def _first(place: Place, rule: Q, *, order: str, limit: int, besides: Memory | None = None) -> paging.Page[Memory]:
    """Hopes for the indexes memory_pinned, memory_due and memory_vanishing, in each audience by itself."""
    rows = Memory.objects.visible_to(place.here).filter(rule)
    if besides:
        rows = rows.exclude(pk=besides.pk)
    return paging.page(
        rows,
        order=order,
        limit=limit,
        parts=[Q(audience=audience) for audience in sorted(place.here.reads, key=str)],
        read=lambda found: reading.in_order(actor=place.here, rows=found, order=order),
    )


@dataclass(frozen=True, slots=True)
class Entry:
    """What one did to one memory in a row."""

    last: Told
    words: str


def recent(history: Iterable[Told], *, today: date) -> list[tuple[str, list[Entry]]]:
    """By days, each with what was done on it: the newest first."""
    by_day = groupby(history, key=lambda told: told.revision.created_at.date())
    return [(_named(day, today=today), _entries(told)) for day, told in by_day]


def _entries(history: Iterable[Told]) -> list[Entry]:
    runs = groupby(history, key=lambda told: (told.revision.byline, told.revision.memory_id))
    return [_entry(list(run)) for _, run in runs]


def _entry(run: list[Told]) -> Entry:
    words = list(dict.fromkeys(told.words for told in reversed(run)))
    return Entry(run[0], " and ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} and {words[-1]}")


def _named(day: date, *, today: date) -> str:
    if day >= today - timedelta(days=1):
        return "Today" if day >= today else "Yesterday"
    return f"{day.day} {day:%B}" if day.year == today.year else f"{day.day} {day:%B %Y}"


def _steps(place: Place, *, core: Memory | None, saved: bool) -> list[tuple[str, str, str, bool]]:
    """What a new team does first, for those who can; empty once all of it is done."""
    if not place.may_write:
        return []
    connected = Token.objects.filter(agent__team=place.team.pk, revoked_at=None).exists()
    steps = [
        (place.to("memory-new"), "Save a memory", "Something that your agents should know tomorrow, too.", saved),
        (place.to("core"), "Write core memory", "What every agent of the team reads before it thinks.", bool(core)),
        (place.to("agents"), "Connect an agent", "Create a token, and it can save and recall by itself.", connected),
    ]
    return steps if not all(done for *_, done in steps) else []


def _charts(place: Place, *, now: datetime) -> dict[str, Any]:
    tallies = days.tallies(team=place.team, now=now)
    return {
        "tallies": tallies,
        "at_least": any(tally.at_least for tally in tallies),
        "saved": Chart.of([(tally.day, tally.saved) for tally in tallies]),
        "recalled": Chart.of([(tally.day, tally.recalled) for tally in tallies]),
    }
