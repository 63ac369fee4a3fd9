"""The forms of a memory's page."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import forms

from memories.fields import DEFAULT_IMPORTANCE
from memories.models import KEY_LENGTH, LABEL_LENGTH, SUMMARY_LENGTH, Memory, Relation, Revision, Scope, Type
from memoryhub.forms import MomentField, WordsField
from memoryhub.ids import as_uuid
from teams.place import Place

Choices = list[tuple[str, str]]
MOMENTS = ("expires_at", "review_by")  # which a page shows to the minute


class TextField(forms.CharField):
    """Text of several lines, as it is stored: browsers send other line ends. Whether it is empty, operations say."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, strip=False, **options)

    def clean(self, value: Any) -> str:
        return unix(super().clean(value))


def unix(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


class MemoryForm(forms.Form):
    """All that one can say of a memory, but for whose it is."""

    content = TextField(
        label="What to remember",
        help_text="Markdown. Agents read it word for word.",
        widget=forms.Textarea(attrs={"rows": 12, "autofocus": True}),
    )
    summary = TextField(
        help_text="Used instead of the text where space is short.",
        widget=forms.Textarea(attrs={"rows": 2, "maxlength": SUMMARY_LENGTH}),
    )
    key = forms.CharField(
        required=False,
        help_text="A name to find it by, which no other one has.",
        widget=forms.TextInput(attrs={"maxlength": KEY_LENGTH, "autocomplete": "off"}),
    )
    type = forms.ChoiceField(choices=Type.choices)
    category = forms.CharField(required=False, widget=forms.TextInput(attrs={"maxlength": LABEL_LENGTH}))
    tags = WordsField(help_text="With commas between them.")
    importance = forms.FloatField(
        required=False,
        help_text="From 0 to 1. Left empty, the type decides.",
        widget=forms.NumberInput(attrs={"min": 0, "max": 1, "step": "any"}),
    )
    expires_at = MomentField(label="Expires", help_text="In UTC. It vanishes at that moment.")
    review_by = MomentField(label="Review by", help_text="In UTC. When somebody should check it again.")
    pinned = forms.BooleanField(required=False, help_text="Ranks first among equals, and never fades.")

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        if said.get("importance") is None and "importance" not in self.errors:
            said["importance"] = DEFAULT_IMPORTANCE.get(said.get("type", ""), 0.5)
        return said


FIELDS = tuple(MemoryForm.base_fields)


class NewMemoryForm(MemoryForm):
    audience = forms.ChoiceField(required=False, label="Scope", help_text="Who can see it.")

    def __init__(self, *args: Any, place: Place, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["audience"].choices = audiences(place)  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        said = super().clean()
        scope, _, audience = said.pop("audience", "").partition(":")
        return said | {"scope": scope or Scope.TEAM, "audience": as_uuid(audience)}


def audiences(place: Place, *, author: Any = None) -> Choices:
    """Whose a memory can become here, each as scope and id. An agent's own can only become what that agent wrote."""
    team = [(f"{Scope.TEAM}:{place.team.pk}", f"Team: {place.team.name}", place.team.pk)]
    projects = [(f"{Scope.PROJECT}:{one.pk}", f"Project: {one.name}", one.pk) for one in place.projects]
    agents = [(f"{Scope.AGENT}:{one.pk}", f"Agent: {one.slug}", one.pk) for one in place.agents]
    me = place.actor.person_id
    own = [(f"{Scope.GLOBAL}:{me}", "Global: you alone, in every team", me)] if me else []
    mine = [one for one in agents if author in (None, one[2])]
    return [(value, name) for value, name, audience in (*team, *projects, *mine, *own) if place.may_change(audience)]


class LinkForm(forms.Form):
    target_id = forms.UUIDField(error_messages={"required": "Choose a memory.", "invalid": "Choose a memory."})
    relation = forms.ChoiceField(choices=[(one.value, one.value.replace("_", " ")) for one in Relation])
    weight = forms.FloatField(
        min_value=0, max_value=1, initial=0.5, widget=forms.NumberInput(attrs={"min": 0, "max": 1, "step": 0.1})
    )


class SourceForm(forms.Form):
    url = forms.CharField(required=False, label="Address", widget=forms.URLInput(attrs={"placeholder": "https://"}))
    quote = TextField(label="Quotation", widget=forms.Textarea(attrs={"rows": 3}))
    session = forms.CharField(required=False)
    message_id = forms.CharField(required=False, label="Message")


def values_of(version: Memory | Revision) -> dict[str, Any]:
    """What the form would send if nobody touched it."""
    found = {name: getattr(version, name) for name in FIELDS}
    found |= {name: found[name] and found[name].replace(second=0, microsecond=0) for name in MOMENTS}
    return found | {name: unix(found[name]) for name in ("content", "summary")}


def sent(values: Mapping[str, Any]) -> dict[str, str]:
    """The same as a browser sends it."""
    return {name: _sent(value) for name, value in values.items()}


def _sent(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else ""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%dT%H:%M}"
    return ", ".join(value) if isinstance(value, list) else "" if value is None else str(value)
