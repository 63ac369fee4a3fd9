"""Base classes of the admin: lists that neither count nor scan a table that grows, and read-only pages."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import ForeignKey, Model, QuerySet
from django.http import HttpRequest, HttpResponseRedirect
from django.utils.text import Truncator
from unfold.admin import ModelAdmin, TabularInline
from unfold.contrib.filters.admin import AutocompleteSelectFilter
from unfold.views import ChangeList

from memoryhub.errors import Trouble
from memoryhub.ids import parse_uuid
from memoryhub.tenancy import Tenant

MAX_LIST_ROWS = 1_000  # the length of a list, and how many of the newest rows a search without an index reads
PER_PAGE = 50
LIST_TEXT_LENGTH = 90  # characters
MAX_INLINE_ROWS = 20


class BoundedPaginator(Paginator):
    """Counts no more rows than a list shows."""

    template_name = "admin/_pages.html"
    most = MAX_LIST_ROWS

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return int(rows[:MAX_LIST_ROWS].count())


class ListAdmin(ModelAdmin):
    """Lists a model, newest rows first, and never offers all rows of another table as choices."""

    ordering: Any = ("-pk",)
    list_per_page = PER_PAGE
    list_max_show_all = 0
    paginator = BoundedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_filter_submit = True

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Drop the link “show all” from a list without filters: it shows everything already."""
        changes: ChangeList = super().get_changelist_instance(request)
        if not changes.query and not changes.has_active_filters:
            changes.full_result_count = changes.result_count
        return changes

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        """Show inlines only for rows that exist."""
        return super().get_inlines(request, obj) if obj else ()


class NewestChangeList(ChangeList):
    """Lists a table that grows, ordered by id. Filters that no index serves search only the newest rows."""

    only_newest = False

    def get_ordering(self, request: HttpRequest, queryset: QuerySet[Any]) -> list[Any]:
        return ["-pk"]

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request, exclude_parameters)
        self.only_newest = self.model_admin.searches_newest_only(request, self)
        return only_recent(rows) if self.only_newest else rows


