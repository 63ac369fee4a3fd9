"""What people fill in about who there is."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django import forms
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, UserCreationForm
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import password_validators_help_texts
from django.core.exceptions import ValidationError
from django.utils.html import format_html
from django.utils.safestring import SafeString

from memoryhub.errors import TooMany
from memoryhub.forms import MomentField
from teams import throttling
from teams.models import HANDLE_LENGTH, Level, Role, Verb

VERBS = {
    Verb.READ: "Recall, list and read memories and files.",
    Verb.WRITE: "Save and change them.",
    Verb.FORGET: "Forget memories, and delete files.",
}
ROLES = {
    Role.VIEWER: "Reads everything of the team, changes nothing.",
    Role.EDITOR: "Saves, corrects, pins, forgets and restores.",
    Role.OWNER: "Also manages agents, tokens, projects and members.",
}
LASTING = {1: "1 day", 7: "7 days", 30: "30 days"}


class ThrottledLogIn(AuthenticationForm):
    """Too many wrong passwords are refused before the next one is looked at."""

    def clean(self) -> dict[str, Any]:
        name, password = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if not name or not password or self.request is None:
            return super().clean()
        attempt = throttling.Try(name=name, address=throttling.address_of(self.request))
        try:
            with throttling.counted(attempt):
                return super().clean()
        except TooMany as refusal:
            raise ValidationError(refusal.message, code="too_many") from refusal


class AdminLogIn(ThrottledLogIn, AdminAuthenticationForm):
    """The admin's, throttled alike."""


class NewPassword(PasswordChangeForm):
    """The old one can be guessed here as well as at the door."""

    def __init__(self, user: User, *args: Any, address: str = "", **options: Any) -> None:
        super().__init__(user, *args, **options)
        self.attempt = throttling.Try(name=user.get_username(), address=address)
        self.fields["old_password"].label = "Password now"
        self.fields["new_password1"].label = "New password"
        self.fields["new_password1"].help_text = password_rules()
        self.fields["new_password2"].label = "New password again"
        self.fields["new_password2"].help_text = ""

    def clean_old_password(self) -> str:
        try:
            with throttling.counted(self.attempt):
                return super().clean_old_password()
        except TooMany as refusal:
            raise ValidationError(refusal.message, code="too_many") from refusal


class NewAccount(UserCreationForm):
    """For whoever was invited and has none."""

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
    name = forms.CharField(required=False, max_length=150, help_text="As your teams see it.")
    email = forms.CharField(label="E-mail", required=False, max_length=254, widget=forms.EmailInput)


class Confirmation(forms.Form):
    password = forms.CharField(
        label="Your password", strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )


class AgentForm(forms.Form):
    name = forms.CharField(required=False, max_length=200, help_text="As people call it. Optional.")
    level = forms.ChoiceField(widget=forms.RadioSelect, initial=Level.MEMBER)

    def __init__(self, *args: Any, above: str, **options: Any) -> None:
        """`above` names the teams above."""
        super().__init__(*args, **options)
        self.fields["level"].choices = explained(levels(above))  # type: ignore[attr-defined]

    def clean_level(self) -> Level:
        return Level(self.cleaned_data["level"])


class NewAgent(AgentForm):
    slug = forms.CharField(
        label="Short name",
        max_length=64,
        help_text="As it signs what it saves. Lower-case letters, digits, dots, dashes and underscores. It stays.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    field_order = ("slug", "name", "level")


class NewToken(forms.Form):
    label = forms.CharField(
        label="What is it for?", required=False, max_length=100, help_text="So that you know it again. Optional."
    )
    user = forms.CharField(
        label="Serves",
        required=False,
        max_length=HANDLE_LENGTH,
        help_text="A person by their handle, whose memories it uses when a call names nobody. Optional.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    verbs = forms.MultipleChoiceField(label="It may", widget=forms.CheckboxSelectMultiple, initial=list(Verb))
    expires_at = MomentField(label="Expires (UTC)", help_text="Empty: it works until it is revoked.")

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["verbs"].choices = explained(VERBS)  # type: ignore[attr-defined]

    def clean_verbs(self) -> list[Verb]:
        return [Verb(word) for word in self.cleaned_data["verbs"]]


class ProjectName(forms.Form):
    name = forms.CharField(max_length=200)


class NewProject(ProjectName):
    slug = forms.CharField(
        label="Short name",
        max_length=64,
        help_text="As agents write it. Lower-case letters, digits, dots, dashes and underscores. It stays.",
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
        label="The link works for", choices=list(LASTING.items()), initial=7, coerce=lambda days: timedelta(int(days))
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["role"].choices = explained(ROLES)  # type: ignore[attr-defined]

    def clean_role(self) -> Role:
        return Role(self.cleaned_data["role"])


def levels(above: str) -> dict[Level, str]:
    """What an agent of each level reads, where these teams stand above."""
    own = "Reads this team's memories, its projects' and its own"
    more = f"{own}, and the teams above: {above}." if above else f"{own}. No team stands above."
    return {
        Level.MEMBER: f"{own}.",
        Level.DIRECTOR: more,
        Level.EXECUTIVE: f"{more} For those who lead the organization.",
    }


def explained(choices: Mapping[Any, str]) -> list[tuple[str, SafeString]]:
    """Each choice by its name, with a sentence below it."""
    form = '<span class="choice"><strong>{}</strong> <span class="hint">{}</span></span>'
    return [(value, format_html(form, value.label, sentence)) for value, sentence in choices.items()]


def password_rules() -> str:
    return " ".join(password_validators_help_texts())
