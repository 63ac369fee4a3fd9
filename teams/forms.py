"""The forms about accounts, agents, tokens, projects and members."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django import forms
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, UserCreationForm
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import password_validators_help_texts
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.html import format_html
from django.utils.safestring import SafeString

from memoryhub.errors import TooMany
from memoryhub.forms import LinesField, MomentField
from teams import login_throttle
from teams.models import HANDLE_LENGTH, Level, Role, Token, Verb

VERB_DESCRIPTIONS = {
    Verb.READ: "Recall, list and read memories and files.",
    Verb.WRITE: "Save and change them.",
    Verb.FORGET: "Forget memories, and delete files.",
}
ROLE_DESCRIPTIONS = {
    Role.VIEWER: "Reads everything in the team and changes nothing.",
    Role.EDITOR: "Saves, corrects, pins, forgets and restores.",
    Role.OWNER: "Also manages agents, tokens, projects and members.",
}
INVITATION_LIFETIMES = {1: "1 day", 7: "7 days", 30: "30 days"}


class ThrottledLogIn(AuthenticationForm):
    """Logs in, and refuses to check another password after too many wrong ones."""

    def clean(self) -> dict[str, Any]:
        name, password = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if not name or not password or self.request is None:
            return super().clean()
        try:
            with login_throttle.throttle_attempt(login_throttle.read_attempt(self.request, name=name)):
                return super().clean()
        except TooMany as refusal:
            raise ValidationError(refusal.message, code="too_many") from refusal


class AdminLogIn(ThrottledLogIn, AdminAuthenticationForm):
    """Logs in to the admin, throttled in the same way."""


class NewPassword(PasswordChangeForm):
    """Changes the password. The old one could be guessed here as well as at the login, so attempts are counted."""

    def __init__(self, user: User, *args: Any, attempt: login_throttle.LoginAttempt, **options: Any) -> None:
        super().__init__(user, *args, **options)
        self.attempt = attempt
        self.fields["old_password"].label = "Current password"
        self.fields["new_password1"].label = "New password"
        self.fields["new_password1"].help_text = password_rules()
        self.fields["new_password2"].label = "New password again"
        self.fields["new_password2"].help_text = ""

    def clean_old_password(self) -> str:
        try:
            with login_throttle.throttle_attempt(self.attempt):
                return super().clean_old_password()
        except TooMany as refusal:
            raise ValidationError(refusal.message, code="too_many") from refusal


class NewAccount(UserCreationForm):
    """Creates an account for an invited person."""

    class Meta:
        model = User
        fields = ("username",)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["username"].label = "User name"
        self.fields["username"].widget.attrs.pop("autofocus", None)  # most have an account and log in
        self.fields["username"].help_text = "Letters, digits and @ . + - _"
        self.fields["password1"].help_text = password_rules()
        self.fields["password2"].label = "Password again"
        self.fields["password2"].help_text = ""


class Profile(forms.Form):
    name = forms.CharField(required=False, max_length=150, help_text="The name that your teams see.")
    email = forms.CharField(label="E-mail", required=False, max_length=254, widget=forms.EmailInput)


class Confirmation(forms.Form):
    password = forms.CharField(
        label="Your password", strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )


class AgentForm(forms.Form):
    name = forms.CharField(required=False, max_length=200, help_text="A name for people. Optional.")
    level = forms.ChoiceField(widget=forms.RadioSelect, initial=Level.MEMBER)

    def __init__(self, *args: Any, above: str, **options: Any) -> None:
        """Initialize the form; `above` lists the names of the teams above."""
        super().__init__(*args, **options)
        self.fields["level"].choices = explain_choices(describe_levels(above))  # type: ignore[attr-defined]

    def clean_level(self) -> Level:
        return Level(self.cleaned_data["level"])


class NewAgent(AgentForm):
    slug = forms.CharField(
        label="Short name",
        max_length=64,
        help_text="Lower-case letters, digits, dots, dashes, underscores. Shown as the author. Can't be changed later.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    field_order = ("slug", "name", "level")


class Naming(models.TextChoices):
    """Lists which users the calls of a token may name."""

    SERVED = "served", "The person it serves"
    LISTED = "listed", "These people"
    ANY = "any", "Any person"


class PersonsForm(forms.Form):
    """Chooses which people a token may name, with the list that one of the choices needs."""

    naming = forms.ChoiceField(label="It may name", required=False, widget=forms.RadioSelect, initial=Naming.SERVED)
    persons = LinesField(
        label="People", max_length=20_000, help_text="For “These people”: their handles, one per line."
    )
    SENTENCES = {
        Naming.SERVED: "Only that person. If it serves nobody, any person.",
        Naming.LISTED: "The people listed below, and the person it serves.",
        Naming.ANY: "Anybody whom a call names. It reads and writes everybody's memories.",
    }

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["naming"].choices = explain_choices(self.SENTENCES)  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Translate the two fields into the arguments of the operations."""
        cleaned = super().clean() or self.cleaned_data
        naming = cleaned.pop("naming", "") or Naming.SERVED
        listed = cleaned.get("persons", [])
        if naming == Naming.LISTED and not listed:
            self.add_error("persons", "List at least one person.")
        if naming != Naming.LISTED and listed:
            self.add_error("persons", "To list people, choose “These people”.")
        return cleaned | {"any_person": naming == Naming.ANY}


