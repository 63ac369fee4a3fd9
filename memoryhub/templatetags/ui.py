"""Template tags of the user interface: `{% load ui %}`."""

from datetime import datetime
from typing import Any

from django import template
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

ICONS = "vendor/lucide-1.62.0.svg"
UNITS = ((60, "s"), (3600, "min"), (86_400, "h"), (86_400 * 30, "d"), (86_400 * 365, "mo"))
LENGTH = {"s": 1, "min": 60, "h": 3600, "d": 86_400, "mo": 86_400 * 30, "y": 86_400 * 365}


@register.simple_tag
def icon(name: str, label: str = "") -> SafeString:
    """Render an icon: decorative, unless it has a label."""
    spoken = format_html('role="img" aria-label="{}"', label) if label else mark_safe('aria-hidden="true"')
    return format_html('<svg class="icon" {}><use href="{}#{}"></use></svg>', spoken, static(ICONS), name)


@register.simple_tag
def when(moment: datetime | None) -> SafeString:
    """Render a moment as relative time; the exact time shows on hover, by the key `z`, or by a touch."""
    if moment is None:
        return mark_safe("")
    exact = f"{moment:%Y-%m-%d %H:%M} UTC"
    words = relative(moment, now=timezone.now())
    return format_html('<time datetime="{}" title="{}">{}</time>', moment.isoformat(), exact, words)


def relative(moment: datetime, *, now: datetime) -> str:
    seconds = int((now - moment).total_seconds())
    away = abs(seconds)
    if away < 45:
        return "just now" if seconds >= 0 else "in a moment"
    unit = next((unit for limit, unit in UNITS if away < limit), "y")
    words = f"{max(1, round(away / LENGTH[unit]))} {unit}"
    return f"{words} ago" if seconds >= 0 else f"in {words}"


@register.simple_tag(takes_context=True)
def to(context: Any, name: str, *arguments: object) -> str:
    """Return the address of a page of the current team."""
    address: str = context["place"].url(name, *arguments)
    return address


@register.simple_tag
def in_place(swap: str = "outerMorph") -> SafeString:
    """Return the attributes of a form whose response updates the page in place if scripts run. A focused field keeps
    its text when it is morphed, so forms that come back merged are swapped by `outerHTML`."""
    return format_html(
        'hx-boost="true" hx-target="#main" hx-select="#main" hx-select-oob="#toasts,#review-count" hx-swap="{}"'
        ' hx-replace-url="true"',
        swap,
    )
