"""Forms translate what a page sends; what it may be, the operations decide. Their refusals come back to the fields."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

from django import forms

from memoryhub.errors import Conflict, Invalid, TooMany, Trouble

Answer = TypeVar("Answer")


class MomentField(forms.DateTimeField):
    """A date and time in UTC, as the browser's own picker gives it; empty is none."""

    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"], **options)

    def from_current_timezone(self, value: datetime) -> datetime:
        return value.replace(tzinfo=UTC)


class WordsField(forms.CharField):
    """Several words with commas between them, as tags are written."""

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, strip=True, **options)

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, list | tuple) else value

    def clean(self, value: Any) -> list[str]:
        return [word for part in super().clean(value).split(",") if (word := part.strip())]


class TextField(forms.CharField):
    """Text of many lines, just as it was typed: browsers send other ends of lines than anybody writes."""

    widget = forms.Textarea

    def __init__(self, **options: Any) -> None:
        super().__init__(strip=False, **options)

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value) or "").replace("\r\n", "\n")


def refuse(form: forms.BaseForm, refusal: Trouble) -> None:
    """Puts a refusal where it belongs: beside the fields that it names, or above them all."""
    if not isinstance(refusal, Invalid):
        return form.add_error(None, refusal.message)
    for name, sentence in refusal.fields.items():
        form.add_error(name if name in form.fields else None, sentence)
    return None


def carried_out(form: forms.BaseForm, act: Callable[..., Answer]) -> Answer | None:
    """What the act makes of the fields. What is wrong with them is said beside them, and then nothing was done."""
    if not form.is_valid():
        return None
    try:
        return act(**form.cleaned_data)
    except (Invalid, Conflict, TooMany) as refusal:
        refuse(form, refusal)
        return None