class TokenPersons(PersonsForm):
    """Changes which people an existing token may name."""

    def __init__(self, data: Any, *, token: Token) -> None:
        super().__init__(data, initial={"naming": naming_of(token), "persons": token.persons})
        served = f"Only {token.person.handle}." if token.person else ""
        sentences = self.SENTENCES | {Naming.SERVED: served}
        choices = {naming: sentence for naming, sentence in sentences.items() if sentence}
        self.fields["naming"].choices = explain_choices(choices)  # type: ignore[attr-defined]


def naming_of(token: Token) -> Naming:
    """Return the choice that describes the token."""
    if token.nameable is None:
        return Naming.ANY
    return Naming.LISTED if token.persons else Naming.SERVED


class NewToken(PersonsForm):
    label = forms.CharField(
        label="What is it for?", required=False, max_length=100, help_text="To recognize it by. Optional."
    )
    user = forms.CharField(
        label="Default user",
        required=False,
        max_length=HANDLE_LENGTH,
        help_text="The handle of a person, whose memories it uses when a call names nobody. Optional.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    verbs = forms.MultipleChoiceField(label="It may", widget=forms.CheckboxSelectMultiple, initial=list(Verb))
    expires_at = MomentField(label="Expires (UTC)", help_text="Empty: it works until it is revoked.")
    field_order = ("label", "user", "naming", "persons", "verbs", "expires_at")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["verbs"].choices = explain_choices(VERB_DESCRIPTIONS)  # type: ignore[attr-defined]

    def clean_verbs(self) -> list[Verb]:
        return [Verb(word) for word in self.cleaned_data["verbs"]]


class ProjectName(forms.Form):
    name = forms.CharField(max_length=200)


class NewProject(ProjectName):
    slug = forms.CharField(
        label="Short name",
        max_length=64,
        help_text="Lower-case letters, digits, dots, dashes and underscores. Agents use it; it cannot be changed.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


class Guest(forms.Form):
    who = forms.CharField(
        label="Admit",
        max_length=200,
        help_text="An agent of another team as team/agent, or a person by their handle.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


class NewInvitation(forms.Form):
    role = forms.ChoiceField(label="They join as", widget=forms.RadioSelect, initial=Role.VIEWER)
    lasts = forms.TypedChoiceField(
        label="The link works for",
        choices=list(INVITATION_LIFETIMES.items()),
        initial=7,
        coerce=lambda days: timedelta(int(days)),
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["role"].choices = explain_choices(ROLE_DESCRIPTIONS)  # type: ignore[attr-defined]

    def clean_role(self) -> Role:
        return Role(self.cleaned_data["role"])


def describe_levels(above: str) -> dict[Level, str]:
    """Describe what an agent of each level reads; `above` lists the names of the teams above."""
    own = "Reads this team's memories, its projects' and its own"
    more = f"{own}, and the teams above: {above}." if above else f"{own}. There is no team above."
    return {
        Level.MEMBER: f"{own}.",
        Level.DIRECTOR: more,
        Level.EXECUTIVE: f"{more} For those who lead the organization.",
    }


def explain_choices(choices: Mapping[Any, str]) -> list[tuple[str, SafeString]]:
    """Return the choices with a sentence below each name."""
    form = '<span class="choice"><strong>{}</strong> <span class="hint">{}</span></span>'
    return [(value, format_html(form, value.label, sentence)) for value, sentence in choices.items()]


def password_rules() -> str:
    return " ".join(password_validators_help_texts())
