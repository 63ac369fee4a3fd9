"""Admin of background jobs; failed ones can be retried."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from procrastinate.contrib.django.models import ProcrastinateEvent, ProcrastinateJob
from unfold.contrib.filters.admin import ChoicesDropdownFilter, DropdownFilter
from unfold.decorators import action, display
from unfold.views import ChangeList

from memories import jobs
from memoryhub.admin import MAX_INLINE_ROWS, MAX_LIST_ROWS, LogAdmin

JOB_STATE_COLORS = {"todo": "info", "doing": "info", "succeeded": "success", "failed": "danger"}

admin.site.unregister(ProcrastinateJob)  # the library's own list reads every event


class JobFilter(DropdownFilter):
    title, parameter_name = "job", "job"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return tuple((name, name) for name in jobs.JOBS_BY_NAME)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(queue_name=self.value()) if self.value() else queryset


@admin.register(ProcrastinateJob)
class JobAdmin(LogAdmin):
    list_display = ("task_name", "state", "attempts", "scheduled_at", "latest")
    list_filter = (("status", ChoicesDropdownFilter), JobFilter)
    fields = ("task_name", "state", "attempts", "scheduled_at", "events", "args", "queue_name", "lock", "queueing_lock")
    readonly_fields = fields
    actions = ("retry",)
    shows_history = True

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        events = ProcrastinateEvent.objects.filter(job=OuterRef("pk")).order_by("-pk")
        dated: QuerySet[Any] = rows.annotate(latest_at=Subquery(events.values("at")[:1]))
        return dated

    def searches_newest_only(self, request: HttpRequest, changes: ChangeList) -> bool:
        """List all jobs: done ones are deleted after two days, failed ones after thirty."""
        return False

    def has_retry_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("procrastinate.change_procrastinatejob")

    @action(description="Do again", permissions=["retry"])
    def retry(self, request: HttpRequest, queryset: QuerySet[ProcrastinateJob]) -> None:
        failed = list(queryset.filter(status="failed")[:MAX_LIST_ROWS])
        again = [job for job in failed if jobs.retry_job(job_id=job.pk)]
        for job in again:
            self.log_change(request, job, "Put in again.")
        messages.success(request, f"Put in again: {len(again)}.")
        if left := len(failed) - len(again):
            messages.warning(request, f"{left} left as before: the like waits already.")

    @display(description="State", label=JOB_STATE_COLORS)
    def state(self, job: ProcrastinateJob) -> str:
        return str(job.status)

    @display(description="Latest")
    def latest(self, job: Any) -> Any:
        return job.latest_at

    @display(description="What happened")
    def events(self, job: ProcrastinateJob) -> str:
        rows = ProcrastinateEvent.objects.filter(job=job.pk).order_by("-pk")[:MAX_INLINE_ROWS]
        items = format_html_join(
            "", "<li>{} {}</li>", ((f"{event.at:%Y-%m-%d %H:%M:%S}", event.type) for event in rows)
        )
        return format_html("<ul>{}</ul>", items)
