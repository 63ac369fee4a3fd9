"""The forms of the memories' pages."""

from typing import Any

from django import forms

from memories.fields import DEFAULT_IMPORTANCE
from memories.models import KEY_LENGTH, LABEL_LENGTH, SUMMARY_LENGTH, Memory, Revision, Type
from memoryhub.forms import MomentField, WordsField

LATEST = {"expires_at", "review_by"}  # moments, which a page shows to the minute


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
        help_text="A name to find it by. Saving the same key again updates it.",
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


def values_of(version: Memory | Revision) -> dict[str, Any]:
    """What the form would send if nobody touched it."""
    found = {name: getattr(version, name) for name in FIELDS}
    found |= {name: found[name] and found[name].replace(second=0, microsecond=0) for name in LATEST}
    return found | {name: unix(found[name]) for name in ("content", "summary")}
