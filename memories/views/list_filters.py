"""Filters of the list of memories: parse them from the address, and turn them into queries, chips and links."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.http import QueryDict
from django.utils import timezone

from memories.models import LABEL_LENGTH, Scope, Type
from memories.rules.fields import clean_fields
from memoryhub.errors import Invalid
from memoryhub.forms import WordsField
from teams.actor import Actor
from teams.team_page import TeamPage

MAX_LIST_QUERY = 1_000
CURSOR_LENGTH = 2_000
PINNED_VALUES = {"yes": True, "no": False}
SORT_FIELDS = {"created": "-created_at", "changed": "-updated_at", "importance": "-importance"}
SORT_LABELS = {"created": "Newest", "changed": "Last changed", "importance": "Most important"}
SCOPE_LABELS = {
    Scope.TEAM: "The whole team's",
    Scope.PROJECT: "A project's",
    Scope.AGENT: "An agent's own",
    Scope.GLOBAL: "Yours, in every team",
}


@dataclass(frozen=True, slots=True)
class FilterChip:
    """One active filter, and the address of the list without it."""

    name: str
    value: str
    remove_url: str


class LabelField(forms.CharField):
    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, max_length=LABEL_LENGTH, **options)


class OptionalChoiceField(forms.ChoiceField):
    """Choice among a few values, or any."""

    def __init__(self, *choices: tuple[str, str], any: str = "Any", **options: Any) -> None:
        super().__init__(choices=[("", any), *choices], required=False, **options)


def normalize_params(params: QueryDict) -> QueryDict:
    """Rewrite parameters as this page writes them: `yes` for `true`, and nothing for a default."""
    normalized = params.copy()
    for name in ("pinned", "forgotten"):
        normalized[name] = {"true": "yes", "false": "no"}.get(normalized.get(name, ""), normalized.get(name, ""))
    if normalized.get("sort") == "created" and not normalized.get("q"):
        normalized["sort"] = ""
    return normalized


class MemoryFilterForm(forms.Form):
    q = forms.CharField(required=False, max_length=MAX_LIST_QUERY)
    type = OptionalChoiceField(*Type.choices)
    category = LabelField()
    tag = WordsField(label="Tags")  # typed; tags chosen before come as repeated `tags` parameters
    scope = OptionalChoiceField(*((scope.value, words) for scope, words in SCOPE_LABELS.items()))
    agent = OptionalChoiceField(label="Written by")
    project = OptionalChoiceField()
    source = LabelField()
    pinned = OptionalChoiceField(("yes", "Pinned"), ("no", "Not pinned"))
    expiring = OptionalChoiceField(("7", "Within 7 days"), ("30", "Within 30 days"), any="Whenever", label="Expires")
    review = OptionalChoiceField(("due", "Due now"), any="Whenever")
    sort = OptionalChoiceField(*SORT_LABELS.items())
    forgotten = OptionalChoiceField(("yes", "Forgotten"))
    cursor = forms.CharField(required=False, max_length=CURSOR_LENGTH)

    FILTER_FIELDS = ("type", "category", "scope", "agent", "project", "source", "pinned", "expiring", "review")

    def __init__(self, params: QueryDict, *, team_page: TeamPage) -> None:
        self.chosen_tags = params.getlist("tags")
        super().__init__(normalize_params(params), auto_id="narrow-%s")
        self.team_page = team_page
        self.agents = {agent.slug: agent for agent in team_page.agents}
        self.projects = {project.slug: project for project in team_page.projects}
        self._set_choices("agent", [(slug, str(agent)) for slug, agent in self.agents.items()])
        self._set_choices("project", [(slug, project.name) for slug, project in self.projects.items()])
        first = "Best match" if self.raw_value("q") else SORT_LABELS["created"]
        others = [(sort, words) for sort, words in SORT_LABELS.items() if words != first]
        self.fields["sort"] = OptionalChoiceField(*others, any=first)

    def _set_choices(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, OptionalChoiceField)
        field.choices = [("", "Any"), *choices]

    def raw_value(self, name: str) -> str:
        return str(self.data.get(name, ""))

    def clean_tag(self) -> list[str]:
        try:
            return list(clean_fields({"tags": self.tags}, now=timezone.now())["tags"])
        except Invalid as refusal:
            raise forms.ValidationError(refusal.fields["tags"]) from refusal

    @cached_property
    def tags(self) -> list[str]:
        typed = map(str.strip, self.raw_value("tag").split(","))
        return [tag for tag in [*self.chosen_tags, *typed] if tag]

    @property
    def problems(self) -> list[str]:
        """List the validation errors, each as a sentence."""
        return [f"{self[name].label}: {' '.join(map(str, texts))}" for name, texts in self.errors.items()]

    @property
    def filter_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.FILTER_FIELDS]

    @property
    def query(self) -> str:
        return self.raw_value("q").strip()

    @property
    def forgotten_only(self) -> bool:
        return self.raw_value("forgotten") == "yes"

    @property
    def is_search(self) -> bool:
        return bool(self.query) and not self.forgotten_only

    @property
    def is_ranked(self) -> bool:
        """Return True if the results are ordered by relevance instead of a chosen order."""
        return self.is_search and not self.cleaned_data["sort"]

    @property
    def order(self) -> str:
        return SORT_FIELDS[self.cleaned_data["sort"] or "created"]

    @property
    def after(self) -> str | None:
        """Return the cursor at which the previous page ended."""
        return self.raw_value("cursor") or None

    def as_filters(self, *, now: datetime) -> dict[str, Any]:
        """Return the filters as keyword arguments for lists and recall."""
        values = self.cleaned_data
        filters = {name: values[name] for name in ("type", "category", "scope", "source")} | {"tags": values["tag"]}
        filters["agent_id"] = self._id(self.agents, values["agent"])
        filters["project_id"] = self._id(self.projects, values["project"])
        filters["pinned"] = PINNED_VALUES.get(values["pinned"])
        filters["expires_before"] = now + timedelta(days=int(values["expiring"])) if values["expiring"] else None
        filters["review_before"] = now if values["review"] else None
        return {name: value for name, value in filters.items() if value not in ("", None, [])}

    @staticmethod
    def _id(rows: dict[str, Any], slug: str) -> UUID | None:
        return rows[slug].pk if slug else None

    @property
    def reader(self) -> Actor:
        """Return the person as an actor of this team, limited to the audiences that the scope filter names."""
        scope = self.cleaned_data["scope"]
        audiences = {
            "": None,
            Scope.TEAM: {self.team_page.team.pk},
            Scope.PROJECT: {project.pk for project in self.team_page.projects},
            Scope.AGENT: {agent.pk for agent in self.team_page.agents},
            Scope.GLOBAL: {self.team_page.actor.person_id},
        }[scope]
        whole = self.team_page.actor if scope == Scope.GLOBAL else self.team_page.team_only_actor
        if audiences is None:
            return whole
        return replace(whole, reads=whole.reads & audiences, writes=whole.writes & audiences)

    # Addresses and chips

    @property
    def chips(self) -> list[FilterChip]:
        return list(self._chips())

    def _chips(self) -> Iterator[FilterChip]:
        for name in self.FILTER_FIELDS:
            if value := self.raw_value(name):
                words = dict(getattr(self.fields[name], "choices", ())).get(value, value)
                yield FilterChip(str(self[name].label), str(words), self.build_url(without=name))
        for tag in self.tags:
            yield FilterChip("Tag", tag, self.build_url(without_tag=tag))

    def build_url(self, *, without: str = "", without_tag: str = "", **extra: str) -> str:
        """Return the shortest address of this list, without one filter or tag; its first page, unless a cursor is
        given."""
        names = ("q", *self.FILTER_FIELDS, "forgotten", "sort")
        params = {name: self.raw_value(name) for name in names if name != without} | extra
        pairs = [(name, value) for name, value in params.items() if value]
        pairs += [("tags", tag) for tag in self.tags if tag != without_tag]
        return f"{self.unfiltered_url}?{urlencode(pairs)}" if pairs else self.unfiltered_url

    @cached_property
    def unfiltered_url(self) -> str:
        """Return the address of the list of all memories."""
        return self.team_page.url("memories")

    @property
    def current_url(self) -> str:
        return self.build_url(cursor=self.raw_value("cursor"))

    @property
    def first_page_url(self) -> str:
        return self.build_url()

    @property
    def query_string(self) -> str:
        return self.first_page_url.partition("?")[2]

    @property
    def cleared_url(self) -> str:
        """Return the address without filters: all active memories, or all forgotten ones."""
        return f"{self.unfiltered_url}?forgotten=yes" if self.forgotten_only else self.unfiltered_url

    @property
    def is_filtered(self) -> bool:
        return bool(self.raw_value("q") or self.chips)
