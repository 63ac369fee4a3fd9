"""What the operators' pages share: lists that neither count nor walk through a table that grows, and what is only to be
looked at."""

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
from memoryhub.ids import as_uuid
from memoryhub.tenancy import Tenant

LOOK = 1_000  # rows: as far as a list goes, and as far back as it looks for what no index finds
PER_PAGE = 50
BEGINNING = 90  # characters
INLINE = 20  # rows of what hangs on something


class Few(Paginator):
    """Counts no further than a list goes."""

    template_name = "admin/_pages.html"
    most = LOOK

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return int(rows[:LOOK].count())


class Listed(ModelAdmin):
    """The operators' page of a model: its newest rows first, and no choice among all rows of another table."""

    ordering: Any = ("-pk",)
    list_per_page = PER_PAGE
    list_max_show_all = 0
    paginator = Few
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_filter_submit = True

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """All is shown already where nothing narrows."""
        changes: ChangeList = super().get_changelist_instance(request)
        if not changes.query and not changes.has_active_filters:
            changes.full_result_count = changes.result_count
        return changes

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        """Nothing hangs on what is not there yet."""
        return super().get_inlines(request, obj) if obj else ()


class Newest(ChangeList):
    """A list of a table that grows, by its ids alone. What no index serves is looked for among the newest rows."""

    only_newest = False

    def get_ordering(self, request: HttpRequest, queryset: QuerySet[Any]) -> list[Any]:
        return ["-pk"]

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request, exclude_parameters)
        self.only_newest = self.model_admin.looks_back(request, self)
        return recent(rows) if self.only_newest else rows


def recent(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Those among the newest of their table: ids grow with time."""
    ids = rows.model._default_manager.order_by("-pk").values_list("pk", flat=True)
    last = ids[LOOK - 1 : LOOK].first()
    return rows if last is None else rows.filter(pk__gte=last)


class Growing(Listed):
    """The same of a table that grows without end. By dates it is not narrowed: Django would look for the first and the
    last day and for each month between them, and ids are in the order of time already."""

    sortable_by: Any = ()
    list_before_template = "admin/_newest.html"
    hangs_on = ""  # the link by whose index a pasted id finds rows, beside their own

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[ChangeList]:
        return Newest

    def found(self, request: HttpRequest, term: str) -> list[Any] | None:
        """The ids of the rows that an index finds for the term; None if no index knows such terms."""
        known = as_uuid(term)
        if known is None:
            return None
        rows = self.model._default_manager
        own = [known] if rows.filter(pk=known).exists() else []
        return own or (self.hanging_on(known) if self.hangs_on else [])

    def hanging_on(self, known: Any) -> list[Any]:
        """Their organization is named, for the index begins with it."""
        to: type[Model] = self.model._meta.get_field(self.hangs_on).related_model
        organizations = to._default_manager.filter(pk=known).values_list("organization_id", flat=True)
        rows = self.model._default_manager.filter(organization__in=list(organizations), **{self.hangs_on: known})
        return list(rows.values_list("pk", flat=True)[:LOOK])

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Any], search_term: str) -> Any:
        term = search_term.strip()
        if not term:
            return queryset, False
        found = self.found(request, term)
        if found is None:
            return super().get_search_results(request, recent(queryset), search_term)
        return queryset.filter(pk__in=found), False

    def looks_back(self, request: HttpRequest, changes: ChangeList) -> bool:
        """Whether something narrows the list that would walk through the whole table."""
        return any(value for values in changes.get_filters_params().values() for value in values)


def beginning(text: str) -> str:
    """As much as a list shows of it."""
    return Truncator(" ".join(text[: 4 * BEGINNING].split())).chars(BEGINNING)


class Looking:
    """Only to be looked at. Changes go through the operations, which keep the history."""

    shows_history = False  # of what was done here; memories have revisions

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **options: Any) -> Any:
        context["show_history"] = self.shows_history
        return super().render_change_form(request, context, *args, **options)  # type: ignore[misc]

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnly(Looking, Listed):
    pass


class Ledger(Looking, Growing):
    """What was written once and stays."""


class Hanging(Looking, TabularInline):
    """The newest of what hangs on something."""

    extra = 0
    max_num = 0
    show_change_link = True
    ordering = ("-pk",)
    tab = True

    def get_formset(self, request: HttpRequest, obj: Any = None, **options: Any) -> Any:
        """Cut after the rows of this one were chosen, which a queryset of the inline could not be. Indexes begin with
        the organization."""

        class First(super().get_formset(request, obj, **options)):  # type: ignore[misc]
            def get_queryset(self) -> Any:
                if not hasattr(self, "_first"):
                    house = getattr(self.instance, "organization_id", self.instance.pk)
                    mine = super().get_queryset().filter(organization=house)
                    self._first = mine[:INLINE]
                return self._first

        return First


class SameHouse(forms.ModelForm):
    """Refuses in words what the database would: a link to another organization's row."""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        organization = cleaned.get("organization") or self.instance.organization_id
        for name, value in list(cleaned.items()):
            if isinstance(value, Tenant) and value.organization_id != getattr(organization, "pk", organization):
                self.add_error(name, "This is of another organization.")
        return cleaned


class Kept(Listed):
    """Whoever may have signed history is kept, and stays in its organization."""

    form = SameHouse

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return (*super().get_readonly_fields(request, obj), *(["organization"] if obj else []))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_autocomplete_fields(self, request: HttpRequest) -> list[str]:
        return [field.name for field in self.model._meta.fields if isinstance(field, ForeignKey)]


class Operated(Listed):
    """Rows that the operations add, change and take away, with the operator as actor. What they refuse is said on the
    page, and nothing is changed."""

    settled: tuple[str, ...] = ()  # fields that stay as they were made

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return (*super().get_readonly_fields(request, obj), *(self.settled if obj else ()))

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
        """All of them or none."""
        with transaction.atomic():
            for row in queryset:
                self.remove_one(request, row)

    def changeform_view(self, request: HttpRequest, *args: Any, **options: Any) -> Any:
        return said_on_page(request, super().changeform_view, *args, **options)

    def delete_view(self, request: HttpRequest, *args: Any, **options: Any) -> Any:
        return said_on_page(request, super().delete_view, *args, **options)

    def changelist_view(self, request: HttpRequest, *args: Any, **options: Any) -> Any:
        return said_on_page(request, super().changelist_view, *args, **options)


def said_on_page(request: HttpRequest, view: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """What the view answers; after a refusal the same page again, with its sentence."""
    try:
        if request.method != "POST":
            return view(request, *args, **options)
        with transaction.atomic():  # else the log would tell of what was refused
            return view(request, *args, **options)
    except Trouble as refusal:
        messages.error(request, refusal.message)
        return HttpResponseRedirect(request.get_full_path())


class Chosen(AutocompleteSelectFilter):
    """A filter by one row of another table, looked up by its name."""
