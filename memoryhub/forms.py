"""Form fields, and forms that submit to an operation: it decides what is valid, and its refusals return to the
fields."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

from django import forms

from memoryhub.errors import ConfirmationNeeded, Conflict, Invalid, TooMany, Trouble

FormResult = TypeVar("FormResult")
CONFIRMED = "confirmed"  # the box by which a form does so


class MomentField(forms.DateTimeField):
    """Takes a date and time in UTC from the browser's picker; empty means none."""

    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"], **options)

    def from_current_timezone(self, value: datetime) -> datetime:
        return value.replace(tzinfo=UTC)


class WordsField(forms.CharField):
    """Takes words separated by commas, such as tags."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, strip=True, **options)

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, list | tuple) else value

    def clean(self, value: Any) -> list[str]:
        return [word for part in super().clean(value).split(",") if (word := part.strip())]


class LinesField(forms.CharField):
    """Takes several values, one per line."""

    widget = forms.Textarea(attrs={"rows": 3, "autocomplete": "off", "spellcheck": "false"})

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, **options)

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list | tuple) else value

    def clean(self, value: Any) -> list[str]:
        return [line for part in super().clean(value).splitlines() if (line := part.strip())]


class TextField(forms.CharField):
    """Takes text of many lines exactly as typed: browsers change the line ends, which is undone."""

    widget = forms.Textarea

    def __init__(self, **options: Any) -> None:
        super().__init__(strip=False, **options)

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value) or "").replace("\r\n", "\n")


def add_refusal(form: forms.BaseForm, refusal: Trouble) -> None:
    """Add a refusal to the fields that it names, or to the whole form."""
    if not isinstance(refusal, Invalid):
        return form.add_error(None, refusal.message)
    for name, sentence in refusal.fields.items():
        form.add_error(name if name in form.fields else None, sentence)
    if isinstance(refusal, ConfirmationNeeded):
        form.fields[CONFIRMED] = forms.BooleanField(required=False, label="Save it as it is")
    return None


def submit_form(form: forms.BaseForm, act: Callable[..., FormResult]) -> FormResult | None:
    """Call `act` with the form's values and return its result; None, with errors at the fields, if it is refused."""
    if not form.is_valid():
        return None
    try:
        return act(**form.cleaned_data)
    except (Invalid, Conflict, TooMany) as refusal:
        add_refusal(form, refusal)
        return None
