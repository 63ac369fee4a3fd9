"""What a list of memories was asked for in its address: read and checked, then said again as rules, chips and links."""

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

from memories.fields import clean
from memories.models import LABEL_LENGTH, Scope, Type
from memoryhub.errors import Invalid
from memoryhub.forms import WordsField
from teams.actor import Actor
from teams.place import Place

QUERY_LENGTH = 1_000
CURSOR_LENGTH = 2_000
PINNED = {"yes": True, "no": False}
ORDERS = {"created": "-created_at", "changed": "-updated_at", "importance": "-importance"}
SORTS = {"created": "Newest", "changed": "Last changed", "importance": "Most important"}
SCOPES = {
    Scope.TEAM: "The whole team's",
    Scope.PROJECT: "A project's",
    Scope.AGENT: "An agent's own",
    Scope.GLOBAL: "Yours, in every team",
}


@dataclass(frozen=True, slots=True)
class Chip:
    """One thing that the list is narrowed to, and where one comes by taking it away."""

    name: str
    value: str
    without: str


class Label(forms.CharField):
    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, max_length=LABEL_LENGTH, **options)


class Choice(forms.ChoiceField):
    """One of a few, or any."""

    def __init__(self, *choices: tuple[str, str], any: str = "Any", **options: Any) -> None:
        super().__init__(choices=[("", any), *choices], required=False, **options)


def tidied(said: QueryDict) -> QueryDict:
    """The address as we write it ourselves: `yes` for `true`, and nothing for what is usual."""
    tidy = said.copy()
    for name in ("pinned", "forgotten"):
        tidy[name] = {"true": "yes", "false": "no"}.get(tidy.get(name, ""), tidy.get(name, ""))
    if tidy.get("sort") == "created" and not tidy.get("q"):
        tidy["sort"] = ""
    return tidy


