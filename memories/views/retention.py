"""The page on which a team's owners choose how long memories of a kind are kept."""

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from memories.models import Type
from memories.operations.team_retention import MOST_COUNTED, count_ended, set_retention
from memories.operations.team_rules import digest_rules
from memories.rules.retention_rules import (
    MOST_DAYS,
    RETAINED_SCOPES,
    RetentionEnd,
    RetentionRule,
    clean_retention,
    describe_retention_rule,
    read_retention,
    render_retention_rule,
)
from memories.views.team_rules import choose_some
from memoryhub.errors import Conflict
from memoryhub.flash import notify
from memoryhub.forms import WordsField, submit_form
from teams import operations as registry
from teams.models import Team
from teams.team_page import ActionResult, TeamPage, in_team, team_action

END_TITLES = {
    RetentionEnd.FORGET: "Forget them: they can be restored",
    RetentionEnd.REMOVE: "Remove them for good, with every version",
}


class RetentionForm(forms.Form):
    types = choose_some("Memories of these types", Type.choices)
    scopes = choose_some("Of these scopes", [(scope.value, scope.label) for scope in RETAINED_SCOPES])
    categories = WordsField(label="Of these categories", help_text="Separated by commas. Empty means any.")
    days = forms.IntegerField(
        label="Days after the last change or verification", min_value=1, max_value=MOST_DAYS, initial=365
    )
    then = forms.ChoiceField(
        label="Then", choices=[(end.value, title) for end, title in END_TITLES.items()], initial=RetentionEnd.FORGET
    )
    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    def build_retention_rule(self) -> dict[str, Any]:
        """Return the rule as JSON has it."""
        return {name: value for name, value in self.cleaned_data.items() if name != "seen" and value}


@in_team
def edit_retention(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    """Show the rules and what each would end now; preview a new one, then add it."""
    registry.require_owner(team_page.actor)
    rules, seen = read_retention(team_page.team.policy), digest_rules(team_page.team.policy, part="retention")
    form = RetentionForm(request.POST or None, initial={"seen": seen})

    def preview(**_: Any) -> str:
        longer = (*rules, *clean_retention([form.build_retention_rule()]))
        return _describe_effect(team_page.team, longer, len(rules))

    def add(**_: Any) -> Team:
        stored = [render_retention_rule(rule) for rule in rules]
        return set_retention(
            actor=team_page.actor, seen=form.cleaned_data["seen"], rules=[*stored, form.build_retention_rule()]
        )

    effect = submit_form(form, preview) if form.is_bound else None
    if effect and "save" in request.POST and submit_form(form, add):
        notify(request, "The rule was added. It is applied every night.")
        return redirect(team_page.url("retention"))
    context = {
        "section": "retention",
        "form": form,
        "effect": effect,
        "rules": [
            (describe_retention_rule(rule), _describe_effect(team_page.team, rules, number))
            for number, rule in enumerate(rules)
        ],
        "broken": not rules and bool(team_page.team.policy.get("retention")),
        "seen": seen,
    }
    return render(request, "memories/retention.html", context, status=400 if form.errors else 200)


def _describe_effect(team: Team, rules: tuple[RetentionRule, ...], number: int) -> str:
    count = count_ended(team=team, rules=rules, place=number, now=timezone.now())
    size = f"More than {MOST_COUNTED:,} memories" if count > MOST_COUNTED else f"{count:,} memories"
    return f"{'1 memory' if count == 1 else size} would be {ENDED[rules[number].then]} now."


ENDED = {RetentionEnd.FORGET: "forgotten", RetentionEnd.REMOVE: "removed for good"}


@team_action
def remove_retention_rule(request: HttpRequest, team_page: TeamPage, number: int) -> ActionResult:
    """Remove one rule; with the number 0, all of them, which is how rules are dropped that cannot be read."""
    registry.require_owner(team_page.actor)
    rules = [render_retention_rule(rule) for rule in read_retention(team_page.team.policy)]
    if number > len(rules):
        raise Conflict("There is no such rule any more.")
    rest = [*rules[: number - 1], *rules[number:]] if number else []
    set_retention(actor=team_page.actor, seen=request.POST.get("seen", ""), rules=rest)
    return ActionResult("The rule was removed." if number else "All rules were removed.", to=team_page.url("retention"))
