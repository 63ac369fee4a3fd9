"""Template tags of the review inbox: `{% load review %}`."""

from django import template
from django.utils import timezone

from memories.queries.review import count_review_items
from memories.views.review import describe_count
from teams.team_page import TeamPage

register = template.Library()


@register.filter
def waiting_count(team_page: TeamPage) -> str:
    """Return how many things wait for this person's decision; nothing for none."""
    count = count_review_items(actor=team_page.deciding_actor, now=timezone.now())
    return describe_count(count) if count else ""