class Narrowing(forms.Form):
    q = forms.CharField(required=False, max_length=QUERY_LENGTH)
    type = Choice(*Type.choices)
    category = Label()
    tag = WordsField(label="Tags")  # typed; those that are chosen already come as `tags`, each by itself
    scope = Choice(*((scope.value, words) for scope, words in SCOPES.items()))
    agent = Choice(label="Written by")
    project = Choice()
    source = Label()
    pinned = Choice(("yes", "Pinned"), ("no", "Not pinned"))
    expiring = Choice(("7", "Within 7 days"), ("30", "Within 30 days"), any="Whenever", label="Expires")
    review = Choice(("due", "Due now"), any="Whenever")
    sort = Choice(*SORTS.items())
    forgotten = Choice(("yes", "Forgotten"))
    cursor = forms.CharField(required=False, max_length=CURSOR_LENGTH)

    SHOWN = ("type", "category", "scope", "agent", "project", "source", "pinned", "expiring", "review")

    def __init__(self, said: QueryDict, *, place: Place) -> None:
        self.chosen = said.getlist("tags")
        super().__init__(tidied(said), auto_id="narrow-%s")
        self.place = place
        self.agents = {agent.slug: agent for agent in place.agents}
        self.projects = {project.slug: project for project in place.projects}
        self._offer("agent", [(slug, str(agent)) for slug, agent in self.agents.items()])
        self._offer("project", [(slug, project.name) for slug, project in self.projects.items()])
        first = "Best match" if self.said("q") else SORTS["created"]
        others = [(sort, words) for sort, words in SORTS.items() if words != first]
        self.fields["sort"] = Choice(*others, any=first)

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, Choice)
        field.choices = [("", "Any"), *choices]

    def said(self, name: str) -> str:
        return str(self.data.get(name, ""))

    def clean_tag(self) -> list[str]:
        try:
            return list(clean({"tags": self.tags}, now=timezone.now())["tags"])
        except Invalid as refusal:
            raise forms.ValidationError(refusal.fields["tags"]) from refusal

    @cached_property
    def tags(self) -> list[str]:
        typed = map(str.strip, self.said("tag").split(","))
        return [tag for tag in [*self.chosen, *typed] if tag]

    @property
    def wrong(self) -> list[str]:
        """What cannot be read of it, each in a sentence."""
        return [f"{self[name].label}: {' '.join(map(str, texts))}" for name, texts in self.errors.items()]

    @property
    def shown(self) -> list[forms.BoundField]:
        return [self[name] for name in self.SHOWN]

    @property
    def query(self) -> str:
        return self.said("q").strip()

    @property
    def of_forgotten(self) -> bool:
        return self.said("forgotten") == "yes"

    @property
    def searching(self) -> bool:
        return bool(self.query) and not self.of_forgotten

    @property
    def ranked(self) -> bool:
        """Whether the best come first, instead of another order."""
        return self.searching and not self.cleaned_data["sort"]

    @property
    def order(self) -> str:
        return ORDERS[self.cleaned_data["sort"] or "created"]

    @property
    def after(self) -> str | None:
        """The cursor where the page before ended."""
        return self.said("cursor") or None

    def rules(self, *, now: datetime) -> dict[str, Any]:
        """As lists and recall are narrowed by them."""
        said = self.cleaned_data
        rules = {name: said[name] for name in ("type", "category", "scope", "source")} | {"tags": said["tag"]}
        rules["agent_id"] = self._id(self.agents, said["agent"])
        rules["project_id"] = self._id(self.projects, said["project"])
        rules["pinned"] = PINNED.get(said["pinned"])
        rules["expires_before"] = now + timedelta(days=int(said["expiring"])) if said["expiring"] else None
        rules["review_before"] = now if said["review"] else None
        return {name: value for name, value in rules.items() if value not in ("", None, [])}

    @staticmethod
    def _id(rows: dict[str, Any], slug: str) -> UUID | None:
        return rows[slug].pk if slug else None

    @property
    def reader(self) -> Actor:
        """The person at this team, narrowed to the audiences that the scope names: no other has rows of that scope."""
        scope = self.cleaned_data["scope"]
        audiences = {
            "": None,
            Scope.TEAM: {self.place.team.pk},
            Scope.PROJECT: {project.pk for project in self.place.projects},
            Scope.AGENT: {agent.pk for agent in self.place.agents},
            Scope.GLOBAL: {self.place.actor.person_id},
        }[scope]
        whole = self.place.actor if scope == Scope.GLOBAL else self.place.here
        if audiences is None:
            return whole
        return replace(whole, reads=whole.reads & audiences, writes=whole.writes & audiences)

    # The address, and what of it can be taken away

    @property
    def chips(self) -> list[Chip]:
        return list(self._chips())

    def _chips(self) -> Iterator[Chip]:
        for name in self.SHOWN:
            if value := self.said(name):
                words = dict(getattr(self.fields[name], "choices", ())).get(value, value)
                yield Chip(str(self[name].label), str(words), self.address(without=name))
        for tag in self.tags:
            yield Chip("Tag", tag, self.address(without_tag=tag))

    def address(self, *, without: str = "", without_tag: str = "", **other: str) -> str:
        """This list, in as few words as it can be named; another page of it, unless that is said, is its first."""
        names = ("q", *self.SHOWN, "forgotten", "sort")
        said = {name: self.said(name) for name in names if name != without} | other
        pairs = [(name, value) for name, value in said.items() if value]
        pairs += [("tags", tag) for tag in self.tags if tag != without_tag]
        return f"{self.whole}?{urlencode(pairs)}" if pairs else self.whole

    @cached_property
    def whole(self) -> str:
        """The list of all."""
        return self.place.to("memories")

    @property
    def here(self) -> str:
        return self.address(cursor=self.said("cursor"))

    @property
    def start(self) -> str:
        return self.address()

    @property
    def query_string(self) -> str:
        return self.start.partition("?")[2]

    @property
    def cleared(self) -> str:
        """Without any filter: all that lives, or all that is forgotten."""
        return f"{self.whole}?forgotten=yes" if self.of_forgotten else self.whole

    @property
    def narrowed(self) -> bool:
        return bool(self.said("q") or self.chips)
