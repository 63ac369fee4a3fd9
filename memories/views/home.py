"""Team home: core memory, recent changes, and memories to review."""

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

from memories import operations
from memories.models import Memory, Type
from memories.queries import daily_usage, memory_rows, paging
from memories.queries.activity import ChangeEntry, list_changes
from memories.queries.lookup import find_core
from memories.rules import access
from memories.views.actions import notify_saved, undo_change_url
from memoryhub.charts import Chart
from memoryhub.errors import Invalid
from memoryhub.forms import TextField, add_refusal
from teams.models import Token
from teams.team_page import ActionResult, TeamPage, in_team, team_action
from teams.views import enter_team

MAX_PINNED, MAX_EXPIRING, MAX_DUE, MAX_CHANGES = 5, 5, 5, 15
EXPIRING_WITHIN = timedelta(days=14)
REVIEW_INTERVAL = timedelta(days=90)
LONG_CORE_CHARACTERS = 900  # more characters of core memory are folded away
LONG_CORE_LINES = 14


class QuickSaveForm(forms.Form):
    content = TextField(
        required=False,
        label="What should the team remember?",
        widget=forms.Textarea(attrs={"rows": 2, "data-key": "n", "placeholder": "One fact, decision or lesson"}),
    )
    type = forms.ChoiceField(choices=Type.choices, initial=Type.FACT)
    pinned = forms.BooleanField(required=False, label="Pin it")


@in_team
def show_home(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    enter_team.remember_team(request, team_page)
    form = QuickSaveForm(request.POST if request.method == "POST" else None)
    if form.is_bound and (saved := _quick_save(team_page, form)):
        notify_saved(request, team_page, saved)
        return redirect(team_page.url("team-home"))
    context = _home_page_context(team_page, now=timezone.now())
    status = 400 if form.errors else 200
    return render(request, "memories/home.html", {"section": "team-home", "form": form, **context}, status=status)


def _quick_save(team_page: TeamPage, form: QuickSaveForm) -> Memory | None:
    if not form.is_valid():
        return None
    try:
        return operations.save_memory(actor=team_page.actor, draft=operations.Draft(**form.cleaned_data))
    except Invalid as refusal:
        add_refusal(form, refusal)
        return None


@team_action
def mark_still_true(request: HttpRequest, team_page: TeamPage, memory_id: UUID) -> ActionResult:
    checked = operations.verify_memory(
        actor=team_page.actor, memory_id=memory_id, review_by=timezone.now() + REVIEW_INTERVAL
    )
    return ActionResult(
        f"Checked. It comes up again in {REVIEW_INTERVAL.days} days.", undo=undo_change_url(team_page, checked)
    )


# Contents of the page


def _home_page_context(team_page: TeamPage, *, now: datetime) -> dict[str, Any]:
    core = find_core(actor=team_page.team_only_actor, team_id=team_page.team.pk)
    history = list_changes(actor=team_page.team_only_actor, limit=MAX_CHANGES).changes
    return {
        "core": core,
        "core_is_long": core is not None
        and (len(core.content) > LONG_CORE_CHARACTERS or core.content.count("\n") > LONG_CORE_LINES),
        "pinned": _first_memories(team_page, Q(pinned=True), order="-importance", limit=MAX_PINNED, exclude=core),
        "due": _first_memories(team_page, Q(review_by__lte=now), order="review_by", limit=MAX_DUE),
        "expiring": _first_memories(
            team_page,
            Q(expires_at__gt=now, expires_at__lte=now + EXPIRING_WITHIN),
            order="expires_at",
            limit=MAX_EXPIRING,
        ),
        "recent": group_changes_by_day(history, today=now.date()),
        "steps": _onboarding_steps(team_page, core=core, saved=bool(history)),
        **_usage_charts(team_page, now=now),
    }


def _first_memories(
    team_page: TeamPage, condition: Q, *, order: str, limit: int, exclude: Memory | None = None
) -> paging.RowPage[Memory]:
    """Return the first memories by an order. Indexes, for each audience: memory_pinned, memory_due,
    memory_vanishing."""
    rows = Memory.objects.visible_to(team_page.team_only_actor).holding().filter(condition)
    if exclude:
        rows = rows.exclude(pk=exclude.pk)
    return paging.fetch_page(
        rows,
        order=order,
        limit=limit,
        parts=[Q(audience=audience) for audience in access.list_readable_audiences(team_page.team_only_actor)],
        read=lambda page_rows: memory_rows.fetch_in_order(actor=team_page.team_only_actor, rows=page_rows, order=order),
    )


@dataclass(frozen=True, slots=True)
class RecentEntry:
    """Consecutive changes that one author made to one memory."""

    last: ChangeEntry
    words: str


def group_changes_by_day(history: Iterable[ChangeEntry], *, today: date) -> list[tuple[str, list[RecentEntry]]]:
    """Group changes by day, newest first."""
    by_day = groupby(history, key=lambda change: change.revision.created_at.date())
    return [(_format_day(day, today=today), _merge_runs(day_changes)) for day, day_changes in by_day]


def _merge_runs(history: Iterable[ChangeEntry]) -> list[RecentEntry]:
    runs = groupby(history, key=lambda change: (change.revision.byline, change.revision.memory_id))
    return [_merge_run(list(run)) for _, run in runs]


def _merge_run(run: list[ChangeEntry]) -> RecentEntry:
    words = list(dict.fromkeys(change.verb for change in reversed(run)))
    return RecentEntry(run[0], " and ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} and {words[-1]}")


def _format_day(day: date, *, today: date) -> str:
    if day >= today - timedelta(days=1):
        return "Today" if day >= today else "Yesterday"
    return f"{day.day} {day:%B}" if day.year == today.year else f"{day.day} {day:%B %Y}"


def _onboarding_steps(team_page: TeamPage, *, core: Memory | None, saved: bool) -> list[tuple[str, str, str, bool]]:
    """List the first steps for a new team, for those who can write; empty once all are done."""
    if not team_page.may_write:
        return []
    connected = Token.objects.of_team(team_page.team.pk).filter(revoked_at=None).exists()
    steps = [
        (team_page.url("memory-new"), "Save a memory", "Something that your agents should know tomorrow, too.", saved),
        (
            team_page.url("core"),
            "Write core memory",
            "What every agent of the team reads before it thinks.",
            bool(core),
        ),
        (
            team_page.url("agents"),
            "Connect an agent",
            "Create a token, and it can save and recall by itself.",
            connected,
        ),
    ]
    return steps if not all(done for *_, done in steps) else []


def _usage_charts(team_page: TeamPage, *, now: datetime) -> dict[str, Any]:
    separates, workspace_id = team_page.actor.workspaces_enabled, team_page.actor.workspace_id
    tallies = daily_usage.count_team_days(team=team_page.team, now=now, separates=separates, workspace_id=workspace_id)
    return {
        "tallies": tallies,
        "at_least": any(tally.at_least for tally in tallies),
        "saved": Chart.of([(tally.day, tally.saved) for tally in tallies]),
        "recalled": Chart.of([(tally.day, tally.recalled) for tally in tallies]),
    }
