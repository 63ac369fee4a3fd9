"""The forms of a memory's page."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import forms

from memories.models import KEY_LENGTH, LABEL_LENGTH, SUMMARY_LENGTH, Memory, Relation, Revision, Scope, Type
from memories.rules import access
from memories.rules.anchors import LAST_LINE, NewAnchor
from memories.rules.fields import DEFAULT_IMPORTANCE
from memoryhub.forms import MomentField, WordsField
from memoryhub.ids import parse_uuid
from teams.team_page import TeamPage

AudienceChoices = list[tuple[str, str]]
ANCHOR_FORM_FIELDS = ("repository", "path", "first_line", "last_line", "commit", "sha256")
MAX_VERSION = 2**31 - 1  # the largest version number that the database can hold
MINUTE_FIELDS = ("valid_from", "valid_until", "expires_at", "review_by")  # shown to the minute


class MultilineField(forms.CharField):
    """Multi-line text with the line ends as stored: browsers send others. Operations refuse empty text."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, strip=False, **options)

    def clean(self, value: Any) -> str:
        return unix_line_endings(super().clean(value))


def unix_line_endings(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parse_version(text: str) -> int | None:
    """Return the number, or None if no version can have it."""
    return int(text) if text.isdecimal() and len(text) <= 10 and int(text) <= MAX_VERSION else None


class MemoryForm(forms.Form):
    """Fields of a memory, except its audience."""

    content = MultilineField(
        label="What to remember",
        help_text="Markdown. Agents read it word for word.",
        widget=forms.Textarea(attrs={"rows": 12, "autofocus": True}),
    )
    summary = MultilineField(
        help_text="Used instead of the text where space is short.",
        widget=forms.Textarea(attrs={"rows": 2, "maxlength": SUMMARY_LENGTH}),
    )
    key = forms.CharField(
        required=False,
        help_text="A unique name.",
        widget=forms.TextInput(attrs={"maxlength": KEY_LENGTH, "autocomplete": "off"}),
    )
    type = forms.ChoiceField(choices=Type.choices)
    category = forms.CharField(required=False, widget=forms.TextInput(attrs={"maxlength": LABEL_LENGTH}))
    tags = WordsField(help_text="Separate tags with commas.")
    importance = forms.FloatField(
        required=False,
        help_text="From 0 to 1. Left empty, the type decides.",
        widget=forms.NumberInput(attrs={"min": 0, "max": 1, "step": "any"}),
    )
    valid_from = MomentField(label="Holds from", help_text="In UTC. Left empty, it has always held.")
    valid_until = MomentField(
        label="Holds until", help_text="In UTC. From then on only questions about earlier find it."
    )
    expires_at = MomentField(label="Expires", help_text="In UTC. It vanishes at that moment.")
    review_by = MomentField(label="Review by", help_text="In UTC. When somebody should check it again.")
    pinned = forms.BooleanField(required=False, help_text="Ranks first among equals, and never fades.")

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if values.get("importance") is None and "importance" not in self.errors:
            values["importance"] = DEFAULT_IMPORTANCE.get(values.get("type", ""), 0.5)
        begins, ends = values.get("valid_from"), values.get("valid_until")
        if begins and ends and ends < begins:
            self.add_error("valid_until", "This is before it begins to hold.")
        return values


MEMORY_FORM_FIELDS = tuple(MemoryForm.base_fields)


class EditMemoryForm(MemoryForm):
    """The fields, and the version that their writer has read."""

    version = forms.CharField(required=False, widget=forms.HiddenInput)

    @property
    def values(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in MEMORY_FORM_FIELDS}

    @property
    def seen_version(self) -> int:
        """Return the version; 0, which no memory has, if it is missing or not a version."""
        return parse_version(self.cleaned_data["version"]) or 0


class NewMemoryForm(MemoryForm):
    audience = forms.ChoiceField(required=False, label="Scope", help_text="Who can see it.")

    def __init__(self, *args: Any, team_page: TeamPage, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["audience"].choices = audience_choices(team_page)  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        values = super().clean()
        scope, _, audience = values.pop("audience", "").partition(":")
        return values | {"scope": scope or Scope.TEAM, "audience": parse_uuid(audience)}


def audience_choices(team_page: TeamPage, *, author: Any = None) -> AudienceChoices:
    """List the audiences a memory can have here, each as scope and id. An agent's own can only be what it wrote."""
    team = [(f"{Scope.TEAM}:{team_page.team.pk}", f"Team: {team_page.team.name}", team_page.team.pk)]
    projects = [(f"{Scope.PROJECT}:{one.pk}", f"Project: {one.name}", one.pk) for one in team_page.projects]
    agents = [(f"{Scope.AGENT}:{one.pk}", f"Agent: {one.slug}", one.pk) for one in team_page.agents]
    me = team_page.actor.person_id
    own = [(f"{Scope.GLOBAL}:{me}", "Global: you alone, in every team", me)] if me else []
    mine = [one for one in agents if author in (None, one[2])]
    every = (*team, *projects, *mine, *own)
    return [(value, name) for value, name, audience in every if access.may_write(team_page.actor, audience)]


class LinkForm(forms.Form):
    target_id = forms.UUIDField(error_messages={"required": "Choose a memory.", "invalid": "Choose a memory."})
    relation = forms.ChoiceField(choices=[(one.value, one.value.replace("_", " ")) for one in Relation])
    weight = forms.FloatField(
        min_value=0, max_value=1, initial=0.5, widget=forms.NumberInput(attrs={"min": 0, "max": 1, "step": 0.1})
    )
    supersede = forms.BooleanField(
        required=False, label="This memory replaces the other one, which no longer holds. It updates it."
    )


class SourceForm(forms.Form):
    url = forms.CharField(required=False, label="Address", widget=forms.URLInput(attrs={"placeholder": "https://"}))
    quote = MultilineField(label="Quotation", widget=forms.Textarea(attrs={"rows": 3}))
    session = forms.CharField(required=False)
    message_id = forms.CharField(required=False, label="Message")
    repository = forms.CharField(
        required=False, widget=forms.TextInput(attrs={"placeholder": "git.example.org/acme/berths"})
    )
    path = forms.CharField(
        required=False, label="File", widget=forms.TextInput(attrs={"placeholder": "config/cranes.toml"})
    )
    first_line = forms.IntegerField(required=False, min_value=1, max_value=LAST_LINE)
    last_line = forms.IntegerField(required=False, min_value=1, max_value=LAST_LINE)
    commit = forms.CharField(required=False)
    sha256 = forms.CharField(
        required=False, label="SHA-256", help_text="Of the lines, each with a line feed at its end."
    )

    def take_anchor(self) -> NewAnchor | None:
        """Return the anchor that was filled in, if one was, and leave the other fields."""
        values = {name: self.cleaned_data.pop(name) for name in ANCHOR_FORM_FIELDS}
        return NewAnchor(**values) if any(values.values()) else None


def form_values(version: Memory | Revision) -> dict[str, Any]:
    """Return the values that an untouched form would submit."""
    values = {name: getattr(version, name) for name in MEMORY_FORM_FIELDS}
    values |= {name: values[name] and values[name].replace(second=0, microsecond=0) for name in MINUTE_FIELDS}
    return values | {name: unix_line_endings(values[name]) for name in ("content", "summary")}


def as_submitted(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the values in the form in which a browser submits them."""
    return {name: _submitted_value(value) for name, value in values.items()}


def _submitted_value(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else ""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%dT%H:%M}"
    return ", ".join(value) if isinstance(value, list) else "" if value is None else str(value)