def only_recent(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Limit the rows to the newest of their table: ids grow with time."""
    ids = rows.model._default_manager.order_by("-pk").values_list("pk", flat=True)
    last = ids[MAX_LIST_ROWS - 1 : MAX_LIST_ROWS].first()
    return rows if last is None else rows.filter(pk__gte=last)


class GrowingTableAdmin(ListAdmin):
    """Lists a table that grows without end. It has no date hierarchy, for which Django would look up the first day, the
    last day and every month between them; ids are in order of time anyway."""

    sortable_by: Any = ()
    list_before_template = "admin/_newest.html"
    search_link = ""  # a foreign key with an index, by which a pasted id also finds rows

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[ChangeList]:
        return NewestChangeList

    def find_exact(self, request: HttpRequest, term: str) -> list[Any] | None:
        """Return the ids of the rows that an index finds for the term; None if there is no index for such terms."""
        row_id = parse_uuid(term)
        if row_id is None:
            return None
        rows = self.model._default_manager
        own = [row_id] if rows.filter(pk=row_id).exists() else []
        return own or (self.find_linked_ids(row_id) if self.search_link else [])

    def find_linked_ids(self, target_id: Any) -> list[Any]:
        """Return the ids of rows that link to this one, by their organization too: the index starts with it."""
        to: type[Model] = self.model._meta.get_field(self.search_link).related_model
        organizations = to._default_manager.filter(pk=target_id).values_list("organization_id", flat=True)
        rows = self.model._default_manager.filter(organization__in=list(organizations), **{self.search_link: target_id})
        return list(rows.values_list("pk", flat=True)[:MAX_LIST_ROWS])

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Any], search_term: str) -> Any:
        term = search_term.strip()
        if not term:
            return queryset, False
        ids = self.find_exact(request, term)
        if ids is None:
            return super().get_search_results(request, only_recent(queryset), search_term)
        return queryset.filter(pk__in=ids), False

    def searches_newest_only(self, request: HttpRequest, changes: ChangeList) -> bool:
        """Return whether a filter is active that would scan the whole table."""
        return any(value for values in changes.get_filters_params().values() for value in values)


def shorten_text(text: str) -> str:
    """Return as much of the text as a list shows."""
    return Truncator(" ".join(text[: 4 * LIST_TEXT_LENGTH].split())).chars(LIST_TEXT_LENGTH)


class ReadOnlyMixin:
    """Makes pages read-only. Changes go through the operations, which keep the history."""

    shows_history = False  # the admin's own history; memories have revisions

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any) -> Any:
        context["show_history"] = self.shows_history
        return super().render_change_form(request, context, *args, **options)  # type: ignore[misc]

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnlyAdmin(ReadOnlyMixin, ListAdmin):
    pass


class LogAdmin(ReadOnlyMixin, GrowingTableAdmin):
    """Lists rows that are written once and never change."""


class ReadOnlyInline(ReadOnlyMixin, TabularInline):
    """Lists the newest rows that link to an object."""

    extra = 0
    max_num = 0
    show_change_link = True
    ordering = ("-pk",)
    tab = True

    def get_formset(self, request: HttpRequest, obj: Any = None, **options: Any) -> Any:
        """Limit the rows after those of the object were selected; Django cannot filter a sliced queryset. Indexes start
        with the organization."""

        class First(super().get_formset(request, obj, **options)):  # type: ignore[misc]
            def get_queryset(self) -> Any:
                if not hasattr(self, "_first"):
                    organization = getattr(self.instance, "organization_id", self.instance.pk)
                    rows = super().get_queryset().filter(organization=organization)
                    self._first = rows[:MAX_INLINE_ROWS]
                return self._first

        return First


class SameOrganizationForm(forms.ModelForm):
    """Refuses a link to another organization's row with a message, before the database does."""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        organization = cleaned.get("organization") or self.instance.organization_id
        for name, value in list(cleaned.items()):
            if isinstance(value, Tenant) and value.organization_id != getattr(organization, "pk", organization):
                self.add_error(name, "This belongs to another organization.")
        return cleaned


class KeptAdmin(ListAdmin):
    """Manages rows that history may refer to: they are never deleted and stay in their organization."""

    form = SameOrganizationForm

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return (*super().get_readonly_fields(request, obj), *(["organization"] if obj else []))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_autocomplete_fields(self, request: HttpRequest) -> list[str]:
        return [field.name for field in self.model._meta.fields if isinstance(field, ForeignKey)]


class OperatedAdmin(ListAdmin):
    """Adds, changes and removes rows through the operations, with the operator as actor. A refusal is shown on the
    page, and nothing is changed."""

    immutable_fields: tuple[str, ...] = ()  # fields that cannot change once the row exists

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return (*super().get_readonly_fields(request, obj), *(self.immutable_fields if obj else ()))

    def add_one(self, request: HttpRequest, row: Any) -> Any:
        raise NotImplementedError

    def change_one(self, request: HttpRequest, row: Any) -> None:
        raise NotImplementedError

    def remove_one(self, request: HttpRequest, row: Any) -> None:
        raise NotImplementedError

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if change:
            self.change_one(request, obj)
        else:
            obj.pk, obj._state.adding = self.add_one(request, obj).pk, False

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        self.remove_one(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Remove all of them or none."""
        with transaction.atomic():
            for row in queryset:
                self.remove_one(request, row)

    def changeform_view(self, request: HttpRequest, *args: Any, **options: Any) -> Any:
        return show_refusals(request, super().changeform_view, *args, **options)

    def delete_view(self, request: HttpRequest, *args: Any, **options: Any) -> Any:
        return show_refusals(request, super().delete_view, *args, **options)

    def changelist_view(self, request: HttpRequest, *args: Any, **options: Any) -> Any:
        return show_refusals(request, super().changelist_view, *args, **options)


def show_refusals(request: HttpRequest, view: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Return the view's response; after a refusal redirect to the same page with its message."""
    try:
        if request.method != "POST":
            return view(request, *args, **options)
        with transaction.atomic():  # otherwise the log would keep entries of refused changes
            return view(request, *args, **options)
    except Trouble as refusal:
        messages.error(request, refusal.message)
        return HttpResponseRedirect(request.get_full_path())


class RowFilter(AutocompleteSelectFilter):
    """Filters by one row of another table, looked up by its name."""
