"""Changes that people make to their own account."""

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from memoryhub.errors import Invalid
from memoryhub.text import line_problem, normalize_text
from teams import login_throttle

USER_NAME_LENGTH = 150
EMAIL_LENGTH = 254


def change_profile(*, user: User, name: str, email: str) -> User:
    """Change the name and e-mail address that others see."""
    name, email = normalize_text(name), normalize_text(email)
    if problem := line_problem(name, longest=USER_NAME_LENGTH):
        raise Invalid({"name": problem})
    if email and (len(email) > EMAIL_LENGTH or not _is_email(email)):
        raise Invalid({"email": "This is not an e-mail address."})
    User.objects.filter(pk=user.pk).update(first_name=name, last_name="", email=email)
    user.refresh_from_db()
    return user


def end_other_sessions(*, user: User, password: str, attempt: login_throttle.LoginAttempt) -> None:
    """End all sessions by storing the password again, with a new salt: sessions are tied to its hash. Attempts are
    counted, since the password could be guessed here as well as at the login."""
    with login_throttle.throttle_attempt(attempt):
        if not user.check_password(password):
            raise Invalid({"password": "This is not your password."})
    user.set_password(password)
    user.save(update_fields=["password"])


def _is_email(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return True
