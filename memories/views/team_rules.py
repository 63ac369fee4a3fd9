"""The page on which owners say who may write what in a team, by ordered rules."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from memories import operations
from memories.models import Scope, Type
from memories.operations.team_rules import digest_rules, read_team_rules
from memories.rules.policies import Outcome, WriteKind, Writer, describe_rule
from memoryhub.errors import Forbidden, NotFound, Trouble
from memoryhub.flash import notify
from memoryhub.forms import LinesField, WordsField, add_refusal
from teams.models import Level
from teams.operations import require_owner
from teams.team_page import ActionResult, TeamPage, in_team, team_action

OUTCOMES = {
    Outcome.SAVE: "Save it at once",
    Outcome.PROPOSE: "Make it a proposal, which a person approves or rejects",
    Outcome.REFUSE: "Refuse it",
}
PINNED = {"": "Pinned or not", "yes": "Pinned ones", "no": "Ones that are not pinned"}
WRITERS = {"": "Anybody", Writer.AGENT: "Agents", Writer.PERSON: "People"}
KINDS = {WriteKind.NEW: "saves a new memory", WriteKind.CHANGE: "changes a memory", WriteKind.FORGET: "forgets one"}


def choose_some(label: str, choices: Any) -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        label=label, choices=choices, required=False, widget=forms.CheckboxSelectMultiple, help_text="None means any."
    )


class RuleForm(forms.Form):
    who = forms.ChoiceField(label="If this is written by", choices=list(WRITERS.items()), required=False)
    agents = WordsField(label="Only these agents", help_text="Their names, separated by commas. Empty means any.")
    levels = choose_some("Only agents of these levels", Level.choices)
    writes = choose_some("and the writer", list(KINDS.items()))
    types = choose_some("Of these types", Type.choices)
    scopes = choose_some("Of these scopes", Scope.choices)
    pinned = forms.ChoiceField(label="Pinned", choices=list(PINNED.items()), required=False)
    categories = WordsField(label="Of these categories", help_text="Separated by commas. Empty means any.")
    keys = LinesField(label="With one of these keys", help_text="One per line. Empty means any.")
    key_prefixes = LinesField(label="With a key that begins with", help_text="One per line, like policy/")
    sources = WordsField(label="From these sources", help_text="Separated by commas. Empty means any.")
    then = forms.ChoiceField(label="Then", choices=list(OUTCOMES.items()), initial=Outcome.PROPOSE)
    reason = forms.CharField(
        required=False, max_length=300, help_text="What the writer reads, in a sentence.", label="Because"
    )
    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    def build_rule(self) -> dict[str, Any]:
        """Return the rule as JSON has it, without what it leaves open."""
        values = {name: value for name, value in self.cleaned_data.items() if name not in ("seen", "who", "pinned")}
        if who := self.cleaned_data["who"]:
            values["who"] = [who]
        if pinned := self.cleaned_data["pinned"]:
            values["pinned"] = pinned == "yes"
        return {name: value for name, value in values.items() if value or value is False}


@in_team
def show_team_rules(request: HttpRequest, team_page: TeamPage) -> HttpResponse:
    rules = read_team_rules(team_page.team)
    own = "rules" in team_page.team.policy
    context = {
        "section": "members",
        "rules": [describe_rule(rule) for rule in rules],
        "own": own,
        "broken": own and not rules and bool(team_page.team.policy["rules"]),
        "seen": digest_rules(team_page.team.policy),
    }
    return render(request, "memories/team_rules.html", context)


@in_team
def edit_rule(request: HttpRequest, team_page: TeamPage, number: int | None = None) -> HttpResponse:
    """Edit the rule with this number, or add one."""
    require_owner(team_page.actor)
    rules = read_team_rules(team_page.team)
    if number is not None and not 1 <= number <= len(rules):
        raise NotFound("There is no such rule.")
    present = rules[number - 1] if number else {}
    form = RuleForm(request.POST or None, initial=_initial(present) | {"seen": digest_rules(team_page.team.policy)})
    if form.is_bound and form.is_valid() and _store_rule(team_page, form, number):
        notify(request, "The rule was changed." if number else "The rule was added.")
        return redirect(team_page.url("team-rules"))
    status = 400 if form.errors else 200
    return render(
        request, "memories/team_rule.html", {"section": "members", "form": form, "number": number}, status=status
    )


def _initial(rule: Mapping[str, Any]) -> dict[str, Any]:
    pinned = {True: "yes", False: "no", None: ""}[rule.get("pinned")]
    return {**rule, "who": next(iter(rule.get("who", ())), ""), "pinned": pinned}


def _store_rule(team_page: TeamPage, form: RuleForm, number: int | None) -> bool:
    at = None if number is None else number - 1
    edit = partial(operations.team_rules.put_rule, rule=form.build_rule(), place=at)
    try:
        operations.team_rules.edit_team_rules(actor=team_page.actor, seen=form.cleaned_data["seen"], edit=edit)
    except Forbidden:
        raise
    except Trouble as refusal:
        add_refusal(form, refusal)
        return False
    return True


@team_action
def move_rule_view(request: HttpRequest, team_page: TeamPage, number: int, way: str) -> ActionResult:
    to = number - 2 if way == "up" else number
    edit = partial(operations.team_rules.move_rule, place=number - 1, to=to)
    operations.team_rules.edit_team_rules(actor=team_page.actor, seen=request.POST.get("seen", ""), edit=edit)
    return ActionResult("Moved.", to=team_page.url("team-rules"))


@team_action
def remove_rule_view(request: HttpRequest, team_page: TeamPage, number: int) -> ActionResult:
    edit = partial(operations.team_rules.remove_rule, place=number - 1)
    operations.team_rules.edit_team_rules(actor=team_page.actor, seen=request.POST.get("seen", ""), edit=edit)
    return ActionResult("The rule was removed.", to=team_page.url("team-rules"))


@team_action
def reset_rules_view(request: HttpRequest, team_page: TeamPage) -> ActionResult:
    operations.team_rules.reset_team_rules(actor=team_page.actor)
    return ActionResult("The default rules apply again.", to=team_page.url("team-rules"))
