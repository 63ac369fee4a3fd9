"""One's own account."""

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from memoryhub.errors import Invalid
from memoryhub.text import line_flaw, tidy
from teams import throttling

NAME_LENGTH = 150
EMAIL_LENGTH = 254


def introduce(*, user: User, name: str, email: str) -> User:
    """How others see them: a name as people say it, and where to write to."""
    name, email = tidy(name), tidy(email)
    if found := line_flaw(name, longest=NAME_LENGTH):
        raise Invalid({"name": found})
    if email and (len(email) > EMAIL_LENGTH or not _is_email(email)):
        raise Invalid({"email": "This is not an e-mail address."})
    User.objects.filter(pk=user.pk).update(first_name=name, last_name="", email=email)
    user.refresh_from_db()
    return user


def log_out_elsewhere(*, user: User, password: str, address: str) -> None:
    """Sessions are sealed with what is stored of the password, so storing it afresh ends them all. It can be guessed
    here as well as at the door."""
    with throttling.counted(throttling.Try(name=user.get_username(), address=address)):
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
